//! Products of two sparse matrices: each rank fetches the rows that it needs.

use unisparse::formats::Csr;
use unisparse::{Limit, Scalar, Source as _, SparseTensor, Triplets, kernels};

use crate::element::{Element, of_words, to_words};
use crate::error::Error;
use crate::matrix::{Distributed, Halo, Setup};
use crate::message::{Part, all_to_all, counts};

/// Computes `C = A B`, in any formats.
///
/// The rows of `B` must be divided as the columns of `A`. Each rank fetches the rows of `B` that belong to the halo columns of its
/// part of `A`, and multiplies its rows of `A` by them and its own rows of `B`, in compressed rows on the threads of the current
/// `rayon` pool. It owns the rows of `C` that it owns of `A`; the columns are divided as those of `B`. Takes memory for the
/// fetched rows, both operands in compressed rows, and the result.
///
/// # Errors
/// `Shape` or [`ErrorKind::Partition`](crate::ErrorKind::Partition) if the rows of `B` are not divided as the columns of `A`, otherwise as
/// [`Distributed::new`].
pub fn spgemm<T, F, H, G, K, P, Q>(a: &Distributed<F, H>, b: &Distributed<G, K>) -> Result<Distributed<P, Q>, Error>
where
    T: Scalar + Element,
    F: SparseTensor<2, Scalar = T>,
    H: SparseTensor<2, Scalar = T>,
    G: SparseTensor<2, Scalar = T>,
    K: SparseTensor<2, Scalar = T>,
    P: SparseTensor<2, Scalar = T>,
    Q: SparseTensor<2, Scalar = T>,
{
    crate::dense::divided_as("spgemm, rows of the second matrix", b.rows(), a.columns())?;
    let world = a.world();
    let rows = fetch(a.columns_of_others(), b);
    let product = world.agree(multiply(a, b, &rows))?;
    Setup::new(world).rows(a.rows()).columns(b.columns()).build(&product)
}

/// Rows of other ranks, in the order of the halo columns of the first matrix.
struct HaloRows<T> {
    /// The end of each row.
    ends: Vec<usize>,
    columns: Vec<usize>,
    values: Vec<T>,
}

/// Fetches the rows of `b` that belong to the halo columns of another matrix.
fn fetch<T, G, K>(halo: &Halo, b: &Distributed<G, K>) -> HaloRows<T>
where
    T: Scalar + Element,
    G: SparseTensor<2, Scalar = T>,
    K: SparseTensor<2, Scalar = T>,
{
    let world = b.world();
    let first = b.rows().of(world.rank()).start;
    let mut own: Vec<Vec<(usize, T)>> = vec![Vec::new(); b.rows().of(world.rank()).len()];
    let mut is_wanted = vec![false; own.len()];
    halo.wanted.iter().for_each(|row| is_wanted[*row] = true);
    b.for_each(|[i, j], value| {
        if is_wanted[i - first] {
            own[i - first].push((j, value));
        }
    });
    let wanted = || halo.wanted.iter().map(|row| &own[*row]);
    let lengths: Vec<u64> = wanted().map(|row| row.len() as u64).collect();
    let of_rank = |parts: &[Part]| {
        let mut numbers = vec![0; world.size()];
        parts.iter().for_each(|(rank, range)| numbers[*rank] = range.len());
        numbers
    };
    let lengths = all_to_all(world, &lengths, &of_rank(&halo.sends), &of_rank(&halo.receives), 1);

    let mut to_each = vec![0; world.size()];
    for (rank, range) in &halo.sends {
        to_each[*rank] = halo.wanted[range.clone()].iter().map(|row| own[*row].len()).sum();
    }
    let from_each = counts(world, &to_each);
    let columns: Vec<u64> = wanted().flatten().map(|(column, _)| *column as u64).collect();
    let values: Vec<T> = wanted().flatten().map(|(_, value)| *value).collect();
    drop(own);
    let columns = all_to_all(world, &columns, &to_each, &from_each, 1);
    let values = all_to_all(world, &to_words(values.into_iter()), &to_each, &from_each, T::WORDS);
    let mut end = 0;
    let ends = lengths.iter().map(|length| {
        end += *length as usize;
        end
    });
    HaloRows {
        ends: ends.collect(),
        columns: columns.into_iter().map(|column| column as usize).collect(),
        values: of_words(&values).collect(),
    }
}

/// Returns the rows of the product that this rank owns, in the shape of the whole.
fn multiply<T, F, H, G, K>(
    a: &Distributed<F, H>,
    b: &Distributed<G, K>,
    rows: &HaloRows<T>,
) -> Result<Triplets<T, 2>, Error>
where
    T: Scalar + Element,
    F: SparseTensor<2, Scalar = T>,
    H: SparseTensor<2, Scalar = T>,
    G: SparseTensor<2, Scalar = T>,
    K: SparseTensor<2, Scalar = T>,
{
    let rank = a.world().rank();
    let (own_rows, own_columns) = (a.rows().of(rank), a.columns().of(rank));
    // The columns of `a` and rows of `b`: first the own ones, then those of others.
    let inner = own_columns.len() + a.halo_columns().len();
    let mut left = Triplets::new([own_rows.len(), inner]);
    let mut pushed = Ok(());
    let mut push = |to: &mut Triplets<T, 2>, at: [usize; 2], value: T| {
        if pushed.is_ok() {
            pushed = to.push(at, value);
        }
    };
    a.own().for_each(|at, value| push(&mut left, at, value));
    a.halo()
        .for_each(|[i, j], value| push(&mut left, [a.halo_rows()[i], own_columns.len() + j], value));

    // Only the columns with an element are numbered, so that compressed rows can hold them.
    let mut columns = rows.columns.clone();
    b.for_each(|[_, j], _| columns.push(j));
    columns.sort_unstable();
    columns.dedup();
    let number = |column: usize| columns.partition_point(|other| *other < column);
    let mut right = Triplets::new([inner, columns.len()]);
    let first = b.rows().of(rank).start;
    b.for_each(|[i, j], value| push(&mut right, [i - first, number(j)], value));
    let mut start = 0;
    for (row, end) in rows.ends.iter().enumerate() {
        for at in start..*end {
            push(
                &mut right,
                [own_columns.len() + row, number(rows.columns[at])],
                rows.values[at],
            );
        }
        start = *end;
    }
    pushed?;

    let (left, right) = (
        left.convert_within::<Csr<T>>(Limit::none())?,
        right.convert_within::<Csr<T>>(Limit::none())?,
    );
    let product: Csr<T> = kernels::spgemm(&left, &right)?;
    let shape = [a.shape()[0], b.shape()[1]];
    let mut result = Triplets::with_capacity(shape, product.nnz());
    let mut pushed = Ok(());
    product.for_each(|[i, j], value| {
        if pushed.is_ok() {
            pushed = result.push([own_rows.start + i, columns[j]], value);
        }
    });
    pushed?;
    Ok(result)
}
