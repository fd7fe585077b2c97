//! Functions that the loops of compiled kernels call.

pub(crate) mod c;
mod call;
mod chunks;
mod copies;
pub(crate) mod dense;
pub(crate) mod extents;
mod fiber_index;
mod fibers;
mod find;
mod hash;
mod in_format;
mod key_order;
mod keys;
mod loop_order;
mod merge;
mod optional;
mod scattered;
mod threads;
mod tiles;
mod transposed_copy;
mod workspace;

pub use call::{cast, floats, integers, same};
#[cfg(feature = "hls")]
pub use chunks::in_one_piece;
pub use chunks::{even_borders, set_reproducible};
pub use fibers::{Fibers, InLoopOrder};
pub use find::Finder;
pub use in_format::{in_format, same_format};
pub use loop_order::loop_order;
pub use merge::{MergeCursor, intersect, union, union3, union4};
pub use optional::{child, digit, either};
pub use scattered::Scattered;
pub use threads::{Loop, ascending, built, divided, each, owned, shared};
pub use tiles::{TILE, steps, tile_part, tiles};
pub use transposed_copy::{transpose_back, transposed_copy, transposed_output};
pub use workspace::{Fiber, Workspace, workspace_keys};
