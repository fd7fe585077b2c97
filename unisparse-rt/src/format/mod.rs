//! A format as data: its declaration, its level table, and what follows from them about order and balance.

pub(crate) mod balance;
pub(crate) mod encoding;
pub(crate) mod level;
pub(crate) mod order;

pub use encoding::{Array, Atom, Encoded, Encoding, Form, LevelForm, LevelStorage, Order, Query, QueryKind, Storage};
pub(crate) use level::IndexArray;
pub use level::{Domain, Kind, Level, LevelArrays, Tree, check_shape};
