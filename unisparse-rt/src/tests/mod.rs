//! Formats with queries, written by hand as generated code would have them, against arrays built from maps.

mod bounded;
mod enumerated;
mod formats;
mod naive;
mod refused;

use std::marker::PhantomData;
use std::ops::Range;

use crate::array::{Domain, IndexArray, Indices, Pointers};
use crate::convert::assemble::{Assembly, Coded};
use crate::convert::query::Queries;
use crate::describe::Describe;
use crate::error::Error;
use crate::format::{
    Atom, Encoded, Encoding, Form, Kind, Level, LevelArrays, LevelForm, LevelStorage, Query, QueryKind, Storage, Tree,
};
use crate::limit::Limit;
use crate::model::Profile;
use crate::model::estimate::{Counting, Tally};
use crate::source::{Elements, Source, Within};
use crate::tensor::SparseTensor;
use crate::triplets::Triplets;

/// How many query results a format has room for.
const QUERIES: usize = 3;

/// Returns the group of an element and its place in the order of the group.
type SlotClauses = fn([i64; 2]) -> ([i64; 1], [i64; 1]);

/// What is special about a format of two dims.
trait Format<const M: usize>: Sized + Sync + 'static {
    const NAME: &'static str;
    const LEVELS: [Level; M];
    const HOLES: bool;
    fn domains(shape: [i64; 2], sizes: &[usize; M]) -> [Domain; M];
    fn evaluate(shape: [i64; 2], queries: &mut Queries<'_, f64, 2, QUERIES>) -> Result<(), Error>;
    /// The levels and queries, as far as orders can say something of them.
    const FORMS: &'static [LevelForm] = UNKNOWN.split_at(M).0;
    const NUMBERS: &'static [Query] = &NUMBERS;
    /// The clauses of `slots`, if no level needs another query.
    const SLOTS: Option<SlotClauses> = None;
    fn encode(coordinate: [i64; 2], queries: &[i64]) -> [i64; M];
    /// Where level coordinates lead, inside the shape or not; `None` if direct levels contradict each other.
    fn decode(levels: &[i64; M]) -> Option<[i64; 2]>;
    /// The results of the queries for each of the coordinates, which are in logical order.
    fn naive(shape: [usize; 2], coordinates: &[[usize; 2]]) -> Vec<Vec<i64>>;
}

pub(crate) const fn level(name: &'static str, pointer_name: &'static str, kind: Kind, measured: bool) -> Level {
    Level {
        name,
        pointer_name,
        expression: "",
        domain: "",
        kind,
        measured,
        invariant: None,
        invariant_over: &[],
        storage: "",
        why: "",
    }
}

/// An aligned level that is invariant over the level `over`, which counts from zero.
const fn invariant(name: &'static str, pointer_name: &'static str, over: &'static [usize; 1]) -> Level {
    Level {
        invariant: Some(over[0]),
        invariant_over: over,
        ..level(name, pointer_name, Kind::Aligned, false)
    }
}

const INDEXED: Kind = Kind::Indexed {
    pointed: false,
    copied: false,
    full: false,
};

/// All coordinates from 0 on.
fn below(end: i64) -> Domain {
    Domain::new("", 0, i128::from(end) - 1).unwrap()
}

#[derive(Clone)]
struct Tensor<S, const M: usize> {
    shape: [usize; 2],
    sizes: [usize; M],
    ptr: [Option<Pointers<u32>>; M],
    idx: [Option<Indices<i32>>; M],
    values: Vec<f64>,
    format: PhantomData<S>,
}

impl<S: Format<M>, const M: usize> Tree<2, M> for Tensor<S, M> {
    type Scalar = f64;
    const LEVELS: [Level; M] = S::LEVELS;
    const NAME: &'static str = S::NAME;
    const HOLES: bool = S::HOLES;
    const QUERIES: usize = QUERIES;

    fn shape(&self) -> [usize; 2] {
        self.shape
    }
    fn sizes(&self) -> [usize; M] {
        self.sizes
    }
    fn domains(shape: [usize; 2], sizes: &[usize; M]) -> Result<[Domain; M], Error> {
        Ok(S::domains(shape.map(|extent| extent as i64), sizes))
    }
    fn encode(coordinate: [usize; 2], queries: &[i64]) -> [i64; M] {
        S::encode(coordinate.map(|at| at as i64), queries)
    }
    fn decode(shape: [usize; 2], levels: &[i64; M]) -> Option<[usize; 2]> {
        let [i, j] = S::decode(levels)?.map(|at| usize::try_from(at).ok());
        Some([i.filter(|&i| i < shape[0])?, j.filter(|&j| j < shape[1])?])
    }
    fn arrays(&self) -> [LevelArrays<'_>; M] {
        std::array::from_fn(|level| LevelArrays {
            ptr: self.ptr[level].as_ref().map(|array| array as &dyn IndexArray),
            idx: self.idx[level].as_ref().map(|array| array as &dyn IndexArray),
        })
    }
    fn stored(&self) -> usize {
        self.values.len()
    }
    fn value(&self, position: usize) -> f64 {
        self.values[position]
    }
}

const fn level_form(terms: &'static [(Atom, i64)]) -> LevelForm {
    LevelForm {
        name: "",
        text: "",
        form: form(terms),
        merged: false,
        trimmed: false,
    }
}

const fn form(terms: &'static [(Atom, i64)]) -> Form {
    Form { terms, constant: 0 }
}

/// An enumeration of groups with these forms, in the order of `traverse`.
const fn enumeration(groups: &'static [Form], traverse: &'static [Form]) -> Query {
    Query {
        name: "",
        text: "",
        kind: QueryKind::Enumerate,
        groups,
        traverse,
        key: &[],
        distance: 0,
        first: Some(form(&[])),
    }
}

/// Levels that hold numbers of elements nothing is known of, so that no order says anything of theirs.
const UNKNOWN: [LevelForm; 6] = {
    [
        level_form(&[(Atom::Quotient(&ALL, 2), 1)]),
        level_form(&[(Atom::Quotient(&ALL, 3), 1)]),
        level_form(&[(Atom::Quotient(&ALL, 4), 1)]),
        level_form(&[(Atom::Quotient(&ALL, 5), 1)]),
        level_form(&[(Atom::Quotient(&ALL, 6), 1)]),
        level_form(&[(Atom::Quotient(&ALL, 7), 1)]),
    ]
};

/// All queries at once.
const ALL: Form = Form {
    terms: &[(Atom::Query(0), 1), (Atom::Query(1), 1), (Atom::Query(2), 1)],
    constant: 0,
};

/// The queries that those are of.
const NUMBERS: [Query; QUERIES] = [Query {
    name: "",
    text: "",
    kind: QueryKind::Enumerate,
    groups: &[],
    traverse: &[],
    key: &[],
    distance: 0,
    first: None,
}; QUERIES];

impl<S: Format<M>, const M: usize> Tensor<S, M> {
    const STORED: [LevelStorage; M] = {
        let none = LevelStorage {
            kind: Kind::Fixed,
            invariant_over: &[],
            ptr: None,
            idx: None,
        };
        let (mut levels, mut level) = ([none; M], 0);
        while level < M {
            levels[level].kind = S::LEVELS[level].kind;
            levels[level].invariant_over = S::LEVELS[level].invariant_over;
            level += 1;
        }
        levels
    };
}

impl<S: Format<M>, const M: usize> Encoded for Tensor<S, M> {
    const ENCODINGS: &'static [Encoding] = &[Encoding {
        name: S::NAME,
        dims: &["i", "j"],
        levels: S::FORMS,
        queries: S::NUMBERS,
        packs: &[],
        partition: None,
    }];
    const STORAGE: &'static [Storage] = &[Storage {
        levels: &Self::STORED,
        value_width: 8,
        holes: S::HOLES,
        sorted: true,
    }];
}

impl<S: Format<M>, const M: usize> Source<2> for Tensor<S, M> {
    type Scalar = f64;
    fn shape(&self) -> [usize; 2] {
        self.shape
    }
    fn count(&self) -> usize {
        self.values.len()
    }
    fn for_each(&self, mut visit: impl FnMut([usize; 2], f64)) {
        Elements::new(self).for_each(|(coordinate, value)| visit(coordinate, value));
    }
}

impl<S: Format<M>, const M: usize> SparseTensor<2> for Tensor<S, M> {
    const NAME: &'static str = S::NAME;
    type Coordinate = u32;
    fn describe() -> Describe {
        Describe::new(S::NAME, "", String::new(), &S::LEVELS)
    }
    fn nnz(&self) -> usize {
        Elements::new(self).count()
    }
    fn stored(&self) -> usize {
        self.values.len()
    }
    fn bytes(&self) -> usize {
        let lengths = |level: usize| {
            self.ptr[level].as_ref().map_or(0, IndexArray::len) + self.idx[level].as_ref().map_or(0, IndexArray::len)
        };
        4 * (0..M).map(lengths).sum::<usize>() + 8 * self.values.len()
    }
    fn values(&self) -> impl ExactSizeIterator<Item = f64> + '_ {
        self.values.iter().copied()
    }
    fn within(&self, ranges: [Range<usize>; 2]) -> impl Iterator<Item = ([usize; 2], f64)> + '_ {
        Within::new(self, ranges, false).elements()
    }
    fn positions(&self, ranges: [Range<usize>; 2], holes: bool) -> impl Iterator<Item = ([usize; 2], usize)> + '_ {
        Within::new(self, ranges, holes)
    }
    fn visit_values(&mut self, visit: impl FnMut(&mut f64)) {
        self.values.iter_mut().for_each(visit);
    }
    fn profiles_of<T: Source<2, Scalar = f64>>(source: &T, counting: &Counting) -> Result<Vec<Profile>, Error> {
        let shape = source.shape();
        let evaluate =
            |queries: &mut Queries<'_, _, 2, QUERIES>| S::evaluate(shape.map(|extent| extent as i64), queries);
        Ok(Tally::<Self, 2, M>::with_queries(source, counting, evaluate)?.profiles())
    }
    fn assemble<T: Source<2, Scalar = f64>>(source: &T, limit: Limit) -> Result<Self, Error> {
        if let Some(slots) = S::SLOTS {
            if let Some(levels) = Assembly::<Self, _, 2, M>::enumerated(source, limit, slots, |slot| [0, 0, slot])? {
                return Self::build(source.shape(), levels);
            }
        }
        Self::assemble_with_queries(source, limit)
    }
}

impl<S: Format<M>, const M: usize> Tensor<S, M> {
    fn assemble_with_queries<T: Source<2, Scalar = f64>>(source: &T, limit: Limit) -> Result<Self, Error> {
        let shape = source.shape();
        let evaluate =
            |queries: &mut Queries<'_, _, 2, QUERIES>| S::evaluate(shape.map(|extent| extent as i64), queries);
        Self::build(shape, Assembly::<Self, _, 2, M>::with_queries(source, limit, evaluate)?)
    }

    fn build<C: Coded<Self, 2, M>>(shape: [usize; 2], mut levels: Assembly<Self, C, 2, M>) -> Result<Self, Error> {
        let mut sizes = [0; M];
        let (mut ptr, mut idx) = ([const { None }; M], [const { None }; M]);
        let mut chained = false;
        for level in 0..M {
            for below in (0..M).filter(|&below| S::LEVELS[below].invariant_from() == Some(level)) {
                idx[below] = Some(levels.invariant(below)?);
            }
            match S::LEVELS[level].kind {
                Kind::Fixed | Kind::Given => {}
                Kind::Aligned if S::LEVELS[level].invariant_from().is_some() => {}
                Kind::Aligned => idx[level] = Some(levels.aligned(level)?),
                Kind::Dense => {
                    levels.dense(level)?;
                    if S::LEVELS[level].measured {
                        sizes[level] = levels.size(level);
                    }
                }
                Kind::Counted { pointed: false } => sizes[level] = levels.counted_root(level)?,
                Kind::Counted { pointed: true } => ptr[level] = Some(levels.counted(level)?),
                Kind::Indexed { pointed, copied, .. } => {
                    if !chained {
                        let last = chain_end(&S::LEVELS, level);
                        if pointed {
                            ptr[level] = Some(levels.entries(level, last)?);
                        } else {
                            levels.root_entries(level, last)?;
                        }
                    }
                    chained = copied;
                    idx[level] = Some(levels.indices(level)?);
                }
            }
        }
        Ok(Tensor {
            shape,
            sizes,
            ptr,
            idx,
            values: levels.values()?,
            format: PhantomData,
        })
    }
}

/// The last level of the chain of entries that starts at `first`.
fn chain_end(levels: &[Level], first: usize) -> usize {
    let ends = |level: &usize| matches!(levels[*level].kind, Kind::Indexed { copied: false, .. });
    (first..levels.len()).find(ends).unwrap()
}

fn assemble<S: Format<M>, const M: usize>(shape: [usize; 2], elements: &[([usize; 2], f64)]) -> Tensor<S, M> {
    let triplets = Triplets::try_from_triplets(shape, elements.iter().copied()).unwrap();
    let tensor: Tensor<S, M> = triplets.convert_within(Limit::none()).unwrap();
    assert_eq!(
        triplets.estimate::<Tensor<S, M>>().unwrap().stored(),
        tensor.values.len() as u128
    );
    tensor
}

/// The arrays of each level: `ptr` and `idx`, empty if there is none.
fn entries<S: Format<M>, const M: usize>(tensor: &Tensor<S, M>) -> Vec<[Vec<i64>; 2]> {
    let all = |array: Option<&dyn IndexArray>| {
        array.map_or(Vec::new(), |array| (0..array.len()).map(|at| array.at(at)).collect())
    };
    let arrays = tensor.arrays();
    arrays.iter().map(|arrays| [all(arrays.ptr), all(arrays.idx)]).collect()
}
