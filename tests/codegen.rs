//! What the expansion of a kernel compiles to: loops without a bounds check or a panic, except at entry.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Command;

/// A function's basic blocks: what each jumps or falls to, and the calls in it.
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
        block.multiplies |=
            instruction.starts_with("mul") || instruction.starts_with("vmul") || instruction.contains("fmadd");
        block.calls += usize::from(instruction.starts_with("call"));
        if instruction.starts_with('j') {
            block.next.push(operands.trim().to_owned());
        }
        // What follows an unconditional jump, a return or a trap is not reached from here.
        if instruction == "jmp" || instruction.starts_with("ret") || instruction == "ud2" {
            fresh += 1;
            let unreached = format!("{function}-{fresh}");
            blocks.insert(std::mem::replace(&mut label, unreached), std::mem::take(&mut block));
        }
    }
    blocks.insert(label, block);
    blocks
}

/// The labels that can be reached by at least one step from `start`.
fn reached<'a>(blocks: &'a BTreeMap<String, Block>, start: &str) -> BTreeSet<&'a str> {
    let mut seen = BTreeSet::new();
    let mut open: Vec<&str> = blocks[start].next.iter().map(String::as_str).collect();
    while let Some(label) = open.pop() {
        if let Some((label, block)) = blocks.get_key_value(label) {
            if seen.insert(label.as_str()) {
                open.extend(block.next.iter().map(String::as_str));
            }
        }
    }
    seen
}

/// How many blocks are in loops, whether one multiplies, and the calls that can be reached from loops.
fn loops(assembly: &str, function: &str) -> (usize, bool, usize) {
    let blocks = blocks(assembly, function);
    let in_loops: Vec<&String> = blocks
        .keys()
        .filter(|label| reached(&blocks, label).contains(label.as_str()))
        .collect();
    let multiplies = in_loops.iter().any(|label| blocks[*label].multiplies);
    let after: BTreeSet<&str> = in_loops.iter().flat_map(|label| reached(&blocks, label)).collect();
    (
        in_loops.len(),
        multiplies,
        after.iter().map(|label| blocks[*label].calls).sum(),
    )
}

#[test]
#[cfg_attr(not(target_arch = "x86_64"), ignore = "reads the assembly of x86-64")]
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
        // A new argument each time, so that cargo does not skip the listing that was removed.
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

    for format in ["Csr", "Lil"] {
        // The loops are a closure, for pieces on threads; it can be inlined.
        let probe = format!("probe_{}_spmv", format.to_lowercase());
        let label = |line: &str| {
            line.strip_suffix(':')
                .filter(|_| !line.starts_with(['.', ' ', '\t']))
                .map(str::to_owned)
        };
        let is_closure = |name: &String| name.contains("closure") && name.contains("spmv") && name.contains(format);
        let closures = assembly.lines().filter_map(label).filter(is_closure);
        let found: Vec<(usize, bool, usize)> = closures
            .chain([probe])
            .map(|name| loops(&assembly, &name))
            .filter(|(_, multiplies, _)| *multiplies)
            .collect();
        assert!(!found.is_empty(), "the product over {format} is not found in a loop");
        for (blocks, _, calls) in found {
            assert!(blocks > 0);
            assert_eq!(calls, 0, "a loop over {format} can still panic");
        }
    }

    let (blocks, multiplies, calls) = loops(&assembly, "probe_indexed_spmv");
    assert!(
        blocks > 0 && multiplies && calls > 0,
        "this check does not see the checks of an indexed loop"
    );
}
