//! Faults that are put in, each of which a simulation finds.

use std::fs;

use unisparse::hls::{HEADERS, Project};
use unisparse::prelude::*;

use crate::formats::transposed_hls;
use crate::{compiler, matrix, numbers};

/// Simulates a project after `from` in its kernel became `to`. Returns the exit code and the messages, or `None` without a
/// compiler.
fn changed(name: &str, project: &Project, [from, to]: [&str; 2]) -> Option<(Option<i32>, String)> {
    let folder = compiler::folder(name);
    project.emit(&folder).unwrap();
    let kernel = folder.join("kernel.cpp");
    let text = fs::read_to_string(&kernel).unwrap();
    assert!(text.contains(from), "{name}: there is no `{from}` in {text}");
    fs::write(&kernel, text.replacen(from, to, 1)).unwrap();
    let program = compiler::compile(&folder, &folder.join("shim"))?;
    let output = compiler::run(&program, &folder.join("golden"));
    Some((output.status.code(), compiler::text(&output)))
}

#[test]
fn wrong_claims_about_a_loop() {
    let triplets = matrix([9, 60], 60, 21);
    let a: Csr<f32> = triplets.convert().unwrap();
    let project = spmv_hls(&mut [0.0; 9], &a, &numbers(60, 22)).unwrap();
    // The distance says that nine additions may be under way, and there are eight sums.
    if let Some((code, text)) = changed(
        "distance",
        &project,
        ["UNISPARSE_CLAIM(sums, 8)", "UNISPARSE_CLAIM(sums, 9)"],
    ) {
        assert_eq!(code, Some(5), "{text}");
        assert!(
            text.contains("`sums[0]` is touched by iterations 0 and 8 of a loop"),
            "{text}"
        );
        assert!(text.contains("at least 9 apart"), "{text}");
    }
    // Columns of one row differ. Columns halved do not.
    let project = transposed_hls(&mut [0.0; 60], &a, &numbers(9, 23)).unwrap();
    let halved = [
        "const size_t col = a_col_idx[col_position];",
        "const size_t col = a_col_idx[col_position] / 2;",
    ];
    if let Some((code, text)) = changed("independent", &project, halved) {
        assert_eq!(code, Some(5), "{text}");
        assert!(
            text.contains("of a loop whose pragma says that no two of them touch one element"),
            "{text}"
        );
    }
}

#[test]
fn a_lost_store() {
    let a: Csr<f32> = matrix([9, 60], 60, 24).convert().unwrap();
    let mut y = [f32::NAN; 9];
    let project = spmv_hls(&mut y, &a, &numbers(60, 25)).unwrap();
    if let Some((code, text)) = changed("store", &project, ["y[row] = sum;", "if (row != 4) y[row] = sum;"]) {
        assert_eq!(code, Some(1), "{text}");
        assert!(text.contains("element 4 differs"), "{text}");
        assert!(text.contains("1 of 9 elements differ"), "{text}");
    }
}

/// A program over the streams of `hls_stream.h`, which writes all numbers to one stream before the other.
const TASKS: &str = r#"
#include <ap_int.h>
#include <unisparse_tasks.h>
#include <cstdio>

static void produce(hls::stream<int> &first, hls::stream<int> &second, int count) {
    for (int at = 0; at < count; at++) first.write(at);
    for (int at = 0; at < count; at++) second.write(at);
}

static void consume(hls::stream<int> &first, hls::stream<int> &second, int count, int *sum) {
    for (int at = 0; at < count; at++) *sum += first.read() * second.read();
}

int main() {
    int sum = 0;
    UNISPARSE_STREAM(int, first, DEPTH);
    UNISPARSE_STREAM(int, second, 2);
    UNISPARSE_TASKS;
    UNISPARSE_TASK(produce(first, second, 8));
    UNISPARSE_TASK(consume(first, second, 8, &sum));
    UNISPARSE_RUN;
    ap_uint<72> word(0);
    word.range(70, 60) = 5;
    if (word.range(70, 60) != 5) return 2;
    word.range(3, 0) = sum - 140 + FIELD;
    std::printf("%d", sum);
    return 0;
}
"#;

/// Returns the program with this depth and this number in a field of four bits.
pub(crate) fn tasks_of(depth: usize, field: usize) -> String {
    TASKS
        .replace("DEPTH", &depth.to_string())
        .replace("FIELD", &field.to_string())
}

/// Runs the program with this depth and this number in a field of four bits.
fn tasks(name: &str, depth: usize, field: usize) -> Option<(Option<i32>, String)> {
    let folder = compiler::folder(name);
    fs::create_dir_all(&folder).unwrap();
    for (name, header) in HEADERS {
        fs::write(folder.join(name), header).unwrap();
    }
    fs::write(folder.join("kernel.cpp"), tasks_of(depth, field)).unwrap();
    fs::write(folder.join("testbench.cpp"), "").unwrap();
    let program = compiler::compile(&folder, &folder)?;
    let output = compiler::run(&program, &folder);
    Some((output.status.code(), compiler::text(&output)))
}

#[test]
fn streams_that_are_too_short() {
    // Seven numbers are in the stream when the consumer takes the first.
    if let Some((code, text)) = tasks("long", 7, 15) {
        assert_eq!((code, text.as_str()), (Some(0), "140"));
    }
    if let Some((code, text)) = tasks("short", 6, 15) {
        assert_eq!(code, Some(3), "{text}");
        assert!(text.contains("deadlock: every task waits"), "{text}");
        assert!(
            text.contains("`produce(first, second, 8)` waits: stream `first` of depth 6 is full"),
            "{text}"
        );
        assert!(text.contains("waits: stream `second` of depth 2 is empty"), "{text}");
    }
}

#[test]
fn values_that_do_not_fit_their_bits() {
    if let Some((code, text)) = tasks("wide", 8, 16) {
        assert_eq!(code, Some(4), "{text}");
        assert!(
            text.contains("a value does not fit in its range of bits: 16, limit 15"),
            "{text}"
        );
    }
}
