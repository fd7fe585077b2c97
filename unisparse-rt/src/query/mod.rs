//! The queries of a format (`where { .. }`), evaluated on the elements of a source.
//!
//! Sums, schedules and reorderings give each group of elements a number and keep them in [`Tables`];
//! enumerations and slots number the elements themselves. Each takes a few passes over the elements, and
//! a radix sort of them where they are not in its order already. Passes over many elements are parallel.

pub mod compare;
mod enumerate;
mod groups;
mod order;
mod reorder;
mod schedule;
mod sizes;
mod slot;
mod sum;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod threads;

use core::sync::atomic::{AtomicI64, Ordering::Relaxed};

use crate::{Duplicates, Error, ErrorKind, Limit, Scalar, Source, pages, parallel};
use groups::Budget;
use order::Keys;

/// A number of a value map, unless its computation saturated.
fn fits(number: i64) -> Option<i64> {
    (number < i64::MAX).then_some(number)
}

pub use groups::Tables;
pub use sum::Absent;

/// The elements of a tensor in logical order, and what `Q` queries give for each.
pub struct Queries<T, const N: usize, const Q: usize> {
    shape: [usize; N],
    coordinates: Vec<[usize; N]>,
    values: Vec<T>,
    results: Vec<[i64; Q]>,
    tables: Tables,
    allowed: u128,
}

impl<T: Scalar, const N: usize, const Q: usize> Queries<T, N, Q> {
    /// Reads the elements of a source, sorts them unless they come in logical order, and resolves duplicates.
    ///
    /// # Errors
    /// `Duplicate` if there are duplicates and the source refuses them, `Overflow` for a shape beyond `i64`.
    pub fn gather<S: Source<N, Scalar = T>>(format: &'static str, source: &S) -> Result<Self, Error> {
        let shape = source.shape();
        if let Some(extent) = shape.iter().find(|&&extent| i64::try_from(extent).is_err()) {
            let found = format!("an extent of {extent}");
            let subject = format!("format `{format}`");
            return Err(Error::new(
                ErrorKind::Overflow,
                subject,
                None,
                found,
                "one within `i64`",
            ));
        }
        let mut coordinates: Vec<[usize; N]> = pages::with_capacity(source.count());
        let mut values = pages::with_capacity(source.count());
        source.for_each(|coordinate, value| {
            coordinates.push(coordinate);
            values.push(value);
        });
        if !coordinates.is_sorted() {
            let fields = |element: usize| coordinates[element].map(|at| at as i64);
            let order = Keys::new(values.len()).append([None; N], fields).order();
            coordinates = parallel::map(order.len(), |at| coordinates[order[at]]);
            values = parallel::map(order.len(), |at| values[order[at]]);
        }
        resolve_duplicates(format, source.duplicates(), &mut coordinates, &mut values)?;
        Ok(Queries {
            shape,
            results: pages::filled([0; Q], values.len()),
            tables: Tables::new(Q),
            allowed: Limit::default().allowed(values.len(), size_of::<T>(), &shape),
            coordinates,
            values,
        })
    }

    /// The extent of each dimension.
    #[must_use]
    pub fn shape(&self) -> [usize; N] {
        self.shape
    }

    /// The coordinates of the elements, in logical order.
    #[must_use]
    pub fn coordinates(&self) -> &[[usize; N]] {
        &self.coordinates
    }

    /// The values of the elements.
    #[must_use]
    pub fn values(&self) -> &[T] {
        &self.values
    }

    /// What the queries give for each element; 0 from those not evaluated yet.
    #[must_use]
    pub fn results(&self) -> &[[i64; Q]] {
        &self.results
    }

    /// The coordinates, values and results of the elements.
    #[must_use]
    pub fn into_parts(self) -> (Vec<[usize; N]>, Vec<T>, Vec<[i64; Q]>) {
        (self.coordinates, self.values, self.results)
    }

    /// Sets the bytes that any one table may take; by default those that [`Limit`] allows the tensor.
    pub fn limit(&mut self, allowed: u128) {
        self.allowed = allowed;
    }

    fn budget(&self, query: &'static str) -> Budget {
        let allowed = self.allowed;
        Budget { query, allowed }
    }

    /// What a function of the elements gives for each.
    fn each<'a, R>(
        &'a self,
        function: &'a (impl Fn([i64; N], [i64; Q]) -> R + Sync),
    ) -> impl Fn(usize) -> R + Sync + 'a {
        |element| function(self.coordinate(element), self.results[element])
    }

    fn coordinate(&self, element: usize) -> [i64; N] {
        self.coordinates[element].map(|at| at as i64)
    }

    /// Gives each element its number.
    fn fill(&mut self, query: usize, numbers: Vec<AtomicI64>) {
        parallel::update(&mut self.results, |element, results| {
            results[query] = numbers[element].load(Relaxed);
        });
    }

    /// Gives each element the number of its group.
    fn spread(&mut self, query: usize) {
        let (groups, numbers) = self.tables.of(query);
        parallel::update(&mut self.results, |element, results| {
            results[query] = numbers[groups.of_elements[element]];
        });
    }
}

/// Leaves one of the elements at each coordinate, as the policy says.
fn resolve_duplicates<T: Scalar, const N: usize>(
    format: &str,
    policy: Duplicates,
    coordinates: &mut Vec<[usize; N]>,
    values: &mut Vec<T>,
) -> Result<(), Error> {
    let Some(first) = coordinates.windows(2).position(|pair| pair[0] == pair[1]) else {
        return Ok(());
    };
    if policy == Duplicates::Reject {
        return Err(Error::new(
            ErrorKind::Duplicate,
            format!("format `{format}`"),
            None,
            format!("coordinate {:?} twice", coordinates[first]),
            "each coordinate once (choose another `Duplicates` policy)",
        ));
    }
    let mut kept = first;
    for element in first + 1..values.len() {
        if coordinates[element] == coordinates[kept] {
            match policy {
                Duplicates::Sum => values[kept] = values[kept].plus(values[element]),
                Duplicates::Last => values[kept] = values[element],
                Duplicates::First | Duplicates::Reject => {}
            }
        } else {
            kept += 1;
            coordinates[kept] = coordinates[element];
            values[kept] = values[element];
        }
    }
    coordinates.truncate(kept + 1);
    values.truncate(kept + 1);
    Ok(())
}
