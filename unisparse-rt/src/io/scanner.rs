//! Splits the bytes of a file into words with known lines and columns.

use super::digits::{decimal, is_integer};
use super::error::Position;
use super::text::{BUFFER_BYTES, PIECE_BYTES, Stream, Text};
use super::{InFile, ReadError, ReadErrorKind, ReadScalar};
use std::io::{BufRead, Read};
use std::ops::{Range, RangeInclusive};

/// Reads a text word by word. Lines may have any length, but each word must be shorter than [`BUFFER_BYTES`].
pub(super) struct Scanner<S> {
    pub(super) text: S,
    /// The index of the first byte in memory that is not yet scanned.
    pub(super) next: usize,
    /// The current word, which precedes `next` in memory.
    pub(super) word: Range<usize>,
    /// The difference between an unscanned byte's offset in the file and its index in memory.
    pub(super) memory_offset: u64,
    /// The file offset of the current word's start.
    pub(super) word_offset: u64,
    /// The file offset of the current line's start.
    pub(super) line_offset: u64,
    /// The file offset of the end of the current line's last word so far.
    pub(super) word_end_offset: u64,
    pub(super) line: usize,
    pub(super) delimiters: Delimiters,
}

/// The bytes that separate words and start comments in a format.
#[derive(Clone, Copy)]
pub(super) struct Delimiters {
    /// The byte at the start of a line that is skipped.
    comment: Option<u8>,
    /// A byte that separates words, as blanks do.
    separator: u8,
}

impl Delimiters {
    #[inline]
    pub(super) fn is_blank(self, byte: u8) -> bool {
        matches!(byte, b' ' | b'\t' | b'\r' | 0x0b | 0x0c) || byte == self.separator
    }

    #[inline]
    pub(super) fn ends_word(self, byte: u8) -> bool {
        byte == b'\n' || self.is_blank(byte)
    }
}

impl<'a> Scanner<Stream<'a>> {
    /// Scans the text of `reader`, decompressed if it is gzip.
    pub(super) fn new(reader: impl Read + 'a) -> Result<Self, ReadError> {
        Scanner::in_pieces_of(PIECE_BYTES, reader)
    }

    /// As [`new`](Scanner::new), but sets how long the pieces are that are parsed on other threads.
    pub(super) fn in_pieces_of(piece_bytes: usize, reader: impl Read + 'a) -> Result<Self, ReadError> {
        let text =
            Stream::new(reader, piece_bytes).map_err(|error| ReadError::io(error, Position { line: 1, column: 1 }))?;
        let delimiters = Delimiters {
            comment: None,
            separator: b' ',
        };
        Ok(Scanner::of(text, delimiters))
    }

    /// Forgets the bytes before this index, which are no longer in memory, and the current word.
    pub(super) fn forget_before(&mut self, index: usize) {
        self.memory_offset += index as u64;
        (self.next, self.word) = (0, 0..0);
    }
}

impl<'a> Scanner<&'a [u8]> {
    /// Scans a piece of a text, which begins after the end of a word. Lines are counted from 1 in each piece.
    pub(super) fn of_piece(piece: &'a [u8], delimiters: Delimiters) -> Self {
        Scanner {
            line: 1,
            ..Scanner::of(piece, delimiters)
        }
    }
}

impl<S: Text> Scanner<S> {
    fn of(text: S, delimiters: Delimiters) -> Self {
        Scanner {
            text,
            next: 0,
            word: 0..0,
            memory_offset: 0,
            word_offset: 0,
            line_offset: 0,
            word_end_offset: 0,
            line: 0,
            delimiters,
        }
    }
    /// From now on, skips lines that begin with this byte, possibly after blanks.
    pub(super) fn comments_begin_with(&mut self, comment: u8) {
        self.delimiters.comment = Some(comment);
    }

    /// From now on, treats this byte as a blank.
    pub(super) fn separate_at(&mut self, separator: u8) {
        self.delimiters.separator = separator;
    }

    /// Returns the current word.
    pub(super) fn word(&self) -> &[u8] {
        &self.text.bytes()[self.word.clone()]
    }

    /// Moves to the first word of the next line that has one; returns false at the end of the file.
    pub(super) fn next_line(&mut self) -> Result<bool, ReadError> {
        Ok(self.begin_line()? && self.advance()?)
    }

    /// Moves before the first word of the next line that has one; returns false at the end of the file.
    #[inline]
    pub(super) fn begin_line(&mut self) -> Result<bool, ReadError> {
        loop {
            if self.line > 0 && !self.skip_line()? {
                return Ok(false);
            }
            self.line += 1;
            self.line_offset = self.offset(self.next);
            self.word_end_offset = self.line_offset;
            match self.skip_blanks()? {
                None => return Ok(false),
                Some(byte) if Some(byte) == self.delimiters.comment => {}
                Some(b'\n') => {}
                Some(_) => return Ok(true),
            }
        }
    }

    /// Moves to the next word of this line; returns false at the end of the line.
    pub(super) fn advance(&mut self) -> Result<bool, ReadError> {
        if self.at_line_end()? {
            return Ok(false);
        }
        self.word = self.next..self.next;
        self.word_offset = self.offset(self.next);
        let mut length = 0;
        loop {
            let rest = &self.text.bytes()[self.next + length..];
            let end = self.word_end(rest);
            length += end.unwrap_or(rest.len());
            if length >= BUFFER_BYTES {
                self.word = self.next..self.next + length;
                return Err(self.fault(ReadErrorKind::TooLong, "", "at most 64 KiB without a blank"));
            }
            if end.is_some() || !self.refill()? {
                break;
            }
        }
        self.move_behind(self.next..self.next + length);
        Ok(true)
    }

    /// Makes this range of the memory the current word, and moves behind it.
    #[inline]
    fn move_behind(&mut self, word: Range<usize>) {
        self.next = word.end;
        self.word_offset = self.offset(word.start);
        self.word_end_offset = self.offset(word.end);
        self.word = word;
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

    /// Moves to the next word of this line and parses it as an index in `range`; an error if there is none.
    pub(super) fn expect_index(
        &mut self,
        expected: &str,
        what: &str,
        range: RangeInclusive<usize>,
    ) -> Result<usize, ReadError> {
        self.expect(expected)?;
        self.index(what, range)
    }

    /// Moves to the next word of this line and parses it as the number of an element of type `T`; an error if there is none.
    pub(super) fn expect_number<T: InFile<Number: ReadScalar>>(
        &mut self,
        expected: &str,
    ) -> Result<T::Number, ReadError> {
        self.expect(expected)?;
        self.number::<T>()
    }

    /// Parses the current word as the number of an element of type `T`.
    pub(super) fn number<T: InFile<Number: ReadScalar>>(&self) -> Result<T::Number, ReadError> {
        if !T::HAS_NUMBER {
            let expected = "none: the elements are patterns, which take a file without values";
            return Err(self.fault(ReadErrorKind::Range, "value", expected));
        }
        T::Number::read(self.word()).map_err(|kind| self.fault(kind, "value", T::Number::EXPECTED))
    }

    pub(super) fn offset(&self, in_memory: usize) -> u64 {
        self.memory_offset + in_memory as u64
    }

    /// Returns the index of the first byte that ends a word.
    #[inline]
    fn word_end(&self, bytes: &[u8]) -> Option<usize> {
        bytes.iter().position(|&byte| self.delimiters.ends_word(byte))
    }

    /// Moves `next` to the first byte that is not blank and returns it; `None` at the end of the file.
    #[inline]
    fn skip_blanks(&mut self) -> Result<Option<u8>, ReadError> {
        loop {
            while let Some(&byte) = self.text.bytes().get(self.next) {
                if !self.delimiters.is_blank(byte) {
                    return Ok(Some(byte));
                }
                self.next += 1;
            }
            if !self.refill()? {
                return Ok(None);
            }
        }
    }

    /// Skips the rest of the line and its end; returns false at the end of the file.
    #[inline]
    fn skip_line(&mut self) -> Result<bool, ReadError> {
        loop {
            let rest = &self.text.bytes()[self.next..];
            // Most often the entry ends the line.
            let end = if rest.first() == Some(&b'\n') {
                Some(0)
            } else {
                line_end(rest)
            };
            self.next += end.map_or(rest.len(), |end| end + 1);
            if end.is_some() {
                return Ok(true);
            }
            if !self.refill()? {
                return Ok(false);
            }
        }
    }

    /// Keeps the current word and the bytes that are not yet scanned, and reads more behind them; returns false at the end of
    /// the file.
    fn refill(&mut self) -> Result<bool, ReadError> {
        if S::IS_WHOLE {
            return Ok(false);
        }
        let word_length = self.word.len();
        let read = self.text.refill(self.word.clone(), self.next);
        self.memory_offset += (self.next - word_length) as u64;
        self.word = 0..word_length;
        self.next = word_length;
        read.map_err(|error| ReadError::io(error, self.end_position()))
    }
}

/// Returns the index of the first line end.
pub(super) fn line_end(bytes: &[u8]) -> Option<usize> {
    // The standard library's fast search for a byte is behind this method.
    let skipped = { bytes }.skip_until(b'\n').ok()?;
    bytes[..skipped].ends_with(b"\n").then(|| skipped - 1)
}
