//! Plans: those of the paper and a few more as snapshots, and every pair of stock formats run on coordinates.

mod common;

use std::cell::RefCell;
use std::fs;
use std::path::PathBuf;
use std::rc::Rc;

use unisparse::__private::{Atom, Form, Kind, Storage};
use unisparse::plan::{Execution, Fate, Method, Operator, Step};
use unisparse::prelude::*;
use unisparse::{Encoded, Encoding, Plan, Progress, observe, plan};

/// The operators of a plan, as the paper prints them.
fn operators(plan: &Plan) -> String {
    let operators: Vec<String> = plan.steps().iter().map(|step| step.operator().to_string()).collect();
    operators.join(" ")
}

#[test]
fn the_papers_examples_have_the_papers_steps() {
    // The paper leaves out that the lanes of BDIA become a vector (its rule 9).
    assert_eq!(
        operators(&plan::<Coo<f64>, Bdia<f64, 3>>()),
        "Skew(0, 1, -1) TileSplit(0, 3) Sort Fill(0) Fill(2) Vectorize(2) Merge(0)"
    );
    assert_eq!(operators(&plan::<Coo<f64>, Csr<f64>>()), "Fill(0) Merge(0)");
    let rules: Vec<_> = plan::<Coo<f64>, Bdia<f64, 3>>()
        .steps()
        .iter()
        .map(Step::rule)
        .collect();
    assert_eq!(rules, [Some(3), Some(5), None, Some(7), Some(9), Some(9), Some(10)]);
}

#[test]
fn steps_are_those_of_the_rules() {
    let cases: [(Plan, &str); 10] = [
        (plan::<Csr<f64>, Csr<f64>>(), ""),
        (plan::<Csr<f64>, Dcsr<f64>>(), "Trim(0)"),
        (
            plan::<Csr<f64>, Csc<f64>>(),
            "Trim(0) Split(0) Swap(0, 1) Sort Fill(0) Merge(0)",
        ),
        (plan::<Coo<f64>, Dok<f64>>(), "Pack(0, 1)"),
        (plan::<Lil<f64>, Csr<f64>>(), "Unpack(0, 1)"),
        (plan::<Triplets<f64, 2>, Coo<f64>>(), "Sort"),
        (
            plan::<Dia<f64>, DiaVariant<f64>>(),
            "Devectorize(1) Trim(1) Split(0) Skew(0, 1, 1) Sort Fill(1) Vectorize(1) Merge(0)",
        ),
        (
            plan::<Bcsr<f64, 2, 2>, Bcsr<f64, 2, 3>>(),
            "Devectorize(2) Trim(2) Trim(3) Trim(0) Split(1) Split(0) TileUnion(0, 2) TileUnion(1, 2) \
             TileSplit(1, 3) TileSplit(0, 2) Sort Fill(0) Fill(3) Fill(2) Vectorize(2) Merge(0) Merge(1)",
        ),
        (
            plan::<Coo<f64>, Ell<f64>>(),
            "Sum(len) Enumerate(slot) Sort Fill(2) Fill(1) Vectorize(1) Merge(0)",
        ),
        (
            plan::<Coo<f64>, Cisr<f64, 4>>(),
            "Sum(len) Schedule(bank) Sort Fill(0) Merge(0) Merge(1) Partition(0)",
        ),
    ];
    for (plan, expected) in cases {
        assert_eq!(operators(&plan), expected, "{plan}");
    }
}

#[test]
fn a_plan_sorts_only_where_the_orders_differ() {
    let sort = |plan: &Plan| {
        let step = plan
            .steps()
            .iter()
            .find(|step| matches!(step.operator(), Operator::Sort(_)));
        step.map(Step::fate)
    };
    let transposed = plan::<Csr<f64>, Csc<f64>>();
    assert_eq!(
        (sort(&transposed), transposed.execution().map(Execution::method)),
        (Some(Fate::Runs), Some(Method::Scatter))
    );
    let same = plan::<Csr<f64>, Dcsr<f64>>();
    assert_eq!(
        (sort(&same), same.execution().map(Execution::method)),
        (None, Some(Method::Mutation))
    );
    let unordered = plan::<Triplets<f64, 2>, Csr<f64>>();
    assert_eq!(unordered.execution().map(Execution::method), Some(Method::Sort));
}

/// A part of the paper's plans, and of some that it has no rule for, as files; `BLESS=1` writes them.
macro_rules! snapshots {
    ($($file:literal: $source:ty => $target:ty;)*) => {
        #[test]
        fn plans_are_as_reviewed() {
            let mut differing = Vec::new();
            $(
                let text = plan::<$source, $target>().to_string();
                let file = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/plans").join(concat!($file, ".txt"));
                if std::env::var_os("BLESS").is_some() {
                    fs::write(&file, &text).unwrap();
                } else if fs::read_to_string(&file).unwrap_or_default() != text {
                    differing.push(format!("{}:\n{text}", $file));
                }
            )*
            assert!(differing.is_empty(), "BLESS=1 rewrites them\n{}", differing.join("\n"));
        }
    };
}

snapshots! {
    "coo_bdia": Coo<f64> => Bdia<f64, 3>;
    "coo_csr": Coo<f64> => Csr<f64>;
    "csr_csc": Csr<f64> => Csc<f64>;
    "dcsc_bcsr": Dcsc<f64> => Bcsr<f64, 4, 4>;
    "csb_dia_variant": Csb<f64, 64> => DiaVariant<f64>;
    "coo_ell": Coo<f64> => Ell<f64>;
    "coo_dia": Coo<f64> => Dia<f64>;
    "coo_c2sr": Coo<f64> => C2sr<f64, 1024>;
    "coo_cisr": Coo<f64> => Cisr<f64, 1024>;
    "coo_cisr_plus": Coo<f64> => CisrPlus<f64, 1024>;
    "coo_serpens": Coo<f64> => Serpens<f64>;
    "coo_sell": Coo<f64> => Sell<f64>;
    "sell_bell": Sell<f64> => Bell<f64, 16>;
    "triplets_csf": Triplets<f64, 3> => Csf<f64>;
    "csr_bdia_csr": Csr<f64> => BdiaCsr<f64>;
    "bell_coo_csr": BellCoo<f64> => Csr<f64>;
}

fn number(form: &Form, coordinate: &[i64], queries: &[i64]) -> i64 {
    let atom = |atom: &Atom| match atom {
        Atom::Dim(dim) => coordinate[*dim],
        Atom::Query(query) => queries[*query],
        Atom::Quotient(form, divisor) => number(form, coordinate, queries).div_euclid(*divisor),
    };
    form.constant + form.terms.iter().map(|(term, factor)| factor * atom(term)).sum::<i64>()
}

/// What the operators make of an element's coordinates and of the primitives of a format, by their description alone.
#[derive(Debug, PartialEq)]
struct Interpreter {
    coordinates: Vec<Vec<i64>>,
    trimmed: Vec<bool>,
    padded: Vec<bool>,
    merged: Vec<bool>,
    dense: Option<usize>,
    packs: Vec<(usize, usize)>,
    partition: Option<usize>,
}

/// Elements, and results of queries for each: any numbers, as plans do not depend on them.
fn elements(dims: usize) -> Vec<(Vec<i64>, Vec<i64>)> {
    let mut random = 7u64;
    let mut next = |below: i64| {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (random >> 33) as i64 % below
    };
    let mut element = || {
        (
            (0..dims).map(|_| next(40_000)).collect(),
            (0..8).map(|_| next(1000)).collect(),
        )
    };
    (0..40).map(|_| element()).collect()
}

impl Interpreter {
    /// The levels of an encoding; those of its queries hold `source_queries`.
    fn new<F: Encoded>(source_queries: i64) -> Self {
        Self::of(&F::ENCODINGS[0], &F::STORAGE[0], source_queries)
    }

    fn of(encoding: &Encoding, storage: &Storage, source_queries: i64) -> Self {
        let elements = elements(encoding.dims.len());
        let all = |coordinate: &[i64], queries: &[i64]| -> Vec<i64> {
            let queries: Vec<i64> = queries.iter().map(|query| query + source_queries).collect();
            encoding
                .levels
                .iter()
                .map(|level| number(&level.form, coordinate, &queries))
                .collect()
        };
        let trimmed: Vec<bool> = encoding.levels.iter().map(|level| level.trimmed).collect();
        let counted = storage
            .levels
            .iter()
            .map(|level| matches!(level.kind, Kind::Counted { .. }));
        let padded: Vec<bool> = counted
            .zip(&trimmed)
            .map(|(counted, trimmed)| counted && !trimmed)
            .collect();
        Interpreter {
            coordinates: elements
                .iter()
                .map(|(coordinate, queries)| all(coordinate, queries))
                .collect(),
            merged: encoding.levels.iter().map(|level| level.merged).collect(),
            dense: Self::tail(&trimmed, &padded),
            trimmed,
            padded,
            packs: encoding.packs.to_vec(),
            partition: encoding.partition,
        }
    }

    /// The first level below the last trimmed or padded one.
    fn tail(trimmed: &[bool], padded: &[bool]) -> Option<usize> {
        let first = (0..trimmed.len())
            .rfind(|&level| trimmed[level] || padded[level])
            .map_or(0, |last| last + 1);
        (first < trimmed.len()).then_some(first)
    }

    fn insert(&mut self, level: usize, values: impl Iterator<Item = i64>) {
        self.coordinates
            .iter_mut()
            .zip(values)
            .for_each(|(element, value)| element.insert(level, value));
        self.trimmed.insert(level, true);
        self.padded.insert(level, false);
        self.merged.insert(level, false);
    }

    fn remove(&mut self, level: usize) {
        self.coordinates.iter_mut().for_each(|element| {
            element.remove(level);
        });
        assert!(self.trimmed.remove(level) && !self.padded.remove(level) && !self.merged.remove(level));
    }

    fn run(&mut self, operator: &Operator, dims: usize) {
        let elements = elements(dims);
        match operator {
            Operator::TileUnion {
                level,
                remainder,
                factor,
            } => {
                for element in &mut self.coordinates {
                    let (quotient, rest, factor) = (element[*level], element[*remainder], *factor as i64);
                    assert!((0..factor).contains(&rest), "no tile");
                    element[*level] = quotient * factor + rest;
                }
                self.remove(*remainder);
            }
            Operator::Swap(i, j) => self.coordinates.iter_mut().for_each(|element| element.swap(*i, *j)),
            Operator::Scale(i, factor) => {
                for element in &mut self.coordinates {
                    let scaled = i128::from(element[*i]) * factor.numerator();
                    assert_eq!(scaled % factor.denominator(), 0);
                    element[*i] = (scaled / factor.denominator()) as i64;
                }
            }
            Operator::Skew(i, j, factor) => {
                for element in &mut self.coordinates {
                    let added = i128::from(element[*i]) * factor.numerator();
                    assert_eq!(added % factor.denominator(), 0);
                    element[*j] += (added / factor.denominator()) as i64;
                }
            }
            Operator::Shift(i, by) => self
                .coordinates
                .iter_mut()
                .for_each(|element| element[*i] += *by as i64),
            Operator::TileSplit(i, factor) => {
                let factor = *factor as i64;
                let rest: Vec<i64> = self
                    .coordinates
                    .iter()
                    .map(|element| element[*i].rem_euclid(factor))
                    .collect();
                self.coordinates
                    .iter_mut()
                    .for_each(|element| element[*i] = element[*i].div_euclid(factor));
                self.insert(i + 1, rest.into_iter());
            }
            Operator::Compute { level, expression, .. } => {
                let value = |(coordinate, queries): &(Vec<i64>, Vec<i64>)| {
                    expression.evaluate(coordinate, queries).unwrap() as i64
                };
                self.insert(*level, elements.iter().map(value));
            }
            Operator::Drop(i) => self.remove(*i),
            Operator::Query { number, inserted, .. } => {
                if *inserted {
                    self.insert(0, elements.iter().map(|(_, queries)| queries[*number]));
                }
            }
            Operator::Sort(from) => {
                for element in &mut self.coordinates {
                    *element = from.iter().map(|&from| element[from]).collect();
                }
                assert!(self.trimmed.iter().all(|&trimmed| trimmed) && self.merged.iter().all(|&merged| !merged));
            }
            Operator::Trim(i) => {
                assert!(!self.trimmed[*i] && self.dense.is_none_or(|dense| dense > *i));
                (self.trimmed[*i], self.padded[*i]) = (true, false);
            }
            Operator::Fill(i) => {
                assert!(self.trimmed[*i] && self.dense.is_none_or(|dense| dense > *i));
                self.trimmed[*i] = false;
            }
            Operator::Pad(i) => (self.trimmed[*i], self.padded[*i]) = (false, true),
            Operator::Vectorize(i) => {
                let depends = (*i..self.trimmed.len()).any(|level| self.trimmed[level] || self.padded[level]);
                assert!(self.dense.is_none() && !depends);
                self.dense = Some(*i);
            }
            Operator::Devectorize(i) => assert_eq!(self.dense.take(), Some(*i)),
            Operator::Merge(i) => assert!(!std::mem::replace(&mut self.merged[*i], true)),
            Operator::Split(i) => assert!(std::mem::replace(&mut self.merged[*i], false)),
            Operator::Pack(first, last) => self.packs.push((*first, *last)),
            Operator::Unpack(first, last) => self.packs.retain(|pack| pack != &(*first, *last)),
            Operator::Partition(i) => self.partition = Some(*i),
            Operator::Unpartition(i) => assert_eq!(self.partition.take(), Some(*i)),
            other => panic!("{other}"),
        }
    }
}

/// Runs a plan from the levels of the source; queries of the source are others than those of the target.
fn judge(plan: &Plan, dims: usize, mut found: Interpreter, expected: &Interpreter) {
    for step in plan.steps() {
        found.run(step.operator(), dims);
    }
    assert_eq!(&found, expected, "{plan}");
}

fn runs<A: Encoded, B: Encoded>() {
    let dims = B::ENCODINGS[0].dims.len();
    judge(
        &plan::<A, B>(),
        dims,
        Interpreter::new::<A>(500),
        &Interpreter::new::<B>(0),
    );
}

/// Calls a function for all ordered pairs of formats.
macro_rules! pairs {
    ($call:ident: $($format:ty),*) => { pairs!(@each $call [$($format),*] [$($format),*]); };
    ($call:ident: $($format:ty),* => $($target:ty),*) => { pairs!(@each $call [$($format),*] [$($target),*]); };
    (@each $call:ident [$($source:ty),*] $targets:tt) => { $(pairs!(@from $call $source; $targets);)* };
    (@from $call:ident $source:ty; [$($target:ty),*]) => { $($call::<$source, $target>();)* };
}

#[test]
fn every_pair_of_stock_formats_becomes_the_target() {
    pairs!(
        runs: Triplets<f64, 2>, Coo<f64>, Csr<f64>, Csc<f64>, Dcsr<f64>, Dcsc<f64>, Dia<f64>, DiaVariant<f64>, Bcsr<f64, 2, 3>,
        Bcsr<f64, 1, 8>, Bcsc<f64, 4, 2>, Csb<f64, 64>, Bdia<f64, 3>, HiCoo<f64>, Ell<f64>, Sell<f64>, Jds<f64>, Bell<f64>,
        C2sr<f64, 4>, Cisr<f64>, CisrPlus<f64>, Serpens<f64>, Dok<f64>, Lil<f64>
    );
    pairs!(runs: Triplets<f64, 3>, Csf<f64>);
}

/// A small matrix in no lexicographic order, no coordinate twice.
fn matrix() -> Triplets<f64, 2> {
    let elements = (0..60).map(|at: usize| ([at * 7 % 20, (at * 11 + at / 20) % 15], 1.0 + at as f64));
    Triplets::try_from_triplets([20, 15], elements).unwrap()
}

/// A source of these elements.
trait Made: Source<2, Scalar = f64> + Encoded {
    fn made() -> Self;
}

impl Made for Triplets<f64, 2> {
    fn made() -> Self {
        matrix()
    }
}

macro_rules! made {
    ($($format:ty),*) => { $(impl Made for $format {
        fn made() -> Self {
            matrix().convert_within(Limit::none()).unwrap()
        }
    })* };
}

made!(
    Coo<f64>, Csr<f64>, Csc<f64>, Dcsr<f64>, Dcsc<f64>, Dia<f64>, DiaVariant<f64>, Bcsr<f64, 2, 3>, Bcsr<f64, 1, 8>,
    Bcsc<f64, 4, 2>, Csb<f64, 64>, Bdia<f64, 3>, HiCoo<f64>, Ell<f64>, Sell<f64>, Jds<f64>, Bell<f64>, C2sr<f64, 4>,
    Cisr<f64>, CisrPlus<f64>, Serpens<f64>, Dok<f64>, Lil<f64>, BdiaCsr<f64>, BellCoo<f64>,
    SignedRows<f64>
);

sparse_format! {
    /// Rows like `Csr`, with coordinates of a type that is as wide as that of `Csr`, and another one.
    pub format SignedRows = |i, j| (row: i, col: j) { merge(row); trim(col); index(col: i32); }
}

/// The steps that a conversion runs, the conversions themselves left out: those have the names of formats.
fn observed<R>(work: impl FnOnce() -> R) -> Vec<&'static str> {
    let steps = Rc::new(RefCell::new(Vec::new()));
    let heard = Rc::clone(&steps);
    let hear = move |progress: Progress| {
        if progress.done == 0 && progress.step.starts_with(|first: char| first.is_lowercase()) {
            heard.borrow_mut().push(progress.step);
        }
    };
    observe(hear, work);
    steps.take()
}

fn runs_as_planned<A: Made, B: SparseTensor<2, Scalar = f64>>() {
    let (source, plan) = (A::made(), plan::<A, B>());
    let planned = plan.execution().expect("a target that is not in parts").steps();
    let found = observed(|| B::assemble(&source, Limit::none()).unwrap());
    assert_eq!(found, planned, "{plan}");
}

/// Formats by how they are converted.
const KINDS: &[&[&str]] = &[
    &["Triplets"],
    &["Coo", "Dok"],
    &["Csr", "Dcsr", "Lil"],
    &["Csc", "Dcsc"],
    &["Dia", "DiaVariant", "Bdia"],
    &["Bcsr", "Bcsc"],
    &["Csb", "HiCoo"],
    &["Ell", "Jds", "Sell", "Bell"],
    &["C2sr", "Cisr", "CisrPlus", "Serpens"],
    &["BdiaCsr", "BellCoo"],
];

/// A test of the conversions of each source to some targets: triplets to all, and every kind to every other. With
/// `RUSTFLAGS="--cfg every_product"` all sources are converted to all targets.
macro_rules! planned {
    ($first:ty => $($every:ty),+; $($source:ty => $($target:ty),+;)+) => {
        #[test]
        fn the_plan_that_runs_is_the_plan_that_is_printed() {
            let targets = [$(stringify!($every)),+];
            common::cover::covered_by_kinds(
                "conversions",
                KINDS,
                &[&[stringify!($first), $(stringify!($source)),+], &targets],
                &[&[&[stringify!($first)], &targets], $(&[&[stringify!($source)], &[$(stringify!($target)),+]]),+],
            );
            #[cfg(every_product)]
            pairs!(runs_as_planned: $first, $($source),+ => $($every),+);
            #[cfg(not(every_product))]
            {
                pairs!(runs_as_planned: $first => $($every),+);
                $(pairs!(runs_as_planned: $source => $($target),+);)+
            }
        }
    };
}

planned! {
    Triplets<f64, 2> => Coo<f64>, Csr<f64>, Csc<f64>, Dcsr<f64>, Dcsc<f64>, Dia<f64>, DiaVariant<f64>, Bcsr<f64, 2, 3>, Bcsr<f64, 1, 8>,
        Bcsc<f64, 4, 2>, Csb<f64, 64>, Bdia<f64, 3>, HiCoo<f64>, Ell<f64>, Sell<f64>, Jds<f64>, Bell<f64>, C2sr<f64, 4>,
        Cisr<f64>, CisrPlus<f64>, Serpens<f64>, Dok<f64>, Lil<f64>;
    Coo<f64> => Dok<f64>, Dcsc<f64>, Bcsr<f64, 1, 8>, Jds<f64>;
    Dok<f64> => Dcsr<f64>, DiaVariant<f64>, HiCoo<f64>, Cisr<f64>;
    Csr<f64> => Csr<f64>, Dcsr<f64>, Csc<f64>, Coo<f64>, Bdia<f64, 3>, Sell<f64>;
    Dcsr<f64> => Lil<f64>, Bcsc<f64, 4, 2>, CisrPlus<f64>;
    Lil<f64> => Csc<f64>, Csb<f64, 64>;
    Csc<f64> => Dok<f64>, Dcsc<f64>, Bcsr<f64, 2, 3>, Bell<f64>;
    Dcsc<f64> => Csr<f64>, Dia<f64>, HiCoo<f64>, Serpens<f64>;
    Dia<f64> => Coo<f64>, DiaVariant<f64>, Ell<f64>;
    DiaVariant<f64> => Dcsr<f64>, Bcsr<f64, 1, 8>, C2sr<f64, 4>;
    Bdia<f64, 3> => Csc<f64>, Csb<f64, 64>;
    Bcsr<f64, 2, 3> => Dok<f64>, Bdia<f64, 3>, Jds<f64>;
    Bcsr<f64, 1, 8> => Lil<f64>, Bcsc<f64, 4, 2>, Cisr<f64>;
    Bcsc<f64, 4, 2> => Dcsc<f64>, HiCoo<f64>;
    Csb<f64, 64> => Coo<f64>, Csc<f64>, Bcsr<f64, 2, 3>, Sell<f64>;
    HiCoo<f64> => Csr<f64>, Dia<f64>, Csb<f64, 64>, CisrPlus<f64>;
    Ell<f64> => Dok<f64>, Bcsr<f64, 1, 8>;
    Jds<f64> => Dcsr<f64>, HiCoo<f64>;
    Sell<f64> => Dcsc<f64>, Bell<f64>;
    Bell<f64> => DiaVariant<f64>, Serpens<f64>;
    C2sr<f64, 4> => Coo<f64>, Bcsc<f64, 4, 2>;
    Cisr<f64> => Lil<f64>, Csb<f64, 64>;
    CisrPlus<f64> => Csc<f64>, Ell<f64>;
    Serpens<f64> => Bdia<f64, 3>, C2sr<f64, 4>;
    BdiaCsr<f64> => Dok<f64>, Dcsc<f64>, Bcsr<f64, 2, 3>, Jds<f64>;
    BellCoo<f64> => Csr<f64>, Dia<f64>, HiCoo<f64>, Cisr<f64>;
}

#[test]
#[cfg_attr(debug_assertions, ignore = "2^20 elements: `.ci/nightly` runs it optimised")]
fn many_elements_in_no_order_that_suits_are_gathered_first() {
    // 64 elements in each column, in rows far from one another.
    let (columns, apart) = (1 << 14, 1 << 12);
    let mut triplets = Triplets::new([64 * apart, columns]);
    for at in 0..64 * columns {
        let (column, row) = (at / 64, at % 64);
        triplets
            .push([row * apart + column * 7919 % apart, column], 1.0 + at as f64)
            .unwrap();
    }
    let (by_rows, by_columns) = (
        triplets.convert::<Csr<f64>>().unwrap(),
        triplets.convert::<Csc<f64>>().unwrap(),
    );
    fn check<F: SparseTensor<2, Scalar = f64> + PartialEq>(by_rows: &Csr<f64>, by_columns: &Csc<f64>) {
        let mut found = None;
        let steps = observed(|| found = F::assemble(by_columns, Limit::none()).ok());
        assert!(steps.contains(&"sort the elements by dims"), "{}: {steps:?}", F::NAME);
        let plan = plan::<Csc<f64>, F>();
        assert!(plan.to_string().contains("which are gathered first"), "{plan}");
        let mut expected = None;
        let steps = observed(|| expected = F::assemble(by_rows, Limit::none()).ok());
        assert!(!steps.contains(&"sort the elements by dims"), "{}: {steps:?}", F::NAME);
        assert!(found.is_some() && found == expected, "{}", F::NAME);
    }
    check::<Sell<f64, 8, 4096>>(&by_rows, &by_columns);
    check::<Jds<f64>>(&by_rows, &by_columns);
    check::<CisrPlus<f64, 4>>(&by_rows, &by_columns);
}

/// Consumes a tensor, and compares where the arrays that both formats have are in memory with what the plan keeps.
macro_rules! keeps {
    ($source:ty => $target:ty: $($array:ident),*) => {{
        let source = <$source>::made();
        let before = [$((stringify!($array), source.$array().as_ptr().addr())),*];
        let target: $target = source.convert_into().unwrap();
        let after = [$(target.$array().as_ptr().addr()),*];
        let kept = before.into_iter().zip(after).filter(|((_, before), after)| before == after);
        let kept: Vec<&str> = kept.map(|((name, _), _)| name).collect();
        let plan = plan::<$source, $target>();
        assert_eq!(plan.execution().unwrap().kept(), kept, "{plan}");
    }};
}

#[test]
fn arrays_that_are_kept_are_moved() {
    keeps!(Csr<f64> => Csr<f64>: row_ptr, col_idx, values);
    keeps!(Csr<f64> => Dcsr<f64>: row_ptr, col_idx, values);
    keeps!(Csr<f64> => SignedRows<f64>: row_ptr, col_idx, values);
    keeps!(Csr<f64> => Coo<f64>: col_idx, values);
    keeps!(Dcsr<f64> => Csr<f64>: row_ptr, col_idx, values);
    keeps!(Dcsr<f64> => Coo<f64>: row_idx, col_idx, values);
    keeps!(Coo<f64> => Dcsr<f64>: row_idx, col_idx, values);
    keeps!(Dcsc<f64> => Csc<f64>: col_ptr, row_idx, values);
    assert_eq!(plan::<Coo<f64>, Dok<f64>>().execution().unwrap().kept(), ["values"]);
    assert!(plan::<Csr<f64>, Csc<f64>>().execution().unwrap().kept().is_empty());
}
