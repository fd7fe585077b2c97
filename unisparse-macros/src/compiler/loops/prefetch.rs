//! Chooses the data that loops over entries prefetch: rows and segments that the coordinates of later entries select.

use super::{Array, Entries, Expr, Prefetch, Range, Segment, Stmt, Var, Variables};

/// Sets the prefetches of each loop over entries of the block, and marks the loops whose consecutive segments are not adjacent.
pub(crate) fn prefetch(mut block: Vec<Stmt>, variables: &Variables) -> Vec<Stmt> {
    let mut prefetcher = Prefetcher {
        variables,
        read: Vec::new(),
        tile: Vec::new(),
        indirect: Vec::new(),
    };
    prefetcher.block(&mut block);
    block
}

/// A segment of entries whose parent depends on coordinates that loops around it read.
struct Indirect {
    position: Var,
    parent: Expr,
}

struct Prefetcher<'a> {
    variables: &'a Variables,
    /// The coordinates that the loops around the statement read.
    read: Vec<Var>,
    /// The numbers of neighbours and rows in the tile around the statement.
    tile: Vec<Var>,
    /// The segments inside the statement that no loop prefetches yet.
    indirect: Vec<Indirect>,
}

impl Prefetcher<'_> {
    fn block(&mut self, block: &mut [Stmt]) {
        block.iter_mut().for_each(|stmt| self.stmt(stmt));
    }

    fn stmt(&mut self, stmt: &mut Stmt) {
        match stmt {
            Stmt::Entries(entries) => self.entries(entries),
            Stmt::Tiles(tiles) => {
                let widths = [Some(tiles.width), tiles.rows.as_ref().map(|rows| rows.count)];
                let outside = std::mem::replace(&mut self.tile, widths.into_iter().flatten().collect());
                self.block(&mut tiles.body);
                self.tile = outside;
            }
            // The arrays of parts do not exist outside the loop over parts.
            Stmt::Parts { body, .. } => {
                let outside = std::mem::take(&mut self.indirect);
                self.block(body);
                self.indirect = outside;
            }
            stmt => {
                if let Some(body) = stmt.body_mut() {
                    self.block(body);
                }
            }
        }
    }

    fn entries(&mut self, entries: &mut Entries) {
        let (read, outside) = (self.read.len(), self.indirect.len());
        self.read.extend(entries.coordinates.iter().map(|&(_, var)| var));
        self.block(&mut entries.body);
        self.read.truncate(read);
        let inside: Vec<Var> = entries.body.iter().flat_map(Stmt::bound).collect();
        let reads = |parent: &Expr| entries.coordinates.iter().any(|&(_, var)| parent.uses(var));
        let (mine, others): (Vec<Indirect>, Vec<Indirect>) = self
            .indirect
            .drain(outside..)
            .partition(|segment| reads(&segment.parent) && !segment.parent.uses_any(&inside));
        self.indirect.extend(others);
        let segments = mine.into_iter().map(|segment| (segment.position, segment.parent));
        let segments: Vec<(Var, Expr)> = segments.collect();
        entries.prefetch = match self.rows(entries) {
            Some(rows) => Some(rows),
            None => (!segments.is_empty()).then_some(Prefetch::Segments(segments)),
        };
        if let Segment::Of(parent) = &entries.within {
            entries.indirect = parent.uses_any(&self.read);
            if entries.indirect {
                self.indirect.push(Indirect {
                    position: entries.position,
                    parent: parent.clone(),
                });
            }
        }
    }

    /// Returns the rows of dense operands that each entry selects, where tiles read them.
    fn rows(&self, entries: &Entries) -> Option<Prefetch> {
        let (mut around, mut block) = (Vec::new(), entries.body.as_slice());
        let steps = loop {
            let [Stmt::Range(range)] = block else {
                return None;
            };
            if !matches!(range.body.as_slice(), [Stmt::Range(_)]) {
                break range;
            }
            around.push(range);
            block = &range.body;
        };
        let [Expr::Var(width)] = steps.highs.as_slice() else {
            return None;
        };
        if !self.tile.contains(width) || steps.lows != [Expr::zero()] {
            return None;
        }
        let inner: Vec<Var> = steps.body.iter().flat_map(Stmt::bound).collect();
        let mut rows: Vec<(Array, Expr)> = Vec::new();
        let mut loops: Vec<(Var, Expr)> = Vec::new();
        let leads = |at: &Expr| {
            entries
                .coordinates
                .iter()
                .any(|&(_, var)| matches!(at.split(var), Some((factor, _)) if factor != Expr::zero()))
        };
        let mut add = |array: Array, at: &Expr| {
            let first = (array, at.replace(steps.var, &Expr::zero()));
            let moves = matches!(at.split(steps.var), Some((Expr::Int(1), _)));
            let is_row = matches!(array, Array::Dense(_)) && moves && !at.uses_any(&inner);
            // There is one row for each combination of values of the short loops on which it depends.
            let used = around.iter().filter(|range| at.uses(range.var));
            let counts = used.map(|range| Some((range.var, self.short_count(range)?)));
            let Some(counts) = counts.collect::<Option<Vec<_>>>() else {
                return;
            };
            if is_row && leads(at) && !rows.contains(&first) {
                rows.push(first);
                for short in counts {
                    if !loops.contains(&short) {
                        loops.push(short);
                    }
                }
            }
        };
        steps.body.iter().for_each(|stmt| stmt.for_each_load(&mut add));
        (!rows.is_empty()).then_some(Prefetch::Rows {
            width: *width,
            loops,
            rows,
        })
    }

    /// Returns the number of iterations of a loop from zero, if it is constant.
    fn short_count(&self, range: &Range) -> Option<Expr> {
        let plain = range.stride.is_none() && range.lows == [Expr::zero()];
        let constant = |high: &&Expr| plain && high.is_constant(self.variables);
        range.highs.iter().find(constant).cloned()
    }
}
