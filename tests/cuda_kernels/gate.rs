//! Compiles kernels for real devices with NVRTC, which needs neither a device nor a driver, and reads its report.
//!
//! `UNISPARSE_NVRTC` is the path of `libnvrtc.so.13`, as in the Python wheel `nvidia-cuda-nvrtc`.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

pub(crate) const ARCHITECTURES: [&str; 2] = ["sm_80", "sm_90"];

/// Maximum number of registers of a thread: with more, a multiprocessor cannot hold 1024 threads.
const MOST_REGISTERS: usize = 64;

/// Returns the part of a multiprocessor's 2048 threads that run at once in blocks of 256, in percent. Registers are given to
/// warps by 256, and a block of a kernel with shared memory has 1 KiB more.
fn occupancy(registers: usize, shared: usize) -> usize {
    const REGISTERS: usize = 1 << 16;
    // Of sm_80; sm_90 has more.
    const SHARED: usize = 164 << 10;
    let of_block = registers.next_multiple_of(8) * 256;
    let blocks = (2048 / 256).min(REGISTERS / of_block).min(SHARED / (shared + 1024));
    blocks * 256 * 100 / 2048
}

/// What `ptxas` reports about a kernel.
pub(crate) struct Report {
    pub(crate) kernel: String,
    pub(crate) registers: usize,
    /// Bytes of the stack, of spilled registers, and of shared memory.
    stack: usize,
    pub(crate) spilled: usize,
    pub(crate) shared: usize,
}

impl Report {
    /// Returns the part of a multiprocessor's threads that run at once, in percent.
    pub(crate) fn occupancy(&self) -> usize {
        occupancy(self.registers, self.shared)
    }
}

/// A file that was compiled for one architecture and number of lanes.
pub(crate) struct Compiled {
    name: String,
    pub(crate) reports: Vec<Report>,
}

/// Compiles the files for each number of lanes and architecture, and panics if one does not compile.
pub(crate) fn compile(files: &[(&str, String)], lanes: &[usize], architectures: &[&str]) -> Vec<Compiled> {
    let library = std::env::var_os("UNISPARSE_NVRTC").map(PathBuf::from);
    let library = library.expect("`UNISPARSE_NVRTC` is the path of NVRTC");
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("cuda_gate");
    fs::create_dir_all(&folder).unwrap();
    let compiler = compiler(&folder);
    let mut all = Vec::new();
    for (number, (name, text)) in files.iter().enumerate() {
        let file = folder.join(format!("{number}.cu"));
        fs::write(&file, text).unwrap();
        for lanes in lanes {
            for architecture in architectures {
                let output = Command::new(&compiler)
                    .args([library.as_os_str(), architecture.as_ref()])
                    .arg(format!("-DUNISPARSE_LANES={lanes}"))
                    .arg(&file)
                    .output()
                    .unwrap();
                let (log, errors) = (
                    String::from_utf8_lossy(&output.stdout),
                    String::from_utf8_lossy(&output.stderr),
                );
                assert!(output.status.success(), "{name}: {errors}");
                let reports = reports(&log);
                assert!(
                    log.contains("\nstatus 0\n") && !reports.is_empty(),
                    "{name} for {architecture}: {log}"
                );
                all.push(Compiled {
                    name: format!("{name}, {lanes} lanes, {architecture}"),
                    reports,
                });
            }
        }
    }
    all
}

/// Compiles the files for all architectures, prints a table, and panics if a kernel does not compile or needs memory in
/// place of registers.
pub(crate) fn check(files: &[(&str, String)]) {
    let compiled = compile(files, &[1, 32], &ARCHITECTURES);
    println!(
        "{:32} {:>8} {:>17} {:>13} {:>6} {:>17}",
        "", "kernels", "registers 50%/max", "stack, spills", "shared", "occupancy 50%/min"
    );
    let mut wrong = Vec::new();
    for Compiled { name, reports } in &compiled {
        let mut registers: Vec<usize> = reports.iter().map(|report| report.registers).collect();
        registers.sort_unstable();
        let occupancies = reports.iter().map(Report::occupancy);
        let mut occupancies: Vec<usize> = occupancies.collect();
        occupancies.sort_unstable();
        let most = |of: fn(&Report) -> usize| reports.iter().map(of).max().unwrap_or(0);
        let (stack, spilled, shared) = (
            most(|report| report.stack),
            most(|report| report.spilled),
            most(|report| report.shared),
        );
        println!(
            "{name:32} {:>8} {:>13}/{:<3} {:>13} {shared:>6} {:>13}/{}%",
            reports.len(),
            registers[registers.len() / 2],
            registers[registers.len() - 1],
            format!("{stack}, {spilled}"),
            occupancies[occupancies.len() / 2],
            occupancies[0],
        );
        let is_wrong = |report: &&Report| report.stack > 0 || report.spilled > 0 || report.registers > MOST_REGISTERS;
        wrong.extend(reports.iter().filter(is_wrong).map(|report| {
            let Report {
                kernel,
                registers,
                stack,
                spilled,
                ..
            } = report;
            format!("{name}: {kernel}: {registers} registers, {stack} bytes of stack, {spilled} spilled")
        }));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Compiles the program that calls NVRTC.
fn compiler(folder: &Path) -> PathBuf {
    let (text, program) = (folder.join("nvrtc.c"), folder.join("nvrtc"));
    fs::write(&text, include_str!("nvrtc.c")).unwrap();
    let output = Command::new("cc")
        .arg("-o")
        .args([&program, &text])
        .arg("-ldl")
        .output()
        .expect("a C compiler: `cc`");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{errors}");
    program
}

/// Reads the log, in which each kernel has three lines: its name, its stack and its registers.
fn reports(log: &str) -> Vec<Report> {
    // Returns the number before the given words.
    let before = |line: &str, words: &str| -> Option<usize> {
        let (start, _) = line.split_once(words)?;
        start.trim_end().rsplit([' ', ',']).next()?.parse().ok()
    };
    let mut reports: Vec<Report> = Vec::new();
    for line in log.lines() {
        if let Some((_, rest)) = line.split_once("Compiling entry function '") {
            reports.push(Report {
                kernel: rest.split('\'').next().unwrap_or_default().to_owned(),
                registers: usize::MAX,
                stack: usize::MAX,
                spilled: usize::MAX,
                shared: 0,
            });
        }
        let Some(report) = reports.last_mut() else { continue };
        if let Some(stack) = before(line, "bytes stack frame") {
            report.stack = stack;
            report.spilled = before(line, "bytes spill stores").unwrap_or(usize::MAX);
        }
        if let Some((_, used)) = line.split_once("Used ") {
            report.registers = before(used, "registers").unwrap_or(usize::MAX);
            report.shared = before(used, "bytes smem").unwrap_or(0);
        }
    }
    reports
}
