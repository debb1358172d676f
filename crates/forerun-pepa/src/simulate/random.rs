//! Random numbers.

/// xoshiro256++ (Blackman and Vigna, ACM Trans. Math. Softw. 47, 2021).
#[derive(Debug, Clone)]
pub(super) struct Random {
    state: [u64; 4],
}

impl Random {
    /// The stream of a seed with this number: seeded by SplitMix64 from both.
    pub(super) fn stream(seed: u64, number: u64) -> Self {
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

    fn next(&mut self) -> u64 {
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
    pub(super) fn unit(&mut self) -> f64 {
        ((self.next() >> 11) + 1) as f64 / (1u64 << 53) as f64
    }

    /// A time with this rate.
    pub(super) fn exponential(&mut self, rate: f64) -> f64 {
        -self.unit().ln() / rate
    }
}
