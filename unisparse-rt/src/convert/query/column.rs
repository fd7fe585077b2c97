//! A compact column of integers, one per element.

use crate::machine::pages;

/// A sequence of integers: four bytes each, or eight once one of them does not fit `u32`.
pub(super) enum Column {
    Narrow(Vec<u32>),
    Wide(Vec<i64>),
}

impl Column {
    /// Creates an empty column with capacity for `count` numbers.
    pub(super) fn with_capacity(count: usize) -> Self {
        Column::Narrow(pages::with_capacity(count))
    }

    pub(super) fn len(&self) -> usize {
        match self {
            Column::Narrow(numbers) => numbers.len(),
            Column::Wide(numbers) => numbers.len(),
        }
    }

    /// Appends numbers, widening the column if one of them does not fit.
    #[inline]
    pub(super) fn extend(&mut self, more: &[i64]) {
        if let Column::Narrow(numbers) = self {
            if more.iter().fold(0, |bits, &number| bits | number as u64) <= u64::from(u32::MAX) {
                numbers.extend(more.iter().map(|&number| number as u32));
                return;
            }
            *self = Column::Wide(numbers.iter().map(|&number| i64::from(number)).collect());
        }
        if let Column::Wide(numbers) = self {
            numbers.extend_from_slice(more);
        }
    }

    /// Calls `each` with index and value of `count` numbers from position `start` on; the index counts from 0.
    ///
    /// # Panics
    /// If `start + count` exceeds the length.
    #[inline]
    pub(super) fn look_up(&self, start: usize, count: usize, mut each: impl FnMut(usize, i64)) {
        match self {
            Column::Narrow(numbers) => {
                let numbers = numbers[start..][..count].iter().enumerate();
                numbers.for_each(|(at, &number)| each(at, i64::from(number)));
            }
            Column::Wide(numbers) => {
                let numbers = numbers[start..][..count].iter().enumerate();
                numbers.for_each(|(at, &number)| each(at, number));
            }
        }
    }

    /// Adds `more` to the first `count` numbers; `None` if a sum overflows `i64`.
    pub(super) fn add(&mut self, count: usize, more: i64) -> Option<()> {
        if let Column::Narrow(numbers) = self {
            let sums = numbers[..count]
                .iter()
                .map(|&number| i64::from(number).checked_add(more));
            if sums
                .clone()
                .all(|sum| sum.is_some_and(|sum| u32::try_from(sum).is_ok()))
            {
                let changed = numbers[..count].iter_mut();
                changed.for_each(|number| *number = (i64::from(*number) + more) as u32);
                return Some(());
            }
            *self = Column::Wide(numbers.iter().map(|&number| i64::from(number)).collect());
        }
        if let Column::Wide(numbers) = self {
            for number in &mut numbers[..count] {
                *number = number.checked_add(more)?;
            }
        }
        Some(())
    }

    /// Returns the least and the greatest number; `None` if the column is empty.
    pub(super) fn extremes(&self) -> Option<(i64, i64)> {
        match self {
            Column::Narrow(numbers) => extremes(numbers).map(|(least, greatest)| (least.into(), greatest.into())),
            Column::Wide(numbers) => extremes(numbers),
        }
    }
}

/// Finds the minimum and the maximum in one branch-free loop.
fn extremes<R: Copy + Ord>(numbers: &[R]) -> Option<(R, R)> {
    let &first = numbers.first()?;
    let wider = |(least, greatest): (R, R), &number: &R| (least.min(number), greatest.max(number));
    Some(numbers.iter().fold((first, first), wider))
}

#[cfg(test)]
mod tests {
    use super::Column;

    #[test]
    fn numbers_of_any_size_are_kept() {
        let all = [
            0,
            7,
            i64::from(u32::MAX),
            i64::from(u32::MAX) + 1,
            -1,
            i64::MIN,
            i64::MAX,
        ];
        for cut in 0..=all.len() {
            let mut column = Column::with_capacity(0);
            column.extend(&all[..cut]);
            column.extend(&all[cut..]);
            for start in 0..all.len() {
                let mut found = Vec::new();
                column.look_up(start, all.len() - start, |at, number| {
                    assert_eq!(at, found.len());
                    found.push(number);
                });
                assert_eq!(found, all[start..]);
            }
            assert_eq!(
                (column.len(), column.extremes()),
                (all.len(), Some((i64::MIN, i64::MAX)))
            );
        }
        for (more, first) in [
            (5, [5, 12]),
            (-1, [-1, 6]),
            (i64::from(u32::MAX), [i64::from(u32::MAX), i64::from(u32::MAX) + 7]),
        ] {
            let mut column = Column::with_capacity(3);
            column.extend(&[0, 7, 9]);
            assert_eq!(column.add(2, more), Some(()));
            let mut found = Vec::new();
            column.look_up(0, 3, |_, number| found.push(number));
            assert_eq!(found, [first[0], first[1], 9]);
            assert_eq!(column.add(3, i64::MAX), None);
        }
        let mut narrow = Column::with_capacity(3);
        assert_eq!(narrow.extremes(), None);
        narrow.extend(&[3, 9, i64::from(u32::MAX)]);
        assert!(matches!(narrow, Column::Narrow(_)));
        assert_eq!(narrow.extremes(), Some((3, i64::from(u32::MAX))));
    }
}
