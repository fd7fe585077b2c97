//! Checks a packed stream against the matrix, whoever packed it: from the words alone, without the tables of the packer.

use core::marker::PhantomData;
use std::collections::HashMap;

use super::Parameters;
use super::layout::Layout;
use super::packed::Packed;
use super::violation::{Violation, WordPosition};
use crate::convert::assemble::by_dims::for_each_once;
use crate::element::{Bits, Stored};
use crate::error::Error;
use crate::source::Source;
use crate::words::{WordField, WordParts};

/// Checks that words are those of such channels, as many as their windows have.
pub(super) fn check_words(packed: &Packed, layout: &Layout) -> Result<(), Violation> {
    for (part, found, expected) in [
        ("channels", packed.channels(), layout.count_channels()),
        ("lanes", packed.lanes, layout.count_lanes()),
        ("bytes in a word", packed.width, layout.width()),
    ] {
        if found != expected {
            return Err(Violation::Design { part, found, expected });
        }
    }
    for channel in 0..packed.channels() {
        let found = packed.words(channel).len();
        let slots: usize = packed.windows().map(|slots| slots[channel]).sum();
        let expected = slots * packed.lanes;
        if found != expected {
            return Err(Violation::Length {
                channel,
                found,
                expected,
            });
        }
    }
    Ok(())
}

/// Checks that the sums and the windows of `x` fit on the chip.
pub(super) fn check_chip(packed: &Packed, layout: &Layout, parameters: &Parameters) -> Result<(), Violation> {
    let [sums, sums_of_step] = [packed.rows.len(), packed.channels() * layout.count_places()];
    let expected = packed.steps * sums_of_step;
    if sums != expected {
        return Err(Violation::Design {
            part: "sums",
            found: sums,
            expected,
        });
    }
    let columns = packed.columns.iter().map(Vec::len).max().unwrap_or(0);
    for (part, found, expected) in [
        (
            "memory words in a lane",
            packed.steps.div_ceil(packed.lanes),
            parameters.addresses,
        ),
        (
            "columns in a window",
            columns,
            layout.columns.fixed().unwrap_or(parameters.columns),
        ),
    ] {
        if found > expected {
            return Err(Violation::Design { part, found, expected });
        }
    }
    Ok(())
}

/// Checks a stream: lengths, fields, windows, hazards, and that it has each element of the matrix once.
pub(super) fn check<F, S>(
    packed: &Packed,
    layout: &Layout,
    parameters: &Parameters,
    matrix: &S,
) -> Result<(), Violation>
where
    F: WordParts<2>,
    S: Source<2, Scalar: Bits + Stored>,
{
    check_words(packed, layout)?;
    let mut check = Check {
        layout,
        packed,
        addresses: parameters.addresses,
        fields: layout
            .word
            .fields
            .iter()
            .fold(0, |bits, field| bits | field.of(u128::MAX) << field.at),
        left: Left::<S::Scalar>::of(matrix).map_err(|error| Violation::Matrix { error })?,
        last: HashMap::new(),
        misplaced: None,
    };
    for channel in 0..packed.channels() {
        let mut words = packed.words(channel);
        for (window, slots) in packed.windows().enumerate() {
            check.last.clear();
            for (at, word) in words.by_ref().take(slots[channel] * packed.lanes).enumerate() {
                let place = WordPosition {
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
    check_chip(packed, layout, parameters)?;
    match check.misplaced {
        Some(violation) => Err(violation),
        None => check.left.none(),
    }
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
    /// The first word that the tables of rows and columns say is another element. What is wrong with the words alone comes first.
    misplaced: Option<Violation>,
}

impl<T: Bits + Stored> Check<'_, T> {
    /// Checks the word of an element.
    fn element<F: WordParts<2>>(&mut self, place: WordPosition, word: u128) -> Result<(), Violation> {
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
        // A field of a channel, a window, a slot or a lane, which the place of the word says too.
        let differs = |field: &WordField| {
            let coordinate = field.level.map(|level| coordinates[level] as u128);
            coordinate.is_some_and(|coordinate| field.of(word) != field.of(coordinate << field.at))
        };
        if let Some(of_place) = layout.word.fields.iter().find(|of| differs(of)) {
            return Err(field(of_place.name));
        }
        let coordinates = F::decode(packed.shape, &coordinates);
        let bits = layout.value.of(word) & (u128::MAX >> (u128::BITS - T::BITS));
        let Some([row, of_matrix]) = coordinates.filter(|&coordinates| self.left.take(coordinates, bits)) else {
            return Err(Violation::Element {
                place,
                coordinates,
                word,
            });
        };
        if self.misplaced.is_none() {
            let sum = layout.sum(place.channel, place.lane, address, in_word);
            self.misplaced = misplaced(packed, place, [row, of_matrix], (sum, column));
        }
        Ok(())
    }
}

/// Returns what is wrong if the sum of a word, or the place of its element of `x`, is not that of its element: the index map may
/// find the row without the channel, which a query says; the hardware and the host do not.
fn misplaced(
    packed: &Packed,
    place: WordPosition,
    [row, column]: [usize; 2],
    (sum, at): (Option<usize>, usize),
) -> Option<Violation> {
    let of_sum = sum.and_then(|sum| *packed.rows.get(sum)?);
    if of_sum != Some(row) {
        return Some(Violation::Row { place, row, of_sum });
    }
    let of_x = packed.columns[place.window][at];
    (of_x != Some(column)).then_some(Violation::Column { place, column, of_x })
}

/// The elements of a matrix for which no word was found yet: how many there are with these coordinates and these bits.
struct Left<T>(HashMap<([usize; 2], u128), usize>, PhantomData<T>);

impl<T: Bits + Stored> Left<T> {
    /// Returns all elements. Equal coordinates are one element, as in the tensor that is packed.
    fn of(matrix: &impl Source<2, Scalar = T>) -> Result<Self, Error> {
        let mut left: HashMap<_, usize> = HashMap::new();
        for_each_once("matrix", matrix, |coordinates, value| {
            *left.entry((coordinates, value.to_bits())).or_default() += 1;
        })?;
        Ok(Left(left, PhantomData))
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
