//! The packing as a program of C++, which is printed from the declaration, against that of the library.

use std::fmt::Write as _;
use std::fs;
use std::path::PathBuf;
use std::process::Command;

use unisparse::hls::{Design, Element, Parameters, Project};
use unisparse::io::{ReadScalar, parse_matrix_market};
use unisparse::prelude::*;
use unisparse::{Bits, Triplets, WordParts};

#[cfg(every_product)]
use super::{FieldOfWindow, SingleRows};
use super::{Packets, RowStreams, Scheduled, SerpensStreams, SharedSlots, padded};
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

/// The printed program of a design.
struct Host<F> {
    design: Design<F>,
    folder: PathBuf,
    program: PathBuf,
}

impl<F: WordParts<2> + SparseTensor<2, Scalar: Element + Bits>> Host<F> {
    /// Compiles the program. Returns `None` without a compiler.
    fn compile(name: &str) -> Option<Self> {
        let design = Design::<F>::new(Parameters::default()).unwrap();
        let folder = compiler::folder(&format!("host_{name}"));
        project(&design, &Triplets::new([1, 1])).emit(&folder).unwrap();
        fs::rename(folder.join("host_pack.cpp"), folder.join("kernel.cpp")).unwrap();
        fs::write(folder.join("testbench.cpp"), "").unwrap();
        let program = compiler::compile(&folder, &folder.join("shim"))?;
        Some(Host {
            design,
            folder,
            program,
        })
    }

    /// Packs a file. Returns the exit code and the messages.
    fn run(&self, text: &str) -> (Option<i32>, String) {
        let own = self.folder.join("host");
        let _ = fs::remove_dir_all(&own);
        fs::create_dir_all(&own).unwrap();
        let matrix = self.folder.join("matrix.mtx");
        fs::write(&matrix, text).unwrap();
        let output = Command::new(&self.program).args([&matrix, &own]).output().unwrap();
        (output.status.code(), compiler::text(&output))
    }

    /// Packs a file with both programs.
    fn compare(&self, name: &str, triplets: &Triplets<F::Scalar, 2>, text: &str) {
        let (code, messages) = self.run(text);
        assert_eq!(code, Some(0), "{name}: {messages}");
        let data = self.folder.join("data");
        project(&self.design, triplets).emit_data(&data).unwrap();
        let words = (0..self.design.channels()).map(|channel| format!("words_{channel}"));
        for port in words.chain(["sizes".to_owned()]) {
            let [expected, found] =
                [&data, &self.folder.join("host")].map(|of| fs::read(of.join(format!("{port}.bin"))).unwrap());
            assert!(expected == found, "{name}: {port} differs");
        }
    }
}

impl<F> Drop for Host<F> {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            let _ = fs::remove_dir_all(&self.folder);
        }
    }
}

fn project<F>(design: &Design<F>, triplets: &Triplets<F::Scalar, 2>) -> Project
where
    F: WordParts<2> + SparseTensor<2, Scalar: Element + Bits>,
{
    let packed = design.pack(&padded(triplets)).unwrap();
    let [rows, cols] = packed.shape();
    let [x, y] = [cols, rows].map(|count| vec![F::Scalar::ONE; count]);
    design.project(&packed, &x, &y, [F::Scalar::ONE; 2]).unwrap()
}

/// Packs matrices with both programs. Returns the number of matrices, or `None` without a compiler.
fn compare<F>(name: &str, value: impl Fn(i32) -> F::Scalar, text: impl Fn(F::Scalar) -> String) -> Option<usize>
where
    F: WordParts<2> + SparseTensor<2, Scalar: Element + Bits>,
{
    let host = Host::<F>::compile(name)?;
    for (seed, shape) in SHAPES.into_iter().enumerate() {
        let list = elements(seed as u64 + 60, shape);
        let triplets =
            Triplets::try_from_triplets(shape, list.iter().map(|&(at, number)| (at, value(number)))).unwrap();
        let mut file = format!(
            "%%MatrixMarket matrix coordinate real general\n% {name}\n{} {} {}\n",
            shape[0],
            shape[1],
            list.len()
        );
        for ([i, j], number) in list {
            writeln!(file, "{} {} {}", i + 1, j + 1, text(value(number))).unwrap();
        }
        host.compare(&format!("{name} of {shape:?}"), &triplets, &file);
    }
    // No field has room for this row.
    let (code, messages) = host.run("%%MatrixMarket matrix coordinate real general\n80000000 1 1\n80000000 1 1\n");
    assert_eq!(code, Some(1), "{name}");
    assert!(messages.contains("does not fit"), "{name}: {messages}");
    Some(SHAPES.len())
}

/// Reads files with both programs: `right` ones as the library reads them, and `wrong` ones, which neither reads.
fn read<F>(name: &str, right: &[String], wrong: &[(String, &str)]) -> Option<()>
where
    F: WordParts<2> + SparseTensor<2, Scalar: Element + Bits + ReadScalar>,
{
    let host = Host::<F>::compile(name)?;
    let library = |text: &str| parse_matrix_market::<F::Scalar, _>(text.as_bytes());
    for text in right {
        host.compare(text, &library(text).unwrap(), text);
    }
    for (text, message) in wrong {
        assert!(library(text).is_err(), "{text}");
        let (code, messages) = host.run(text);
        assert_eq!(code, Some(1), "{text}: {messages}");
        assert!(messages.contains(message), "{text}: {messages}");
    }
    Some(())
}

#[test]
fn files_of_the_printed_packer() {
    let file = |banner: &str, lines: &str| format!("%%MatrixMarket matrix coordinate {banner}\n{lines}");
    let one = |value: &str| file("integer general", &format!("2 3 1\n2 3 {value}\n"));
    let right = [
        "%%matrixmarket MATRIX Coordinate Integer General\n\n% a\n \t\n 2 3 2 \n\n1 1 18446744073709551615\n% b\r\n2\t3 7\r\n\n"
            .to_owned(),
        file("pattern SYMMETRIC", "3 3 3\n2 1\n3 3\n3 1\n"),
        "%MatrixMarket matrix coordinate unsigned-integer general\n1 1 0".to_owned(),
    ];
    let wrong = [
        (one("2.5"), "no number"),
        (one("7x"), "no number"),
        (one("-1"), "does not fit"),
        (one("18446744073709551616"), "does not fit"),
        (file("real general", "2 3\n2 3 1\n"), "line of sizes"),
        (file("real general", "2.5 3 1\n2 3 1\n"), "no number"),
        (file("real general", "-2 3 0\n"), "no matrix has"),
        (file("real general", ""), "line of sizes"),
        (file("real general", "2 3 2\n2 3 1\n"), "ends before"),
        (file("real general", "2 3 1\n2 3 1\n1 1 1\n"), "goes on"),
        (file("real general", "2 3 1\n2 3\n"), "another number of words"),
        (file("real general", "2 3 1\n3 3 1\n"), "outside of the shape"),
        (file("real symmetric", "2 3 1\n2 2 1\n"), "no matrix has"),
        (file("complex general", "2 3 1\n2 2 1 0\n"), "no matrix of real numbers"),
        ("2 3 1\n2 2 1\n".to_owned(), "no coordinate file"),
    ];
    read::<Packets<u64, 2>>("read_u64", &right, &wrong);
    #[cfg(every_product)]
    {
        let right = [one("127"), one("-128"), one("+5")];
        read::<Packets<i8, 2>>("read_i8", &right, &[(one("128"), "does not fit")]);
    }
    let right = ["1.5d3", "-2E-2", "1e-60", "3.4e38", "0.1", "inf"].map(one);
    let wrong = [
        (one("1e40"), "does not fit"),
        (one("0x10"), "no decimal"),
        (one("."), "no number"),
    ];
    read::<RowStreams<f32, 3>>("read_f32", &right, &wrong);
}

#[test]
fn streams_of_the_printed_packer() {
    // Halves, and negative zero in place of zero.
    let half = |number: i32| if number == 0 { -0.0 } else { number as f32 / 2.0 };
    let with_zero = |number: i32| number as f32;
    let text = |value: f32| format!("{value:?}");
    let made = [
        compare::<SerpensStreams<f32, 1, 16, 10>>("serpens", half, text),
        #[cfg(every_product)]
        compare::<Packets<f64, 2>>("packets", f64::from, |value| format!("{value:?}")),
        compare::<SharedSlots<f32, 3, 3>>("later_slots", with_zero, text),
        #[cfg(every_product)]
        compare::<SingleRows<f32, 4, 16>>("single_rows", with_zero, text),
        #[cfg(every_product)]
        compare::<FieldOfWindow<f32, 4, 16>>("field_of_window", half, text),
        #[cfg(every_product)]
        compare::<RowStreams<f32, 3>>("row_streams", half, text),
        #[cfg(every_product)]
        compare::<SharedSlots<f32, 2, 1>>("shared_slots", half, text),
    ];
    let all = made.len() * SHAPES.len();
    let count: usize = made.into_iter().flatten().sum();
    println!("{count} matrices");
    assert!(count == all || count == 0, "{count}");
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
