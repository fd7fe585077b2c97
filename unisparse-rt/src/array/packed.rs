//! Arrays of one length that are packed into one array of tuples (`pack`).

use core::cell::Cell;
use core::fmt;
use core::ops::Deref;

use super::domain::Domain;
use super::first::debug_list;
use super::index_array::IndexArray;
#[cfg(any(feature = "cuda", feature = "hls"))]
use super::index_array::append_bytes;
use super::indices::{Indices, inside};
use super::stream::{Column, Coordinates, Gather, Offsets, Scatter, ScatterFrom};
use super::tuple::{Entry, Field, Last};
use crate::element::Index;
use crate::error::Error;

/// Arrays of entries. Only types in this module implement it: nothing changes behind the checks of [`Packed`].
pub trait PackedRows {
    /// The type of the entries.
    type Entry: Entry;
    /// Returns all entries.
    fn rows(&self) -> &[Self::Entry];
    /// Returns the array.
    fn into_rows(self) -> Vec<Self::Entry>;
}

impl<E: Entry> PackedRows for Vec<E> {
    type Entry = E;
    fn rows(&self) -> &[E] {
        self
    }
    fn into_rows(self) -> Vec<E> {
        self
    }
}

/// Arrays of entries whose values can be replaced by values of type `U`.
pub trait WithValues<U>: PackedRows<Entry: Last<U>> {
    /// The type of the array with the other values.
    type With;
    /// Applies `map` to all values, which are the last items.
    fn with_values(self, map: impl FnMut(<Self::Entry as Last<U>>::Value) -> U) -> Self::With;
    /// Passes all values to `visit`.
    fn visit_values(&mut self, visit: impl FnMut(&mut <Self::Entry as Last<U>>::Value));
}

impl<E: Last<U>, U> WithValues<U> for Vec<E> {
    type With = Vec<E::With>;
    fn with_values(self, mut map: impl FnMut(E::Value) -> U) -> Self::With {
        self.into_iter().map(|entry| entry.map_last(&mut map)).collect()
    }
    fn visit_values(&mut self, mut visit: impl FnMut(&mut E::Value)) {
        for entry in self {
            visit(entry.last_mut());
        }
    }
}

impl<const K: usize, R: WithValues<U>, U> WithValues<U> for Packed<K, R> {
    type With = Packed<K, R::With>;
    fn with_values(self, map: impl FnMut(<R::Entry as Last<U>>::Value) -> U) -> Self::With {
        // Coordinates stay as they are, inside the domain.
        const { assert!(K < <R::Entry as Last<U>>::LAST, "a coordinate is no value") };
        Packed {
            domain: self.domain,
            rest: self.rest.with_values(map),
        }
    }
    fn visit_values(&mut self, visit: impl FnMut(&mut <R::Entry as Last<U>>::Value)) {
        const { assert!(K < <R::Entry as Last<U>>::LAST, "a coordinate is no value") };
        self.rest.visit_values(visit);
    }
}

/// Entries whose item `K` is a coordinate of one level, always inside the level's domain.
///
/// `R` holds the entries: an array, or `Packed` for another level. A reference to one of these layers is the
/// `idx` array of its level.
#[derive(Clone)]
pub struct Packed<const K: usize, R> {
    domain: Domain,
    rest: R,
}

impl<const K: usize, R: PackedRows<Entry: Field<K, Item: Index>>> Packed<K, R> {
    /// Takes item `K` of `rest` as the `idx` array called `name`.
    ///
    /// # Errors
    /// `OutOfBounds` for the first entry outside the domain.
    pub fn try_new(name: &'static str, rest: R, domain: Domain) -> Result<Self, Error> {
        inside(name, Column::new(rest.rows()).iter(), domain)?;
        Ok(Packed { domain, rest })
    }

    fn column(&self) -> Column<'_, R::Entry, K> {
        Column::new(self.rest.rows())
    }

    /// Copies the coordinates to a separate array.
    #[must_use]
    pub fn unpacked(&self) -> Indices<<R::Entry as Field<K>>::Item> {
        Indices::of_checked(self.column().iter().collect(), self.domain)
    }

    /// Returns the coordinate at `position`, of a domain that starts at zero or above.
    ///
    /// # Panics
    /// If the position is outside the array.
    #[inline]
    #[must_use]
    pub fn coordinate(&self, position: usize) -> usize {
        self.column()[position].to_usize()
    }

    /// Returns the coordinate at `position`, of a domain that may start below zero.
    ///
    /// # Panics
    /// If the position is outside the array.
    #[inline]
    #[must_use]
    pub fn offset(&self, position: usize) -> isize {
        self.column()[position].to_isize()
    }

    /// Returns a stream of the coordinates, for a domain that starts at zero or above.
    #[must_use]
    pub fn coordinates(&self) -> Coordinates<Column<'_, R::Entry, K>> {
        Coordinates::new(self.column())
    }

    /// Returns a stream of the coordinates, for a domain that may start below zero.
    #[must_use]
    pub fn offsets(&self) -> Offsets<Column<'_, R::Entry, K>> {
        Offsets::new(self.column())
    }

    /// Returns a stream of `data[coordinate]`.
    ///
    /// # Panics
    /// If `data` is shorter than the domain, or the domain starts below zero.
    #[must_use]
    pub fn gather<'a, T>(&'a self, data: &'a [T]) -> Gather<'a, Column<'a, R::Entry, K>, T> {
        assert!(self.domain.is_within(data.len()));
        // SAFETY: every item `K` is inside the domain, which is within the data.
        unsafe { Gather::new(self.column(), data) }
    }

    /// Returns a stream of the cells `data[coordinate]`.
    ///
    /// # Panics
    /// If `data` is shorter than the domain, or the domain starts below zero.
    #[must_use]
    pub fn scatter<'a, T>(&'a self, data: &'a [Cell<T>]) -> Scatter<'a, Column<'a, R::Entry, K>, T> {
        assert!(self.domain.is_within(data.len()));
        // SAFETY: every item `K` is inside the domain, which is within the data.
        unsafe { Scatter::new(self.column(), data) }
    }

    /// Returns a stream of the cells `data[coordinate - first]`, of a part of an output; `None` outside the part.
    #[must_use]
    pub fn scatter_from<'a, T>(
        &'a self,
        data: &'a [Cell<T>],
        first: usize,
    ) -> ScatterFrom<'a, Column<'a, R::Entry, K>, T> {
        ScatterFrom::new(self.column(), data, first)
    }
}

impl<const K: usize, R: PackedRows> Packed<K, R> {
    /// Returns the layer below: the `idx` array of the level before.
    #[inline]
    #[must_use]
    pub fn rest(&self) -> &R {
        &self.rest
    }

    /// Returns the items `AT`, which are the values.
    #[inline]
    #[must_use]
    pub fn values<const AT: usize>(&self) -> Column<'_, R::Entry, AT>
    where
        R::Entry: Field<AT>,
    {
        Column::new(self.rest.rows())
    }

    /// Returns the array.
    #[must_use]
    pub fn into_vec(self) -> Vec<R::Entry> {
        self.rest.into_rows()
    }

    /// Applies `map` to all values, which are the last items; the coordinates stay the same.
    #[must_use]
    pub fn map_values<U>(self, map: impl FnMut(<R::Entry as Last<U>>::Value) -> U) -> Packed<K, R::With>
    where
        R: WithValues<U>,
    {
        self.with_values(map)
    }

    /// Passes all values, which are the last items, to `visit`; the coordinates stay the same.
    pub fn for_each_value<U>(&mut self, visit: impl FnMut(&mut <R::Entry as Last<U>>::Value))
    where
        R: WithValues<U>,
    {
        self.visit_values(visit);
    }
}

impl<const K: usize, R: PackedRows> PackedRows for Packed<K, R> {
    type Entry = R::Entry;
    #[inline]
    fn rows(&self) -> &[R::Entry] {
        self.rest.rows()
    }
    fn into_rows(self) -> Vec<R::Entry> {
        self.rest.into_rows()
    }
}

impl<const K: usize, R: PackedRows> Deref for Packed<K, R> {
    type Target = [R::Entry];
    #[inline]
    fn deref(&self) -> &[R::Entry] {
        self.rest.rows()
    }
}

impl<const K: usize, R: PackedRows<Entry: Field<K, Item: PartialEq>>> PartialEq for Packed<K, R> {
    /// Returns whether the `idx` arrays are equal, and the domains.
    fn eq(&self, other: &Self) -> bool {
        self.domain == other.domain && self.values::<K>() == other.values::<K>()
    }
}

impl<const K: usize, R: PackedRows> fmt::Debug for Packed<K, R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        struct Shown<'a, E>(&'a E);
        impl<E: Entry> fmt::Debug for Shown<'_, E> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }
        debug_list(f, self.rest.rows().iter().map(Shown))
    }
}

impl<const K: usize, R: PackedRows<Entry: Field<K, Item: Index>>> IndexArray for Packed<K, R> {
    fn len(&self) -> usize {
        self.rest.rows().len()
    }
    fn at(&self, position: usize) -> i64 {
        self.column()[position].to_i64()
    }
    fn type_name(&self) -> &'static str {
        <<R::Entry as Field<K>>::Item as Index>::NAME
    }
    #[cfg(any(feature = "cuda", feature = "hls"))]
    fn append_bytes(&self, into: &mut Vec<u8>) {
        append_bytes(self.column().iter(), into);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::array::stream::{cells, entries};
    use crate::error::ErrorKind;

    const ROWS: Domain = Domain { lo: 0, size: 3 };
    const COLUMNS: Domain = Domain { lo: 0, size: 4 };

    type Dok = Packed<1, Packed<0, Vec<(u32, u8, f64)>>>;

    fn dok(entries: Vec<(u32, u8, f64)>) -> Result<Dok, Error> {
        Packed::try_new("col", Packed::try_new("row", entries, ROWS)?, COLUMNS)
    }

    fn some() -> Dok {
        dok(vec![(0, 3, 1.0), (0, 0, 2.0), (2, 1, 3.0)]).unwrap()
    }

    #[test]
    fn each_layer_is_an_array_of_its_level() {
        let a = some();
        let (row, col): (&dyn IndexArray, &dyn IndexArray) = (a.rest(), &a);
        let read = |array: &dyn IndexArray| (0..array.len()).map(|at| array.at(at)).collect::<Vec<_>>();
        assert_eq!((read(row), read(col)), (vec![0, 0, 2], vec![3, 0, 1]));
        assert_eq!((row.type_name(), col.type_name()), ("u32", "u8"));
        assert_eq!((a.coordinate(0), a.rest().offset(2)), (3, 2));
        assert_eq!(a.values::<2>().iter().collect::<Vec<_>>(), [1.0, 2.0, 3.0]);
        assert_eq!(format!("{a:?}"), "[(0, 3, 1.0), (0, 0, 2.0), (2, 1, 3.0)]");
        assert_eq!(a.clone().into_vec(), a[..]);
    }

    #[test]
    fn gather_and_scatter_through_columns() {
        let (a, x) = (some(), [10.0, 20.0, 30.0, 40.0]);
        let mut y = [0.0; 3];
        let stream = (a.values::<2>(), a.gather(&x), a.rest().scatter(cells(&mut y)));
        for (value, x, y) in entries(a.len(), stream) {
            y.set(y.get() + value * x);
        }
        assert_eq!(y, [60.0, 0.0, 60.0]);
        assert_eq!(entries(3, a.rest().coordinates()).sum::<usize>(), 2);
        assert_eq!(entries(3, a.offsets()).sum::<isize>(), 4);
    }

    #[test]
    fn an_item_outside_its_domain_is_refused() {
        let error = dok(vec![(0, 3, 1.0), (1, 4, 2.0)]).unwrap_err();
        assert_eq!(
            (error.kind(), error.subject(), error.position()),
            (ErrorKind::OutOfBounds, "`col_idx`", Some(1))
        );
        let error = dok(vec![(3, 0, 1.0)]).unwrap_err();
        assert_eq!((error.subject(), error.position()), ("`row_idx`", Some(0)));
    }

    #[test]
    #[should_panic(expected = "assertion failed")]
    fn a_vector_shorter_than_the_domain_is_refused_at_entry() {
        let _ = some().gather(&[0.0; 3]);
    }

    #[test]
    #[should_panic(expected = "assertion failed")]
    fn an_output_shorter_than_the_domain_is_refused_at_entry() {
        let _ = some().rest().scatter(cells(&mut [0.0; 2]));
    }

    #[test]
    fn as_many_items_as_a_format_can_have() {
        let entries = vec![(
            0u8, 1u8, 2u8, 3u8, 4u8, 5u8, 6u8, 7u8, 8u8, 9u8, 10u8, 11u8, 12u8, 13u8, 14u8, 2u16, true,
        )];
        let last: Packed<15, _> = Packed::try_new("last", entries, ROWS).unwrap();
        assert!(last.values::<16>()[0] && last.coordinate(0) == 2);
        assert!(format!("{last:?}").ends_with("14, 2, true)]"));
    }
}
