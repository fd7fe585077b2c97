//! The machine code of expanded kernels: loops over entries have no bounds check and no panic.

#![cfg(target_arch = "x86_64")]

use std::collections::{BTreeMap, VecDeque};
use std::path::Path;
use std::process::Command;

/// A basic block of a function.
#[derive(Default, Debug)]
struct Block {
    next: Vec<String>,
    calls: usize,
    multiplies: bool,
}

/// The blocks of `function` in an assembly listing of x86-64.
fn blocks(assembly: &str, function: &str) -> BTreeMap<String, Block> {
    let mut lines = assembly.lines().skip_while(|line| *line != format!("{function}:"));
    let mut blocks = BTreeMap::new();
    let mut label = lines
        .next()
        .expect("the function is in the listing")
        .trim_end_matches(':')
        .to_owned();
    let mut block = Block::default();
    let mut fresh = 0;
    for line in lines.map(str::trim) {
        if line.starts_with(".Lfunc_end") {
            break;
        }
        if let Some(next) = line.strip_suffix(':') {
            block.next.push(next.to_owned());
            blocks.insert(
                std::mem::replace(&mut label, next.to_owned()),
                std::mem::take(&mut block),
            );
            continue;
        }
        let (instruction, operands) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        // A multiplication of floating-point numbers: sizes are multiplied too.
        let is_product = ["mulsd", "mulpd", "vmulsd", "vmulpd"].contains(&instruction);
        block.multiplies |= is_product || instruction.contains("fmadd");
        block.calls += usize::from(instruction.starts_with("call"));
        if instruction.starts_with('j') {
            block.next.push(operands.trim().to_owned());
        }
        // Code after an unconditional jump, a return or a trap is not reached from here.
        if instruction == "jmp" || instruction.starts_with("ret") || instruction == "ud2" {
            fresh += 1;
            let unreached = format!("{function}-{fresh}");
            blocks.insert(std::mem::replace(&mut label, unreached), std::mem::take(&mut block));
        }
    }
    blocks.insert(label, block);
    blocks
}

/// Returns the shortest cycle of blocks through `start`, if there is one.
fn cycle<'a>(blocks: &'a BTreeMap<String, Block>, start: &'a str) -> Vec<&'a str> {
    let mut came_from: BTreeMap<&str, &str> = BTreeMap::new();
    let mut open = VecDeque::from([start]);
    while let Some(label) = open.pop_front() {
        for next in blocks.get(label).into_iter().flat_map(|block| &block.next) {
            if next == start {
                let mut way = vec![label];
                while way[way.len() - 1] != start {
                    way.push(came_from[way[way.len() - 1]]);
                }
                return way;
            }
            if blocks.contains_key(next) && !came_from.contains_key(next.as_str()) {
                came_from.insert(next, label);
                open.push_back(next);
            }
        }
    }
    Vec::new()
}

/// Returns the number of calls that the innermost loop with a multiplication can jump to, if there is such a loop: its
/// bounds checks. The remainder loop of an unrolled row is not a loop of its own.
fn checks(assembly: &str, function: &str) -> Option<usize> {
    let blocks = blocks(assembly, function);
    let multiplying = blocks.iter().filter(|(_, block)| block.multiplies);
    let cycles = multiplying.map(|(label, _)| cycle(&blocks, label));
    let innermost = cycles.filter(|cycle| !cycle.is_empty()).min_by_key(Vec::len)?;
    let exits = innermost.iter().flat_map(|label| &blocks[*label].next);
    Some(exits.map(|next| blocks.get(next).map_or(0, |block| block.calls)).sum())
}

#[test]
#[ignore = "reads the assembly of x86-64, and compiles everything again, optimised: `.ci/nightly` runs it"]
fn the_loops_of_spmv_over_rows_have_no_checks() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let target = root.join("target/codegen");
    let listings = || {
        std::fs::read_dir(target.join("release/deps"))
            .into_iter()
            .flatten()
            .flatten()
            .map(|file| file.path())
    };
    let is_listing = |path: &Path| path.extension().is_some_and(|extension| extension == "s");
    listings().filter(|path| is_listing(path)).for_each(|stale| {
        let _ = std::fs::remove_file(stale);
    });
    let status = Command::new(env!("CARGO"))
        .current_dir(root)
        .args([
            "rustc",
            "--quiet",
            "--release",
            "--package",
            "codegen-probe",
            "--lib",
            "--target-dir",
        ])
        .arg(&target)
        // A new argument each time, because cargo would not rebuild a listing that was removed.
        .args([
            "--",
            "--emit=asm",
            "-Cdebuginfo=0",
            "-Ccodegen-units=1",
            &format!("-Cmetadata=run{}", std::process::id()),
        ])
        .env_remove("RUSTFLAGS")
        .status()
        .expect("cargo runs");
    assert!(status.success(), "the probe does not compile");
    let listing = listings().find(|path| is_listing(path)).expect("rustc wrote a listing");
    let assembly = std::fs::read_to_string(listing).expect("the listing is text");

    // Rows are multiplied by functions of the run time, which no product inlines.
    let label = |line: &str| {
        line.strip_suffix(':')
            .filter(|line| line.contains("6stream3dot"))
            .map(str::to_owned)
    };
    let functions = assembly.lines().filter_map(label);
    let found: Vec<(String, usize)> = functions
        .filter_map(|name| checks(&assembly, &name).map(|checks| (name, checks)))
        .collect();
    assert!(!found.is_empty(), "the products of rows are not found in a loop");
    assert!(
        found.iter().all(|(_, checks)| *checks == 0),
        "a loop over entries can still panic: {found:?}"
    );

    let checks = checks(&assembly, "probe_indexed_spmv");
    assert!(
        checks.is_some_and(|checks| checks > 0),
        "this check does not see the checks of an indexed loop"
    );
}
