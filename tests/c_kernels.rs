//! Kernels as C: every stock kernel over the stock formats, and others, compiled by the system's compiler and compared
//! with Rust bit for bit.

#[path = "c_kernels/compiler.rs"]
mod compiler;
#[path = "c_kernels/data.rs"]
mod data;
#[path = "c_kernels/members.rs"]
mod members;
#[path = "c_kernels/program.rs"]
mod program;
#[path = "c_kernels/results.rs"]
mod results;
#[allow(dead_code, unreachable_pub, reason = "other tests use the rest")]
#[path = "common/sample.rs"]
mod sample;

use data::{Case, Input, arrays, dense, scalar, to_dense, to_sparse};
use sample::sample_by;
use unisparse::kernels::{add, hadamard, mttkrp, sddmm, spgemm, transpose, ttm, ttv};
use unisparse::prelude::*;

/// A kernel over one choice of formats as a function.
macro_rules! function {
    ($element:ident impl $($kernel:ident)::+ for $($format:ident)::+ $(<$($constant:literal),*>)?;) => {
        unisparse::__private::__kernel_text! {
            {unisparse} function, $($kernel)::+, _: $($format)::+<$element $(, $($constant),*)?>
        }
    };
    ($element:ident impl $($kernel:ident)::+ for $($operand:ident: $format:ident $(<$($constant:literal),*>)?),+;) => {
        unisparse::__private::__kernel_text! {
            {unisparse} function, $($kernel)::+, $($operand: $format<$element $(, $($constant),*)?>),+
        }
    };
}

/// The arrays of a tensor, one for each part that loops run over.
macro_rules! sent {
    (plain, $tensor:expr) => {
        vec![Input::Tensor(vec![arrays($tensor)])]
    };
    (cut, $tensor:expr) => {
        vec![Input::Tensor($tensor.parts().iter().map(arrays).collect())]
    };
    (hybrid, $tensor:expr) => {
        match $tensor {
            hybrid => {
                let (first, second) = hybrid.parts();
                vec![Input::Tensor(vec![arrays(first)]), Input::Tensor(vec![arrays(second)])]
            }
        }
    };
}

#[path = "c_kernels/elements.rs"]
mod elements;

const ROWS: usize = 13;
const COLS: usize = 17;
const RANKS: usize = 3;

/// Returns numbers with a fraction, so that sums in another order differ.
fn numbers(count: usize, seed: u64) -> Vec<f64> {
    let mut state = seed;
    let next = || {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        ((state >> 33) % 2001) as f64 / 7.0 - 140.0
    };
    std::iter::repeat_with(next).take(count).collect()
}

/// About a third of the elements; row 4 and column 5 are empty.
fn elements<const N: usize>(shape: [usize; N], seed: u64) -> Triplets<f64, N> {
    let mut triplets = Triplets::new(shape);
    let count = shape.iter().product();
    for (at, number) in numbers(count, seed).into_iter().enumerate() {
        let mut rest = at;
        let mut coordinate = [0; N];
        for dim in (0..N).rev() {
            coordinate[dim] = rest % shape[dim];
            rest /= shape[dim];
        }
        if number < -45.0 && coordinate[0] != 4 && coordinate[1] != 5 {
            triplets.push(coordinate, number).unwrap();
        }
    }
    triplets
}

/// Compiles and calls every third function from the `first` on, and all of them at night.
fn check(name: &str, cases: Vec<Case>, first: usize, functions: &str) {
    let cases = sample_by(cases, first, 3, |case| case.function.name);
    if let Some(different) = program::run(name, &cases, functions) {
        assert!(different.is_empty(), "{name}: {different:?}");
        println!("{name}: {} functions", cases.len());
    }
}

/// Calls a macro for each stock format of matrices, with its arrays, its name and its const parameters.
macro_rules! matrices {
    ($each:ident) => {
        $each!(plain Coo []);
        $each!(plain Csr []);
        $each!(plain Csc []);
        $each!(plain Dcsr []);
        $each!(plain Dcsc []);
        $each!(plain Dia []);
        $each!(plain DiaVariant []);
        $each!(plain Bcsr [2, 3]);
        $each!(plain Bcsc [3, 2]);
        $each!(plain Csb [4]);
        $each!(plain Bdia [4]);
        $each!(plain HiCoo [4]);
        $each!(plain Ell []);
        $each!(plain Sell [2, 4]);
        $each!(plain Jds []);
        $each!(plain Bell [4]);
        $each!(cut C2sr [2]);
        $each!(cut Cisr [3]);
        $each!(cut CisrPlus [2]);
        $each!(plain Serpens [4, 8, 3]);
        $each!(plain Dok []);
        $each!(plain Lil []);
        $each!(hybrid BdiaCsr [4]);
        $each!(hybrid BellCoo [4]);
    };
}

#[test]
fn products_with_dense_operands() {
    let mut cases = Vec::new();
    let (triplets, x, b) = (elements([ROWS, COLS], 1), numbers(COLS, 2), numbers(COLS * RANKS, 3));
    macro_rules! each {
        ($kind:ident $format:ident [$($constant:literal),*]) => {{
            let a: $format<f64, $($constant),*> = triplets.convert().unwrap();
            let constants: &[usize] = &[$($constant),*];
            let inputs = |other: &[f64]| {
                let mut inputs = sent!($kind, &a);
                inputs.push(dense(other));
                inputs
            };
            let mut y = vec![f64::NAN; ROWS];
            let before = y.clone();
            spmv(&mut y, &a, &x).unwrap();
            let function = function!(f64 impl unisparse::kernels::spmv for $format;);
            cases.push(to_dense(function, inputs(&x), (&[ROWS, COLS], constants), &before, &y));
            let mut c = vec![f64::NAN; ROWS * RANKS];
            let before = c.clone();
            spmm(&mut c, &a, &b).unwrap();
            let function = function!(f64 impl unisparse::kernels::spmm for $format;);
            cases.push(to_dense(function, inputs(&b), (&[ROWS, RANKS, COLS], constants), &before, &c));
        }};
    }
    matrices!(each);
    // The list is complete: all declared formats of matrices.
    let declared = include_str!("../src/formats.rs").lines().filter_map(|line| {
        let declared = line
            .trim()
            .strip_prefix("pub format ")
            .or(line.trim().strip_prefix("pub hybrid "))?;
        declared.split([' ', '<']).next()
    });
    for format in declared.filter(|format| !matches!(*format, "Csf" | "SparseVec")) {
        let name = format!("spmv_{}_f64", format.to_lowercase());
        assert!(cases.iter().any(|case| case.function.name == name), "{format}");
    }
    check("products", cases, 0, "");
}

#[test]
fn products_with_sparse_results() {
    let mut cases = Vec::new();
    let (triplets, p, q) = (
        elements([ROWS, COLS], 4),
        numbers(ROWS * RANKS, 5),
        numbers(RANKS * COLS, 6),
    );
    macro_rules! each {
        ($kind:ident $format:ident [$($constant:literal),*]) => {{
            let a: $format<f64, $($constant),*> = triplets.convert().unwrap();
            let constants: &[usize] = &[$($constant),*];
            let mut inputs = sent!($kind, &a);
            inputs.extend([dense(&p), dense(&q)]);
            let s: Coo<f64> = sddmm(&a, &p, &q).unwrap();
            let function = function!(f64 impl unisparse::kernels::sddmm for $format;);
            cases.push(to_sparse(function, inputs, (&[ROWS, COLS, RANKS], constants), &s));
            let b: Coo<f64> = transpose(&a).unwrap();
            let function = function!(f64 impl unisparse::kernels::transpose for $format;);
            cases.push(to_sparse(function, sent!($kind, &a), (&[COLS, ROWS], constants), &b));
        }};
    }
    matrices!(each);
    // Of formats without a product above, and others.
    check("sparse_results", cases, 1, "");
}

/// Calls a macro for each pair of formats for which the stock kernels of two operands are declared.
macro_rules! pairs {
    ($each:ident) => {
        #[cfg(every_product)]
        pairs!($each; Coo [], Csr [], Csc [], Dcsr [], Dcsc [], Bcsr [2, 3], Dia [], Ell []);
        // Each format on both sides, of which one is `Csr` or another.
        #[cfg(not(every_product))]
        {
            pairs!($each; Csr []; Coo [], Csr [], Csc [], Dcsr [], Dcsc [], Bcsr [3, 2], Dia [], Ell []);
            pairs!($each; Coo []; Dia []);
            pairs!($each; Csc []; Coo []);
            pairs!($each; Dcsr []; Csr [], Bcsr [3, 2]);
            pairs!($each; Dcsc []; Dcsc []);
            pairs!($each; Bcsr [2, 3]; Csr [], Bcsr [3, 2]);
            pairs!($each; Dia []; Ell []);
            pairs!($each; Ell []; Csc []);
        }
    };
    ($each:ident; $($left:ident $constants:tt),*) => {
        $(pairs!($each; $left $constants; Coo [], Csr [], Csc [], Dcsr [], Dcsc [], Bcsr [3, 2], Dia [], Ell []);)*
    };
    ($each:ident; $left:ident $constants:tt; $($right:ident $others:tt),*) => {
        $($each!($left $constants $right $others);)*
    };
}

#[test]
fn two_sparse_operands() {
    let mut cases = Vec::new();
    let (first, second, third) = (
        elements([ROWS, COLS], 7),
        elements([COLS, ROWS], 8),
        elements([ROWS, COLS], 9),
    );
    macro_rules! each {
        ($left:ident [$($constant:literal),*] $right:ident [$($other:literal),*]) => {{
            let a: $left<f64, $($constant),*> = first.convert().unwrap();
            let constants: &[usize] = &[$($constant,)* $($other),*];
            let b: $right<f64, $($other),*> = second.convert().unwrap();
            let mut inputs = sent!(plain, &a);
            inputs.extend(sent!(plain, &b));
            let c: Coo<f64> = spgemm(&a, &b).unwrap();
            let function = function!(f64 impl unisparse::kernels::spgemm for A: $left, B: $right;);
            cases.push(to_sparse(function, inputs, (&[ROWS, ROWS, COLS], constants), &c));
            let b: $right<f64, $($other),*> = third.convert().unwrap();
            let inputs = || {
                let mut inputs = sent!(plain, &a);
                inputs.extend(sent!(plain, &b));
                inputs
            };
            let c: Coo<f64> = add(&a, &b).unwrap();
            let function = function!(f64 impl unisparse::kernels::add for A: $left, B: $right;);
            cases.push(to_sparse(function, inputs(), (&[ROWS, COLS], constants), &c));
            let c: Coo<f64> = hadamard(&a, &b).unwrap();
            let function = function!(f64 impl unisparse::kernels::hadamard for A: $left, B: $right;);
            cases.push(to_sparse(function, inputs(), (&[ROWS, COLS], constants), &c));
        }};
    }
    pairs!(each);
    check("two_operands", cases, 0, "");
}

#[test]
fn tensors_of_three_dims() {
    let shape @ [i, j, k] = [5, 6, 7];
    let x: Csf<f64> = elements(shape, 10).convert().unwrap();
    let (b, c) = (numbers(j * RANKS, 11), numbers(k * RANKS, 12));
    let mut m = numbers(i * RANKS, 13);
    let before = m.clone();
    mttkrp(&mut m, &x, &b, &c).unwrap();
    let mut inputs = sent!(plain, &x);
    inputs.extend([dense(&b), dense(&c)]);
    let function = function!(f64 impl unisparse::kernels::mttkrp for Csf;);
    let mut cases = vec![to_dense(function, inputs, (&[i, RANKS, j, k], &[]), &before, &m)];
    let v = numbers(k, 14);
    let y: Coo<f64> = ttv(&x, &v).unwrap();
    let mut inputs = sent!(plain, &x);
    inputs.push(dense(&v));
    let function = function!(f64 impl unisparse::kernels::ttv for Csf;);
    cases.push(to_sparse(function, inputs, (&[i, j, k], &[]), &y));
    let y: Csf<f64> = ttm(&x, &c).unwrap();
    let mut inputs = sent!(plain, &x);
    inputs.push(dense(&c));
    let function = function!(f64 impl unisparse::kernels::ttm for Csf;);
    cases.push(to_sparse(function, inputs, (&[i, j, RANKS, k], &[]), &y));
    check("three_dims", cases, 0, "");
}

/// A lookup of a hole of a `Sell` finds rows of other windows, where iterations would race.
#[test]
fn loops_are_parallel_where_iterations_own_what_they_write() {
    let is_parallel = |function: unisparse::__private::c::Function| function.text.contains("UNISPARSE_PARALLEL");
    assert!(is_parallel(function!(f64 impl unisparse::kernels::spmv for Csr;)));
    assert!(!is_parallel(function!(f64 impl unisparse::kernels::spmv for Coo;)));
    assert!(!is_parallel(
        function!(f64 impl unisparse::kernels::spmv for Sell<2, 4>;)
    ));
}

fn relu(x: f64) -> f64 {
    if x > 0.0 { x } else { 0.0 }
}

sparse_kernel! {
    pub fn relax: d[j] min= s[i] + A[i, j] where A: Csr | Bcsr | Csc;
    pub fn longest: t max= A[i, j] where A: Csr | Dia;
    pub fn frontier: next[j] |= front[i] & A[i, j] if !seen[j] where A: Csr | Ell;
    pub fn affine: y[i] = alpha * A[i, j] * x[j] + beta * z[i] where A: Csr | Cisr;
    pub fn layer: H[b, i] = A[i, j] * X[b, j] + z[i] - alpha where A: Csr | Cisr | Csc;
    pub fn dot: t = A[i, j] * B[i, j] where A: Csr | Cisr | BdiaCsr, B: Csr | Coo | Lil;
    pub fn activated: C[i, j] = relu(A[i, j]) where A: Csr | Bcsr, C: Coo;
    pub fn trace: t = A[i, i] where A: Csr | Dia | Coo | Bcsr;
    pub fn moment: t = j * A[i, j] where A: Csr | Dia;
    pub fn numbered: C[i, j] = (j + 1) * A[i, j] - i * B[i, j] where A: Csr, B: Csr, C: Coo;
    pub fn triangles: t = L[i, j] * L[j, k] * L[i, k] where L: Csr | Dok;
    pub fn combined: C[i, j] = 2 * A[i, j] - 0.5 * B[i, j] where A: Csr | Csc | Lil, B: Csr, C: Coo;
    pub fn three: D[i, j] = A[i, j] + B[i, j] + C[i, j] where A: Csr, B: Csr | Dcsr | HiCoo, C: Csr, D: Coo;
    pub fn masked: C[i, j] = A[i, k] * B[k, j] if M[i, j] where A: Csr, B: Csr, M: Csr | Dia, C: Coo;
    pub fn unmasked: C[i, j] = A[i, k] * B[k, j] if !M[i, j] where A: Csr, B: Csr, M: Csr | Dia, C: Coo;
    pub fn fused: C[i, j] = A[i, k] * B[k, j] + D[i, j] where A: Csr, B: Csr, D: Csr | Csc, C: Coo;
    pub fn activated_sum: C[i, j] = relu(A[i, j] + B[i, j]) where A: Csr | Dia, B: Csr | Csc, C: Coo;
}

const FUNCTIONS: &str = "double relu(double x) { return x > 0 ? x : 0; }\n";

#[test]
fn other_statements() {
    let mut cases = Vec::new();
    let wide = elements([ROWS, COLS], 17);
    let other = elements([ROWS, COLS], 18);
    let square = elements([COLS, COLS], 19);
    let shape = [ROWS, COLS];
    let (s, x, z) = (numbers(ROWS, 20), numbers(COLS, 21), numbers(ROWS, 22));
    macro_rules! of {
        ($triplets:ident $format:ident $($constant:literal)*) => {
            &$triplets.convert::<$format<f64, $($constant),*>>().unwrap()
        };
    }
    macro_rules! total {
        ($kernel:ident $function:expr, $extents:expr, $constants:expr; $($kind:ident $tensor:expr),*) => {{
            let total: f64 = $kernel($($tensor),*).unwrap();
            let inputs = [$(sent!($kind, $tensor)),*].into_iter().flatten().collect();
            cases.push(to_dense($function, inputs, (&$extents, &$constants), &[0.0], &[total]));
        }};
    }
    macro_rules! sparse {
        ($kernel:ident $function:expr, $extents:expr, $constants:expr; $($tensor:expr),*) => {{
            let result: Coo<f64> = $kernel($($tensor),*).unwrap();
            let inputs = [$(sent!(plain, $tensor)),*].into_iter().flatten().collect();
            cases.push(to_sparse($function, inputs, (&$extents, &$constants), &result));
        }};
    }
    macro_rules! relaxed {
        ($format:ident $($constant:literal)*) => {{
            let a = of!(wide $format $($constant)*);
            // Any number replaces NaN; column 5 has no element, so its NaN remains.
            let (mut s, mut d) = (s.clone(), numbers(COLS, 23));
            (s[2], d[5], d[7]) = (f64::NAN, f64::NAN, f64::NAN);
            let before = d.clone();
            relax(&mut d, &s, a).unwrap();
            assert!(d[5].is_nan() && !d[7].is_nan());
            let mut inputs = vec![dense(&s)];
            inputs.extend(sent!(plain, a));
            let function = function!(f64 impl relax for $format;);
            cases.push(to_dense(function, inputs, (&[COLS, ROWS], &[$($constant),*]), &before, &d));
        }};
    }
    relaxed!(Csr);
    relaxed!(Csc);
    relaxed!(Bcsr 2 3);
    macro_rules! scaled {
        ($kind:ident $format:ident $($constant:literal)*) => {{
            let a = of!(wide $format $($constant)*);
            let mut y = vec![f64::NAN; ROWS];
            let before = y.clone();
            affine(&mut y, 2.5, a, &x, -0.5, &z).unwrap();
            let mut inputs = vec![scalar(2.5)];
            inputs.extend(sent!($kind, a));
            inputs.extend([dense(&x), scalar(-0.5), dense(&z)]);
            let function = function!(f64 impl affine for $format;);
            cases.push(to_dense(function, inputs, (&shape, &[$($constant),*]), &before, &y));
        }};
    }
    macro_rules! layered {
        ($kind:ident $format:ident $($constant:literal)*) => {{
            let a = of!(wide $format $($constant)*);
            let (batch, mut h) = (numbers(5 * COLS, 25), vec![f64::NAN; 5 * ROWS]);
            let before = h.clone();
            layer(&mut h, a, &batch, &z, 2.5).unwrap();
            let inputs = [sent!($kind, a), vec![dense(&batch), dense(&z), scalar(2.5)]].into_iter().flatten().collect();
            let function = function!(f64 impl layer for $format;);
            cases.push(to_dense(function, inputs, (&[5, ROWS, COLS], &[$($constant),*]), &before, &h));
        }};
    }
    layered!(plain Csr);
    layered!(plain Csc);
    layered!(cut Cisr 3);
    scaled!(plain Csr);
    scaled!(cut Cisr 3);
    let is = |number: f64| number < -50.0;
    let mut graph = Triplets::new(shape);
    wide.for_each(|coordinate, value| graph.push(coordinate, is(value)).unwrap());
    let (front, seen): (Vec<bool>, Vec<bool>) =
        (s.iter().copied().map(is).collect(), x.iter().copied().map(is).collect());
    macro_rules! stepped {
        ($format:ident) => {{
            let a: $format<bool> = graph.convert().unwrap();
            let mut next = vec![false; COLS];
            frontier(&mut next, &front, &a, &seen).unwrap();
            let mut inputs = vec![dense(&front)];
            inputs.extend(sent!(plain, &a));
            inputs.push(dense(&seen));
            let function = function!(bool impl frontier for $format;);
            cases.push(to_dense(function, inputs, (&[COLS, ROWS], &[]), &[false; COLS], &next));
        }};
    }
    stepped!(Csr);
    stepped!(Ell);
    total!(longest function!(f64 impl longest for Csr;), shape, []; plain of!(wide Csr));
    total!(longest function!(f64 impl longest for Dia;), shape, []; plain of!(wide Dia));
    total!(dot function!(f64 impl dot for A: Csr, B: Csr;), shape, []; plain of!(wide Csr), plain of!(other Csr));
    total!(dot function!(f64 impl dot for A: Cisr, B: Coo;), shape, [3]; cut of!(wide Cisr 3), plain of!(other Coo));
    total!(dot function!(f64 impl dot for A: Csr, B: Lil;), shape, []; plain of!(wide Csr), plain of!(other Lil));
    total!(dot function!(f64 impl dot for A: BdiaCsr, B: Lil;), shape, [4]; hybrid of!(wide BdiaCsr 4), plain of!(other Lil));
    total!(moment function!(f64 impl moment for Csr;), [COLS, ROWS], []; plain of!(wide Csr));
    total!(moment function!(f64 impl moment for Dia;), [COLS, ROWS], []; plain of!(wide Dia));
    sparse!(numbered function!(f64 impl numbered for A: Csr, B: Csr;), shape, []; of!(wide Csr), of!(other Csr));
    let dims = [COLS];
    total!(trace function!(f64 impl trace for Csr;), dims, []; plain of!(square Csr));
    total!(trace function!(f64 impl trace for Dia;), dims, []; plain of!(square Dia));
    total!(trace function!(f64 impl trace for Coo;), dims, []; plain of!(square Coo));
    total!(trace function!(f64 impl trace for Bcsr;), dims, [2, 3]; plain of!(square Bcsr 2 3));
    let dims = [COLS; 3];
    total!(triangles function!(f64 impl triangles for Csr;), dims, []; plain of!(square Csr));
    total!(triangles function!(f64 impl triangles for Dok;), dims, []; plain of!(square Dok));
    sparse!(activated function!(f64 impl activated for Csr;), shape, []; of!(wide Csr));
    sparse!(activated function!(f64 impl activated for Bcsr;), shape, [2, 3]; of!(wide Bcsr 2 3));
    sparse!(combined function!(f64 impl combined for A: Csr, B: Csr;), shape, []; of!(wide Csr), of!(other Csr));
    sparse!(combined function!(f64 impl combined for A: Csc, B: Csr;), shape, []; of!(wide Csc), of!(other Csr));
    sparse!(combined function!(f64 impl combined for A: Lil, B: Csr;), shape, []; of!(wide Lil), of!(other Csr));
    let third = elements([ROWS, COLS], 24);
    let (a, c) = (of!(wide Csr), of!(third Csr));
    sparse!(three function!(f64 impl three for A: Csr, B: Csr, C: Csr;), shape, []; a, of!(other Csr), c);
    sparse!(three function!(f64 impl three for A: Csr, B: Dcsr, C: Csr;), shape, []; a, of!(other Dcsr), c);
    sparse!(three function!(f64 impl three for A: Csr, B: HiCoo, C: Csr;), shape, [4]; a, of!(other HiCoo 4), c);
    let (b, dims) = (of!(square Csr), [ROWS, COLS, COLS]);
    sparse!(masked function!(f64 impl masked for A: Csr, B: Csr, M: Csr;), dims, []; a, b, of!(other Csr));
    sparse!(masked function!(f64 impl masked for A: Csr, B: Csr, M: Dia;), dims, []; a, b, of!(other Dia));
    sparse!(unmasked function!(f64 impl unmasked for A: Csr, B: Csr, M: Csr;), dims, []; a, b, of!(other Csr));
    sparse!(unmasked function!(f64 impl unmasked for A: Csr, B: Csr, M: Dia;), dims, []; a, b, of!(other Dia));
    sparse!(fused function!(f64 impl fused for A: Csr, B: Csr, D: Csr;), dims, []; a, b, of!(other Csr));
    sparse!(fused function!(f64 impl fused for A: Csr, B: Csr, D: Csc;), dims, []; a, b, of!(other Csc));
    sparse!(activated_sum function!(f64 impl activated_sum for A: Csr, B: Csr;), shape, []; a, of!(other Csr));
    sparse!(activated_sum function!(f64 impl activated_sum for A: Csr, B: Csc;), shape, []; a, of!(other Csc));
    sparse!(activated_sum function!(f64 impl activated_sum for A: Dia, B: Csr;), shape, []; of!(wide Dia), of!(other Csr));
    sparse!(activated_sum function!(f64 impl activated_sum for A: Dia, B: Csc;), shape, []; of!(wide Dia), of!(other Csc));
    check("statements", cases, 0, FUNCTIONS);
}

#[test]
fn the_text_of_a_function() {
    let function = function!(f64 impl unisparse::kernels::spmv for Csr;);
    let text = "\
struct spmv_csr_f64_a {
    const uint32_t *row_ptr;
    const uint32_t *col_idx;
    const double *values;
};

/* `y[i] = A[i, j] * x[j]` where A: Csr. */
int spmv_csr_f64(double *restrict y, const struct spmv_csr_f64_a *restrict a, const double *restrict x, size_t i_extent, size_t j_extent) {
    const size_t row_end = i_extent;
    UNISPARSE_PARALLEL
    for (size_t row = 0; row < row_end; row++) {
        {
            double sum = 0;
            size_t at = a->row_ptr[row];
            const size_t end = a->row_ptr[row + 1];
            if (at < end && end - at >= 8) {
                double sums[8];
                for (size_t lane = 0; lane < 8; lane++) {
                    sums[lane] = 0;
                }
                for (; end - at >= 8; at += 8) {
                    for (size_t lane = 0; lane < 8; lane++) {
                        const size_t col_position = at + lane;
                        const size_t col = a->col_idx[col_position];
                        const double value = a->values[col_position];
                        const double x_item = x[col];
                        sums[lane] = sums[lane] + value * x_item;
                    }
                }
                if (end - at >= 4) {
                    for (size_t lane = 0; lane < 4; lane++) {
                        const size_t col_position = at + lane;
                        const size_t col = a->col_idx[col_position];
                        const double value = a->values[col_position];
                        const double x_item = x[col];
                        sums[lane] = sums[lane] + value * x_item;
                    }
                    at += 4;
                }
                sums[0] = sums[0] + sums[4];
                sums[1] = sums[1] + sums[5];
                sums[2] = sums[2] + sums[6];
                sums[3] = sums[3] + sums[7];
                sums[0] = sums[0] + sums[2];
                sums[1] = sums[1] + sums[3];
                sums[0] = sums[0] + sums[1];
                sum = sums[0];
            }
            for (; at < end; at++) {
                const size_t col_position = at;
                const size_t col = a->col_idx[col_position];
                const double value = a->values[col_position];
                const double x_item = x[col];
                sum = sum + value * x_item;
            }
            y[row] = sum;
        }
    }
    return 0;
}
";
    assert_eq!(function.text, text);
}
