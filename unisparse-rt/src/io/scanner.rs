//! Splits the bytes of a file into words with known lines and columns.

use super::error::Position;
use super::{InFile, ReadError, ReadErrorKind, ReadScalar};
use flate2::read::MultiGzDecoder;
use std::fmt::Display;
use std::io::{Cursor, ErrorKind, Read};
use std::ops::{Range, RangeInclusive};

/// Number of bytes per read, and the maximum length of a word.
const BUFFER_BYTES: usize = 64 * 1024;

/// Maximum number of characters of a word that errors quote.
const QUOTED_CHARS: usize = 40;

/// Reads a file word by word. Lines may have any length, but each word must fit the buffer.
pub(super) struct Scanner<'a> {
    reader: Box<dyn Read + 'a>,
    buffer: Box<[u8]>,
    /// The range of the buffer that is read but not yet scanned.
    pending: Range<usize>,
    /// The current word, which precedes `pending` in the buffer.
    word: Range<usize>,
    /// The difference between a pending byte's offset in the file and its index in the buffer.
    buffer_offset: u64,
    /// The file offset of the current word's start.
    word_offset: u64,
    /// The file offset of the current line's start.
    line_offset: u64,
    /// The file offset of the end of the current line's last word so far.
    word_end_offset: u64,
    line: usize,
    comment: Option<u8>,
    separator: u8,
}

impl<'a> Scanner<'a> {
    /// Scans the text of `reader`, decompressed if it is gzip.
    pub(super) fn new(mut reader: impl Read + 'a) -> Result<Self, ReadError> {
        let mut head = Vec::new();
        (&mut reader)
            .take(2)
            .read_to_end(&mut head)
            .map_err(|error| ReadError::io(error, Position { line: 1, column: 1 }))?;
        let is_gzip = head == [0x1f, 0x8b];
        let whole = Cursor::new(head).chain(reader);
        Ok(Scanner {
            reader: if is_gzip {
                Box::new(MultiGzDecoder::new(whole))
            } else {
                Box::new(whole)
            },
            buffer: vec![0; BUFFER_BYTES].into(),
            pending: 0..0,
            word: 0..0,
            buffer_offset: 0,
            word_offset: 0,
            line_offset: 0,
            word_end_offset: 0,
            line: 0,
            comment: None,
            separator: b' ',
        })
    }

    /// From now on, skips lines that begin with this byte, possibly after blanks.
    pub(super) fn comments_begin_with(&mut self, comment: u8) {
        self.comment = Some(comment);
    }

    /// From now on, treats this byte as a blank.
    pub(super) fn separate_at(&mut self, separator: u8) {
        self.separator = separator;
    }

    /// Returns the current word.
    pub(super) fn word(&self) -> &[u8] {
        &self.buffer[self.word.clone()]
    }

    /// Moves to the first word of the next line that has one; returns false at the end of the file.
    pub(super) fn next_line(&mut self) -> Result<bool, ReadError> {
        loop {
            if self.line > 0 && !self.skip_line()? {
                return Ok(false);
            }
            self.line += 1;
            self.line_offset = self.offset(self.pending.start);
            self.word_end_offset = self.line_offset;
            match self.skip_blanks()? {
                None => return Ok(false),
                Some(byte) if Some(byte) == self.comment => {}
                Some(_) if self.advance()? => return Ok(true),
                Some(_) => {}
            }
        }
    }

    /// Moves to the next word of this line; returns false at the end of the line.
    pub(super) fn advance(&mut self) -> Result<bool, ReadError> {
        if self.at_line_end()? {
            return Ok(false);
        }
        self.word = self.pending.start..self.pending.start;
        self.word_offset = self.offset(self.pending.start);
        let mut length = 0;
        loop {
            let rest = &self.buffer[self.pending.clone()][length..];
            match rest.iter().position(|&byte| byte == b'\n' || self.is_blank(byte)) {
                Some(more) => {
                    length += more;
                    break;
                }
                None => length += rest.len(),
            }
            if !self.refill()? {
                break;
            }
        }
        self.word = self.pending.start..self.pending.start + length;
        self.pending.start = self.word.end;
        self.word_end_offset = self.offset(self.word.end);
        Ok(true)
    }

    /// Moves to the next word of this line; an error if there is none.
    pub(super) fn expect(&mut self, expected: &str) -> Result<(), ReadError> {
        if self.advance()? {
            return Ok(());
        }
        Err(self.fault_at_end(ReadErrorKind::Missing, "the end of the line", expected))
    }

    /// Returns whether the line has no further word. Keeps the current word.
    pub(super) fn at_line_end(&mut self) -> Result<bool, ReadError> {
        Ok(matches!(self.skip_blanks()?, None | Some(b'\n')))
    }

    /// Checks that the line has no further word.
    pub(super) fn expect_line_end(&mut self) -> Result<(), ReadError> {
        if self.advance()? {
            return Err(self.fault(ReadErrorKind::Trailing, "", "the end of the line"));
        }
        Ok(())
    }

    /// Checks that the file has no further line.
    pub(super) fn expect_file_end(&mut self) -> Result<(), ReadError> {
        if self.next_line()? {
            return Err(self.too_many());
        }
        Ok(())
    }

    /// Parses the current word as a size of the header.
    pub(super) fn size(&self, what: &str) -> Result<usize, ReadError> {
        decimal(self.word()).ok_or_else(|| {
            let kind = match is_integer(self.word()) {
                true => ReadErrorKind::Size,
                false => ReadErrorKind::Number,
            };
            let expected = match kind {
                ReadErrorKind::Number => "a whole number",
                _ if self.word().starts_with(b"-") => "one that is not negative",
                _ => "one of at most 64 bits",
            };
            self.fault(kind, what, expected)
        })
    }

    /// Parses the current word as an index in `range`.
    #[inline]
    pub(super) fn index(&self, what: &str, range: RangeInclusive<usize>) -> Result<usize, ReadError> {
        match decimal(self.word()) {
            Some(index) if range.contains(&index) => Ok(index),
            _ => Err(self.index_fault(what, &range)),
        }
    }

    #[cold]
    fn index_fault(&self, what: &str, range: &RangeInclusive<usize>) -> ReadError {
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

    /// Parses the current word as the number of an element of type `T`.
    pub(super) fn number<T: InFile<Number: ReadScalar>>(&self) -> Result<T::Number, ReadError> {
        if !T::HAS_NUMBER {
            let expected = "none: the elements are patterns, which take a file without values";
            return Err(self.fault(ReadErrorKind::Range, "value", expected));
        }
        T::Number::read(self.word()).map_err(|kind| self.fault(kind, "value", T::Number::EXPECTED))
    }

    /// Parses the current word as an element.
    pub(super) fn value<T: InFile<Number: ReadScalar>>(&self) -> Result<T, ReadError> {
        self.number::<T>().map(T::of_number)
    }

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
    pub(super) fn too_few(&self, done: usize, count: impl Display) -> ReadError {
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

    fn offset(&self, in_buffer: usize) -> u64 {
        self.buffer_offset + in_buffer as u64
    }

    #[inline]
    fn is_blank(&self, byte: u8) -> bool {
        matches!(byte, b' ' | b'\t' | b'\r' | 0x0b | 0x0c) || byte == self.separator
    }

    /// Moves `pending` to the first byte that is not blank and returns it; `None` at the end of the file.
    fn skip_blanks(&mut self) -> Result<Option<u8>, ReadError> {
        loop {
            for at in self.pending.clone() {
                let byte = self.buffer[at];
                if !self.is_blank(byte) {
                    self.pending.start = at;
                    return Ok(Some(byte));
                }
            }
            self.pending.start = self.pending.end;
            if !self.refill()? {
                return Ok(None);
            }
        }
    }

    /// Skips the rest of the line and its end; returns false at the end of the file.
    fn skip_line(&mut self) -> Result<bool, ReadError> {
        loop {
            let pending = &self.buffer[self.pending.clone()];
            if let Some(at) = pending.iter().position(|&byte| byte == b'\n') {
                self.pending.start += at + 1;
                return Ok(true);
            }
            self.pending.start = self.pending.end;
            if !self.refill()? {
                return Ok(false);
            }
        }
    }

    /// Moves the current word and the pending bytes to the front of the buffer and reads more bytes after them; returns false
    /// at the end of the file.
    fn refill(&mut self) -> Result<bool, ReadError> {
        let word_length = self.word.len();
        self.buffer.copy_within(self.word.clone(), 0);
        self.buffer.copy_within(self.pending.clone(), word_length);
        self.buffer_offset += (self.pending.start - word_length) as u64;
        self.word = 0..word_length;
        self.pending = word_length..word_length + self.pending.len();
        if self.pending.end == self.buffer.len() {
            self.word = self.pending.clone();
            return Err(self.fault(ReadErrorKind::TooLong, "", "at most 64 KiB without a blank"));
        }
        loop {
            match self.reader.read(&mut self.buffer[self.pending.end..]) {
                Ok(count) => {
                    self.pending.end += count;
                    return Ok(count > 0);
                }
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(ReadError::io(error, self.end_position())),
            }
        }
    }
}

/// Parses digits, with an optional `+`, as a number; `None` if it is not one or does not fit.
#[inline]
fn decimal(word: &[u8]) -> Option<usize> {
    let digits = word.strip_prefix(b"+").unwrap_or(word);
    let mut number = 0_usize;
    for &byte in digits {
        let digit = byte.wrapping_sub(b'0');
        if digit > 9 {
            return None;
        }
        number = number.checked_mul(10)?.checked_add(usize::from(digit))?;
    }
    (!digits.is_empty()).then_some(number)
}

/// Returns whether the word is an integer, of any size and sign.
fn is_integer(word: &[u8]) -> bool {
    let digits = word.strip_prefix(b"+").or(word.strip_prefix(b"-")).unwrap_or(word);
    !digits.is_empty() && digits.iter().all(u8::is_ascii_digit)
}
