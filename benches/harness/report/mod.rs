//! Tables, mean ratios, CSV and pictures of the same rows.

mod bars;
mod csv;
mod roofline;
mod svg;

use std::path::PathBuf;

use super::ceilings::Ceilings;
use super::measure::{Contestant, Rules, Times, geometric_mean, measure};

/// The times of one contestant.
pub(crate) struct Entry {
    pub name: String,
    pub ours: bool,
    pub bytes: Option<usize>,
    pub times: Times,
}

/// The problem of a comparison.
pub(crate) struct Subject {
    pub name: String,
    /// Whether most elements are on few diagonals or in dense blocks, for which special formats are declared.
    pub structured: bool,
    pub elements: usize,
    /// The number of multiplications and additions; zero for conversions.
    pub flops: f64,
}

/// One comparison.
pub(crate) struct Row {
    pub subject: Subject,
    /// The contestants, ours first.
    pub entries: Vec<Entry>,
}

impl Row {
    /// Runs all contestants in turn.
    pub(crate) fn measured(subject: Subject, mut contestants: Vec<Contestant>, rules: Rules) -> Self {
        let times = measure(&mut contestants, rules);
        let entries = contestants.into_iter().zip(times).map(|(contestant, times)| Entry {
            name: contestant.name,
            ours: contestant.ours,
            bytes: contestant.bytes,
            times,
        });
        let entries = entries.collect();
        Row { subject, entries }
    }

    pub(crate) fn named(&self, name: &str) -> Option<&Entry> {
        self.entries.iter().find(|entry| entry.name == name)
    }

    /// Returns the format that all contestants have, or the only one there is.
    pub(crate) fn first(&self) -> &Entry {
        &self.entries[0]
    }

    /// Returns the fastest of our formats, or of the peers.
    pub(crate) fn best(&self, ours: bool) -> Option<&Entry> {
        let entries = self
            .entries
            .iter()
            .filter(|entry| entry.ours == ours && !NO_PEERS.contains(&&*entry.name));
        entries.min_by(|left, right| left.times.median.total_cmp(&right.times.median))
    }
}

/// A contestant that moves the same bytes in every comparison.
const COPY: &str = "copy";
const READ: &str = "read";
/// Contestants that only move bytes.
const NO_PEERS: [&str; 3] = [READ, COPY, "fresh copy"];

/// The matrices in one table, and the widths of its columns.
const ACROSS: usize = 7;
const NAMES: usize = 15;
const WIDTH: usize = 14;

/// Returns the unit of the times of a row, and its seconds.
fn unit(row: &Row) -> (&'static str, f64) {
    match row.first().times.median {
        ..1e-5 => ("ns", 1e-9),
        ..1e-2 => ("us", 1e-6),
        _ => ("ms", 1e-3),
    }
}

/// All comparisons of one kind.
pub(crate) struct Table {
    pub workload: String,
    /// The set of matrices, in one word.
    pub set: String,
    pub scalar: &'static str,
    pub threads: usize,
    pub cache: &'static str,
    pub rows: Vec<Row>,
}

impl Table {
    pub(crate) fn title(&self) -> String {
        let plural = if self.threads == 1 { "" } else { "s" };
        let Table {
            workload,
            set,
            scalar,
            threads,
            cache,
            ..
        } = self;
        format!("{workload}, {set}, {scalar}, {threads} thread{plural}, {cache}")
    }

    /// Adds the row, and reports the progress on stderr.
    pub(crate) fn push(&mut self, row: Row) {
        let (first, (name, seconds)) = (row.first(), unit(&row));
        let median = first.times.median / seconds;
        eprintln!(
            "{}: {}, {} {median:.3} {name}",
            self.title(),
            row.subject.name,
            first.name
        );
        self.rows.push(row);
    }

    /// Prints a line for each contestant, with a column for each matrix and their mean.
    pub(crate) fn print(&self) {
        println!("\n{}: medians, and the distance between the quartiles", self.title());
        for rows in self.rows.chunks(ACROSS) {
            let columns = |cell: &dyn Fn(&Row) -> String| -> String {
                rows.iter().map(|row| format!("{:>WIDTH$}", cell(row))).collect()
            };
            println!(
                "{:<NAMES$}{}{:>9}",
                "",
                columns(&|row| row.subject.name.clone()),
                "mean"
            );
            println!(
                "{:<NAMES$}{}{:>9}",
                "nonzeros",
                columns(&|row| row.subject.elements.to_string()),
                "over"
            );
            println!(
                "{:<NAMES$}{}{:>9}",
                "",
                columns(&|row| unit(row).0.to_owned()),
                self.rows[0].first().name
            );
            for name in self.names() {
                let time = |row: &Row| {
                    let times = row.named(name).map(|entry| entry.times);
                    times.map(|times| format!("{:.3} {:>2.0}%", times.median / unit(row).1, times.spread()))
                };
                let ratios = rows.iter().filter_map(|row| {
                    let entry = row.named(name).filter(|_| name != COPY)?;
                    Some(entry.times.median / row.first().times.median)
                });
                if let Some(mean) = geometric_mean(&ratios.collect::<Vec<f64>>()) {
                    println!(
                        "{name:<NAMES$}{}{mean:>8.2}x",
                        columns(&|row| time(row).unwrap_or_default())
                    );
                }
            }
            for name in self.names() {
                let rate = |row: &Row| {
                    let entry = row.named(name)?;
                    Some(format!("{:.1} GB/s", entry.bytes? as f64 / entry.times.median / 1e9))
                };
                if rows.iter().any(|row| rate(row).is_some()) {
                    println!("{name:<NAMES$}{}", columns(&|row| rate(row).unwrap_or_default()));
                }
            }
        }
    }

    /// Returns the names of all contestants, in order of appearance.
    pub(crate) fn names(&self) -> Vec<&str> {
        let mut names: Vec<&str> = Vec::new();
        for entry in self.rows.iter().flat_map(|row| &row.entries) {
            if !names.contains(&&*entry.name) {
                names.push(&entry.name);
            }
        }
        names
    }

    /// Returns the geometric mean of one contestant's time over another's, over the rows that pass.
    pub(crate) fn mean<'a>(
        &'a self,
        wanted: impl Fn(&Row) -> bool,
        time: impl Fn(&'a Row) -> Option<&'a Entry>,
        base: impl Fn(&'a Row) -> Option<&'a Entry>,
    ) -> Option<f64> {
        let rows = self.rows.iter().filter(|row| wanted(row));
        let ratios = rows.filter_map(|row| Some(time(row)?.times.median / base(row)?.times.median));
        geometric_mean(&ratios.collect::<Vec<f64>>())
    }

    /// Returns the bandwidth of the first and the best of ours, relative to a plain read of as many bytes.
    fn print_of_read(&self, kind: &str, wanted: &dyn Fn(&Row) -> bool) {
        let rows = self.rows.iter().filter(|row| wanted(row));
        let shares = rows.filter_map(|row| {
            let read = row.named(READ)?;
            let rate = |entry: &Entry| Some(entry.bytes? as f64 / entry.times.median);
            let of_read = |entry: &Entry| Some(rate(entry)? / rate(read)?);
            Some([of_read(row.first())?, of_read(row.best(true)?)?])
        });
        let shares: Vec<[f64; 2]> = shares.collect();
        let [first, best] = [0, 1].map(|at| geometric_mean(&shares.iter().map(|pair| pair[at]).collect::<Vec<f64>>()));
        if let (Some(first), Some(best)) = (first, best) {
            let [first, best] = [first, best].map(|share| 100.0 * share);
            println!(
                "  {kind:<11} bytes in a second, of what a read reaches: the first {first:.0}%, the best {best:.0}%"
            );
        }
    }

    /// Returns the mean ratios over the rows that pass, of all contestants over the first or over the best of ours.
    fn means(&self, wanted: impl Fn(&Row) -> bool + Copy, over_best: bool) -> String {
        let mut line = String::new();
        for name in self.names() {
            let base = |row| {
                if over_best {
                    Row::best(row, true)
                } else {
                    Some(Row::first(row))
                }
            };
            let ratio = self.mean(wanted, |row| row.named(name), base);
            if let Some(ratio) = ratio.filter(|_| name != COPY) {
                line += &format!(" {name} {ratio:.2}x");
            }
        }
        line
    }

    fn print_summary(&self) {
        let Some(first) = self.rows.first() else { return };
        println!("{}", self.title());
        let several = self
            .rows
            .iter()
            .any(|row| row.entries.iter().filter(|entry| entry.ours).count() > 1);
        let mut kinds = vec![("all", None)];
        if [true, false]
            .iter()
            .all(|kind| self.rows.iter().any(|row| row.subject.structured == *kind))
        {
            kinds.extend([("structured", Some(true)), ("others", Some(false))]);
        }
        for (kind, structured) in kinds {
            let wanted = |row: &Row| structured.is_none_or(|structured| row.subject.structured == structured);
            println!("  {kind:<11} over {}:{}", first.first().name, self.means(wanted, false));
            if several {
                println!("  {kind:<11} over the best of ours:{}", self.means(wanted, true));
            }
            self.print_of_read(kind, &wanted);
        }
    }
}

/// The tables of a run.
#[derive(Default)]
pub(crate) struct Report {
    pub tables: Vec<Table>,
    pub ceilings: Vec<Ceilings>,
}

impl Report {
    /// Prints the means of all tables, and the speedup by more threads.
    pub(crate) fn print_summary(&self) {
        println!("\ngeometric means over the matrices of times over ours: above 1, ours is faster");
        self.tables.iter().for_each(Table::print_summary);
        for many in self.tables.iter().filter(|table| table.threads > 1) {
            let same = |one: &&Table| {
                let key = |table: &Table| (table.workload.clone(), table.set.clone(), table.scalar, table.cache);
                one.threads == 1 && key(one) == key(many)
            };
            let Some(one) = self.tables.iter().find(same) else {
                continue;
            };
            print!("{} over one thread:", many.title());
            for name in many.names() {
                let gains = many.rows.iter().filter_map(|row| {
                    let alone = one.rows.iter().find(|other| other.subject.name == row.subject.name)?;
                    Some(alone.named(name)?.times.median / row.named(name)?.times.median)
                });
                if let Some(gain) = geometric_mean(&gains.collect::<Vec<f64>>()) {
                    print!(" {name} {gain:.2}x");
                }
            }
            println!();
        }
    }

    /// Writes everything below the target folder, and prints where. A quick run does not replace earlier measurements.
    pub(crate) fn write(&self, bench: &str, quick: bool) {
        let bench = if quick {
            format!("{bench}-quick")
        } else {
            bench.to_owned()
        };
        write(&format!("{bench}.csv"), &csv::of(self));
        let pictures = [("bars", bars::of(&self.tables)), ("roofline", roofline::of(self))];
        for (name, picture) in pictures {
            if let Some(picture) = picture {
                write(&format!("{bench}-{name}.svg"), &picture);
            }
        }
    }
}

/// Writes a file below the target folder, and prints where.
pub(crate) fn write(name: &str, text: &str) {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR"));
    let folder = folder.parent().unwrap_or(&folder).join("bench");
    let path = folder.join(name);
    let written = std::fs::create_dir_all(&folder).and_then(|()| std::fs::write(&path, text));
    match written {
        Ok(()) => println!("{}", path.display()),
        Err(error) => println!("{}: {error}", path.display()),
    }
}
