//! Tags and their names.

use crate::words::Words;

/// A part of speech: a number in a [`TagSet`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Tag(pub(crate) u16);

impl Tag {
    /// What stands before the first and after the last word of a sentence.
    pub const BOUNDARY: Self = Self(0);

    /// The number of this tag, from 0 to the size of its set.
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// The tags of a model, by name. The first is [`Tag::BOUNDARY`], `STAART` in Brill's files.
#[derive(Clone, Debug)]
pub struct TagSet {
    names: Words,
}

/// The name that Brill's files give to what is outside of a sentence.
pub const BOUNDARY: &str = "STAART";

/// The largest number of tags in a set.
pub const MOST: usize = 1 << 10;

impl Default for TagSet {
    fn default() -> Self {
        let mut names = Words::default();
        names.put(BOUNDARY);
        Self { names }
    }
}

impl TagSet {
    /// How many tags there are, with the boundary.
    pub fn len(&self) -> usize {
        self.names.len()
    }

    /// Never: the boundary is always there.
    pub fn is_empty(&self) -> bool {
        false
    }

    /// The name of a tag of this set.
    ///
    /// # Panics
    /// If the tag is of a larger set.
    pub fn name(&self, tag: Tag) -> &str {
        self.names.get(u32::from(tag.0))
    }

    /// The tag of this name, if it is in the set.
    pub fn find(&self, name: &str) -> Option<Tag> {
        self.names.find(name).map(|n| Tag(n as u16))
    }

    /// The tag of this name, which is put in if it is not there; `None` if the set is full ([`MOST`]).
    pub fn put(&mut self, name: &str) -> Option<Tag> {
        if let Some(tag) = self.find(name) {
            return Some(tag);
        }
        (self.len() < MOST).then(|| Tag(self.names.put(name) as u16))
    }

    /// All tags with their names, the boundary first.
    pub fn iter(&self) -> impl Iterator<Item = (Tag, &str)> {
        self.names.iter().enumerate().map(|(n, name)| (Tag(n as u16), name))
    }
}
