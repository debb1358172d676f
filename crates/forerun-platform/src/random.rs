//! Random numbers that a seed determines, the same on every machine.

use std::time::{SystemTime, UNIX_EPOCH};

/// A stream of random numbers: xoshiro256++ (Blackman and Vigna, ACM Trans. Math. Softw. 47, 2021), seeded by
/// SplitMix64. Not for secrets.
///
/// ```
/// use forerun_platform::random::Random;
///
/// let (mut one, mut other) = (Random::new(7), Random::new(7));
/// assert_eq!(one.unit(), other.unit());
/// assert!(one.unit() != Random::stream(7, 1).unit());
/// ```
#[derive(Debug, Clone)]
pub struct Random {
    state: [u64; 4],
}

impl Random {
    /// The stream of a seed.
    pub fn new(seed: u64) -> Self {
        Self::stream(seed, 0)
    }

    /// The stream of a seed with this number; streams of one seed are independent of each other.
    pub fn stream(seed: u64, number: u64) -> Self {
        let mut z = seed ^ number.wrapping_mul(0xd134_2543_de82_ef95);
        let state = std::array::from_fn(|_| {
            z = z.wrapping_add(0x9e37_79b9_7f4a_7c15);
            let mut y = z;
            y = (y ^ (y >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            y = (y ^ (y >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
            y ^ (y >> 31)
        });
        Random { state }
    }

    /// A stream that is another every time.
    pub fn from_time() -> Self {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Self::new(now.as_nanos() as u64)
    }

    /// 64 random bits.
    pub fn bits(&mut self) -> u64 {
        let s = &mut self.state;
        let out = s[0].wrapping_add(s[3]).rotate_left(23).wrapping_add(s[0]);
        let t = s[1] << 17;
        s[2] ^= s[0];
        s[3] ^= s[1];
        s[1] ^= s[2];
        s[0] ^= s[3];
        s[2] ^= t;
        s[3] = s[3].rotate_left(45);
        out
    }

    /// A number from 0 (not included) to 1.
    pub fn unit(&mut self) -> f64 {
        ((self.bits() >> 11) + 1) as f64 / (1u64 << 53) as f64
    }

    /// A number from −1 to below 1, of mean 0.
    pub fn symmetric(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }

    /// A time with this rate: exponentially distributed with mean `1 / rate`.
    pub fn exponential(&mut self, rate: f64) -> f64 {
        -self.unit().ln() / rate
    }

    /// A number from 0 to below `n`; 0 for 0. (Its bias is below `n / 2^64`.)
    pub fn below(&mut self, n: usize) -> usize {
        (self.bits() % n.max(1) as u64) as usize
    }

    /// A size between the two, each factor as likely as any other.
    pub fn size(&mut self, least: usize, most: usize) -> usize {
        let (from, to) = ((least.max(1) as f64).ln(), (most.max(1) as f64).ln());
        ((from + self.unit() * (to - from)).exp() as usize).clamp(least, most.max(least))
    }

    /// Brings `items` into a random order.
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for i in (1..items.len()).rev() {
            let j = self.below(i + 1);
            items.swap(i, j);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Random;

    #[test]
    fn numbers_have_the_means_and_the_bounds_that_are_said() {
        let (mut random, n) = (Random::new(3), 100_000);
        let mut mean =
            |of: fn(&mut Random) -> f64| (0..n).map(|_| of(&mut random)).sum::<f64>() / f64::from(n);
        assert!((mean(Random::unit) - 0.5).abs() < 0.005);
        assert!(mean(Random::symmetric).abs() < 0.01);
        assert!((mean(|r| r.exponential(4.0)) - 0.25).abs() < 0.005);
        assert!((mean(|r| r.below(7) as f64) - 3.0).abs() < 0.05);
        assert!((0..1000).all(|_| (1..=1).contains(&(random.below(1) + 1)) && random.unit() > 0.0));
        assert_eq!(random.below(0), 0);
        assert!((0..1000).all(|_| (10..=1000).contains(&random.size(10, 1000))));
        let small = (0..n).filter(|_| random.size(10, 1000) < 100).count() as f64;
        assert!((small / f64::from(n) - 0.5).abs() < 0.01, "as many below the middle factor as above");
    }

    #[test]
    fn the_first_numbers_are_those_of_the_published_generator() {
        // SplitMix64 from 0, then xoshiro256++: the first state is e220a8397b1dcdaf, 6e789e6aa1b965f4,
        // 06c45d188009454f, f88bb8a8724c81ec.
        let s = Random::new(0).state;
        assert_eq!(
            s,
            [0xe220_a839_7b1d_cdaf, 0x6e78_9e6a_a1b9_65f4, 0x06c4_5d18_8009_454f, 0xf88b_b8a8_724c_81ec]
        );
        let first = s[0].wrapping_add(s[3]).rotate_left(23).wrapping_add(s[0]);
        assert_eq!(Random::new(0).bits(), first);
    }

    #[test]
    fn a_shuffle_loses_nothing() {
        let mut items: Vec<u32> = (0..100).collect();
        Random::new(1).shuffle(&mut items);
        assert_ne!(items, (0..100).collect::<Vec<_>>());
        items.sort_unstable();
        assert_eq!(items, (0..100).collect::<Vec<_>>());
    }
}
