//! Random declarations: what the compiled formats do is what the interpreter says.

mod cases;
mod seen;

use std::collections::BTreeMap;

use generated::generator::Random;
use generated::interpreter::{Format, Plan, Stored};
use unisparse::Limit;
use unisparse::formats::{Coo, Csf};

use cases::cases;
use seen::{Apply, Own, Seen, Visited, listed, seen, stored, through, vector};

type Elements = BTreeMap<Vec<usize>, f64>;

/// How many times each shape is filled anew.
const ROUNDS: u64 = 4;
/// More positions than this are not interpreted.
const POSITIONS: i64 = 60_000;
/// The guard where a format is converted to another one.
const ONWARD: Limit = Limit::bytes(1 << 20);

/// One format, whatever its type.
struct Entry {
    dims: usize,
    text: &'static str,
    /// The const arguments, if they are not the defaults.
    arguments: &'static [i64],
    seen: fn(&[usize], &Visited) -> Result<Seen, String>,
}

/// An entry of the table. `uncut` is the format without parts.
macro_rules! entry {
    ($format:ty, $uncut:ty, $arguments:expr, $dims:tt, $levels:literal, $parts:tt, $onward:tt, $text:literal) => {
        Entry {
            dims: $dims,
            text: $text,
            arguments: $arguments,
            seen: |shape, elements| {
                let own: Own<$format, $dims> = Own {
                    iter: |tensor| tensor.iter().collect(),
                    multiply: multiply!($dims),
                    through: stock!($dims),
                    onward: onward!($dims, $onward),
                    again: |tensor| <$format>::try_from_parts.apply(tensor.into_parts()),
                    parts: parts!($parts, $dims, $levels),
                    multiply_parts: multiply_parts!($parts, $dims),
                };
                seen::<$format, $uncut, $dims, $levels>(shape, elements, &own)
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
}

macro_rules! onward {
    (2, ($next:ty)) => {
        Some(|tensor| {
            Ok(listed(
                &tensor
                    .convert_within::<$next>(ONWARD)?
                    .convert_within::<Coo<f64>>(Limit::none())?,
            ))
        })
    };
    ($dims:tt, $next:tt) => {
        None
    };
}

macro_rules! parts {
    (whole, $dims:tt, $levels:literal) => {
        None
    };
    (parts, $dims:tt, $levels:literal) => {
        Some(|tensor| tensor.parts().iter().map(stored::<_, $dims, $levels>).collect())
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

/// What differs between what is seen and what is right.
fn difference(seen: &Seen, right: &Stored, checked: &Checked, shape: &[usize], elements: &Elements) -> Option<String> {
    let (plan, queries) = (&checked.plan, !checked.format.queries.is_empty());
    macro_rules! same {
        ($what:literal, $seen:expr, $right:expr) => {
            // What is no number is not equal to itself.
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
    if let Some(onward) = &seen.onward {
        let without_zeros: Visited = logical.iter().filter(|element| element.1 != 0.0).cloned().collect();
        // The format between may have holes.
        if format!("{onward:?}") != format!("{without_zeros:?}") {
            same!("onward", onward, &logical);
        }
    }
    // Where zeros can be holes, the arrays do not tell what queries counted.
    let is_told = !seen.holes || !queries || elements.values().all(|&value| value != 0.0);
    if is_told || seen.again.is_ok() {
        same!("taken apart and put together", seen.again, Ok::<bool, String>(true));
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

    /// What is seen of a tensor of these elements, in any order; none if it is too large. The error is what is wrong.
    fn check(&self, shape: &[usize], list: &Visited) -> Option<Result<Seen, String>> {
        let elements: Elements = list.iter().cloned().collect();
        let right = self.format.storage(&self.plan, shape, &elements, POSITIONS)?;
        let seen = (self.entry.seen)(shape, list).and_then(|seen| {
            let wrong = difference(&seen, &right, self, shape, &elements);
            wrong.map_or(Ok(seen), Err)
        });
        let told = |what| {
            let arguments = self.entry.arguments;
            format!(
                "{} {arguments:?}\nof {shape:?}: {elements:?}\n{what}\n",
                self.entry.text
            )
        };
        Some(seen.map_err(told))
    }
}

#[test]
fn compiled_formats_are_as_interpreted() {
    let entries: Vec<Checked> = TABLE.iter().map(Checked::new).collect();
    let (mut failures, mut checked, mut chained, mut onward, mut skipped) = (Vec::new(), 0, 0, 0, 0);
    for (number, entry) in entries.iter().enumerate() {
        let dims = entry.entry.dims;
        let next = entries[number + 1..]
            .iter()
            .chain(&entries)
            .find(|next| next.entry.dims == dims)
            .expect("itself");
        let mut random = Random::new(number as u64);
        let tensors = (0..ROUNDS).flat_map(|round| cases(dims, number as u64 + (round << 32), round % 2 == 1));
        for (shape, elements) in tensors {
            let mut list: Visited = elements.into_iter().collect();
            for at in (1..list.len()).rev() {
                list.swap(at, random.below(at + 1));
            }
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
            onward += usize::from(seen.onward.is_some());
            // What comes out of one format goes into the next.
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
        "{} formats: {checked} tensors, {chained} chained, {onward} onward; {skipped} too large",
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
