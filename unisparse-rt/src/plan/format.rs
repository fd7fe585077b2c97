//! Source and target of a plan: encoding and storage.

use super::expression::Expression;
use crate::format::{Encoded, Encoding, Storage};

pub(super) fn formats<A: Encoded>() -> Vec<Format> {
    let both = A::ENCODINGS.iter().zip(A::STORAGE);
    both.map(|(encoding, storage)| Format {
        encoding: *encoding,
        storage: *storage,
    })
    .collect()
}

/// A format as declared, and its storage.
#[derive(Debug, Clone, Copy)]
pub(super) struct Format {
    pub(super) encoding: Encoding,
    pub(super) storage: Storage,
}

/// Formats a format's name and index map: `Csr (i, j)`.
pub(super) fn title(format: &Format) -> String {
    let levels: Vec<String> = format
        .encoding
        .levels
        .iter()
        .map(|level| {
            let queries: Vec<&str> = format.encoding.queries.iter().map(|query| query.name).collect();
            Expression::new(&level.form).map_or_else(
                || level.text.to_owned(),
                |expression| expression.text(format.encoding.dims, &queries),
            )
        })
        .collect();
    format!("{} ({})", format.encoding.name, levels.join(", "))
}
