//! How soon a traversal returns to the cache lines of dense operands, sampled from runs of consecutive elements.

use crate::machine::prefetch::LINE;

/// Number of classes of distances: powers of two, up to the length of a run.
const CLASSES: usize = 16;
/// Vectors of fewer bytes stay in the nearest cache: their accesses are not sampled.
pub(crate) const NEAREST: usize = 16 << 10;

/// The accesses of a traversal to the vectors along each dim, one access of each vector for each element.
#[derive(Debug, Clone)]
pub(crate) struct Locality {
    pub(crate) dims: Vec<Reuse>,
}

/// The accesses to one vector, as shares of all of them.
#[derive(Debug, Clone, Default)]
pub(crate) struct Reuse {
    /// Accesses to a line that was last accessed `2^k` to `2^(k + 1)` elements before.
    again: [f64; CLASSES],
    /// The share of each class times the mean number of elements since the last access.
    since: [f64; CLASSES],
    /// First accesses of a run to a line beside one that was accessed before: the hardware has prefetched it.
    pub(crate) near: f64,
    /// First accesses of a run to all other lines.
    pub(crate) far: f64,
}

impl Locality {
    /// Samples runs of elements, given by their coordinates. `width` is the size of an element of a vector in bytes.
    pub(crate) fn of<const N: usize>(runs: &[Vec<[usize; N]>], width: usize) -> Self {
        let count = runs.iter().map(Vec::len).sum::<usize>().max(1) as f64;
        let line = |at: usize| (at as u128 * width as u128 / LINE as u128) as u64;
        let reuse = |dim: usize| {
            let mut reuse = Reuse::default();
            for run in runs {
                let last = run.iter().map(|at| at[dim]).max().map_or(0, line);
                reuse.count((run.len(), last), run.iter().map(|at| line(at[dim])));
            }
            reuse.scale(1.0 / count);
            reuse
        };
        Locality {
            dims: (0..N).map(reuse).collect(),
        }
    }

    /// Returns the number of distinct lines of all vectors in `elements` consecutive elements.
    pub(crate) fn lines(&self, elements: f64) -> f64 {
        self.dims.iter().map(|reuse| reuse.lines(elements)).sum()
    }
}

impl Reuse {
    /// Counts the accesses of a run, of which there are `length`, to lines up to the `greatest`.
    fn count(&mut self, (length, greatest): (usize, u64), lines: impl Iterator<Item = u64>) {
        let mut last = Table::new(length, greatest);
        let (mut at_once, mut before) = (0u32, EMPTY);
        for (time, line) in lines.enumerate() {
            if line == before {
                at_once += 1;
                continue;
            }
            // The accesses to the line before, one after another, end here.
            if time > 0 {
                last.replace(before, time as u32 - 1);
            }
            before = line;
            match last.replace(line, time as u32) {
                Some(before) => {
                    let since = time as u32 - before;
                    let class = (since.ilog2() as usize).min(CLASSES - 1);
                    self.again[class] += 1.0;
                    self.since[class] += f64::from(since);
                }
                None if last.contains(line.wrapping_sub(1)) || last.contains(line + 1) => self.near += 1.0,
                None => self.far += 1.0,
            }
        }
        self.again[0] += f64::from(at_once);
        self.since[0] += f64::from(at_once);
    }

    fn scale(&mut self, factor: f64) {
        let shares = self.again.iter_mut().chain(&mut self.since);
        let shares = shares.chain([&mut self.near, &mut self.far]);
        shares.for_each(|share| *share *= factor);
    }

    /// Returns the shares of accesses that return to a line, each with the mean number of elements since its last access.
    pub(crate) fn again(&self) -> impl Iterator<Item = (f64, f64)> + '_ {
        let shares = self.again.iter().zip(&self.since);
        shares
            .filter(|&(&share, _)| share > 0.0)
            .map(|(&share, since)| (share, since / share))
    }

    /// Returns the number of distinct lines in `elements` consecutive elements: an element adds a line if the last access to
    /// it was before them.
    fn lines(&self, elements: f64) -> f64 {
        let returns = self.again().map(|(share, since)| share * since.min(elements));
        returns.sum::<f64>() + (self.near + self.far) * elements
    }
}

/// The last access to each line.
enum Table {
    /// By line, one more than the time; 0 for lines without an access.
    Direct(Vec<u32>),
    /// A hash table with open addressing.
    Hashed { slots: Vec<(u64, u32)>, mask: usize },
}

/// No line has this number: the address space has fewer.
const EMPTY: u64 = u64::MAX;

impl Table {
    /// Creates a table for this many accesses to lines up to the `greatest`.
    fn new(accesses: usize, greatest: u64) -> Self {
        if let Some(lines) = usize::try_from(greatest).ok().filter(|&lines| lines < 4 * accesses) {
            return Table::Direct(vec![0; lines + 1]);
        }
        let slots = (2 * accesses).next_power_of_two().max(2);
        Table::Hashed {
            slots: vec![(EMPTY, 0); slots],
            mask: slots - 1,
        }
    }

    fn contains(&self, line: u64) -> bool {
        match self {
            Table::Direct(times) => times.get(line as usize).is_some_and(|&time| time > 0),
            Table::Hashed { slots, mask } => line != EMPTY && slots[slot(slots, *mask, line)].0 == line,
        }
    }

    /// Notes an access to a line, and returns the time of the one before.
    fn replace(&mut self, line: u64, time: u32) -> Option<u32> {
        match self {
            Table::Direct(times) => core::mem::replace(&mut times[line as usize], time + 1).checked_sub(1),
            Table::Hashed { slots, mask } => {
                let slot = slot(slots, *mask, line);
                let (known, before) = core::mem::replace(&mut slots[slot], (line, time));
                (known == line).then_some(before)
            }
        }
    }
}

/// Returns the slot of a line, or the empty one where it belongs.
fn slot(slots: &[(u64, u32)], mask: usize, line: u64) -> usize {
    let mut at = (line.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32) as usize & mask;
    while slots[at].0 != line && slots[at].0 != EMPTY {
        at = (at + 1) & mask;
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(left: f64, right: f64) -> bool {
        (left - right).abs() < 1e-9
    }

    #[test]
    fn accesses_are_divided_by_the_distance_of_their_return() {
        // Eight elements of eight bytes are one line: rows stay, columns go around four lines, and one is far away.
        let mut run: Vec<[usize; 2]> = (0..64).map(|at| [3, at % 4 * 8]).collect();
        run.push([4, 1 << 20]);
        let locality = Locality::of(&[run], 8);
        let [rows, cols] = &locality.dims[..] else {
            panic!("two dims")
        };
        assert!(close(rows.again[0], 64.0 / 65.0) && close(rows.far, 1.0 / 65.0) && close(rows.near, 0.0));
        assert!(close(cols.again[2], 60.0 / 65.0) && close(cols.far, 2.0 / 65.0) && close(cols.near, 3.0 / 65.0));
        // Two lines of rows and five of columns, less those before the first elements.
        assert!((7.0..11.0).contains(&locality.lines(64.0)));
    }

    #[test]
    fn runs_are_sampled_separately_and_any_line_is_counted() {
        let run = vec![[usize::MAX], [0], [usize::MAX]];
        let locality = Locality::of(&[run.clone(), run, Vec::new()], 8);
        assert!(close(locality.dims[0].again[1], 1.0 / 3.0) && close(locality.dims[0].far, 2.0 / 3.0));
        assert!(close(Locality::of::<1>(&[], 8).dims[0].far, 0.0));
    }
}
