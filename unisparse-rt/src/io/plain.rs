//! Reads words that need no care: short numbers that are in memory, with the blank behind them.

use super::digits::{PLAIN_DIGITS, front};
use super::scanner::{Delimiters, Scanner};
use super::text::BUFFER_BYTES;
use super::{InFile, ReadScalar};
use std::ops::{Range, RangeInclusive};

/// Words of a text. Each method returns `None` if the next word is another one than it reads, or has to be read with care; a
/// [`Scanner`] then finds out what it is, and where.
pub(super) struct PlainWords<'a> {
    text: &'a [u8],
    /// The index of the first byte that is not yet read.
    next: usize,
    delimiters: Delimiters,
}

impl PlainWords<'_> {
    /// Reads an index in `range`.
    #[inline]
    pub(super) fn index(&mut self, range: &RangeInclusive<usize>) -> Option<usize> {
        let start = self.word_start();
        let (index, length) = front(self.text.get(start..)?);
        let index = usize::try_from(index).ok()?;
        ((1..=PLAIN_DIGITS).contains(&length) && range.contains(&index)).then_some(())?;
        self.move_behind(start..start + length)?;
        Some(index)
    }

    /// Reads the number of an element of type `T`, if there is a fast way.
    #[inline]
    pub(super) fn number<T: InFile<Number: ReadScalar>>(&mut self) -> Option<T::Number> {
        let start = self.word_start();
        let text = self.text.get(start..).filter(|_| T::HAS_NUMBER)?;
        let (number, length) = T::Number::read_front(text)?;
        self.move_behind(start..start + length)?;
        Some(number)
    }

    /// Reads a word, which is empty at the end of the line.
    #[inline]
    pub(super) fn word(&mut self) -> Option<&[u8]> {
        let start = self.word_start();
        let rest = self.text.get(start..)?;
        let length = rest.iter().position(|&byte| self.delimiters.ends_word(byte))?;
        self.move_behind(start..start + length)?;
        Some(&rest[..length])
    }

    /// Returns whether the line has no further word.
    #[inline]
    pub(super) fn at_line_end(&self) -> bool {
        self.text.get(self.word_start()) == Some(&b'\n')
    }

    /// Moves to the next line, if this one has no further word.
    #[inline]
    fn next_line(&mut self) -> Option<()> {
        let end = self.word_start();
        (*self.text.get(end)? == b'\n').then(|| self.next = end + 1)
    }

    /// Returns the index of the next byte that is not blank, or of the end of the text.
    #[inline]
    fn word_start(&self) -> usize {
        let mut at = self.next;
        while self.text.get(at).is_some_and(|&byte| self.delimiters.is_blank(byte)) {
            at += 1;
        }
        at
    }

    /// Moves behind a word, if it ends here and is no longer than words may be.
    #[inline]
    fn move_behind(&mut self, word: Range<usize>) -> Option<()> {
        let is_word = word.len() < BUFFER_BYTES && self.delimiters.ends_word(*self.text.get(word.end)?);
        is_word.then(|| self.next = word.end)
    }
}

impl Scanner<&[u8]> {
    /// Reads lines after the current one until `read` returns `None`, and returns their number. The line that `read` does not read is
    /// left.
    #[inline]
    pub(super) fn plain_lines(&mut self, mut read: impl FnMut(&mut PlainWords<'_>) -> Option<()>) -> usize {
        let mut count = 0;
        let mut line_start = self.next;
        self.plain_words(|words| {
            let mut end = words.next;
            while words.next_line().is_some() {
                let start = words.next;
                if read(words).is_none() {
                    break;
                }
                (line_start, end) = (start, words.next);
                count += 1;
            }
            words.next = end;
        });
        if count > 0 {
            self.line += count;
            self.line_offset = self.offset(line_start);
        }
        count
    }

    /// Moves behind the words that `read` reads.
    #[inline]
    pub(super) fn plain_words(&mut self, read: impl FnOnce(&mut PlainWords<'_>)) {
        let mut words = PlainWords {
            text: self.text,
            next: self.next,
            delimiters: self.delimiters,
        };
        read(&mut words);
        if words.next > self.next {
            self.next = words.next;
            self.word_end_offset = self.offset(self.next);
        }
    }
}
