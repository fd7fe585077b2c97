//! Arrays and results of other libraries and systems.

#[path = "../../../../common/mod.rs"]
mod common;

mod arrays;
mod golden;
mod golden_queries;
mod peers;
mod pictures;
mod real;
