//! The language implemented a second time: an interpreter written from the definitions, and random declarations.

pub mod generator;
pub mod interpreter;
pub mod sources;
