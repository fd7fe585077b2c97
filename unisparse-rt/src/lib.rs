//! Run time of `unisparse`: elements, levels, assembly, streams, input and output.
//!
//! Use the `unisparse` crate; this one holds the algorithms that generated code calls.

mod algebra;
mod array;
mod convert;
#[cfg(feature = "cuda")]
pub mod cuda;
mod describe;
mod element;
mod error;
mod file;
mod format;
#[cfg(feature = "hls")]
pub mod hls;
mod hybrid;
pub mod io;
mod kernel;
mod limit;
mod machine;
mod model;
mod names;
#[cfg(feature = "pim")]
pub mod pim;
pub mod plan;
mod ranking;
mod refill;
mod report;
#[cfg(feature = "serde")]
mod serial;
mod show;
mod source;
mod tensor;
#[cfg(test)]
mod tests;
mod triplets;
mod tune;
mod validate;
mod words;

pub use algebra::{MatrixOperations, Operations};
pub use describe::{Describe, Explain, Spy};
pub use element::{
    Accumulator, Bits, FromFloat, FromInteger, Index, Magnitude, Narrow, Negate, Ordered, Padding, Pattern, Scalar,
    Stored,
};
pub use error::{Error, ErrorKind};
pub use format::{Encoded, Encoding};
pub use kernel::dense::{Dense, DenseMut};
pub use kernel::set_reproducible;
pub use limit::Limit;
pub use model::{Advice, Calibration, Estimate, calibrate};
pub use num_complex::{Complex, Complex32, Complex64};
pub use plan::{Plan, plan};
pub use ranking::{Advisor, Ranking};
pub use report::{Progress, observe};
pub use source::{Duplicates, Source, Target, ValueOf};
pub use tensor::SparseTensor;
pub use triplets::{Triplets, TripletsView};
pub use tune::{LinearOperator, Trial, Tuned, Use};
pub use words::{Word, WordField, WordParts};

#[cfg(feature = "half")]
pub use half::{bf16, f16};

/// What generated code calls. Exempt from semantic versioning.
#[doc(hidden)]
pub mod private {
    pub use crate::algebra::{Addend, Factor, MatrixFactor, Subtrahend, negated, operate, scaled};
    pub use crate::array::ranges::{span, span_signed, strided, strided_signed, window, window_ahead, window_mut};
    pub use crate::array::stream::{Blocks, Column, Positions, Tail, cells, entries, within};
    pub use crate::array::{Domain, First, Indices, Packed, Pointers, check_shape, coordinate_within};
    pub use crate::convert::assemble::by_dims::for_each_once;
    pub use crate::convert::assemble::{Assembly, Coded};
    pub use crate::convert::mutate::{Mutation, compressed, reaches};
    pub use crate::convert::partition::{
        Cut, belong, join_counts, join_entries, join_pointers, join_sizes, nodes, same_shape,
    };
    pub use crate::convert::query::{Absent, Queries, Tables, compare};
    pub use crate::describe::Picture;
    pub use crate::describe::{Describe, Explain};
    pub use crate::element::{check_coordinates, keeping_holes};
    pub use crate::error::in_kernel;
    pub use crate::file::Draft;
    pub use crate::format::balance::{balanced, borders, roots};
    pub use crate::format::order::{Relation, relate, relate_dims};
    pub use crate::format::{
        Array, Atom, Encoded, Encoding, Form, Kind, Level, LevelArrays, LevelForm, LevelStorage, Order, Query,
        QueryKind, Storage, Tree, count_coordinates,
    };
    pub use crate::hybrid::{Disjoint, Exactly, Numbered, Part, PartOf, Split};
    pub use crate::kernel::extents::{Operand, extents};
    pub use crate::kernel::{
        Fiber, Fibers, Finder, InLoopOrder, Loop, MergeCursor, Scattered, TILE, Workspace, ascending, built, cast,
        child, digit, divided, each, either, even_borders, floats, in_format, integers, intersect, loop_order, owned,
        same, same_format, shared, steps, tile_part, tiles, transpose_back, transposed_copy, transposed_output, union,
        union3, union4, workspace_keys,
    };
    pub use crate::machine::simd::{Registers, multiversioned, multiversioned_wide};
    pub use crate::model::Profile;
    pub use crate::model::estimate::{Counting, Tally};
    pub use crate::names::short_type_name;
    pub use crate::report::conversion;
    pub use crate::show::display;
    pub use crate::source::Partitioned;
    pub use crate::source::lend::Arrays;
    pub use crate::source::{Elements, Within, equal, same_elements};
    pub use crate::tensor::{FreeValues, drop_zeros};
    pub use crate::tune::{Candidate, Search};
    pub use crate::validate::{check, check_part};
    pub use crate::words::{check_value_bits, check_words, column, values, visit, words};

    /// Hints for what is read and written next.
    pub mod prefetch {
        pub use crate::machine::prefetch::{FAR, distance, read, row, write};
    }

    /// Tensors in the formats of `serde`.
    #[cfg(feature = "serde")]
    pub mod serde {
        pub use crate::serial::{Item, Items, Tuples, deserialize, layout, serialize};
        pub use ::serde::de::Error;
        pub use ::serde::{Deserialize, Deserializer, Serialize, Serializer};
    }

    /// Kernels as programs of cores.
    #[cfg(feature = "pim")]
    pub mod pim {
        pub use crate::pim::program::{
            Array, Condition, Expr, Kernel, Lvalue, Operand, OperandKind, Reduction, Segment, Stmt, TupleArray, Value,
        };
    }

    /// Tensors and kernels on a device.
    #[cfg(feature = "cuda")]
    pub mod cuda {
        pub use crate::cuda::{
            Address, Argument, Arguments, Driver, Function, Handle, Properties, Summand, Summands, Visitor, WIDE_FROM,
            compile, reduce, run, sparse,
        };
    }

    /// Kernels for high-level synthesis.
    #[cfg(feature = "hls")]
    pub mod hls {
        pub use crate::hls::{Call, Function, OfFormats, Port, Summand, Summands, Trips, TripsOf};
        pub use crate::kernel::in_one_piece;
    }

    /// Kernels as functions of C.
    pub mod c {
        pub use crate::kernel::c::{
            Allocation, Count, Function, Kernels, Launch, Member, MemberKind, OfFormats, Parameter, ParameterKind,
            Terms, When, Work,
        };
    }
}
