//! Interprets loops, merges and searches.

use std::collections::BTreeMap;

use super::{Run, Tensor, coordinate, identity, reduced, span};
use crate::compiler::brute::tree::Entry;
use crate::compiler::loops::{
    Access, Array, Cell, Entries, Expr, Find, Found, Merge, Nonempty, Range, Segment, Slices, Stmt, TensorLevel, Tiles,
    Var,
};

impl<'a> Run<'a> {
    /// Returns `max(lows)..min(highs)`, with a low bound of at least zero for natural variables.
    pub(super) fn bounds(&self, var: Var, lows: &[Expr], highs: &[Expr]) -> std::ops::Range<i128> {
        let least = self.variables.is_natural(var).then_some(0);
        let lows = lows.iter().map(|low| self.value(low));
        let highs = highs.iter().map(|high| self.value(high));
        lows.chain(least).max().expect("a low bound")..highs.min().expect("a high bound")
    }

    /// Runs the iterations of a loop, given by their first values, in the order of the threads. The elements that they
    /// append to a sparse output are in the order of the loop.
    pub(super) fn iterations(&mut self, firsts: &[i128], mut body: impl FnMut(&mut Self, i128)) {
        let permutes = std::mem::take(&mut self.permutes);
        if !permutes {
            return firsts.iter().for_each(|&first| body(self, first));
        }
        let before = std::mem::take(&mut self.appended);
        let mut appended = vec![Vec::new(); firsts.len()];
        for number in self.threads.order(firsts.len()) {
            body(self, firsts[number]);
            appended[number] = std::mem::take(&mut self.appended);
        }
        self.appended = before.into_iter().chain(appended.into_iter().flatten()).collect();
    }

    pub(super) fn range(&mut self, range: &Range) {
        let stride = range
            .stride
            .as_ref()
            .map(|(residue, modulus)| (self.value(residue), self.value(modulus)));
        let numbers: Vec<i128> = self.bounds(range.var, &range.lows, &range.highs).collect();
        self.iterations(&numbers, |run, at| {
            if stride.is_none_or(|(residue, modulus)| (at - residue).rem_euclid(modulus) == 0)
                && range
                    .nonempty
                    .as_ref()
                    .is_none_or(|nonempty| run.has_entries(nonempty, at))
            {
                run.bind(range.var, at);
                match &range.slices {
                    None => run.block(&range.body),
                    Some(slices) => run.slices(slices, at, &range.body),
                }
            }
        });
    }

    /// Runs one iteration of a loop over slices, in which the loop variable is `at`.
    pub(super) fn slices(&mut self, slices: &Slices, at: i128, body: &[Stmt]) {
        for (var, access) in &slices.reads {
            match self.access(access, at) {
                (None, coordinate) => self.bind(*var, coordinate),
                (Some(array), place) => {
                    self.elements.insert(*var, self.load(array, place));
                }
            }
        }
        let outside = self.item;
        self.item = slices.item.as_ref().map(|access| match self.access(access, at) {
            (Some(array), place) => (array, place),
            (None, _) => panic!("a coordinate is no place"),
        });
        self.block(body);
        self.item = outside;
    }

    /// Returns the array of an access and the place in it, or no array and a coordinate.
    pub(super) fn access(&self, access: &Access, at: i128) -> (Option<Array>, i128) {
        match access {
            Access::Element { array, offset, .. } => (Some(*array), at + self.value(offset)),
            Access::Packed { tensor, offset } => (Some(Array::Values(*tensor)), at + self.value(offset)),
            Access::Selected { .. } | Access::Coordinate { .. } => {
                unreachable!("formats of these tests have no queries")
            }
        }
    }

    pub(super) fn has_entries(&self, nonempty: &Nonempty, number: i128) -> bool {
        let parent = self.value(&nonempty.first) + number;
        !self.segment(nonempty.level, &Segment::Of(Expr::Int(parent))).is_empty()
    }

    pub(super) fn tiles(&mut self, tiles: &Tiles) {
        let Some(rows) = &tiles.rows else {
            return self.tiles_of_rows(tiles, 1);
        };
        let all = self.bounds(rows.var, &rows.lows, &rows.highs);
        // Tiles have at most two rows.
        for first in all.clone().step_by(2) {
            let count = 2.min(all.end - first);
            self.bind(rows.var, first);
            self.bind(rows.count, count);
            self.tiles_of_rows(tiles, count);
        }
    }

    pub(super) fn tiles_of_rows(&mut self, tiles: &Tiles, rows: i128) {
        // Short enough that most tensors of these tests have several tiles.
        const MOST: usize = 3;
        let all = self.bounds(tiles.var, &tiles.lows, &tiles.highs);
        let firsts: Vec<i128> = all.clone().step_by(MOST).collect();
        self.iterations(&firsts, |run, first| {
            let width = (MOST as i128).min(all.end - first);
            run.bind(tiles.var, first);
            run.bind(tiles.width, width);
            assert!(run.tile.is_empty(), "a tile in a tile");
            run.tile = vec![identity(tiles.reduction); (width * rows) as usize];
            run.block(&tiles.body);
            let sums = std::mem::take(&mut run.tile);
            let at = run.value(&tiles.at);
            let stride = tiles.rows.as_ref().map_or(0, |rows| run.value(&rows.stride));
            let places = (0..rows).flat_map(|row| (0..width).map(move |lane| at + row * stride + lane));
            for (at, sum) in places.zip(sums) {
                let place = run.place(tiles.array, &Expr::Int(at));
                *place = if tiles.store {
                    sum
                } else {
                    reduced(tiles.reduction, *place, sum)
                };
            }
        });
    }

    pub(super) fn entries(&mut self, entries: &Entries) {
        let level = TensorLevel {
            tensor: entries.tensor,
            level: entries.first,
        };
        let found = self.segment(level, &entries.within);
        let numbers: Vec<i128> = (0..found.len() as i128).collect();
        self.iterations(&numbers, |run, number| {
            let entry = found[number as usize];
            run.bind(entries.position, entry.position);
            for &(level, var) in &entries.coordinates {
                let at = entry.path[level].expect("a stored level");
                assert!(
                    at >= 0 || !run.variables.is_natural(var),
                    "a natural coordinate is negative"
                );
                run.bind(var, at);
            }
            entries.loads.iter().for_each(|load| run.bind_element(load));
            let outside = (run.item, run.block_of(entries.tensor));
            if let Some(size) = &entries.block {
                run.blocks.insert(entries.tensor, entry.position * run.value(size));
            }
            if let Some(Cell { array, level, first }) = &entries.item {
                let at = entry.path[level.level].expect("a stored level");
                run.item = Some((*array, at - run.value(first)));
            }
            run.block(&entries.body);
            run.item = outside.0;
            run.blocks.insert(entries.tensor, outside.1);
        });
    }

    /// Returns the place from which the values of a tensor are counted.
    pub(super) fn block_of(&self, tensor: usize) -> i128 {
        self.blocks.get(&tensor).copied().unwrap_or(0)
    }

    pub(super) fn merge(&mut self, merge: &Merge) {
        let mut positions: BTreeMap<i128, Vec<Vec<i128>>> = BTreeMap::new();
        for (number, cursor) in merge.cursors.iter().enumerate() {
            let mut last = None;
            for entry in self.segment(cursor.level, &cursor.within) {
                let at = coordinate(entry, cursor.level);
                assert!(last.is_none_or(|last| last <= at), "a merge of coordinates that fall");
                assert!(cursor.runs || last != Some(at), "an entry twice, but not in a run");
                last = Some(at);
                let of_cursors = positions
                    .entry(at)
                    .or_insert_with(|| vec![Vec::new(); merge.cursors.len()]);
                of_cursors[number].push(entry.position);
            }
        }
        for (at, of_cursors) in positions {
            if !merge.union && of_cursors.iter().any(Vec::is_empty) {
                continue;
            }
            self.bind(merge.coordinate, at);
            for (cursor, found) in merge.cursors.iter().zip(of_cursors) {
                if merge.union {
                    self.ranges.insert(cursor.at, span(&found));
                } else {
                    self.bind(cursor.at, found[0]);
                }
            }
            self.block(&merge.body);
        }
    }

    pub(super) fn find(&mut self, find: &Find) {
        let at = self.value(&find.coordinate);
        let (level, entries) = &self.finders[&find.finder];
        assert_eq!(*level, find.level, "a search in another level");
        let equal = entries.iter().filter(|entry| coordinate(entry, *level) == at);
        let found: Vec<i128> = equal.map(|entry| entry.position).collect();
        let runs = matches!(find.found, Found::Run(..) | Found::Any { runs: true, .. });
        assert!(runs || found.len() < 2, "an entry twice, but not in a run");
        match find.found {
            Found::Any { range, .. } => {
                self.ranges.insert(range, span(&found));
            }
            _ if found.is_empty() => return,
            Found::Position(var) => self.bind(var, found[0]),
            Found::Run(first, end) => {
                let span = span(&found);
                self.bind(first, span.start);
                self.bind(end, span.end);
            }
        }
        self.block(&find.body);
    }

    /// Returns all entries of a level.
    pub(in crate::compiler::brute) fn all(&self, level: TensorLevel) -> Vec<&'a Entry> {
        let Tensor { tree, storage, .. } = self.tensors[level.tensor];
        let first = (0..=level.level).rev().find(|&at| storage.starts_chain(at));
        let first = first.expect("a level in a chain of entries");
        (0..)
            .map_while(|parent| tree.entries.get(&(first, parent)))
            .flatten()
            .collect()
    }

    /// Returns the entries that a loop, a search or a merge of the level covers.
    pub(super) fn segment(&self, level: TensorLevel, within: &Segment) -> Vec<&'a Entry> {
        let Tensor { tree, storage, .. } = self.tensors[level.tensor];
        let first = (0..=level.level).rev().find(|&at| storage.starts_chain(at));
        let first = first.expect("a level in a chain of entries");
        let below = |parent: i128| {
            let list = tree.entries.get(&(first, parent));
            list.unwrap_or_else(|| panic!("level {first} has no parent at {parent}"))
        };
        let between = |low: i128, high: i128| {
            let all = self.all(level).into_iter();
            all.filter(|entry| (low..high).contains(&entry.position)).collect()
        };
        match within {
            Segment::All => {
                let is_root = storage.levels[first].parent.is_none();
                assert!(is_root && first == level.level, "not all of the level");
                below(0).iter().collect()
            }
            Segment::Of(parent) => {
                let counts = |entry: &&Entry| match &self.clip {
                    Some((clipped, counting)) if clipped.tensor == level.tensor && clipped.level == first => {
                        counting.contains(&entry.position)
                    }
                    _ => true,
                };
                below(self.value(parent)).iter().filter(counts).collect()
            }
            Segment::Between(low, high) => between(self.value(low), self.value(high)),
            Segment::Run(range) => between(self.ranges[range].start, self.ranges[range].end),
            Segment::Below(range) => self.ranges[range].clone().flat_map(below).collect(),
        }
    }
}
