//! The numbers of a model that take most room.

use std::ops::{Deref, Range};
use std::sync::Arc;

use forerun_mapped::Mapped;

use super::format;

/// Numbers that were computed or read, or that lie in the model's file and are shared with all who have it open.
#[derive(Debug)]
pub(crate) enum Numbers {
    Own(Vec<f32>),
    InFile(Arc<Mapped>, Range<usize>),
}

impl Numbers {
    /// Those at these bytes of a file; read from it where the machine has numbers otherwise. `None` if they are no
    /// numbers.
    pub(super) fn of(file: &Arc<Mapped>, range: Range<usize>) -> Option<Numbers> {
        let bytes = file.get(range.clone())?;
        if cfg!(target_endian = "little") && bytemuck::try_cast_slice::<u8, f32>(bytes).is_ok() {
            return Some(Numbers::InFile(file.clone(), range));
        }
        Numbers::read(bytes)
    }

    /// Those that these bytes are.
    pub(super) fn read(bytes: &[u8]) -> Option<Numbers> {
        format::unpack_numbers(bytes, f32::from_le_bytes).map(Numbers::Own)
    }
}

impl Deref for Numbers {
    type Target = [f32];

    fn deref(&self) -> &[f32] {
        match self {
            Numbers::Own(numbers) => numbers,
            // Checked when this was made.
            Numbers::InFile(file, range) => bytemuck::cast_slice(&file[range.clone()]),
        }
    }
}
