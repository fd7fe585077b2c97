//! Kernels for high-level synthesis: a folder that a tool turns into hardware, and that a C++ compiler simulates.
//!
//! A kernel with `#[target(hls)]` has a second function, such as `spmv_hls`, which returns a [`Project`]. docs/HLS.md has the
//! mapping, the files and the tools.

mod call;
mod design;
mod element;
mod files;
mod function;
mod project;
mod tensor;

pub use crate::describe::chart;
#[doc(hidden)]
pub use call::Call;
pub use design::{Cycles, Design, Packed, Parameters, Violation, WordPosition};
pub use element::Element;
#[doc(hidden)]
pub use function::{Function, OfFormats, Port, Trips, TripsOf};
pub use project::Project;
#[doc(hidden)]
pub use tensor::Summand;
pub use tensor::Summands;

/// The headers that kernels include, by name: `unisparse_hls.h` goes beside the vendor's headers, too, the others stand for
/// them in a simulation by a C++ compiler alone.
pub const HEADERS: [(&str, &str); 4] = [
    ("unisparse_hls.h", include_str!("shim/unisparse_hls.h")),
    ("unisparse_tasks.h", include_str!("shim/unisparse_tasks.h")),
    ("ap_int.h", include_str!("shim/ap_int.h")),
    ("hls_stream.h", include_str!("shim/hls_stream.h")),
];
