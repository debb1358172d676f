//! The ends of lanes that a rank holds, by the rank at the other end.

/// No lane.
const NONE: u32 = u32::MAX;

/// The ends of lanes that a rank holds; most ranks talk to few others.
pub(super) struct Ends<E> {
    /// Where the end for each other rank is.
    places: Vec<u32>,
    ends: Vec<E>,
}

impl<E> Ends<E> {
    /// None yet, to any of `ranks` ranks.
    pub(super) fn new(ranks: usize) -> Self {
        Ends { places: vec![NONE; ranks], ends: Vec::new() }
    }

    pub(super) fn len(&self) -> usize {
        self.ends.len()
    }

    /// The place of the end for `rank`.
    pub(super) fn find(&self, rank: usize) -> Option<usize> {
        let place = self.places[rank];
        (place != NONE).then_some(place as usize)
    }

    /// Adds the end for `rank`; gives its place.
    pub(super) fn add(&mut self, rank: usize, end: E) -> usize {
        let place = self.ends.len();
        self.places[rank] = place as u32;
        self.ends.push(end);
        place
    }

    pub(super) fn at(&mut self, place: usize) -> &mut E {
        &mut self.ends[place]
    }
}
