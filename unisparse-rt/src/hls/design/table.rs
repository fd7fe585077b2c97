//! Where the rows and the columns of a matrix are on the chip.

use super::layout::Layout;
use crate::error::{Error, ErrorKind};
use crate::words::WordParts;

/// Where rows and columns are on the chip: first what the index map says, then what the elements say.
pub(super) struct Table<'a> {
    layout: &'a Layout,
    shape: [usize; 2],
    addresses: usize,
    pub(super) elements: usize,
    /// For each window, the column of each element of `x`.
    pub(super) columns: Vec<Vec<Option<usize>>>,
    /// The row of each sum.
    rows: Vec<Option<usize>>,
    /// The sum of each row, and whether an element is added to it.
    sums: Vec<(Option<usize>, bool)>,
}

impl<'a> Table<'a> {
    /// Returns the bytes of a table for these addresses, columns and windows, saturated.
    pub(super) fn bytes(shape: [usize; 2], layout: &Layout, sizes: [usize; 3]) -> u128 {
        let [addresses, columns, windows] = sizes.map(|size| size as u128);
        let in_address = [layout.count_channels(), layout.count_lanes(), layout.count_places()];
        let sums = in_address
            .iter()
            .fold(addresses, |sums, &count| sums.saturating_mul(count as u128));
        let places = sums.saturating_add(columns.saturating_mul(windows));
        let bytes_of = |count: u128, size: usize| count.saturating_mul(size as u128);
        bytes_of(places, size_of::<Option<usize>>())
            .saturating_add(bytes_of(windows, size_of::<Vec<Option<usize>>>()))
            .saturating_add(bytes_of(shape[0] as u128, size_of::<(Option<usize>, bool)>()))
    }

    pub(super) fn new<F: WordParts<2>>(
        shape: [usize; 2],
        layout: &'a Layout,
        [addresses, columns, windows]: [usize; 3],
    ) -> Self {
        let sums = layout.count_channels() * layout.count_lanes() * addresses * layout.count_places();
        let mut table = Table {
            layout,
            shape,
            addresses,
            elements: 0,
            columns: vec![Vec::new(); windows],
            rows: vec![None; sums],
            sums: vec![(None, false); shape[0]],
        };
        let mut coordinates = vec![0; layout.levels];
        for window in 0..windows {
            layout.windows.split(window, &mut coordinates);
            let column = |column: usize| {
                layout.columns.split(column, &mut coordinates);
                F::decode(shape, &coordinates).map(|[_, column]| column)
            };
            let mut of_window: Vec<Option<usize>> = (0..columns).map(column).collect();
            let used = of_window.iter().rposition(Option::is_some).map_or(0, |last| last + 1);
            of_window.truncate(used);
            table.columns[window] = of_window;
        }
        table.known_rows::<F>();
        table
    }

    /// Finds the sums of rows that do not depend on the elements.
    fn known_rows<F: WordParts<2>>(&mut self) {
        let layout = self.layout;
        let mut coordinates = vec![0; layout.levels];
        for channel in 0..layout.count_channels() {
            layout.channels.split(channel, &mut coordinates);
            for lane in 0..layout.count_lanes() {
                layout.lanes.split(lane, &mut coordinates);
                for address in 0..self.addresses {
                    layout.addresses.split(address, &mut coordinates);
                    for place in 0..layout.count_places() {
                        layout.places.split(place, &mut coordinates);
                        let row = F::decode(self.shape, &coordinates).map(|[row, _]| row);
                        let Some(row) = row.filter(|&row| self.sums[row].0.is_none()) else {
                            continue;
                        };
                        let Some(sum) = layout.sum(channel, lane, address, place) else {
                            continue;
                        };
                        (self.rows[sum], self.sums[row].0) = (Some(row), Some(sum));
                    }
                }
            }
        }
    }

    /// Notes where a word puts its element.
    ///
    /// # Errors
    /// `Structure` for a row with two sums, and for an element of `x` that is two columns.
    pub(super) fn insert<F: WordParts<2>>(
        &mut self,
        channel: usize,
        coordinates: &[i64],
        word: u128,
    ) -> Result<(), Error> {
        let layout = self.layout;
        if layout.word.filler == Some(word) {
            return Ok(());
        }
        let numbers = || {
            let [row, column] = F::decode(self.shape, coordinates)?;
            let sum = layout.sum(
                channel,
                layout.lanes.number(coordinates)?,
                layout.addresses.number(coordinates)?,
                layout.places.number(coordinates)?,
            )?;
            let window = layout.windows.number(coordinates)?;
            Some((row, sum, column, window, layout.columns.number(coordinates)?))
        };
        let position = self.elements;
        let error = |subject: &str, found: String, expected: &str| {
            Error::new(ErrorKind::Structure, subject, Some(position), found, expected)
        };
        let Some((row, sum, column, window, at)) = numbers() else {
            return Err(error(
                "an element of a stream",
                format!("{coordinates:?}"),
                "coordinates inside the shape",
            ));
        };
        self.elements += 1;
        match self.sums[row] {
            (Some(other), true) if other != sum => {
                let found = format!("row {row} in the sums {other} and {sum}");
                return Err(error("rows", found, "one channel, lane and address for each row"));
            }
            (Some(other), false) if other != sum => self.rows[other] = None,
            _ => {}
        }
        if let Some(other) = self.rows[sum].filter(|&other| other != row) {
            if self.sums[other].1 {
                return Err(error(
                    "rows",
                    format!("rows {other} and {row} in the sum {sum}"),
                    "one row for each sum",
                ));
            }
            self.sums[other].0 = None;
        }
        (self.rows[sum], self.sums[row]) = (Some(row), (Some(sum), true));
        let columns = &mut self.columns[window];
        columns.resize(columns.len().max(at + 1), None);
        match *columns[at].get_or_insert(column) == column {
            true => Ok(()),
            false => Err(error(
                "columns",
                format!("column {column} in place {at}"),
                "one column for each place of a window",
            )),
        }
    }

    /// Returns the row of each sum that leaves the chip, and the number of memory words that do in each channel. Rows without elements
    /// get sums that nothing is added to.
    ///
    /// # Errors
    /// `Limit` if there are fewer sums than rows.
    pub(super) fn rows(&mut self) -> Result<(Vec<Option<usize>>, usize), Error> {
        let mut free = 0..self.rows.len();
        for row in 0..self.sums.len() {
            if self.sums[row].0.is_some() {
                continue;
            }
            let found = free.find(|&sum| self.rows[sum].is_none()).ok_or_else(|| {
                let found = format!("{} rows", self.sums.len());
                Error::new(
                    ErrorKind::Limit,
                    "sums",
                    None,
                    found,
                    format!("{} of them", self.rows.len()),
                )
            })?;
            self.rows[found] = Some(row);
        }
        let of_step = self.layout.count_channels() * self.layout.count_places();
        let used = self.rows.iter().rposition(Option::is_some).map_or(0, |last| last + 1);
        let steps = used.div_ceil(of_step);
        self.rows.truncate(steps * of_step);
        Ok((std::mem::take(&mut self.rows), steps))
    }
}
