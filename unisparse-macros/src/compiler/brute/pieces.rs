//! The outermost loop of a nest in pieces, as threads run them: each with its part of the output.

use super::interpreter::{Run, identity, reduced};
use crate::compiler::kernel::{Count, Pieces, Way};
use crate::compiler::loops::{Level, Reduction};

impl Run<'_> {
    /// Runs the pieces between the borders that `cut` gives for a number of positions.
    pub(super) fn pieces(&mut self, pieces: &Pieces, reduction: Reduction, cut: impl Fn(usize) -> Vec<usize>) {
        self.block(&pieces.sizes);
        let count = match &pieces.count {
            Count::Size(size) => self.value(size),
            Count::Entries(level) => self.entries_of(*level).len() as i128,
        };
        let mut borders = cut(usize::try_from(count).unwrap_or(0));
        let whole = self.operands[0].clone();
        let firsts = match &pieces.way {
            Way::Owned(stride) | Way::Windows(stride) => {
                let stride = self.length(stride);
                borders
                    .iter()
                    .map(|border| (border * stride).min(whole.len()))
                    .collect()
            }
            Way::Ascending { level, stride, .. } => {
                let (coordinates, stride) = (self.entries_of(*level), self.length(stride));
                // What has one coordinate is one piece.
                for border in &mut borders {
                    while 0 < *border && *border < coordinates.len() && coordinates[*border] == coordinates[*border - 1]
                    {
                        *border += 1;
                    }
                }
                if count > 0 {
                    borders.dedup();
                }
                let first = |&border: &usize| match coordinates.get(border) {
                    Some(&first) if border > 0 => usize::try_from(first).expect("a coordinate") * stride,
                    _ if border == 0 => 0,
                    _ => whole.len(),
                };
                borders.iter().map(first).collect()
            }
            Way::Shared | Way::Each => vec![0; borders.len()],
        };
        let last = borders.len() - 2;
        let mut parts = Vec::new();
        for (number, border) in borders.windows(2).enumerate() {
            let end = if number == last {
                whole.len()
            } else {
                firsts[number + 1]
            };
            self.operands[0] = match &pieces.way {
                Way::Owned(_) | Way::Windows(_) | Way::Ascending { .. } => whole[firsts[number]..end].to_vec(),
                Way::Shared if number > 0 => vec![identity(reduction); whole.len()],
                Way::Shared | Way::Each => whole.clone(),
            };
            if let Way::Ascending { stride, first, .. } = &pieces.way {
                let stride = self.length(stride).max(1);
                self.known.insert(*first, (firsts[number] / stride) as i128);
            }
            self.known.insert(pieces.from, border[0] as i128);
            self.known.insert(pieces.to, border[1] as i128);
            self.block(&pieces.block);
            parts.push(std::mem::take(&mut self.operands[0]));
        }
        self.operands[0] = match &pieces.way {
            Way::Owned(_) | Way::Windows(_) | Way::Ascending { .. } => parts.concat(),
            Way::Shared => {
                let all = parts.into_iter();
                let both = |one: Vec<i128>, other: Vec<i128>| {
                    let both = one.into_iter().zip(other);
                    both.map(|(one, other)| reduced(reduction, one, other)).collect()
                };
                all.reduce(both).expect("a piece")
            }
            Way::Each => whole,
        };
    }

    fn length(&self, expr: &crate::compiler::loops::Expr) -> usize {
        usize::try_from(self.value(expr)).expect("a length")
    }

    /// The coordinates of all entries of a level.
    fn entries_of(&self, level: Level) -> Vec<i128> {
        let entries = self.all(level).into_iter();
        entries
            .map(|entry| entry.path[level.level].expect("a stored level"))
            .collect()
    }
}
