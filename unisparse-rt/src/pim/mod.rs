//! Models of devices that process in memory: a core in each bank of a memory, with the part of a tensor that the bank holds.
//!
//! A partitioned format says which elements each core has. [`run`](run()) executes the program that the compiler made of a kernel
//! over one part, core by core: it computes the output, counts the instructions, and passes each access to the model of the
//! memory. Times are modelled; ratios between formats on one [`Device`] are what the model is for. docs/PIM.md has each
//! term of it.

mod bank;
mod capacity;
mod core;
mod count;
mod device;
mod elements;
mod evaluate;
mod memory;
mod prepared;
pub(crate) mod program;
mod report;
mod run;
mod time;
mod trace;
mod written;

pub use crate::describe::chart;
pub use capacity::{Capacity, capacity};
pub use device::{Core, Counts, Device, Dma, Dram, Opcode};
pub use memory::{Access, Memory};
pub use program::Kernel;
pub use report::{CoreReport, Report, Roofline, lower_bound};
pub use run::{Run, accesses, run};
pub use trace::Trace;
