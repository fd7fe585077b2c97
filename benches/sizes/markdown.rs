//! The tables of a session, as Markdown.

use super::CALLS;
use super::harness::measure::geometric_mean;
use super::harness::report::{Row, Table};

/// Prints the means of all classes, and the times of single calls.
pub(super) fn print(tables: &[Table]) {
    let Some(first) = tables.first() else { return };
    let plural = if first.threads == 1 { "" } else { "s" };
    let session = format!("{} memory, {} thread{plural}", first.cache, first.threads);
    println!("\n### Fastest peer's time over ours: {session}");
    println!("geometric mean (number of matrices), the least and its matrix\n");
    grid(tables, |table| table.set != CALLS, of_class);
    println!("\n### Time of one call, and of the fastest peer's: {session}\n");
    grid(tables, |table| table.set == CALLS, of_calls);
}

/// Prints a line for each workload, and a column for each class that passes.
fn grid(tables: &[Table], wanted: impl Fn(&Table) -> bool, cell: impl Fn(&Table) -> String) {
    let tables: Vec<&Table> = tables.iter().filter(|table| wanted(table)).collect();
    let Some(first) = tables.first() else { return };
    let classes = tables.iter().take_while(|table| table.workload == first.workload);
    let classes: Vec<String> = classes.map(|table| table.set.clone()).collect();
    println!("| | {} |", classes.join(" | "));
    println!("|---|{}", "---|".repeat(classes.len()));
    for of_workload in tables.chunk_by(|left, right| left.workload == right.workload) {
        let cells: Vec<String> = of_workload.iter().map(|table| cell(table)).collect();
        let Table { workload, scalar, .. } = of_workload[0];
        println!("| {workload}, {scalar} | {} |", cells.join(" | "));
    }
}

/// Returns the fastest peer's time over that of our first format.
fn ratio(row: &Row) -> Option<f64> {
    Some(row.best(false)?.times.median / row.first().times.median)
}

fn of_class(table: &Table) -> String {
    let ratios = table
        .rows
        .iter()
        .filter_map(|row| Some((ratio(row)?, &row.subject.name)));
    let ratios: Vec<(f64, &String)> = ratios.collect();
    let mean = geometric_mean(&ratios.iter().map(|pair| pair.0).collect::<Vec<f64>>());
    match (mean, ratios.iter().min_by(|left, right| left.0.total_cmp(&right.0))) {
        (Some(mean), Some((least, name))) => format!("**{mean:.2}** ({}), {least:.2} {name}", ratios.len()),
        // Without peers: our time for each element.
        _ => {
            let times = table
                .rows
                .iter()
                .map(|row| row.first().times.median / row.subject.elements as f64);
            let mean = geometric_mean(&times.collect::<Vec<f64>>());
            mean.map_or(String::new(), |mean| {
                format!("{:.1} ns/nonzero ({})", mean * 1e9, table.rows.len())
            })
        }
    }
}

fn of_calls(table: &Table) -> String {
    let call = |row: &Row| {
        let nanoseconds = |seconds: f64| format!("{:.0}", seconds * 1e9);
        let ours = nanoseconds(row.first().times.median);
        let peer = row.best(false);
        let peer = peer.map(|peer| format!(" ({} {})", peer.name, nanoseconds(peer.times.median)));
        format!("{} nonzeros: {ours} ns{}", row.subject.name, peer.unwrap_or_default())
    };
    table.rows.iter().map(call).collect::<Vec<_>>().join("<br>")
}
