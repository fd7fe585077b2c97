//! What hardware needs of a format, derived from its declaration.

use super::digits::{Digit, Digits};
use crate::error::{Error, ErrorKind};
use crate::format::{Atom, Encoded, Encoding, Form, Kind, Level, Query};
use crate::words::{Word, WordField, WordParts};

/// Two shapes larger than any device holds. A size that is equal in both is taken not to depend on the shape.
const LONG: [[usize; 2]; 2] = [[1 << 40; 2], [1 << 41; 2]];
/// The dims of a form as bits.
const ROW: u8 = 1;
const COLUMN: u8 = 2;
/// The most bits that a port passes in a cycle.
const WIDEST: usize = 1024;

/// Which levels are the number of a channel, of a window of columns, of a slot, of a lane, of a sum and of an element of `x`.
#[derive(Debug, Clone)]
pub(super) struct Layout {
    pub(super) encoding: &'static Encoding,
    pub(super) name: &'static str,
    pub(super) word: Word,
    /// The number of levels.
    pub(super) levels: usize,
    /// The levels down to the cut: a stream of words for each of their coordinates.
    pub(super) channels: Digits,
    pub(super) windows: Digits,
    /// The level of slots, if they are numbered by a query; otherwise words follow each other in the order of the tensor.
    pub(super) slot: Option<usize>,
    /// The words of a slot.
    pub(super) lanes: Digits,
    /// The address of the sum of a row within a lane. A memory word at an address has the sums of all `places`.
    pub(super) addresses: Digits,
    pub(super) places: Digits,
    /// The column within a window.
    pub(super) columns: Digits,
    /// Elements with the same address are at least this number of slots apart.
    pub(super) distance: usize,
    /// The field of the value.
    pub(super) value: WordField,
    /// The channels by their first rows.
    pub(super) order: Vec<usize>,
    /// The place of each channel in that order.
    ranks: Vec<usize>,
}

impl Layout {
    /// Derives the layout of a format.
    ///
    /// # Errors
    /// `Structure`, with what the declaration lacks.
    pub(super) fn of<F: WordParts<2> + Encoded>() -> Result<Layout, Error> {
        let (encoding, levels) = (&F::ENCODINGS[0], F::levels());
        let find = Find {
            encoding,
            levels: &levels,
            word: F::WORD,
        };
        let mut layout = find.roles(|level| {
            let [short, long] = LONG.map(|shape| F::size(shape, level));
            short.filter(|_| short == long)
        })?;
        layout.order = layout.order_of_channels::<F>();
        layout.ranks = vec![0; layout.order.len()];
        for (rank, &channel) in layout.order.iter().enumerate() {
            layout.ranks[channel] = rank;
        }
        Ok(layout)
    }

    /// Returns the number of channels.
    pub(super) fn count_channels(&self) -> usize {
        self.channels.fixed().unwrap_or(1)
    }

    /// Returns the number of lanes.
    pub(super) fn count_lanes(&self) -> usize {
        self.lanes.fixed().unwrap_or(1)
    }

    /// Returns the number of sums in a memory word.
    pub(super) fn count_places(&self) -> usize {
        self.places.fixed().unwrap_or(1)
    }

    /// Returns the bytes of a word.
    pub(super) fn width(&self) -> usize {
        self.word.bits as usize / 8
    }

    /// Returns the number of a sum in the order in which sums leave the chip: those of the first memory word of each channel, then of
    /// the second.
    pub(super) fn sum(&self, channel: usize, lane: usize, address: usize, place: usize) -> Option<usize> {
        let step = address.checked_mul(self.count_lanes())?.checked_add(lane)?;
        let memory_word = step.checked_mul(self.ranks.len())?.checked_add(self.ranks[channel])?;
        memory_word.checked_mul(self.count_places())?.checked_add(place)
    }

    /// Returns the cycles from one slot to the next, if an addition takes this number.
    pub(super) fn interval(&self, addition: u64) -> u64 {
        addition.div_ceil(self.distance as u64).max(1)
    }

    fn order_of_channels<F: WordParts<2>>(&self) -> Vec<usize> {
        let mut first_rows = Vec::new();
        for channel in 0..self.count_channels() {
            let mut coordinates = vec![0; self.levels];
            self.channels.split(channel, &mut coordinates);
            first_rows.push(F::decode(LONG[0], &coordinates).map_or(usize::MAX, |[row, _]| row));
        }
        argsort(&first_rows)
    }
}

/// Returns the places of the keys in ascending order; equal keys keep their order.
fn argsort(keys: &[usize]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..keys.len()).collect();
    order.sort_by_key(|&place| keys[place]);
    order
}

/// A declaration in which the roles of levels are found.
struct Find<'a> {
    encoding: &'static Encoding,
    levels: &'a [Level],
    word: Word,
}

impl Find<'_> {
    fn roles(&self, size: impl Fn(usize) -> Option<usize>) -> Result<Layout, Error> {
        let cut = self.encoding.partition.unwrap_or(0);
        let value = self.word.fields.iter().find(|field| field.level.is_none());
        let value = *value.ok_or_else(|| self.error("word", "no field of the value", "`value: BITS @ PLACE`"))?;
        let slot = (cut + 1..self.levels.len()).find(|&level| self.numbering(level).is_some());
        let digit = |level| Digit {
            level,
            size: size(level),
            field: self.field(level),
        };
        let mut layout = Layout {
            encoding: self.encoding,
            name: self.encoding.name,
            word: self.word,
            levels: self.levels.len(),
            channels: Digits((0..=cut).map(digit).collect()),
            windows: Digits::default(),
            slot,
            lanes: Digits::default(),
            addresses: Digits::default(),
            places: Digits::default(),
            columns: Digits::default(),
            distance: 1,
            value,
            order: Vec::new(),
            ranks: Vec::new(),
        };
        for level in cut + 1..self.levels.len() {
            self.place(level, &mut layout, digit(level))?;
        }
        self.check_fixed(&layout.channels, "a channel for each")?;
        self.check_fixed(&layout.lanes, "a lane for each")?;
        self.key(slot, &mut layout)?;
        self.check_fixed(&layout.places, "a place in a memory word for each")?;
        for digits in [&mut layout.addresses, &mut layout.columns] {
            if let Some(level) = digits.arrange() {
                return Err(self.unfixed(level, "an address on the chip"));
            }
        }
        if let Some(digit) = layout.windows.0.iter().skip(1).find(|digit| digit.size.is_none()) {
            return Err(self.unfixed(digit.level, "windows within windows"));
        }
        self.check_words(&layout)?;
        Ok(layout)
    }

    /// Finds the role of a level below the cut.
    fn place(&self, level: usize, layout: &mut Layout, digit: Digit) -> Result<(), Error> {
        let (kind, dims) = (self.levels[level].kind, self.dims(&self.encoding.levels[level].form));
        let below = layout.slot.is_some_and(|slot| level > slot);
        let is_position = matches!(kind, Kind::Dense) && (digit.field.is_none() || below);
        // The slots begin again in each node of a level above them.
        let has_slots = layout.slot.is_some_and(|slot| level < slot) && !kind.is_determined();
        let subject = self.subject(level);
        let (digits, wrong, expected) = match () {
            () if layout.slot == Some(level) => match kind {
                Kind::Counted { .. } | Kind::Dense => return Ok(()),
                _ => {
                    let expected = format!("`pad({})`: a word for every slot", self.levels[level].name);
                    return Err(self.error(&subject, "slots that are left out", &expected));
                }
            },
            () if is_position && below => (&mut layout.lanes, COLUMN, "lanes of rows"),
            () if has_slots => (&mut layout.windows, ROW, "windows of columns above the slots"),
            () if is_position => (&mut layout.windows, ROW, "windows of columns, or a field of the word"),
            () if digit.field.is_none() && (matches!(kind, Kind::Fixed) || dims == 0) => return Ok(()),
            () if digit.field.is_none() => {
                let expected = format!("a field of the word: `{}: BITS @ PLACE`", self.levels[level].name);
                return Err(self.error(&subject, "no place in the stream", &expected));
            }
            () if dims & COLUMN == 0 => (&mut layout.addresses, COLUMN, ""),
            () => (&mut layout.columns, ROW, "a level of rows or of columns, not of both"),
        };
        if dims & wrong != 0 {
            let found = format!("`{}`", self.encoding.levels[level].text);
            return Err(self.error(&subject, &found, expected));
        }
        if digit.field.is_some_and(|field| field.signed) {
            return Err(self.error(&subject, "coordinates that can be negative", "coordinates from 0"));
        }
        digits.0.push(digit);
        Ok(())
    }

    /// Finds which levels are the address of a memory word: those in the key of the slots, whose elements are a distance apart. The
    /// other levels of rows are places in that word.
    fn key(&self, slot: Option<usize>, layout: &mut Layout) -> Result<(), Error> {
        let Some((level, query)) = slot.and_then(|slot| Some((slot, self.numbering(slot)?))) else {
            return Ok(());
        };
        if query.distance <= 1 {
            return Ok(());
        }
        if let Some(form) = query.key.iter().find(|form| self.dims(form) & COLUMN != 0) {
            let found = format!("the key of `{}` depends on columns: {form:?}", query.text);
            return Err(self.error(
                &self.subject(level),
                &found,
                "a key of rows, whose sums are in one memory word",
            ));
        }
        layout.distance = usize::try_from(query.distance).unwrap_or(usize::MAX);
        let form = |digit: &Digit| self.encoding.levels[digit.level].form;
        let forms: Vec<Form> = layout.addresses.0.iter().map(form).collect();
        if query.key.iter().all(|key| forms.contains(key)) {
            let (addresses, places) = layout
                .addresses
                .0
                .iter()
                .partition(|digit| query.key.contains(&form(digit)));
            (layout.addresses, layout.places) = (Digits(addresses), Digits(places));
        }
        Ok(())
    }

    fn check_words(&self, layout: &Layout) -> Result<(), Error> {
        if self.word.filler.is_none() && (layout.slot.is_some() || !layout.lanes.0.is_empty()) {
            return Err(self.error("word", "no word for holes", "`filler WORD`"));
        }
        let bits = layout.count_lanes().saturating_mul(self.word.bits as usize);
        if bits > WIDEST || !bits.is_power_of_two() {
            let expected = format!("a power of two up to {WIDEST}, which a port passes in a cycle");
            return Err(self.error("word", &format!("{bits} bits in a slot"), &expected));
        }
        Ok(())
    }

    fn check_fixed(&self, digits: &Digits, use_of_it: &str) -> Result<(), Error> {
        match digits.0.iter().find(|digit| digit.size.is_none()) {
            Some(digit) => Err(self.unfixed(digit.level, use_of_it)),
            None => Ok(()),
        }
    }

    fn unfixed(&self, level: usize, use_of_it: &str) -> Error {
        let expected = format!("a number of coordinates that no shape changes, as hardware has {use_of_it}");
        self.error(
            &self.subject(level),
            &format!("`{}`", self.encoding.levels[level].text),
            &expected,
        )
    }

    fn subject(&self, level: usize) -> String {
        format!("level `{}`", self.levels[level].name)
    }

    fn error(&self, subject: &str, found: &str, expected: &str) -> Error {
        let subject = format!("a design of `{}`: {subject}", self.encoding.name);
        Error::new(ErrorKind::Structure, subject, None, found, expected)
    }

    fn field(&self, level: usize) -> Option<WordField> {
        self.word
            .fields
            .iter()
            .find(|field| field.level == Some(level))
            .copied()
    }

    /// Returns the query, if a level is just the name of one that numbers elements.
    fn numbering(&self, level: usize) -> Option<&'static Query> {
        match self.encoding.levels[level].form {
            Form {
                terms: [(Atom::Query(query), 1)],
                constant: 0,
            } => Some(&self.encoding.queries[*query]).filter(|query| !query.kind.is_of_groups()),
            _ => None,
        }
    }

    /// Returns the dims on which a form depends.
    fn dims(&self, form: &Form) -> u8 {
        let of_atom = |atom: &Atom| match *atom {
            Atom::Dim(dim) => 1 << dim,
            Atom::Quotient(form, _) => self.dims(form),
            Atom::Query(query) => {
                let query = &self.encoding.queries[query];
                match query.kind.is_of_groups() {
                    true => query.groups.iter().fold(0, |dims, form| dims | self.dims(form)),
                    false => ROW | COLUMN,
                }
            }
        };
        form.terms.iter().fold(0, |dims, (atom, _)| dims | of_atom(atom))
    }
}
