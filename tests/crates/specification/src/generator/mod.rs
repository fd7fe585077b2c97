//! Random declarations as text, legal ones and illegal ones. The same seed gives the same text everywhere.

mod expressions;
mod illegal;
mod jagged;
mod legal;
mod queries;
mod random;

use queries::Query;

pub use illegal::illegal;
pub use legal::legal;
pub use random::Random;

/// The features that a legal declaration may use.
#[derive(Clone, Copy, Debug)]
pub struct Features {
    pub queries: bool,
    /// `pack` and `partition`.
    pub layout: bool,
}

impl Features {
    pub const DIRECT: Features = Features {
        queries: false,
        layout: false,
    };
    pub const ALL: Features = Features {
        queries: true,
        layout: true,
    };
}

/// A declaration, and the parts of its type's name.
#[derive(Clone, Debug)]
pub struct Declaration {
    pub text: String,
    pub dims: usize,
    pub levels: usize,
    /// The number of const parameters.
    pub parameters: usize,
}

/// The seeds of a declaration.
#[derive(Clone, Copy, Debug)]
pub struct Seed {
    /// The seed of the index map and its queries.
    pub map: u64,
    /// The seed of the primitives: formats of one map that differ in primitives are converted by operators on levels.
    pub primitives: u64,
}

impl From<u64> for Seed {
    fn from(seed: u64) -> Self {
        Seed {
            map: seed,
            primitives: seed,
        }
    }
}

const DIMS: [&str; 5] = ["i", "j", "k", "l", "m"];
const PARAMETERS: [(&str, usize); 2] = [("P", 2), ("Q", 3)];

struct Level {
    name: Option<String>,
    text: String,
    indirect: bool,
    /// The level may be negative, and its domain is measured.
    must_trim: bool,
    padding: bool,
    /// A padded level may be below another level, too.
    deep: bool,
}

struct Generator {
    random: Random,
    dims: usize,
    queries: Vec<Query>,
}
