//! Bugs of other sparse systems as tests of this one: each case has the public address of the report, the wrong behaviour
//! there, and the correct result.
//!
//! There are 59 cases. Two have no test, because the language does not express them:
//!
//! | case | what is missing |
//! |---|---|
//! | `llvm-61793`, <https://github.com/llvm/llvm-project/issues/61793>: `o[i] = A[0, i]` | a number as an index |
//! | `finch-61`, <https://github.com/finch-tensor/Finch.jl/blob/main/test/suites/issue_tests.jl>: `B[i] = A[I[i], i]` | an element of an operand as an index |
//!
//! These are written or answered differently from the report:
//!
//! | case | what is missing | how it is written here |
//! |---|---|---|
//! | `taco_215`, `taco_7` | a term without all indices of the output | times a vector of ones |
//! | `taco_27`, `taco_280` | a statement without a sparse operand | the copy `y[i] = d[i]` is made by the caller, and added in one statement |
//! | `finch_53` | a choice between two values by whether an element is stored | `4 * x[i] - u[i]` instead of 3 or -1 |
//! | `finch_101` | a call of which one argument is not stored | `min(x, a)` is half of `x + a - abs(x - a)` |
//! | `finch_134`, `finch_291_lt`, `_le`, `_gt`, `_ge`, `_eq`, `_ne` | a comparison of indices as a mask | a mask that stores the coordinates where it holds |
//! | `finch_358` | sums into a sparse output that is there already | sums of two operands; sums into a dense output |
//! | `pydata_607` | a number as an index | times a vector that selects the row |
//! | `torch_85169` | sampling by structure alone | times the sampling matrix, whose elements are one |
//! | `scipy_23055`, `scipy_14551`, `pydata_861` | arrays from outside that need cutting, sorting or summing | they are refused with an error; the elements are read as triplets |

mod elementwise;
mod finch;
mod formats;
mod imports;
mod products;
mod taco;
mod taco_products;

use unisparse::{Scalar, Source};

/// Returns the stored elements that are not zero, in logical order.
fn nonzeros<T: Scalar, const N: usize>(tensor: &impl Source<N, Scalar = T>) -> Vec<([usize; N], T)> {
    let mut elements = Vec::new();
    tensor.for_each(|at, value| {
        if value != T::ZERO {
            elements.push((at, value));
        }
    });
    elements.sort_by_key(|&(at, _)| at);
    elements
}

/// Returns the nonzero elements of a row-major array of two dims.
fn of_dense<T: Scalar>(cols: usize, dense: &[T]) -> Vec<([usize; 2], T)> {
    let elements = dense
        .iter()
        .enumerate()
        .map(|(at, &value)| ([at / cols, at % cols], value));
    elements.filter(|&(_, value)| value != T::ZERO).collect()
}

/// Whether two numbers differ only by rounding.
fn is_close(found: f64, expected: f64) -> bool {
    (found - expected).abs() <= 1e-12 * expected.abs()
}
