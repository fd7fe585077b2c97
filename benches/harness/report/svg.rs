//! The elements of pictures.

pub(super) const OURS: &str = "#c2410c";
pub(super) const PEERS: &str = "#64748b";
pub(super) const LINES: &str = "#cbd5e1";

/// A picture under construction.
pub(super) struct Picture(String);

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

impl Picture {
    pub(super) fn new() -> Self {
        Picture(String::new())
    }

    /// Adds a text. `anchor` is `start`, `middle` or `end`: the part of the text at this place.
    pub(super) fn text(&mut self, [x, y]: [f64; 2], anchor: &str, fill: &str, text: &str) {
        let text = escaped(text);
        self.0 += &format!("<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\" fill=\"{fill}\">{text}</text>\n");
    }

    pub(super) fn bar(&mut self, [x, y]: [f64; 2], [width, height]: [f64; 2], fill: &str) {
        let size = format!("width=\"{width:.1}\" height=\"{height:.1}\"");
        self.0 += &format!("<rect x=\"{x:.1}\" y=\"{y:.1}\" {size} fill=\"{fill}\"/>\n");
    }

    pub(super) fn line(&mut self, [x1, y1]: [f64; 2], [x2, y2]: [f64; 2], stroke: &str) {
        let places = format!("x1=\"{x1:.1}\" y1=\"{y1:.1}\" x2=\"{x2:.1}\" y2=\"{y2:.1}\"");
        self.0 += &format!("<line {places} stroke=\"{stroke}\"/>\n");
    }

    /// Adds a dot with a description, which shows when the pointer is on it.
    pub(super) fn dot(&mut self, [x, y]: [f64; 2], fill: &str, title: &str) {
        let place = format!("cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"4\"");
        let title = escaped(title);
        self.0 += &format!("<circle {place} fill=\"{fill}\" fill-opacity=\"0.7\"><title>{title}</title></circle>\n");
    }

    pub(super) fn finish(self, width: f64, height: f64) -> String {
        let style = "font-family=\"system-ui, sans-serif\" font-size=\"12\"";
        let head = format!("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width:.0} {height:.0}\" {style}>");
        format!(
            "{head}\n<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n{}</svg>\n",
            self.0
        )
    }
}
