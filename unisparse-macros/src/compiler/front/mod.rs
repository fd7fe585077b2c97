//! The expansions of the macros: each statement is parsed, checked and printed. A statement that needs declarations
//! from elsewhere has two halves: the first requests them from their carriers, the second is called with the answers.

mod convert;
mod device;
mod format;
mod hardware;
mod hybrid;
mod invocation;
mod join;
mod kernel;
mod request;
pub(crate) mod stock;
mod stub;
mod text;

pub(crate) use convert::convert_resume;
pub(crate) use format::sparse_format;
pub(crate) use hybrid::hybrid_resume;
pub(crate) use join::kernel_join;
pub(crate) use kernel::{kernel_resume, sparse_kernel};
pub(crate) use stock::stock_kernels;
pub(crate) use text::{kernel_text, kernel_text_join, kernel_text_resume};
