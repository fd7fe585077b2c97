//! The times of the paper's artifact beside ours, on the matrices that it was run on.

use super::harness::report::Table;

/// A matrix of the artifact, and the milliseconds of its conversions: `None` where it crashes.
struct Measured {
    /// The name of the matrix, or of the generated one with the same pattern.
    matrix: &'static str,
    times: [Option<f64>; 7],
}

const CONVERSIONS: [&str; 7] = [
    "csr-csc",
    "coo-dia",
    "coo-ell",
    "dcsc-bcsr",
    "csb-diavariant",
    "coo-c2sr",
    "coo-cisr",
];

/// Single precision, one thread, the least of several runs on an EPYC of two cores; its fused routines where it has them, blocks of
/// 4 by 4 and of 64 by 64, and 1024 banks, as declared here.
const MEASURED: [Measured; 3] = [
    Measured {
        matrix: "wiki-Vote",
        times: [Some(0.41), Some(143.0), Some(31.0), Some(27.0), Some(61.0), Some(6.5), Some(3.0)],
    },
    Measured {
        matrix: "p2p-Gnutella31",
        times: [Some(0.90), None, Some(11.6), Some(34.0), Some(194.0), Some(3.8), Some(5.2)],
    },
    Measured {
        matrix: "chem_master1",
        times: [Some(0.75), Some(0.53), Some(1.4), Some(11.6), Some(6.9), Some(4.9), Some(5.3)],
    },
];

/// Whether the artifact was run on a matrix of this name.
pub(super) fn has(matrix: &str) -> bool {
    MEASURED.iter().any(|measured| measured.matrix == matrix)
}

/// Prints our times and the artifact's.
pub(super) fn print(tables: &[Table]) {
    let ours = |conversion: &str, matrix: &str| {
        let rows = tables.iter().filter(|table| table.workload == conversion).flat_map(|table| &table.rows);
        let mut rows = rows.filter(|row| row.subject.name == matrix);
        rows.next().map(|row| row.first().times.median * 1e3)
    };
    println!("\n### Milliseconds, ours and the paper's artifact's\n");
    println!("| | {} |", MEASURED.map(|measured| measured.matrix).join(" | "));
    println!("|---|{}", "---|".repeat(MEASURED.len()));
    for (number, conversion) in CONVERSIONS.into_iter().enumerate() {
        let cell = |measured: &Measured| match (ours(conversion, measured.matrix), measured.times[number]) {
            (Some(ours), Some(theirs)) => format!("{ours:.3}, {theirs} ({:.1}x)", theirs / ours),
            (Some(ours), None) => format!("{ours:.3}, it crashes"),
            (None, Some(theirs)) => format!("refused or not measured, {theirs}"),
            (None, None) => "refused, it crashes".to_owned(),
        };
        println!("| {conversion} | {} |", MEASURED.iter().map(cell).collect::<Vec<_>>().join(" | "));
    }
}
