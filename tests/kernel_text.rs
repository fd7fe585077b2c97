//! `kernel_text!`: the loops of kernels as text.

#[path = "c_kernels/compiler.rs"]
mod compiler;

use unisparse::kernel_text;
use unisparse::kernels::{add, spgemm, spmm, spmv};
use unisparse::prelude::*;

sparse_format! {
    /// Strips of `B` rows, each with the anti-diagonals that have an element in it.
    pub format Strips<const B: usize = 4> =
        |i, j| (strip: i / B, anti: i + j, lane: i % B) { merge(strip); trim(anti); }
    /// Long rows in strips, the others compressed.
    pub hybrid StripsCsr<const B: usize = 4> = Strips<B> + Csr split sum(value != 0 => 1, _ => 0).group_by(i) > longest;
}

fn clip(x: f64) -> f64 {
    x.min(1.0)
}

sparse_kernel! {
    /// Clipped elements of `A`, weighted by its diagonal.
    pub fn clipped: t = clip(A[i, j]) * w[i] where A: Csr | Strips;
    /// The shortest path to any node over one edge.
    pub fn relax: d[j] min= s[i] + A[i, j] where A: Strips<2> | Csr;
}

const SPMV: &str = kernel_text!(loops, spmv, A: Csr<f64>);

#[test]
fn loops_of_stock_kernels() {
    assert_eq!(
        SPMV,
        "\
// y[i] = A[i, j] * x[j] where A: Csr
for row in 0..i_extent  // parallel: each iteration owns its elements of y
  let sum = 0
  for col_position in A.row_ptr[row]..A.row_ptr[row + 1]
    let col = A.col_idx[col_position]
    sum += A.values[col_position] * x[col]
  y[row] = sum
"
    );
    assert_eq!(
        kernel_text!(loops, spgemm, B: unisparse::formats::Csc<f64>, A: Csr<f64>),
        "\
// C[i, j] = A[i, k] * B[k, j] where A: Csr, B: Csc
for row in 0..i_extent  // parallel: each thread gives a piece of C
  let workspace = zeros(j_extent)
  for col_position in A.row_ptr[row]..A.row_ptr[row + 1]
    let col = A.col_idx[col_position]
    for col_2 in 0..j_extent
      let row_finder = B.row_idx[B.col_ptr[col_2]..B.col_ptr[col_2 + 1]]
      if let row_position = search(row_finder, col)
        workspace[col_2] += A.values[col_position] * B.values[row_position]
  append C[row, :] = the touched elements of workspace
"
    );
    assert_eq!(
        kernel_text!(loops, add, A: Csr, B: Csr),
        "\
// C[i, j] = A[i, j] + B[i, j] where A: Csr, B: Csr
for i in 0..i_extent  // parallel: each thread gives a piece of C
  for each j at a_j_at of A.col_idx[A.row_ptr[i]..A.row_ptr[i + 1]] or at b_j_at of B.col_idx[B.row_ptr[i]..B.row_ptr[i + 1]]
    append C[i, j] = A.values[a_j_at]? + B.values[b_j_at]?
"
    );
}

#[test]
fn loops_over_formats_declared_here() {
    assert_eq!(
        kernel_text!(loops, clipped, A: Strips<f64, 3>),
        "\
// t = clip(A[i, j]) * w[i] where A: Strips<3>
let strip_size = ceil(i_extent / 3)
let sum = 0
for strip in 0..strip_size  // parallel: each thread gives a part of t
  for anti_position in A.strip_ptr[strip]..A.strip_ptr[strip + 1]
    let anti = A.anti_idx[anti_position]
    for lane in max(0, anti - 3 * strip - (j_extent - 1))..min(3, i_extent - 3 * strip, anti - 3 * strip + 1)
      if A.values[anti_position * 3 + lane] != 0
        sum += clip(A.values[anti_position * 3 + lane]) * w[3 * strip + lane]
t = sum
"
    );
    let every_size = kernel_text!(loops, relax, A: Strips<f64>);
    assert!(
        every_size.contains("let strip_size = ceil(i_extent / B)"),
        "{every_size}"
    );
    let hybrid = kernel_text!(loops, spmv, A: StripsCsr<f64, 3>);
    let of_parts = [
        "for anti_position in A.0.strip_ptr[strip]",
        "for col_position in A.1.row_ptr[row]",
    ];
    assert!(of_parts.iter().all(|loops| hybrid.contains(loops)), "{hybrid}");
    let cut = kernel_text!(loops, spmv, A: C2sr<f64, 2>);
    assert!(
        cut.contains("for A_part in A.parts\n") && cut.contains("y[A_part.bank + 2 * local] += sum"),
        "{cut}"
    );
    let part = kernel_text!(loops, spmv, A: unisparse::formats::C2srPart<f64>);
    assert!(part.contains("y[A.bank + BANKS * local] += sum"), "{part}");
}

/// Const parameters are named after their operand, or shown as the given numbers.
#[test]
fn const_parameters_have_no_hidden_names() {
    let text = kernel_text!(loops, spgemm, A: Bcsr<f64, 2, 3>, B: Bcsr<f64>);
    assert!(text.contains("where A: Bcsr<2, 3>, B: Bcsr\n"), "{text}");
    assert!(text.contains("for c in 0..min(3, k_extent - 3 * bcol)"), "{text}");
    assert!(
        text.contains("floor((3 * bcol + c) / B.R)") && !text.contains("__"),
        "{text}"
    );
    let dense = kernel_text!(loops, spmm, A: Csr<f64>);
    assert!(
        dense.contains("sums[step] += A.values[col_position] * B[col, n + step]"),
        "{dense}"
    );
    assert!(dense.contains("C[row, n..n + width] = sums"), "{dense}");
}

const ELEMENTS: [([usize; 2], f64); 6] = [
    ([0, 1], 2.5),
    ([1, 0], -3.0),
    ([2, 2], 0.5),
    ([4, 3], 7.0),
    ([4, 0], 0.25),
    ([3, 1], 1.5),
];

/// Returns a C array, such as `{1, 2, 3}`.
fn listed<T: std::fmt::Debug>(array: &[T]) -> String {
    let elements: Vec<String> = array.iter().map(|element| format!("{element:?}")).collect();
    format!("{{{}}}", elements.join(", "))
}

/// The C text compiles without changes, and computes the same as the Rust kernel.
#[test]
fn c_computes_what_rust_does() {
    let a = Csr::try_from_triplets([5, 4], ELEMENTS).unwrap();
    let strips: Strips<f64, 3> = a.convert().unwrap();
    let (x, w) = ([1.0, 10.0, 100.0, 1000.0], [1.0, 2.0, 3.0, 4.0, 5.0]);
    let mut y = [0.0; 5];
    spmv(&mut y, &a, &x).unwrap();
    let total = clipped(&strips, &w).unwrap();
    let folder = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("kernel_text");
    std::fs::create_dir_all(&folder).unwrap();
    let source = format!(
        "{}\n{}\n#include <stdio.h>\n
double clip(double x) {{ return x < 1 ? x : 1; }}

int main(void) {{
    const uint32_t row_ptr[] = {}, col_idx[] = {}, strip_ptr[] = {}, anti_idx[] = {};
    const double values[] = {}, in_strips[] = {}, x[] = {}, w[] = {};
    const struct spmv_csr_f64_a a = {{row_ptr, col_idx, values}};
    const struct clipped_strips_3_f64_a strips = {{strip_ptr, anti_idx, in_strips}};
    double y[5], t;
    if (spmv_csr_f64(y, &a, x, 5, 4) != 0 || clipped_strips_3_f64(&t, &strips, w, 5, 4) != 0) {{
        return 1;
    }}
    printf(\"%.17g %.17g %.17g %.17g %.17g %.17g\\n\", y[0], y[1], y[2], y[3], y[4], t);
    return 0;
}}
",
        kernel_text!(c, spmv, A: Csr<f64>),
        kernel_text!(c, clipped, A: Strips<f64, 3>),
        listed(a.row_ptr()),
        listed(a.col_idx()),
        listed(strips.strip_ptr()),
        listed(strips.anti_idx()),
        listed(a.values()),
        listed(strips.values()),
        listed(&x),
        listed(&w),
    );
    let Some(program) = compiler::compile(&folder, &source) else {
        return;
    };
    let output = std::process::Command::new(program).output().unwrap();
    assert!(output.status.success(), "{output:?}");
    let printed = String::from_utf8(output.stdout).unwrap();
    let found: Vec<f64> = printed
        .split_whitespace()
        .map(|number| number.parse().unwrap())
        .collect();
    assert_eq!(y, [25.0, -3.0, 50.0, 15.0, 7000.25]);
    assert_eq!(found, [&y[..], &[total]].concat());
}
