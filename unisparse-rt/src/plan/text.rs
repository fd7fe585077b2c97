//! Plans as text: the operators, then how they run.

use core::fmt;

use super::arrays::ArrayAccess;
use super::execution::{Execution, Method};
use super::operator::State;
use super::step::{Fate, Plan, Step};

/// Formats an index map: `(i / 3, j - i, i % 3)`.
pub(super) fn map(state: &State, dims: &[&str], queries: &[&str]) -> String {
    let levels: Vec<String> = state
        .levels
        .iter()
        .map(|level| level.expression.text(dims, queries))
        .collect();
    format!("({})", levels.join(", "))
}

impl fmt::Display for Plan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{} -> {}", self.source, self.target)?;
        table(f, &self.steps)?;
        if let Some(execution) = &self.execution {
            write!(f, "{execution}")?;
        }
        self.parts.iter().try_for_each(|part| write!(f, "{part}"))
    }
}

fn table(f: &mut fmt::Formatter<'_>, steps: &[Step]) -> fmt::Result {
    if steps.is_empty() {
        return writeln!(f, "  no operator: all arrays are as they should be");
    }
    let rows: Vec<[String; 5]> = steps.iter().map(row).collect();
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let widths = [width(0), width(1), width(2), width(3)];
    for [operator, rule, map, traffic, fate] in &rows {
        let [a, b, c, d] = widths;
        let line = format!("  {operator:a$}  {rule:b$}  {map:c$}  {traffic:d$}  {fate}");
        writeln!(f, "{}", line.trim_end())?;
    }
    Ok(())
}

fn row(step: &Step) -> [String; 5] {
    let arrays = |uses: &[ArrayAccess]| {
        uses.iter()
            .map(|array| array.array.as_str())
            .collect::<Vec<_>>()
            .join(", ")
    };
    let bytes = |uses: &[ArrayAccess]| {
        let bytes = uses
            .iter()
            .fold(super::Bytes::default(), |all, array| all.plus(&array.bytes));
        bytes.to_string()
    };
    let (reads, writes) = (step.reads(), step.writes());
    let traffic = match (reads.is_empty(), writes.is_empty()) {
        (true, true) => String::new(),
        (true, false) => format!("writes {} [{}]", arrays(writes), bytes(writes)),
        (false, true) => format!("reads {} [{}]", arrays(reads), bytes(reads)),
        (false, false) => format!(
            "{} [{}] -> {} [{}]",
            arrays(reads),
            bytes(reads),
            arrays(writes),
            bytes(writes)
        ),
    };
    [
        step.operator().to_string(),
        step.rule().map_or_else(String::new, |rule| format!("rule {rule}")),
        step.map().unwrap_or("").to_owned(),
        traffic,
        match step.fate() {
            Fate::Runs => "runs".to_owned(),
            Fate::Fused(how) => format!("fused: {how}"),
            Fate::Elided(why) => format!("elided: {why}"),
        },
    ]
}

impl fmt::Display for Method {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Method::Mutation => "mutation",
            Method::Place => "place",
            Method::Append => "append",
            Method::Scatter => "scatter",
            Method::Sort => "sort",
        })
    }
}

impl fmt::Display for Execution {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (levels, kept) = (self.sorted_by.join(", "), self.kept.join(", "));
        let how = match self.method {
            Method::Mutation => format!("only levels that differ are made; moved if consumed, else copied: {kept}"),
            Method::Place => "blocks are marked, then values put in their places".to_owned(),
            Method::Append => "elements come in the order of the target".to_owned(),
            Method::Scatter => format!("elements are put into bins by {levels}, the rest keeps its order"),
            Method::Sort => "elements are sorted by radix".to_owned(),
        };
        writeln!(f, "  runs as {}: {how}", self.method)?;
        for (case, method) in &self.otherwise {
            writeln!(f, "    {case}: {method}")?;
        }
        writeln!(f, "  steps: {}", self.steps.join(", "))?;
        writeln!(
            f,
            "  passes {}, temporary {} B, with the target {} B",
            self.passes,
            self.temporary,
            self.peak()
        )
    }
}
