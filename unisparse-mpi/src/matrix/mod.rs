//! Sparse matrices whose rows are divided among the ranks.

mod balance;
mod build;
mod file;
mod halo;
mod kernels;
mod transfer;
mod write;

use std::fmt;

use unisparse::{Limit, Source, SparseTensor, Stored, Triplets, ValueOf};

pub(crate) use balance::balanced_here;
pub use build::Setup;
pub(crate) use halo::Halo;

use crate::dense::DistributedVec;
use crate::element::{Element, of_words, to_words};
use crate::error::{Error, ErrorKind};
use crate::message::{all_to_all, counts};
use crate::partition::Partition;
use crate::world::World;

/// A sparse matrix whose rows are divided among the ranks, each in the format `F`.
///
/// Each rank owns a contiguous block of rows, and a contiguous block of columns: those of the elements of `x` that it owns in a
/// product `y = A x`. Its elements are in two parts. The *own* part, in the format `F`, has the elements in its own columns, and
/// counts rows and columns from its first ones. The *halo* part, in the format `H`, has the elements in the columns of other
/// ranks; only rows and columns with such an element are numbered, in ascending order. Before a product, each rank receives
/// the elements of `x` that belong to its halo columns.
///
/// ```no_run
/// use unisparse_mpi::prelude::*;
///
/// let world = unisparse_mpi::initialize()?;
/// let a: Distributed<Bdia<f64>> = Distributed::read_matrix_market(&world, "a.mtx")?; // each rank reads its part
/// let x = DistributedVec::from_fn(&world, a.columns(), |i| i as f64);
/// let mut y = DistributedVec::zeros(&world, a.rows());
/// spmv(&mut y, &a, &x)?;
/// # Ok::<(), unisparse_mpi::Error>(())
/// ```
#[derive(Clone)]
pub struct Distributed<F, H = F> {
    world: World,
    shape: [usize; 2],
    rows: Partition,
    columns: Partition,
    nnz: usize,
    own: F,
    halo: H,
    /// The rows of this rank with elements in the halo, counted from its first one.
    halo_rows: Vec<usize>,
    columns_of_others: Halo,
}

impl<F, H> Distributed<F, H>
where
    F: SparseTensor<2, Scalar: Element>,
    H: SparseTensor<2, Scalar = F::Scalar>,
{
    /// Distributes the elements that each rank passes to the owners of their rows. Any rank may have any elements; repeated
    /// coordinates are resolved by the policy of the sources, in the order of the ranks. [`Setup`] has options.
    ///
    /// Takes the memory of the rank's elements twice, that of 2^18 elements for each rank, and, unless a partition is given, eight bytes for
    /// each row of its share.
    ///
    /// # Errors
    /// [`ErrorKind::Partition`] if shapes or policies differ among the ranks, otherwise as a conversion on one machine.
    pub fn new<S: Source<2, Scalar = F::Scalar>>(world: &World, source: &S) -> Result<Self, Error> {
        Setup::new(world).build(source)
    }

    /// Distributes the elements of one rank; the others pass `None`.
    ///
    /// # Errors
    /// As [`new`](Self::new), and [`ErrorKind::Partition`] unless the rank `root`, and no other, passes a source.
    pub fn scatter<S: Source<2, Scalar = F::Scalar>>(
        world: &World,
        root: usize,
        source: Option<&S>,
    ) -> Result<Self, Error> {
        Setup::new(world).scatter(root, source)
    }

    /// Returns the ranks. Not collective.
    #[must_use]
    pub fn world(&self) -> &World {
        &self.world
    }

    /// Returns the numbers of rows and columns of the whole matrix. Not collective.
    #[must_use]
    pub fn shape(&self) -> [usize; 2] {
        self.shape
    }

    /// Returns which rank owns which rows, and elements of `y` in `y = A x`. Not collective.
    #[must_use]
    pub fn rows(&self) -> &Partition {
        &self.rows
    }

    /// Returns which rank owns which columns, and elements of `x` in `y = A x`. Not collective.
    #[must_use]
    pub fn columns(&self) -> &Partition {
        &self.columns
    }

    /// Returns the number of elements on all ranks, without holes. Not collective.
    #[must_use]
    pub fn nnz(&self) -> usize {
        self.nnz
    }

    /// Returns the part in this rank's own columns: row 0 and column 0 are its first ones. Not collective.
    #[must_use]
    pub fn own(&self) -> &F {
        &self.own
    }

    /// Returns the part in the columns of other ranks. Row `k` is row [`halo_rows`](Self::halo_rows)`[k]` of the own part, column
    /// `k` is column [`halo_columns`](Self::halo_columns)`[k]` of the whole matrix. Not collective.
    #[must_use]
    pub fn halo(&self) -> &H {
        &self.halo
    }

    /// Returns the rows with elements in the halo, counted from this rank's first one. Not collective.
    #[must_use]
    pub fn halo_rows(&self) -> &[usize] {
        &self.halo_rows
    }

    /// Returns the columns of other ranks in which this rank has elements. Not collective.
    #[must_use]
    pub fn halo_columns(&self) -> &[usize] {
        &self.columns_of_others.columns
    }

    pub(crate) fn columns_of_others(&self) -> &Halo {
        &self.columns_of_others
    }

    /// Returns the bytes of the arrays of this rank's two parts. Not collective.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.own.bytes() + self.halo.bytes()
    }

    /// Visits the elements of this rank, with their coordinates in the whole matrix: first those of the own part in its storage
    /// order, then those of the halo. Not collective.
    pub fn for_each(&self, mut visit: impl FnMut([usize; 2], F::Scalar)) {
        let rank = self.world.rank();
        let [row, column] = [self.rows.of(rank).start, self.columns.of(rank).start];
        self.own.for_each(|[i, j], value| visit([row + i, column + j], value));
        let columns = self.halo_columns();
        self.halo
            .for_each(|[i, j], value| visit([row + self.halo_rows[i], columns[j]], value));
    }

    /// Returns the elements of this rank, with their coordinates in the whole matrix. Not collective.
    #[must_use]
    pub fn to_triplets(&self) -> Triplets<F::Scalar, 2> {
        let mut triplets = Triplets::with_capacity(self.shape, self.own.nnz() + self.halo.nnz());
        self.for_each(|at, value| {
            // Every element is inside the shape.
            let _ = triplets.push(at, value);
        });
        triplets
    }

    /// Returns all elements on one rank, and `None` on the others; on all, if there is no such rank. The elements of the lowest rank
    /// come first.
    ///
    /// If that rank has no memory for them, its process ends, and the run with it.
    ///
    /// # Errors
    /// None at present.
    pub fn gather(&self, root: usize) -> Result<Option<Triplets<F::Scalar, 2>>, Error> {
        let (world, own) = (&self.world, self.to_triplets());
        let mut to_each = vec![0; world.size()];
        if let Some(count) = to_each.get_mut(root) {
            *count = own.len();
        }
        let from_each = counts(world, &to_each);
        let places: Vec<u64> = own.coordinates().iter().flatten().map(|at| *at as u64).collect();
        let places = all_to_all(world, &places, &to_each, &from_each, 2);
        let values = to_words(own.values().iter().copied());
        let values = all_to_all(world, &values, &to_each, &from_each, <F::Scalar as Element>::WORDS);
        let places = places.chunks_exact(2).map(|at| [at[0] as usize, at[1] as usize]);
        let all = Triplets::try_from_triplets(self.shape, places.zip(of_words(&values)));
        Ok((world.rank() == root).then_some(world.agree(all)?))
    }

    /// Converts both parts to other formats, each rank its own. No element moves to another rank.
    ///
    /// # Errors
    /// As a conversion on one machine.
    pub fn convert<G, K>(&self) -> Result<Distributed<G, K>, Error>
    where
        G: SparseTensor<2, Scalar = F::Scalar>,
        K: SparseTensor<2, Scalar = F::Scalar>,
    {
        self.convert_within(Limit::default())
    }

    /// As [`convert`](Self::convert), under the caller's limit for each part.
    ///
    /// # Errors
    /// As [`convert`](Self::convert).
    pub fn convert_within<G, K>(&self, limit: Limit) -> Result<Distributed<G, K>, Error>
    where
        G: SparseTensor<2, Scalar = F::Scalar>,
        K: SparseTensor<2, Scalar = F::Scalar>,
    {
        let own = self.own.convert_within::<G>(limit);
        let parts = own.and_then(|own| Ok((own, self.halo.convert_within::<K>(limit)?)));
        let (own, halo) = self.world.agree(parts)?;
        Ok(Distributed {
            world: self.world.clone(),
            shape: self.shape,
            rows: self.rows.clone(),
            columns: self.columns.clone(),
            nnz: self.nnz,
            own,
            halo,
            halo_rows: self.halo_rows.clone(),
            columns_of_others: self.columns_of_others.clone(),
        })
    }

    /// Returns the transpose: each element moves to the rank that owns its column.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn transposed<G, K>(&self) -> Result<Distributed<G, K>, Error>
    where
        G: SparseTensor<2, Scalar = F::Scalar>,
        K: SparseTensor<2, Scalar = F::Scalar>,
    {
        let [rows, columns] = self.shape;
        let mut triplets = Triplets::with_capacity([columns, rows], self.own.nnz() + self.halo.nnz());
        self.for_each(|[i, j], value| {
            let _ = triplets.push([j, i], value);
        });
        let setup = Setup::new(&self.world).rows(&self.columns).columns(&self.rows);
        setup.build(&triplets)
    }

    /// Returns the main diagonal of a square matrix, zero where no element is stored. Not collective.
    ///
    /// # Errors
    /// `Shape` if the matrix is not square.
    pub fn diag(&self) -> Result<DistributedVec<ValueOf<F, 2>>, Error>
    where
        ValueOf<F, 2>: Element,
    {
        let [rows, columns] = self.shape;
        if rows != columns {
            let kind = ErrorKind::Tensor(unisparse::ErrorKind::Shape);
            return Err(Error::new(
                kind,
                format!("diag: found {rows} x {columns}, expected a square matrix"),
            ));
        }
        let mut diagonal = DistributedVec::zeros(&self.world, &self.rows);
        let first = self.rows.of(self.world.rank()).start;
        self.for_each(|[i, j], value| {
            if i == j {
                diagonal.own_mut()[i - first] = value.value();
            }
        });
        Ok(diagonal)
    }
}

impl<F, H> fmt::Debug for Distributed<F, H>
where
    F: SparseTensor<2, Scalar: Element>,
    H: SparseTensor<2, Scalar = F::Scalar>,
{
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [rows, columns] = self.shape;
        let rank = self.world.rank();
        write!(
            f,
            "Distributed({rows} x {columns}, rows {:?} on rank {rank}: {} elements in {} and {} in {})",
            self.rows.of(rank),
            self.own.nnz(),
            F::describe().title(),
            self.halo.nnz(),
            H::describe().title(),
        )
    }
}
