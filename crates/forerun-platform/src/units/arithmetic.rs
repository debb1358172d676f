//! Sums and products that have a meaning.

use std::iter::Sum;
use std::ops::{Add, AddAssign, Div, Mul, Sub, SubAssign};

use super::{Bytes, BytesPerSecond, Seconds, SecondsPerByte};

/// Adding, scaling and comparing quantities of one kind.
macro_rules! linear {
    ($($type:ident),*) => {$(
        impl Add for $type {
            type Output = $type;
            fn add(self, other: $type) -> $type {
                $type(self.0 + other.0)
            }
        }

        impl Sub for $type {
            type Output = $type;
            fn sub(self, other: $type) -> $type {
                $type(self.0 - other.0)
            }
        }

        impl AddAssign for $type {
            fn add_assign(&mut self, other: $type) {
                self.0 += other.0;
            }
        }

        impl SubAssign for $type {
            fn sub_assign(&mut self, other: $type) {
                self.0 -= other.0;
            }
        }

        impl Mul<f64> for $type {
            type Output = $type;
            fn mul(self, factor: f64) -> $type {
                $type(self.0 * factor)
            }
        }

        impl Mul<$type> for f64 {
            type Output = $type;
            fn mul(self, quantity: $type) -> $type {
                quantity * self
            }
        }

        impl Div<f64> for $type {
            type Output = $type;
            fn div(self, divisor: f64) -> $type {
                $type(self.0 / divisor)
            }
        }

        impl Div for $type {
            type Output = f64;
            fn div(self, other: $type) -> f64 {
                self.0 / other.0
            }
        }

        impl Sum for $type {
            fn sum<I: Iterator<Item = $type>>(all: I) -> $type {
                all.fold($type(0.0), Add::add)
            }
        }
    )*};
}

linear!(Seconds, BytesPerSecond, SecondsPerByte);

impl Add for Bytes {
    type Output = Bytes;
    fn add(self, other: Bytes) -> Bytes {
        Bytes(self.0 + other.0)
    }
}

impl AddAssign for Bytes {
    fn add_assign(&mut self, other: Bytes) {
        self.0 += other.0;
    }
}

impl Mul<u64> for Bytes {
    type Output = Bytes;
    fn mul(self, factor: u64) -> Bytes {
        Bytes(self.0 * factor)
    }
}

impl Sum for Bytes {
    fn sum<I: Iterator<Item = Bytes>>(all: I) -> Bytes {
        all.fold(Bytes(0), Add::add)
    }
}

impl Mul<Bytes> for SecondsPerByte {
    type Output = Seconds;
    fn mul(self, size: Bytes) -> Seconds {
        Seconds(self.0 * size.0 as f64)
    }
}

impl Mul<SecondsPerByte> for Bytes {
    type Output = Seconds;
    fn mul(self, cost: SecondsPerByte) -> Seconds {
        cost * self
    }
}

impl Div<BytesPerSecond> for Bytes {
    type Output = Seconds;
    fn div(self, rate: BytesPerSecond) -> Seconds {
        Seconds(self.0 as f64 / rate.0)
    }
}

impl Div<Seconds> for Bytes {
    type Output = BytesPerSecond;
    fn div(self, time: Seconds) -> BytesPerSecond {
        BytesPerSecond(self.0 as f64 / time.0)
    }
}

impl Div<Bytes> for Seconds {
    type Output = SecondsPerByte;
    fn div(self, size: Bytes) -> SecondsPerByte {
        SecondsPerByte(self.0 / size.0 as f64)
    }
}

/// The reciprocal; a rate of 0 gives an infinite cost.
impl From<BytesPerSecond> for SecondsPerByte {
    fn from(rate: BytesPerSecond) -> Self {
        SecondsPerByte(rate.0.recip())
    }
}

/// The reciprocal; a cost of 0 gives an infinite rate.
impl From<SecondsPerByte> for BytesPerSecond {
    fn from(cost: SecondsPerByte) -> Self {
        BytesPerSecond(cost.0.recip())
    }
}
