//! The tables.

use crate::measure::{Times, geometric_mean};

/// What one comparison gave.
pub(crate) struct Row {
    pub matrix: String,
    pub elements: usize,
    /// Of the source and of the result: what has to be moved at least.
    pub bytes: usize,
    pub ours: Times,
    /// A plain `clone` of as many bytes as the result has, into fresh memory.
    pub fresh_copy: Times,
    /// Bytes read and written in a second by a copy between memory in use.
    pub bandwidth: f64,
    pub peers: Vec<(&'static str, Times)>,
}

impl Row {
    /// How many copies of the result one conversion takes.
    fn copies(&self) -> f64 {
        self.ours.median / self.fresh_copy.median
    }

    /// The bandwidth reached over that of a copy.
    fn of_bandwidth(&self) -> f64 {
        self.bytes as f64 / self.ours.median / self.bandwidth
    }

    /// The fastest of the peers.
    fn best(&self) -> Option<&(&'static str, Times)> {
        let faster = |left: &&(&str, Times), right: &&(&str, Times)| left.1.median.total_cmp(&right.1.median);
        self.peers.iter().min_by(faster)
    }
}

/// All rows of one pair.
pub(crate) struct Table {
    pub title: String,
    pub rows: Vec<Row>,
}

impl Table {
    pub(crate) fn print_head(&self) {
        println!("\n{}", self.title);
        println!(
            "{:<14} {:>10} {:>9} {:>5} {:>9} {:>7} {:>6}  peers in ms, their time over ours",
            "", "nonzeros", "ours ms", "+-%", "copy ms", "/copy", "bw %"
        );
    }

    /// Prints the row, and keeps it for the means.
    pub(crate) fn push(&mut self, row: Row) {
        let milliseconds = |times: &Times| 1e3 * times.median;
        print!(
            "{:<14} {:>10} {:>9.3} {:>5.0} {:>9.3} {:>7.2} {:>6.0} ",
            row.matrix,
            row.elements,
            milliseconds(&row.ours),
            row.ours.spread(),
            milliseconds(&row.fresh_copy),
            row.copies(),
            100.0 * row.of_bandwidth(),
        );
        for (name, times) in &row.peers {
            print!(
                " {name} {:.3} ({:.2}x)",
                milliseconds(times),
                times.median / row.ours.median
            );
        }
        println!();
        self.rows.push(row);
    }

    /// The geometric means over the matrices, on one line.
    pub(crate) fn summary(&self) -> Option<String> {
        let mean = |ratio: &dyn Fn(&Row) -> Option<f64>| {
            geometric_mean(&self.rows.iter().filter_map(ratio).collect::<Vec<f64>>())
        };
        let mut line = format!("{:<36} {:>7.2}", self.title, mean(&|row| Some(row.copies()))?);
        line += &format!(" {:>6.0} ", 100.0 * mean(&|row| Some(row.of_bandwidth()))?);
        if let Some(best) = mean(&|row| Some(row.best()?.1.median / row.ours.median)) {
            line += &format!(" best {best:.2}x");
        }
        let mut names: Vec<&str> = Vec::new();
        for (name, _) in self.rows.iter().flat_map(|row| &row.peers) {
            if !names.contains(name) {
                names.push(name);
            }
        }
        for name in names {
            let of_peer = |row: &Row| {
                let (_, times) = row.peers.iter().find(|(peer, _)| *peer == name)?;
                Some(times.median / row.ours.median)
            };
            if let Some(ratio) = mean(&of_peer) {
                line += &format!(", {name} {ratio:.2}x");
            }
        }
        Some(line)
    }
}

/// The means of all pairs.
pub(crate) fn print_summary(tables: &[Table]) {
    println!(
        "\ngeometric means over the matrices: ours over a copy of the result, percent of the bandwidth of a copy,"
    );
    println!("and the time of the best peer of each matrix, then of each peer, over ours");
    tables
        .iter()
        .filter_map(Table::summary)
        .for_each(|line| println!("{line}"));
}
