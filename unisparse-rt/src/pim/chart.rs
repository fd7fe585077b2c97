//! Charts of several runs, as SVG.

use std::fmt::Write;

const WIDTH: f64 = 760.0;
const HEIGHT: f64 = 360.0;
const LEFT: f64 = 70.0;
const TOP: f64 = 60.0;
const BOTTOM: f64 = 80.0;
const COLOURS: [&str; 6] = ["#3566b0", "#d97b29", "#4a9a52", "#8e57a8", "#b3404a", "#6b7785"];

/// Draws groups of bars on a logarithmic axis: a value of each series for each group, and, where there is one, a dashed line
/// over each group at its bound. Values that are not positive have no bar.
#[must_use]
pub fn chart(title: &str, unit: &str, series: &[&str], groups: &[(&str, Vec<f64>, Option<f64>)]) -> String {
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
    let (low, high) = (low - room, high + room);
    let y = |value: f64| TOP + (HEIGHT - TOP - BOTTOM) * (high - value.log10()) / (high - low);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" font-family=\"sans-serif\" \
         font-size=\"12\" fill=\"#1f2933\">\n<rect width=\"{WIDTH}\" height=\"{HEIGHT}\" fill=\"#ffffff\"/>\n"
    );
    text(&mut svg, LEFT, 20.0, "start", &format!("{title} ({unit})"));
    let powers = low.floor() as i32..=high.ceil() as i32;
    for value in powers.flat_map(|power| [1.0, 2.0, 5.0].map(|digit| digit * 10f64.powi(power))) {
        let at = y(value);
        if (TOP..=HEIGHT - BOTTOM).contains(&at) {
            let _ = writeln!(svg, "<path d=\"M{LEFT} {at:.1}H{}\" stroke=\"#cbd2d9\"/>", WIDTH - 20.0);
            text(
                &mut svg,
                LEFT - 8.0,
                at + 4.0,
                "end",
                &format!("{}", (value * 1e9).round() / 1e9),
            );
        }
    }
    for (at, name) in series.iter().enumerate() {
        let x = LEFT + 110.0 * at as f64;
        let _ = writeln!(
            svg,
            "<rect x=\"{x}\" y=\"32\" width=\"12\" height=\"12\" fill=\"{}\"/>",
            colour(at)
        );
        text(&mut svg, x + 18.0, 43.0, "start", name);
    }
    let of_group = (WIDTH - LEFT - 20.0) / groups.len().max(1) as f64;
    let bar = of_group * 0.8 / series.len().max(1) as f64;
    for (group, (name, values, bound)) in groups.iter().enumerate() {
        let start = LEFT + of_group * (group as f64 + 0.1);
        for (at, &value) in values
            .iter()
            .enumerate()
            .filter(|(_, value)| value.is_finite() && **value > 0.0)
        {
            let (x, top) = (start + bar * at as f64, y(value));
            let tall = HEIGHT - BOTTOM - top;
            let (fill, wide) = (colour(at), bar * 0.92);
            let _ = writeln!(
                svg,
                "<rect x=\"{x:.1}\" y=\"{top:.1}\" width=\"{wide:.1}\" height=\"{tall:.1}\" fill=\"{fill}\"/>"
            );
        }
        if let Some(at) = bound.filter(|bound| *bound > 0.0).map(y) {
            let end = start + of_group * 0.8;
            let _ = writeln!(
                svg,
                "<path d=\"M{start:.1} {at:.1}H{end:.1}\" stroke=\"#111\" stroke-width=\"2\" stroke-dasharray=\"5 3\"/>"
            );
        }
        let stagger = if group % 2 == 0 { 18.0 } else { 34.0 };
        text(
            &mut svg,
            start + of_group * 0.4,
            HEIGHT - BOTTOM + stagger,
            "middle",
            name,
        );
    }
    if groups.iter().any(|(.., bound)| bound.is_some()) {
        text(&mut svg, LEFT, HEIGHT - 12.0, "start", "dashed: bound");
    }
    svg + "</svg>\n"
}

fn colour(series: usize) -> &'static str {
    COLOURS[series % COLOURS.len()]
}

fn text(svg: &mut String, x: f64, y: f64, anchor: &str, text: &str) {
    let text = text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    let _ = writeln!(
        svg,
        "<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\">{text}</text>"
    );
}
