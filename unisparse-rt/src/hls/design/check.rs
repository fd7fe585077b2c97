//! Checks a packed stream against the matrix, whoever packed it: from the words alone, without the tables of the packer.

use core::fmt;
use core::marker::PhantomData;
use std::collections::HashMap;

use super::layout::Layout;
use super::packed::{Packed, word};
use crate::element::{Bits, Stored};
use crate::source::Source;
use crate::words::WordParts;

/// Where a word is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Place {
    /// The channel.
    pub channel: usize,
    /// The window.
    pub window: usize,
    /// The slot in the window.
    pub slot: usize,
    /// The lane.
    pub lane: usize,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Place {
            channel,
            window,
            slot,
            lane,
        } = self;
        write!(f, "channel {channel}, window {window}, slot {slot}, lane {lane}")
    }
}

/// Why a stream is not that of a matrix, or would not be computed correctly.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Violation {
    /// A channel has another number of words than its windows say.
    Length {
        /// The channel.
        channel: usize,
        /// The number of words.
        found: usize,
        /// The number that the windows have.
        expected: usize,
    },
    /// Two elements are added to one memory word before the first addition is done.
    Hazard {
        /// Where the second element is.
        place: Place,
        /// The slot of the first.
        before: usize,
        /// The address of the memory word.
        address: usize,
        /// The least number of slots between them.
        distance: usize,
    },
    /// A field has a number that is no address on the chip.
    Field {
        /// Where the word is.
        place: Place,
        /// The role of the field.
        field: &'static str,
        /// The word.
        word: u128,
    },
    /// A bit of no field is set.
    Bits {
        /// Where the word is.
        place: Place,
        /// The word.
        word: u128,
    },
    /// A column lies outside of the elements of `x` that its window loads.
    Window {
        /// Where the word is.
        place: Place,
        /// The column in the window.
        column: usize,
        /// The columns that are loaded.
        loaded: usize,
    },
    /// A word is that of an element which the matrix does not have, or has once more than there are words.
    Element {
        /// Where the word is.
        place: Place,
        /// The coordinates that the word has there, if they are inside the shape.
        coordinates: Option<[usize; 2]>,
        /// The word.
        word: u128,
    },
    /// An element of the matrix has no word.
    Missing {
        /// Its coordinates.
        coordinates: [usize; 2],
    },
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Violation::Length {
                channel,
                found,
                expected,
            } => write!(
                f,
                "length: channel {channel} has {found} words, and its windows have {expected}"
            ),
            Violation::Hazard {
                place,
                before,
                address,
                distance,
            } => write!(
                f,
                "hazard: {place} adds to address {address}, as slot {before} does: they must be {distance} slots apart"
            ),
            Violation::Field { place, field, word } => {
                write!(
                    f,
                    "field: {place} has the word {word:#x}, whose {field} is not on the chip"
                )
            }
            Violation::Bits { place, word } => {
                write!(f, "bits: {place} has the word {word:#x}: bits of no field are zero")
            }
            Violation::Window { place, column, loaded } => {
                write!(
                    f,
                    "window: {place} reads column {column} of the {loaded} that are loaded"
                )
            }
            Violation::Element {
                place,
                coordinates,
                word,
            } => write!(
                f,
                "element: {place} has the word {word:#x} at {coordinates:?}, and the matrix has no such element left"
            ),
            Violation::Missing { coordinates } => write!(f, "missing: the element at {coordinates:?} has no word"),
        }
    }
}

impl std::error::Error for Violation {}

/// Checks a stream: lengths, fields, windows, hazards, and that it has each element of the matrix once.
pub(super) fn check<F, S>(packed: &Packed, layout: &Layout, addresses: usize, matrix: &S) -> Result<(), Violation>
where
    F: WordParts<2>,
    S: Source<2, Scalar: Bits + Stored>,
{
    let mut check = Check {
        layout,
        packed,
        addresses,
        fields: layout
            .word
            .fields
            .iter()
            .fold(0, |bits, field| bits | field.of(u128::MAX) << field.at),
        left: Left::<S::Scalar>::of(matrix),
        last: HashMap::new(),
    };
    for channel in 0..packed.channels() {
        let mut words = packed.streams[channel].chunks_exact(packed.width).map(word);
        let slots: usize = packed.slots.iter().map(|slots| slots[channel]).sum();
        if words.len() != slots * packed.lanes {
            return Err(Violation::Length {
                channel,
                found: words.len(),
                expected: slots * packed.lanes,
            });
        }
        for (window, slots) in packed.slots.iter().enumerate() {
            check.last.clear();
            for (at, word) in words.by_ref().take(slots[channel] * packed.lanes).enumerate() {
                let place = Place {
                    channel,
                    window,
                    slot: at / packed.lanes,
                    lane: at % packed.lanes,
                };
                if layout.word.filler != Some(word) {
                    check.element::<F>(place, word)?;
                }
            }
        }
    }
    check.left.none()
}

/// A check of the words of a stream.
struct Check<'a, T> {
    layout: &'a Layout,
    packed: &'a Packed,
    addresses: usize,
    /// The bits of all fields.
    fields: u128,
    left: Left<T>,
    /// The last slot of a window that adds to each lane and address.
    last: HashMap<(usize, usize), usize>,
}

impl<T: Bits + Stored> Check<'_, T> {
    /// Checks the word of an element.
    fn element<F: WordParts<2>>(&mut self, place: Place, word: u128) -> Result<(), Violation> {
        let Check { layout, packed, .. } = *self;
        if word & !self.fields != 0 {
            return Err(Violation::Bits { place, word });
        }
        let field = |field| Violation::Field { place, field, word };
        let address = layout
            .addresses
            .in_word(word)
            .filter(|&address| address < self.addresses);
        let address = address.ok_or_else(|| field("row"))?;
        let in_word = layout
            .places
            .in_word(word)
            .ok_or_else(|| field("place in a memory word"))?;
        let column = layout.columns.in_word(word).ok_or_else(|| field("column"))?;
        let loaded = packed.columns[place.window].len();
        if column >= loaded {
            return Err(Violation::Window { place, column, loaded });
        }
        if let Some(before) = self.last.insert((place.lane, address), place.slot) {
            if place.slot - before < layout.distance {
                return Err(Violation::Hazard {
                    place,
                    before,
                    address,
                    distance: layout.distance,
                });
            }
        }
        let mut coordinates = vec![0; layout.levels];
        layout.channels.split(place.channel, &mut coordinates);
        layout.windows.split(place.window, &mut coordinates);
        layout.lanes.split(place.lane, &mut coordinates);
        layout.addresses.split(address, &mut coordinates);
        layout.places.split(in_word, &mut coordinates);
        layout.columns.split(column, &mut coordinates);
        if let Some(slot) = layout.slot {
            coordinates[slot] = place.slot as i64;
        }
        let coordinates = F::decode(packed.shape, &coordinates);
        let bits = layout.value.of(word) & (u128::MAX >> (u128::BITS - T::BITS));
        match coordinates.is_some_and(|coordinates| self.left.take(coordinates, bits)) {
            true => Ok(()),
            false => Err(Violation::Element {
                place,
                coordinates,
                word,
            }),
        }
    }
}

/// The elements of a matrix for which no word was found yet: how many there are with these coordinates and these bits.
struct Left<T>(HashMap<([usize; 2], u128), usize>, PhantomData<T>);

impl<T: Bits + Stored> Left<T> {
    fn of(matrix: &impl Source<2, Scalar = T>) -> Self {
        let mut left: HashMap<_, usize> = HashMap::with_capacity(matrix.count());
        matrix.for_each(|coordinates, value| *left.entry((coordinates, value.to_bits())).or_default() += 1);
        Left(left, PhantomData)
    }

    /// Tensors with holes do not give explicit zeros as elements, and keep words of them.
    fn is_zero(bits: u128) -> bool {
        T::from_bits(bits).is_some_and(Stored::reads_zero)
    }

    fn take(&mut self, coordinates: [usize; 2], bits: u128) -> bool {
        match self.0.get_mut(&(coordinates, bits)).filter(|count| **count > 0) {
            Some(count) => {
                *count -= 1;
                true
            }
            None => Self::is_zero(bits),
        }
    }

    fn none(&self) -> Result<(), Violation> {
        let left = self
            .0
            .iter()
            .filter(|&((_, bits), &count)| count > 0 && !Self::is_zero(*bits));
        match left.map(|((coordinates, _), _)| *coordinates).min() {
            Some(coordinates) => Err(Violation::Missing { coordinates }),
            None => Ok(()),
        }
    }
}
