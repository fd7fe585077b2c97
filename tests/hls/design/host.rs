//! The packing as a program of C++, which is printed from the declaration, against that of the library.

use std::fmt::Write as _;
use std::fs;
use std::process::Command;

use unisparse::hls::{Design, Element, Parameters};
use unisparse::prelude::*;
use unisparse::{Bits, Triplets, WordParts};

use super::{Packets, RowStreams, Scheduled, SerpensStreams, SingleRows, padded};
use crate::random::Random;
use crate::{compiler, matrix};

const SHAPES: [[usize; 2]; 13] = [
    [45, 50],
    [1, 70],
    [70, 1],
    [300, 20],
    [17, 33],
    [1, 1],
    [0, 5],
    [6, 0],
    [129, 16],
    [64, 64],
    [250, 9],
    [33, 100],
    [8, 8],
];

/// Returns elements as they stand in a file: with negative zeros, zeros, and some coordinates twice.
fn elements(seed: u64, shape: [usize; 2]) -> Vec<([usize; 2], i32)> {
    let mut random = Random::new(seed);
    let percent = [5, 40, 0, 80][seed as usize % 4];
    let mut list: Vec<_> = matrix(shape, percent, seed)
        .iter()
        .map(|(at, _)| (at, random.below(19) as i32 - 9))
        .collect();
    let again: Vec<_> = list.iter().step_by(7).copied().collect();
    list.extend(again);
    list
}

/// Packs matrices with both programs. Returns the number of matrices, or `None` without a compiler.
fn compare<F>(name: &str, value: impl Fn(i32) -> F::Scalar, text: impl Fn(F::Scalar) -> String) -> Option<usize>
where
    F: WordParts<2> + SparseTensor<2, Scalar: Element + Bits>,
{
    let design = Design::<F>::new(Parameters::default()).unwrap();
    let folder = compiler::folder(&format!("host_{name}"));
    let mut program = None;
    for (seed, shape) in SHAPES.into_iter().enumerate() {
        let list = elements(seed as u64 + 60, shape);
        let triplets =
            Triplets::try_from_triplets(shape, list.iter().map(|&(at, number)| (at, value(number)))).unwrap();
        let packed = design.pack(&padded(&triplets)).unwrap();
        let (x, y) = (vec![F::Scalar::ONE; shape[1]], vec![F::Scalar::ONE; shape[0]]);
        let project = design.project(&packed, &x, &y, [F::Scalar::ONE; 2]).unwrap();
        if program.is_none() {
            project.emit(&folder).unwrap();
            fs::rename(folder.join("host_pack.cpp"), folder.join("kernel.cpp")).unwrap();
            fs::write(folder.join("testbench.cpp"), "").unwrap();
            program = Some(compiler::compile(&folder, &folder.join("shim"))?);
        }
        let data = folder.join(seed.to_string());
        project.emit_data(&data).unwrap();
        let mut file = format!(
            "%%MatrixMarket matrix coordinate real general\n% {name}\n{} {} {}\n",
            shape[0],
            shape[1],
            list.len()
        );
        for ([i, j], number) in list {
            writeln!(file, "{} {} {}", i + 1, j + 1, text(value(number))).unwrap();
        }
        let matrix = data.join("matrix.mtx");
        fs::write(&matrix, file).unwrap();
        let own = data.join("host");
        fs::create_dir_all(&own).unwrap();
        let output = Command::new(program.as_deref()?)
            .args([&matrix, &own])
            .output()
            .unwrap();
        assert!(
            output.status.success(),
            "{name} of {shape:?}: {}",
            compiler::text(&output)
        );
        let words = (0..packed.channels()).map(|channel| format!("words_{channel}"));
        for port in words.chain(["sizes".to_owned()]) {
            let [expected, found] = [&data, &own].map(|of| fs::read(of.join(format!("{port}.bin"))).unwrap());
            assert!(expected == found, "{name} of {shape:?}: {port} differs");
        }
    }
    // No field has room for this row.
    let wide = folder.join("wide.mtx");
    fs::write(
        &wide,
        "%%MatrixMarket matrix coordinate real general\n80000000 1 1\n80000000 1 1\n",
    )
    .unwrap();
    let output = Command::new(program.as_deref()?)
        .args([&wide, &folder])
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(1), "{name}");
    assert!(
        compiler::text(&output).contains("does not fit"),
        "{name}: {}",
        compiler::text(&output)
    );
    let _ = fs::remove_dir_all(&folder);
    Some(SHAPES.len())
}

#[test]
fn streams_of_the_printed_packer() {
    // Halves, and negative zero in place of zero.
    let half = |number: i32| if number == 0 { -0.0 } else { number as f32 / 2.0 };
    let with_zero = |number: i32| number as f32;
    let text = |value: f32| format!("{value:?}");
    let counts = [
        compare::<SerpensStreams<f32, 1, 16, 10>>("serpens", half, text),
        compare::<SingleRows<f32, 4, 16>>("single_rows", with_zero, text),
        compare::<RowStreams<f32, 3>>("row_streams", half, text),
        compare::<Packets<f64, 2>>("packets", f64::from, |value| format!("{value:?}")),
    ];
    let count: usize = counts.into_iter().flatten().sum();
    println!("{count} matrices");
    assert!(count == 52 || count == 0, "{count}");
}

/// Which channel has a row of `Scheduled` is the result of a query, which the program does not evaluate.
#[test]
fn formats_with_other_queries_have_no_packer() {
    let triplets = matrix([9, 9], 50, 1);
    let design = Design::<Scheduled<f32, 3>>::new(Parameters::default()).unwrap();
    let packed = design.pack(&padded(&triplets)).unwrap();
    let folder = compiler::folder("host_scheduled");
    design
        .project(&packed, &[1.0; 9], &[1.0; 9], [1.0; 2])
        .unwrap()
        .emit(&folder)
        .unwrap();
    assert!(folder.join("kernel.cpp").exists() && !folder.join("host_pack.cpp").exists());
}
