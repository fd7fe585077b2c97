//! A format as data: its declaration, its level table, and what follows from them about order and balance.

pub(crate) mod balance;
mod column;
mod encoding;
mod invariant;
mod kind;
mod lengths;
mod level;
pub(crate) mod order;

pub use column::count_coordinates;
pub(crate) use column::only_dim;
pub use encoding::{Array, Atom, Encoded, Encoding, Form, LevelForm, LevelStorage, Order, Query, QueryKind, Storage};
pub(crate) use invariant::{below_invariant, invariant_entries};
pub use kind::Kind;
pub(crate) use lengths::{lengths, lengths_to};
pub use level::{Level, LevelArrays, Tree};
