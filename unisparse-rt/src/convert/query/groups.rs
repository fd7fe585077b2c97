//! The groups of a query, and a number for each group.

use std::borrow::Cow;

use super::column::Column;
use super::fields::{Extremes, Fields};
use super::order::TupleKeys;
use crate::array::{Domain, first_where};
use crate::error::{Error, ErrorKind};
use crate::machine::{pages, parallel};

/// A box with at most this many groups plus four per element is stored as a full table.
const SMALL: u128 = 1 << 16;

/// The name of a query and the bytes it may allocate, for its errors.
#[derive(Clone, Copy)]
pub(super) struct Budget {
    pub(super) query: &'static str,
    pub(super) allowed: u128,
}

impl Budget {
    /// Returns the error for a number that overflows.
    pub(super) fn overflow(self) -> Error {
        let subject = format!("query `{}`", self.query);
        Error::new(
            ErrorKind::Overflow,
            subject,
            None,
            "a larger number",
            "one within `i64`",
        )
    }

    /// Checks that `count` is at most `most`.
    pub(super) fn within(self, what: &str, count: u128, most: u128) -> Result<(), Error> {
        if count <= most {
            return Ok(());
        }
        let expected = format!("at most {most} (pass a larger `Limit` to `convert_within` if this is wanted)");
        Err(self.refuse(what, count, expected))
    }

    /// Reserves capacity for `count` entries in a table, if the limit allows that many.
    pub(super) fn reserve<V>(self, what: &str, table: &mut Vec<V>, count: u128) -> Result<(), Error> {
        self.within(what, count, self.allowed / size_of::<V>() as u128)?;
        usize::try_from(count)
            .ok()
            .filter(|&count| table.try_reserve(count.saturating_sub(table.len())).is_ok())
            .map(drop)
            .ok_or_else(|| self.refuse(what, count, "what the machine can allocate".into()))
    }

    fn refuse(self, what: &str, count: u128, expected: String) -> Error {
        let subject = format!("query `{}`", self.query);
        Error::new(ErrorKind::Limit, subject, None, format!("{count} {what}"), expected)
    }
}

/// The groups of a query: tuples of numbers in a box.
pub(super) struct Groups {
    pub(super) domains: Vec<Domain>,
    /// The concatenated tuples of the groups that have elements, sorted; `None` if all groups of the box are held.
    occurring: Option<Vec<i64>>,
    /// Number of groups held.
    pub(super) count: usize,
    /// The group of each element, as one column per piece.
    pub(super) of_elements: Vec<Column>,
}

/// Returns whether a box is small enough to hold all of its groups, including those without elements.
pub(super) fn is_small(domains: &[Domain], elements: usize) -> bool {
    volume(domains) <= SMALL + 4 * elements as u128
}

impl Groups {
    /// Creates all groups of a box.
    pub(super) fn all(domains: &[Domain], of_elements: Vec<Column>) -> Self {
        Groups {
            domains: domains.into(),
            occurring: None,
            count: volume(domains) as usize,
            of_elements,
        }
    }

    /// Creates the groups that occur among `count` items, and returns the group of each item.
    pub(super) fn occurring(domains: &[Domain], count: usize, fields: Fields) -> (Self, Vec<usize>) {
        let (mut occurring, mut of_items) = (Vec::new(), pages::filled(0, count));
        let (mut held, mut last) = (0, None);
        let known: Vec<Option<Domain>> = domains.iter().copied().map(Some).collect();
        for item in TupleKeys::new(count).append(&known, fields).order().items {
            let tuple = fields.of(item);
            if last != Some(tuple) {
                occurring.extend_from_slice(tuple);
                held += 1;
                last = Some(tuple);
            }
            of_items[item] = held - 1;
        }
        let groups = Groups {
            domains: domains.into(),
            occurring: Some(occurring),
            count: held,
            of_elements: Vec::new(),
        };
        (groups, of_items)
    }

    /// Returns whether all groups of the box are held.
    pub(super) fn is_full(&self) -> bool {
        self.occurring.is_none()
    }

    /// Returns all groups of the box, if the limit allows a table of them, and the index of each current group among them.
    pub(super) fn full(&self, budget: Budget) -> Result<(Self, Vec<usize>), Error> {
        let count = volume(&self.domains);
        budget.reserve("groups", &mut Vec::<i64>::new(), count)?;
        let (tuples, fields) = (self.tuples(), self.domains.len());
        let places = parallel::map(self.count, |group| {
            position(&self.domains, &tuples[group * fields..][..fields])
        });
        let moved = |column: &Column| {
            let mut numbers = vec![0; column.len()];
            column.look_up(0, column.len(), |at, group| numbers[at] = places[group as usize] as i64);
            let mut moved = Column::with_capacity(numbers.len());
            moved.extend(&numbers);
            moved
        };
        let full = Groups::all(&self.domains, self.of_elements.iter().map(moved).collect());
        Ok((full, places))
    }

    /// Returns the concatenated tuples of all groups held.
    pub(super) fn tuples(&self) -> Cow<'_, [i64]> {
        if let Some(occurring) = &self.occurring {
            return Cow::Borrowed(occurring);
        }
        let fields = self.domains.len();
        let mut tuples = pages::with_capacity(self.count * fields);
        let mut tuple: Vec<i64> = self.domains.iter().map(|domain| domain.lo).collect();
        for _ in 0..self.count {
            tuples.extend_from_slice(&tuple);
            for (at, domain) in tuple.iter_mut().zip(&self.domains).rev() {
                *at += 1;
                if *at < domain.end() {
                    break;
                }
                *at = domain.lo;
            }
        }
        Cow::Owned(tuples)
    }

    /// Returns the index of the group with this tuple, if it is held.
    pub(super) fn find(&self, tuple: &[i64]) -> Option<usize> {
        debug_assert_eq!(tuple.len(), self.domains.len());
        let Some(occurring) = &self.occurring else {
            let inside = self.domains.iter().zip(tuple).all(|(domain, &at)| contains(domain, at));
            return inside.then(|| position(&self.domains, tuple));
        };
        let fields = self.domains.len();
        let held = |group: usize| &occurring[group * fields..(group + 1) * fields];
        let group = first_where(0..self.count, |group| held(group) >= tuple);
        (group < self.count && held(group) == tuple).then_some(group)
    }
}

/// Returns the box of the groups. A field of unknown domain spans from 0, or the least number seen if negative, to the
/// greatest number seen.
pub(super) fn domains(
    budget: Budget,
    known: &[Option<Domain>],
    extremes: impl FnOnce() -> Option<Extremes>,
) -> Result<Vec<Domain>, Error> {
    let unknown = Domain { lo: 0, size: 0 };
    let mut domains: Vec<Domain> = known.iter().map(|domain| domain.unwrap_or(unknown)).collect();
    if !known.contains(&None) {
        return Ok(domains);
    }
    if let Some((least, greatest)) = extremes() {
        for field in (0..known.len()).filter(|&field| known[field].is_none()) {
            let lo = least[field].min(0);
            let size = i128::from(greatest[field]) - i128::from(lo) + 1;
            let size = usize::try_from(size).map_err(|_| budget.overflow())?;
            domains[field] = Domain { lo, size };
        }
    }
    Ok(domains)
}

/// Returns the number of tuples in a box, saturating.
pub(super) fn volume(domains: &[Domain]) -> u128 {
    if domains.iter().any(|domain| domain.size == 0) {
        return 0;
    }
    domains
        .iter()
        .fold(1, |volume: u128, domain| volume.saturating_mul(domain.size as u128))
}

/// Returns the row-major position of a tuple in its box.
#[inline]
pub(super) fn position(domains: &[Domain], tuple: &[i64]) -> usize {
    domains.iter().zip(tuple).fold(0, |position, (domain, &at)| {
        debug_assert!(contains(domain, at), "{at} outside {domain:?}");
        position * domain.size + at.wrapping_sub(domain.lo) as usize
    })
}

fn contains(domain: &Domain, at: i64) -> bool {
    at >= domain.lo && (at.wrapping_sub(domain.lo) as u64) < domain.size as u64
}

/// Writes the rows of groups, given their concatenated tuples.
pub(super) type WriteGroups<'a> = dyn Fn(&[i64], &Tables, &mut [i64]) + Sync + 'a;

/// Returns a function that writes rows of `width` numbers for groups of `G` fields, by a function that writes one row.
#[inline(always)]
pub(super) fn each_group<const G: usize>(
    width: usize,
    write: impl Fn([i64; G], &Tables, &mut [i64]) + Sync,
) -> impl Fn(&[i64], &Tables, &mut [i64]) + Sync {
    move |tuples, tables, rows| {
        for (group, row) in rows.chunks_exact_mut(width).enumerate() {
            let mut tuple = [0; G];
            tuple.copy_from_slice(&tuples[group * G..][..G]);
            write(tuple, tables, row);
        }
    }
}

/// The results of the group queries evaluated so far.
pub struct Tables {
    groups: Vec<Groups>,
    tables: Vec<Option<Table>>,
}

/// The result of one query for each group.
struct Table {
    /// Index of the groups; a reordering shares those of the query it reorders.
    groups: usize,
    numbers: Vec<i64>,
}

/// The panic message if a query is read before it is evaluated.
const IN_ORDER: &str = "queries are evaluated in order";

impl Tables {
    pub(super) fn new(queries: usize) -> Self {
        Tables {
            groups: Vec::new(),
            tables: (0..queries).map(|_| None).collect(),
        }
    }

    /// Returns the result of a query for a group; 0 if the group is outside the box, or has neither elements nor a number.
    ///
    /// # Panics
    /// If the query has not been evaluated, or numbers elements instead of groups.
    #[must_use]
    pub fn at(&self, query: usize, group: &[i64]) -> i64 {
        let (groups, numbers) = self.of(query);
        groups.find(group).map_or(0, |group| numbers[group])
    }

    /// Returns the groups of a query and their numbers.
    pub(super) fn of(&self, query: usize) -> (&Groups, &[i64]) {
        self.get(query).expect(IN_ORDER)
    }

    /// Returns the groups of a query and their numbers, if it has been evaluated and numbers groups.
    pub(super) fn get(&self, query: usize) -> Option<(&Groups, &[i64])> {
        let table = self.tables[query].as_ref()?;
        Some((&self.groups[table.groups], &table.numbers))
    }

    /// Returns the rows of `count` groups with these tuples, of `width` numbers each.
    pub(super) fn rows(&self, write: &WriteGroups, tuples: &[i64], count: usize, width: usize) -> Vec<i64> {
        let mut rows = pages::filled(0, count * width);
        if count <= parallel::PIECE {
            write(tuples, self, &mut rows);
            return rows;
        }
        let fields = tuples.len() / count;
        let of_piece = |(piece, rows): (usize, &mut [i64])| {
            let tuples = &tuples[piece * parallel::PIECE * fields..];
            write(tuples, self, rows);
        };
        let pieces = rows.chunks_mut(parallel::PIECE * width).enumerate().collect();
        parallel::each(pieces, of_piece);
        rows
    }

    /// Stores the results of a query that has groups of its own.
    pub(super) fn insert(&mut self, query: usize, groups: Groups, numbers: Vec<i64>) {
        debug_assert_eq!(groups.count, numbers.len());
        self.groups.push(groups);
        let groups = self.groups.len() - 1;
        self.tables[query] = Some(Table { groups, numbers });
    }

    /// Stores the results of a query that shares the groups of query `of`.
    pub(super) fn insert_shared(&mut self, query: usize, of: usize, numbers: Vec<i64>) {
        let groups = self.tables[of].as_ref().expect(IN_ORDER).groups;
        debug_assert_eq!(self.groups[groups].count, numbers.len());
        self.tables[query] = Some(Table { groups, numbers });
    }
}
