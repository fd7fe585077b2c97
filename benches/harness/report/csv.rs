//! One line for each contestant of each comparison.

use super::Report;

pub(super) fn of(report: &Report) -> String {
    let head = "workload,set,scalar,threads,cache,matrix,structured,elements,flops,contestant,ours,bytes,low_s,median_s,high_s";
    let mut text = format!("{head}\n");
    for table in &report.tables {
        for row in &table.rows {
            for entry in &row.entries {
                let bytes = entry.bytes.map(|bytes| bytes.to_string()).unwrap_or_default();
                let fields = [
                    table.workload.clone(),
                    table.set.clone(),
                    table.scalar.to_owned(),
                    table.threads.to_string(),
                    table.cache.to_owned(),
                    row.subject.name.clone(),
                    row.subject.structured.to_string(),
                    row.subject.elements.to_string(),
                    row.subject.flops.to_string(),
                    entry.name.clone(),
                    entry.ours.to_string(),
                    bytes,
                    format!("{:e}", entry.times.low),
                    format!("{:e}", entry.times.median),
                    format!("{:e}", entry.times.high),
                ];
                text += &fields.map(|field| quoted(&field)).join(",");
                text.push('\n');
            }
        }
    }
    text
}

fn quoted(field: &str) -> String {
    if field.contains([',', '"', '\n']) {
        format!("\"{}\"", field.replace('"', "\"\""))
    } else {
        field.to_owned()
    }
}
