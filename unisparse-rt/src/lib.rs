//! Run time of `unisparse`: elements, levels, assembly, streams, input and output.
//!
//! Use the `unisparse` crate; this one holds the algorithms that generated code calls.

mod advise;
mod assemble;
mod balance;
mod bounds;
mod c;
mod dense;
mod elements;
mod encoding;
mod error;
mod estimate;
mod explain;
mod extents;
mod hybrid;
mod index;
pub mod io;
mod kernel;
mod level;
mod limit;
mod mutate;
mod names;
mod nonempty;
mod order;
mod packed;
mod pages;
mod parallel;
mod partition;
pub mod plan;
mod prefetch;
mod query;
mod radix;
mod ranges;
mod report;
mod scalar;
mod scatter;
mod simd;
mod storage;
mod stream;
mod svg;
mod tensor;
#[cfg(test)]
mod tests;
mod triplets;
mod validate;

pub use advise::{Advice, Advisor, Ranking};
pub use dense::{Dense, DenseMut};
pub use encoding::{Encoded, Encoding};
pub use error::{Error, ErrorKind};
pub use estimate::Estimate;
pub use explain::{Describe, Explain};
pub use index::Index;
pub use kernel::set_reproducible;
pub use limit::Limit;
pub use num_complex::{Complex, Complex32, Complex64};
pub use plan::{Plan, plan};
pub use report::{Progress, observe};
pub use scalar::{Accumulator, FromFloat, FromInteger, Narrow, Negate, Ordered, Padding, Pattern, Scalar, Stored};
pub use tensor::{Source, SparseTensor, ValueOf};
pub use triplets::{Duplicates, Triplets, TripletsView};

#[cfg(feature = "half")]
pub use half::{bf16, f16};

/// What generated code calls. Exempt from semantic versioning.
#[doc(hidden)]
pub mod private {
    pub use crate::advise::Profile;
    pub use crate::assemble::Assembly;
    pub use crate::balance::{balanced, borders, roots};
    pub use crate::elements::{Elements, equal};
    pub use crate::encoding::{
        Array, Atom, Encoded, Encoding, Form, LevelForm, LevelStorage, Order, Query, QueryKind, Storage,
    };
    pub use crate::error::in_kernel;
    pub use crate::estimate::{Counting, Tally};
    pub use crate::explain::{Describe, Explain};
    pub use crate::extents::{Operand, extents};
    pub use crate::hybrid::{Disjoint, Exactly, Numbered, Part, PartOf, Split, same_elements};
    pub use crate::kernel::{
        Fiber, Fibers, Finder, InLoopOrder, Loop, LoopOrder, MergeCursor, Scattered, TILE, Workspace, ascending, cast,
        child, digit, divided, each, either, even_borders, floats, integers, intersect, owned, same, shared, steps,
        tile_part, tiles, transpose_back, transposed_copy, transposed_output, union, union3, union4, workspace_keys,
    };
    pub use crate::level::{Domain, Kind, Level, LevelArrays, Tree, check_shape};
    pub use crate::mutate::{Arrays, Mutation, reaches};
    pub use crate::names::short_type_name;
    pub use crate::order::{Relation, relate, relate_dims};
    pub use crate::packed::Packed;
    pub use crate::partition::{Cut, belong, join_counts, join_entries, join_pointers, join_sizes, nodes, same_shape};
    pub use crate::query::{Absent, Queries, Tables, compare};
    pub use crate::ranges::{span, span_signed, strided, strided_signed, window, window_ahead, window_mut};
    pub use crate::report::conversion;
    pub use crate::scalar::{check_coordinates, keeping_holes};
    pub use crate::simd::multiversioned;
    pub use crate::storage::{Indices, Pointers};
    pub use crate::stream::{Blocks, Column, Positions, cells, entries, within};
    pub use crate::svg::Picture;
    pub use crate::tensor::{FreeValues, drop_zeros};
    pub use crate::validate::{check, check_part};

    /// Hints for what is read and written next.
    pub mod prefetch {
        pub use crate::prefetch::{FAR, distance, read, row, write};
    }

    /// Kernels as functions of C.
    pub mod c {
        pub use crate::c::{Function, Member, MemberKind, Parameter, ParameterKind};
    }
}
