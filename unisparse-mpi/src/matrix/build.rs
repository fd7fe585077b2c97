//! Distributed matrices from the elements of any ranks.

use std::path::Path;

use unisparse::io::{InFile, ReadScalar};
use unisparse::{Duplicates, Limit, Source, SparseTensor, Triplets};

use super::balance::balanced;
use super::file;
use super::halo::Halo;
use super::transfer::{ReceivedElements, to_owners};
use super::{Distributed, Partition};
use crate::element::Element;
use crate::error::{Error, ErrorKind};
use crate::world::World;

/// How a matrix is distributed.
///
/// ```no_run
/// # use unisparse_mpi::prelude::*;
/// # let world = unisparse_mpi::initialize()?;
/// let halves = Partition::try_from_starts(vec![0, 500, 1000])?;
/// let mine: Triplets<f64, 2> = Triplets::new([1000, 1000]);
/// let a: Distributed<Csr<f64>> = Setup::new(&world).rows(&halves).limit(Limit::bytes(1 << 30)).build(&mine)?;
/// # Ok::<(), unisparse_mpi::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Setup {
    world: World,
    rows: Option<Partition>,
    columns: Option<Partition>,
    limit: Limit,
}

impl Setup {
    /// Starts with rows balanced by elements, and columns divided as the rows if the matrix is square, else evenly.
    #[must_use]
    pub fn new(world: &World) -> Self {
        Setup {
            world: world.clone(),
            rows: None,
            columns: None,
            limit: Limit::default(),
        }
    }

    /// Sets which rank owns which rows. All ranks pass the same.
    #[must_use]
    pub fn rows(mut self, rows: &Partition) -> Self {
        self.rows = Some(rows.clone());
        self
    }

    /// Sets which rank owns which columns. All ranks pass the same.
    #[must_use]
    pub fn columns(mut self, columns: &Partition) -> Self {
        self.columns = Some(columns.clone());
        self
    }

    /// Bounds the bytes of each part on each rank, by default as a conversion on one machine.
    #[must_use]
    pub fn limit(mut self, limit: Limit) -> Self {
        self.limit = limit;
        self
    }

    /// Distributes elements, see [`Distributed::new`].
    ///
    /// # Errors
    /// As [`Distributed::new`], and [`ErrorKind::Partition`] if a given partition is for another matrix, or not the same on all
    /// ranks.
    pub fn build<F, H, S>(&self, source: &S) -> Result<Distributed<F, H>, Error>
    where
        F: SparseTensor<2, Scalar: Element>,
        H: SparseTensor<2, Scalar = F::Scalar>,
        S: Source<2, Scalar = F::Scalar>,
    {
        let (shape, policy) = (source.shape(), source.duplicates());
        let numbers = |partition: &Option<Partition>| partition.as_ref().map_or(Vec::new(), Partition::numbers);
        self.world.same([
            ("the shape of the elements", &shape.map(|extent| extent as u64)),
            ("the policy for duplicates", &[policy as u64]),
            ("the partition of the rows", &numbers(&self.rows)),
            ("the partition of the columns", &numbers(&self.columns)),
        ])?;
        let rows = match self.given(self.rows.as_ref(), "rows", shape[0])? {
            Some(rows) => rows,
            None => balanced(&self.world, source, shape[0], self.limit)?,
        };
        let columns = match self.given(self.columns.as_ref(), "columns", shape[1])? {
            Some(columns) => columns,
            None if shape[0] == shape[1] => rows.clone(),
            None => Partition::even(shape[1], self.world.size()),
        };
        let elements = to_owners(&self.world, source, shape, &rows)?;
        self.assemble([rows, columns], elements, policy)
    }

    /// Distributes the elements of one rank, see [`Distributed::scatter`].
    ///
    /// # Errors
    /// As [`Distributed::scatter`].
    pub fn scatter<F, H, S>(&self, root: usize, source: Option<&S>) -> Result<Distributed<F, H>, Error>
    where
        F: SparseTensor<2, Scalar: Element>,
        H: SparseTensor<2, Scalar = F::Scalar>,
        S: Source<2, Scalar = F::Scalar>,
    {
        let world = &self.world;
        world.same([("the rank with the elements", &[root as u64])])?;
        let fits = root < world.size() && source.is_some() == (world.rank() == root);
        world.agree(fits.then_some(()).ok_or_else(|| {
            let message = format!("scatter: the elements come from rank {root}, and from no other");
            Error::new(ErrorKind::Partition, message)
        }))?;
        let mut head = source.map_or([0; 3], |source| {
            let [rows, columns] = source.shape();
            [rows as u64, columns as u64, source.duplicates() as u64]
        });
        world.broadcast(root, &mut head);
        let shape = [head[0] as usize, head[1] as usize];
        let policy = [Duplicates::Sum, Duplicates::First, Duplicates::Last, Duplicates::Reject];
        let policy = policy.into_iter().find(|policy| *policy as u64 == head[2]);
        let part = Scattered {
            source,
            shape,
            policy: policy.unwrap_or_default(),
        };
        self.build(&part)
    }

    /// Reads a Matrix Market file, see [`Distributed::read_matrix_market`].
    ///
    /// # Errors
    /// As [`Distributed::read_matrix_market`].
    pub fn read_matrix_market<F, H>(&self, path: impl AsRef<Path>) -> Result<Distributed<F, H>, Error>
    where
        F: SparseTensor<2, Scalar: Element + InFile<Number: ReadScalar>>,
        H: SparseTensor<2, Scalar = F::Scalar>,
    {
        self.build(&file::read_part::<F::Scalar>(&self.world, path.as_ref())?)
    }

    /// Checks that a given partition is one of this extent. All ranks find the same, as they have the same partition and shape.
    fn given(&self, partition: Option<&Partition>, what: &str, extent: usize) -> Result<Option<Partition>, Error> {
        let size = self.world.size();
        let Some(other) = partition.filter(|given| given.extent() != extent || given.ranks() != size) else {
            return Ok(partition.cloned());
        };
        let (found, ranks) = (other.extent(), other.ranks());
        let message =
            format!("the partition of the {what}: found {found} on {ranks} ranks, expected {extent} on {size}");
        Err(Error::new(ErrorKind::Partition, message))
    }

    /// Makes the parts of this rank from its elements.
    fn assemble<F, H>(
        &self,
        [rows, columns]: [Partition; 2],
        elements: Vec<ReceivedElements<F::Scalar>>,
        policy: Duplicates,
    ) -> Result<Distributed<F, H>, Error>
    where
        F: SparseTensor<2, Scalar: Element>,
        H: SparseTensor<2, Scalar = F::Scalar>,
    {
        let (world, rank) = (&self.world, self.world.rank());
        let split = Split::of(&elements, [&rows, &columns], rank);
        let own = [rows.of(rank).len(), columns.of(rank).len()];
        let count: usize = elements.iter().map(|part| part.values.len()).sum();
        let mut parts = [
            Triplets::with_capacity(own, count - split.count),
            Triplets::with_capacity([split.rows.len(), split.columns.len()], split.count),
        ];
        let mut pushed = Ok(());
        for (at, value) in elements
            .into_iter()
            .flat_map(|part| part.coordinates.into_iter().zip(part.values))
        {
            let (part, at) = split.place(at);
            pushed = pushed.and_then(|()| parts[part].push(at, value));
        }
        let [own, halo] = parts.map(|part| part.duplicates(policy));
        let made = pushed.and_then(|()| Ok((F::assemble(&own, self.limit)?, H::assemble(&halo, self.limit)?)));
        let made = made.map_err(|error| match error.kind() {
            unisparse::ErrorKind::Duplicate => split.twice(&own, &halo).unwrap_or_else(|| error.into()),
            _ => error.into(),
        });
        drop((own, halo));
        let (own, halo) = world.agree(made)?;
        let nnz = world.all_gather(&[own.nnz() + halo.nnz()]).into_iter().sum();
        Ok(Distributed {
            world: world.clone(),
            shape: [rows.extent(), columns.extent()],
            nnz,
            own,
            halo,
            halo_rows: split.rows,
            columns_of_others: Halo::new(world, &columns, split.columns),
            rows,
            columns,
        })
    }
}

/// The elements of one rank, or none, in the shape of all.
struct Scattered<'a, S> {
    source: Option<&'a S>,
    shape: [usize; 2],
    policy: Duplicates,
}

impl<S: Source<2>> Source<2> for Scattered<'_, S> {
    type Scalar = S::Scalar;

    fn shape(&self) -> [usize; 2] {
        self.shape
    }

    fn count(&self) -> usize {
        self.source.map_or(0, Source::count)
    }

    fn for_each(&self, visit: impl FnMut([usize; 2], S::Scalar)) {
        if let Some(source) = self.source {
            source.for_each(visit);
        }
    }

    fn duplicates(&self) -> Duplicates {
        self.policy
    }
}

/// Which elements of a rank are in its halo, and how its rows and columns are numbered.
struct Split {
    own_columns: std::ops::Range<usize>,
    first_row: usize,
    /// The number of elements in the halo.
    count: usize,
    /// The rows, counted from the first one, and the columns with elements in the halo.
    rows: Vec<usize>,
    columns: Vec<usize>,
}

impl Split {
    fn of<T>(elements: &[ReceivedElements<T>], [rows, columns]: [&Partition; 2], rank: usize) -> Self {
        let (own_columns, first_row) = (columns.of(rank), rows.of(rank).start);
        let all = elements.iter().flat_map(|part| &part.coordinates);
        let (mut rows, mut columns): (Vec<usize>, Vec<usize>) = all
            .filter(|[_, column]| !own_columns.contains(column))
            .map(|[row, column]| (row - first_row, *column))
            .unzip();
        let count = rows.len();
        for numbers in [&mut rows, &mut columns] {
            numbers.sort_unstable();
            numbers.dedup();
            numbers.shrink_to_fit();
        }
        Split {
            own_columns,
            first_row,
            count,
            rows,
            columns,
        }
    }

    /// Returns the part of an element, 1 for the halo, and its coordinate there.
    fn place(&self, [row, column]: [usize; 2]) -> (usize, [usize; 2]) {
        let row = row - self.first_row;
        if self.own_columns.contains(&column) {
            return (0, [row, column - self.own_columns.start]);
        }
        let number = |numbers: &[usize], wanted| numbers.partition_point(|number| *number < wanted);
        (1, [number(&self.rows, row), number(&self.columns, column)])
    }

    /// Returns the error for the first coordinate that is repeated, as it is in the whole matrix.
    fn twice<T: unisparse::Stored>(&self, own: &Triplets<T, 2>, halo: &Triplets<T, 2>) -> Option<Error> {
        let own = own
            .coordinates()
            .iter()
            .map(|[i, j]| [self.first_row + i, self.own_columns.start + j]);
        let halo = halo
            .coordinates()
            .iter()
            .map(|[i, j]| [self.first_row + self.rows[*i], self.columns[*j]]);
        let mut all: Vec<[usize; 2]> = own.chain(halo).collect();
        all.sort_unstable();
        let [row, column] = all.windows(2).find(|pair| pair[0] == pair[1])?[0];
        let message = format!(
            "found row {row}, column {column} twice, expected each coordinate once (choose another `Duplicates` policy)"
        );
        Some(Error::new(ErrorKind::Tensor(unisparse::ErrorKind::Duplicate), message))
    }
}
