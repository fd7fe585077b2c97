//! Converts between formats with equal index maps: operators rebuild the levels that differ, everything else is moved.
//!
//! Trees with equal index maps have equal nodes. If both trees have the same dense levels at the end, and the level above
//! these holds only nodes that lead to elements, then the elements have equal positions and the values are unchanged.

mod borrowed;
mod operators;

use crate::array::{Domain, Indices, Pointers};
use crate::element::{Index, Stored};
use crate::error::{Error, ErrorKind};
use crate::format::{Atom, Encoding, Form, Kind, Order, Tree};
use crate::limit::Limit;
use crate::machine::pages;
use crate::report::step;
use crate::source::Source;
use crate::source::lend::Arrays;
use operators::Account;
use std::borrow::Cow;

pub use borrowed::compressed;
pub(crate) use operators::kept;

/// Returns whether tensors of `F` can be made of the arrays of an `S`: the index maps are equal, and operators can bridge the
/// differences between the levels. Formats with queries are assembled, as the result of a query depends on all elements.
#[must_use]
pub const fn reaches<S: Source<N>, F: Source<N>, const N: usize>() -> bool {
    match (S::ORDER, F::ORDER) {
        (Order::By(from), Order::By(to)) => are_reached((from, S::KINDS), (to, F::KINDS)),
        (Order::ByTransposed(from), Order::By(to)) => same_map(from, to, true) && operators::reach(S::KINDS, F::KINDS),
        _ => false,
    }
}

/// As [`reaches`], given the encodings and the kinds of their levels.
pub(crate) const fn are_reached((from, source): (&Encoding, &[Kind]), (to, target): (&Encoding, &[Kind])) -> bool {
    same_map(from, to, false) && operators::reach(source, target)
}

/// Returns whether two index maps have equal levels and no queries, and the source (`left`) is not partitioned. `transposed`: the
/// first dim of one is the second of the other, and vice versa.
const fn same_map(left: &Encoding, right: &Encoding, transposed: bool) -> bool {
    let (from, to) = (left.levels, right.levels);
    let mut level = 0;
    while level < from.len() && level < to.len() {
        if !same_form(&from[level].form, &to[level].form, transposed) {
            return false;
        }
        level += 1;
    }
    let queries = left.queries.len() + right.queries.len();
    queries == 0 && left.partition.is_none() && left.dims.len() == right.dims.len() && from.len() == to.len()
}

const fn same_form(left: &Form, right: &Form, transposed: bool) -> bool {
    let mut term = 0;
    while term < left.terms.len() {
        if !has_term(right, &left.terms[term], transposed) {
            return false;
        }
        term += 1;
    }
    left.terms.len() == right.terms.len() && left.constant == right.constant
}

/// Returns whether a form, which has each atom once, has this atom with this factor.
const fn has_term(form: &Form, (atom, factor): &(Atom, i64), transposed: bool) -> bool {
    let mut term = 0;
    while term < form.terms.len() {
        let (other, other_factor) = &form.terms[term];
        if same_atom(atom, other, transposed) && *factor == *other_factor {
            return true;
        }
        term += 1;
    }
    false
}

const fn same_atom(left: &Atom, right: &Atom, transposed: bool) -> bool {
    match (left, right) {
        (Atom::Dim(left), Atom::Dim(right)) if transposed => *left + *right == 1,
        (Atom::Dim(left), Atom::Dim(right)) => *left == *right,
        (Atom::Quotient(left, divisor), Atom::Quotient(right, other)) => {
            *divisor == *other && same_form(left, right, transposed)
        }
        _ => false,
    }
}

/// Counts the elements among `values`. With `tail`, the last levels hold `tail` positions for each node, of which zeros are
/// holes; without, every value is an element. Returns `None` if a node has no element, as assembly would omit that node.
fn elements<T: Stored>(mut values: impl ExactSizeIterator<Item = T>, tail: Option<usize>) -> Option<usize> {
    let Some(tail) = tail else {
        return Some(values.len());
    };
    let mut elements = 0;
    while values.len() > 0 {
        let below = values.by_ref().take(tail).filter(|value| !value.reads_zero()).count();
        if below == 0 {
            return None;
        }
        elements += below;
    }
    Some(elements)
}

/// A tensor of `F` being made of the arrays of a tensor with the same index map.
///
/// Generated code runs the operators with [`mutate`](Mutation::mutate) and then takes the arrays, level by level, and the
/// values.
pub struct Mutation<'a, F: Tree<N, M>, const N: usize, const M: usize> {
    arrays: Arrays<'a, F::Scalar>,
    from: &'static [Kind],
    shape: [usize; N],
    domains: [Domain; M],
    /// Number of elements, excluding holes.
    elements: usize,
    account: Account<'static>,
}

impl<'a, F, const N: usize, const M: usize> Mutation<'a, F, N, M>
where
    F: Tree<N, M> + Source<N, Scalar = <F as Tree<N, M>>::Scalar>,
{
    /// Starts from the borrowed arrays of `source`; `None` if its elements must be assembled instead.
    pub fn lent<S: Source<N, Scalar = <F as Tree<N, M>>::Scalar>>(source: &'a S) -> Option<Self> {
        let mut arrays = Arrays::new(M);
        source.lend(&mut arrays);
        let (domains, elements) = Self::measured(source.shape(), arrays.values.iter().copied())?;
        Some(Self::new(arrays, source.kinds(), source.shape(), domains, elements))
    }

    /// Starts from the owned arrays of `source`.
    ///
    /// # Errors
    /// The source itself if its elements must be assembled instead.
    pub fn given<S: Source<N, Scalar = <F as Tree<N, M>>::Scalar>>(source: S) -> Result<Self, S> {
        let Some((domains, elements)) = Self::measured(source.shape(), source.lent_values()) else {
            return Err(source);
        };
        let (shape, kinds, mut arrays) = (source.shape(), source.kinds(), Arrays::new(M));
        source.give(&mut arrays);
        Ok(Self::new(arrays, kinds, shape, domains, elements))
    }

    /// Returns the domains and the number of elements. `None` without elements, if a node has no element, or if there are more
    /// positions than the operators can count in `u32`.
    fn measured(
        shape: [usize; N],
        values: impl ExactSizeIterator<Item = <F as Tree<N, M>>::Scalar>,
    ) -> Option<([Domain; M], usize)> {
        let domains = F::domains(shape, &[0; M]).ok()?;
        let fits = |size: usize| u32::try_from(size).is_ok();
        if values.len() == 0 || !fits(values.len()) || !domains.iter().all(|domain| fits(domain.size)) {
            return None;
        }
        let tail = operators::tail(F::KINDS, &domains)?;
        let elements = elements(values, <F as Tree<N, M>>::HOLES.then_some(tail))?;
        Some((domains, elements))
    }

    fn new(
        arrays: Arrays<'a, <F as Tree<N, M>>::Scalar>,
        from: &'static [Kind],
        shape: [usize; N],
        domains: [Domain; M],
        elements: usize,
    ) -> Self {
        let account = Account {
            format: <F as Tree<N, M>>::NAME,
            bytes: 0,
            allowed: 0,
        };
        Mutation {
            arrays,
            from,
            shape,
            domains,
            elements,
            account,
        }
    }

    /// Runs the operators.
    ///
    /// # Errors
    /// `Limit` if a level that becomes dense would exceed the limit.
    pub fn mutate(&mut self, limit: Limit) -> Result<(), Error> {
        let width = size_of::<<F as Tree<N, M>>::Scalar>();
        self.account.allowed = limit.allowed(self.elements, width, &self.shape);
        let (levels, kinds) = (&mut self.arrays.levels, (self.from, F::KINDS));
        let _step = step("make the levels that differ");
        operators::mutate(levels, kinds, &self.domains, &self.account)
    }

    /// Returns the extent of each dim.
    #[must_use]
    pub fn shape(&self) -> [usize; N] {
        self.shape
    }

    /// Takes the `ptr` array of `level`.
    ///
    /// # Errors
    /// `Limit` if it would exceed the limit, `Overflow` if a pointer does not fit `P`.
    pub fn pointers<P: Index>(&mut self, level: usize) -> Result<Pointers<P>, Error> {
        let name = F::LEVELS[level].pointer_name;
        let Some(ptr) = self.arrays.levels[level].ptr.take() else {
            return Err(absent(&format!("{name}_ptr")));
        };
        self.account.reserve(ptr.len() as u128, size_of::<P>())?;
        let mut moved = None::<Pointers<P>>;
        match (ptr.into_array().move_to(&mut moved), moved) {
            (Ok(()), Some(moved)) => Ok(moved),
            (Ok(()), None) => Err(absent(&format!("{name}_ptr"))),
            (Err(other), _) => {
                let mut last = [0];
                other.read(other.len() - 1, &mut last);
                let [total] = last;
                let pointers = other.convert(|_, _| Pointers::<P>::overflow(name, total as u64, "entries"))?;
                Pointers::try_new(name, pointers)
            }
        }
    }

    /// Takes the `idx` array of `level`.
    ///
    /// # Errors
    /// `Limit` if it would exceed the limit, `Overflow` if a coordinate does not fit `I`.
    pub fn indices<I: Index>(&mut self, level: usize) -> Result<Indices<I>, Error> {
        let (name, domain) = (F::LEVELS[level].name, self.domains[level]);
        let Some(idx) = self.arrays.levels[level].idx.take() else {
            return Err(absent(&format!("{name}_idx")));
        };
        self.account.reserve(idx.len() as u128, size_of::<I>())?;
        let mut moved = None::<Indices<I>>;
        match (idx.into_array().move_to(&mut moved), moved) {
            (Ok(()), Some(moved)) if moved.domain() == domain => Ok(moved),
            (Ok(()), moved) => Indices::try_new(name, moved.map_or_else(Vec::new, Indices::into_vec), domain),
            (Err(other), _) => {
                let overflow = |position, coordinate| Indices::<I>::overflow(name, position, coordinate, domain);
                let indices = other.convert(overflow)?;
                Indices::try_new(name, indices, domain)
            }
        }
    }

    /// Counts the `padding` bytes of each of `count` tuples into which arrays are packed.
    ///
    /// # Errors
    /// `Limit` if it would exceed the limit.
    pub fn padding(&mut self, count: usize, padding: usize) -> Result<(), Error> {
        self.account.reserve(count as u128, padding)
    }

    /// Takes the values.
    ///
    /// # Errors
    /// `Limit` if they would exceed the limit.
    pub fn values(mut self) -> Result<Vec<<F as Tree<N, M>>::Scalar>, Error> {
        let width = size_of::<<F as Tree<N, M>>::Scalar>();
        self.account.reserve(self.arrays.values.len() as u128, width)?;
        let mut values = match self.arrays.values {
            Cow::Owned(values) => values,
            Cow::Borrowed(values) => pages::copied(values),
        };
        if <F as Tree<N, M>>::HOLES {
            // A negative zero is also a hole; normalize it, as assembled tensors have only one zero.
            for value in values.iter_mut().filter(|value| value.reads_zero()) {
                *value = Stored::FILL;
            }
        }
        Ok(values)
    }
}

/// The error for an array that the source did not lend. No source in this crate omits one.
fn absent(name: &str) -> Error {
    Error::new(
        ErrorKind::Structure,
        format!("`{name}`"),
        None,
        "no array",
        "that of the tensor that is converted",
    )
}
