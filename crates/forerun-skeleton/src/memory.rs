//! Memory for what others say the size of: where there is none, that is an error, and not the end of the process.

use std::hint::black_box;

use bytemuck::Zeroable;
use forerun_platform::Bytes;

use crate::AppError;

/// Bytes from which on it is tried.
const LARGE: usize = 1 << 20;

/// `count` zeroes. That there is memory for them is tried before they are taken, so that pages which the system has empty are not
/// written: where threads take the last of it at once, one of them may still end the process.
///
/// Cost: some microseconds, and no page is touched.
///
/// # Errors
/// That there is no memory for so many.
///
/// ```
/// use forerun_skeleton::memory::zeroed;
/// assert_eq!(zeroed::<u16>(3)?, [0, 0, 0]);
/// assert!(zeroed::<u64>(usize::MAX / 8).is_err());
/// # Ok::<(), forerun_skeleton::AppError>(())
/// ```
pub fn zeroed<T: Zeroable + Clone>(count: usize) -> Result<Vec<T>, AppError> {
    check::<T>(count)?;
    Ok(vec![T::zeroed(); count])
}

/// That there is memory for `count` values, which somebody else is about to take.
///
/// # Errors
/// That there is not.
pub fn check<T>(count: usize) -> Result<(), AppError> {
    if count.saturating_mul(size_of::<T>()) >= LARGE {
        // Looked at, so that a compiler does not leave out what nobody uses.
        drop(black_box(room::<T>(count)?));
    }
    Ok(())
}

/// An empty vector with room for `count` values.
///
/// # Errors
/// That there is no memory for so many.
pub fn room<T>(count: usize) -> Result<Vec<T>, AppError> {
    let mut empty = Vec::new();
    reserve(&mut empty, count)?;
    Ok(empty)
}

/// Makes room for `count` values more.
///
/// # Errors
/// That there is no memory for so many.
pub fn reserve<T>(values: &mut Vec<T>, count: usize) -> Result<(), AppError> {
    values.try_reserve_exact(count).map_err(|_| none_for::<T>(count))
}

fn none_for<T>(count: usize) -> AppError {
    let bytes = Bytes((count as u64).saturating_mul(size_of::<T>() as u64));
    AppError::new(format!("there is no memory for {bytes} more"))
}
