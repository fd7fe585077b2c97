//! The open rows of `pim::Device::blimp` against DRAMsim3: seconds that the accesses of one core take, one after another.
//!
//! ```sh
//! cargo run --release -- a.mtx.gz b.mtx.gz ..
//! ```
//!
//! prints a table and fails if one trace differs by more than a tenth. Both have the timings of the same memory; the cycles
//! that a controller adds to each access are DRAMsim3's own, measured with one read.

mod serial;

use std::error::Error;
use std::path::Path;
use std::process::ExitCode;

use serial::Serial;
use unisparse::kernels::{spmm, spmv};
use unisparse::pim::{self, Access, Core, Device, Dram, Memory};
use unisparse::prelude::*;
use unisparse::{Triplets, pim_kernel};

/// The cores of the device. The core with most elements is compared.
const CORES: usize = 16;

/// Collects the accesses of a core.
#[derive(Default)]
struct Accesses(Vec<Access>);

impl Memory for Accesses {
    fn access(&mut self, access: Access) {
        self.0.push(access);
    }
}

/// Compares a kernel on one format and a dense operand of `$width` columns. Returns the modelled cycles over those of DRAMsim3.
macro_rules! compare {
    ($triplets:expr, $name:expr, $memory:expr, $kernel:path, $format:ty, $width:literal) => {{
        let a: $format = $triplets.convert()?;
        let kernel = pim_kernel!($kernel, A: $format);
        let x = vec![1.0; a.shape()[1] * $width];
        let (dram, device) = with_controller($memory);
        let report = pim::run(&device, &kernel, &a, &[&x[..]])?.report;
        let core = report.cores.iter().max_by_key(|core| core.elements).ok_or("no core has a part")?;
        let mut accesses = Accesses::default();
        pim::accesses(&device, &kernel, &a, &[&x[..]], core.core, &mut accesses)?;
        let accesses = accesses.0;
        let simulated = $memory.cycles(accesses.iter().map(|access| (access.address, access.write)))?;
        let modelled = core.memory_seconds / dram.cycle;
        let rows = accesses.windows(2).filter(|two| two[0].address / dram.row_bytes != two[1].address / dram.row_bytes);
        println!(
            "{:<40} {:<4} {:<10} {:>9} {:>9.3} {:>9.3} {:>12} {:>12.0} {:>7.3}",
            $name,
            stringify!($kernel),
            report.format,
            accesses.len(),
            accesses.iter().filter(|access| access.write).count() as f64 / accesses.len() as f64,
            rows.count() as f64 / accesses.len() as f64,
            simulated,
            modelled,
            modelled / simulated as f64
        );
        modelled / simulated as f64
    }};
}

/// Returns the memory of a BLIMP core, with the cycles that this controller adds to a read.
fn with_controller(memory: &Serial) -> (Dram, Device) {
    let mut device = Device::blimp(CORES);
    let Core::Blimp { dram, .. } = &mut device.core else {
        unreachable!("a device of BLIMP cores");
    };
    dram.controller = memory.controller;
    (*dram, device)
}

/// Compares products with a vector, which read arrays far from one another in turn, and with a matrix, whose rows stay open.
fn ratios(path: &str, memory: &Serial) -> Result<[f64; 4], Box<dyn Error>> {
    let triplets: Triplets<f32, 2> = unisparse::io::read_matrix_market(path)?;
    let name = Path::new(path).file_name().unwrap_or_default().to_string_lossy();
    Ok([
        compare!(triplets, name, memory, spmv, C2sr<f32, 16>, 1),
        compare!(triplets, name, memory, spmv, Cisr<f32, 16>, 1),
        compare!(triplets, name, memory, spmv, CisrPlus<f32, 16>, 1),
        compare!(triplets, name, memory, spmm, C2sr<f32, 16>, 16),
    ])
}

fn main() -> Result<ExitCode, Box<dyn Error>> {
    let Core::Blimp { dram, .. } = Device::blimp(CORES).core else {
        unreachable!("a device of BLIMP cores");
    };
    let memory = Serial::new(dram)?;
    println!(
        "controller: {} cycles a read\n{:<40} {:<4} {:<10} {:>9} {:>9} {:>9} {:>12} {:>12} {:>7}",
        memory.controller,
        "matrix",
        "kernel",
        "format",
        "accesses",
        "writes",
        "new rows",
        "DRAMsim3",
        "modelled",
        "ratio"
    );
    let (mut traces, mut worst) = (0, 1.0f64);
    for path in std::env::args().skip(1) {
        for ratio in ratios(&path, &memory)? {
            traces += 1;
            if (ratio - 1.0).abs() > (worst - 1.0).abs() {
                worst = ratio;
            }
        }
    }
    println!("{traces} traces, worst ratio {worst:.3}");
    let within = traces > 0 && (worst - 1.0).abs() <= 0.1;
    Ok(if within { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
