//! Progress and timing of conversions.

use std::cell::RefCell;
use std::process::Command;
use std::rc::Rc;

use unisparse::observe;
use unisparse::prelude::*;

fn triplets() -> Triplets<f64, 2> {
    Triplets::try_from_triplets([4, 4], (0..4).map(|at| ([at, 3 - at], 1.0))).unwrap()
}

#[test]
fn a_conversion_is_reported_from_its_start_to_its_end() {
    let reported = Rc::new(RefCell::new(Vec::new()));
    let heard = Rc::clone(&reported);
    let csr: Csr<f64> = observe(
        move |progress| {
            heard
                .borrow_mut()
                .push((progress.step, progress.depth, progress.done == progress.total));
        },
        || triplets().convert().unwrap(),
    );
    let reported = reported.take();
    assert_eq!(
        (reported.first(), reported.last()),
        (Some(&("Csr", 0, false)), Some(&("Csr", 0, true)))
    );
    assert_eq!(csr.nnz(), 4);
}

#[test]
fn the_parts_of_a_hybrid_are_steps_of_it() {
    let reported = Rc::new(RefCell::new(Vec::new()));
    let heard = Rc::clone(&reported);
    let convert = || triplets().convert::<BdiaCsr<f64>>().unwrap();
    observe(
        move |progress| heard.borrow_mut().push((progress.step, progress.depth, progress.done)),
        convert,
    );
    let starts: Vec<_> = reported
        .take()
        .into_iter()
        .filter(|&(_, depth, done)| depth < 2 && done == 0)
        .collect();
    let conversions: Vec<_> = starts
        .into_iter()
        .filter(|(step, ..)| ["BdiaCsr", "Bdia", "Csr"].contains(step))
        .collect();
    assert_eq!(conversions, [("BdiaCsr", 0, 0), ("Bdia", 1, 0), ("Csr", 1, 0)]);
}

/// The output of a process that converts with this environment.
fn printed(timing: Option<&str>) -> String {
    let mut converting = Command::new(std::env::current_exe().unwrap());
    converting
        .args(["--exact", "converts", "--nocapture", "--test-threads=1"])
        .env_remove("UNISPARSE_TIMING");
    if let Some(timing) = timing {
        converting.env("UNISPARSE_TIMING", timing);
    }
    String::from_utf8(converting.output().unwrap().stderr).unwrap()
}

#[test]
fn converts() {
    let csr: Csr<f64> = triplets().convert().unwrap();
    assert_eq!(csr.convert::<BdiaCsr<f64>>().unwrap().nnz(), 4);
}

#[test]
fn a_table_is_printed_on_request() {
    let table = printed(Some("1"));
    let lines: Vec<&str> = table.lines().filter(|line| line.ends_with(" ms")).collect();
    let names: Vec<&str> = lines
        .iter()
        .map(|line| line.trim_start().split(' ').next().unwrap())
        .collect();
    let outer: Vec<&&str> = names
        .iter()
        .filter(|name| ["Csr", "BdiaCsr", "Bdia"].contains(name))
        .collect();
    assert_eq!(outer, [&"Csr", &"BdiaCsr", &"Bdia", &"Csr"], "{table}");
    assert!(lines.iter().any(|line| line.starts_with("  Bdia ")), "{table}");
    for nothing in [None, Some("0"), Some("")] {
        assert!(!printed(nothing).contains(" ms"));
    }
}
