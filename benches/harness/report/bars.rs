//! One panel for each table: the time of each contestant as a multiple of the first one's.

use super::svg::{LINES, OURS, PEERS, Picture};
use super::{COPY, Row, Table};

const WIDTH: f64 = 760.0;
const NAMES: f64 = 170.0;
const STEP: f64 = 20.0;

pub(super) fn of(tables: &[Table]) -> Option<String> {
    let mut picture = Picture::new();
    let mut y = 10.0;
    for table in tables {
        let Some(first) = table.rows.first().map(Row::first) else {
            continue;
        };
        let mut bars = Vec::new();
        for name in table.names().into_iter().filter(|name| *name != COPY) {
            let ratio = table.mean(|_| true, |row| row.named(name), |row| Some(row.first()));
            let count = table.rows.iter().filter(|row| row.named(name).is_some()).count();
            let ours = table
                .rows
                .iter()
                .filter_map(|row| row.named(name))
                .any(|entry| entry.ours);
            bars.extend(ratio.map(|ratio| (name, ratio, count, ours)));
        }
        let longest = bars.iter().map(|bar| bar.1).fold(1.0, f64::max);
        let scale = (WIDTH - NAMES - 110.0) / longest;
        y += STEP;
        let title = format!("{}: time over that of {}", table.title(), first.name);
        picture.text([10.0, y], "start", "black", &title);
        let (top, count) = (y + 6.0, bars.len() as f64);
        picture.line([NAMES + scale, top], [NAMES + scale, top + count * STEP], LINES);
        for (name, ratio, count, ours) in bars {
            y += STEP;
            picture.text([NAMES - 8.0, y], "end", "black", name);
            picture.bar(
                [NAMES, y - 11.0],
                [ratio * scale, 14.0],
                if ours { OURS } else { PEERS },
            );
            let of = if count == table.rows.len() {
                String::new()
            } else {
                format!(" ({count} of {})", table.rows.len())
            };
            picture.text(
                [NAMES + ratio * scale + 6.0, y],
                "start",
                "black",
                &format!("{ratio:.2}{of}"),
            );
        }
        y += STEP;
    }
    (y > 10.0).then(|| picture.finish(WIDTH, y + 10.0))
}
