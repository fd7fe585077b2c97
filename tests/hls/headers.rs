//! The same text with the vendor's headers, as the package `hls4ml` has them: `UNISPARSE_HLS4ML` is the folder `ap_types`.

use std::fs;
use std::io::Write;
use std::path::PathBuf;

use unisparse::Limit;
use unisparse::hls::{Design, HEADERS, Parameters, Project};
use unisparse::prelude::*;

use crate::design::{RowStreams, SerpensStreams};
use crate::formats::transposed_hls;
use crate::{compiler, faults, matrix, numbers};

/// Returns the folder of the headers, or `None` with a notice on stderr.
fn others() -> Option<PathBuf> {
    let folder = std::env::var_os("UNISPARSE_HLS4ML").map(PathBuf::from);
    if folder.is_none() {
        let _ = writeln!(
            std::io::stderr(),
            "SKIPPED: UNISPARSE_HLS4ML does not name the folder ap_types of the package hls4ml"
        );
    }
    folder
}

/// All other programs of the tests find the headers of the standard library in front of their texts.
#[test]
fn projects_include_what_they_use() {
    let triplets = matrix([9, 8], 12, 38);
    let (x, y) = (numbers(8, 39), numbers(9, 40));
    let blocks: Bcsr<f32, 2, 3> = triplets.convert().unwrap();
    let design = Design::<RowStreams<f32, 3>>::new(Parameters::default()).unwrap();
    let packed = design.pack(&triplets.convert().unwrap()).unwrap();
    let projects = [
        (
            spmv_hls(&mut [f32::NAN; 9], &blocks, &x).unwrap(),
            &["kernel.cpp", "testbench.cpp"][..],
        ),
        (
            design.project(&packed, &x, &y, [0.5, 2.0]).unwrap(),
            &["kernel.cpp", "testbench.cpp", "host_pack.cpp"],
        ),
    ];
    for (project, texts) in projects {
        let folder = compiler::folder(&format!("alone_{}", project.name()));
        project.emit(&folder).unwrap();
        for text in texts {
            compiler::check(&folder, text);
        }
    }
}

#[test]
fn kernels_with_the_headers_of_hls4ml() {
    let Some(headers) = others() else { return };
    let triplets = matrix([23, 40], 50, 31);
    let (x, z) = (numbers(40, 32), numbers(23, 33));
    let rows: Csr<f32> = triplets.convert().unwrap();
    let blocks: Bcsr<f32, 2, 3> = triplets.convert().unwrap();
    let b = numbers(40 * 11, 34);
    let projects: [(&str, Project); 4] = [
        ("rows", spmv_hls(&mut [f32::NAN; 23], &rows, &x).unwrap()),
        ("blocks", spmv_hls(&mut [f32::NAN; 23], &blocks, &x).unwrap()),
        ("columns", spmm_hls(&mut [f32::NAN; 23 * 11], &rows, &b).unwrap()),
        ("transposed", transposed_hls(&mut [f32::NAN; 40], &rows, &z).unwrap()),
    ];
    for (name, project) in projects {
        let folder = compiler::folder(&format!("vendor_{name}"));
        project.emit(&folder).unwrap();
        let Some(program) = compiler::compile(&folder, &headers) else {
            return;
        };
        let output = compiler::run(&program, &folder.join("golden"));
        assert!(output.status.success(), "{name}: {}", compiler::text(&output));
    }
}

/// The tasks of a design are calls, one after another, as the tool reads them.
#[test]
fn designs_with_the_headers_of_hls4ml() {
    let Some(headers) = others() else { return };
    let triplets = matrix([45, 50], 30, 35);
    let (x, y) = (numbers(50, 36), numbers(45, 37));
    let streams = Design::<SerpensStreams<f32, 1, 16, 10>>::new(Parameters::default()).unwrap();
    let rows = Design::<RowStreams<f32, 3>>::new(Parameters::default()).unwrap();
    let packed = [
        streams.pack(&triplets.convert_within(Limit::none()).unwrap()).unwrap(),
        rows.pack(&triplets.convert().unwrap()).unwrap(),
    ];
    let projects = [
        streams.project(&packed[0], &x, &y, [0.5, 2.0]).unwrap(),
        rows.project(&packed[1], &x, &y, [0.5, 2.0]).unwrap(),
    ];
    for project in projects {
        let folder = compiler::folder(&format!("vendor_{}", project.name()));
        project.emit(&folder).unwrap();
        let Some(program) = compiler::compile(&folder, &headers) else {
            return;
        };
        let output = compiler::run(&program, &folder.join("golden"));
        assert!(
            output.status.success(),
            "{}: {}",
            project.name(),
            compiler::text(&output)
        );
    }
}

/// The streams of these headers have no bound: the tasks are calls, one after another.
#[test]
fn streams_with_the_headers_of_hls4ml() {
    let Some(headers) = others() else { return };
    let folder = compiler::folder("vendor_streams");
    fs::create_dir_all(&folder).unwrap();
    for (name, header) in HEADERS.iter().filter(|(name, _)| name.starts_with("unisparse_")) {
        fs::write(folder.join(name), header).unwrap();
    }
    fs::write(folder.join("kernel.cpp"), faults::tasks_of(2, 15)).unwrap();
    fs::write(folder.join("testbench.cpp"), "").unwrap();
    let Some(program) = compiler::compile(&folder, &headers) else {
        return;
    };
    assert_eq!(compiler::text(&compiler::run(&program, &folder)), "140");
}
