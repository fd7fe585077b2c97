//! The oracle of conversions: a conversion must give the same as the assembly of shuffled triplets.

use core::any::{Any, TypeId};
use std::collections::HashMap;
use std::rc::Rc;

use unisparse::{Error, ErrorKind, Limit, Source, Triplets};

use crate::common::Random;
use crate::formats::{Converted, EachFormat, Stored, each_format, name_of, one_of_each_kind, pairs};

/// Returns the elements of a source by coordinate, with the bits of the values.
pub(crate) type Sorted = Vec<([usize; 2], u32)>;

pub(crate) fn sorted<S: Source<2, Scalar = f32>>(source: &S) -> Sorted {
    let mut elements = Vec::with_capacity(source.count());
    source.for_each(|at, value| elements.push((at, value.to_bits())));
    elements.sort_unstable();
    elements
}

/// Returns the same elements in random order.
pub(crate) fn shuffled(shape: [usize; 2], elements: &Sorted) -> Triplets<f32, 2> {
    let (mut elements, mut random) = (elements.clone(), Random::new(elements.len() as u64 + 1));
    for at in (1..elements.len()).rev() {
        elements.swap(at, random.below(at + 1));
    }
    let elements = elements.into_iter().map(|(at, bits)| (at, f32::from_bits(bits)));
    Triplets::try_from_triplets(shape, elements).unwrap()
}

/// Whether `found` are `given`, possibly without explicit zeros, which formats with holes do not keep.
pub(crate) fn nothing_lost(found: &Sorted, given: &Sorted) -> bool {
    let nonzero = |&&(_, bits): &&([usize; 2], u32)| f32::from_bits(bits) != 0.0;
    let zeros_were_given = || found.iter().all(|element| given.binary_search(element).is_ok());
    found.iter().filter(nonzero).eq(given.iter().filter(nonzero)) && zeros_were_given()
}

/// The expected tensor of a format, with or without explicit zeros.
struct Expected<F> {
    /// `None` if it needs too much memory for the test.
    tensor: Option<F>,
    /// The error under the default limit.
    refusal: Option<Error>,
}

impl<F: Stored> Expected<F> {
    fn is(&self, made: &F) -> bool {
        self.tensor.as_ref().is_some_and(|tensor| made.same_storage(tensor))
    }
}

/// One set of elements, and the expected tensor of each format so far.
struct Elements {
    sorted: Sorted,
    shuffled: Triplets<f32, 2>,
    expected: HashMap<TypeId, Rc<dyn Any>>,
}

impl Elements {
    fn new(shape: [usize; 2], sorted: Sorted) -> Self {
        Elements {
            shuffled: shuffled(shape, &sorted),
            sorted,
            expected: HashMap::new(),
        }
    }

    fn expected<F: Stored>(&mut self, affordable: u128) -> Rc<Expected<F>> {
        let Elements {
            sorted: given,
            shuffled,
            expected,
        } = self;
        let expected = expected.entry(TypeId::of::<F>()).or_insert_with(|| {
            let (tensor, refusal) = match shuffled.convert::<F>() {
                Ok(tensor) => (Some(tensor), None),
                Err(refusal) => {
                    let kinds = [ErrorKind::Limit, ErrorKind::Overflow];
                    assert!(kinds.contains(&refusal.kind()), "{refusal}");
                    (shuffled.convert_within(Limit::bytes(affordable)).ok(), Some(refusal))
                }
            };
            if let Some(tensor) = &tensor {
                assert!(nothing_lost(&sorted(tensor), given), "{}", name_of::<F>());
            }
            Rc::new(Expected { tensor, refusal })
        });
        Rc::clone(expected).downcast().unwrap()
    }
}

/// The numbers of pairs for one matrix, or for several.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Pairs {
    /// Converted under the default limit.
    pub(crate) made: usize,
    /// Refused under the default limit, as from triplets.
    pub(crate) refused: usize,
    /// Those of the refused pairs that were converted without a limit.
    pub(crate) made_without_limit: usize,
    /// Not attempted, because the source needs too much memory for the test.
    pub(crate) skipped: usize,
    /// The formats that were no source for that reason.
    pub(crate) unmade: usize,
}

impl Pairs {
    pub(crate) fn all(&self) -> usize {
        self.made + self.refused + self.skipped
    }
}

/// A matrix, and the expected tensors.
pub(crate) struct Matrix {
    name: String,
    shape: [usize; 2],
    /// The maximum bytes of a tensor that is built although the default limit refuses it.
    affordable: u128,
    /// The first set has all elements; the others lack the zeros that some format dropped.
    elements: Vec<Elements>,
    pairs: Pairs,
    /// The refused targets as text, each with the number of sources.
    refusals: Vec<(String, usize)>,
}

impl Matrix {
    /// Creates the case of these triplets, which have no duplicates.
    pub(crate) fn new(name: String, triplets: &Triplets<f32, 2>, affordable: u128) -> Self {
        let shape = triplets.shape();
        Matrix {
            name,
            shape,
            affordable,
            elements: vec![Elements::new(shape, sorted(triplets))],
            pairs: Pairs::default(),
            refusals: Vec::new(),
        }
    }

    /// Converts from every format to its targets.
    pub(crate) fn every_pair(mut self) -> Pairs {
        each_format(&mut FromEach(&mut self));
        assert_eq!(self.pairs.all(), pairs(), "{}", self.name);
        for (refusal, count) in &self.refusals {
            eprintln!("REFUSED: {}, {count} pairs: {refusal}", self.name);
        }
        self.pairs
    }

    pub(crate) fn pairs(&self) -> Pairs {
        self.pairs
    }

    /// Converts a source of some of the elements to its targets.
    pub(crate) fn convert_to_each<S: Converted>(&mut self, source: &S) {
        let elements = self.elements_of(source);
        S::each_target(&mut ToEach {
            name: name_of::<S>(),
            matrix: self,
            source,
            elements,
        });
    }

    /// Converts a source whose type is not a format to one format of each kind.
    pub(crate) fn convert_to_each_kind<S: Source<2, Scalar = f32>>(&mut self, source: &S) {
        let elements = self.elements_of(source);
        one_of_each_kind(&mut ToEach {
            name: name_of::<S>(),
            matrix: self,
            source,
            elements,
        });
    }

    /// Returns the number of the element set that a source has.
    fn elements_of<S: Source<2, Scalar = f32>>(&mut self, source: &S) -> usize {
        assert_eq!(source.shape(), self.shape);
        let given = sorted(source);
        let known = self.elements.iter().position(|elements| elements.sorted == given);
        known.unwrap_or_else(|| {
            self.elements.push(Elements::new(self.shape, given));
            self.elements.len() - 1
        })
    }

    /// Compares the result of `pair` with the expected one. Returns whether to convert again without a limit.
    fn judge<F: Stored>(&mut self, pair: &str, expected: &Expected<F>, made: Result<F, Error>) -> bool {
        match (made, &expected.refusal) {
            (Ok(made), None) => {
                assert!(expected.is(&made), "{pair}");
                self.pairs.made += 1;
                false
            }
            (Err(error), Some(refusal)) => {
                let words = |error: &Error| (error.kind(), error.subject().to_owned(), error.expected().to_owned());
                assert_eq!(words(&error), words(refusal), "{pair}");
                self.pairs.refused += 1;
                self.refused(refusal);
                expected.tensor.is_some()
            }
            (Ok(_), Some(refusal)) => panic!("{pair}: triplets are refused: {refusal}"),
            (Err(error), None) => panic!("{pair}: {error}"),
        }
    }

    /// Converts the refused pairs again without a limit.
    fn judge_without_limit<F: Stored>(&mut self, pair: &str, expected: &Expected<F>, made: Result<F, Error>) {
        let made = made.unwrap_or_else(|error| panic!("{pair} without a limit: {error}"));
        assert!(expected.is(&made), "{pair} without a limit");
        self.pairs.made_without_limit += 1;
    }

    fn refused(&mut self, refusal: &Error) {
        let refusal = refusal.to_string();
        match self.refusals.iter_mut().find(|(known, _)| *known == refusal) {
            Some((_, count)) => *count += 1,
            None => self.refusals.push((refusal, 1)),
        }
    }
}

struct FromEach<'a>(&'a mut Matrix);

impl EachFormat for FromEach<'_> {
    fn format<S: Converted>(&mut self) {
        let source = self.0.elements[0].expected::<S>(self.0.affordable);
        match &source.tensor {
            Some(source) => self.0.convert_to_each(source),
            None => {
                self.0.pairs.skipped += S::TARGETS;
                self.0.pairs.unmade += 1;
            }
        }
    }
}

struct ToEach<'a, S> {
    name: String,
    matrix: &'a mut Matrix,
    source: &'a S,
    elements: usize,
}

impl<S: Source<2, Scalar = f32>> EachFormat for ToEach<'_, S> {
    fn format<F: Converted>(&mut self) {
        let pair = format!("{} to {} of {}", self.name, name_of::<F>(), self.matrix.name);
        let expected = self.matrix.elements[self.elements].expected::<F>(self.matrix.affordable);
        let made = F::assemble(self.source, Limit::default());
        if self.matrix.judge(&pair, &expected, made) {
            let made = F::assemble(self.source, Limit::none());
            self.matrix.judge_without_limit(&pair, &expected, made);
        }
    }
}
