//! Tables, means of ratios, CSV and pictures, all of the same rows.

mod bars;
mod csv;
mod roofline;
mod svg;

use std::path::PathBuf;

use super::ceilings::Ceilings;
use super::measure::{Contestant, Rules, Times, geometric_mean, measure};

/// What one contestant took.
pub(crate) struct Entry {
    pub name: String,
    pub ours: bool,
    pub bytes: Option<usize>,
    pub times: Times,
}

/// One comparison: the contestants over one problem.
pub(crate) struct Row {
    pub matrix: String,
    /// Of the kind that formats are declared for: most elements on few diagonals, or in dense blocks.
    pub structured: bool,
    pub elements: usize,
    /// Multiplications and additions; zero of conversions.
    pub flops: f64,
    pub entries: Vec<Entry>,
}

impl Row {
    /// Runs all in turn.
    pub(crate) fn measured(
        (matrix, structured): (&str, bool),
        (elements, flops): (usize, f64),
        mut contestants: Vec<Contestant>,
        rules: Rules,
    ) -> Self {
        let times = measure(&mut contestants, rules);
        let entries = contestants.into_iter().zip(times).map(|(contestant, times)| Entry {
            name: contestant.name,
            ours: contestant.ours,
            bytes: contestant.bytes,
            times,
        });
        Row {
            matrix: matrix.to_owned(),
            structured,
            elements,
            flops,
            entries: entries.collect(),
        }
    }

    pub(crate) fn named(&self, name: &str) -> Option<&Entry> {
        self.entries.iter().find(|entry| entry.name == name)
    }

    /// The format that everybody has, or the only one there is.
    pub(crate) fn first(&self) -> &Entry {
        &self.entries[0]
    }

    /// The fastest of our formats, or of the peers.
    pub(crate) fn best(&self, ours: bool) -> Option<&Entry> {
        let entries = self
            .entries
            .iter()
            .filter(|entry| entry.ours == ours && !NO_PEERS.contains(&&*entry.name));
        entries.min_by(|left, right| left.times.median.total_cmp(&right.times.median))
    }
}

/// Moves always the same bytes, whatever is compared.
const COPY: &str = "copy";
/// What only moves bytes.
const NO_PEERS: [&str; 3] = ["read", COPY, "fresh copy"];

/// All comparisons of one kind.
pub(crate) struct Table {
    pub workload: String,
    /// Which matrices, in a word.
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

    /// What is short is told in nanoseconds.
    pub(crate) fn print_head(&self) {
        println!(
            "\n{}: median, distance of the quartiles in percent; bandwidth; time over that of the first",
            self.title()
        );
    }

    /// Prints the row, and keeps it.
    pub(crate) fn push(&mut self, row: Row) {
        print!("{:<14} {:>9} ", row.matrix, row.elements);
        let first = row.first().times.median;
        for entry in &row.entries {
            let median = entry.times.median;
            let (value, unit) = if median < 1e-5 {
                (1e9 * median, "ns")
            } else {
                (1e3 * median, "ms")
            };
            print!(" {} {value:.3} {unit} {:.0}%", entry.name, entry.times.spread());
            if let Some(bytes) = entry.bytes {
                print!(" {:.1} GB/s", bytes as f64 / median / 1e9);
            }
            if entry.name == COPY {
                let own = row.first();
                let share = own.bytes.map(|bytes| bytes as f64 / own.times.median);
                let share = share.zip(entry.bytes).map(|(rate, bytes)| rate * median / bytes as f64);
                share
                    .into_iter()
                    .for_each(|share| print!(" (ours {:.0}%)", 100.0 * share));
            } else if median != first {
                print!(" ({:.2}x)", median / first);
            }
            print!(";");
        }
        println!();
        self.rows.push(row);
    }

    /// The names of all contestants, in order of appearance.
    pub(crate) fn names(&self) -> Vec<&str> {
        let mut names: Vec<&str> = Vec::new();
        for entry in self.rows.iter().flat_map(|row| &row.entries) {
            if !names.contains(&&*entry.name) && entry.name != COPY {
                names.push(&entry.name);
            }
        }
        names
    }

    /// The geometric mean over the rows that pass of one contestant's time over another's.
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

    fn print_summary(&self) {
        let Some(first) = self.rows.first().map(|row| row.first().name.clone()) else {
            return;
        };
        println!("{}", self.title());
        let several = self
            .rows
            .iter()
            .any(|row| row.entries.iter().filter(|entry| entry.ours).count() > 1);
        let mixed = |structured| self.rows.iter().any(|row| row.structured == structured);
        let kinds: &[(&str, Option<bool>)] = if mixed(true) && mixed(false) {
            &[("all", None), ("structured", Some(true)), ("others", Some(false))]
        } else {
            &[("all", None)]
        };
        for &(kind, structured) in kinds {
            let wanted = |row: &Row| structured.is_none_or(|structured| row.structured == structured);
            let line = |name: &str, base: &dyn Fn(&Row) -> bool| {
                let mut text = String::new();
                let of_best = base(&self.rows[0]);
                for peer in self.names() {
                    let ratio = self.mean(
                        wanted,
                        |row| row.named(peer),
                        |row| if of_best { row.best(true) } else { Some(row.first()) },
                    );
                    if let Some(ratio) = ratio.filter(|_| peer != name) {
                        text += &format!(" {peer} {ratio:.2}x");
                    }
                }
                text
            };
            println!("  {kind:<11} over {first}:{}", line(&first, &|_| false));
            if several {
                println!("  {kind:<11} over the best of ours:{}", line("", &|_| true));
            }
        }
    }
}

/// All that a run gave.
#[derive(Default)]
pub(crate) struct Report {
    pub tables: Vec<Table>,
    pub ceilings: Vec<Ceilings>,
}

impl Report {
    /// The means of all tables, and what more threads gain.
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
                    let alone = one.rows.iter().find(|other| other.matrix == row.matrix)?;
                    Some(alone.named(name)?.times.median / row.named(name)?.times.median)
                });
                if let Some(gain) = geometric_mean(&gains.collect::<Vec<f64>>()) {
                    print!(" {name} {gain:.2}x");
                }
            }
            println!();
        }
    }

    /// Writes everything below the target folder, and says where.
    pub(crate) fn write(&self, bench: &str) {
        let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR"));
        let folder = folder.parent().unwrap_or(&folder).join("bench");
        let files = [
            (format!("{bench}.csv"), Some(csv::of(self))),
            (format!("{bench}-bars.svg"), bars::of(&self.tables)),
            (format!("{bench}-roofline.svg"), roofline::of(self)),
        ];
        for (name, text) in files {
            let Some(text) = text else { continue };
            let path = folder.join(name);
            let written = std::fs::create_dir_all(&folder).and_then(|()| std::fs::write(&path, text));
            match written {
                Ok(()) => println!("{}", path.display()),
                Err(error) => println!("{}: {error}", path.display()),
            }
        }
    }
}
