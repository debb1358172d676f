//! Whole numbers in as few bytes as they need: seven bits a byte, the low ones first (LEB128).

/// Appends a number.
pub(super) fn put(mut number: u64, out: &mut Vec<u8>) {
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

/// Takes a number off the front. Of bytes that are none it makes some number, never more than there are bytes:
/// 0 at the end.
pub(super) fn take(bytes: &mut &[u8]) -> u64 {
    let (mut number, mut shift) = (0, 0);
    while let Some((&byte, rest)) = bytes.split_first() {
        *bytes = rest;
        if shift < u64::BITS {
            number |= u64::from(byte & 0x7f) << shift;
        }
        shift += 7;
        if byte < 0x80 {
            break;
        }
    }
    number
}

/// Passes over so many numbers.
pub(super) fn skip(bytes: &mut &[u8], numbers: u64) {
    let mut left = numbers;
    let mut at = 0;
    while left > 0 && at < bytes.len() {
        left -= u64::from(bytes[at] < 0x80);
        at += 1;
    }
    *bytes = &bytes[at..];
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn numbers_come_back(numbers: Vec<u64>, shifts in prop::collection::vec(0u32..64, 0..50)) {
            let numbers: Vec<u64> =
                numbers.iter().zip(shifts.iter().chain([&0]).cycle()).map(|(n, s)| n >> s).collect();
            let mut bytes = Vec::new();
            numbers.iter().for_each(|&n| put(n, &mut bytes));
            for from in 0..=numbers.len() {
                let mut rest = &bytes[..];
                skip(&mut rest, from as u64);
                let again: Vec<u64> = numbers[from..].iter().map(|_| take(&mut rest)).collect();
                prop_assert_eq!(&again, &numbers[from..]);
                prop_assert!(rest.is_empty());
            }
        }

        #[test]
        fn other_bytes_end(noise: Vec<u8>) {
            let mut rest = &noise[..];
            for _ in 0..=noise.len() {
                take(&mut rest);
            }
            prop_assert!(rest.is_empty());
            skip(&mut &noise[..], u64::MAX);
        }
    }
}
