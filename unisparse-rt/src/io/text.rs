//! The text of a file, in memory or read as it is scanned.

use flate2::bufread::MultiGzDecoder;
use std::io::{self, BufReader, Cursor, ErrorKind, Read};
use std::ops::Range;

/// Number of bytes of the first buffer, and the maximum length of a word.
pub(super) const BUFFER_BYTES: usize = 64 * 1024;

/// Number of bytes of a piece that is parsed on any thread: enough to outweigh the cost of a task, and few enough for what is
/// read from it to stay in cache.
pub(super) const PIECE_BYTES: usize = BUFFER_BYTES;

/// Number of bytes of a buffer per read of a compressed file.
const PACKED_BYTES: usize = 64 * 1024;

/// What a scanner reads its bytes from.
pub(super) trait Text {
    /// Whether all of the text is in memory.
    const IS_WHOLE: bool;

    /// Returns the bytes in memory.
    fn bytes(&self) -> &[u8];

    /// Moves the bytes of `word` and those from `rest` on to the front, drops the others and reads more behind them; returns
    /// whether there were any.
    fn refill(&mut self, word: Range<usize>, rest: usize) -> io::Result<bool>;
}

impl Text for &[u8] {
    const IS_WHOLE: bool = true;

    #[inline]
    fn bytes(&self) -> &[u8] {
        self
    }

    fn refill(&mut self, _: Range<usize>, _: usize) -> io::Result<bool> {
        Ok(false)
    }
}

/// The text of a reader, decompressed if it is gzip.
pub(super) struct Stream<'a> {
    reader: Box<dyn Read + 'a>,
    buffer: Buffer,
    /// The buffer that is read while pieces of the other are parsed.
    ahead: Buffer,
    /// Why nothing more is read, if so.
    end: Option<End>,
    /// The number of bytes of the pieces that are parsed on other threads.
    pub(super) piece_bytes: usize,
}

/// Bytes that are read, at the front of an array that is reused.
#[derive(Default)]
struct Buffer {
    bytes: Vec<u8>,
    length: usize,
}

/// Why no more is read.
enum End {
    File,
    Error(io::Error),
    /// The error was returned.
    Failed,
}

impl<'a> Stream<'a> {
    /// Reads the first bytes of `reader`, to find out whether it is gzip.
    pub(super) fn new(mut reader: impl Read + 'a, piece_bytes: usize) -> io::Result<Self> {
        let mut head = Vec::new();
        (&mut reader).take(2).read_to_end(&mut head)?;
        let is_gzip = head == [0x1f, 0x8b];
        let whole = Cursor::new(head).chain(reader);
        Ok(Stream {
            reader: match is_gzip {
                true => Box::new(MultiGzDecoder::new(BufReader::with_capacity(PACKED_BYTES, whole))),
                false => Box::new(whole),
            },
            buffer: Buffer::default(),
            ahead: Buffer::default(),
            end: None,
            piece_bytes,
        })
    }

    /// Returns whether nothing is left to read.
    pub(super) fn has_ended(&self) -> bool {
        self.end.is_some()
    }

    /// Drops the bytes before `rest`, and reads until there are `length` bytes or the file ends.
    pub(super) fn fill(&mut self, rest: usize, length: usize) {
        self.buffer.keep(0..0, rest);
        self.buffer.reserve(length);
        self.buffer.read_until(length, &mut *self.reader, &mut self.end);
    }

    /// Returns the bytes in memory, and a function that reads into the other buffer: what follows the first `whole` bytes, until
    /// there are `length` bytes.
    pub(super) fn while_reading_ahead(&mut self, whole: usize, length: usize) -> (&[u8], impl FnOnce()) {
        let bytes = self.buffer.filled();
        let (reader, ahead, end) = (&mut *self.reader, &mut self.ahead, &mut self.end);
        let read = move || {
            let tail = &bytes[whole..];
            let length = if end.is_some() { 0 } else { length };
            ahead.reserve(tail.len().max(length));
            ahead.bytes[..tail.len()].copy_from_slice(tail);
            ahead.length = tail.len();
            ahead.read_until(length, reader, end);
        };
        (bytes, read)
    }

    /// Moves on to what was read ahead. If some of the bytes before it are left, keeps them.
    pub(super) fn move_ahead(&mut self, left: Range<usize>) {
        if !left.is_empty() {
            let all = [&self.buffer.filled()[left], self.ahead.filled()].concat();
            (self.ahead.length, self.ahead.bytes) = (all.len(), all);
        }
        std::mem::swap(&mut self.buffer, &mut self.ahead);
    }
}

impl Text for Stream<'_> {
    const IS_WHOLE: bool = false;

    #[inline]
    fn bytes(&self) -> &[u8] {
        self.buffer.filled()
    }

    fn refill(&mut self, word: Range<usize>, rest: usize) -> io::Result<bool> {
        self.buffer.keep(word, rest);
        if self.end.is_none() {
            self.buffer.reserve(self.buffer.length + BUFFER_BYTES);
            self.end = self.buffer.read(&mut *self.reader).err();
        }
        match self.end.take_if(|end| matches!(end, End::Error(_))) {
            Some(End::Error(error)) => {
                self.end = Some(End::Failed);
                Err(error)
            }
            _ => Ok(self.end.is_none()),
        }
    }
}

impl Buffer {
    #[inline]
    fn filled(&self) -> &[u8] {
        &self.bytes[..self.length]
    }

    /// Makes room for `length` bytes.
    fn reserve(&mut self, length: usize) {
        if self.bytes.len() < length {
            self.bytes.resize(length, 0);
        }
    }

    /// Moves the bytes of `word` and those from `rest` on to the front, and drops the others.
    fn keep(&mut self, word: Range<usize>, rest: usize) {
        let (word_length, rest) = (word.len(), rest..self.length);
        self.length = word_length + rest.len();
        self.bytes.copy_within(word, 0);
        self.bytes.copy_within(rest, word_length);
    }

    /// Reads until there are `length` bytes, or the reader ends.
    fn read_until(&mut self, length: usize, reader: &mut dyn Read, end: &mut Option<End>) {
        while end.is_none() && self.length < length {
            *end = self.read(reader).err();
        }
    }

    /// Reads once, at least one byte.
    fn read(&mut self, reader: &mut dyn Read) -> Result<(), End> {
        loop {
            match reader.read(&mut self.bytes[self.length..]) {
                Ok(0) => return Err(End::File),
                Ok(count) => {
                    self.length += count;
                    return Ok(());
                }
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(End::Error(error)),
            }
        }
    }
}
