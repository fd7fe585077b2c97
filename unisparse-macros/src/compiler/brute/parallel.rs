//! Interprets parallel loops as threads run them: in pieces, each with its part of the output, in a different order.

use super::interpreter::{Run, identity, reduced};
use crate::compiler::loops::{Expr, Ownership, Parallel, Piece, Positions, Reduction, TensorLevel};

/// The results of a piece besides its part of a dense output: appended and scattered elements.
type Results = (Vec<(Vec<i128>, i128)>, Vec<(Vec<i128>, i128)>);

/// Reduces several outputs of equal length element by element.
fn combined(outputs: Vec<Vec<i128>>, reduction: Reduction) -> Vec<i128> {
    let both = |one: Vec<i128>, other: Vec<i128>| {
        let both = one.into_iter().zip(other);
        both.map(|(one, other)| reduced(reduction, one, other)).collect()
    };
    outputs.into_iter().reduce(both).expect("an output")
}

impl Run<'_> {
    /// Runs a parallel loop.
    pub(super) fn parallel(&mut self, parallel: &Parallel) {
        match &parallel.piece {
            Some(piece) => self.pieces(parallel, piece),
            None => {
                // The body is one loop. Its positions own their elements, or add to them in any order.
                let looks_up = matches!(parallel.ownership, Ownership::Windows(_));
                assert!(!looks_up, "positions that store at looked up places");
                self.permutes = true;
                self.block(&parallel.body);
                self.permutes = false;
            }
        }
    }

    fn pieces(&mut self, parallel: &Parallel, piece: &Piece) {
        let reduction = self.reduction;
        let count = match &parallel.over {
            Positions::Size(size) => self.value(size),
            Positions::Entries(level) => self.entries_of(*level).len() as i128,
        };
        let mut borders = self.threads.borders(usize::try_from(count).unwrap_or(0));
        if parallel.split.is_some() {
            // The last position of each piece becomes a separate piece.
            let lasts = borders.windows(2).filter(|border| border[0] < border[1]);
            let lasts: Vec<usize> = lasts.map(|border| border[1] - 1).collect();
            borders.extend(lasts);
            borders.sort_unstable();
            if count > 0 {
                borders.dedup();
            }
        }
        let whole = self.operands[0].clone();
        let firsts = match &parallel.ownership {
            Ownership::Owned(stride) | Ownership::Windows(stride) => {
                let stride = self.length(stride);
                borders
                    .iter()
                    .map(|border| (border * stride).min(whole.len()))
                    .collect()
            }
            Ownership::Ascending { level, stride, .. } => {
                let (coordinates, stride) = (self.entries_of(*level), self.length(stride));
                // Positions with the same coordinate are in one piece.
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
            Ownership::Shared { .. } | Ownership::Each => vec![0; borders.len()],
        };
        let last = borders.len() - 2;
        let mut parts = vec![Vec::new(); borders.len() - 1];
        let mut results: Vec<Results> = vec![Results::default(); borders.len() - 1];
        let before = (std::mem::take(&mut self.appended), std::mem::take(&mut self.scattered));
        for number in self.threads.order(borders.len() - 1) {
            let border = &borders[number..number + 2];
            let end = if number == last {
                whole.len()
            } else {
                firsts[number + 1]
            };
            self.operands[0] = match &parallel.ownership {
                Ownership::Owned(_) | Ownership::Windows(_) | Ownership::Ascending { .. } => {
                    whole[firsts[number]..end].to_vec()
                }
                Ownership::Shared { stores } if number > 0 || (*stores && borders.len() > 2) => {
                    vec![identity(reduction); whole.len()]
                }
                Ownership::Shared { .. } | Ownership::Each => whole.clone(),
            };
            if let Ownership::Owned(Expr::Int(1)) = &parallel.ownership {
                // Printed loops see exactly as many elements as the piece has positions.
                self.operands[0].truncate(border[1] - border[0]);
                assert_eq!(
                    self.operands[0].len(),
                    border[1] - border[0],
                    "a piece owns what is not there"
                );
            }
            if let Ownership::Ascending { stride, first, .. } = &parallel.ownership {
                let stride = self.length(stride).max(1);
                self.known.insert(*first, (firsts[number] / stride) as i128);
            }
            self.known.insert(piece.from, border[0] as i128);
            self.known.insert(piece.to, border[1] as i128);
            let clips = self.divided(parallel, border);
            let mut sums: Vec<Vec<i128>> = Vec::new();
            for clip in clips {
                if !sums.is_empty() {
                    self.operands[0] = vec![identity(reduction); sums[0].len()];
                }
                self.clip = clip;
                self.block(&parallel.body);
                sums.push(std::mem::take(&mut self.operands[0]));
            }
            self.clip = None;
            parts[number] = combined(sums, reduction);
            results[number] = (std::mem::take(&mut self.appended), std::mem::take(&mut self.scattered));
        }
        (self.appended, self.scattered) = before;
        for (appended, scattered) in results {
            self.appended.extend(appended);
            self.scattered.extend(scattered);
        }
        self.operands[0] = match &parallel.ownership {
            Ownership::Owned(_) | Ownership::Windows(_) | Ownership::Ascending { .. } => parts.concat(),
            Ownership::Shared { .. } => combined(parts, reduction),
            Ownership::Each => whole,
        };
    }

    /// Returns the restrictions of the runs of a piece: two halves of its entries if it is a single position that can
    /// be divided, else a single unrestricted run.
    fn divided(&self, parallel: &Parallel, border: &[usize]) -> Vec<Option<(TensorLevel, std::ops::Range<i128>)>> {
        match parallel.split {
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

    /// Returns the coordinates of all entries of a level.
    fn entries_of(&self, level: TensorLevel) -> Vec<i128> {
        let entries = self.all(level).into_iter();
        entries
            .map(|entry| entry.path[level.level].expect("a stored level"))
            .collect()
    }
}
