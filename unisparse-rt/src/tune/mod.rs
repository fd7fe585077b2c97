//! Finds the format in which a matrix is multiplied fastest, within the time that this saves.

mod linear_operator;
mod sample;
mod search;
mod stopwatch;
mod trial;
mod tuned;
mod wanted;

pub use linear_operator::LinearOperator;
pub use search::{Candidate, Search};
pub use trial::Trial;
pub use tuned::Tuned;
pub use wanted::Use;
