//! Vectors that go from one rank to another as they lie in memory, beside a message's other bytes.

use bytemuck::Pod;
use bytemuck::allocation::try_cast_vec;

use super::garbled;
use super::values::take_pods;
use crate::{AppError, Wire as _};

/// Bytes from which on a vector goes as a block: of fewer, one copy takes less than a second message.
pub const LARGE: usize = 16 << 10;

/// A vector of plain values, by the bytes of a value: whatever they are, their memory is taken over and not copied.
#[derive(Debug)]
pub struct Block(Values);

#[derive(Debug)]
enum Values {
    One(Vec<u8>),
    Two(Vec<u16>),
    Four(Vec<u32>),
    Eight(Vec<u64>),
    Sixteen(Vec<u128>),
}

/// Evaluates `$body` with `$values` bound to the vector, whatever its width.
macro_rules! any_width {
    ($block:expr, $values:ident => $body:expr) => {
        match $block {
            Values::One($values) => $body,
            Values::Two($values) => $body,
            Values::Four($values) => $body,
            Values::Eight($values) => $body,
            Values::Sixteen($values) => $body,
        }
    };
}

impl Block {
    /// All that [`Block::width`] can be.
    pub const WIDTHS: [usize; 5] = [1, 2, 4, 8, 16];

    /// So many bytes of zeroes, as values of `width` bytes each; nothing if there is no such width, or they are no whole number of values.
    ///
    /// ```
    /// use forerun_skeleton::wire::Block;
    /// let mut block = Block::zeroed(4, 8).unwrap();
    /// block.bytes_mut()[4] = 1;
    /// assert_eq!(block.into_vec(), Some(vec![0u32, 1]));
    /// assert!(Block::zeroed(4, 7).is_none() && Block::zeroed(3, 6).is_none());
    /// ```
    pub fn zeroed(width: usize, bytes: usize) -> Option<Block> {
        let n = bytes.checked_div(width).filter(|n| n * width == bytes)?;
        Some(Block(match width {
            1 => Values::One(vec![0; n]),
            2 => Values::Two(vec![0; n]),
            4 => Values::Four(vec![0; n]),
            8 => Values::Eight(vec![0; n]),
            16 => Values::Sixteen(vec![0; n]),
            _ => return None,
        }))
    }

    /// The block that `values` are, if values of this type can be one.
    fn of<T: Pod>(values: Vec<T>) -> Option<Block> {
        Some(Block(match width_of::<T>()? {
            1 => Values::One(try_cast_vec(values).ok()?),
            2 => Values::Two(try_cast_vec(values).ok()?),
            4 => Values::Four(try_cast_vec(values).ok()?),
            8 => Values::Eight(try_cast_vec(values).ok()?),
            _ => Values::Sixteen(try_cast_vec(values).ok()?),
        }))
    }

    /// The values, if they are as wide as those of `T`.
    pub fn into_vec<T: Pod>(self) -> Option<Vec<T>> {
        width_of::<T>().filter(|width| *width == self.width())?;
        any_width!(self.0, values => try_cast_vec(values).ok())
    }

    /// Bytes of a value.
    pub fn width(&self) -> usize {
        any_width!(&self.0, values => width(values))
    }

    /// All values as bytes, as they lie in memory.
    pub fn bytes(&self) -> &[u8] {
        any_width!(&self.0, values => bytemuck::cast_slice(values))
    }

    /// The same, to be written.
    pub fn bytes_mut(&mut self) -> &mut [u8] {
        any_width!(&mut self.0, values => bytemuck::cast_slice_mut(values))
    }
}

impl From<Vec<u8>> for Block {
    fn from(bytes: Vec<u8>) -> Self {
        Block(Values::One(bytes))
    }
}

impl Default for Block {
    fn default() -> Self {
        Vec::new().into()
    }
}

fn width<T>(_: &[T]) -> usize {
    size_of::<T>()
}

/// The width of a block of such values: their size, where they are aligned as a block of it is, since only then memory of the one is
/// memory of the other.
fn width_of<T>() -> Option<usize> {
    let alignments =
        [align_of::<u8>(), align_of::<u16>(), align_of::<u32>(), align_of::<u64>(), align_of::<u128>()];
    let layout = (size_of::<T>(), align_of::<T>());
    Block::WIDTHS.into_iter().zip(alignments).find(|width| *width == layout).map(|(width, _)| width)
}

/// Whether `bytes` bytes of such values go as a block. Both ends know it by the length, so nothing says it.
fn is_block<T>(bytes: usize) -> bool {
    bytes >= LARGE && width_of::<T>().is_some()
}

/// A message on its way out: its bytes, and the blocks that go beside them.
#[derive(Debug, Default)]
pub struct Outgoing {
    /// What is copied into the message. What a value's form has before anything large is appended here.
    pub bytes: Vec<u8>,
    blocks: Vec<Block>,
    /// Bytes that the message may still have.
    room: usize,
}

impl Outgoing {
    /// A message of about `bytes` bytes.
    pub fn of_about(bytes: usize) -> Self {
        Outgoing { room: bytes, ..Outgoing::default() }
    }

    /// Where all further bytes are appended, with room for what the message was said to have.
    pub fn rest(&mut self) -> &mut Vec<u8> {
        self.bytes.reserve(self.room.saturating_sub(self.bytes.len()));
        &mut self.bytes
    }

    /// Appends a vector, as [`Wire`](crate::Wire) does of numbers, but for its values, if they are [`LARGE`]: these go as a block, as they lie in memory.
    /// [`Incoming::vector`] takes it.
    ///
    /// # Errors
    /// None as it is.
    pub fn vector<T: Pod>(&mut self, values: Vec<T>) -> Result<(), AppError> {
        values.len().encode(&mut self.bytes)?;
        self.values(values);
        Ok(())
    }

    /// The same without its length.
    pub(super) fn values<T: Pod>(&mut self, values: Vec<T>) {
        let bytes = size_of_val(&values[..]);
        if !is_block::<T>(bytes) {
            self.bytes.extend_from_slice(bytemuck::cast_slice(&values));
        } else if let Some(block) = Block::of(values) {
            self.room = self.room.saturating_sub(bytes);
            self.blocks.push(block);
        }
    }

    /// Appends all of another message; the first is taken over as it is.
    pub fn append(&mut self, other: Outgoing) {
        if self.bytes.is_empty() {
            self.bytes = other.bytes;
        } else {
            self.bytes.extend_from_slice(&other.bytes);
        }
        self.blocks.extend(other.blocks);
    }

    /// Bytes that it has by now, those of its blocks among them.
    pub fn total(&self) -> u64 {
        (self.bytes.len() + self.blocks.iter().map(|block| block.bytes().len()).sum::<usize>()) as u64
    }

    /// The bytes, and the blocks in their order.
    pub fn into_parts(self) -> (Vec<u8>, Vec<Block>) {
        (self.bytes, self.blocks)
    }
}

/// A message that has come, or what is left of it.
#[derive(Debug)]
pub struct Incoming<'b> {
    /// Its bytes.
    pub bytes: &'b [u8],
    /// Its blocks; none at all where every vector is among the bytes.
    blocks: Option<std::vec::IntoIter<Block>>,
}

impl<'b> Incoming<'b> {
    /// What [`Outgoing::into_parts`] gave.
    pub fn new(bytes: &'b [u8], blocks: Vec<Block>) -> Self {
        Incoming { bytes, blocks: Some(blocks.into_iter()) }
    }

    /// Bytes in which vectors lie where they are mentioned, as [`Codec::encode`](crate::Codec::encode) writes them: for a codec whose `decode`
    /// is its `take`.
    pub fn plain(bytes: &'b [u8]) -> Self {
        Incoming { bytes, blocks: None }
    }

    /// Takes a vector that [`Outgoing::vector`] gave; one that came as a block is not copied.
    ///
    /// # Errors
    /// That what comes next is no such vector, or that there is no memory for it.
    pub fn vector<T: Pod>(&mut self) -> Result<Vec<T>, AppError> {
        let n = usize::decode(&mut self.bytes)?;
        self.values(n)
    }

    /// The same of `n` values without their number.
    pub(super) fn values<T: Pod>(&mut self, n: usize) -> Result<Vec<T>, AppError> {
        let length = n.checked_mul(size_of::<T>()).ok_or_else(|| garbled("of a possible length"))?;
        match &mut self.blocks {
            Some(blocks) if is_block::<T>(length) => {
                let block = blocks.next().filter(|block| block.bytes().len() == length);
                block.and_then(Block::into_vec).ok_or_else(|| garbled("complete"))
            }
            _ => take_pods(n, &mut self.bytes),
        }
    }

    /// All that is left, for whoever reads it later, by [`received`](super::received).
    pub fn rest(&mut self) -> Outgoing {
        let blocks = self.blocks.as_mut().map_or_else(Vec::new, Iterator::collect);
        Outgoing { bytes: std::mem::take(&mut self.bytes).to_vec(), blocks, room: 0 }
    }

    /// Whether all of it was taken.
    pub(super) fn is_empty(&self) -> bool {
        self.bytes.is_empty() && self.blocks.as_ref().is_none_or(|blocks| blocks.len() == 0)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::{Maybe, Plain, received};
    use super::*;
    use crate::{Codec, Wire};

    type All = (Vec<u8>, Option<Vec<f64>>, (u64, Vec<i16>), Vec<Vec<u128>>);

    fn vector<T: Arbitrary + Clone>() -> impl Strategy<Value = Vec<T>> {
        // As many as make a block of 16-byte values, one less, and enough for all.
        let lengths = prop_oneof![Just(0usize), Just(1023), Just(1024), Just(LARGE), 0..2 * LARGE];
        (any::<T>(), lengths).prop_map(|(value, n)| vec![value; n])
    }

    fn alls() -> impl Strategy<Value = All> {
        let few = prop::collection::vec(vector(), 0..3);
        (vector(), prop::option::of(vector()), (any::<u64>(), vector()), few)
    }

    fn given(all: All) -> (Vec<u8>, Vec<Block>) {
        let mut out = Outgoing::default();
        all.give(&mut out).unwrap();
        out.into_parts()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        /// What is given is taken, as blocks from 16 KiB on and where it lies.
        #[test]
        fn what_is_given_is_taken_again(all in alls()) {
            let (bytes, blocks) = given(all.clone());
            let lengths: Vec<usize> = blocks.iter().map(|block| block.bytes().len()).collect();
            prop_assert!(lengths.iter().all(|n| *n >= LARGE), "{:?}", lengths);
            let mut plain = Vec::new();
            all.encode(&mut plain).unwrap();
            prop_assert_eq!(bytes.len() + lengths.iter().sum::<usize>(), plain.len());
            prop_assert_eq!(received::<All>(&Plain, &bytes, blocks).unwrap(), all.clone());
            let mut from = Incoming::plain(&plain);
            prop_assert_eq!(Codec::<All>::take(&Plain, &mut from).unwrap(), all);
            prop_assert!(from.is_empty());
        }

        /// Bytes cut short, blocks too few, too many, of other lengths or widths, and noise are errors and no panic.
        #[test]
        fn what_is_not_as_it_was_given_is_refused(
            all in alls(),
            cut in any::<prop::sample::Index>(),
            at in any::<prop::sample::Index>(),
            width in prop::sample::select(Block::WIDTHS.to_vec()),
            noise in any::<Vec<u8>>(),
        ) {
            let read = |bytes: &[u8], blocks| received::<All>(&Plain, bytes, blocks);
            let (bytes, blocks) = given(all.clone());
            prop_assert!(read(&bytes[..cut.index(bytes.len())], blocks).is_err());
            let (_, blocks) = given(all.clone());
            let _ = read(&noise, blocks);
            let (_, mut blocks) = given(all.clone());
            blocks.push(Block::zeroed(width, LARGE).unwrap());
            prop_assert!(read(&bytes, blocks).is_err(), "one more");
            let (_, mut blocks) = given(all.clone());
            if !blocks.is_empty() {
                let at = at.index(blocks.len());
                let (length, own) = (blocks[at].bytes().len(), blocks[at].width());
                blocks[at] = Block::zeroed(own, length + own).unwrap();
                prop_assert!(read(&bytes, blocks).is_err(), "longer");
                let (_, mut blocks) = given(all.clone());
                if let Some(other) = Block::zeroed(width, length).filter(|_| width != own) {
                    blocks[at] = other;
                    prop_assert!(read(&bytes, blocks).is_err(), "of {width} rather than {own}");
                }
                let (_, mut blocks) = given(all);
                blocks.remove(at);
                prop_assert!(read(&bytes, blocks).is_err(), "one less");
            }
        }
    }

    #[test]
    fn memory_stays_where_it_is() {
        let values = vec![1.5f64; LARGE];
        let place = values.as_ptr();
        let mut out = Outgoing::default();
        Codec::<Option<Vec<f64>>>::give(&Maybe(Plain), Some(values), &mut out).unwrap();
        let (bytes, blocks) = out.into_parts();
        let again: Option<Vec<f64>> = received(&Maybe(Plain), &bytes, blocks).unwrap();
        assert_eq!(again.map(|values| (values.as_ptr(), values.len())), Some((place, LARGE)));
    }

    /// A value that only knows its bytes.
    struct Old(u64);

    impl Wire for Old {
        fn encode(&self, out: &mut Vec<u8>) -> Result<(), AppError> {
            vec![self.0; LARGE].encode(out)
        }

        fn decode(bytes: &mut &[u8]) -> Result<Self, AppError> {
            Vec::<u64>::decode(bytes).map(|values| Old(values[0]))
        }
    }

    #[test]
    fn what_has_bytes_only_goes_among_others() {
        let mut out = Outgoing::of_about(9 * LARGE);
        (vec![7u8; LARGE], Old(3)).give(&mut out).unwrap();
        let (bytes, blocks) = out.into_parts();
        assert_eq!((bytes.len(), blocks.len()), (8 + 8 + 8 * LARGE, 1));
        let (sevens, old): (Vec<u8>, Old) = received(&Plain, &bytes, blocks).unwrap();
        assert!(sevens == [7; LARGE] && old.0 == 3);
    }

    #[test]
    fn a_message_that_is_made_goes_as_it_is() {
        let mut made = Outgoing::default();
        (vec![7u32; LARGE], 5u8).give(&mut made).unwrap();
        assert_eq!(made.total(), 8 + 4 * LARGE as u64 + 1);
        let mut out = Outgoing::default();
        out.append(made);
        let (bytes, blocks) = out.into_parts();
        let again = Incoming::new(&bytes, blocks).rest();
        let mut out = Outgoing { bytes: vec![1], ..Outgoing::default() };
        out.append(again);
        let (bytes, blocks) = out.into_parts();
        let (first, (sevens, five)): (u8, (Vec<u32>, u8)) = received(&Plain, &bytes, blocks).unwrap();
        assert!(first == 1 && sevens == [7; LARGE] && five == 5);
    }

    #[test]
    fn values_that_are_not_aligned_by_their_size_are_copied() {
        let values = vec![[1u8, 2]; LARGE];
        let mut out = Outgoing::default();
        out.vector(values.clone()).unwrap();
        let (bytes, blocks) = out.into_parts();
        assert!(blocks.is_empty());
        assert_eq!(Incoming::new(&bytes, blocks).vector::<[u8; 2]>().unwrap(), values);
    }
}
