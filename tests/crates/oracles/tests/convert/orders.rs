//! The elements of each format are in the order that its type declares, on which conversions rely without a check.

use unisparse::__private::{Atom, Form, Order};
use unisparse::prelude::*;

use crate::common::random::tensors;
use crate::formats::{Converted, EachFormat, each_format, name_of};

/// Returns the value of the form at a coordinate; `None` if it contains the result of a query.
fn value(form: &Form, at: [usize; 2]) -> Option<i64> {
    form.terms.iter().try_fold(form.constant, |sum, &(atom, factor)| {
        let atom = match atom {
            Atom::Dim(dim) => at[dim] as i64,
            Atom::Query(_) => return None,
            Atom::Quotient(form, divisor) => value(form, at)?.div_euclid(divisor),
        };
        Some(sum + factor * atom)
    })
}

struct Ordered<'a> {
    triplets: &'a Triplets<f32, 2>,
    /// Formats whose order was checked on every level.
    whole: Vec<String>,
    /// Formats whose order was checked on the levels above the first query.
    begun: Vec<String>,
}

impl EachFormat for Ordered<'_> {
    fn format<F: Converted>(&mut self) {
        let Order::By(encoding) = F::ORDER else { return };
        let known = encoding.levels.iter().map(|level| value(&level.form, [0, 0]));
        let known = known.take_while(Option::is_some).count();
        let all = known == encoding.levels.len();
        let coordinates = |at| encoding.levels[..known].iter().map(move |level| value(&level.form, at));
        let mut last: Option<[usize; 2]> = None;
        self.triplets.convert::<F>().unwrap().for_each(|at, _| {
            if let Some(last) = last {
                let order = coordinates(last).cmp(coordinates(at));
                let ascends = order.is_lt() || !all && order.is_eq();
                assert!(ascends, "{}: {last:?} before {at:?}", name_of::<F>());
            }
            last = Some(at);
        });
        match known {
            _ if all => self.whole.push(name_of::<F>()),
            0 => {}
            _ => self.begun.push(name_of::<F>()),
        }
    }
}

#[test]
fn elements_come_in_the_order_of_the_type() {
    for (seed, shape) in [[20, 20], [70, 9], [9, 70], [130, 129], [0, 4]].into_iter().enumerate() {
        for triplets in tensors(shape, seed as u64 + 3) {
            let mut ordered = Ordered {
                triplets: &triplets.map(|value| value as f32),
                whole: Vec::new(),
                begun: Vec::new(),
            };
            each_format(&mut ordered);
            let Ordered { whole, begun, .. } = ordered;
            // 20 formats have no queries; `Sell` (twice) and `Serpens` have a level above their queries.
            assert_eq!((whole.len(), begun.len()), (20, 3), "{whole:?} {begun:?}");
        }
    }
}
