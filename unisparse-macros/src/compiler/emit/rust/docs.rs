//! The documentation of a format: its encoding, its level table, and the storage of an example.

use proc_macro2::TokenStream;
use quote::quote;

use crate::compiler::encoding::Format;
use crate::compiler::example::{ArrayKind, Picture, domain};
use crate::compiler::storage::{Kind, Storage};

/// Maximum number of lines of a drawn tree; longer trees are truncated.
const MOST_LINES: usize = 60;

/// Returns the text below the user's own documentation.
pub(crate) fn format(format: &Format, storage: &Storage, picture: Option<&Picture>) -> String {
    let mut text = format!(
        "# Layout\n\n```text\n{}\n```\n\n| level | expr | domain | storage | why |\n|---|---|---|---|---|\n",
        declaration(format)
    );
    for (level, stored) in format.levels.iter().zip(&storage.levels) {
        let (name, expression, domain) = (&level.name, &level.text, domain(format, level));
        let (kind, why) = (stored.kind, &stored.why);
        text += &format!("| `{name}` | `{expression}` | `{domain}` | {kind} | {why} |\n");
    }
    if let Some(picture) = picture {
        let holes = if storage.holes { ", and `.` for holes" } else { "" };
        let shown = picture.text(format);
        text += &format!("\n{}{holes}:\n\n```text\n{shown}```\n", picture.caption);
    }
    if storage.holes {
        text += "\nPositions without an element are holes, whose value is zero. This format does not distinguish an explicit zero from a hole, so conversions from it drop zeros.\n";
    }
    text
}

/// Returns the declaration, with each query on its own line.
fn declaration(format: &Format) -> String {
    let mut text = format.text.clone();
    for query in &format.queries {
        let query = format!("{} = {};", query.name, query.text);
        text = text.replacen(&format!(" {query}"), &format!("\n    {query}"), 1);
    }
    match format.queries.last() {
        Some(last) => text.replacen(&format!("{}; }}", last.text), &format!("{};\n}}", last.text), 1),
        None => text,
    }
}

/// Returns `.with_picture(..)`, from which the run time draws the example, if there is one.
pub(crate) fn picture(picture: Option<&Picture>, private: &TokenStream) -> Option<TokenStream> {
    let Picture {
        caption, lines, arrays, ..
    } = picture?;
    let node = |node: &Option<String>| node.clone().unwrap_or_else(|| "|".to_owned());
    let mut shown: Vec<String> = lines
        .iter()
        .take(MOST_LINES)
        .map(|line| line.nodes.iter().map(node).collect::<Vec<_>>().join(" "))
        .collect();
    if lines.len() > MOST_LINES {
        shown.push("..".to_owned());
    }
    let arrays = arrays.iter().map(|array| {
        let name = &array.name;
        let mut shown = 0;
        let entry = |entry: &String| entry.replace(", ", ",");
        let piece = |piece: &Vec<String>| {
            let mut entries: Vec<String> = piece.iter().map(entry).collect();
            entries.truncate(MOST_LINES.saturating_sub(shown));
            shown += entries.len();
            if entries.len() < piece.len() {
                entries.push("..".to_owned());
            }
            entries.join(" ")
        };
        let entries = if array.kind == ArrayKind::Size {
            array.sizes()
        } else {
            array.pieces.iter().map(piece).collect::<Vec<_>>().join(" | ")
        };
        quote!((#name, #entries))
    });
    Some(quote! {
        .with_picture(#private::Picture {
            caption: #caption,
            lines: &[#(#shown),*],
            arrays: &[#(#arrays),*],
        })
    })
}

/// Returns the documentation of the accessor of a level's size.
pub(crate) fn size(kind: Kind, level: &str) -> String {
    match kind {
        Kind::Dense | Kind::Counted { .. } => {
            format!("Returns the number of coordinates that level `{level}` has below each parent.")
        }
        _ => format!("Returns the number of entries of level `{level}`."),
    }
}
