//! Turns innermost loops into iterations over slices: every access advances with the loop, so that its bounds are
//! checked once, outside.

use super::{
    Access, Array, Arrays, Bind, Cell, Count, Destination, Entries, Expr, Lvalue, Range, Slices, Stmt, TensorLevel,
    Tiles, Value,
};
use super::{Var, Variables};

/// The most arrays that one iteration of the run time combines.
pub(crate) const MOST_STREAMS: usize = 10;

/// Sets the slices of each innermost range, and the items of each loop over entries.
pub(crate) fn slices(block: Vec<Stmt>, variables: &mut Variables, arrays: &dyn Arrays) -> Vec<Stmt> {
    let mut slicer = Slicer {
        variables,
        arrays,
        tile: Vec::new(),
        blocks: Vec::new(),
        first: None,
        counted: None,
    };
    slicer.block(block)
}

struct Slicer<'a> {
    variables: &'a mut Variables,
    arrays: &'a dyn Arrays,
    /// The numbers of neighbours and rows in the tile around the statement.
    tile: Vec<Var>,
    /// The tensors whose values are read in blocks at the statement.
    blocks: Vec<usize>,
    /// The number of the first output element that the loops own, if they do not own all.
    first: Option<Expr>,
    /// The range around which there is a [`Stmt::Count`], with the variable of its number of iterations.
    counted: Option<(Var, Var)>,
}

impl Slicer<'_> {
    fn block(&mut self, block: Vec<Stmt>) -> Vec<Stmt> {
        block.into_iter().map(|stmt| self.stmt(stmt)).collect()
    }

    fn stmt(&mut self, stmt: Stmt) -> Stmt {
        match stmt {
            Stmt::Range(range) => self.range(range),
            Stmt::Entries(entries) => Stmt::Entries(self.entries(entries)),
            Stmt::Tiles(tiles) => {
                let outside = std::mem::replace(&mut self.tile, widths(&tiles));
                let tiles = Stmt::Tiles(tiles).map_body(|body| self.block(body));
                self.tile = outside;
                tiles
            }
            Stmt::Parallel(parallel) => {
                self.first = parallel.piece.as_ref().and_then(|piece| piece.first.clone());
                let parallel = Stmt::Parallel(parallel).map_body(|body| self.block(body));
                self.first = None;
                parallel
            }
            stmt => stmt.map_body(|body| self.block(body)),
        }
    }

    fn entries(&mut self, mut entries: Entries) -> Entries {
        self.visit(&mut entries);
        self.item(&mut entries);
        let blocks = self.blocks.len();
        self.blocks.extend(entries.block.iter().map(|_| entries.tensor));
        entries.body = self.block(std::mem::take(&mut entries.body));
        self.blocks.truncate(blocks);
        entries
    }

    /// Makes the loop itself read the visited value, if it is at the position of the entries.
    fn visit(&mut self, entries: &mut Entries) {
        let at_position = Value::Load(Array::Values(entries.tensor), Expr::Var(entries.position));
        if let [Stmt::Visit { value, .. }] = entries.body.as_mut_slice() {
            if *value == at_position {
                let var = self
                    .variables
                    .element(&self.arrays.element(Array::Values(entries.tensor)));
                entries.loads.push(Bind {
                    var,
                    value: std::mem::replace(value, Value::Bound(var)),
                });
            }
        }
    }

    /// Sets the item of a loop whose only statement adds to an element at one of its coordinates.
    fn item(&self, entries: &mut Entries) {
        let (array, at) = match entries.body.as_slice() {
            [
                Stmt::Accumulate {
                    place: Lvalue::Element(array, at),
                    ..
                }
                | Stmt::Sum {
                    into: Destination::Element { array, at, .. },
                    ..
                },
            ] => (*array, at),
            _ => return,
        };
        let mut coordinates = entries.coordinates.iter();
        let Some((level, first)) = coordinates.find_map(|&(level, var)| Some((level, self.first_place(at, var)?)))
        else {
            return;
        };
        let level = TensorLevel {
            tensor: entries.tensor,
            level,
        };
        entries.item = Some(Cell { array, level, first });
        match entries.body.as_mut_slice() {
            [Stmt::Accumulate { place, .. }] => *place = Lvalue::Item,
            [Stmt::Sum { into, .. }] => {
                let store = matches!(into, Destination::Element { store: true, .. });
                *into = Destination::Item { store };
            }
            _ => {}
        }
    }

    fn range(&mut self, range: Range) -> Stmt {
        if let Some(range) = self.sliced(&range) {
            return Stmt::Range(self.counted_outside(range));
        }
        let around = self.counted.is_none().then(|| self.usual_inside(&range)).flatten();
        let count = around.map(|(inner, lows, highs, usual)| {
            let count = self.variables.fresh("count", true);
            self.counted = Some((inner, count));
            (count, lows, highs, usual)
        });
        let mut range = self.counted_outside(range);
        range.body = self.block(std::mem::take(&mut range.body));
        let Some((count, lows, highs, usual)) = count else {
            return Stmt::Range(range);
        };
        self.counted = None;
        Stmt::Count(Count {
            var: count,
            lows,
            highs,
            usual,
            body: vec![Stmt::Range(range)],
        })
    }

    /// Makes a range whose number of iterations is counted outside run to that number.
    fn counted_outside(&self, mut range: Range) -> Range {
        if let Some((_, count)) = self.counted.filter(|(var, _)| *var == range.var) {
            range.highs = vec![Expr::Var(count)];
        }
        range
    }

    /// Returns a range inside that is cut short at edges and whose bounds do not depend on this range: its variable,
    /// its bounds, and its usual number of iterations.
    fn usual_inside(&self, range: &Range) -> Option<(Var, Vec<Expr>, Vec<Expr>, Expr)> {
        let mut body = range.body.as_slice();
        while let [Stmt::Sum { body: inner, .. }] = body {
            body = inner;
        }
        let binds = body.iter().take_while(|stmt| matches!(stmt, Stmt::Bind(_))).count();
        let [Stmt::Range(inner)] = &body[binds..] else {
            return None;
        };
        let moves = |bound: &Expr| bound.uses(range.var);
        let is_cut = inner.highs.len() > 1 && inner.lows == [Expr::zero()] && inner.stride.is_none();
        if !is_cut || !self.variables.is_natural(inner.var) || inner.highs.iter().any(moves) {
            return None;
        }
        Some((inner.var, inner.lows.clone(), inner.highs.clone(), self.usual(inner)?))
    }

    /// Returns the usual number of iterations of a range, if it is known at compile time: the width of the tile around
    /// it, or an expression of numbers and const parameters.
    fn usual(&self, range: &Range) -> Option<Expr> {
        let is_known = |high: &&Expr| match high {
            Expr::Var(var) if self.tile.contains(var) => true,
            high => high.is_constant(self.variables),
        };
        range.highs.iter().find(is_known).cloned()
    }

    /// Returns the range with its slices, if every access is invariant or advances with the range.
    ///
    /// Lookups advance with the range too: an access at a looked-up coordinate is one through the level's `idx`.
    fn sliced(&mut self, range: &Range) -> Option<Range> {
        let [lookups @ .., leaf] = range.body.as_slice() else {
            return None;
        };
        if range.stride.is_some() || !self.variables.is_natural(range.var) || !is_plain(leaf) {
            return None;
        }
        let lookups: Vec<Lookup<'_>> = lookups.iter().map(Lookup::new).collect::<Option<_>>()?;
        let is_counted = self.counted.is_some_and(|(var, _)| var == range.var);
        let is_cut = range.highs.len() > 1 && !is_counted;
        let may_count = is_cut && matches!(leaf, Stmt::Accumulate { .. });
        let advance = Advance {
            var: range.var,
            in_tile: self.tile.iter().any(|width| range.highs.contains(&Expr::Var(*width))),
            lookups,
        };
        let mut leaf = leaf.clone();
        let item = match &mut leaf {
            Stmt::Accumulate { place, .. } => match place {
                Lvalue::Element(array, at) => {
                    let item = self.written(&advance, *array, at)?;
                    *place = Lvalue::Item;
                    Some(item)
                }
                _ => None,
            },
            _ => None,
        };
        let mut reads = self.reads(&advance, &mut leaf)?;
        let used = |var: Var| leaf.uses(var);
        for lookup in advance.lookups.iter().filter(|lookup| used(lookup.var)) {
            let (level, offset) = (lookup.level, advance.offset(lookup.at)?);
            reads.push((lookup.var, Access::Coordinate { level, offset }));
        }
        Some(Range {
            slices: Some(Slices {
                reads,
                item,
                uses_variable: used(range.var),
                usual: self.usual(range).filter(|_| may_count),
            }),
            body: vec![leaf],
            ..range.clone()
        })
    }

    /// Returns the access to the element to which each iteration adds.
    fn written(&self, advance: &Advance<'_>, array: Array, at: &Expr) -> Option<Access> {
        let lookups = &mut advance.lookups.iter();
        match lookups.find_map(|lookup| Some((lookup, self.first_place(at, lookup.var)?))) {
            Some((lookup, first)) => Some(Access::Selected {
                array,
                level: lookup.level,
                offset: advance.offset(lookup.at)?,
                first,
            }),
            None => Some(Access::Element {
                array,
                offset: advance.offset(at)?,
                ahead: false,
            }),
        }
    }

    /// Binds all elements that a statement reads to variables. Returns their accesses.
    fn reads(&mut self, advance: &Advance<'_>, leaf: &mut Stmt) -> Option<Vec<(Var, Access)>> {
        let mut loads: Vec<(Array, Expr)> = Vec::new();
        leaf.for_each_value(&mut |value| {
            if let Value::Load(array, at) = value {
                if !loads.contains(&(*array, at.clone())) {
                    loads.push((*array, at.clone()));
                }
            }
        });
        let mut reads = Vec::new();
        for (array, at) in loads {
            let access = self.read(advance, array, &at)?;
            let var = self.variables.element(&self.arrays.element(array));
            reads.push((var, access));
            leaf.for_each_value(&mut |value| {
                if *value == Value::Load(array, at.clone()) {
                    *value = Value::Bound(var);
                }
            });
        }
        Some(reads)
    }

    fn read(&self, advance: &Advance<'_>, array: Array, at: &Expr) -> Option<Access> {
        let is_selected = |lookup: &&Lookup<'_>| {
            matches!(array, Array::Dense(_)) && self.first_place(at, lookup.var) == Some(Expr::zero())
        };
        if let Some(lookup) = advance.lookups.iter().find(is_selected) {
            return Some(Access::Selected {
                array,
                level: lookup.level,
                offset: advance.offset(lookup.at)?,
                first: Expr::zero(),
            });
        }
        let offset = advance.offset(at)?;
        Some(match array {
            Array::Values(tensor) if self.arrays.is_packed(tensor) => Access::Packed { tensor, offset },
            _ => Access::Element {
                array,
                offset,
                // The values of blocks are prefetched where their positions come from.
                ahead: advance.in_tile && matches!(array, Array::Values(tensor) if !self.blocks.contains(&tensor)),
            },
        })
    }

    /// Returns the coordinate of the array's first element, if its elements are numbered by the coordinate.
    fn first_place(&self, at: &Expr, coordinate: Var) -> Option<Expr> {
        match at.split(coordinate)? {
            (Expr::Int(1), less) if self.variables.is_natural(coordinate) => {
                let first = Expr::zero().sub(less);
                (first == Expr::zero() || Some(&first) == self.first.as_ref()).then_some(first)
            }
            _ => None,
        }
    }
}

/// How the places of an innermost range advance.
struct Advance<'a> {
    var: Var,
    /// Whether the range runs over the width of a tile.
    in_tile: bool,
    lookups: Vec<Lookup<'a>>,
}

impl Advance<'_> {
    /// Returns the distance from the loop variable to the place, if the place advances with the range.
    fn offset(&self, at: &Expr) -> Option<Expr> {
        let inside: Vec<Var> = self.lookups.iter().map(|lookup| lookup.var).collect();
        match at.split(self.var)? {
            (Expr::Int(1), rest) => (!rest.uses_any(&inside)).then_some(rest),
            _ => None,
        }
    }
}

/// A coordinate that is looked up inside an innermost range.
struct Lookup<'a> {
    level: TensorLevel,
    var: Var,
    at: &'a Expr,
}

impl<'a> Lookup<'a> {
    fn new(stmt: &'a Stmt) -> Option<Self> {
        match stmt {
            Stmt::Lookup { level, var, at, .. } => Some(Lookup {
                level: *level,
                var: *var,
                at,
            }),
            _ => None,
        }
    }
}

/// Whether slices can replace the accesses of a statement: it adds a value that cannot be missing to a dense element or
/// a sum, or visits an element.
fn is_plain(leaf: &Stmt) -> bool {
    match leaf {
        Stmt::Accumulate { place, value, .. } => {
            matches!(place, Lvalue::Element(..) | Lvalue::Sum) && !value.is_optional()
        }
        Stmt::Visit { .. } => true,
        _ => false,
    }
}

/// Returns the variables of the numbers of neighbours and rows in a tile.
fn widths(tiles: &Tiles) -> Vec<Var> {
    let rows = tiles.rows.as_ref().map(|rows| rows.count);
    std::iter::once(tiles.width).chain(rows).collect()
}
