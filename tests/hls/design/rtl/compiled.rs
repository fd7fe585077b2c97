//! The loop of a lane, compiled by CIRCT: its cycles are slots times an interval, whatever the words are.

use std::fs;
use std::process::Command;

use unisparse::hls::{Design, Parameters};

use super::super::{SerpensStreams, padded};
use super::{matrices, parameters};
use crate::compiler;

/// The sums of a lane, the columns of a window, and the most slots.
const SIZES: [usize; 3] = [64, 16, 1024];
const FILLER: u64 = 0x0003_FFFF_0000_0000;

/// Returns the sums of a lane, of whose words bit 32 is the half of a pair.
fn sums(words: &[u64], x: &[i32]) -> Vec<i32> {
    let mut sums = vec![0i32; SIZES[0]];
    for word in words.iter().filter(|word| **word != FILLER) {
        let row = (word >> 32 & 0x3_FFFF) as usize;
        sums[row] += *word as i32 * x[(word >> 50) as usize];
    }
    sums
}

#[test]
#[ignore = "needs Verilator (Debian: verilator), and Python with the package PyCDE as UNISPARSE_PYCDE"]
fn cycles_of_a_compiled_loop() {
    let folder = compiler::folder("rtl_compiled");
    fs::create_dir_all(&folder).unwrap();
    for (file, text) in [
        ("loop.py", include_str!("loop.py")),
        ("loop.cpp", include_str!("loop.cpp")),
    ] {
        fs::write(folder.join(file), text).unwrap();
    }
    fs::write(folder.join("numbers.h"), format!("#define SUMS {}\n", SIZES[0])).unwrap();
    let python = std::env::var_os("UNISPARSE_PYCDE").expect("UNISPARSE_PYCDE is a Python with the package PyCDE");
    let numbers = [32, 18, 50].into_iter().chain(SIZES).map(|number| number.to_string());
    let output = Command::new(python)
        .arg("loop.py")
        .args(numbers)
        .current_dir(&folder)
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", compiler::text(&output));
    fs::write(folder.join("lane.sv"), output.stdout).unwrap();
    let mut command = Command::new("verilator");
    command.args([
        "--cc",
        "--exe",
        "--build",
        "-Wno-fatal",
        "-Wno-lint",
        "--top-module",
        "lane",
        "lane.sv",
        "loop.cpp",
    ]);
    let output = command.current_dir(&folder).output().unwrap();
    assert!(output.status.success(), "{}", compiler::text(&output));

    let design = Design::<SerpensStreams<i32, 1, 16, 10>>::new(parameters()).unwrap();
    let packed = design.pack(&padded(&matrices()[1])).unwrap();
    let x: Vec<i32> = (0..16).map(|column| 3 * column - 20).collect();
    let words: Vec<u64> = packed.words(2).step_by(8).map(|word| word as u64).collect();
    let elements = words.iter().filter(|word| **word != FILLER).count();
    assert!(elements > 20 && elements < words.len(), "{elements}");
    let run = |words: &[u64]| -> usize {
        let data = folder.join(words.len().to_string());
        fs::create_dir_all(&data).unwrap();
        fs::write(
            data.join("words.bin"),
            words.iter().flat_map(|word| word.to_le_bytes()).collect::<Vec<u8>>(),
        )
        .unwrap();
        fs::write(
            data.join("x.bin"),
            x.iter().flat_map(|x| x.to_le_bytes()).collect::<Vec<u8>>(),
        )
        .unwrap();
        let output = Command::new(folder.join("obj_dir/Vlane")).arg(&data).output().unwrap();
        assert!(output.status.success(), "{}", compiler::text(&output));
        let text = String::from_utf8(output.stdout).unwrap();
        let mut lines = text.lines();
        let cycles = lines.next().unwrap().parse().unwrap();
        let found: Vec<i32> = lines.map(|line| line.parse().unwrap()).collect();
        assert_eq!(found, sums(words, &x), "{} slots", words.len());
        cycles
    };
    let [none, one] = [run(&[]), run(&words[..1])];
    let two = run(&words[..2]);
    let (interval, rest) = (two - one, 2 * one - two);
    println!("{interval} n + {rest} cycles of n slots, {none} of none");
    // The model has this interval for an addition of as many cycles without a distance that hides any.
    let model = Parameters {
        addition: (interval * design.distance()) as u64,
        ..parameters()
    };
    let cycles = Design::<SerpensStreams<i32, 1, 16, 10>>::new(model)
        .unwrap()
        .cycles(&packed);
    assert_eq!(cycles.compute, (interval * words.len()) as u64);
    for count in [3, 10, 40, 64, words.len()] {
        assert_eq!(run(&words[..count]), interval * count + rest, "{count} slots");
    }
}
