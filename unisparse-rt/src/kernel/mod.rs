//! Functions that the loops of compiled kernels call.

mod call;
mod fibers;
mod find;
mod hash;
mod heads;
mod keys;
mod merge;
mod optional;
mod pieces;
mod rising;
mod scattered;
mod threads;
mod tiles;
mod turned;
mod workspace;

pub use call::{cast, floats, integers, same};
pub use fibers::{Fibers, InLoopOrder, LoopOrder};
pub use find::Finder;
pub use merge::{Leg, intersect, union, union3, union4};
pub use optional::{child, digit, either};
pub use pieces::{even_borders, set_reproducible};
pub use scattered::Scattered;
pub use threads::{Loop, ascending, divided, each, owned, shared};
pub use tiles::{TILE, steps, tile_part, tiles};
pub use turned::{turn_back, turned, turned_output};
pub use workspace::{Fiber, Workspace, workspace_keys};
