//! The times of the paper's artifact beside ours, on the matrices that it was run on.

use super::harness::report::Table;

/// The matrices; the last is generated, and has the same pattern.
const MATRICES: [&str; 3] = ["wiki-Vote", "p2p-Gnutella31", "chem_master1"];

/// The milliseconds of each conversion of these matrices; `None` where the artifact crashes.
///
/// In single precision on one thread, the least of several runs on an EPYC of two cores; its fused routines where it has them, blocks
/// of 4 by 4 and of 64 by 64, and 1024 banks, as declared here.
const TIMES: [(&str, [Option<f64>; 3]); 7] = [
    ("csr-csc", [Some(0.41), Some(0.90), Some(0.75)]),
    ("coo-dia", [Some(143.0), None, Some(0.53)]),
    ("coo-ell", [Some(31.0), Some(11.6), Some(1.4)]),
    ("dcsc-bcsr", [Some(27.0), Some(34.0), Some(11.6)]),
    ("csb-diavariant", [Some(61.0), Some(194.0), Some(6.9)]),
    ("coo-c2sr", [Some(6.5), Some(3.8), Some(4.9)]),
    ("coo-cisr", [Some(3.0), Some(5.2), Some(5.3)]),
];

/// Whether the artifact was run on a matrix of this name.
pub(super) fn has(matrix: &str) -> bool {
    MATRICES.contains(&matrix)
}

/// Prints our times and the artifact's.
pub(super) fn print(tables: &[Table]) {
    let ours = |conversion: &str, matrix: &str| {
        let tables = tables.iter().filter(|table| table.workload == conversion);
        let mut rows = tables
            .flat_map(|table| &table.rows)
            .filter(|row| row.subject.name == matrix);
        rows.next().map(|row| row.first().times.median * 1e3)
    };
    println!("\n### Milliseconds, ours and the paper's artifact's\n");
    println!("| | {} |", MATRICES.join(" | "));
    println!("|---|{}", "---|".repeat(MATRICES.len()));
    for (conversion, times) in TIMES {
        let cell = |(matrix, theirs): (&str, Option<f64>)| match (ours(conversion, matrix), theirs) {
            (Some(ours), Some(theirs)) => format!("{ours:.3}, {theirs} ({:.1}x)", theirs / ours),
            (Some(ours), None) => format!("{ours:.3}, it crashes"),
            (None, Some(theirs)) => format!("refused or not measured, {theirs}"),
            (None, None) => "refused or not measured, it crashes".to_owned(),
        };
        let cells: Vec<String> = MATRICES.into_iter().zip(times).map(cell).collect();
        println!("| {conversion} | {} |", cells.join(" | "));
    }
}
