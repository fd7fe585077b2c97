//! The arrays of a level, checked once, and the streams that loops read them through.

pub(crate) mod indices;
pub(crate) mod nonempty;
pub(crate) mod packed;
pub(crate) mod ranges;
pub(crate) mod stream;

pub use indices::{Indices, Pointers};
pub(crate) use indices::{Parents, narrow_index, narrow_pointer};
pub use packed::Packed;
pub(crate) use packed::{Field, Rows};
