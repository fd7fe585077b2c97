//! A matrix as streams of words, one for each channel, and where its rows and columns are on the chip.

use super::Parameters;
use super::layout::Layout;
use super::table::Table;
use crate::error::{Error, ErrorKind};
use crate::words::WordParts;

/// A matrix as a design reads it: a stream of words for each channel, the lengths of windows, and the order of `x` and `y`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Packed {
    pub(super) shape: [usize; 2],
    /// The bytes of a word.
    pub(super) width: usize,
    /// The words of a slot.
    pub(super) lanes: usize,
    /// The words of each channel, little-endian, window after window.
    pub(super) streams: Vec<Vec<u8>>,
    /// The word of holes.
    pub(super) filler: Option<u128>,
    /// The slots of each channel in the first window, then in the second.
    pub(super) slots: Vec<usize>,
    /// For each window, the column of each element of `x` that is loaded.
    pub(super) columns: Vec<Vec<Option<usize>>>,
    /// The row of each sum, in the order in which sums leave the chip.
    pub(super) rows: Vec<Option<usize>>,
    /// How many memory words each channel passes on at the end.
    pub(super) steps: usize,
    /// The number of words that are elements.
    pub(super) elements: usize,
}

impl Packed {
    /// Returns the words of a channel, those of each slot one after another.
    ///
    /// # Panics
    /// If there is no such channel.
    pub fn words(&self, channel: usize) -> impl ExactSizeIterator<Item = u128> + '_ {
        self.streams[channel].chunks_exact(self.width).map(word)
    }

    /// Replaces the words of a channel, for instance by those of another packer.
    ///
    /// # Errors
    /// `Overflow` for a word that has more bits than those of this packing, which is then as it was.
    ///
    /// # Panics
    /// If there is no such channel.
    pub fn set_words(&mut self, channel: usize, words: impl IntoIterator<Item = u128>) -> Result<(), Error> {
        let mut stream = Vec::new();
        for (position, word) in words.into_iter().enumerate() {
            let bytes = word.to_le_bytes();
            if bytes[self.width..].iter().any(|&byte| byte != 0) {
                return Err(Error::new(
                    ErrorKind::Overflow,
                    format!("the words of channel {channel}"),
                    Some(position),
                    format!("{word:#x}"),
                    format!("a word of {} bits", 8 * self.width),
                ));
            }
            stream.extend_from_slice(&bytes[..self.width]);
        }
        self.elements -= self.elements_of(channel);
        self.streams[channel] = stream;
        self.elements += self.elements_of(channel);
        Ok(())
    }

    fn elements_of(&self, channel: usize) -> usize {
        self.words(channel).filter(|&word| self.filler != Some(word)).count()
    }

    /// Returns the slots of each channel, for one window after another.
    pub(super) fn windows(&self) -> impl ExactSizeIterator<Item = &[usize]> {
        self.slots.chunks_exact(self.streams.len())
    }

    /// Returns the buffer of a channel, little-endian: its words, and zeros up to a multiple of this number of words.
    ///
    /// # Panics
    /// If there is no such channel, or if memory has no room for the multiple.
    #[must_use]
    pub fn buffer(&self, channel: usize, multiple: usize) -> Vec<u8> {
        let mut buffer = self.streams[channel].clone();
        let multiple = self.width.saturating_mul(multiple.max(1));
        buffer.resize(buffer.len().next_multiple_of(multiple), 0);
        buffer
    }

    /// Returns the rows and columns of the matrix.
    #[must_use]
    pub fn shape(&self) -> [usize; 2] {
        self.shape
    }

    /// Returns the number of channels.
    #[must_use]
    pub fn channels(&self) -> usize {
        self.streams.len()
    }

    /// Returns the first slot of each window in the longest channel, and the end.
    #[must_use]
    pub fn window_ptr(&self) -> Vec<usize> {
        let mut ptr = vec![0];
        for slots in self.windows() {
            ptr.push(ptr[ptr.len() - 1] + slots.iter().max().unwrap_or(&0));
        }
        ptr
    }

    /// Returns the number of words in all channels.
    #[must_use]
    pub fn count(&self) -> usize {
        self.streams.iter().map(Vec::len).sum::<usize>() / self.width
    }

    /// Returns the number of elements, which are the words that are no filler.
    #[must_use]
    pub fn elements(&self) -> usize {
        self.elements
    }

    /// Returns the share of the words that are filler, from 0 to 1.
    #[must_use]
    pub fn padding(&self) -> f64 {
        match self.count() {
            0 => 0.0,
            count => 1.0 - self.elements as f64 / count as f64,
        }
    }
}

/// Returns a word of up to 16 bytes.
pub(super) fn word(bytes: &[u8]) -> u128 {
    let mut word = [0; 16];
    word[..bytes.len()].copy_from_slice(bytes);
    u128::from_le_bytes(word)
}

/// Packs a matrix with this number of elements.
///
/// # Errors
/// `Limit` for a matrix that does not fit on the chip or in memory, `Structure` for one that is not a stream, those of
/// [`WordParts::visit_words`].
pub(super) fn pack<F: WordParts<2>>(
    a: &F,
    (shape, count): ([usize; 2], usize),
    layout: &Layout,
    parameters: &Parameters,
) -> Result<Packed, Error> {
    let allowed = parameters.limit.allowed(count, layout.width(), &shape);
    let sizes = sizes::<F>(shape, layout, parameters)?;
    let (channels, windows) = (layout.count_channels(), sizes[2]);
    // The slots of all channels, and of the one that is filled.
    let lengths = (windows as u128).saturating_mul((channels as u128 + 1) * size_of::<usize>() as u128);
    let bytes = Table::bytes(shape, layout, sizes).saturating_add(lengths);
    check_bytes("the table of rows and columns", bytes, allowed)?;
    let mut table = Table::new::<F>(shape, layout, sizes);
    let (mut streams, mut slots) = (vec![Vec::new(); channels], vec![0; channels * windows]);
    for part in 0..a.count_parts() {
        let channel = layout
            .channels
            .number(&a.given(part))
            .filter(|&channel| channel < channels);
        let channel = channel.ok_or_else(|| out_of_place("a channel", part))?;
        let mut stream = Stream {
            layout,
            words: Vec::new(),
            slots: vec![0; windows],
            window: 0,
        };
        let mut result = Ok(());
        a.visit_words(part, &mut |coordinates, word| {
            if result.is_ok() {
                result = stream
                    .push(coordinates, word)
                    .and_then(|()| table.insert::<F>(channel, coordinates, word));
            }
        })?;
        result?;
        streams[channel] = stream.words;
        slots
            .chunks_exact_mut(channels)
            .zip(stream.slots)
            .for_each(|(of, count)| of[channel] = count);
    }
    if let Some(filler) = layout.word.filler {
        fill(&mut streams, &mut slots, layout, (filler, allowed))?;
    }
    let (rows, steps) = table.rows()?;
    Ok(Packed {
        shape,
        width: layout.width(),
        lanes: layout.count_lanes(),
        filler: layout.word.filler,
        streams,
        slots,
        columns: table.columns,
        rows,
        steps,
        elements: table.elements,
    })
}

/// Returns the numbers of addresses in a lane, of columns in a window, and of windows.
fn sizes<F: WordParts<2>>(shape: [usize; 2], layout: &Layout, parameters: &Parameters) -> Result<[usize; 3], Error> {
    let fits = |what: &str, count: Option<usize>, room: usize| match count {
        Some(count) if count <= room => Ok(count),
        found => {
            let found = found.map_or("too many".to_owned(), |count| count.to_string());
            let expected = format!("at most {room}, as on the chip of this design");
            Err(Error::new(ErrorKind::Limit, what, None, found, expected))
        }
    };
    let Parameters { addresses, columns, .. } = *parameters;
    Ok([
        fits("addresses of sums", layout.addresses.count::<F>(shape), addresses)?,
        fits("columns of a window", layout.columns.count::<F>(shape), columns)?,
        fits("windows", layout.windows.count::<F>(shape), u32::MAX as usize)?,
    ])
}

/// Checks that `bytes` are within `allowed`.
pub(super) fn check_bytes(subject: &str, bytes: u128, allowed: u128) -> Result<(), Error> {
    // No limit allows more than a machine addresses.
    let allowed = allowed.min(isize::MAX as u128);
    if bytes <= allowed {
        return Ok(());
    }
    let expected = format!("at most {allowed} (`limit` of the parameters sets another number)");
    Err(Error::new(
        ErrorKind::Limit,
        subject,
        None,
        format!("{bytes} bytes"),
        expected,
    ))
}

fn out_of_place(subject: &str, position: usize) -> Error {
    Error::new(
        ErrorKind::Structure,
        subject,
        Some(position),
        "coordinates out of the order of the stream",
        "windows, slots and lanes in order",
    )
}

/// The words of one channel, while it is filled.
struct Stream<'a> {
    layout: &'a Layout,
    words: Vec<u8>,
    slots: Vec<usize>,
    window: usize,
}

impl Stream<'_> {
    /// Appends a word, whose coordinates must be those of the next place of the stream.
    fn push(&mut self, coordinates: &[i64], word: u128) -> Result<(), Error> {
        let (layout, lanes) = (self.layout, self.layout.count_lanes());
        let position = self.words.len() / layout.width();
        let wrong = || out_of_place("a word of a stream", position);
        let window = layout.windows.number(coordinates).ok_or_else(wrong)?;
        if window < self.window || window >= self.slots.len() {
            return Err(wrong());
        }
        self.window = window;
        let slots = &mut self.slots[window];
        let lane = layout.lanes.number(coordinates).ok_or_else(wrong)?;
        let slot = match layout.slot {
            Some(level) => usize::try_from(coordinates[level]).map_err(|_| wrong())?,
            None => *slots,
        };
        // The first lane opens a slot.
        if (slot, lane) != (*slots - usize::from(lane > 0 && *slots > 0), position % lanes) {
            return Err(wrong());
        }
        *slots += usize::from(lane == 0);
        self.words.extend_from_slice(&word.to_le_bytes()[..layout.width()]);
        Ok(())
    }
}

/// Fills the windows of all channels up to the longest one.
fn fill(
    streams: &mut [Vec<u8>],
    slots: &mut [usize],
    layout: &Layout,
    (filler, allowed): (u128, u128),
) -> Result<(), Error> {
    let (width, lanes) = (layout.width(), layout.count_lanes());
    let channels = streams.len();
    let longest = |of: &[usize]| of.iter().copied().max().unwrap_or(0);
    let slots_of_channel: u128 = slots.chunks_exact(channels).map(|of| longest(of) as u128).sum();
    let bytes = slots_of_channel * (lanes * width) as u128;
    check_bytes("streams", bytes * channels as u128, allowed)?;
    let filler = &filler.to_le_bytes()[..width];
    for (channel, stream) in streams.iter_mut().enumerate() {
        let mut filled = Vec::with_capacity(bytes as usize);
        let mut from = 0;
        for of in slots.chunks_exact(channels) {
            let to = from + of[channel] * lanes * width;
            filled.extend_from_slice(&stream[from..to]);
            (of[channel]..longest(of)).for_each(|_| (0..lanes).for_each(|_| filled.extend_from_slice(filler)));
            from = to;
        }
        *stream = filled;
    }
    slots.chunks_exact_mut(channels).for_each(|of| of.fill(longest(of)));
    Ok(())
}
