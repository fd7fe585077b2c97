//! Random formats of matrices: products as kernels of CUDA, on a stand-in for a device in three schedules, have the results
//! of the processor, bit for bit. All operands are small integers, so every sum is exact.
#![allow(unused_variables, reason = "random formats declare queries that nothing reads")]

#[macro_use]
#[allow(unused_macros, dead_code, reason = "other tests use the rest")]
#[path = "../../../cuda_kernels/calls.rs"]
mod calls;
#[allow(dead_code, reason = "other tests use the rest")]
#[path = "../../../c_kernels/data.rs"]
mod data;
#[allow(dead_code, reason = "other tests use the rest")]
#[path = "../../../cuda_kernels/gate.rs"]
mod gate;
#[path = "../../../cuda_kernels/host.rs"]
mod host;
#[path = "../../../c_kernels/members.rs"]
mod members;
#[macro_use]
#[path = "../../../cuda_kernels/operands.rs"]
mod operands;
#[allow(dead_code, reason = "other tests use the rest")]
#[path = "../../../cuda_kernels/program.rs"]
mod program;
#[allow(dead_code, unreachable_pub, reason = "other tests use the rest")]
#[path = "../../../common/random.rs"]
mod random;
#[path = "../../../c_kernels/results.rs"]
mod results;
#[allow(dead_code, unreachable_pub, reason = "other tests use the rest")]
#[path = "../../../common/sample.rs"]
mod sample;
#[allow(unreachable_pub, reason = "other tests use it")]
#[path = "../../../common/shapes.rs"]
mod shapes;
#[allow(unreachable_pub, reason = "other tests use it")]
#[path = "../../../common/skewed.rs"]
mod skewed;

use calls::{call, some, texts};
use data::{Arrays, Input, arrays_as, dense};
use operands::{Operands, operands};
use program::{Call, Options};
use unisparse::__private::c::{Allocation, Kernels, Launch, When, Work};
use unisparse::kernels::{spmm, spmv};
use unisparse::{ErrorKind, Limit};

/// The maximum bytes of a tensor; larger ones are skipped.
const LIMIT: Limit = Limit::bytes(1 << 20);

/// The number of formats whose kernels are compiled as one program.
const BATCH: usize = 25;

/// A format, whatever its type.
struct Entry {
    text: &'static str,
    /// Appends the calls of all products of a matrix, or returns `false` if the tensor is too large.
    add: fn(&Operands, &mut Vec<Call>) -> bool,
}

macro_rules! entry {
    ($element:ident ($of:expr) $kind:ident $format:ident [$($constant:literal),*] $text:literal) => {
        Entry {
            text: $text,
            add: |operands, calls| {
                let of: fn(f64) -> $element = $of;
                if let Err(error) = operands.triplets.convert_within::<$format<f64, $($constant),*>>(LIMIT) {
                    assert_eq!(error.kind(), ErrorKind::Limit, "{error}");
                    return false;
                }
                products_of!(($element of operands calls) $kind $format [$($constant),*]);
                true
            },
        }
    };
}

#[cfg(feature = "half")]
use unisparse::{bf16, f16};

include!(concat!(env!("OUT_DIR"), "/device.rs"));

/// Numbers of lanes, with positions of 64 bits, and with a search for races: each for some of the programs.
const OPTIONS: [(usize, bool, bool); 4] = [(32, false, true), (4, true, false), (8, false, true), (1, false, false)];

/// All kernels compile for real devices, and keep their variables in few registers.
#[test]
#[ignore = "needs UNISPARSE_NVRTC"]
fn nvrtc_compiles_products_of_random_formats_without_spills() {
    let all = operands();
    let texts_of = |batch: &[Entry]| {
        let mut calls = Vec::new();
        for Entry { add, .. } in batch {
            add(&all[4], &mut calls);
        }
        ("random", texts(&calls))
    };
    let files: Vec<(&str, String)> = TABLE.chunks(BATCH).map(texts_of).collect();
    gate::check(&files);
}

#[test]
fn products_on_a_device_are_those_of_the_processor() {
    let (all, mut failures) = (operands(), Vec::new());
    let (mut count, mut skipped) = (0, 0);
    for (number, (batch, (lanes, wide, races))) in TABLE.chunks(BATCH).zip(OPTIONS.into_iter().cycle()).enumerate() {
        let mut calls = Vec::new();
        for Entry { add, .. } in batch {
            skipped += all.iter().filter(|operands| !add(operands, &mut calls)).count();
        }
        // Of a few formats, as at each change, every third kernel.
        if TABLE.len() < BATCH {
            calls = some(calls, 0, 3);
        }
        count += calls.len();
        let options = Options { lanes, wide, races };
        let Some(different) = program::run(&format!("random_{number}"), &calls, options) else {
            return;
        };
        failures.extend(different);
    }
    println!(
        "{} formats: {count} calls; {skipped} matrices are too large",
        TABLE.len()
    );
    for failure in &failures {
        // The name of a kernel contains that of its format.
        let is_in = |entry: &&Entry| {
            let name = entry.text["pub format ".len()..].split(['<', ' ']).next();
            name.is_some_and(|name| failure.contains(&name.to_lowercase()))
        };
        println!(
            "{failure}\n    {}",
            TABLE.iter().find(is_in).map_or("", |entry| entry.text)
        );
    }
    assert!(failures.is_empty(), "{} differ", failures.len());
    assert!(skipped * 4 < TABLE.len() * all.len(), "most matrices are left out");
}
