//! What pictures are made of.

use std::fmt::{Display, Write};

pub(super) const OURS: &str = "#c2410c";
pub(super) const PEERS: &str = "#64748b";
pub(super) const LINES: &str = "#cbd5e1";

/// A picture that grows.
pub(super) struct Picture(String);

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

impl Picture {
    pub(super) fn new() -> Self {
        Picture(String::new())
    }

    pub(super) fn text(&mut self, at: [f64; 2], anchor: &str, fill: &str, text: &str) {
        self.element(
            "text",
            &[("x", &at[0]), ("y", &at[1]), ("text-anchor", &anchor), ("fill", &fill)],
            text,
        );
    }

    pub(super) fn bar(&mut self, at: [f64; 2], size: [f64; 2], fill: &str) {
        let [width, height] = size;
        let place: [(&str, &dyn Display); 5] = [
            ("x", &at[0]),
            ("y", &at[1]),
            ("width", &width),
            ("height", &height),
            ("fill", &fill),
        ];
        self.element("rect", &place, "");
    }

    pub(super) fn line(&mut self, from: [f64; 2], to: [f64; 2], stroke: &str) {
        let place: [(&str, &dyn Display); 5] = [
            ("x1", &from[0]),
            ("y1", &from[1]),
            ("x2", &to[0]),
            ("y2", &to[1]),
            ("stroke", &stroke),
        ];
        self.element("line", &place, "");
    }

    /// With what it stands for, which shows when it is pointed at.
    pub(super) fn dot(&mut self, at: [f64; 2], fill: &str, title: &str) {
        let [x, y] = at;
        let title = escaped(title);
        let _ = write!(
            self.0,
            "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"4\" fill=\"{fill}\" fill-opacity=\"0.8\"><title>{title}</title></circle>\n"
        );
    }

    fn element(&mut self, name: &str, attributes: &[(&str, &dyn Display)], content: &str) {
        self.0.push('<');
        self.0 += name;
        for (key, value) in attributes {
            let _ = write!(self.0, " {key}=\"{value:.1}\"");
        }
        let _ = write!(self.0, ">{}</{name}>\n", escaped(content));
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
