//! The outermost loop of a nest in pieces, as threads run them: each with its part of the output.

use super::interpreter::{Run, identity, reduced};
use crate::compiler::kernel::{Count, Pieces, Way};
use crate::compiler::loops::{Expr, Level, Reduction};

/// All elements of several outputs of one length, reduced.
fn together(outputs: Vec<Vec<i128>>, reduction: Reduction) -> Vec<i128> {
    let both = |one: Vec<i128>, other: Vec<i128>| {
        let both = one.into_iter().zip(other);
        both.map(|(one, other)| reduced(reduction, one, other)).collect()
    };
    outputs.into_iter().reduce(both).expect("an output")
}

impl Run<'_> {
    /// Runs the pieces between the borders that `cut` gives for a number of positions.
    pub(super) fn pieces(&mut self, pieces: &Pieces, reduction: Reduction, cut: impl Fn(usize) -> Vec<usize>) {
        self.block(&pieces.sizes);
        let count = match &pieces.count {
            Count::Size(size) => self.value(size),
            Count::Entries(level) => self.entries_of(*level).len() as i128,
        };
        let mut borders = cut(usize::try_from(count).unwrap_or(0));
        if pieces.divided.is_some() {
            // The last position of each piece alone.
            let lasts = borders.windows(2).filter(|border| border[0] < border[1]);
            let lasts: Vec<usize> = lasts.map(|border| border[1] - 1).collect();
            borders.extend(lasts);
            borders.sort_unstable();
            if count > 0 {
                borders.dedup();
            }
        }
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
                    Some(&first) if border > 0 => {
                        (usize::try_from(first).expect("a coordinate") * stride).min(whole.len())
                    }
                    _ if border == 0 => 0,
                    _ => whole.len(),
                };
                borders.iter().map(first).collect()
            }
            Way::Shared { .. } | Way::Each => vec![0; borders.len()],
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
                Way::Shared { stores } if number > 0 || (*stores && borders.len() > 2) => {
                    vec![identity(reduction); whole.len()]
                }
                Way::Shared { .. } | Way::Each => whole.clone(),
            };
            if let Way::Owned(Expr::Int(1)) = &pieces.way {
                // Printed loops see as many elements as the piece has positions, and no more.
                self.operands[0].truncate(border[1] - border[0]);
                assert_eq!(
                    self.operands[0].len(),
                    border[1] - border[0],
                    "a piece owns what is not there"
                );
            }
            if let Way::Ascending { stride, first, .. } = &pieces.way {
                let stride = self.length(stride).max(1);
                self.known.insert(*first, (firsts[number] / stride) as i128);
            }
            self.known.insert(pieces.from, border[0] as i128);
            self.known.insert(pieces.to, border[1] as i128);
            let clips = self.divided(pieces, border);
            let mut sums: Vec<Vec<i128>> = Vec::new();
            for clip in clips {
                if !sums.is_empty() {
                    self.operands[0] = vec![identity(reduction); sums[0].len()];
                }
                self.clip = clip;
                self.block(&pieces.block);
                sums.push(std::mem::take(&mut self.operands[0]));
            }
            self.clip = None;
            parts.push(together(sums, reduction));
        }
        self.operands[0] = match &pieces.way {
            Way::Owned(_) | Way::Windows(_) | Way::Ascending { .. } => parts.concat(),
            Way::Shared { .. } => together(parts, reduction),
            Way::Each => whole,
        };
    }

    /// The entries of a position alone in two parts, if these can be divided: what counts in each.
    fn divided(&self, pieces: &Pieces, border: &[usize]) -> Vec<Option<(Level, std::ops::Range<i128>)>> {
        match pieces.divided {
            Some(level) if border[1] == border[0] + 1 => {
                let entries = self.tensors[level.tensor]
                    .tree
                    .entries
                    .get(&(level.level, border[0] as i128));
                let positions: Vec<i128> = entries.into_iter().flatten().map(|entry| entry.position).collect();
                let middle = positions.get(positions.len() / 2).copied().unwrap_or(0);
                vec![Some((level, i128::MIN..middle)), Some((level, middle..i128::MAX))]
            }
            _ => vec![None],
        }
    }

    fn length(&self, expr: &Expr) -> usize {
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
