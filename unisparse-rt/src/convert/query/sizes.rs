//! The number of coordinates of the whole index space in each group: a sum counts absent elements with it.

use super::elements::BATCH;
use super::groups::{Budget, position, volume};
use crate::array::Domain;
use crate::error::Error;

/// Number of coordinates that may be enumerated whatever the limit; it takes a fraction of a second.
const QUICK: u128 = 1 << 26;

/// Writes the groups of some coordinates, both concatenated; a group without fields takes one number, too.
pub(super) type GroupsOf<'a> = dyn Fn(&[i64], &mut [i64]) + Sync + 'a;

/// The sizes of groups as products: fields of the group that share no dim are counted separately.
pub(super) struct Sizes {
    parts: Vec<Part>,
    /// The extents of the dims that no field of the group depends on.
    others: Vec<u128>,
}

/// Fields of the group that share dims.
struct Part {
    fields: Vec<usize>,
    dims: Vec<usize>,
    domains: Vec<Domain>,
    /// Number of coordinates of `dims` for each tuple of `fields`.
    counts: Vec<u128>,
}

impl Sizes {
    /// Counts the coordinates of each group in a box with these domains. Field `f` of the groups depends on the dims
    /// `involves[f]`.
    pub(super) fn count(
        budget: Budget,
        shape: &[i64],
        domains: &[Domain],
        involves: &[&[usize]],
        group: &GroupsOf,
    ) -> Result<Self, Error> {
        let mut parts = connected(involves);
        for part in &mut parts {
            part.domains = part.fields.iter().map(|&field| domains[field]).collect();
            part.count(budget, shape, (group, domains.len()))?;
        }
        let free = (0..shape.len()).filter(|dim| !parts.iter().any(|part| part.dims.contains(dim)));
        Ok(Sizes {
            others: free.map(|dim| shape[dim] as u128).collect(),
            parts,
        })
    }

    /// Returns the number of coordinates of a group; `None` on overflow.
    pub(super) fn of(&self, group: &[i64]) -> Option<u128> {
        let counts = self.parts.iter().map(|part| {
            let tuple: Vec<i64> = part.fields.iter().map(|&field| group[field]).collect();
            part.counts[position(&part.domains, &tuple)]
        });
        let mut factors = counts.chain(self.others.iter().copied());
        if factors.clone().any(|factor| factor == 0) {
            return Some(0);
        }
        factors.try_fold(1, u128::checked_mul)
    }
}

/// Partitions the fields of a group into sets that share dims.
fn connected(involves: &[&[usize]]) -> Vec<Part> {
    let mut parts: Vec<Part> = Vec::new();
    for (field, &dims) in involves.iter().enumerate() {
        let (shared, apart): (Vec<_>, Vec<_>) = parts
            .into_iter()
            .partition(|part| part.dims.iter().any(|dim| dims.contains(dim)));
        let mut joined = Part {
            fields: vec![field],
            dims: dims.to_vec(),
            domains: Vec::new(),
            counts: Vec::new(),
        };
        for Part { fields, dims, .. } in shared {
            joined.fields.extend(fields);
            joined.dims.extend(dims);
        }
        joined.dims.sort_unstable();
        joined.dims.dedup();
        parts = apart;
        parts.push(joined);
    }
    parts
}

impl Part {
    /// Enumerates every coordinate of the part's dims, with the other dims at 0.
    fn count(&mut self, budget: Budget, shape: &[i64], (group, fields): (&GroupsOf, usize)) -> Result<(), Error> {
        let extent = |&dim: &usize| shape[dim] as u128;
        let coordinates = self.dims.iter().map(extent).fold(1, u128::saturating_mul);
        self.counts = vec![0; volume(&self.domains) as usize];
        if coordinates == 0 {
            return Ok(());
        }
        budget.within(
            "coordinates to count the sizes of groups by",
            coordinates,
            budget.allowed.max(QUICK),
        )?;
        let (mut at, mut tuple, width) = (vec![0; shape.len()], vec![0; self.fields.len()], fields.max(1));
        let (mut batch, mut groups) = (Vec::new(), Vec::new());
        let mut left = coordinates as usize;
        while left > 0 {
            let count = left.min(BATCH);
            left -= count;
            batch.clear();
            for _ in 0..count {
                batch.extend_from_slice(&at);
                for &dim in self.dims.iter().rev() {
                    at[dim] += 1;
                    if at[dim] < shape[dim] {
                        break;
                    }
                    at[dim] = 0;
                }
            }
            groups.resize(count * width, 0);
            group(&batch, &mut groups);
            for group in groups.chunks_exact(width) {
                for (number, &field) in tuple.iter_mut().zip(&self.fields) {
                    *number = group[field];
                }
                self.counts[position(&self.domains, &tuple)] += 1;
            }
        }
        Ok(())
    }
}
