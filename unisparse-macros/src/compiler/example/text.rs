//! Prints a picture as text.

use std::fmt;

use super::{Array, ArrayKind, Line, Picture};
use crate::compiler::encoding::Format;

/// Maximum number of lines; longer trees are truncated.
const MOST_LINES: usize = 24;
/// Maximum number of characters; longer arrays are truncated.
const MOST_CHARACTERS: usize = 100;

impl fmt::Display for Array {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} = ", self.name)?;
        if self.kind == ArrayKind::Size {
            return write!(f, "{}", self.sizes());
        }
        let mut length = self.name.chars().count();
        for (number, piece) in self.pieces.iter().enumerate() {
            if number > 0 {
                write!(f, " | ")?;
            }
            write!(f, "[")?;
            for (at, entry) in piece.iter().enumerate() {
                let comma = if at > 0 { ", " } else { "" };
                length += comma.len() + entry.chars().count();
                if length > MOST_CHARACTERS {
                    return write!(f, "{comma}..");
                }
                write!(f, "{comma}{entry}")?;
            }
            write!(f, "]")?;
            length += 5;
        }
        Ok(())
    }
}

impl Array {
    /// Returns the sizes of a level, or one size if it is the same everywhere.
    pub(crate) fn sizes(&self) -> String {
        let mut sizes: Vec<&str> = self.pieces.iter().flatten().map(String::as_str).collect();
        if sizes.iter().all(|size| *size == sizes[0]) {
            sizes.truncate(1);
        }
        sizes.join(" | ")
    }
}

impl Picture {
    /// Returns the tree, with one position per line, and the arrays below it.
    pub(crate) fn text(&self, format: &Format) -> String {
        let mut text = String::new();
        for line in tree(format, &self.lines) {
            text += line.trim_end();
            text += "\n";
        }
        text += "\n";
        for array in &self.arrays {
            text += &format!("{array}\n");
        }
        text
    }
}

/// Returns the lines of the tree, below the names of the levels.
fn tree(format: &Format, lines: &[Line]) -> Vec<String> {
    let names = format.levels.iter().map(|level| level.name.as_str());
    let names: Vec<&str> = names.chain(["value"]).collect();
    let mut shown = vec![String::new(); lines.len() + 1];
    for (column, name) in names.iter().enumerate() {
        let label = |line: &Line| line.nodes.get(column).cloned().flatten();
        let labels: Vec<Option<String>> = lines.iter().map(label).collect();
        let widest = labels.iter().flatten().map(|label| label.chars().count()).max();
        let widest = widest.unwrap_or(0);
        // The column contains a label, a dash, the branch, a dash, and blanks.
        let width = (name.chars().count() + 2).max(widest + 5);
        shown[0] += &format!("{name:width$}");
        // Whether there is another child in a later line; the lines are processed from the last one up.
        let mut more = false;
        for (line, (own, shown)) in lines.iter().zip(labels.iter().zip(&mut shown[1..])).rev() {
            let has_child = line.nodes.get(column + 1).is_some_and(Option::is_some);
            let branch = match (own, has_child, more) {
                (Some(_), true, true) => "┬",
                (Some(_), true, false) => "─",
                (None, true, true) => "├",
                (None, true, false) => "└",
                (_, false, true) => "│",
                (_, false, false) => " ",
            };
            let dash = |drawn: bool, count: usize| if drawn { "─" } else { " " }.repeat(count);
            let before = match own {
                Some(own) => format!("{own} {}", dash(has_child, widest + 1 - own.chars().count())),
                None => " ".repeat(widest + 2),
            };
            *shown += &format!("{before}{branch}{} ", dash(has_child, width - widest - 4));
            more = own.is_none() && (has_child || more);
        }
    }
    if lines.len() > MOST_LINES {
        shown.truncate(MOST_LINES);
        shown.push(format!("..  {} more", lines.len() + 1 - MOST_LINES));
    }
    shown
}
