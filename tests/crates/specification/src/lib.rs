//! The language implemented a second time, written from its definitions: an interpreter, and random declarations and statements.
//!
//! It knows nothing of the compiler, whose tests compare with it.

pub mod generator;
pub mod interpreter;
pub mod statement;
