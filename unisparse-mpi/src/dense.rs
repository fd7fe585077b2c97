//! Dense vectors and matrices, divided among the ranks by rows.

use std::fmt;

use unisparse::{Magnitude, Scalar};

use crate::element::{Element, of_words, to_words};
use crate::error::{Error, ErrorKind};
use crate::message::{exchange, parts};
use crate::partition::Partition;
use crate::world::World;

/// A dense matrix, row-major, whose rows are divided among the ranks.
#[derive(Clone)]
pub struct DistributedMat<T> {
    world: World,
    rows: Partition,
    columns: usize,
    own: Vec<T>,
}

impl<T: Scalar + Element> DistributedMat<T> {
    /// Returns a matrix of zeros. Not collective.
    ///
    /// # Panics
    /// If the partition is not for as many ranks as there are.
    #[must_use]
    pub fn zeros(world: &World, rows: &Partition, columns: usize) -> Self {
        assert_eq!(
            rows.ranks(),
            world.size(),
            "the partition is for another number of ranks"
        );
        DistributedMat {
            own: vec![T::ZERO; rows.of(world.rank()).len().saturating_mul(columns)],
            world: world.clone(),
            rows: rows.clone(),
            columns,
        }
    }

    /// Returns a matrix with the elements that `element` computes from their row and column. Not collective.
    ///
    /// # Panics
    /// If the partition is not for as many ranks as there are.
    #[must_use]
    pub fn from_fn(world: &World, rows: &Partition, columns: usize, mut element: impl FnMut([usize; 2]) -> T) -> Self {
        let mut this = DistributedMat::zeros(world, rows, columns);
        let first = rows.of(world.rank()).start;
        for (at, value) in this.own.iter_mut().enumerate() {
            *value = element([first + at / columns, at % columns]);
        }
        this
    }

    /// Sends the rows of a matrix that one rank has to their owners; the others pass `None`.
    ///
    /// # Errors
    /// `Length` if the rank `root` does not pass as many elements as rows times columns, [`ErrorKind::Partition`] if another rank passes some,
    /// if the other arguments are not those of rank 0, or if the partition is for another number of ranks.
    pub fn scatter(
        world: &World,
        rows: &Partition,
        columns: usize,
        root: usize,
        elements: Option<&[T]>,
    ) -> Result<Self, Error> {
        world.same([
            ("the rank with the elements", &[root as u64]),
            ("the partition of the rows", &rows.numbers()),
            ("the number of columns", &[columns as u64]),
        ])?;
        if rows.ranks() != world.size() {
            let message = format!(
                "scatter: a partition for {} ranks, expected {}",
                rows.ranks(),
                world.size()
            );
            return Err(Error::new(ErrorKind::Partition, message));
        }
        let (is_root, expected) = (world.rank() == root, rows.extent().saturating_mul(columns));
        let words = world.agree(match elements {
            Some(elements) if is_root && elements.len() == expected => Ok(to_words(elements.iter().copied())),
            None if !is_root && root < world.size() => Ok(Vec::new()),
            Some(elements) if is_root => Err(Error::new(
                ErrorKind::Tensor(unisparse::ErrorKind::Length),
                format!("scatter: found {} elements, expected {expected}", elements.len()),
            )),
            _ => Err(Error::new(
                ErrorKind::Partition,
                format!("scatter: the elements come from rank {root}, and from no other"),
            )),
        })?;
        let mut this = DistributedMat::zeros(world, rows, columns);
        let width = columns * T::WORDS;
        let words_of = |rank: usize| rows.of(rank).start * width..rows.of(rank).end * width;
        let mut own = vec![T::Word::default(); words_of(world.rank()).len()];
        let mut sends = Vec::new();
        let mut receives = Vec::new();
        if is_root {
            own.copy_from_slice(&words[words_of(root)]);
            sends.extend(
                (0..world.size())
                    .filter(|rank| *rank != root)
                    .map(|rank| (rank, words_of(rank))),
            );
        } else {
            receives.push((root, 0..own.len()));
        }
        exchange(world, (&sends, &words), (&receives, &mut own), || ());
        this.own = of_words(&own).collect();
        Ok(this)
    }

    /// Returns the number of rows of all ranks and the number of columns. Not collective.
    #[must_use]
    pub fn shape(&self) -> [usize; 2] {
        [self.rows.extent(), self.columns]
    }

    /// Returns which rank owns which rows. Not collective.
    #[must_use]
    pub fn rows(&self) -> &Partition {
        &self.rows
    }

    /// Returns the ranks. Not collective.
    #[must_use]
    pub fn world(&self) -> &World {
        &self.world
    }

    /// Returns the rows of this rank, row-major. Not collective.
    #[must_use]
    pub fn own(&self) -> &[T] {
        &self.own
    }

    /// Returns the rows of this rank for modification. Not collective.
    pub fn own_mut(&mut self) -> &mut [T] {
        &mut self.own
    }

    /// Returns all elements on every rank for which `wanted` is true, an empty list on the others.
    fn gathered(&self, wanted: impl Fn(usize) -> bool) -> Vec<T> {
        let (world, width) = (&self.world, self.columns * T::WORDS);
        let words = to_words(self.own.iter().copied());
        let others = || (0..world.size()).filter(|rank| *rank != world.rank());
        let sends: Vec<_> = others()
            .filter(|rank| wanted(*rank))
            .map(|rank| (rank, 0..words.len()))
            .collect();
        let mut all = Vec::new();
        let mut receives = Vec::new();
        if wanted(world.rank()) {
            receives = parts((0..world.size()).map(|rank| self.rows.of(rank).len() * width));
            all = vec![T::Word::default(); self.rows.extent() * width];
            if let Some(at) = receives.iter().position(|(rank, _)| *rank == world.rank()) {
                all[receives.remove(at).1].copy_from_slice(&words);
            }
        }
        exchange(world, (&sends, &words), (&receives, &mut all), || ());
        of_words(&all).collect()
    }

    /// Returns all elements, row-major, on one rank, and `None` on the others.
    #[must_use]
    pub fn gather(&self, root: usize) -> Option<Vec<T>> {
        let all = self.gathered(|rank| rank == root);
        (self.world.rank() == root).then_some(all)
    }

    /// Returns all elements, row-major, on every rank.
    #[must_use]
    pub fn gather_to_all(&self) -> Vec<T> {
        self.gathered(|_| true)
    }

    /// Checks that another matrix has the same rows on each rank, and as many columns. All ranks find the same.
    fn like(&self, operation: &str, other: &Self) -> Result<(), Error> {
        divided_as(operation, &other.rows, &self.rows)?;
        if self.columns == other.columns {
            return Ok(());
        }
        Err(Error::new(
            ErrorKind::Tensor(unisparse::ErrorKind::Shape),
            format!(
                "{operation}: found {} columns, expected {}",
                other.columns, self.columns
            ),
        ))
    }

    /// Returns the sum of the products of the elements. Complex elements are not conjugated. Each rank adds its own, then the
    /// sums are added in the order of the ranks.
    ///
    /// # Errors
    /// [`ErrorKind::Partition`] or `Shape` if the other matrix is divided in another way, or has another number of columns.
    pub fn dot(&self, other: &Self) -> Result<T, Error>
    where
        T::Sum: Element,
    {
        self.like("dot", other)?;
        let sum = self.world.sum(products(&self.own, &other.own));
        Ok(T::narrow(sum))
    }

    /// Returns the square root of the sum of the squares of the magnitudes of all elements.
    #[must_use]
    pub fn norm(&self) -> f64
    where
        T: Magnitude,
    {
        let greatest = self.own.iter().map(|value| value.magnitude()).fold(0.0, f64::max);
        let greatest = self.world.greatest(greatest);
        let scale = if greatest == 0.0 || greatest.is_infinite() {
            1.0
        } else {
            greatest
        };
        let squares = self.own.iter().map(|value| (value.magnitude() / scale).powi(2));
        scale * self.world.sum(squares.sum::<f64>()).sqrt()
    }

    /// Adds `alpha` times another matrix to this one. Makes no message.
    ///
    /// # Errors
    /// As [`dot`](Self::dot).
    pub fn axpy(&mut self, alpha: T, other: &Self) -> Result<(), Error> {
        self.like("axpy", other)?;
        for (value, other) in self.own.iter_mut().zip(&other.own) {
            *value = T::narrow(value.wide().plus(alpha.wide().times(other.wide())));
        }
        Ok(())
    }
}

/// Sums products in eight independent sums, so that additions do not wait for each other.
fn products<T: Scalar>(left: &[T], right: &[T]) -> T::Sum {
    const SUMS: usize = 8;
    let (lefts, rights) = (left.chunks_exact(SUMS), right.chunks_exact(SUMS));
    let tail = lefts.remainder().iter().zip(rights.remainder());
    let tail = tail.fold(T::Sum::ZERO, |sum, (left, right)| {
        sum.plus(left.wide().times(right.wide()))
    });
    let mut sums = [T::Sum::ZERO; SUMS];
    for (left, right) in lefts.zip(rights) {
        for (at, sum) in sums.iter_mut().enumerate() {
            *sum = sum.plus(left[at].wide().times(right[at].wide()));
        }
    }
    sums.into_iter().fold(tail, Scalar::plus)
}

/// Checks that two partitions are equal. All ranks find the same, as all have the whole of both.
pub(crate) fn divided_as(operation: &str, found: &Partition, expected: &Partition) -> Result<(), Error> {
    if found == expected {
        return Ok(());
    }
    let (kind, message) = if found.extent() == expected.extent() {
        (
            ErrorKind::Partition,
            "the operands are divided among the ranks in different ways".to_owned(),
        )
    } else {
        (
            ErrorKind::Tensor(unisparse::ErrorKind::Shape),
            format!("found {} elements, expected {}", found.extent(), expected.extent()),
        )
    };
    Err(Error::new(kind, format!("{operation}: {message}")))
}

impl<T: Scalar + Element> fmt::Debug for DistributedMat<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [rows, columns] = self.shape();
        let own = self.rows.of(self.world.rank());
        write!(
            f,
            "DistributedMat({rows} x {columns}, rows {own:?} on rank {})",
            self.world.rank()
        )
    }
}

/// A dense vector whose elements are divided among the ranks.
#[derive(Clone)]
pub struct DistributedVec<T>(DistributedMat<T>);

impl<T: Scalar + Element> DistributedVec<T> {
    /// Returns a vector of zeros. Not collective.
    ///
    /// # Panics
    /// If the partition is not for as many ranks as there are.
    #[must_use]
    pub fn zeros(world: &World, elements: &Partition) -> Self {
        DistributedVec(DistributedMat::zeros(world, elements, 1))
    }

    /// Returns a vector with the elements that `element` computes from their numbers. Not collective.
    ///
    /// # Panics
    /// If the partition is not for as many ranks as there are.
    #[must_use]
    pub fn from_fn(world: &World, elements: &Partition, mut element: impl FnMut(usize) -> T) -> Self {
        DistributedVec(DistributedMat::from_fn(world, elements, 1, |[at, _]| element(at)))
    }

    /// Sends the elements of a vector that one rank has to their owners; the others pass `None`.
    ///
    /// # Errors
    /// As [`DistributedMat::scatter`].
    pub fn scatter(world: &World, elements: &Partition, root: usize, values: Option<&[T]>) -> Result<Self, Error> {
        DistributedMat::scatter(world, elements, 1, root, values).map(DistributedVec)
    }

    /// Returns the number of elements on all ranks. Not collective.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.rows.extent()
    }

    /// Returns whether no rank has an element. Not collective.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns which rank owns which elements. Not collective.
    #[must_use]
    pub fn partition(&self) -> &Partition {
        &self.0.rows
    }

    /// Returns the ranks. Not collective.
    #[must_use]
    pub fn world(&self) -> &World {
        &self.0.world
    }

    /// Returns the elements of this rank. Not collective.
    #[must_use]
    pub fn own(&self) -> &[T] {
        &self.0.own
    }

    /// Returns the elements of this rank for modification. Not collective.
    pub fn own_mut(&mut self) -> &mut [T] {
        &mut self.0.own
    }

    /// Returns all elements on one rank, and `None` on the others.
    #[must_use]
    pub fn gather(&self, root: usize) -> Option<Vec<T>> {
        self.0.gather(root)
    }

    /// Returns all elements on every rank.
    #[must_use]
    pub fn gather_to_all(&self) -> Vec<T> {
        self.0.gather_to_all()
    }

    /// Returns the sum of the products of the elements, see [`DistributedMat::dot`].
    ///
    /// # Errors
    /// [`ErrorKind::Partition`] or `Shape` if the other vector is divided in another way, or has another length.
    pub fn dot(&self, other: &Self) -> Result<T, Error>
    where
        T::Sum: Element,
    {
        self.0.dot(&other.0)
    }

    /// Returns the square root of the sum of the squares of the magnitudes of all elements.
    #[must_use]
    pub fn norm(&self) -> f64
    where
        T: Magnitude,
    {
        self.0.norm()
    }

    /// Adds `alpha` times another vector to this one. Makes no message.
    ///
    /// # Errors
    /// As [`dot`](Self::dot).
    pub fn axpy(&mut self, alpha: T, other: &Self) -> Result<(), Error> {
        self.0.axpy(alpha, &other.0)
    }
}

impl<T: Scalar + Element> fmt::Debug for DistributedVec<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let own = self.partition().of(self.world().rank());
        write!(
            f,
            "DistributedVec({}, {own:?} on rank {})",
            self.len(),
            self.world().rank()
        )
    }
}
