//! The compiler, from tokens to tokens, with one module per stage. `front` runs the stages. The compiler does not use
//! `proc_macro`.

mod algebra;
#[cfg(test)]
mod brute;
#[cfg(test)]
mod compiled;
mod diagnostics;
mod emit;
mod encoding;
mod example;
mod front;
#[cfg(test)]
mod generated;
#[cfg(test)]
mod golden;
mod kernel;
mod loops;
mod lower;
mod operand;
mod storage;
mod syntax;
mod transport;
mod traversal;

pub(crate) use front::{
    convert_resume, hybrid_resume, kernel_join, kernel_resume, kernel_text, kernel_text_join, kernel_text_resume,
    sparse_format, sparse_kernel, stock_kernels,
};
