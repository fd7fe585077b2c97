//! Models the time of a product: the work of its loops, and the memory traffic.
//!
//! The counts are exact, but for the accesses to dense operands, which are sampled. What each operation costs is in `rates`.

use core::iter::Sum;

use super::locality::Reuse;
use super::profile::{Loop, Move, Profile};
use super::rates::{KINDS, Rates, SHIPPED, Work};
use crate::machine::parallel;
use crate::machine::prefetch::LINE;

/// Maximum number of positions of a pass (one execution of a loop) that fits the registers.
const NEAR: f64 = 64.0;

/// What a product is computed with.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Setting<'a> {
    pub(crate) rates: &'a Rates,
    /// Maximum number of threads that run; that of the current `rayon` pool if not given.
    pub(crate) threads: Option<usize>,
    /// Number of columns of the dense operands.
    pub(crate) columns: usize,
}

/// The time of a product in nanoseconds, by cause.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Cost {
    /// The work of all loops by kind.
    work: [f64; KINDS],
    /// The streams over the arrays of the tensor, and copies of outputs.
    arrays: f64,
    /// The accesses to dense operands beyond the nearest cache.
    operands: f64,
    /// The time to start and join the threads.
    fork: f64,
}

impl Cost {
    /// Returns the cost of the product of a tensor, which computes its parts one after another.
    pub(crate) fn of(parts: &[Profile], setting: &Setting<'_>) -> Self {
        let read = parts.iter().map(|part| part.read as f64).sum();
        let part = |(number, profile)| Part {
            profile,
            adds: number > 0,
            read_of_all: read,
        };
        let parts = parts.iter().enumerate().map(part);
        parts.map(|part| Cost::of_part(part, setting)).sum()
    }

    fn of_part(part: Part<'_>, setting: &Setting<'_>) -> Self {
        let (mut cost, profile) = (Cost::default(), part.profile);
        let (Some(outermost), Some(inner)) = (profile.loops.first(), profile.loops.last()) else {
            return cost;
        };
        let work = usize::try_from(inner.positions).unwrap_or(usize::MAX);
        let work = work.saturating_mul(setting.columns);
        // Threads that scatter have private outputs.
        let copies = is_still(outermost) && inner.moves.first() == Some(&Move::LookedUp);
        let piece = if copies { parallel::PIECE } else { parallel::SHORT };
        let threads = match setting.threads {
            Some(threads) => parallel::pieces_on(threads, piece, work),
            None => parallel::pieces_of(piece, work),
        };
        if threads > 1 {
            cost.fork = setting.rates.fork;
        }
        for (kind, count) in counts(part, setting.columns, threads, setting.rates.learned) {
            cost.work[kind as usize] += count * setting.rates.work[kind as usize] / threads as f64;
        }
        let traffic = Traffic::new(part, setting, threads);
        cost.arrays = traffic.arrays();
        if copies {
            // They are zeroed and summed.
            let copies = 3.0 * (threads - 1) as f64 * traffic.output();
            cost.arrays += copies * setting.rates.stream(copies, threads);
        }
        cost.operands = traffic.operands();
        cost
    }

    /// Returns the total time in seconds. Memory traffic overlaps with the loops in part; the constants are fitted to this sum, so they
    /// hold what is left of each.
    pub(crate) fn seconds(&self) -> f64 {
        1e-9 * (self.work.iter().sum::<f64>() + self.arrays + self.operands + self.fork)
    }

    /// Names the largest cause.
    pub(crate) fn why(&self) -> &'static str {
        use Work::{
            AlongPass, DotMisprediction, DotPass, EmptyPass, EvenPass, Misprediction, OuterPass, Return, UnevenPass,
        };
        let of = |kinds: &[Work]| kinds.iter().map(|&kind| self.work[kind as usize]).sum::<f64>();
        let passes = of(&[UnevenPass, DotPass, EmptyPass, EvenPass, AlongPass, OuterPass]);
        let [mispredicted, returns] = [of(&[Misprediction, DotMisprediction]), of(&[Return])];
        let loops = self.work.iter().sum::<f64>();
        let memory = self.arrays + self.operands;
        let terms = [
            (loops - passes - mispredicted - returns, "multiplies"),
            (passes, "starts many short loops"),
            (mispredicted, "rows of many lengths"),
            (returns, "adds to outputs again and again"),
        ];
        let most = terms.into_iter().max_by(|left, right| left.0.total_cmp(&right.0));
        match most {
            Some((_, why)) if loops > memory => why,
            _ if self.operands > self.arrays => "reads vectors out of order",
            _ => "reads memory",
        }
    }
}

impl Default for Cost {
    fn default() -> Self {
        Cost {
            work: [0.0; KINDS],
            arrays: 0.0,
            operands: 0.0,
            fork: 0.0,
        }
    }
}

impl Sum for Cost {
    fn sum<I: Iterator<Item = Self>>(parts: I) -> Self {
        parts.fold(Cost::default(), |sum, part| Cost {
            work: core::array::from_fn(|kind| sum.work[kind] + part.work[kind]),
            arrays: sum.arrays + part.arrays,
            operands: sum.operands + part.operands,
            fork: sum.fork + part.fork,
        })
    }
}

/// A part of a tensor.
#[derive(Debug, Clone, Copy)]
struct Part<'a> {
    profile: &'a Profile,
    /// Whether its sums are added to those of other parts.
    adds: bool,
    /// The bytes of all parts that are read: between two accesses to the same memory, a product reads the whole tensor.
    read_of_all: f64,
}

fn is_still(along: &Loop) -> bool {
    along.moves.first() == Some(&Move::Still)
}

/// Returns whether outputs change by a constant along a loop.
fn is_along(along: &Loop) -> bool {
    matches!(along.moves.first(), Some(Move::By(_)))
}

/// Returns how often each kind of work is done by all threads in total, each of which learns `learned` changes of a pass's length.
fn counts(part: Part<'_>, columns: usize, threads: usize, learned: f64) -> Vec<(Work, f64)> {
    let profile = part.profile;
    let are_dots = are_dots(part, columns);
    let mut counts = Vec::new();
    let mut passes = 1.0;
    for (at, along) in profile.loops.iter().enumerate() {
        let last = at + 1 == profile.loops.len();
        if at > 0 {
            // Of more passes than positions, at least those beyond are empty.
            let full = f64::min(passes, along.positions as f64);
            counts.extend(match along.changes {
                Some(_) if are_dots => [(Work::DotPass, full), (Work::EmptyPass, passes - full)],
                Some(_) => [(Work::UnevenPass, full), (Work::EmptyPass, passes - full)],
                None => [(even_pass(along, last), passes), (Work::EmptyPass, 0.0)],
            });
            let kind = if are_dots {
                Work::DotMisprediction
            } else {
                Work::Misprediction
            };
            let changes = along.changes.unwrap_or(0.0).min(passes);
            counts.push((kind, mispredictions(changes, threads as f64 * learned)));
        }
        if !last {
            passes = along.positions as f64;
        }
    }
    let (Some(outermost), Some(inner)) = (profile.loops.first(), profile.loops.last()) else {
        return counts;
    };
    let positions = inner.positions as f64;
    if are_dots {
        counts.push((Work::Dot, positions));
    } else if columns == 1 {
        counts.push((step(inner, positions / f64::max(passes, 1.0)), positions));
    } else {
        // A tile of columns for each position.
        counts.push((Work::Column, positions * columns as f64));
        counts.push((Work::EvenPass, positions * (columns as f64 / NEAR).ceil()));
    }
    if profile.loops.len() > 1 && (part.adds || is_still(outermost)) && is_still(inner) {
        counts.push((Work::Return, f64::min(passes, positions)));
    }
    counts
}

/// Returns whether a product stores the dot product of each row of a matrix, one after another: generated code has one loop for that.
fn are_dots(part: Part<'_>, columns: usize) -> bool {
    let [rows, entries] = &part.profile.loops[..] else {
        return false;
    };
    let is = |along: &Loop, moves: [Move; 2]| along.moves == moves;
    let are_stored = columns == 1 && !part.adds;
    are_stored
        && is(rows, [Move::By(1), Move::Still])
        && is(entries, [Move::Still, Move::LookedUp])
        && entries.changes.is_some()
}

/// Returns the kind of a pass of a loop whose passes are of equal length.
fn even_pass(along: &Loop, is_innermost: bool) -> Work {
    match (is_innermost, is_along(along)) {
        (true, true) => Work::AlongPass,
        (true, false) => Work::EvenPass,
        (false, _) => Work::OuterPass,
    }
}

/// Returns how many of these changes of a pass's length cost a branch misprediction: when the same product runs again and again, the
/// processors learn as many as `learned`. Of four times as many, none is learned.
fn mispredictions(changes: f64, learned: f64) -> f64 {
    changes * ((changes / learned).max(1.0).log2() / 2.0).min(1.0)
}

/// Returns the kind of a step of the innermost loop, whose passes have `run` steps.
fn step(inner: &Loop, run: f64) -> Work {
    let output = inner.moves.first().copied().unwrap_or(Move::Still);
    let looked_up = inner.moves.iter().skip(1).any(|&along| along == Move::LookedUp);
    match (output, looked_up) {
        (Move::Still | Move::Invariant, false) => Work::Sum,
        (Move::Still, true) => Work::LookedUpSum,
        (Move::Invariant, true) => Work::LookedUpTile,
        (Move::By(_), true) => Work::LookedUpAlong,
        // The counts of a sample are rounded when they are scaled to those of the matrix.
        (Move::By(_), false) if run.round() <= NEAR => Work::Along,
        (Move::By(_), false) => Work::FarAlong,
        (Move::LookedUp, _) if inner.repeats => Work::Repeated,
        (Move::LookedUp, true) => Work::LookedUpScatter,
        (Move::LookedUp, false) => Work::Scatter,
    }
}

/// The bytes that a product moves.
struct Traffic<'a> {
    part: Part<'a>,
    setting: &'a Setting<'a>,
    threads: usize,
    /// The bytes of the tensor that are read.
    read: f64,
    /// The bytes of an element of the operands: of all its columns.
    width: f64,
    /// The bytes of all dense operands.
    vectors: f64,
}

impl<'a> Traffic<'a> {
    fn new(part: Part<'a>, setting: &'a Setting<'a>, threads: usize) -> Self {
        let profile = part.profile;
        let width = profile.operand as f64 * setting.columns as f64;
        let vectors = profile.shape.iter().map(|&extent| extent as f64 * width);
        Traffic {
            part,
            setting,
            threads,
            read: profile.read as f64,
            width,
            vectors: vectors.sum(),
        }
    }

    fn stream(&self) -> f64 {
        self.setting
            .rates
            .stream(self.part.read_of_all + self.vectors, self.threads)
    }

    fn arrays(&self) -> f64 {
        self.read * self.stream()
    }

    /// Returns the bytes of the output.
    fn output(&self) -> f64 {
        let shape = &self.part.profile.shape;
        shape.first().map_or(0.0, |&extent| extent as f64 * self.width)
    }

    /// Returns the time of accesses to dense operands beyond the nearest cache. The output counts twice, as it is also written.
    fn operands(&self) -> f64 {
        let writes = |dim: usize| if dim == 0 { 2.0 } else { 1.0 };
        let profile = self.part.profile;
        let Some(locality) = &profile.locality else {
            // Each is read once.
            let extents = profile.shape.iter().enumerate();
            let bytes = extents.map(|(dim, &extent)| writes(dim) * extent as f64 * self.width);
            return bytes.sum::<f64>() * self.stream();
        };
        let elements = profile.elements as f64;
        // The elements of a line of a vector are this many bytes in several columns, and an element is on as many lines.
        let line = LINE as f64 * self.setting.columns as f64;
        let lines = f64::max(1.0, self.width / LINE as f64);
        let each = self.read / elements.max(1.0);
        let total = self.part.read_of_all + self.vectors;
        let access = |bytes: f64| self.setting.rates.gather(bytes, self.threads) / self.threads as f64;
        let cost = |(dim, reuse): (usize, &Reuse)| {
            let again = reuse.again().map(|(share, since)| {
                let between = locality.lines(since) * line + since * each;
                share * access(between.min(total))
            });
            // A line that a run accesses first returns when as many elements have been read as access all lines of the vector.
            let vector = profile.shape[dim] as f64 * self.width / line;
            let since = vector / f64::max(reuse.near + reuse.far, 1.0 / elements.max(1.0));
            let between = (self.vectors + since * each).min(total);
            let stream = self.setting.rates.stream(between, self.threads);
            let apart = again.sum::<f64>() + reuse.far * access(between);
            writes(dim) * (lines * apart + reuse.near * line * stream)
        };
        elements * locality.dims.iter().enumerate().map(cost).sum::<f64>()
    }
}

/// Returns the modelled seconds of one product of a tensor of these parts with vectors, on one thread, with the shipped constants:
/// what is decided by them is the same on every machine.
pub(crate) fn seconds(parts: &[Profile]) -> f64 {
    let setting = Setting {
        rates: &SHIPPED,
        threads: Some(1),
        columns: 1,
    };
    Cost::of(parts, &setting).seconds()
}

#[cfg(test)]
mod tests {
    use super::Move::{By, LookedUp, Still};
    use super::*;

    /// Many rows of two elements on average, whose coordinates move along the two loops like this.
    fn rows(outer: [Move; 2], inner: [Move; 2]) -> Profile {
        const ROWS: usize = 1 << 16;
        let along = |level, positions: usize, changes, moves: [Move; 2]| Loop {
            level,
            positions: positions as u128,
            changes,
            repeats: false,
            moves: moves.to_vec(),
        };
        let inner = along(1, 2 * ROWS, Some(ROWS as f64), inner);
        Profile {
            loops: vec![along(0, ROWS, None, outer), inner],
            ..Profile::of_list::<f64, 2>([ROWS, ROWS], 2 * ROWS)
        }
    }

    #[test]
    fn passes_of_a_sample_are_as_long_as_those_of_the_matrix() {
        let along = |moves: [Move; 2]| Loop {
            level: 1,
            positions: 0,
            changes: None,
            repeats: false,
            moves: moves.to_vec(),
        };
        // What 7122 blocks of 64 rows were scaled to.
        assert_eq!(step(&along([By(1), By(1)]), 455_809.0 / 7122.0), Work::Along);
        assert_eq!(step(&along([By(1), By(1)]), 65.0), Work::FarAlong);
    }

    #[test]
    fn rows_that_are_stored_one_after_another_are_dot_products() {
        let kinds = |outer, adds, columns| -> Vec<Work> {
            let profile = &rows(outer, [Still, LookedUp]);
            let part = Part {
                profile,
                adds,
                read_of_all: 0.0,
            };
            let done = |(kind, count): (Work, f64)| (count > 0.0).then_some(kind);
            counts(part, columns, 1, SHIPPED.learned)
                .into_iter()
                .filter_map(done)
                .collect()
        };
        let every_row = [By(1), Still];
        assert_eq!(
            kinds(every_row, false, 1),
            [Work::DotPass, Work::DotMisprediction, Work::Dot]
        );
        let others = [Work::UnevenPass, Work::Misprediction, Work::LookedUpSum];
        assert_eq!(kinds([LookedUp, Still], false, 1), others);
        assert_eq!(kinds(every_row, true, 1), [&others[..], &[Work::Return]].concat());
        assert_eq!(
            kinds(every_row, false, 8),
            [Work::UnevenPass, Work::Misprediction, Work::Column, Work::EvenPass]
        );
    }
}
