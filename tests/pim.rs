//! Kernels on the cores of devices that process in memory.
#![cfg(feature = "pim")]
#![deny(warnings, missing_docs, unreachable_pub, unused)]
#![forbid(unsafe_code)]

mod common;
#[path = "pim/statements.rs"]
mod statements;

use common::Random;
use unisparse::kernels::spmm;
use unisparse::pim::{self, Device, Opcode, Report};
use unisparse::prelude::*;
use unisparse::{ErrorKind, Triplets, pim_kernel};

sparse_format! {
    /// Elements dealt in turn, wherever their rows are.
    pub format Dealt<const P: usize = 2> = |i, j| (core: (i + j) % P, row: i, col: j)
        { merge(core, row); trim(row..=col); partition(core); }
    /// Dense blocks in the parts.
    pub format Blocked<const P: usize = 2> = |i, j| (core: i / 2 % P, brow: i / 2, bcol: j / 3, r: i % 2, c: j % 3)
        { merge(core, brow, bcol); trim(brow..=bcol); partition(core); }
    /// Columns on cores, whose outputs overlap.
    pub format Columns<const P: usize = 2> = |i, j| (core: j % P, col: j, row: i)
        { merge(core, col); trim(col..=row); partition(core); }
    /// Columns on cores, each with all rows.
    pub format Spread<const P: usize = 2> = |i, j| (core: j % P, row: i, col: j)
        { merge(core, row); trim(col); partition(core); }
}

sparse_kernel! {
    /// All kinds of inputs that a core reads.
    pub fn scaled: y[i] = alpha * z[i] * A[i, j] * x[j] where A: C2sr | Cisr;
}

/// Returns a matrix of small integers, so that sums are exact in every order.
fn matrix([rows, cols]: [usize; 2], count: usize, seed: u64) -> Triplets<f32, 2> {
    let mut random = Random::new(seed);
    let mut triplets = std::collections::BTreeMap::new();
    for _ in 0..count {
        // Squares favour the first rows.
        let row = random.below(rows) * random.below(rows) / rows;
        triplets.insert([row, random.below(cols)], (1 + random.below(7)) as f32);
    }
    Triplets::try_from_triplets([rows, cols], triplets).unwrap()
}

fn vector(len: usize) -> Vec<f32> {
    (0..len).map(|at| (at % 5) as f32 - 2.0).collect()
}

/// Checks a run against the elements that each core has: what it computes from these, loads and outputs. Cores over a format
/// without elements in each of its rows write more.
fn check(y: &[f32], report: &Report, parts: &[Vec<([usize; 2], f32)>], x: &[f32]) -> Result<(), String> {
    let cores = report.device.cores;
    let (mut sums, mut writers) = (vec![0.0; y.len()], vec![0u64; y.len()]);
    for core in 0..cores.min(parts.len()) {
        let mut own = std::collections::BTreeMap::new();
        let mut count = 0;
        for &([i, j], value) in parts.iter().skip(core).step_by(cores).flatten() {
            *own.entry(i).or_insert(0.0) += value * x[j];
            count += 1;
        }
        let found = &report.cores[core];
        if found.elements != count {
            return Err(format!("core {core} has {} elements, not {count}", found.elements));
        }
        for (i, sum) in own {
            sums[i] += sum;
            writers[i] += 1;
        }
    }
    let bits = |y: &[f32]| y.iter().map(|value| value.to_bits()).collect::<Vec<_>>();
    if bits(y) != bits(&sums) {
        return Err("other results".to_owned());
    }
    let shared: u64 = writers.iter().map(|count| count.saturating_sub(1)).sum();
    let visits_more = ["Blocked", "Spread"].contains(&report.format.as_str());
    if report.shared < shared || (report.shared > shared && !visits_more) {
        return Err(format!("{} shared outputs, not {shared}", report.shared));
    }
    Ok(())
}

macro_rules! parts {
    ($tensor:expr) => {
        $tensor
            .parts()
            .iter()
            .map(|part| part.iter().collect())
            .collect::<Vec<Vec<_>>>()
    };
}

#[test]
fn every_partitioned_format_runs_core_by_core() {
    for shape in [[9, 7], [1, 12], [12, 1], [40, 33], [0, 4], [4, 0]] {
        let count = if shape.contains(&0) { 0 } else { 3 * shape[0] };
        let triplets = matrix(shape, count, 5);
        let x = vector(shape[1]);
        macro_rules! compare {
            ($($format:ident<f32, $parts:literal>),*) => {$(
                let a: $format<f32, $parts> = triplets.convert().unwrap();
                let kernel = pim_kernel!(unisparse::kernels::spmv, A: $format<f32, $parts>);
                let mut y = vec![0.0; shape[0]];
                spmv(&mut y, &a, &x).unwrap();
                for cores in [1, 2, 3, 4, 7] {
                    let what = format!("{} {shape:?} {cores}", kernel.format);
                    let run = pim::run(&Device::blimp(cores), &kernel, &a, &[&x]).unwrap();
                    assert_eq!(run.y, y, "{what}");
                    check(&run.y, &run.report, &parts!(a), &x).unwrap_or_else(|error| panic!("{what}: {error}"));
                    assert_eq!(run.report.elements(), triplets.len() as u64, "{what}");
                }
            )*};
        }
        compare!(C2sr<f32, 4>, Cisr<f32, 4>, CisrPlus<f32, 3>, Dealt<f32, 3>, Blocked<f32, 2>, Columns<f32, 3>,
            Spread<f32, 3>);
    }
}

/// The inner loop of compressed rows has the nine instructions that GCC 12.2 -O3 emits for RV64GC: three loads, two pointers and
/// an address in three instructions, a product that is added, a branch.
#[test]
fn an_element_of_a_row_takes_nine_instructions() {
    let counts = |elements: usize| {
        let row = (0..elements).map(|j| ([0, j], 1.0f32));
        let a = Cisr::<f32, 2>::try_from_triplets([1, 20], row).unwrap();
        let kernel = pim_kernel!(unisparse::kernels::spmv, A: Cisr<f32, 2>);
        let run = pim::run(&Device::blimp(2), &kernel, &a, &[&vector(20)]).unwrap();
        run.report.instructions()
    };
    let (ten, eleven) = (counts(10), counts(11));
    let differences: Vec<u64> = eleven.iter().zip(ten).map(|(more, less)| more - less).collect();
    let expected = |opcode| match opcode {
        Opcode::Load | Opcode::Add => 3,
        Opcode::Shift | Opcode::Branch | Opcode::ElementMultiplyAdd => 1,
        _ => 0,
    };
    assert_eq!(differences, Opcode::ALL.map(expected));
    let of_row = ten.iter().sum::<u64>() - 90;
    assert!((10..=30).contains(&of_row), "{of_row} instructions for the row");
}

#[test]
fn other_kernels_run() {
    let triplets = matrix([30, 20], 90, 3);
    let a: C2sr<f32, 4> = triplets.convert().unwrap();
    let (x, z, alpha) = (vector(20), vector(30), 3.0);
    let mut y = vec![0.0; 30];
    scaled(&mut y, alpha, &z, &a, &x).unwrap();
    let kernel = pim_kernel!(scaled, A: C2sr<f32, 4>);
    let run = pim::run(&Device::blimp(4), &kernel, &a, &[&[alpha], &z, &x]).unwrap();
    assert_eq!(run.y, y);

    let b: Vec<f32> = (0..20 * 37).map(|at| (at % 3) as f32).collect();
    let mut c = vec![0.0; 30 * 37];
    spmm(&mut c, &a, &b).unwrap();
    let kernel = pim_kernel!(spmm, A: C2sr<f32, 4>);
    assert_eq!(pim::run(&Device::blimp(3), &kernel, &a, &[&b]).unwrap().y, c);
}

#[test]
fn what_does_not_fit_is_refused() {
    let a: C2sr<f32, 2> = matrix([6, 5], 12, 1).convert().unwrap();
    let kernel = pim_kernel!(unisparse::kernels::spmv, A: C2sr<f32, 2>);
    let (device, x) = (Device::blimp(2), vector(5));
    let kind = |device: &Device, operands: &[&[f32]]| pim::run(device, &kernel, &a, operands).unwrap_err().kind();
    assert_eq!(kind(&device, &[&x[1..]]), ErrorKind::Shape);
    assert_eq!(kind(&device, &[]), ErrorKind::Structure);
    assert_eq!(kind(&Device::blimp(0), &[&x]), ErrorKind::Structure);
    let small = Device {
        bank_bytes: 100,
        ..device
    };
    assert_eq!(kind(&small, &[&x]), ErrorKind::Limit);
    // A device has its own cores only: another number would give the parts of another core.
    let mut trace = pim::Trace::new(Vec::new());
    for core in [2, 3, usize::MAX] {
        let error = pim::accesses(&device, &kernel, &a, &[&x], core, &mut trace).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::OutOfBounds);
    }
    assert_eq!(trace.finish().unwrap(), 0);
    // The time of a product is not known of an UPMEM core.
    let error = pim::run(&Device::upmem(2), &kernel, &a, &[&x]).unwrap_err();
    assert_eq!((error.kind(), error.subject()), (ErrorKind::Structure, "element_add"));
}

#[test]
fn faults_are_caught() {
    let (triplets, x) = (matrix([20, 20], 60, 9), vector(20));
    let a: Cisr<f32, 4> = triplets.convert().unwrap();
    let kernel = pim_kernel!(unisparse::kernels::spmv, A: Cisr<f32, 4>);
    let run = pim::run(&Device::blimp(4), &kernel, &a, &[&x]).unwrap();
    let parts = parts!(a);
    check(&run.y, &run.report, &parts, &x).unwrap();

    // A row that core 1 drops.
    let mut dropped = parts.clone();
    let row = dropped[1][0].0[0];
    dropped[1].retain(|([i, _], _)| *i != row);
    check(&run.y, &run.report, &dropped, &x).unwrap_err();
    // The same row on another core.
    let mut moved = parts.clone();
    let of_row = parts[1].iter().filter(|([i, _], _)| *i == row);
    moved[2].extend(of_row);
    moved[1].retain(|([i, _], _)| *i != row);
    check(&run.y, &run.report, &moved, &x).unwrap_err();
    // Two cores exchanged.
    let mut exchanged = parts;
    exchanged.swap(0, 3);
    let loads = run.report.loads();
    assert_ne!(loads[0], loads[3]);
    check(&run.y, &run.report, &exchanged, &x).unwrap_err();
    // A result that lacks one product.
    let mut y = run.y.clone();
    y[row] += 1.0;
    check(&y, &run.report, &parts!(a), &x).unwrap_err();
}

/// One core with one row of two elements: its accesses and times by hand.
#[test]
fn an_open_row_by_hand() {
    let a = C2sr::<f32, 1>::try_from_triplets([1, 4], [([0, 0], 1.0), ([0, 1], 2.0)]).unwrap();
    let kernel = pim_kernel!(unisparse::kernels::spmv, A: C2sr<f32, 1>);
    let run = pim::run(&Device::blimp(1), &kernel, &a, &[&vector(4)]).unwrap();
    let core = run.report.cores[0];
    let accesses = (core.instructions[Opcode::Load as usize] + core.instructions[Opcode::Store as usize]) as f64;
    // Two pointers; for each element its coordinate, its value and that of `x`; the output is read and written.
    assert_eq!(accesses, 2.0 + 3.0 * 2.0 + 2.0);
    // Everything is in the first row of the bank: one activation of 10 cycles, then hits of 10 + 4 + 5.
    assert!((core.memory_seconds - (10.0 + 19.0 * accesses) * 1.5e-9).abs() < 1e-15);
    assert_eq!((core.read_bytes, core.written_bytes), (4 * 9, 4));
    let all = core.instructions.iter().sum::<u64>() as f64;
    assert!((core.compute_seconds - all / 200e6).abs() < 1e-15);

    // Rows of the bank of 64 bytes: each access is to another array, and so to another row, but for the two pointers.
    let mut device = Device::blimp(1);
    if let pim::Core::Blimp { dram, .. } = &mut device.core {
        dram.row_bytes = 64;
    }
    let other = pim::run(&device, &kernel, &a, &[&vector(4)]).unwrap();
    // ptr ptr | idx | value | x | idx | value | x | y y
    let conflicts = 7.0;
    assert!((other.report.cores[0].memory_seconds - core.memory_seconds - conflicts * 20.0 * 1.5e-9).abs() < 1e-15);
}

/// One row of 64 elements: its transfers and times by hand. Arrays come in blocks of 256 bytes, `x` in words of 8.
#[test]
fn transfers_of_upmem_by_hand() {
    let row = (0..64).map(|j| ([0, j], 1));
    let a = Cisr::<i32, 1>::try_from_triplets([1, 64], row).unwrap();
    let kernel = pim_kernel!(unisparse::kernels::spmv, A: Cisr<i32, 1>);
    let x = vec![1; 64];
    let device = [Opcode::ElementAdd, Opcode::ElementMultiplyAdd]
        .into_iter()
        .fold(Device::upmem(1), |device, opcode| device.with_cost(opcode, 1.0));
    let core = pim::run(&device, &kernel, &a, &[&x]).unwrap().report.cores[0];
    // The row number, its pointers, coordinates and values; 32 pairs of `x`; the output is read and written back.
    // 16 tasklets wait at once, so that the engine is what takes time: a line through 16.3 cycles for 8 bytes and 571.8 MB/s.
    let slope = (1024.0 * 350.0 / 571.8 - 16.3) / 1016.0;
    let transfer = |bytes: f64| 16.3 + slope * (bytes - 8.0);
    let engine = 4.0 * transfer(256.0) + 34.0 * transfer(8.0);
    let cycles = core.memory_seconds * 350e6;
    assert!((cycles - engine).abs() < 1e-6, "{cycles}");
    // With 16 tasklets the pipeline is full: instructions and their conflicts.
    let (all, branches) = (
        core.instructions.iter().sum::<u64>(),
        core.instructions[Opcode::Branch as usize],
    );
    let slope = (8.7 - 4.3) / 24.0;
    let issued = all as f64 * (1.0 + slope) + branches as f64 * (4.3 - 8.0 * slope);
    assert!((core.compute_seconds * 350e6 - issued).abs() < 1e-6);
    // Instructions and transfers overlap.
    assert!((core.seconds * 350e6 - issued.max(engine)).abs() < 1e-6);

    // One tasklet waits for each of its instructions and transfers.
    let mut device = device;
    if let pim::Core::Upmem { tasklets, .. } = &mut device.core {
        *tasklets = 1;
    }
    let alone = pim::run(&device, &kernel, &a, &[&x]).unwrap().report.cores[0];
    let transfer = |bytes: f64| 77.0 + 0.5 * bytes;
    let waited = 4.0 * transfer(256.0) + 33.0 * transfer(8.0) + 61.0 + 4.0;
    assert!((alone.seconds * 350e6 - 11.0 * all as f64 - waited).abs() < 1e-6);
}

/// Loads by the formats' rule, counted independently: rows dealt in turn, to the least loaded core, or longest first. The least
/// possible load is that of the longest row, or the mean.
#[test]
fn loads_of_real_graphs() {
    // (matrix, cores, longest row, greatest loads of C2SR, CISR and CISR-plus)
    const EXPECTED: [(&str, usize, u64, [u64; 3]); 4] = [
        ("wiki-Vote", 1024, 893, [912, 900, 893]),
        ("wiki-Vote", 2048, 893, [893, 894, 893]),
        ("p2p-Gnutella31", 1024, 78, [251, 202, 146]),
        ("p2p-Gnutella31", 2048, 78, [161, 131, 78]),
    ];
    for (name, cores, longest, expected) in EXPECTED {
        let Some(path) = common::data::shared(&format!("data/paper/{name}.mtx.gz")) else {
            continue;
        };
        let triplets: Triplets<f32, 2> = unisparse::io::read_matrix_market(path).unwrap();
        let [rows, cols] = triplets.shape();
        let mut lengths = vec![0u64; rows];
        triplets.iter().for_each(|([i, _], _)| lengths[i] += 1);
        assert_eq!(lengths.iter().max(), Some(&longest), "{name}");
        let x = vector(cols);
        macro_rules! loads {
            ($format:ident, $cores:literal) => {{
                let a: $format<f32, $cores> = triplets.convert().unwrap();
                let kernel = pim_kernel!(unisparse::kernels::spmv, A: $format<f32, $cores>);
                let run = pim::run(&Device::blimp($cores), &kernel, &a, &[&x]).unwrap();
                check(&run.y, &run.report, &parts!(a), &x).unwrap();
                assert_eq!((run.report.shared, run.report.elements()), (0, triplets.len() as u64));
                run.report
            }};
        }
        let reports = match cores {
            1024 => [loads!(C2sr, 1024), loads!(Cisr, 1024), loads!(CisrPlus, 1024)],
            _ => [loads!(C2sr, 2048), loads!(Cisr, 2048), loads!(CisrPlus, 2048)],
        };
        assert_eq!(
            reports.each_ref().map(Report::greatest_load),
            expected,
            "{name} {cores}"
        );
        // An independent count of each rule.
        let mut order: Vec<usize> = (0..rows).filter(|&row| lengths[row] > 0).collect();
        let greedy = |order: &[usize]| {
            let mut loads = vec![0; cores];
            for &row in order {
                let least = (0..cores).min_by_key(|&core| loads[core]).unwrap();
                loads[least] += lengths[row];
            }
            loads
        };
        let mut dealt = vec![0; cores];
        (0..rows).for_each(|row| dealt[row % cores] += lengths[row]);
        assert_eq!(reports[0].loads(), dealt, "{name} {cores}");
        assert_eq!(reports[1].loads(), greedy(&order), "{name} {cores}");
        order.sort_by_key(|&row| std::cmp::Reverse(lengths[row]));
        assert_eq!(reports[2].loads(), greedy(&order), "{name} {cores}");
        let bound = pim::lower_bound(triplets.len() as u64, cores, lengths);
        assert!(reports.iter().all(|report| report.greatest_load() >= bound));
    }
}

#[test]
fn reports_as_text_and_tables() {
    let a: C2sr<f32, 4> = matrix([30, 20], 90, 3).convert().unwrap();
    let kernel = pim_kernel!(unisparse::kernels::spmv, A: C2sr<f32, 4>);
    let report = pim::run(&Device::blimp(8), &kernel, &a, &[&vector(20)]).unwrap().report;
    let csv = report.csv();
    let columns: Vec<&str> = csv.lines().next().unwrap().split(',').collect();
    let at = columns.iter().position(|&column| column == "elements").unwrap();
    let loads: Vec<u64> = csv
        .lines()
        .skip(1)
        .map(|line| line.split(',').nth(at).unwrap().parse().unwrap())
        .collect();
    assert_eq!(loads, report.loads());
    // Half of the cores are idle, so the mean is half of that of the others.
    let mean = report.elements() as f64 / 8.0;
    assert!((report.imbalance() - report.greatest_load() as f64 / mean).abs() < 1e-12);
    let roofline = report.roofline();
    assert!(roofline.flops <= roofline.peak && roofline.flops <= roofline.roof());
    let text = report.to_string();
    assert!(text.contains("over C2sr on 8 BLIMP cores (modelled)"), "{text}");
    let svg = pim::chart(
        "Loads",
        "nonzeros",
        &["a<b"],
        &[("m", vec![4.0], Some(2.0)), ("empty", vec![0.0], None)],
    );
    assert!(svg.contains("a&lt;b") && svg.matches("<rect").count() == 3, "{svg}");
}

#[test]
fn traces_have_a_line_for_each_access() {
    let a: C2sr<f32, 2> = matrix([30, 20], 90, 3).convert().unwrap();
    let kernel = pim_kernel!(unisparse::kernels::spmv, A: C2sr<f32, 2>);
    let (device, x) = (Device::blimp(2), vector(20));
    let mut text = Vec::new();
    let mut trace = pim::Trace::new(&mut text);
    pim::accesses(&device, &kernel, &a, &[&x], 1, &mut trace).unwrap();
    let lines = trace.finish().unwrap();
    let core = pim::run(&device, &kernel, &a, &[&x]).unwrap().report.cores[1];
    assert_eq!(
        lines,
        core.instructions[Opcode::Load as usize] + core.instructions[Opcode::Store as usize]
    );
    let text = String::from_utf8(text).unwrap();
    assert_eq!(text.lines().count() as u64, lines);
    for (at, line) in text.lines().enumerate() {
        let [address, kind, number] = line.split(' ').collect::<Vec<_>>()[..] else {
            panic!("{line}")
        };
        let address = u64::from_str_radix(address.strip_prefix("0x").unwrap(), 16).unwrap();
        assert!(address < core.bank_bytes && (kind == "P_MEM_RD" || kind == "P_MEM_WR") && number == at.to_string());
    }
    assert_eq!(text.matches("P_MEM_WR").count() as u64 * 4, core.written_bytes);
}

/// Runs DRAMSim2 on a trace. Its statistics are not compared: the time of our model is that of one access after another.
#[test]
#[ignore = "needs DRAMSim2: DRAMSIM2 names its executable, and DRAMSIM2_INI its folder of .ini files"]
fn dramsim2_reads_our_traces() {
    let simulator = std::env::var_os("DRAMSIM2").expect("DRAMSIM2 names the executable");
    let ini = std::path::PathBuf::from(std::env::var_os("DRAMSIM2_INI").expect("DRAMSIM2_INI names a folder"));
    let a: C2sr<f32, 2> = matrix([60, 40], 400, 3).convert().unwrap();
    let kernel = pim_kernel!(unisparse::kernels::spmv, A: C2sr<f32, 2>);
    let folder = std::path::Path::new(env!("CARGO_TARGET_TMPDIR"));
    let path = folder.join("k6_pim.trc");
    let mut trace = pim::Trace::new(std::fs::File::create(&path).unwrap());
    pim::accesses(&Device::blimp(2), &kernel, &a, &[&vector(40)], 0, &mut trace).unwrap();
    trace.finish().unwrap();
    let status = std::process::Command::new(simulator)
        .current_dir(folder)
        .arg("-t")
        .arg(&path)
        .arg("-s")
        .arg(ini.join("../system.ini.example"))
        .arg("-d")
        .arg(ini.join("DDR3_micron_32M_8B_x8_sg15.ini"))
        .args(["-c", "100000"])
        .status()
        .unwrap();
    assert!(status.success());
}
