//! Designs as C++, simulated, and what a declaration must have.

use std::fs;

use unisparse::hls::{Cycles, Design, Element, Parameters, Project};
use unisparse::prelude::*;
use unisparse::{Bits, Triplets, WordParts};

use super::{FieldOfWindow, Packets, RowStreams, Scheduled, SerpensStreams, SingleRows, padded};
use crate::{Simulated, compiler, matrix, numbers, simulate};

/// Simulates a project after `from` in its kernel became `to`. Returns the exit code and the messages, or `None` without a compiler.
pub(super) fn simulated(name: &str, project: &Project, [from, to]: [&str; 2]) -> Option<(Option<i32>, String)> {
    let folder = compiler::folder(&format!("design_{name}"));
    project.emit(&folder).unwrap();
    if !from.is_empty() {
        let kernel = folder.join("kernel.cpp");
        let text = fs::read_to_string(&kernel).unwrap();
        assert!(text.contains(from), "{name}: there is no `{from}` in {text}");
        fs::write(&kernel, text.replacen(from, to, 1)).unwrap();
    }
    let program = compiler::compile(&folder, &folder.join("shim"))?;
    let output = compiler::run(&program, &folder.join("golden"));
    Some((output.status.code(), compiler::text(&output)))
}

/// Packs, checks and simulates a product in Rust, and in C++ if `is_compiled`. Returns `y` and the cycles.
fn product<F>(
    (name, is_compiled): (&str, bool),
    triplets: &Triplets<F::Scalar, 2>,
    x: &[F::Scalar],
    alpha: F::Scalar,
) -> (Vec<F::Scalar>, Cycles)
where
    F: WordParts<2> + SparseTensor<2, Scalar: Element + Bits>,
{
    let design = Design::<F>::new(Parameters::default()).unwrap();
    let packed = design.pack(&padded(triplets)).unwrap();
    design
        .check(&packed, triplets)
        .unwrap_or_else(|violation| panic!("{name}: {violation}"));
    let y = vec![F::Scalar::ONE; triplets.shape()[0]];
    let scales = [alpha, F::Scalar::ONE];
    let project = design.project(&packed, x, &y, scales).unwrap();
    if is_compiled {
        if let Some((code, text)) = simulated(name, &project, ["", ""]) {
            assert_eq!(code, Some(0), "{name}: {text}");
        }
    }
    (design.simulate(&packed, x, &y, scales).unwrap(), design.cycles(&packed))
}

#[test]
fn products_of_declared_variants() {
    // `words_that_lead_outside_of_the_chip` simulates the text of the first variant, too.
    let at_night = cfg!(every_product);
    let integers = matrix([45, 50], 30, 41);
    // Integers, so that sums are the same in every order.
    let elements = integers
        .iter()
        .enumerate()
        .map(|(at, (coordinate, _))| (coordinate, (at % 17) as f32 - 8.0));
    let triplets = Triplets::try_from_triplets([45, 50], elements).unwrap();
    let x: Vec<f32> = (0..50).map(|at| (at % 7) as f32).collect();
    let rows: Csr<f32> = triplets.convert().unwrap();
    let mut expected = vec![0.0; 45];
    spmv(&mut expected, &rows, &x).unwrap();
    let expected: Vec<f32> = expected.iter().map(|sum| 2.0 * sum + 1.0).collect();
    let (y, serpens) = product::<SerpensStreams<f32, 1, 16, 10>>(("serpens", at_night), &triplets, &x, 2.0);
    assert_eq!(y, expected);
    let (y, single) = product::<SingleRows<f32, 4, 16>>(("single_rows", at_night), &triplets, &x, 2.0);
    assert_eq!(y, expected);
    let (y, windows) = product::<FieldOfWindow<f32, 4, 16>>(("field_of_window", at_night), &triplets, &x, 2.0);
    assert_eq!((y, windows), (expected.clone(), single.clone()));
    let (y, streams) = product::<RowStreams<f32, 3>>(("row_streams", true), &triplets, &x, 2.0);
    assert_eq!(y, expected);
    let (y, scheduled) = product::<Scheduled<f32, 3>>(("scheduled", at_night), &triplets, &x, 2.0);
    assert_eq!(y, expected);
    // An addition takes ten cycles; the distance hides them, or half of them, or nothing.
    assert_eq!(
        [serpens, single, streams.clone(), scheduled].map(|cycles| cycles.interval),
        [1, 2, 10, 10]
    );
    assert_eq!(streams.padding, 0.0);

    let wide = triplets
        .iter()
        .map(|(coordinate, value)| (coordinate, f64::from(value)));
    let wide = Triplets::try_from_triplets([45, 50], wide).unwrap();
    let x: Vec<f64> = x.iter().map(|&x| f64::from(x)).collect();
    let (y, packets) = product::<Packets<f64, 2>>(("packets", at_night), &wide, &x, 2.0);
    assert_eq!(y, expected.iter().map(|&y| f64::from(y)).collect::<Vec<_>>());
    assert_eq!(packets.interval, 10);
    let few = wide.iter().map(|(coordinate, value)| (coordinate, value as i64));
    let few = Triplets::try_from_triplets([45, 50], few).unwrap();
    let x: Vec<i64> = x.iter().map(|&x| x as i64).collect();
    let (y, _) = product::<Packets<i64, 2>>(("integers", true), &few, &x, 2);
    assert_eq!(y, expected.iter().map(|&y| y as i64).collect::<Vec<_>>());
}

/// A format may have a name that C++ reserves.
#[test]
fn functions_that_are_named_after_formats() {
    sparse_format! {
        /// Rows dealt to two channels.
        pub format Union = |i, j| (bank: i % 2, local: i / 2, col: j) {
                merge(bank, local); trim(col); partition(bank);
                word(64) { local: 16 @ 48, col: 16 @ 32, value: 32 @ 0 };
            }
        /// The same.
        pub format Main = |i, j| (bank: i % 2, local: i / 2, col: j) {
                merge(bank, local); trim(col); partition(bank);
                word(64) { local: 16 @ 48, col: 16 @ 32, value: 32 @ 0 };
            }
        /// The same.
        pub format CISR = |i, j| (bank: i % 2, local: i / 2, col: j) {
                merge(bank, local); trim(col); partition(bank);
                word(64) { local: 16 @ 48, col: 16 @ 32, value: 32 @ 0 };
            }
    }
    fn function<F: WordParts<2> + SparseTensor<2, Scalar = f32>>(name: &str, is_run: bool) {
        let triplets = matrix([9, 7], 40, 45);
        let design = Design::<F>::new(Parameters::default()).unwrap();
        let packed = design.pack(&padded(&triplets)).unwrap();
        let project = design.project(&packed, &[1.0; 7], &[1.0; 9], [1.0; 2]).unwrap();
        assert!(project.text().contains(&format!("void {name}(")), "{}", project.text());
        if let Some((code, text)) = is_run.then(|| simulated(name, &project, ["", ""])).flatten() {
            assert_eq!(code, Some(0), "{name}: {text}");
        }
    }
    function::<Union<f32>>("stream_union", true);
    function::<Main<f32>>("stream_main", cfg!(every_product));
    function::<CISR<f32>>("stream_cisr", false);
    function::<RowStreams<f32, 3>>("stream_row_streams", false);
}

#[test]
fn matrices_without_elements() {
    let design = Design::<SingleRows<f32, 4, 16>>::new(Parameters::default()).unwrap();
    let mut calls = Vec::new();
    for shape in [[0, 5], [6, 0], [7, 5], [1, 1]] {
        let triplets = Triplets::new(shape);
        let packed = design.pack(&padded(&triplets)).unwrap();
        assert_eq!(design.check(&packed, &triplets), Ok(()));
        let (x, y) = (numbers(shape[1], 3), numbers(shape[0], 4));
        assert_eq!(design.simulate(&packed, &x, &y, [2.0, 1.0]).unwrap(), y);
        assert_eq!(design.cycles(&packed).gflops(), 0.0);
        calls.push((format!("{shape:?}"), design.project(&packed, &x, &y, [2.0, 1.0])));
    }
    simulate(&[Simulated {
        name: "design_empty".to_owned(),
        calls,
    }]);
}

#[test]
fn every_term_of_the_cycles() {
    // A matrix whose busiest pair of rows has five elements in the first window, and two in the second.
    let elements = [[0, 0], [1, 0], [0, 3], [1, 7], [0, 9], [1, 20], [0, 21], [600, 22]];
    let triplets = Triplets::try_from_triplets([1000, 37], elements.map(|at| (at, 1f32))).unwrap();
    let parameters = Parameters {
        bandwidth: f64::INFINITY,
        fill: 7,
        ..Parameters::default()
    };
    let design = Design::<SerpensStreams<f32, 2, 16, 10>>::new(parameters).unwrap();
    assert_eq!((design.channels(), design.lanes(), design.window()), (16, 8, Some(16)));
    assert_eq!((design.distance(), design.sums_in_memory_word()), (10, 2));
    let packed = design.pack(&padded(&triplets)).unwrap();
    let cycles = design.cycles(&packed);
    // 256 rows in each address of all lanes, 16 columns in each block, 32 rows in each step of the channels.
    assert_eq!((cycles.clear, cycles.load), (1000u64.div_ceil(256), 3));
    assert_eq!((cycles.compute, cycles.memory), (41 + 11, 0));
    assert_eq!(
        (cycles.drain, cycles.wait),
        (1000u64.div_ceil(32), 1000u64.div_ceil(32))
    );
    assert_eq!(cycles.fill, 7 * (2 + 2 * 3));
    assert_eq!(cycles.total(), 4 + 3 + 52 + 32 + 32 + 56);
    assert_eq!(cycles.padding, 1.0 - 8.0 / (52.0 * 128.0));
    assert_eq!(cycles.gflops(), 16.0 / (179.0 / 282e6) * 1e-9);
    let text = cycles.to_string();
    assert!(
        text.contains("          52  compute: slots times the interval\n"),
        "{text}"
    );
    // Half of what a slot of 64 bytes in each cycle needs.
    let slow = Parameters {
        bandwidth: 32.0 * 282e6,
        ..Parameters::default()
    };
    let cycles = Design::<SerpensStreams<f32, 2, 16, 10>>::new(slow)
        .unwrap()
        .cycles(&packed);
    assert_eq!((cycles.compute, cycles.memory, cycles.fill), (52, 52, 0));
}
