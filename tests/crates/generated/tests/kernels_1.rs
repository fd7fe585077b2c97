//! A quarter of the generated kernels: one crate of all of them takes much memory to compile.

mod kernels;
