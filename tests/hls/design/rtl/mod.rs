//! The cycles of a channel as registers and memories, simulated by Verilator, beside the model.

mod compiled;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use unisparse::hls::{Design, Packed, Parameters};
use unisparse::prelude::*;
use unisparse::{Triplets, WordParts};

use super::mutations::{changed, pair};
use super::{SerpensStreams, SingleRows, padded};
use crate::{compiler, matrix};

/// The cycles of an addition.
const ADDITION: u64 = 10;

fn parameters() -> Parameters {
    Parameters {
        addresses: 64,
        addition: ADDITION,
        bandwidth: f64::INFINITY,
        ..Parameters::default()
    }
}

/// Builds the simulation of a format's channels.
fn build<F: WordParts<2> + SparseTensor<2, Scalar = i32>>(name: &str, design: &Design<F>) -> PathBuf {
    let folder = compiler::folder(&format!("rtl_{name}"));
    fs::create_dir_all(&folder).unwrap();
    for (file, text) in [
        ("channel.sv", include_str!("channel.sv")),
        ("drive.cpp", include_str!("drive.cpp")),
    ] {
        fs::write(folder.join(file), text).unwrap();
    }
    let places = design.sums_in_memory_word();
    let numbers = format!("#define CHANNELS {}u\n#define PLACES {places}u\n", design.channels());
    fs::write(folder.join("numbers.h"), numbers).unwrap();
    let field = |names: &[&str]| {
        let found = F::WORD.fields.iter().find(|field| names.contains(&field.name));
        found.map_or([0, 1], |field| [field.at, field.bits])
    };
    let mut command = Command::new("verilator");
    command.args([
        "--cc",
        "--exe",
        "--build",
        "--x-initial",
        "fast",
        "-Wno-fatal",
        "-Wno-lint",
        "--top-module",
        "channel",
    ]);
    command.arg(format!("-GLANES={}", design.lanes()));
    command.arg(format!("-GWORD_BITS={}", F::WORD.bits));
    command.arg(format!("-GPLACES={places}"));
    command.arg(format!("-GADDRESSES={}", design.parameters().addresses));
    command.arg(format!("-GCOLUMNS={}", design.window().unwrap()));
    command.arg(format!("-GADDITION={ADDITION}"));
    command.arg(format!("-GINTERVAL={}", ADDITION.div_ceil(design.distance() as u64)));
    for (name, [at, bits]) in [
        ("ADDRESS", field(&["pair", "row"])),
        ("PLACE", field(&["half"])),
        ("COLUMN", field(&["col"])),
    ] {
        command
            .arg(format!("-G{name}_AT={at}"))
            .arg(format!("-G{name}_BITS={bits}"));
    }
    command.arg(format!("-GFILLER=64'h{:x}", F::WORD.filler.unwrap()));
    let output = command.args(["channel.sv", "drive.cpp"]).current_dir(&folder).output();
    let output = output.expect("verilator is installed");
    assert!(output.status.success(), "{name}: {}", compiler::text(&output));
    folder
}

/// Runs a stream. Returns whether the sums are those of the design, and the cycles of the slowest channel.
fn run<F>(folder: &Path, name: &str, design: &Design<F>, packed: &Packed) -> (bool, u64)
where
    F: WordParts<2> + SparseTensor<2, Scalar = i32>,
{
    let [rows, cols] = packed.shape();
    let x: Vec<i32> = (0..cols).map(|j| j as i32 * 7 - 100).collect();
    let project = design.project(packed, &x, &vec![0; rows], [1, 0]).unwrap();
    let data = folder.join(name);
    project.emit_data(&data).unwrap();
    let output = Command::new(folder.join("obj_dir/Vchannel"))
        .arg(&data)
        .output()
        .unwrap();
    assert!(output.status.success(), "{name}: {}", compiler::text(&output));
    let [sums, expected] = ["sums", "expected"].map(|file| fs::read(data.join(format!("{file}.bin"))).unwrap());
    let text = String::from_utf8(output.stdout).unwrap();
    (
        sums == expected,
        text.lines().map(|line| line.parse().unwrap()).max().unwrap(),
    )
}

fn matrices() -> Vec<Triplets<i32, 2>> {
    let shapes = [
        ([300, 70], 20),
        ([45, 50], 60),
        ([1, 33], 100),
        ([33, 1], 50),
        ([500, 16], 3),
    ];
    let integers = |(at, (shape, percent)): (usize, ([usize; 2], usize))| {
        let found = matrix(shape, percent, at as u64 + 90);
        let elements = found
            .iter()
            .enumerate()
            .map(|(at, (coordinate, _))| (coordinate, at as i32 % 23 - 30));
        Triplets::try_from_triplets(shape, elements).unwrap()
    };
    shapes.into_iter().enumerate().map(integers).collect()
}

/// Compares the cycles of all matrices with the model. Returns how many there were.
fn compare<F>(name: &str) -> usize
where
    F: WordParts<2> + SparseTensor<2, Scalar = i32>,
{
    let design = Design::<F>::new(parameters()).unwrap();
    let folder = build(name, &design);
    let matrices = matrices();
    for (at, triplets) in matrices.iter().enumerate() {
        let packed = design.pack(&padded(triplets)).unwrap();
        let (is_same, cycles) = run(&folder, &format!("matrix_{at}"), &design, &packed);
        assert!(is_same, "{name}: the sums of matrix {at} differ");
        let model = design.cycles(&packed);
        // After the last slot of each window, additions are under way.
        let windows = packed.window_ptr().len() as u64 - 1;
        let modelled = model.clear + model.load + model.compute + model.drain;
        println!(
            "{name}, matrix {at}: {cycles} cycles, modelled {modelled} and {windows} x {}",
            ADDITION - 1
        );
        assert_eq!(cycles, modelled + windows * (ADDITION - 1), "{name}, matrix {at}");
    }
    matrices.len()
}

#[test]
#[ignore = "needs Verilator (Debian: verilator)"]
fn cycles_of_registers_beside_the_model() {
    assert_eq!(compare::<SerpensStreams<i32, 1, 16, 10>>("pairs"), 5);
    assert_eq!(compare::<SingleRows<i32, 4, 16>>("single_rows"), 5);
}

/// Elements that come too soon give other sums, in hardware too.
#[test]
#[ignore = "needs Verilator (Debian: verilator)"]
fn registers_show_hazards() {
    let design = Design::<SerpensStreams<i32, 1, 16, 10>>::new(parameters()).unwrap();
    let folder = build("hazards", &design);
    let triplets = &matrices()[0];
    let packed = design.pack(&padded(triplets)).unwrap();
    assert!(run(&folder, "usual", &design, &packed).0);
    let nearer = Design::<SerpensStreams<i32, 1, 16, 9>>::new(parameters()).unwrap();
    let nearer = nearer.pack(&padded(triplets)).unwrap();
    assert!(!run(&folder, "nearer", &design, &nearer).0);
    // Two elements of one pair of rows, in neighbouring slots.
    let [first, second] = pair(&packed, 3);
    let swapped = changed(&packed, 3, |words| words.swap(second, first + 8));
    assert!(!run(&folder, "swapped", &design, &swapped).0);
}
