//! Statements of kernels, over tensors, triplets and dense operands of many types.

#[path = "../common/mod.rs"]
mod common;

mod batch_first;
mod broadcast;
mod divided;
mod fibers;
mod generic;
mod graphs;
mod numbers;
mod reads;
mod scans;
mod statements;
// Over the real tensors of the test data.
#[cfg(every_product)]
mod tensor_algebra;
pub mod tensor_kernels;
