//! Describes the cost of a kernel in words: the ranges of its loops, and its searches.

use std::collections::BTreeSet;

use crate::compiler::loops::{Array, Expr, Merge, Names, Range, Stmt, TensorLevel, Tiles, Var};
use crate::compiler::lower::{Output, Program};
use crate::compiler::storage::Kind;

/// The loops around one addition. The product of their lengths is the work.
#[derive(Clone, Default, PartialEq)]
struct Path {
    factors: Vec<Factor>,
    /// The tensors that are searched in the loops.
    searched: BTreeSet<usize>,
}

#[derive(Clone, PartialEq)]
enum Factor {
    /// Levels of a tensor; `tiled` if its dense levels are covered in tiles.
    Levels {
        tensor: usize,
        levels: BTreeSet<usize>,
        tiled: bool,
    },
    /// The values of an index or of a variable.
    Index(String),
    /// Levels that are merged.
    Merge { union: bool, cursors: Vec<TensorLevel> },
}

/// Returns sentences on the loops of a kernel.
pub(super) fn cost(program: &Program<'_>, names: &Names) -> String {
    let words = Words { program, names };
    let mut sentences: Vec<String> = Vec::new();
    for nest in &program.nests {
        let mut paths = Vec::new();
        words.paths(&nest.body, &Path::default(), &[], &mut paths);
        let of_block: Vec<&Path> = paths
            .iter()
            .filter(|path| !paths.iter().any(|other| path.is_part_of(other)))
            .collect();
        for path in of_block {
            let sentence = words.sentence(path);
            if !sentences.contains(&sentence) {
                sentences.push(sentence);
            }
        }
    }
    let output = &program.kernel.operands[0].name;
    let also = match &program.output {
        Output::Dense { zero_first: true } => Some(format!("`{output}` is zeroed first.")),
        Output::Fibers { workspace: Some(_), .. } => {
            Some(format!("The elements of `{output}` are summed up in a workspace."))
        }
        Output::Unordered => Some(format!("The elements of `{output}` are sorted at the end.")),
        _ => None,
    };
    sentences.extend(also);
    sentences.extend(program.scans.iter().cloned());
    sentences.join(" ")
}

impl Path {
    /// Whether `other` begins with all of these loops and has more.
    fn is_part_of(&self, other: &Path) -> bool {
        self != other
            && self.factors.len() < other.factors.len()
            && self.factors.iter().zip(&other.factors).all(|(own, other)| own == other)
    }

    /// Adds a loop over levels, which extends the loop over their tensor if there is one.
    fn enter(&mut self, tensor: usize, entered: impl Iterator<Item = usize>) {
        let of_tensor = self.factors.iter_mut().find_map(|factor| match factor {
            Factor::Levels { tensor: of, levels, .. } if *of == tensor => Some(levels),
            _ => None,
        });
        match of_tensor {
            Some(levels) => levels.extend(entered),
            None => self.factors.push(Factor::Levels {
                tensor,
                levels: entered.collect(),
                tiled: false,
            }),
        }
    }
}

struct Words<'a> {
    program: &'a Program<'a>,
    names: &'a Names,
}

impl Words<'_> {
    /// Collects the loops around each addition. `widths` are the widths of the tiles around the block.
    fn paths(&self, block: &[Stmt], around: &Path, widths: &[Var], into: &mut Vec<Path>) {
        for stmt in block {
            let (mut path, mut widths) = (around.clone(), widths.to_vec());
            match stmt {
                Stmt::Accumulate { .. } => into.push(path.clone()),
                Stmt::Range(range) => self.enter_range(range, &widths, &mut path),
                Stmt::Tiles(tiles) => {
                    self.enter_tiles(tiles, &mut path);
                    widths.push(tiles.width);
                    widths.extend(tiles.rows.iter().map(|rows| rows.count));
                }
                Stmt::Entries(entries) => path.enter(entries.tensor, entries.first..=entries.last),
                Stmt::Merge(merge) => enter_merge(merge, &mut path),
                Stmt::Find(find) => {
                    path.searched.insert(find.level.tensor);
                }
                _ => {}
            }
            self.paths(stmt.body(), &path, &widths, into);
        }
    }

    fn enter_range(&self, range: &Range, widths: &[Var], path: &mut Path) {
        if let Some(level) = range.level {
            return path.enter(level.tensor, std::iter::once(level.level));
        }
        // The loops inside a tile are counted with the tile.
        if range.highs.iter().any(|high| high.uses_any(widths)) {
            return;
        }
        path.factors.push(Factor::Index(self.index(range.var, &range.highs)));
    }

    /// Adds tiles to the loops over the tensors whose positions they contain, or adds a loop over an index if there
    /// are none.
    fn enter_tiles(&self, tiles: &Tiles, path: &mut Path) {
        let mut tensors = BTreeSet::new();
        for stmt in &tiles.body {
            stmt.for_each_load(&mut |array, at| match array {
                Array::Values(tensor) if at.uses(tiles.var) => {
                    tensors.insert(tensor);
                }
                _ => {}
            });
        }
        for &tensor in &tensors {
            path.enter(tensor, std::iter::empty());
            for factor in &mut path.factors {
                if let Factor::Levels { tensor: of, tiled, .. } = factor {
                    *tiled |= *of == tensor;
                }
            }
        }
        if tensors.is_empty() {
            path.factors.push(Factor::Index(self.index(tiles.var, &tiles.highs)));
        }
    }

    /// Returns the index whose extent bounds a loop, or the name of the loop's variable.
    fn index(&self, var: Var, highs: &[Expr]) -> String {
        let of_extent = |high: &Expr| {
            let is_extent = |extent: &Var| Expr::Var(*extent) == *high;
            self.program.extents.iter().position(is_extent)
        };
        match highs.iter().find_map(of_extent) {
            Some(index) => self.program.kernel.indices[index].clone(),
            None => self.program.variables.name(var).to_owned(),
        }
    }

    fn sentence(&self, path: &Path) -> String {
        let searched: Vec<String> = path
            .searched
            .iter()
            .map(|&tensor| format!("`{}`", self.names.tensors[tensor].name))
            .collect();
        let search = match searched.as_slice() {
            [] => String::new(),
            searched => format!(", with a search in {} each time", searched.join(" and ")),
        };
        let Some((last, around)) = path.factors.split_last() else {
            return format!("A constant number of steps{search}.");
        };
        if around.is_empty() {
            let one = self.pass(last).replacen("a ", "One ", 1);
            return format!("{one}{search}.");
        }
        let around: Vec<String> = around
            .iter()
            .map(|factor| format!("or each {}", self.each(factor)))
            .collect();
        format!("F{}, {}{search}.", around.join(", f"), self.pass(last))
    }

    /// Returns the words after "each", such as `stored element of `A``.
    fn each(&self, factor: &Factor) -> String {
        match factor {
            Factor::Index(name) => format!("`{name}`"),
            Factor::Merge { union: true, cursors } => format!("coordinate in {}", self.cursors(cursors, " or ")),
            Factor::Merge { cursors, .. } => format!("coordinate in {}", self.cursors(cursors, " and ")),
            Factor::Levels { tensor, levels, tiled } => match self.part(*tensor, levels, *tiled) {
                Part::Whole(whole) => whole.replacen("elements", "element", 1),
                Part::Entries(within) => format!("entry of {within}"),
                Part::Levels(levels) => levels,
            },
        }
    }

    /// Returns the words for a loop, such as `a pass over the stored elements of `A``.
    fn pass(&self, factor: &Factor) -> String {
        match factor {
            Factor::Index(name) => format!("a loop over `{name}`"),
            Factor::Merge { cursors, .. } => format!("a merge of {}", self.cursors(cursors, " and ")),
            Factor::Levels { tensor, levels, tiled } => match self.part(*tensor, levels, *tiled) {
                Part::Whole(whole) => format!("a pass over the {whole}"),
                Part::Entries(within) => format!("a pass over the entries of {within}"),
                Part::Levels(levels) => format!("a loop over the {levels}"),
            },
        }
    }

    fn cursors(&self, cursors: &[TensorLevel], joined: &str) -> String {
        let cursors = cursors.iter().map(|cursor| {
            let name = &self.names.tensors[cursor.tensor].name;
            match self.levels_above(*cursor).as_slice() {
                [] => format!("the level `{}` of `{name}`", self.level(*cursor)),
                above => format!("a {} of `{name}`", listed(above)),
            }
        });
        cursors.collect::<Vec<String>>().join(joined)
    }

    fn level(&self, level: TensorLevel) -> &str {
        &self.program.tensors[level.tensor].format.levels[level.level].name
    }

    /// Returns the levels above this one that have positions.
    fn levels_above(&self, level: TensorLevel) -> Vec<&str> {
        let free = self.free(level.tensor).into_iter().filter(|&above| above < level.level);
        let of_tensor = |above| TensorLevel { level: above, ..level };
        free.map(|above| self.level(of_tensor(above))).collect()
    }

    /// Returns the levels that are neither fixed, given nor aligned.
    fn free(&self, tensor: usize) -> Vec<usize> {
        let levels = &self.program.tensors[tensor].storage.levels;
        let is_free = |&level: &usize| !matches!(levels[level].kind, Kind::Fixed | Kind::Given | Kind::Aligned { .. });
        (0..levels.len()).filter(is_free).collect()
    }

    /// Returns the part of a tensor that the loops over these levels cover.
    fn part(&self, tensor: usize, levels: &BTreeSet<usize>, tiled: bool) -> Part {
        let summand = &self.program.tensors[tensor];
        let name = &self.names.tensors[tensor].name;
        let is_dense = |level: usize| matches!(summand.storage.levels[level].kind, Kind::Dense);
        let free = self.free(tensor);
        let known: Vec<usize> = free
            .iter()
            .copied()
            .filter(|level| !(levels.contains(level) || tiled && is_dense(*level)))
            .collect();
        let named = |of: &[usize]| -> Vec<&str> {
            of.iter()
                .map(|&level| self.level(TensorLevel { tensor, level }))
                .collect()
        };
        let padding = if summand.storage.holes {
            ", padding included"
        } else {
            ""
        };
        if known.is_empty() {
            return Part::Whole(format!("stored elements of `{name}`{padding}"));
        }
        let reaches_values = free.last().is_some_and(|last| !known.contains(last));
        if reaches_values {
            return Part::Entries(format!("a {} of `{name}`{padding}", listed(&named(&known))));
        }
        let looped: Vec<usize> = free.iter().copied().filter(|level| !known.contains(level)).collect();
        Part::Levels(format!("{} of `{name}`", listed(&named(&looped))))
    }
}

enum Part {
    /// All elements, as in `stored elements of `A``.
    Whole(String),
    /// The entries below one position, as in `a `row` of `B``.
    Entries(String),
    /// The coordinates of some levels, as in `` `row` of `A` ``.
    Levels(String),
}

fn enter_merge(merge: &Merge, path: &mut Path) {
    path.factors.push(Factor::Merge {
        union: merge.union,
        cursors: merge.cursors.iter().map(|cursor| cursor.level).collect(),
    });
}

/// Returns a list such as `` `brow` and `r` ``.
fn listed(names: &[&str]) -> String {
    let names: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    names.join(" and ")
}
