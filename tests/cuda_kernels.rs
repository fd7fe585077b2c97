//! Kernels as CUDA: over all stock formats, compiled with a stand-in for a device and run in three schedules, compared
//! with Rust bit for bit.
//!
//! All operands are small integers, so every sum is exact in every order and for every element type.

#[allow(dead_code, reason = "the tests of C use the rest")]
#[path = "c_kernels/data.rs"]
mod data;
#[path = "cuda_kernels/gate.rs"]
mod gate;
#[path = "cuda_kernels/host.rs"]
mod host;
#[path = "c_kernels/members.rs"]
mod members;
#[path = "cuda_kernels/program.rs"]
mod program;
#[allow(dead_code, unreachable_pub, reason = "other tests use the rest")]
#[path = "common/random.rs"]
mod random;
#[path = "c_kernels/results.rs"]
mod results;

use data::{Element, Input, to_dense, to_sparse};
use program::{Call, Options};
use skewed::{elements, numbers};
use unisparse::__private::c::{Allocation, Function, Kernels, Launch, When, Work};
use unisparse::prelude::*;

/// A kernel over one choice of formats, as kernels of CUDA.
macro_rules! kernels {
    ($element:ident impl $($kernel:ident)::+ for $($format:ident)::+ $(<$($constant:literal),*>)?;) => {
        unisparse::__private::__kernel_text! {
            {unisparse} device, $($kernel)::+, _: $($format)::+<$element $(, $($constant),*)?>
        }
    };
    ($element:ident impl $($kernel:ident)::+ for $($operand:ident: $format:ident $(<$($constant:literal),*>)?),+;) => {
        unisparse::__private::__kernel_text! {
            {unisparse} device, $($kernel)::+, $($operand: $format<$element $(, $($constant),*)?>),+
        }
    };
}

/// The arrays of a tensor, one for each part that loops run over.
macro_rules! sent {
    (plain, $tensor:expr, $of:expr) => {
        vec![Input::Tensor(vec![arrays_as($tensor, $of)])]
    };
    (cut, $tensor:expr, $of:expr) => {
        vec![Input::Tensor(
            $tensor
                .parts()
                .iter()
                .map(|part| arrays_as(part, $of))
                .collect::<Vec<Arrays>>(),
        )]
    };
    (hybrid, $tensor:expr, $of:expr) => {
        match $tensor {
            hybrid => {
                let (first, second) = hybrid.parts();
                vec![
                    Input::Tensor(vec![arrays_as(first, $of)]),
                    Input::Tensor(vec![arrays_as(second, $of)]),
                ]
            }
        }
    };
}

#[path = "cuda_kernels/faults.rs"]
mod faults;
#[path = "cuda_kernels/products.rs"]
mod products;
#[path = "cuda_kernels/shared.rs"]
mod shared;
#[allow(unreachable_pub, reason = "other tests use it")]
#[path = "common/skewed.rs"]
mod skewed;
#[path = "cuda_kernels/sparse.rs"]
mod sparse;
#[path = "cuda_kernels/statements.rs"]
mod statements;
#[path = "cuda_kernels/tables.rs"]
mod tables;

sparse_kernel! {
    pub fn sampled: D[i, j] = A[i, j] * P[i, k] * Q[k, j]
        where A: Coo | Csr | Csc | Dcsr | Dcsc | Dia | DiaVariant | Bcsr | Bcsc | Csb | Bdia | HiCoo | Ell | Sell | Jds | Bell
            | C2sr | Cisr | CisrPlus | Serpens | Dok | Lil | BdiaCsr | BellCoo;
    pub fn scattered: y[j] = A[i, j] * x[i]
        where A: Coo | Csr | Csc | Dcsr | Dcsc | Dia | DiaVariant | Bcsr | Bcsc | Csb | Bdia | HiCoo | Ell | Sell | Jds | Bell
            | C2sr | Cisr | CisrPlus | Serpens | Dok | Lil | BdiaCsr | BellCoo;
    pub fn relaxed: d[j] min= s[i] + A[i, j] where A: Csr | Bcsr | Csc | Coo | Dia;
    pub fn longest: t max= A[i, j] where A: Csr | Dia | Coo;
    pub fn frontier: next[j] |= front[i] & A[i, j] if !seen[j] where A: Csr | Ell | Coo;
    pub fn affine: y[i] = alpha * A[i, j] * x[j] + beta * z[i] where A: Csr | Cisr | Bcsr;
    pub fn dot: t = A[i, j] * B[i, j] where A: Csr | Cisr | BdiaCsr, B: Csr | Coo | Lil;
    pub fn both: D[i, j] = 2 * A[i, j] - B[i, j] where A: Csr | Csc | Dcsr, B: Csr | Coo;
    pub fn both_sparse: D[i, j] = A[i, j] + 2 * B[i, j] where A: Csr | Csc | Dcsr, B: Csr | Coo, D: Csr;
    pub fn product: C[i, j] = A[i, k] * B[k, j] where A: Csr | Csc | Bcsr | Coo, B: Csr | Dcsr | Bcsr, C: Csr;
    pub fn common: D[i, j] = A[i, j] * B[i, j] where A: Csr | Dcsr | Coo, B: Csr | Dia, D: Csr;
    pub fn sampled_sparse: S[i, j] = A[i, j] * P[i, k] * Q[k, j] where A: Csr | Coo | Sell | Cisr, S: Csr;
    pub fn contracted: C[i, l] = A[i, j, k] * B[j, l] where A: Csf, B: Csr, C: Csr;
    pub fn triangles: t = L[i, j] * L[j, k] * L[i, k] where L: Csr | Dok;
}

/// The extents of matrices with the number of columns of dense operands, and the percentage of stored elements.
const SHAPES: [([usize; 2], usize, usize); 7] = [
    ([0, 0], 0, 100),
    ([1, 1], 1, 100),
    ([5, 0], 2, 100),
    ([0, 5], 3, 100),
    ([13, 17], 3, 33),
    ([6, 7], 5, 0),
    ([40, 33], 150, 4),
];

/// The text of kernels as that of one function, whose operands are described in the same way.
fn function_of(kernels: &Kernels) -> Function {
    Function {
        name: kernels.name,
        prelude: "",
        text: kernels.text,
        parameters: kernels.parameters,
    }
}

/// A call whose output is dense or a scalar, with the contents before and after, for elements of another type.
fn call<T: Element>(
    kernels: Kernels,
    inputs: Vec<Input>,
    numbers: (&[usize], &[usize]),
    (before, after): (&[f64], &[f64]),
    of: fn(f64) -> T,
) -> Call {
    let [before, after] = [before, after].map(|numbers| numbers.iter().map(|&number| of(number)).collect::<Vec<T>>());
    Call {
        case: to_dense(function_of(&kernels), inputs, numbers, &before, &after),
        kernels,
    }
}

/// A call whose output is sparse, for elements of another type.
fn call_sparse<F: SparseTensor<N, Scalar = f64>, const N: usize>(
    kernels: Kernels,
    inputs: Vec<Input>,
    numbers: (&[usize], &[usize]),
    expected: &F,
) -> Call {
    Call {
        case: to_sparse(function_of(&kernels), inputs, numbers, expected),
        kernels,
    }
}

fn options(lanes: usize, wide: bool) -> Options {
    Options {
        lanes,
        wide,
        races: false,
    }
}

fn check(name: &str, calls: &[Call], options: Options) {
    if let Some(different) = program::run(name, calls, options) {
        let first = &different[..different.len().min(12)];
        assert!(different.is_empty(), "{name}: {} differ: {first:#?}", different.len());
        println!("{name}: {} calls", calls.len());
    }
}
