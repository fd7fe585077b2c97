//! The errors of a scanner, about its current word or what is missing behind it.

use super::digits::is_integer;
use super::error::Position;
use super::scanner::Scanner;
use super::text::Text;
use super::{ReadError, ReadErrorKind};
use std::fmt::Display;
use std::ops::RangeInclusive;

/// Maximum number of characters of a word that errors quote.
const QUOTED_CHARS: usize = 40;

impl<S: Text> Scanner<S> {
    /// Creates an error about the current word, which is a `what`.
    #[cold]
    pub(super) fn fault(&self, kind: ReadErrorKind, what: &str, expected: impl Into<String>) -> ReadError {
        let text = String::from_utf8_lossy(self.word());
        let mut found = String::from(what);
        if !what.is_empty() {
            found.push(' ');
        }
        found.extend(text.chars().take(QUOTED_CHARS).flat_map(char::escape_debug));
        if text.chars().nth(QUOTED_CHARS).is_some() {
            found.push_str("...");
        }
        ReadError::new(kind, self.position(), found, expected)
    }

    /// Creates an error about something missing after the last word read.
    #[cold]
    pub(super) fn fault_at_end(
        &self,
        kind: ReadErrorKind,
        found: impl Into<String>,
        expected: impl Into<String>,
    ) -> ReadError {
        ReadError::new(kind, self.end_position(), found, expected)
    }

    /// Creates an error about a file that ends after `done` of its `count` entries.
    #[cold]
    pub(super) fn too_few(&self, done: u128, count: impl Display) -> ReadError {
        let expected = format!("entry {} of {count}", done + 1);
        self.fault_at_end(ReadErrorKind::TooFew, "the end of the file", expected)
    }

    /// Creates an error about a line after the last entry.
    #[cold]
    pub(super) fn too_many(&self) -> ReadError {
        self.fault(ReadErrorKind::TooMany, "", "the end of the file after the last entry")
    }

    /// Returns the position of the current word's start.
    pub(super) fn position(&self) -> Position {
        self.position_of(self.word_offset)
    }

    /// Returns the position of the last word's end in this line, or of the line's start.
    pub(super) fn end_position(&self) -> Position {
        self.position_of(self.word_end_offset)
    }

    fn position_of(&self, offset: u64) -> Position {
        Position {
            line: self.line.max(1),
            column: (offset - self.line_offset) as usize + 1,
        }
    }

    /// Creates an error about the current word, which is not an index in `range`.
    #[cold]
    pub(super) fn index_fault(&self, what: &str, range: &RangeInclusive<usize>) -> ReadError {
        let kind = match is_integer(self.word()) {
            true => ReadErrorKind::Index,
            false => ReadErrorKind::Number,
        };
        let (first, last) = range.clone().into_inner();
        let expected = match last {
            _ if first == last => first.to_string(),
            usize::MAX => format!("one of at least {first}"),
            _ => format!("one from {first} to {last}"),
        };
        self.fault(kind, what, expected)
    }
}
