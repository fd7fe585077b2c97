//! Draws formats as SVG: the encoding, the level table, and the tree and arrays of an example.

use core::fmt::Write;

use super::explain::Describe;
use super::picture::Picture;

/// Width of a character of the code font at size [`CODE`], and an upper bound for the text font.
const WIDTH: f64 = 7.9;
/// Font size.
const CODE: f64 = 13.0;
const MARGIN: f64 = 24.0;
/// Distance between the baselines of two lines of text.
const LEADING: f64 = 20.0;
/// Distance between the levels of the tree.
const STEP: f64 = 46.0;
/// Maximum length of a line of code; longer lines are broken.
const MOST_CHARACTERS: usize = 110;
/// Height of a box.
const BOX: f64 = 22.0;

const INK: &str = "#1f2933";
const FAINT: &str = "#7b8794";
const RULE: &str = "#cbd2d9";
const NODE: &str = "#e0edff";
const VALUE: &str = "#e3f4e1";
const HOLE: &str = "#f5f5f5";

/// A document that grows downwards.
struct Canvas {
    body: String,
    width: f64,
    y: f64,
}

/// The style of a text.
#[derive(Clone, Copy)]
struct Style {
    anchor: &'static str,
    fill: &'static str,
    bold: bool,
    code: bool,
    size: f64,
}

const PLAIN: Style = Style {
    anchor: "start",
    fill: INK,
    bold: false,
    code: false,
    size: CODE,
};
const CODED: Style = Style { code: true, ..PLAIN };
const CENTERED: Style = Style {
    anchor: "middle",
    ..CODED
};

impl Describe {
    /// Draws the encoding, the level table, and the tree and arrays of a small example, as an SVG document. The parts of a
    /// hybrid are drawn below each other.
    #[must_use]
    pub fn svg(&self) -> String {
        let mut formats = vec![self];
        formats.extend(&self.parts);
        draw(&formats)
    }
}

/// Draws these formats below each other.
fn draw(formats: &[&Describe]) -> String {
    let mut canvas = Canvas {
        body: String::new(),
        width: 0.0,
        y: MARGIN,
    };
    for (at, format) in formats.iter().enumerate() {
        if at > 0 {
            canvas.y += 2.0 * LEADING;
        }
        canvas.format(format);
    }
    canvas.finish()
}

/// Returns a text as that of an XML element or attribute.
pub(crate) fn escape(text: &str) -> String {
    let mut escaped = String::new();
    for character in text.chars() {
        match character {
            '&' => escaped += "&amp;",
            '<' => escaped += "&lt;",
            '>' => escaped += "&gt;",
            '"' => escaped += "&quot;",
            other => escaped.push(other),
        }
    }
    escaped
}

fn characters(text: &str) -> f64 {
    text.chars().count() as f64
}

impl Canvas {
    fn push(&mut self, element: core::fmt::Arguments<'_>) {
        self.body.write_fmt(element).expect("a string");
        self.body.push('\n');
    }

    fn finish(self) -> String {
        let (width, height) = ((self.width + MARGIN).ceil(), (self.y + MARGIN).ceil());
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\" \
             font-size=\"{CODE}\">\n<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n{}</svg>\n",
            self.body
        )
    }

    /// Draws a text with its baseline at `y`.
    fn text(&mut self, x: f64, y: f64, style: Style, text: &str) {
        let family = if style.code {
            "ui-monospace, 'DejaVu Sans Mono', Menlo, Consolas, monospace"
        } else {
            "system-ui, 'DejaVu Sans', Helvetica, Arial, sans-serif"
        };
        let weight = if style.bold { " font-weight=\"bold\"" } else { "" };
        let size = if style.size == CODE {
            String::new()
        } else {
            format!(" font-size=\"{}\"", style.size)
        };
        let (anchor, fill, escaped) = (style.anchor, style.fill, escape(text));
        self.push(format_args!(
            "<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\" fill=\"{fill}\" font-family=\"{family}\"{weight}{size} xml:space=\"preserve\">{escaped}</text>"
        ));
        let length = characters(text) * WIDTH * style.size / CODE;
        let end = match style.anchor {
            "middle" => x + length / 2.0,
            "end" => x,
            _ => x + length,
        };
        self.width = self.width.max(end);
    }

    /// Draws a declaration, with each query on its own line.
    fn declaration(&mut self, text: &str) {
        let parts = text
            .split_once(" where { ")
            .and_then(|(map, rest)| Some((map, rest.split_once("; } ")?)));
        let Some((map, (queries, primitives))) = parts else {
            return self.paragraph(CODED, text);
        };
        self.paragraph(CODED, &format!("{map} where {{"));
        for query in queries.split("; ") {
            self.line(CODED, &format!("    {query};"));
        }
        self.paragraph(CODED, &format!("}} {primitives}"));
    }

    /// Draws a text from the left margin, broken after commas.
    fn paragraph(&mut self, style: Style, text: &str) {
        let mut line = String::new();
        for part in text.split_inclusive(", ") {
            if !line.is_empty() && line.chars().count() + part.chars().count() > MOST_CHARACTERS {
                self.line(style, line.trim_end());
                line = "    ".to_owned();
            }
            line += part;
        }
        self.line(style, &line);
    }

    fn line(&mut self, style: Style, text: &str) {
        self.y += LEADING;
        self.text(MARGIN, self.y, style, text);
    }

    /// Draws a box around a centered label.
    fn cell(&mut self, x: f64, y: f64, width: f64, fill: &str, round: f64, label: &str) {
        let (left, top) = (x - width / 2.0, y - BOX / 2.0);
        self.push(format_args!(
            "<rect x=\"{left:.1}\" y=\"{top:.1}\" width=\"{width:.1}\" height=\"{BOX}\" rx=\"{round}\" fill=\"{fill}\" stroke=\"{FAINT}\"/>"
        ));
        self.text(x, y + CODE * 0.36, CENTERED, label);
        self.width = self.width.max(x + width / 2.0);
    }

    fn edge(&mut self, from: (f64, f64), to: (f64, f64)) {
        self.push(format_args!(
            "<line x1=\"{:.1}\" y1=\"{:.1}\" x2=\"{:.1}\" y2=\"{:.1}\" stroke=\"{FAINT}\"/>",
            from.0, from.1, to.0, to.1
        ));
    }

    fn format(&mut self, format: &Describe) {
        let title = Style {
            bold: true,
            size: 20.0,
            ..PLAIN
        };
        self.text(
            MARGIN,
            self.y + 16.0,
            title,
            &format!("{}{}", format.name, format.parameters),
        );
        self.y += 20.0;
        self.declaration(format.declaration);
        if !format.levels.is_empty() {
            self.y += LEADING / 2.0;
            self.table(format);
        }
        if let Some(picture) = &format.picture {
            self.y += LEADING / 2.0;
            self.paragraph(PLAIN, &format!("{}:", picture.caption));
            let names: Vec<&str> = format.levels.iter().map(|level| level.name).collect();
            self.picture(picture, &names);
        }
    }

    fn table(&mut self, format: &Describe) {
        let header = ["level", "expr", "domain", "storage", "why"];
        let whys: Vec<String> = format.levels.iter().map(|level| level.why.replace('`', "")).collect();
        let rows: Vec<[&str; 5]> = format
            .levels
            .iter()
            .zip(&whys)
            .map(|(level, why)| [level.name, level.expression, level.domain, level.storage, why])
            .collect();
        let width = |column: usize| {
            let cells = rows.iter().map(|row| row[column]).chain([header[column]]);
            (cells.map(characters).fold(0.0, f64::max) + 2.5) * WIDTH
        };
        let widths: Vec<f64> = (0..header.len()).map(width).collect();
        for (number, row) in [header].iter().chain(&rows).enumerate() {
            self.y += LEADING + 2.0;
            let mut x = MARGIN;
            for (column, cell) in row.iter().enumerate() {
                let coded = number > 0 && column + 1 < header.len();
                let style = Style {
                    bold: number == 0,
                    ..if coded { CODED } else { PLAIN }
                };
                self.text(x, self.y, style, cell);
                x += widths[column];
            }
            let (y, end) = (self.y + 7.0, MARGIN + widths.iter().sum::<f64>());
            self.push(format_args!(
                "<line x1=\"{MARGIN}\" y1=\"{y:.1}\" x2=\"{end:.1}\" y2=\"{y:.1}\" stroke=\"{RULE}\"/>"
            ));
        }
        self.y += 7.0;
    }

    /// Draws the tree from the root down, and the arrays below it.
    fn picture(&mut self, picture: &Picture, names: &[&str]) {
        let nodes = nodes(picture.lines);
        let arrays = picture.arrays.iter().map(|(name, _)| characters(name));
        let labels = names
            .iter()
            .map(|name| characters(name))
            .chain(arrays)
            .fold(5.0, f64::max);
        let left = MARGIN + (labels + 2.0) * WIDTH;
        let widest = nodes.iter().map(|node| characters(node.label)).fold(1.0, f64::max);
        let (width, step) = ((widest + 1.6) * WIDTH, (widest + 2.8) * WIDTH);
        let mut places = vec![0.0; nodes.len()];
        for (at, node) in nodes.iter().enumerate().rev() {
            // Nodes come after their parents, and the first child directly after its parent.
            let children = nodes[at + 1..].iter().zip(&places[at + 1..]);
            let children = children
                .filter(|(child, _)| child.parent == Some(at))
                .map(|(_, &place)| place);
            let (low, high) = children.fold((f64::MAX, f64::MIN), |(low, high), x| (low.min(x), high.max(x)));
            places[at] = if low <= high {
                (low + high) / 2.0
            } else {
                left + (node.line as f64 + 0.5) * step
            };
        }
        let top = self.y + LEADING + BOX / 2.0;
        let row = |depth: usize| top + depth as f64 * STEP;
        let roots = nodes
            .iter()
            .zip(&places)
            .filter(|(node, _)| node.depth == 0)
            .map(|(_, &x)| x);
        let (low, high) = roots.fold((f64::MAX, f64::MIN), |(low, high), x| (low.min(x), high.max(x)));
        let root = (if low <= high { (low + high) / 2.0 } else { left }, row(0));
        for (at, node) in nodes.iter().enumerate() {
            let above = node.parent.map_or(root, |parent| (places[parent], row(node.depth)));
            let gap = if node.parent.is_some() { BOX / 2.0 } else { 4.0 };
            self.edge((above.0, above.1 + gap), (places[at], row(node.depth + 1) - BOX / 2.0));
        }
        self.push(format_args!(
            "<circle cx=\"{:.1}\" cy=\"{:.1}\" r=\"4\" fill=\"{INK}\"/>",
            root.0, root.1
        ));
        for (at, node) in nodes.iter().enumerate() {
            let is_value = node.depth == names.len();
            let fill = match node.label {
                "." => HOLE,
                _ if is_value => VALUE,
                _ => NODE,
            };
            let round = if is_value { 2.0 } else { BOX / 2.0 };
            self.cell(places[at], row(node.depth + 1), width, fill, round, node.label);
        }
        for (depth, name) in names.iter().chain(&["value"]).enumerate() {
            let style = Style { fill: FAINT, ..CODED };
            self.text(MARGIN, row(depth + 1) + CODE * 0.36, style, name);
        }
        self.y = row(names.len() + 1) + BOX / 2.0 + LEADING / 2.0;
        for (name, entries) in picture.arrays {
            self.array(name, entries, left);
        }
    }

    fn array(&mut self, name: &str, entries: &str, left: f64) {
        let y = self.y + BOX / 2.0 + 4.0;
        self.push(format_args!("<g class=\"array\">"));
        self.text(MARGIN, y + CODE * 0.36, CODED, name);
        let widest = entries.split(' ').map(characters).fold(1.0, f64::max);
        let width = (widest + 1.6) * WIDTH;
        let mut x = left;
        for entry in entries.split(' ').filter(|entry| !entry.is_empty()) {
            if entry == "|" {
                x += width / 2.0;
                continue;
            }
            let fill = match entry {
                "." => HOLE,
                _ if name == "values" => VALUE,
                _ => NODE,
            };
            self.cell(x + width / 2.0, y, width, fill, 0.0, entry);
            x += width;
        }
        self.push(format_args!("</g>"));
        self.y = y + BOX / 2.0 + 4.0;
    }
}

/// A node to draw; parents precede children.
struct Node {
    label: &'static str,
    depth: usize,
    parent: Option<usize>,
    /// The first line on which it occurs.
    line: usize,
}

fn nodes(lines: &[&'static str]) -> Vec<Node> {
    let mut nodes: Vec<Node> = Vec::new();
    let mut path: Vec<usize> = Vec::new();
    for (number, line) in lines.iter().enumerate() {
        for (depth, label) in line.split(' ').enumerate() {
            if label == "|" && depth < path.len() {
                continue;
            }
            path.truncate(depth);
            let parent = path.last().copied();
            path.push(nodes.len());
            nodes.push(Node {
                label,
                depth,
                parent,
                line: number,
            });
        }
    }
    nodes
}

#[cfg(test)]
mod tests {
    use crate::describe::explain::Describe;
    use crate::describe::picture::Picture;

    const CUT: Picture = Picture {
        caption: "A \"matrix\" with 1 < 2 & 3 > 2",
        lines: &["0 0 1", "| 2 .", "3", ".."],
        arrays: &[("row_ptr", "0 2 | 0 0"), ("(col_idx, values)", "(0,1) (2,.) |")],
    };

    #[test]
    fn a_hybrid_is_its_parts_below_each_other() {
        let part = |name| Describe::new(name, "|i| (i) {}", "<B=2>".to_owned(), &[]).with_picture(CUT);
        let hybrid = Describe::of_parts("Both", "One + Other", String::new(), vec![part("One"), part("Other")]);
        let svg = hybrid.svg();
        let document = roxmltree::Document::parse(&svg).unwrap();
        let texts: Vec<&str> = document.descendants().filter_map(|node| node.text()).collect();
        let at = |text: &str| {
            texts
                .iter()
                .position(|found| *found == text)
                .unwrap_or_else(|| panic!("{text}: {texts:?}"))
        };
        assert!(at("Both") < at("One<B=2>") && at("One<B=2>") < at("Other<B=2>"));
        at("A \"matrix\" with 1 < 2 & 3 > 2:");
        at("(2,.)");
        // Nothing is drawn outside the document.
        let size = |name: &str| document.root_element().attribute(name).unwrap().parse::<f64>().unwrap();
        for node in document.descendants().filter(|node| node.has_tag_name("rect")) {
            let number = |name: &str| node.attribute(name).and_then(|number| number.parse::<f64>().ok());
            if let (Some(x), Some(y), Some(width)) = (number("x"), number("y"), number("width")) {
                assert!(x >= 0.0 && x + width <= size("width") && y >= 0.0 && y < size("height"));
            }
        }
    }
}
