//! What the tests share: oracles that are independent of the code under test.
#![allow(dead_code, unused_macros, unused_imports, unreachable_pub)]

pub mod cover;
pub mod data;
pub mod formats;
pub mod parts;
pub mod random;
pub mod reference;
pub mod sample;
pub mod semiring;
pub mod specified;

pub use parts::{Call, Parts};
pub use random::Random;
pub use reference::{Reference, Value};
pub use semiring::MinPlus;
pub use specified::{LevelArrays, Specified};
