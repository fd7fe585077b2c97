//! The language a second time: an interpreter written from the definitions, and declarations made up at random.

pub mod generator;
pub mod interpreter;
pub mod sources;
