//! The groups of a query, and a number for each.

use super::column::Column;
use super::order::Keys;
use crate::level::Domain;
use crate::{Error, ErrorKind, pages, parallel};

/// Boxes of at most this many groups, and four for each element, are tables of all of them.
const SMALL: u128 = 1 << 16;

/// What is asked for and what it may cost, for the errors of one query.
#[derive(Clone, Copy)]
pub(super) struct Budget {
    pub(super) query: &'static str,
    pub(super) allowed: u128,
}

impl Budget {
    /// A number does not fit.
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

    /// Whether `count` is within `most`.
    pub(super) fn within(self, what: &str, count: u128, most: u128) -> Result<(), Error> {
        if count <= most {
            return Ok(());
        }
        let expected = format!("at most {most} (pass a larger `Limit` to `convert_within` if this is wanted)");
        Err(self.refuse(what, count, expected))
    }

    /// Makes room in a table for `count` entries, if so many are allowed.
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
    /// The tuples of the groups that have elements, in order, one after another; `None`: all of the box are held.
    occurring: Option<Vec<i64>>,
    /// How many are held.
    pub(super) count: usize,
    /// The group of each element, piece by piece.
    pub(super) of_elements: Vec<Column>,
}

/// Whether groups in such a box are held whether they have elements or not.
pub(super) fn is_small(domains: &[Domain], elements: usize) -> bool {
    volume(domains) <= SMALL + 4 * elements as u128
}

impl Groups {
    /// All groups of a box.
    pub(super) fn all(domains: &[Domain], of_elements: Vec<Column>) -> Self {
        Groups {
            domains: domains.into(),
            occurring: None,
            count: volume(domains) as usize,
            of_elements,
        }
    }

    /// The groups of `count` items that have any, and the group of each item.
    pub(super) fn occurring<const G: usize>(
        domains: [Domain; G],
        count: usize,
        group: impl Fn(usize) -> [i64; G] + Sync,
    ) -> (Self, Vec<usize>) {
        let (mut occurring, mut of_items) = (Vec::new(), pages::filled(0, count));
        let (mut held, mut last) = (0, None);
        for item in Keys::new(count).append(domains.map(Some), &group).order().items {
            let tuple = group(item);
            if last != Some(tuple) {
                occurring.extend(tuple);
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

    /// Whether all groups of the box are held.
    pub(super) fn is_full(&self) -> bool {
        self.occurring.is_none()
    }

    /// These groups and all others of the box, if there is room for a table of them, and where among those these are.
    pub(super) fn full<const G: usize>(&self, budget: Budget) -> Result<(Self, Vec<usize>), Error> {
        let count = volume(&self.domains);
        budget.reserve("groups", &mut Vec::<i64>::new(), count)?;
        let places = parallel::map(self.count, |group| position(&self.domains, &self.tuple::<G>(group)));
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

    /// The tuple of a group that is held.
    pub(super) fn tuple<const G: usize>(&self, group: usize) -> [i64; G] {
        if let Some(occurring) = &self.occurring {
            return core::array::from_fn(|field| occurring[group * G + field]);
        }
        let (mut tuple, mut rest) = ([0; G], group);
        for field in (0..G).rev() {
            let Domain { lo, size } = self.domains[field];
            tuple[field] = lo + (rest % size) as i64;
            rest /= size;
        }
        tuple
    }

    /// The group of this tuple, if it is held.
    pub(super) fn find(&self, tuple: &[i64]) -> Option<usize> {
        debug_assert_eq!(tuple.len(), self.domains.len());
        let Some(occurring) = &self.occurring else {
            let inside = self.domains.iter().zip(tuple).all(|(domain, &at)| contains(domain, at));
            return inside.then(|| position(&self.domains, tuple));
        };
        let fields = self.domains.len();
        let held = |group: usize| &occurring[group * fields..(group + 1) * fields];
        let (mut start, mut end) = (0, self.count);
        while start < end {
            let middle = start.midpoint(end);
            if held(middle) < tuple {
                start = middle + 1;
            } else {
                end = middle;
            }
        }
        (start < self.count && held(start) == tuple).then_some(start)
    }
}

/// The box of the groups; a field of unknown domain goes from 0, or below if that occurs, to the greatest seen.
pub(super) fn domains<const G: usize>(
    budget: Budget,
    known: [Option<Domain>; G],
    extremes: impl FnOnce() -> Option<([i64; G], [i64; G])>,
) -> Result<[Domain; G], Error> {
    let mut domains = known.map(|domain| domain.unwrap_or(Domain { lo: 0, size: 0 }));
    if !known.contains(&None) {
        return Ok(domains);
    }
    if let Some((least, greatest)) = extremes() {
        for field in (0..G).filter(|&field| known[field].is_none()) {
            let lo = least[field].min(0);
            let size = i128::from(greatest[field]) - i128::from(lo) + 1;
            let size = usize::try_from(size).map_err(|_| budget.overflow())?;
            domains[field] = Domain { lo, size };
        }
    }
    Ok(domains)
}

/// How many tuples there are in a box, saturating.
pub(super) fn volume(domains: &[Domain]) -> u128 {
    if domains.iter().any(|domain| domain.size == 0) {
        return 0;
    }
    domains
        .iter()
        .fold(1, |volume: u128, domain| volume.saturating_mul(domain.size as u128))
}

/// The position of a tuple among all of the box, in order.
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

/// The numbers of the groups of the queries evaluated so far.
pub struct Tables {
    groups: Vec<Groups>,
    tables: Vec<Option<Table>>,
}

/// The number of each group of one query.
struct Table {
    /// Which of the groups; a reordering has those of what it reorders.
    groups: usize,
    numbers: Vec<i64>,
}

/// What is said of a query that is not evaluated when another looks at it.
const IN_ORDER: &str = "queries are evaluated in order";

impl Tables {
    pub(super) fn new(queries: usize) -> Self {
        Tables {
            groups: Vec::new(),
            tables: (0..queries).map(|_| None).collect(),
        }
    }

    /// What a query of groups gives for one; 0 if that group is not in the box or has no elements and no number.
    ///
    /// # Panics
    /// If the query has not been evaluated or is none of groups.
    #[must_use]
    pub fn at(&self, query: usize, group: &[i64]) -> i64 {
        let (groups, numbers) = self.of(query);
        groups.find(group).map_or(0, |group| numbers[group])
    }

    /// The groups of a query and their numbers.
    pub(super) fn of(&self, query: usize) -> (&Groups, &[i64]) {
        self.get(query).expect(IN_ORDER)
    }

    /// The groups of a query and their numbers, if it was evaluated and is one of groups.
    pub(super) fn get(&self, query: usize) -> Option<(&Groups, &[i64])> {
        let table = self.tables[query].as_ref()?;
        Some((&self.groups[table.groups], &table.numbers))
    }

    /// Keeps the numbers of a query's own groups.
    pub(super) fn insert(&mut self, query: usize, groups: Groups, numbers: Vec<i64>) {
        debug_assert_eq!(groups.count, numbers.len());
        self.groups.push(groups);
        let groups = self.groups.len() - 1;
        self.tables[query] = Some(Table { groups, numbers });
    }

    /// Keeps the numbers of a query whose groups are those of another.
    pub(super) fn insert_shared(&mut self, query: usize, of: usize, numbers: Vec<i64>) {
        let groups = self.tables[of].as_ref().expect(IN_ORDER).groups;
        debug_assert_eq!(self.groups[groups].count, numbers.len());
        self.tables[query] = Some(Table { groups, numbers });
    }
}
