//! Charts of several runs, as SVG.

use std::fmt::Write;

use super::svg::escape;

const WIDTH: f64 = 760.0;
const HEIGHT: f64 = 360.0;
const LEFT: f64 = 70.0;
const TOP: f64 = 60.0;
const BOTTOM: f64 = 80.0;
const COLOURS: [&str; 6] = ["#3566b0", "#d97b29", "#4a9a52", "#8e57a8", "#b3404a", "#6b7785"];

/// A group of bars: its name, a value of each series, and its bound.
type Group<'a> = (&'a str, Vec<f64>, Option<f64>);

/// Draws groups of bars on a logarithmic axis: a value of each series for each group, and, where there is one, a dashed line
/// over each group at its bound. Values that are not positive have no bar.
#[must_use]
pub fn chart(title: &str, unit: &str, series: &[&str], groups: &[(&str, Vec<f64>, Option<f64>)]) -> String {
    let axis = Axis::of(groups);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" font-family=\"sans-serif\" \
         font-size=\"12\" fill=\"#1f2933\">\n<rect width=\"{WIDTH}\" height=\"{HEIGHT}\" fill=\"#ffffff\"/>\n"
    );
    text(&mut svg, LEFT, 20.0, "start", &format!("{title} ({unit})"));
    axis.draw(&mut svg);
    legend(&mut svg, series);
    let of_group = (WIDTH - LEFT - 20.0) / groups.len().max(1) as f64;
    for (at, group) in groups.iter().enumerate() {
        let start = LEFT + of_group * (at as f64 + 0.1);
        bars(&mut svg, &axis, group, series.len(), [start, of_group * 0.8]);
        let stagger = if at % 2 == 0 { 18.0 } else { 34.0 };
        let middle = start + of_group * 0.4;
        text(&mut svg, middle, HEIGHT - BOTTOM + stagger, "middle", group.0);
    }
    if groups.iter().any(|(.., bound)| bound.is_some()) {
        text(&mut svg, LEFT, HEIGHT - 12.0, "start", "dashed: bound");
    }
    svg + "</svg>\n"
}

/// A logarithmic axis: the logarithms of its ends.
struct Axis {
    low: f64,
    high: f64,
}

impl Axis {
    fn of(groups: &[Group<'_>]) -> Self {
        let values = groups.iter().flat_map(|(_, values, bound)| values.iter().chain(bound));
        let positive = values.copied().filter(|value| value.is_finite() && *value > 0.0);
        let (least, most) = positive.fold((f64::INFINITY, 0.0_f64), |(least, most), value| {
            (least.min(value), most.max(value))
        });
        let (low, high) = if most > 0.0 {
            (least.log10(), most.log10())
        } else {
            (0.0, 1.0)
        };
        // Room below the least value, so that it has a bar, and above the greatest.
        let room = ((high - low) / 12.0).max(0.05);
        Axis {
            low: low - room,
            high: high + room,
        }
    }

    fn y(&self, value: f64) -> f64 {
        TOP + (HEIGHT - TOP - BOTTOM) * (self.high - value.log10()) / (self.high - self.low)
    }

    /// Draws lines at 1, 2 and 5 times the powers of ten.
    fn draw(&self, svg: &mut String) {
        let powers = self.low.floor() as i32..=self.high.ceil() as i32;
        for value in powers.flat_map(|power| [1.0, 2.0, 5.0].map(|digit| digit * 10f64.powi(power))) {
            let at = self.y(value);
            if (TOP..=HEIGHT - BOTTOM).contains(&at) {
                let _ = writeln!(svg, "<path d=\"M{LEFT} {at:.1}H{}\" stroke=\"#cbd2d9\"/>", WIDTH - 20.0);
                let number = format!("{}", (value * 1e9).round() / 1e9);
                text(svg, LEFT - 8.0, at + 4.0, "end", &number);
            }
        }
    }
}

fn legend(svg: &mut String, series: &[&str]) {
    for (at, name) in series.iter().enumerate() {
        let x = LEFT + 110.0 * at as f64;
        let _ = writeln!(
            svg,
            "<rect x=\"{x}\" y=\"32\" width=\"12\" height=\"12\" fill=\"{}\"/>",
            colour(at)
        );
        text(svg, x + 18.0, 43.0, "start", name);
    }
}

/// Draws the bars of one group, from `start`, and its bound.
fn bars(svg: &mut String, axis: &Axis, (_, values, bound): &Group<'_>, series: usize, [start, width]: [f64; 2]) {
    let bar = width / series.max(1) as f64;
    let values = values.iter().enumerate();
    for (at, &value) in values.filter(|(_, value)| value.is_finite() && **value > 0.0) {
        let (x, top) = (start + bar * at as f64, axis.y(value));
        let tall = HEIGHT - BOTTOM - top;
        let (fill, wide) = (colour(at), bar * 0.92);
        let _ = writeln!(
            svg,
            "<rect x=\"{x:.1}\" y=\"{top:.1}\" width=\"{wide:.1}\" height=\"{tall:.1}\" fill=\"{fill}\"/>"
        );
    }
    if let Some(at) = bound.filter(|bound| *bound > 0.0).map(|bound| axis.y(bound)) {
        let end = start + width;
        let _ = writeln!(
            svg,
            "<path d=\"M{start:.1} {at:.1}H{end:.1}\" stroke=\"#111\" stroke-width=\"2\" stroke-dasharray=\"5 3\"/>"
        );
    }
}

fn colour(series: usize) -> &'static str {
    COLOURS[series % COLOURS.len()]
}

fn text(svg: &mut String, x: f64, y: f64, anchor: &str, text: &str) {
    let text = escape(text);
    let _ = writeln!(
        svg,
        "<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\">{text}</text>"
    );
}
