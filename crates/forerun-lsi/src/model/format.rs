//! The file of a model: a header, a table of sections, and the sections, all little-endian.
//!
//! | bytes | header |
//! |---|---|
//! | 0–7 | `FRUN-LSI` |
//! | 8–11 | version, 1 |
//! | 12–15 | number of sections, n |
//! | 16–23 | length of the file |
//! | 24–27 | CRC-32 of the header (this field taken as 0) and of the table |
//! | 28–63 | zeros |
//!
//! Then n entries of 24 bytes, in the order of [`Section`]: offset (8), length (8), CRC-32 of the section (4), zeros
//! (4). Every section begins at a multiple of 64 bytes, so that numbers in a mapped file are aligned.

use std::ops::Range;

/// What the file begins with.
const MAGIC: &[u8; 8] = b"FRUN-LSI";
/// The version that this build writes and reads.
const VERSION: u32 = 1;
const HEADER: usize = 64;
const ENTRY: usize = 24;
const ALIGNED: usize = 64;

/// The sections, in their order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Section {
    /// How text becomes weighted terms, as JSON.
    About,
    /// The documents' names, each after its length (u32).
    Ids,
    /// The terms, each after its length (u32).
    Terms,
    /// The number of documents with each term (u32).
    Documents,
    /// The weight of each term (f64).
    Weights,
    /// The singular values (f64).
    Values,
    /// T_k, row by row (f32).
    TermVectors,
    /// The rows of S_kD_k divided by their lengths (f32).
    DocumentVectors,
}

/// Number of sections.
pub(super) const SECTIONS: usize = Section::DocumentVectors as usize + 1;

/// The file of these sections.
pub(super) fn pack(sections: [&[u8]; SECTIONS]) -> Vec<u8> {
    let mut file = vec![0; HEADER + ENTRY * SECTIONS];
    let mut table = Vec::new();
    for section in sections {
        file.resize(file.len().next_multiple_of(ALIGNED), 0);
        table.extend((file.len() as u64).to_le_bytes());
        table.extend((section.len() as u64).to_le_bytes());
        table.extend(crc32fast::hash(section).to_le_bytes());
        table.extend([0; 4]);
        file.extend_from_slice(section);
    }
    let length = file.len() as u64;
    file[HEADER..HEADER + table.len()].copy_from_slice(&table);
    file[..8].copy_from_slice(MAGIC);
    file[8..12].copy_from_slice(&VERSION.to_le_bytes());
    file[12..16].copy_from_slice(&(SECTIONS as u32).to_le_bytes());
    file[16..24].copy_from_slice(&length.to_le_bytes());
    let sum = crc32fast::hash(&file[..HEADER + table.len()]);
    file[24..28].copy_from_slice(&sum.to_le_bytes());
    file
}

/// Where the sections of a file are.
pub(super) fn unpack(file: &[u8]) -> Result<[Range<usize>; SECTIONS], String> {
    if file.get(..8) != Some(MAGIC) {
        return Err("this is not a model of forerun lsi; make one with forerun lsi build".into());
    }
    let broken = |what: &str| format!("the model is damaged ({what}); build it again");
    let word = |at: usize| file.get(at..at + 4).map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]]));
    let long =
        |at: usize| word(at).zip(word(at + 4)).map(|(low, high)| u64::from(low) | u64::from(high) << 32);
    match word(8) {
        Some(VERSION) => {}
        Some(other) => {
            return Err(format!(
                "the model has version {other}, and this build reads {VERSION}; build it again"
            ));
        }
        None => return Err(broken("its header is cut off")),
    }
    let end = HEADER + ENTRY * SECTIONS;
    if word(12) != Some(SECTIONS as u32) || long(16) != Some(file.len() as u64) || file.len() < end {
        return Err(broken("its length is not that which it says"));
    }
    let mut header = file[..end].to_vec();
    header[24..28].fill(0);
    if word(24) != Some(crc32fast::hash(&header)) {
        return Err(broken("the checksum of its header"));
    }
    let mut sections: [Range<usize>; SECTIONS] = Default::default();
    for (number, section) in sections.iter_mut().enumerate() {
        let at = HEADER + number * ENTRY;
        let range = long(at).zip(long(at + 8)).and_then(|(offset, length)| {
            let offset = usize::try_from(offset).ok()?;
            Some(offset..offset.checked_add(usize::try_from(length).ok()?)?)
        });
        let found = range.filter(|range| file.get(range.clone()).is_some());
        let found = found.ok_or_else(|| broken("a section is cut off"))?;
        if word(at + 16) != Some(crc32fast::hash(&file[found.clone()])) {
            return Err(broken("the checksum of a section"));
        }
        *section = found;
    }
    Ok(sections)
}

/// Texts, each after its length.
pub(super) fn pack_texts(texts: &[String]) -> Vec<u8> {
    let mut out = Vec::new();
    for text in texts {
        out.extend((text.len() as u32).to_le_bytes());
        out.extend(text.as_bytes());
    }
    out
}

/// The texts that `pack_texts` packed.
pub(super) fn unpack_texts(mut bytes: &[u8]) -> Option<Vec<String>> {
    let mut out = Vec::new();
    while !bytes.is_empty() {
        let (length, rest) = bytes.split_first_chunk::<4>()?;
        let (text, rest) = rest.split_at_checked(u32::from_le_bytes(*length) as usize)?;
        out.push(std::str::from_utf8(text).ok()?.to_string());
        bytes = rest;
    }
    Some(out)
}

/// Numbers as bytes.
pub(super) fn pack_numbers<T: Copy, const N: usize>(numbers: &[T], turn: fn(T) -> [u8; N]) -> Vec<u8> {
    numbers.iter().flat_map(|&number| turn(number)).collect()
}

/// The numbers that these bytes are.
pub(super) fn unpack_numbers<T, const N: usize>(bytes: &[u8], turn: fn([u8; N]) -> T) -> Option<Vec<T>> {
    let (chunks, rest) = bytes.as_chunks::<N>();
    rest.is_empty().then(|| chunks.iter().map(|&chunk| turn(chunk)).collect())
}
