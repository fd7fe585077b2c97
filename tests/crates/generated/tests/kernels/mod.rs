//! Random kernels: the compiled loops agree with the evaluator of statements, coordinate by coordinate.
#![allow(unused_variables, reason = "random formats declare queries that nothing reads")]

mod elements;
mod given;
// Not that of the crate: elements of any type are to implement its trait.
#[path = "../../../specification/src/statement/mod.rs"]
#[allow(dead_code, unreachable_pub, missing_docs, unused_imports)]
mod statement;

use specification::generator::{self, Random};
use statement::{Algebra, Element, Elements, Operands, Reduction, evaluate, start, updated};
use unisparse::formats::*;
use unisparse::{Complex64, Error, ErrorKind, Scalar};

use elements::MinPlus;
use given::{Found, Given};

unisparse::sparse_format! {
    /// Sorted.
    pub format Vector = |i| (at: i) { trim(at); }
    /// In blocks, with holes.
    pub format Blocked<const B: usize = 3> = |i| (block: i / B, at: i % B) { trim(block); }
    /// The last dim outermost.
    pub format LastFirst = |i, j, k| (z: k, x: i, y: j) { merge(x); trim(z); trim(y); }
}

/// The number of calls of each kernel with other operands.
const ROUNDS: u64 = 12;

/// A kernel, whatever its type.
struct Entry {
    text: &'static str,
    /// Whether the operands were small enough; the error describes what is wrong.
    check: fn(u64) -> Result<bool, String>,
}

macro_rules! entry {
    ($kernel:ident, $element:ty, $algebra:ident, $seed:literal) => {
        Entry {
            text: $kernel::TEXT,
            check: |round| check::<$element>($seed, Algebra::$algebra, round, $kernel::run),
        }
    };
}

include!(concat!(env!("OUT_DIR"), "/", env!("CARGO_CRATE_NAME"), ".rs"));

/// Elements to be drawn.
trait Drawn: Element + Scalar {
    const NONZERO: &'static [Self];
}

impl Drawn for f64 {
    const NONZERO: &'static [Self] = &[-3.0, -2.0, -1.0, 1.0, 2.0, 3.0, 4.0, 6.0];
}
impl Drawn for f32 {
    const NONZERO: &'static [Self] = &[-2.0, -1.0, 1.0, 2.0];
}
impl Drawn for i64 {
    const NONZERO: &'static [Self] = &[-3, -2, -1, 1, 2, 3, 4, 6];
}
impl Drawn for bool {
    const NONZERO: &'static [Self] = &[true];
}
impl Drawn for Complex64 {
    const NONZERO: &'static [Self] = &[
        Complex64::new(1.0, 0.0),
        Complex64::new(0.0, -2.0),
        Complex64::new(-1.0, 3.0),
    ];
}
impl Drawn for MinPlus {
    const NONZERO: &'static [Self] = &[MinPlus(0.0), MinPlus(1.0), MinPlus(2.5), MinPlus(-1.0)];
}

/// Every coordinate of a box.
fn coordinates(shape: &[usize]) -> Vec<Vec<usize>> {
    shape.iter().fold(vec![Vec::new()], |shorter, &extent| {
        let longer = |at: &Vec<usize>| {
            (0..extent)
                .map(|last| [at.as_slice(), &[last]].concat())
                .collect::<Vec<_>>()
        };
        shorter.iter().flat_map(longer).collect()
    })
}

/// Returns the operands of one round: from none to all elements stored, extents from none to six.
fn given<T: Drawn>(seed: u64, algebra: Algebra, round: u64) -> Given<T> {
    let statement = statement::statement(Random::new(seed), algebra);
    let mut random = Random::new(seed + (round << 32));
    // The storage of an empty sum is not specified.
    let is_stored = statement.is_sparse(statement.output.name);
    let drawn: Vec<usize> = (0..4)
        .map(|_| match random.below(20) {
            0 if !is_stored => 0,
            number => 1 + number % 6,
        })
        .collect();
    let extents: Vec<usize> = statement.classes().iter().map(|&class| drawn[class]).collect();
    let percent = [15, 30, 60, 100, 0, 30][round as usize % 6];
    let mut operands = Operands::new();
    for access in statement.inputs() {
        let sparse = statement.is_sparse(access.name);
        let is_mask = statement
            .mask
            .as_ref()
            .is_some_and(|mask| mask.access.name == access.name);
        let shape: Vec<usize> = access.indices.iter().map(|&index| extents[index]).collect();
        let mut elements = Elements::new();
        for at in coordinates(&shape) {
            if !sparse || random.below(100) < percent {
                let zero = (is_mask || !sparse) && random.one_in(3);
                let value = if zero { T::zero() } else { random.any(T::NONZERO) };
                elements.insert(at, value);
            }
        }
        operands.insert(access.name, elements);
    }
    let shape: Vec<usize> = statement.output.indices.iter().map(|&index| extents[index]).collect();
    let before = coordinates(&shape)
        .into_iter()
        .map(|at| (at, random.any(T::NONZERO)))
        .collect();
    Given {
        statement,
        extents,
        operands,
        before,
    }
}

fn expected<T: Drawn>(given: &Given<T>) -> Elements<T> {
    let statement = &given.statement;
    let result = evaluate(statement, &given.extents, &given.operands);
    let reduction = statement.reduction;
    if statement.is_sparse(statement.output.name) {
        result
    } else if statement.output.indices.is_empty() {
        updated(
            &Elements::from([(Vec::new(), start(reduction))]),
            &result,
            added(reduction),
        )
    } else {
        updated(&given.before, &result, reduction)
    }
}

/// Returns the reduction of a scalar output, which starts from zero or the identity of the reduction: `=` adds.
fn added(reduction: Reduction) -> Reduction {
    if reduction == Reduction::Set {
        Reduction::Plus
    } else {
        reduction
    }
}

fn check<T: Drawn>(
    seed: u64,
    algebra: Algebra,
    round: u64,
    run: fn(&Given<T>) -> Result<Found<T>, Error>,
) -> Result<bool, String> {
    let given = given::<T>(seed, algebra, round);
    let expected = expected(&given);
    let report = |found: String| {
        let (extents, operands, before) = (&given.extents, &given.operands, &given.before);
        Err(format!(
            "extents {extents:?}, {operands:?}\nbefore {before:?}\n   found {found}\nexpected {expected:?}"
        ))
    };
    match run(&given) {
        Ok(found) => {
            let is_distinct = |value: &T| !found.may_have_holes || !Element::is_zero(*value);
            let stored = |elements: &Elements<T>| -> Elements<T> {
                let stored = elements.iter().filter(|(_, value)| is_distinct(value));
                stored.map(|(at, &value)| (at.clone(), value)).collect()
            };
            if stored(&found.elements) == stored(&expected) {
                Ok(true)
            } else {
                report(format!("{:?}", found.elements))
            }
        }
        Err(error) if error.kind() == ErrorKind::Limit => Ok(false),
        Err(error) => report(error.to_string()),
    }
}

#[test]
fn compiled_kernels_are_as_their_statements_say() {
    let (mut failures, mut checked, mut skipped) = (Vec::new(), 0, 0);
    for entry in TABLE {
        for round in 0..ROUNDS {
            match (entry.check)(round) {
                Ok(true) => checked += 1,
                Ok(false) => skipped += 1,
                Err(wrong) => {
                    failures.push(format!("{}\n{wrong}", entry.text));
                    break;
                }
            }
        }
    }
    println!("{} kernels: {checked} calls; {skipped} too large", TABLE.len());
    assert!(
        failures.is_empty(),
        "{} kernels of {} fail\n\n{}",
        failures.len(),
        TABLE.len(),
        failures.join("\n\n")
    );
}
