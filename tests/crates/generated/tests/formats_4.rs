//! A quarter of the generated formats: one crate of all of them takes much memory to compile.

mod formats;
