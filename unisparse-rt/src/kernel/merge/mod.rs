//! Merges of several fibers in ascending order of coordinates: intersections and unions.
//!
//! Intersections and unions are cursors themselves, so that any expression of them is one merge.

mod cursors;

use super::keys::Coordinate;

/// An intersection searches in a cursor that is more than this many times longer; otherwise it visits each entry.
const SKEW: usize = 32;

/// Cursor of a merge: strictly ascending coordinates, with the item that is stored at each.
pub trait MergeCursor {
    /// The type of coordinates: `usize`, or `isize` if they may be below zero.
    type Coordinate: Coordinate;
    /// The type of items: a position, or the positions of a coordinate that may repeat.
    type Item;

    /// Returns an upper bound of the number of entries left.
    fn remaining(&self) -> usize;
    /// Returns the next coordinate.
    fn peek(&mut self) -> Option<Self::Coordinate>;
    /// Returns the item at the coordinate that [`peek`](MergeCursor::peek) returned, and moves past it.
    fn pop(&mut self) -> Self::Item;
    /// Calls [`pop`](MergeCursor::pop) if `here`.
    #[inline]
    fn pop_if(&mut self, here: bool) -> Option<Self::Item> {
        here.then(|| self.pop())
    }
    /// Moves past the next entry, which must exist, if `past`.
    fn pass(&mut self, past: bool);
    /// Moves to the first coordinate that is not before this one. `O(log gap)`.
    fn seek(&mut self, coordinate: Self::Coordinate);

    /// Returns the next coordinate and its item, and moves past it.
    #[inline]
    fn advance(&mut self) -> Option<(Self::Coordinate, Self::Item)> {
        let coordinate = self.peek()?;
        Some((coordinate, self.pop()))
    }
}

/// Intersection of two cursors.
#[derive(Debug, Clone)]
pub struct Intersection<A, B> {
    a: A,
    b: B,
    /// Whether one cursor is so long that it is searched.
    search: bool,
}

/// Returns the coordinates that both cursors have, with both items: `(coordinate, (of a, of b))`.
///
/// `O(shorter * log(longer / shorter))`, or one pass over both where their lengths are similar.
#[inline]
pub fn intersect<A: MergeCursor, B: MergeCursor<Coordinate = A::Coordinate>>(a: A, b: B) -> Intersection<A, B> {
    let (a_entries, b_entries) = (a.remaining(), b.remaining());
    let (shorter, longer) = (a_entries.min(b_entries), a_entries.max(b_entries));
    Intersection {
        a,
        b,
        search: longer / SKEW > shorter,
    }
}

impl<A: MergeCursor, B: MergeCursor<Coordinate = A::Coordinate>> MergeCursor for Intersection<A, B> {
    type Coordinate = A::Coordinate;
    type Item = (A::Item, B::Item);

    #[inline]
    fn remaining(&self) -> usize {
        self.a.remaining().min(self.b.remaining())
    }
    #[inline]
    fn peek(&mut self) -> Option<A::Coordinate> {
        let (mut a, mut b) = (self.a.peek()?, self.b.peek()?);
        while a != b {
            if self.search {
                if a < b {
                    self.a.seek(b);
                    a = self.a.peek()?;
                } else {
                    self.b.seek(a);
                    b = self.b.peek()?;
                }
            } else {
                // The comparison is unpredictable: there is no branch on it.
                let less = a < b;
                self.a.pass(less);
                self.b.pass(!less);
                (a, b) = (self.a.peek()?, self.b.peek()?);
            }
        }
        Some(a)
    }
    #[inline]
    fn pop(&mut self) -> (A::Item, B::Item) {
        (self.a.pop(), self.b.pop())
    }
    #[inline]
    fn pass(&mut self, past: bool) {
        self.a.pass(past);
        self.b.pass(past);
    }
    #[inline]
    fn seek(&mut self, coordinate: A::Coordinate) {
        self.a.seek(coordinate);
        self.b.seek(coordinate);
    }
}

impl<A: MergeCursor, B: MergeCursor<Coordinate = A::Coordinate>> Iterator for Intersection<A, B> {
    type Item = (A::Coordinate, (A::Item, B::Item));
    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        self.advance()
    }
}

/// A coordinate that one of two cursors has, with the items of both.
type Next<C, A, B> = Option<(C, (Option<A>, Option<B>))>;

/// Union of several cursors.
#[derive(Debug, Clone)]
pub struct Union<L>(L);

impl<A: MergeCursor, B: MergeCursor<Coordinate = A::Coordinate>> Union<(A, B)> {
    /// Advances by one of three branches, so that the caller's next step is predicted with it.
    #[inline]
    fn merge(&mut self) -> Next<A::Coordinate, A::Item, B::Item> {
        let Union((a, b)) = self;
        Some(match (a.peek(), b.peek()) {
            (Some(next), Some(other)) if next == other => (next, (Some(a.pop()), Some(b.pop()))),
            (Some(next), Some(other)) if next < other => (next, (Some(a.pop()), None)),
            (_, Some(next)) => (next, (None, Some(b.pop()))),
            (Some(next), None) => (next, (Some(a.pop()), None)),
            (None, None) => return None,
        })
    }

    /// Folds all coordinates: each of the three cases is compiled separately, and the rest of one cursor is a loop.
    #[inline]
    fn merge_all<R>(
        &mut self,
        mut all: R,
        mut next: impl FnMut(R, (A::Coordinate, (Option<A::Item>, Option<B::Item>))) -> R,
    ) -> R {
        let Union((a, b)) = self;
        if let (Some(mut of_a), Some(mut of_b)) = (a.peek(), b.peek()) {
            loop {
                if of_a == of_b {
                    all = next(all, (of_a, (Some(a.pop()), Some(b.pop()))));
                    (of_a, of_b) = match (a.peek(), b.peek()) {
                        (Some(of_a), Some(of_b)) => (of_a, of_b),
                        _ => break,
                    };
                } else if of_a < of_b {
                    all = next(all, (of_a, (Some(a.pop()), None)));
                    let Some(after) = a.peek() else { break };
                    of_a = after;
                } else {
                    all = next(all, (of_b, (None, Some(b.pop()))));
                    let Some(after) = b.peek() else { break };
                    of_b = after;
                }
            }
        }
        while let Some((at, item)) = a.advance() {
            all = next(all, (at, (Some(item), None)));
        }
        while let Some((at, item)) = b.advance() {
            all = next(all, (at, (None, Some(item))));
        }
        all
    }
}

/// Merges more cursors, without a branch on which of them have the coordinate.
macro_rules! merge_of {
    ($($cursor:ident $at:tt),*) => {
        impl<C: Coordinate, $($cursor: MergeCursor<Coordinate = C>),*> Union<($($cursor,)*)> {
            #[inline]
            fn merge(&mut self) -> Option<(C, ($(Option<$cursor::Item>,)*))> {
                let next = ($(self.0.$at.peek().unwrap_or(C::END),)*);
                let least = C::END$(.min(next.$at))*;
                if least == C::END {
                    return None;
                }
                Some((least, ($(self.0.$at.pop_if(next.$at == least),)*)))
            }

            #[inline]
            fn merge_all<R>(
                &mut self,
                mut all: R,
                mut next: impl FnMut(R, (C, ($(Option<$cursor::Item>,)*))) -> R,
            ) -> R {
                while let Some(item) = self.merge() {
                    all = next(all, item);
                }
                all
            }
        }
    };
}

merge_of!(A 0, B 1, D 2);
merge_of!(A 0, B 1, D 2, E 3);

macro_rules! union_of {
    ($(#[$doc:meta])* $function:ident, $($cursor:ident $field:ident $at:tt),*) => {
        $(#[$doc])*
        #[inline]
        pub fn $function<C: Coordinate, $($cursor: MergeCursor<Coordinate = C>),*>($($field: $cursor),*) -> Union<($($cursor,)*)> {
            Union(($($field,)*))
        }

        impl<C: Coordinate, $($cursor: MergeCursor<Coordinate = C>),*> MergeCursor for Union<($($cursor,)*)> {
            type Coordinate = C;
            type Item = ($(Option<$cursor::Item>,)*);

            #[inline]
            fn remaining(&self) -> usize {
                0usize$(.saturating_add(self.0.$at.remaining()))*
            }
            #[inline]
            fn peek(&mut self) -> Option<C> {
                let least = C::END$(.min(self.0.$at.peek().unwrap_or(C::END)))*;
                (least != C::END).then_some(least)
            }
            #[inline]
            fn pop(&mut self) -> Self::Item {
                self.merge().map_or(($(None::<$cursor::Item>,)*), |(_, items)| items)
            }
            #[inline]
            fn pass(&mut self, past: bool) {
                if past {
                    self.pop();
                }
            }
            #[inline]
            fn seek(&mut self, coordinate: C) {
                $(self.0.$at.seek(coordinate);)*
            }
            #[inline]
            fn advance(&mut self) -> Option<(C, Self::Item)> {
                self.merge()
            }
        }

        impl<C: Coordinate, $($cursor: MergeCursor<Coordinate = C>),*> Iterator for Union<($($cursor,)*)> {
            type Item = (C, ($(Option<$cursor::Item>,)*));
            #[inline]
            fn next(&mut self) -> Option<Self::Item> {
                self.merge()
            }
            #[inline]
            fn fold<R, F: FnMut(R, Self::Item) -> R>(mut self, start: R, next: F) -> R {
                self.merge_all(start, next)
            }
        }
    };
}

union_of!(
    /// The coordinates that any of two cursors has, with what each stores: `(coordinate, (of a, of b))`. One pass over both.
    union, A a 0, B b 1
);
union_of!(
    /// The same of three.
    union3, A a 0, B b 1, D d 2
);
union_of!(
    /// The same of four.
    union4, A a 0, B b 1, D d 2, E e 3
);

#[cfg(test)]
mod tests {
    use core::ops::Range;
    use std::collections::{BTreeMap, BTreeSet};

    use super::*;
    use crate::array::{Domain, Indices, Packed};
    use proptest::prelude::*;

    const DOMAIN: Domain = Domain { lo: -100, size: 600 };

    fn ascending(longest: usize) -> impl Strategy<Value = Vec<i16>> {
        prop::collection::btree_set(-100..400i16, 0..longest).prop_map(|set| set.into_iter().collect())
    }

    fn repeated(longest: usize) -> impl Strategy<Value = Vec<i16>> {
        prop::collection::vec(-20..30i16, 0..longest).prop_map(|mut entries| {
            entries.sort_unstable();
            entries
        })
    }

    fn indices(entries: &[i16]) -> Indices<i16> {
        Indices::try_new("level", entries.to_vec(), DOMAIN).unwrap()
    }

    /// Returns the positions of each coordinate, moved by `from`.
    fn positions(entries: &[i16], from: usize) -> BTreeMap<isize, Range<usize>> {
        let mut positions = BTreeMap::new();
        for (at, &entry) in entries.iter().enumerate() {
            positions.entry(isize::from(entry)).or_insert(from + at..from + at).end += 1;
        }
        positions
    }

    proptest! {
        #[test]
        fn intersections_are_those_of_maps(a in ascending(300), b in ascending(40), c in repeated(60), from in 0..5usize) {
            let (a_idx, b_idx, c_idx) = (indices(&a), indices(&b), indices(&c));
            let from = from.min(a.len());
            let of_a = positions(&a[from..], from);
            let (of_b, of_c) = (positions(&b, 0), positions(&c, 0));
            let cursor_a = a_idx.ascending_signed(from..a.len());
            let (cursor_b, cursor_c) = (b_idx.ascending_signed(0..b.len()), c_idx.runs_signed(0..c.len()));
            let both: Vec<_> = intersect(cursor_a, cursor_b).collect();
            let expected: Vec<_> = of_b.iter()
                .filter_map(|(&at, b)| Some((at, (of_a.get(&at)?.start, b.start)))).collect();
            prop_assert_eq!(&both, &expected);
            let swapped: Vec<_> = intersect(cursor_b, cursor_a).map(|(at, (b, a))| (at, (a, b))).collect();
            prop_assert_eq!(&swapped, &expected);
            let runs: Vec<_> = intersect(cursor_c, cursor_a).collect();
            let expected: Vec<_> = of_c.iter()
                .filter_map(|(&at, c)| Some((at, (c.clone(), of_a.get(&at)?.start)))).collect();
            prop_assert_eq!(&runs, &expected);
            let all: Vec<_> = intersect(intersect(cursor_a, cursor_b), cursor_c).collect();
            let expected: Vec<_> = of_c.iter().filter_map(|(&at, c)| {
                Some((at, ((of_a.get(&at)?.start, of_b.get(&at)?.start), c.clone())))
            }).collect();
            prop_assert_eq!(all, expected);
        }

        #[test]
        fn unions_taken_at_once_are_those_one_by_one(a in ascending(90), b in repeated(60)) {
            let (a_idx, b_idx) = (indices(&a), indices(&b));
            let cursors = || union(a_idx.ascending_signed(0..a.len()), b_idx.runs_signed(0..b.len()));
            let (mut at_once, mut one_by_one) = (Vec::new(), Vec::new());
            cursors().for_each(|next| at_once.push(next));
            // An explicit loop calls `next` for one after another.
            for next in cursors() {
                one_by_one.push(next);
            }
            prop_assert_eq!(at_once, one_by_one);
        }

        #[test]
        fn unions_are_those_of_maps(a in ascending(90), b in ascending(40), c in repeated(60), d in repeated(3)) {
            let (a_idx, b_idx, c_idx, d_idx) = (indices(&a), indices(&b), indices(&c), indices(&d));
            let maps = [&a, &b, &c, &d].map(|entries| positions(entries, 0));
            let cursors = (a_idx.ascending_signed(0..a.len()), b_idx.ascending_signed(0..b.len()));
            let runs = (c_idx.runs_signed(0..c.len()), d_idx.runs_signed(0..d.len()));
            let keys: BTreeSet<isize> = maps.iter().flat_map(|map| map.keys().copied()).collect();
            let expected: Vec<_> = keys.iter().map(|at| {
                let start = |map: usize| maps[map].get(at).map(|run| run.start);
                (*at, (start(0), start(1), maps[2].get(at).cloned(), maps[3].get(at).cloned()))
            }).collect();
            let all: Vec<_> = union4(cursors.0, cursors.1, runs.0, runs.1).collect();
            prop_assert_eq!(&all, &expected);
            let nested: Vec<_> = union(union(cursors.0, cursors.1), union(runs.0, runs.1)).map(|(at, (left, right))| {
                let ((a, b), (c, d)) = (left.unwrap_or_default(), right.unwrap_or_default());
                (at, (a, b, c, d))
            }).collect();
            prop_assert_eq!(&nested, &expected);
            let of_three = expected.iter().filter(|(_, (a, b, c, _))| a.is_some() || b.is_some() || c.is_some());
            let of_three: Vec<_> = of_three.map(|(at, (a, b, c, _))| (*at, (*a, *b, c.clone()))).collect();
            prop_assert_eq!(union3(cursors.0, cursors.1, runs.0).collect::<Vec<_>>(), of_three);
            let mixed: Vec<_> = intersect(union(cursors.0, cursors.1), runs.0).map(|(at, _)| at).collect();
            let in_c = expected.iter().filter(|(_, (a, b, c, _))| (a.is_some() || b.is_some()) && c.is_some());
            prop_assert_eq!(mixed, in_c.map(|(at, _)| *at).collect::<Vec<_>>());
        }
    }

    #[test]
    fn tuples_are_merged_too() {
        let rows = Domain { lo: 0, size: 9 };
        let packed = Packed::<0, _>::try_new("row", vec![(1u8, 0.5), (3, 1.5), (3, 2.5), (8, 3.5)], rows).unwrap();
        let idx = Indices::try_new("row", vec![0u32, 3, 8], rows).unwrap();
        let both: Vec<_> = intersect(packed.runs(0..4), idx.ascending(0..3)).collect();
        assert_eq!(both, [(3, (1..3, 1)), (8, (3..4, 2))]);
    }

    #[test]
    fn nothing_meets_nothing() {
        let idx = indices(&[1, 2]);
        assert_eq!(intersect(idx.ascending(0..2), idx.ascending(1..1)).count(), 0);
        let one: Vec<_> = union(idx.ascending(1..1), idx.ascending(0..2)).collect();
        assert_eq!(one, [(1, (None, Some(0))), (2, (None, Some(1)))]);
    }
}
