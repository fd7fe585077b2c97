//! Parses pieces of a file on all threads, while this thread reads on.

use super::ReadError;
use super::in_order::in_order;
use super::plain::PlainWords;
use super::scanner::{Scanner, line_end};
use super::text::{Stream, Text};
use std::ops::Range;

/// Number of pieces per thread that are parsed between two reads.
const PIECES_PER_THREAD: usize = 32;

/// Maximum number of bytes that are parsed between two reads.
const MOST_BYTES: usize = 32 << 20;

/// Where a text may be cut.
#[derive(Clone, Copy)]
pub(super) enum Cut {
    /// At the ends of lines.
    Lines,
    /// At blanks in this line.
    Words,
}

/// How a line with an entry of a file is read.
pub(super) trait Line: Sync {
    /// What is read from several lines.
    type Part: Send;

    /// Creates a part without lines, for a text of about this many bytes.
    fn part(&self, bytes: usize) -> Self::Part;

    /// Reads a line, if all its words can be read in the fast way; otherwise returns `None` and adds nothing to the part.
    fn read_plain(&self, words: &mut PlainWords<'_>, part: &mut Self::Part) -> Option<()>;

    /// Reads the line whose first word is next.
    fn read<S: Text>(&self, scanner: &mut Scanner<S>, part: &mut Self::Part) -> Result<(), ReadError>;
}

/// Reads the lines of entries from the next line on, at most `most`, in parts that are appended in order. Returns their number.
pub(super) fn read_lines<L: Line>(
    scanner: &mut Scanner<Stream<'_>>,
    line: &L,
    most: u128,
    mut append: impl FnMut(L::Part),
) -> Result<u128, ReadError> {
    let (mut done, mut has_faults) = (0, false);
    while done < most {
        if !has_faults {
            let parse = |piece: &mut Scanner<&[u8]>| {
                let mut part = line.part(piece.text.len());
                let mut count = 0;
                loop {
                    count += piece.plain_lines(|words| line.read_plain(words, &mut part)) as u128;
                    if !piece.begin_line()? {
                        return Ok((count, part));
                    }
                    line.read(piece, &mut part)?;
                    count += 1;
                }
            };
            has_faults = !scanner.in_pieces(Cut::Lines, parse, |(count, part)| {
                let fits = count <= most - done;
                if fits {
                    done += count;
                    append(part);
                }
                fits
            });
            if done == most {
                break;
            }
        }
        if !scanner.begin_line()? {
            break;
        }
        let mut part = line.part(0);
        line.read(scanner, &mut part)?;
        append(part);
        done += 1;
    }
    Ok(done)
}

impl Scanner<Stream<'_>> {
    /// Cuts what follows the current word into pieces, which `parse` parses on any thread and `accept` takes in order.
    ///
    /// Stops where one scan has to go on: at the last line of the file, at a line longer than what is in memory, and before the
    /// first piece that `parse` or `accept` refuses. The errors of pieces are dropped: the scan finds the first of the file, with
    /// its line. Returns false if a piece was refused, so that the rest is not tried again.
    pub(super) fn in_pieces<P: Send>(
        &mut self,
        cut: Cut,
        parse: impl Fn(&mut Scanner<&[u8]>) -> Result<P, ReadError> + Sync,
        mut accept: impl FnMut(P) -> bool,
    ) -> bool {
        let most = (rayon::current_num_threads() * PIECES_PER_THREAD * self.text.piece_bytes).min(MOST_BYTES);
        let mut length = self.text.piece_bytes;
        loop {
            self.read_on(length);
            let pieces = cut.pieces(self, self.next);
            let Some(whole) = pieces.last().map(|last| last.end) else {
                return true;
            };
            length = (2 * length).min(most);

            let (mut accepted, mut lines, mut word_end) = (0, 0, None);
            let delimiters = self.delimiters;
            let (bytes, read_ahead) = self.text.while_reading_ahead(whole, length);
            in_order(
                &pieces,
                |piece| {
                    let mut scanner = Scanner::of_piece(&bytes[piece.clone()], delimiters);
                    parse(&mut scanner).map(|part| (part, scanner.line - 1, scanner.word_end_offset))
                },
                read_ahead,
                |parsed| {
                    let Ok((part, more_lines, end)) = parsed else {
                        return false;
                    };
                    if !accept(part) {
                        return false;
                    }
                    if end > 0 {
                        word_end = Some(pieces[accepted].start as u64 + end);
                    }
                    accepted += 1;
                    lines += more_lines;
                    true
                },
            );
            self.line += lines;
            self.word_end_offset = word_end.map_or(self.word_end_offset, |end| self.memory_offset + end);
            let rest = pieces.get(accepted).map_or(whole, |piece| piece.start);
            self.text.move_ahead(rest..whole);
            self.forget_before(rest);
            if accepted < pieces.len() {
                return false;
            }
        }
    }

    /// Reads until `length` bytes are in memory, or the text ends.
    fn read_on(&mut self, length: usize) {
        if self.text.bytes().len() - self.next < length && !self.text.has_ended() {
            self.text.fill(self.next, length);
            self.forget_before(self.next);
        }
    }
}

impl Cut {
    /// Cuts the text from `start` on into pieces that begin and end at line ends, or at blanks.
    fn pieces(self, scanner: &Scanner<Stream<'_>>, start: usize) -> Vec<Range<usize>> {
        let text = &scanner.text.bytes()[start..];
        let is_border = |byte: &u8| match self {
            Cut::Lines => *byte == b'\n',
            Cut::Words => scanner.delimiters.is_blank(*byte),
        };
        let line_end = match self {
            Cut::Lines => None,
            Cut::Words => line_end(text),
        };
        let Some(end) = line_end.or_else(|| text.iter().rposition(is_border)) else {
            return Vec::new();
        };
        let mut pieces = Vec::new();
        let mut from = 0;
        while from < end {
            let least = from + scanner.text.piece_bytes;
            let after = text[..end].iter().skip(least).position(is_border);
            let to = after.map_or(end, |after| least + after);
            pieces.push(start + from..start + to);
            from = to;
        }
        pieces
    }
}
