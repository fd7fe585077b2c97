//! Finds the format in which a matrix is multiplied fastest, within the time that this saves.

mod operator;
mod sample;
mod search;
mod stopwatch;
mod trial;
mod tuned;
mod wanted;

pub use operator::Operator;
pub use search::{Candidate, Search};
pub use trial::Trial;
pub use tuned::Tuned;
pub use wanted::Use;
