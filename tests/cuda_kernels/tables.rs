//! What NVRTC reports about all kernels, and what the stock kernels move.

use unisparse::__private::c::Kernels;
use unisparse::prelude::*;

#[cfg(feature = "half")]
use super::products::{bf16_calls, dense_blocks, f16_calls};
use super::products::{f32_calls, f64_calls, i32_calls, integers};
use super::{sparse, statements};
use crate::calls::texts;
use crate::gate::{self, ARCHITECTURES};
use crate::operands::operands;
use crate::shapes::SHAPES;

/// All kernels compile for real devices, keep their variables in registers, and use few of them.
#[test]
#[ignore = "needs UNISPARSE_NVRTC"]
fn nvrtc_compiles_every_kernel_without_spills() {
    let mut files = vec![
        ("f64", texts(&f64_calls(&operands()))),
        ("f32", texts(&f32_calls(&operands()))),
        ("i32", texts(&i32_calls(&operands()))),
        ("integers", texts(&integers())),
        ("statements", texts(&statements::other_calls())),
        ("graphs", texts(&statements::graph_calls())),
        ("sparse", texts(&sparse::calls(&SHAPES[4..5]))),
    ];
    #[cfg(feature = "half")]
    files.extend([
        ("f16", texts(&f16_calls(&operands()))),
        ("bf16", texts(&bf16_calls(&operands()))),
        ("blocks", texts(&dense_blocks(&[4]))),
    ]);
    gate::check(&files);
}

/// The columns of the dense operand of a matrix product.
const COLUMNS: usize = 32;

/// A stock kernel over one format.
struct Modelled {
    name: String,
    kernels: Kernels,
    /// The bytes of all operands and of the result: each is moved at least once.
    bytes: usize,
}

/// Returns a matrix with a value for each point of a square grid of `side` points a side, and for each of its neighbours.
fn grid(side: usize) -> Triplets<f64, 2> {
    let mut triplets = Triplets::new([side * side; 2]);
    for row in 0..side * side {
        let (x, y) = (row % side, row / side);
        let neighbours = [
            (y > 0).then(|| row - side),
            (x > 0).then(|| row - 1),
            Some(row),
            (x + 1 < side).then_some(row + 1),
            (y + 1 < side).then_some(row + side),
        ];
        for col in neighbours.into_iter().flatten() {
            triplets.push([row, col], if col == row { 4.0 } else { -1.0 }).unwrap();
        }
    }
    triplets
}

/// Prints, for each stock kernel over a matrix of five diagonals, the bytes that it moves at least, and how many threads of a
/// multiprocessor run at once.
#[test]
#[ignore = "needs UNISPARSE_NVRTC"]
fn modelled_bytes_and_occupancy() {
    let wide = grid(300);
    let (rows, nnz) = (90_000, Source::count(&wide));
    let mut modelled = Vec::new();
    macro_rules! of_format {
        ($element:ident: $($format:ident [$($constant:literal),*]),*) => {$({
            let mut triplets = Triplets::new([rows; 2]);
            wide.for_each(|at, number| triplets.push(at, number as $element).unwrap());
            let a: $format<$element, $($constant),*> = triplets.convert().unwrap();
            let of_vectors = |columns: usize| 2 * rows * columns * size_of::<$element>();
            let arguments: &[usize] = &[$($constant),*];
            let name = format!("{}{arguments:?} {}", stringify!($format), stringify!($element)).replace("[]", "");
            modelled.push(Modelled {
                name: format!("spmv {name}"),
                kernels: kernels!($element impl unisparse::kernels::spmv for $format<$($constant),*>;),
                bytes: a.bytes() + of_vectors(1),
            });
            modelled.push(Modelled {
                name: format!("spmm {name}"),
                kernels: kernels!($element impl unisparse::kernels::spmm for $format<$($constant),*>;),
                bytes: a.bytes() + of_vectors(COLUMNS),
            });
        })*};
    }
    macro_rules! of_elements {
        ($($element:ident)*) => {$(
            of_format!($element: Csr [], Csc [], Coo [], Dcsr [], Ell [], Sell [32, 256], Jds [], Dia [], Bdia [64], Bcsr [2, 2],
                Bell [4], BdiaCsr [64], Dok [], Lil []);
        )*};
    }
    of_elements!(f64 f32);
    let files: Vec<(&str, String)> = modelled
        .iter()
        .map(|Modelled { name, kernels, .. }| (name.as_str(), format!("{}{}", kernels.prelude, kernels.text)))
        .collect();
    let lanes = [32];
    let compiled = gate::compile(&files, &lanes, &ARCHITECTURES[1..]);
    println!(
        "{rows} rows, {nnz} elements, spmm with {COLUMNS} columns, {lanes:?} lanes, {}\n{:28} {:>12} {:>10} {:>9} {:>6} {:>9}",
        ARCHITECTURES[1], "", "bytes", "an element", "registers", "shared", "occupancy"
    );
    for (Modelled { name, kernels, bytes }, compiled) in modelled.iter().zip(&compiled) {
        let longest = kernels
            .launches
            .iter()
            .map(|launch| launch.kernel)
            .find(|kernel| *kernel == kernels.name);
        let of_all = compiled
            .reports
            .iter()
            .filter(|report| longest.is_none_or(|kernel| report.kernel.contains(kernel)));
        // The launch over all elements is the one that needs the most registers.
        let report = of_all.max_by_key(|report| report.registers).expect("a kernel");
        println!(
            "{name:28} {bytes:>12} {:>10.2} {:>9} {:>6} {:>8}%",
            *bytes as f64 / nnz as f64,
            report.registers,
            report.shared,
            report.occupancy(),
        );
        assert!(report.registers <= 64 && report.spilled == 0, "{name}");
    }
    assert_eq!(modelled.len(), compiled.len());
}
