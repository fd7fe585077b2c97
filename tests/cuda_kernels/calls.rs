//! Calls of kernels of CUDA: their texts, arguments and expected results.

use std::collections::{BTreeMap, BTreeSet};
use unisparse::__private::c::{Function, Kernels};

use unisparse::SparseTensor;

use crate::data::{Element, Input, to_dense, to_sparse};
use crate::program::{self, Call, Options};
use crate::sample::sample_by;

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

/// Returns one file of all kernels.
pub(crate) fn texts(calls: &[Call]) -> String {
    let preludes: BTreeSet<&str> = calls.iter().map(|call| call.kernels.prelude).collect();
    let texts: BTreeMap<&str, &str> = calls
        .iter()
        .map(|call| (call.kernels.name, call.kernels.text))
        .collect();
    preludes.into_iter().chain(texts.into_values()).collect()
}

/// The text of kernels as that of one function, whose operands are described in the same way.
pub(crate) fn function_of(kernels: &Kernels) -> Function {
    Function {
        name: kernels.name,
        prelude: "",
        text: kernels.text,
        parameters: kernels.parameters,
    }
}

/// A call whose output is dense or a scalar, with the contents before and after, for elements of another type.
pub(crate) fn call<T: Element>(
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
pub(crate) fn call_sparse<F: SparseTensor<N, Scalar = f64>, const N: usize>(
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

pub(crate) fn options(lanes: usize, wide: bool) -> Options {
    Options {
        lanes,
        wide,
        races: false,
    }
}

/// Returns the calls of the kernel with number `first`, and of others `every` apart; of all kernels in the tests that run at night.
pub(crate) fn some(calls: Vec<Call>, first: usize, every: usize) -> Vec<Call> {
    sample_by(calls, first, every, |call| call.kernels.name)
}

pub(crate) fn check(name: &str, calls: &[Call], options: Options) {
    if let Some(different) = program::run(name, calls, options) {
        let first = &different[..different.len().min(12)];
        assert!(different.is_empty(), "{name}: {} differ: {first:#?}", different.len());
        println!("{name}: {} calls", calls.len());
    }
}
