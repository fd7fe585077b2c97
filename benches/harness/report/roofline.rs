//! Arithmetic intensity and speed below the limits of the machine: one panel for each element type and number of threads.

use super::svg::{LINES, OURS, PEERS, Picture};
use super::{Report, Row};
use crate::harness::ceilings::Ceilings;

const WIDTH: f64 = 760.0;
const HEIGHT: f64 = 440.0;
const LEFT: f64 = 60.0;
/// The range of both axes, in powers of two: operations per byte, and per nanosecond.
const INTENSITIES: [f64; 2] = [-6.0, 8.0];
const SPEEDS: [f64; 2] = [-4.0, 8.0];

/// Returns the place of a value between two others, from 0 to 1.
fn along(value: f64, [from, to]: [f64; 2]) -> f64 {
    ((value.log2() - from) / (to - from)).clamp(0.0, 1.0)
}

fn place(top: f64, intensity: f64, speed: f64) -> [f64; 2] {
    let x = LEFT + along(intensity, INTENSITIES) * (WIDTH - LEFT - 20.0);
    let y = top + HEIGHT - 40.0 - along(speed, SPEEDS) * (HEIGHT - 70.0);
    [x, y]
}

pub(super) fn of(report: &Report) -> Option<String> {
    let mut picture = Picture::new();
    let mut top = 0.0;
    for ceilings in &report.ceilings {
        panel(&mut picture, top, ceilings);
        for table in &report.tables {
            if (table.threads, table.scalar) != (ceilings.threads, ceilings.scalar) {
                continue;
            }
            table
                .rows
                .iter()
                .for_each(|row| dots(&mut picture, top, &table.workload, row));
        }
        top += HEIGHT;
    }
    (top > 0.0).then(|| picture.finish(WIDTH, top))
}

/// Axes and roofs.
fn panel(picture: &mut Picture, top: f64, ceilings: &Ceilings) {
    let (threads, scalar) = (ceilings.threads, ceilings.scalar);
    let plural = if threads == 1 { "" } else { "s" };
    let title =
        format!("{scalar}, {threads} thread{plural}: GFLOP/s over FLOP/byte of the format and the dense operands");
    picture.text([LEFT, top + 20.0], "start", "black", &title);
    picture.text([WIDTH - 170.0, top + 20.0], "start", OURS, "best of ours");
    picture.text([WIDTH - 90.0, top + 20.0], "start", PEERS, "best peer");
    let bottom = place(top, 1.0, SPEEDS[0].exp2())[1];
    for power in (INTENSITIES[0] as i32..=INTENSITIES[1] as i32).step_by(2) {
        let [x, _] = place(top, f64::from(power).exp2(), 1.0);
        picture.line([x, bottom], [x, bottom + 4.0], "black");
        picture.text([x, bottom + 18.0], "middle", "black", &power_of_two(power));
    }
    for power in (SPEEDS[0] as i32..=SPEEDS[1] as i32).step_by(2) {
        let [_, y] = place(top, 1.0, f64::from(power).exp2());
        picture.line([LEFT - 4.0, y], [LEFT, y], "black");
        picture.text([LEFT - 8.0, y + 4.0], "end", "black", &power_of_two(power));
    }
    let peak = ceilings.peak.map_or(SPEEDS[1].exp2(), |peak| peak / 1e9);
    // Each name has a height of its own.
    let roofs = [
        ("memory", ceilings.memory.read, 4.0),
        ("caches", ceilings.caches.read, 2.0),
    ];
    for (name, rate, height) in roofs {
        let rate = rate / 1e9;
        let (from, to) = (SPEEDS[0].exp2() / rate, peak / rate);
        let from = from.max(INTENSITIES[0].exp2());
        picture.line(place(top, from, from * rate), place(top, to, peak), "black");
        let [x, y] = place(top, to / height, peak / height);
        picture.text([x - 6.0, y - 6.0], "end", "black", &format!("{name} {rate:.0} GB/s"));
    }
    let roof = place(top, INTENSITIES[1].exp2(), peak);
    picture.line(place(top, peak * 1e9 / ceilings.caches.read, peak), roof, "black");
    picture.line([LEFT, bottom], [WIDTH - 20.0, bottom], LINES);
    picture.line([LEFT, bottom], [LEFT, top + 30.0], LINES);
}

fn power_of_two(power: i32) -> String {
    if power < 0 {
        format!("1/{}", 1 << -power)
    } else {
        (1 << power).to_string()
    }
}

/// The best of ours at its own intensity, and the best peer at that of the first of our formats.
fn dots(picture: &mut Picture, top: f64, workload: &str, row: &Row) {
    for (ours, fill) in [(false, PEERS), (true, OURS)] {
        let Some(best) = row.best(ours) else { continue };
        let Some(bytes) = best.bytes.or(row.first().bytes).filter(|_| row.subject.flops > 0.0) else {
            continue;
        };
        let speed = row.subject.flops / best.times.median / 1e9;
        let title = format!("{workload} {}: {} {speed:.2} GFLOP/s", row.subject.name, best.name);
        picture.dot(place(top, row.subject.flops / bytes as f64, speed), fill, &title);
    }
}
