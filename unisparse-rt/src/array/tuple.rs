//! Tuples as entries of an array: access to one item, and to the last.

use core::fmt;

/// Tuples that stand for one position of several arrays.
pub trait Entry {
    /// Formats the entry as a tuple; the standard library does so for at most twelve items.
    ///
    /// # Errors
    /// The errors of the formatter.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result;
}

/// Tuples with an item `K`.
pub trait Field<const K: usize>: Entry {
    /// The type of the item.
    type Item: Copy;
    /// Returns the item.
    fn item(&self) -> &Self::Item;
}

/// Tuples whose last item can be replaced by another value; the items before it stay as they are.
pub trait Last<U>: Entry {
    /// The number of the last item.
    const LAST: usize;
    /// The type of the last item.
    type Value;
    /// The tuple with the other value.
    type With: Entry;
    /// Applies `map` to the last item.
    fn map_last(self, map: impl FnOnce(Self::Value) -> U) -> Self::With;
    /// Returns the last item.
    fn last_mut(&mut self) -> &mut Self::Value;
}

macro_rules! tuple {
    (@last [$($before:ident $place:tt)*] $last:ident $at:tt) => {
        impl<$($before: fmt::Debug,)* $last: fmt::Debug, With: fmt::Debug> Last<With> for ($($before,)* $last) {
            const LAST: usize = $at;
            type Value = $last;
            type With = ($($before,)* With);
            #[inline]
            fn map_last(self, map: impl FnOnce($last) -> With) -> Self::With {
                ($(self.$place,)* map(self.$at))
            }
            #[inline]
            fn last_mut(&mut self) -> &mut $last {
                &mut self.$at
            }
        }
    };
    (@last [$($before:ident $place:tt)*] $next:ident $at:tt $($rest:tt)+) => {
        tuple!(@last [$($before $place)* $next $at] $($rest)+);
    };
    (@item ($($name:ident)*) $item:ident $at:tt) => {
        impl<$($name: fmt::Debug),*> Field<$at> for ($($name),*)
        where
            $item: Copy,
        {
            type Item = $item;
            #[inline]
            fn item(&self) -> &$item {
                &self.$at
            }
        }
    };
    ($all:tt $($name:ident $at:tt)*) => {
        impl<$($name: fmt::Debug),*> Entry for ($($name),*) {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.debug_tuple("")$(.field(&self.$at))*.finish()
            }
        }
        $(tuple!(@item $all $name $at);)*
        tuple!(@last [] $($name $at)*);
    };
}

/// Implements the traits for tuples of two items up to all items given.
macro_rules! tuples {
    ([$($name:ident $at:tt)*]) => { tuple!(($($name)*) $($name $at)*); };
    ([$($name:ident $at:tt)*] $next:ident $number:tt $($rest:tt)*) => {
        tuple!(($($name)*) $($name $at)*);
        tuples!([$($name $at)* $next $number] $($rest)*);
    };
}

// There is an `idx` array for each of at most sixteen levels, and the values.
tuples!([A 0 B 1] C 2 D 3 E 4 F 5 G 6 H 7 I 8 J 9 K 10 L 11 M 12 N 13 O 14 P 15 Q 16);
