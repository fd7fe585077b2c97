//! Random declarations: the compiled formats agree with the interpreter.
#![allow(unused_variables, reason = "random formats declare queries that nothing reads")]

mod cases;
mod feeds;
mod seen;

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};

use generated::sources::*;
use specification::generator::Random;
use specification::interpreter::{Format, Plan, Stored};
use unisparse::__private::Tree;
use unisparse::formats::*;

use cases::{cases, wide};
use feeds::{Fed, Feeds, estimated, of_given, of_source, of_triplets, of_view, shuffle};
use seen::{Apply, Own, Seen, Visited, seen, through, vector};

type Elements = BTreeMap<Vec<usize>, f64>;

/// The number of tensors of each shape, unless `GENERATED_ROUNDS` is set.
const ROUNDS: u64 = 4;
/// The maximum number of positions that are interpreted.
const POSITIONS: i64 = 60_000;

/// One format, whatever its type.
struct Entry {
    dims: usize,
    text: &'static str,
    /// The explicit const arguments, or none for the defaults.
    arguments: &'static [i64],
    seen: fn(&[usize], &Visited) -> Result<Seen, String>,
    feeds: Feeds,
}

/// An entry of the table. `uncut` is the format without parts.
macro_rules! entry {
    ($format:ty, $uncut:ty, $arguments:expr, $dims:tt, $levels:literal, $parts:tt, $view:tt, [$(($source:ty)),*], [$(($own:ty)),*], $text:literal) => {
        Entry {
            dims: $dims,
            text: $text,
            arguments: $arguments,
            seen: |shape, elements| {
                let own: Own<$format, $dims> = Own {
                    iter: |tensor| tensor.iter().collect(),
                    multiply: multiply!($dims),
                    through: stock!($dims),
                    again: |tensor| <$format>::try_from_parts.apply(tensor.into_parts()),
                    parts: parts!($parts, $dims, $levels),
                    multiply_parts: multiply_parts!($parts, $dims),
                };
                seen::<$format, $uncut, $dims, $levels>(shape, elements, &own)
            },
            feeds: Feeds {
                triplets: of_triplets::<$uncut, $dims, $levels>,
                view: view!($view, $uncut, $dims, $levels),
                sources: &[
                    $((stringify!($source), of_source::<$source, $uncut, $dims, $levels>),)*
                    $((stringify!($own), of_source::<$own, $uncut, $dims, $levels>),)*
                    $((stringify!($own), of_given::<$own, $uncut, $dims, $levels>),)*
                ],
                estimate: estimated::<$format, $dims>,
                holes: <$uncut as Tree<$dims, $levels>>::HOLES,
            },
        }
    };
}

macro_rules! multiply {
    (2) => {
        Some(|tensor, y, x| unisparse::kernels::spmv(y, tensor, x).expect("the extents fit"))
    };
    ($dims:tt) => {
        None
    };
}

macro_rules! stock {
    (1) => {
        |_, elements| {
            let mut elements = elements.to_vec();
            elements.sort_by_key(|element| element.0);
            elements
        }
    };
    (2) => {
        through::<Coo<f64>, 2>
    };
    (3) => {
        through::<Csf<f64>, 3>
    };
    (4) => {
        through::<Coo4<f64>, 4>
    };
    (5) => {
        through::<Coo5<f64>, 5>
    };
}

macro_rules! view {
    (viewed, $uncut:ty, $dims:tt, $levels:literal) => {
        Some(of_view::<$uncut, $dims, $levels>)
    };
    (unviewed, $uncut:ty, $dims:tt, $levels:literal) => {
        None
    };
}

macro_rules! parts {
    (whole, $dims:tt, $levels:literal) => {
        None
    };
    (parts, $dims:tt, $levels:literal) => {
        Some(|tensor| tensor.parts().iter().map(seen::stored::<_, $dims, $levels>).collect())
    };
}

macro_rules! multiply_parts {
    (parts, 2) => {
        Some(|tensor, y, x| {
            for part in tensor.parts() {
                let mut more = vec![0.0; y.len()];
                unisparse::kernels::spmv(&mut more, part, x).expect("the extents fit");
                y.iter_mut().zip(more).for_each(|(y, more)| *y += more);
            }
        })
    };
    ($parts:tt, $dims:tt) => {
        None
    };
}

include!(concat!(env!("OUT_DIR"), "/", env!("CARGO_CRATE_NAME"), ".rs"));

/// Returns the differences between the observed and the expected tensor.
fn difference(seen: &Seen, right: &Stored, checked: &Checked, shape: &[usize], elements: &Elements) -> Option<String> {
    let (plan, queries) = (&checked.plan, !checked.format.queries.is_empty());
    macro_rules! same {
        ($what:literal, $seen:expr, $right:expr) => {
            // NaN is not equal to itself.
            if $seen != $right && format!("{:?}", $seen) != format!("{:?}", $right) {
                return Some(format!("{}\n   found {:?}\nexpected {:?}", $what, $seen, $right));
            }
        };
    }
    same!("holes", seen.holes, plan.holes);
    for (level, (seen, right)) in seen.stored.arrays.iter().zip(&right.arrays).enumerate() {
        if seen != right {
            return Some(format!(
                "level {level}, a {:?} one\n   found {seen:?}\nexpected {right:?}",
                plan.statuses[level]
            ));
        }
    }
    same!("sizes", seen.stored.sizes, right.sizes);
    same!("values", seen.stored.values, right.values);
    let read: Visited = right
        .elements
        .iter()
        .filter(|element| !seen.holes || element.1 != 0.0)
        .cloned()
        .collect();
    same!("for_each", seen.stored.elements, read);
    same!("iter", seen.iterated, read);
    same!(
        "nnz and stored",
        (seen.nnz, seen.positions),
        (read.len(), right.values.len())
    );
    let mut logical = read;
    logical.sort_by(|left, right| left.0.cmp(&right.0));
    same!("converted", seen.converted, logical);
    // Where zeros can be holes, the arrays do not determine the results of queries.
    let is_determined = !seen.holes || !queries || elements.values().all(|&value| value != 0.0);
    if is_determined || seen.again.is_ok() {
        same!("rebuilt from its parts", seen.again, Ok::<bool, String>(true));
    }
    // Where zeros were dropped the way back may lead to another tensor.
    if logical.len() == elements.len() {
        same!("there and back", seen.back, Ok::<bool, String>(true));
    }
    for product in [&seen.product, &seen.product_of_parts].into_iter().flatten() {
        let mut y = vec![0.0; shape[0]];
        let x = vector(shape[1]);
        elements.iter().for_each(|(at, value)| y[at[0]] += value * x[at[1]]);
        same!("spmv", product, &y);
    }
    if plan.cut.is_some() {
        same!("number of parts", seen.stored.parts.len(), right.parts.len());
        for (number, (seen_part, right)) in seen.stored.parts.iter().zip(&right.parts).enumerate() {
            let mut right = right.clone();
            right.elements.retain(|element| !seen.holes || element.1 != 0.0);
            same!("a part", (number, seen_part), (number, &right));
        }
    }
    None
}

/// An entry and its interpretation.
struct Checked {
    entry: &'static Entry,
    format: Format,
    plan: Plan,
}

impl Checked {
    fn new(entry: &'static Entry) -> Self {
        let mut format = Format::parse(entry.text);
        if !entry.arguments.is_empty() {
            format.parameters = entry.arguments.to_vec();
        }
        let plan = format.plan();
        Checked { entry, format, plan }
    }

    /// Observes a tensor of these elements, in any order; `None` if it is too large. The error describes what is wrong.
    fn check(&self, shape: &[usize], list: &Visited) -> Option<Result<Seen, String>> {
        let elements: Elements = list.iter().cloned().collect();
        let right = self.format.storage(&self.plan, shape, &elements, POSITIONS)?;
        let seen = (self.entry.seen)(shape, list).and_then(|seen| {
            let wrong = difference(&seen, &right, self, shape, &elements);
            wrong.map_or(Ok(seen), Err)
        });
        let report = |what| {
            let arguments = self.entry.arguments;
            format!(
                "{} {arguments:?}\nof {shape:?}: {elements:?}\n{what}\n",
                self.entry.text
            )
        };
        Some(seen.map_err(report))
    }

    /// Makes a tensor of these elements from each source; `None` if it is too large.
    fn feed(
        &self,
        shape: &[usize],
        elements: &Elements,
        random: &mut Random,
        fed: &mut Fed,
    ) -> Option<Result<(), String>> {
        let list = |elements: &Elements| {
            elements
                .iter()
                .map(|(at, value)| (at.clone(), *value))
                .collect::<Visited>()
        };
        let stored = |elements: &Elements| self.format.storage(&self.plan, shape, elements, POSITIONS);
        let mut nonzero = elements.clone();
        nonzero.retain(|_, value| *value != 0.0);
        let (right, without_zeros) = (stored(elements)?, stored(&nonzero)?);
        let feeds = &self.entry.feeds;
        let made = feeds
            .make_of_triplets(shape, &list(elements), &right, random, fed)
            .and_then(|()| feeds.make_of_sources(shape, &list(&nonzero), &without_zeros, fed));
        let report = |what| format!("{} {:?}\nof {shape:?}\n{what}\n", self.entry.text, self.entry.arguments);
        Some(made.map_err(report))
    }

    /// Whether coordinates of millions fit: no queries count all groups, and no array is of narrow integers.
    fn may_be_wide(&self) -> bool {
        self.format.queries.is_empty() && !self.entry.text.contains("u16")
    }
}

/// Returns the number of tensors of each shape.
fn rounds() -> u64 {
    std::env::var("GENERATED_ROUNDS").map_or(ROUNDS, |rounds| rounds.parse().expect("a number"))
}

#[test]
fn every_source_gives_what_is_interpreted() {
    let (mut failures, mut fed, mut tensors) = (Vec::new(), Fed::default(), 0);
    for (number, entry) in TABLE.iter().map(Checked::new).enumerate() {
        let (dims, seed) = (entry.entry.dims, number as u64);
        let mut random = Random::new(seed);
        let of_round = |round: u64| {
            let seed = seed + (round << 32) + (1 << 20);
            let wide = entry.may_be_wide().then(|| wide(dims, seed));
            cases(dims, seed, round % 2 == 1).into_iter().chain(wide)
        };
        for (shape, elements) in (0..rounds()).flat_map(of_round) {
            let feed = || entry.feed(&shape, &elements, &mut random, &mut fed);
            // A panic is a failure of this format; the other formats are still checked.
            let report = || format!("{} of {shape:?} panics: {elements:?}\n", entry.entry.text);
            match catch_unwind(AssertUnwindSafe(feed)).unwrap_or_else(|_| Some(Err(report()))) {
                None => {}
                Some(Ok(())) => tensors += 1,
                Some(Err(wrong)) => {
                    failures.push(wrong);
                    break;
                }
            }
        }
    }
    println!(
        "{} formats, {tensors} tensors, {} conversions\n{}",
        TABLE.len(),
        fed.total(),
        fed.text()
    );
    assert!(
        failures.is_empty(),
        "{} formats of {} fail\n\n{}",
        failures.len(),
        TABLE.len(),
        failures.join("\n")
    );
}

#[test]
fn compiled_formats_are_as_interpreted() {
    let entries: Vec<Checked> = TABLE.iter().map(Checked::new).collect();
    let (mut failures, mut checked, mut chained, mut skipped) = (Vec::new(), 0, 0, 0);
    for (number, entry) in entries.iter().enumerate() {
        let dims = entry.entry.dims;
        let next = entries[number + 1..]
            .iter()
            .chain(&entries)
            .find(|next| next.entry.dims == dims)
            .expect("itself");
        let mut random = Random::new(number as u64);
        let tensors = (0..rounds()).flat_map(|round| cases(dims, number as u64 + (round << 32), round % 2 == 1));
        for (shape, elements) in tensors {
            let mut list: Visited = elements.into_iter().collect();
            shuffle(&mut list, &mut random);
            let seen = match entry.check(&shape, &list) {
                None => {
                    skipped += 1;
                    continue;
                }
                Some(Ok(seen)) => seen,
                Some(Err(wrong)) => {
                    failures.push(wrong);
                    break;
                }
            };
            checked += 1;
            // The results of one format are the input of the next.
            match next.check(&shape, &seen.iterated) {
                None => {}
                Some(Ok(_)) => chained += 1,
                Some(Err(wrong)) => {
                    failures.push(format!("from {}\n{wrong}", entry.entry.text));
                    break;
                }
            }
        }
    }
    println!(
        "{} formats: {checked} tensors, {chained} chained; {skipped} too large",
        TABLE.len()
    );
    assert!(
        failures.is_empty(),
        "{} formats of {} fail\n\n{}",
        failures.len(),
        TABLE.len(),
        failures.join("\n")
    );
}
