//! The arrays of a level, checked once, and the streams that loops read them through.

mod domain;
mod filled;
mod first;
mod index_array;
mod indices;
#[cfg(any(feature = "cuda", feature = "hls", feature = "pim"))]
mod interleaved;
pub(crate) mod nonempty;
mod packed;
mod pointers;
pub(crate) mod ranges;
mod search;
mod slice;
pub(crate) mod stream;
mod tuple;

pub use domain::{Domain, check_shape, coordinate_within};
pub(crate) use filled::{Filled, Misfit, fit, record};
pub use first::First;
pub(crate) use index_array::{IndexArray, count_each};
pub use indices::Indices;
pub(crate) use indices::narrow_index;
#[cfg(feature = "pim")]
pub(crate) use interleaved::members;
#[cfg(any(feature = "cuda", feature = "hls"))]
pub(crate) use interleaved::{interleaved, longest};
pub use packed::Packed;
pub(crate) use packed::PackedRows;
pub use pointers::Pointers;
pub(crate) use pointers::{Parents, narrow_pointer};
pub(crate) use search::first_where;
pub(crate) use slice::Slice;
pub(crate) use tuple::Field;
