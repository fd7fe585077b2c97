//! What the loops of compiled kernels call.

mod call;
mod find;
mod keys;
mod merge;
mod optional;
mod workspace;

pub use call::{cast, same};
pub use find::Finder;
pub use merge::{Leg, intersect, union, union3, union4};
pub use optional::{child, digit, either};
pub use workspace::Workspace;
