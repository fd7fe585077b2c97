//! Interprets the loop IR on trees.

mod values;

use std::collections::{BTreeMap, HashMap};

use super::threads::Threads;
use super::tree::{Entry, Tree};
use crate::compiler::loops::{
    Access, Array, Bind, Cell, Entries, Expr, Find, Found, Level, Merge, Nonempty, Place, Range, Reduction, Segment,
    Slices, Stmt, Target, Tiles, Var, Variables,
};
use crate::compiler::storage::Storage;

/// Maximum number of iterations, more than any tree of these tests needs, to stop endless loops.
const MOST_STEPS: usize = 2_000_000;

/// A sparse tensor of a nest.
pub(super) struct Tensor<'a> {
    pub(super) tree: &'a Tree,
    pub(super) storage: &'a Storage,
    /// The values by position.
    pub(super) values: Vec<i128>,
}

/// Evaluates a function of a kernel, by its number, on its arguments.
type Function = Box<dyn Fn(usize, &[i128]) -> i128>;

/// A run of loops.
pub(super) struct Run<'a> {
    pub(super) variables: &'a Variables,
    pub(super) tensors: Vec<Tensor<'a>>,
    pub(super) known: HashMap<Var, i128>,
    /// The dense and the scalar operands, by their number in the kernel.
    pub(super) operands: Vec<Vec<i128>>,
    /// The functions of the kernel.
    pub(super) function: Function,
    /// The visited elements.
    pub(super) visits: Vec<(Vec<i128>, i128)>,
    /// The scalar output.
    pub(super) total: Option<i128>,
    /// The elements appended to the sparse output, in the order of the loops.
    pub(super) appended: Vec<(Vec<i128>, i128)>,
    /// The unordered elements of the sparse output, possibly with repetitions.
    pub(super) scattered: Vec<(Vec<i128>, i128)>,
    /// The execution of parallel loops, and the reduction of their pieces' results.
    pub(super) threads: Threads,
    pub(super) reduction: Reduction,
    /// Whether the next loop runs in the order of `threads`.
    pub(super) permutes: bool,
    /// A level, with the positions to which its entries are restricted.
    pub(super) clip: Option<(Level, std::ops::Range<i128>)>,
    /// The elements that are bound to names.
    elements: HashMap<Var, i128>,
    ranges: HashMap<Var, std::ops::Range<i128>>,
    finders: HashMap<Var, (Level, Vec<&'a Entry>)>,
    maybes: HashMap<usize, Option<i128>>,
    sums: Vec<Option<i128>>,
    tile: Vec<i128>,
    fibers: Vec<BTreeMap<i128, i128>>,
    /// The element at which the enclosing loop is, by its array and place.
    item: Option<(Array, i128)>,
    /// The place of the first value of a tensor's current block.
    blocks: HashMap<usize, i128>,
    steps: usize,
}

/// Returns the start value of a reduction. A conjunction has none.
pub(super) fn identity(reduction: Reduction) -> i128 {
    match reduction {
        Reduction::Plus | Reduction::Or => 0,
        Reduction::Min => i128::MAX,
        Reduction::Max => i128::MIN,
        Reduction::And => unreachable!("a conjunction has nothing to start from"),
    }
}

/// Returns the reduction of both values.
pub(super) fn reduced(reduction: Reduction, left: i128, right: i128) -> i128 {
    match reduction {
        Reduction::Plus => left + right,
        Reduction::Min => left.min(right),
        Reduction::Max => left.max(right),
        Reduction::Or => left | right,
        Reduction::And => left & right,
    }
}

impl<'a> Run<'a> {
    pub(super) fn new(variables: &'a Variables, tensors: Vec<Tensor<'a>>) -> Self {
        Run {
            variables,
            tensors,
            known: HashMap::new(),
            operands: Vec::new(),
            function: Box::new(|_, _| unreachable!("no function is called")),
            visits: Vec::new(),
            total: None,
            appended: Vec::new(),
            scattered: Vec::new(),
            threads: Threads::One,
            reduction: Reduction::Plus,
            permutes: false,
            clip: None,
            elements: HashMap::new(),
            ranges: HashMap::new(),
            finders: HashMap::new(),
            maybes: HashMap::new(),
            sums: Vec::new(),
            tile: Vec::new(),
            fibers: Vec::new(),
            item: None,
            blocks: HashMap::new(),
            steps: 0,
        }
    }

    pub(super) fn block(&mut self, block: &[Stmt]) {
        for stmt in block {
            self.stmt(stmt);
        }
    }

    /// Binds a variable. Natural variables are at least zero: sizes of empty boxes are cut off there.
    fn bind(&mut self, var: Var, value: i128) {
        let value = if self.variables.is_natural(var) {
            value.max(0)
        } else {
            value
        };
        self.known.insert(var, value);
    }

    fn bind_element(&mut self, bind: &Bind) {
        let value = self.element(&bind.value).expect("an element that is there");
        self.elements.insert(bind.var, value);
    }

    fn stmt(&mut self, stmt: &Stmt) {
        self.steps += 1;
        assert!(self.steps < MOST_STEPS, "a loop runs away");
        match stmt {
            Stmt::Range(range) => self.range(range),
            Stmt::Tiles(tiles) => self.tiles(tiles),
            Stmt::Entries(entries) => self.entries(entries),
            Stmt::Merge(merge) => self.merge(merge),
            Stmt::Parallel(parallel) => self.parallel(parallel),
            Stmt::Bind(bind) => self.bind_element(bind),
            Stmt::Let { var, value } => {
                let value = self.value(value);
                self.bind(*var, value);
            }
            Stmt::Lookup { .. } => unreachable!("formats of these tests have no queries"),
            Stmt::First { .. } => unreachable!("formats of these tests have no queries"),
            Stmt::Parts { .. } => unreachable!("formats of these tests are whole"),
            Stmt::Open { finder, level, within } => {
                let entries = self.segment(*level, within);
                let keys = entries.iter().map(|entry| coordinate(entry, *level));
                assert!(keys.is_sorted(), "a search among coordinates that fall");
                self.finders.insert(*finder, (*level, entries));
            }
            Stmt::Between {
                level,
                within,
                lows,
                highs,
                to,
            } => {
                let low = lows.iter().map(|bound| self.value(bound)).max().expect("a low bound");
                let high = highs.iter().map(|bound| self.value(bound)).min().expect("a high bound");
                let mut found = Vec::new();
                let mut last = None;
                for entry in self.segment(*level, within) {
                    let at = coordinate(entry, *level);
                    assert!(last.is_none_or(|last| last < at), "coordinates that do not rise");
                    last = Some(at);
                    if (low..high).contains(&at) {
                        found.push(entry.position);
                    }
                }
                self.ranges.insert(*to, span(&found));
            }
            Stmt::Find(find) => self.find(find),
            Stmt::Step {
                from, size, offset, to, ..
            } => {
                let from = self.ranges[from].clone();
                let (size, offset) = (self.value(size), self.value(offset));
                let at = from.start * size + offset;
                let range = if from.is_empty() { 0..0 } else { at..at + 1 };
                self.ranges.insert(*to, range);
            }
            Stmt::If { conditions, body } => {
                // Evaluates the conditions in order, as `&&` does.
                if conditions.iter().all(|condition| self.holds(condition)) {
                    self.block(body);
                }
            }
            Stmt::Accumulate {
                place,
                reduction,
                value,
            } => {
                if let Some(value) = self.element(value) {
                    self.accumulate(place, *reduction, value);
                }
            }
            Stmt::Sum {
                body, reduction, into, ..
            } => {
                self.sums.push(None);
                self.block(body);
                let found = self.sums.pop().expect("pushed above");
                let sum = found.unwrap_or_else(|| identity(*reduction));
                match into {
                    Target::Element { array, at, store } => {
                        let place = self.place(*array, at);
                        *place = if *store { sum } else { reduced(*reduction, *place, sum) };
                    }
                    Target::Item { store } => {
                        let (array, at) = self.item.expect("a loop that has an item");
                        let place = self.place(array, &Expr::Int(at));
                        *place = if *store { sum } else { reduced(*reduction, *place, sum) };
                    }
                    Target::Output { coordinate, sure } => {
                        if *sure || found.is_some() {
                            self.append(coordinate, sum);
                        }
                    }
                    Target::Total => {
                        self.total = Some(self.total.map_or(sum, |total| reduced(*reduction, total, sum)));
                    }
                }
            }
            Stmt::Fiber { outer, extents, body } => {
                self.fibers.push(BTreeMap::new());
                self.block(body);
                let outer: Vec<i128> = outer.iter().map(|at| self.value(at)).collect();
                let extents: Vec<i128> = extents.iter().map(|extent| self.value(extent)).collect();
                for (number, sum) in self.fibers.pop().expect("pushed above") {
                    let (mut inner, mut rest) = (vec![0; extents.len()], number);
                    for (digit, extent) in inner.iter_mut().zip(&extents).rev() {
                        (*digit, rest) = (rest.rem_euclid(*extent), rest.div_euclid(*extent));
                    }
                    assert_eq!(rest, 0, "outside the fiber");
                    self.appended.push(([outer.as_slice(), &inner].concat(), sum));
                }
            }
            Stmt::Fill { array, at, count } => {
                let (at, count) = (self.value(at), self.value(count));
                for at in at..at + count {
                    *self.place(*array, &Expr::Int(at)) = 0;
                }
            }
            Stmt::Maybe { number, body } => {
                self.maybes.insert(*number, None);
                self.block(body);
            }
            Stmt::Visit { coordinate, value, .. } => {
                let coordinate = coordinate.iter().map(|dim| self.value(dim)).collect();
                let value = self.element(value).expect("an element that is there");
                self.visits.push((coordinate, value));
            }
            Stmt::Count {
                count,
                lows,
                highs,
                body,
                ..
            } => {
                let all = self.bounds(*count, lows, highs);
                self.bind(*count, all.end - all.start);
                self.block(body);
            }
        }
    }

    // ---- loops ----

    /// Returns `max(lows)..min(highs)`, with a low bound of at least zero for natural variables.
    fn bounds(&self, var: Var, lows: &[Expr], highs: &[Expr]) -> std::ops::Range<i128> {
        let least = self.variables.is_natural(var).then_some(0);
        let lows = lows.iter().map(|low| self.value(low));
        let highs = highs.iter().map(|high| self.value(high));
        lows.chain(least).max().expect("a low bound")..highs.min().expect("a high bound")
    }

    /// Returns the first values of a loop's iterations in the order in which they run.
    fn ordered(&mut self, firsts: &[i128]) -> Vec<i128> {
        let permutes = std::mem::take(&mut self.permutes);
        let threads = if permutes { self.threads } else { Threads::One };
        let order = threads.order(firsts.len()).into_iter();
        order.map(|number| firsts[number]).collect()
    }

    fn range(&mut self, range: &Range) {
        let stride = range
            .stride
            .as_ref()
            .map(|(residue, modulus)| (self.value(residue), self.value(modulus)));
        let numbers: Vec<i128> = self.bounds(range.var, &range.lows, &range.highs).collect();
        for at in self.ordered(&numbers) {
            if stride.is_none_or(|(residue, modulus)| (at - residue).rem_euclid(modulus) == 0)
                && range
                    .nonempty
                    .as_ref()
                    .is_none_or(|nonempty| self.has_entries(nonempty, at))
            {
                self.bind(range.var, at);
                match &range.slices {
                    None => self.block(&range.body),
                    Some(slices) => self.slices(slices, at, &range.body),
                }
            }
        }
    }

    /// Runs one iteration of a loop over slices, in which the loop variable is `at`.
    fn slices(&mut self, slices: &Slices, at: i128, body: &[Stmt]) {
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
    fn access(&self, access: &Access, at: i128) -> (Option<Array>, i128) {
        match access {
            Access::Element { array, offset, .. } => (Some(*array), at + self.value(offset)),
            Access::Packed { tensor, offset } => (Some(Array::Values(*tensor)), at + self.value(offset)),
            Access::Selected { .. } | Access::Coordinate { .. } => {
                unreachable!("formats of these tests have no queries")
            }
        }
    }

    fn has_entries(&self, nonempty: &Nonempty, number: i128) -> bool {
        let parent = self.value(&nonempty.first) + number;
        !self.segment(nonempty.level, &Segment::Of(Expr::Int(parent))).is_empty()
    }

    fn tiles(&mut self, tiles: &Tiles) {
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

    fn tiles_of_rows(&mut self, tiles: &Tiles, rows: i128) {
        // Short enough that most tensors of these tests have several tiles.
        const MOST: usize = 3;
        let all = self.bounds(tiles.var, &tiles.lows, &tiles.highs);
        let firsts: Vec<i128> = all.clone().step_by(MOST).collect();
        for first in self.ordered(&firsts) {
            let width = (MOST as i128).min(all.end - first);
            self.bind(tiles.var, first);
            self.bind(tiles.width, width);
            assert!(self.tile.is_empty(), "a tile in a tile");
            self.tile = vec![identity(tiles.reduction); (width * rows) as usize];
            self.block(&tiles.body);
            let sums = std::mem::take(&mut self.tile);
            let at = self.value(&tiles.at);
            let stride = tiles.rows.as_ref().map_or(0, |rows| self.value(&rows.stride));
            let places = (0..rows).flat_map(|row| (0..width).map(move |lane| at + row * stride + lane));
            for (at, sum) in places.zip(sums) {
                let place = self.place(tiles.array, &Expr::Int(at));
                *place = if tiles.store {
                    sum
                } else {
                    reduced(tiles.reduction, *place, sum)
                };
            }
        }
    }

    fn entries(&mut self, entries: &Entries) {
        let level = Level {
            tensor: entries.tensor,
            level: entries.first,
        };
        for entry in self.segment(level, &entries.within) {
            self.bind(entries.position, entry.position);
            for &(level, var) in &entries.coordinates {
                let at = entry.path[level].expect("a stored level");
                assert!(
                    at >= 0 || !self.variables.is_natural(var),
                    "a natural coordinate is negative"
                );
                self.bind(var, at);
            }
            entries.loads.iter().for_each(|load| self.bind_element(load));
            let outside = (self.item, self.block_of(entries.tensor));
            if let Some(size) = &entries.block {
                self.blocks.insert(entries.tensor, entry.position * self.value(size));
            }
            if let Some(Cell { array, level, first }) = &entries.item {
                let at = entry.path[level.level].expect("a stored level");
                self.item = Some((*array, at - self.value(first)));
            }
            self.block(&entries.body);
            self.item = outside.0;
            self.blocks.insert(entries.tensor, outside.1);
        }
    }

    /// Returns the place from which the values of a tensor are counted.
    pub(super) fn block_of(&self, tensor: usize) -> i128 {
        self.blocks.get(&tensor).copied().unwrap_or(0)
    }

    fn merge(&mut self, merge: &Merge) {
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

    fn find(&mut self, find: &Find) {
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
    pub(super) fn all(&self, level: Level) -> Vec<&'a Entry> {
        let Tensor { tree, storage, .. } = self.tensors[level.tensor];
        let first = (0..=level.level).rev().find(|&at| storage.starts_chain(at));
        let first = first.expect("a level in a chain of entries");
        (0..)
            .map_while(|parent| tree.entries.get(&(first, parent)))
            .flatten()
            .collect()
    }

    /// Returns the entries that a pass, a search or a merge of the level covers.
    fn segment(&self, level: Level, within: &Segment) -> Vec<&'a Entry> {
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

    // ---- places ----

    fn accumulate(&mut self, place: &Place, reduction: Reduction, value: i128) {
        let with = |old: Option<i128>| old.map_or(value, |old| reduced(reduction, old, value));
        match place {
            Place::Sum => {
                let sum = self.sums.last_mut().expect("inside a sum");
                *sum = Some(with(*sum));
            }
            Place::Item => {
                let (array, at) = self.item.expect("a loop that has an item");
                let place = self.place(array, &Expr::Int(at));
                *place = reduced(reduction, *place, value);
            }
            Place::Element(array, at) => {
                let place = self.place(*array, at);
                *place = reduced(reduction, *place, value);
            }
            Place::Output(coordinate) => self.append(coordinate, value),
            Place::Scattered(coordinate) => {
                let coordinate = coordinate.iter().map(|at| self.value(at)).collect();
                self.scattered.push((coordinate, value));
            }
            Place::Fiber(at) => {
                let at = self.value(at);
                let fiber = self.fibers.last_mut().expect("inside a fiber");
                let sum = with(fiber.get(&at).copied());
                fiber.insert(at, sum);
            }
            Place::Maybe(number) => {
                let before = self.maybes.insert(*number, Some(value));
                assert_eq!(before, Some(None), "found twice, or outside");
            }
        }
    }

    fn append(&mut self, coordinate: &[Expr], value: i128) {
        let coordinate = coordinate.iter().map(|at| self.value(at)).collect();
        self.appended.push((coordinate, value));
    }

    fn place(&mut self, array: Array, at: &Expr) -> &mut i128 {
        let at = usize::try_from(self.value(at)).expect("a place");
        match array {
            Array::Values(tensor) => &mut self.tensors[tensor].values[at],
            Array::Dense(number) => &mut self.operands[number][at],
            Array::Sums => &mut self.tile[at],
        }
    }
}

fn coordinate(entry: &Entry, level: Level) -> i128 {
    entry.path[level.level].expect("a stored level")
}

/// Returns the range of these positions, which must be consecutive.
fn span(positions: &[i128]) -> std::ops::Range<i128> {
    let Some((&first, &last)) = positions.first().zip(positions.last()) else {
        return 0..0;
    };
    assert_eq!(last - first + 1, positions.len() as i128, "a run with a gap");
    first..last + 1
}
