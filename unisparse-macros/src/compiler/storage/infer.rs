//! The rules of storage inference.

use super::invariant::invariant_over;
use super::pack::tuple_arrays;
use super::{Cut, Kind, LevelStorage, Storage, Stored};
use crate::compiler::encoding::{Format, Status};

impl Stored {
    /// Infers the storage of every level.
    pub(crate) fn new(format: Format) -> Self {
        let mut whole = Storage::below(&format, 0, "the root", None);
        let cut = format.partition.map(|level| {
            whole.levels[level].why += "; one part for each position";
            let part = Storage {
                // Holes of the whole tensor are holes of its parts.
                holes: whole.holes,
                ..Storage::below(&format, level + 1, "the root of a part", Some(&whole))
            };
            Cut { level, part }
        });
        Stored { format, whole, cut }
    }
}

/// The inputs of the rules for each level.
struct Inference<'a> {
    format: &'a Format,
    /// The first level to infer; the levels above it are given.
    first: usize,
    /// The name of the root in explanations.
    root: &'a str,
    /// The levels from `first` on that the levels above do not determine.
    free: Vec<usize>,
    /// Whether each level has an index array, or a count in place of one.
    indexed: Vec<bool>,
    /// Whether each level has one entry per child.
    copied: Vec<bool>,
}

impl<'a> Inference<'a> {
    fn new(format: &'a Format, first: usize, root: &'a str) -> Self {
        let all = &format.levels;
        let free: Vec<usize> = (first..all.len())
            .filter(|&level| all[level].status == Status::Free)
            .collect();
        // A level that is not free has one child per node, so merging it merges the free level above it.
        let merged = |level: usize| {
            let held = (level + 1..all.len()).take_while(|&below| all[below].status != Status::Free);
            std::iter::once(level).chain(held).any(|level| all[level].merged)
        };
        let mut indexed = vec![false; all.len()];
        let mut copied = vec![false; all.len()];
        for (at, &level) in free.iter().enumerate().rev() {
            let child_is_indexed = free.get(at + 1).is_some_and(|&child| indexed[child]);
            copied[level] = child_is_indexed && !merged(level);
            indexed[level] = all[level].trimmed || all[level].padded || copied[level];
        }
        Inference {
            format,
            first,
            root,
            free,
            indexed,
            copied,
        }
    }

    fn level(&self, level: usize) -> LevelStorage {
        let (all, encoding) = (&self.format.levels, &self.format.levels[level]);
        let parent = self.free.iter().copied().take_while(|&above| above < level).last();
        let parent_name = parent.map_or_else(|| self.root.to_owned(), |parent| format!("`{}`", all[parent].name));
        let pointed = parent.is_some_and(|parent| !self.copied[parent]);
        let alone = !self.copied[level] && parent.is_none_or(|parent| !self.copied[parent]);
        let pointer = pointed.then_some(self.format.pointer);
        let (kind, why) = match encoding.status {
            Status::Fixed => (Kind::Fixed, "fixed by the levels above: nothing is stored".to_owned()),
            _ if level < self.first => (Kind::Given, "given: the part belongs to one node of it".to_owned()),
            Status::Aligned => {
                let why = format!("determined by a query: one entry for each position of {parent_name}");
                (Kind::Aligned { index: encoding.index }, why)
            }
            Status::Free if !self.indexed[level] => {
                (Kind::Dense, "not trimmed: every coordinate, no index array".to_owned())
            }
            Status::Free if alone && encoding.padded => {
                let why = format!("padded: every coordinate up to the greatest below {parent_name}");
                (Kind::Counted { pointer }, why)
            }
            Status::Free if alone && encoding.trimmed && encoding.counting => {
                let why = format!("trimmed, and counts from zero below {parent_name}: only the count is stored");
                (Kind::Counted { pointer }, why)
            }
            Status::Free => {
                let kind = Kind::Indexed {
                    index: encoding.index,
                    pointer,
                    copied: self.copied[level],
                    full: !encoding.trimmed,
                };
                let what = if encoding.trimmed {
                    "trimmed"
                } else {
                    "neither trimmed nor merged above a trimmed level"
                };
                let how = match (parent, pointed) {
                    (None, _) => format!("at {}", self.root),
                    (Some(_), true) => format!("below {parent_name}, one segment for each of its nodes"),
                    (Some(_), false) => format!("below {parent_name}, one entry for each of its entries"),
                };
                (kind, format!("{what}, {how}"))
            }
        };
        LevelStorage {
            kind,
            parent,
            invariant_over: Vec::new(),
            why,
        }
    }
}

impl Storage {
    /// Infers the storage of the levels from `first` on; the levels above are given. The arrays of a part are sections of
    /// those of the `whole`.
    fn below(format: &Format, first: usize, root: &str, whole: Option<&Storage>) -> Self {
        let (all, inference) = (&format.levels, Inference::new(format, first, root));
        let mut levels: Vec<LevelStorage> = (0..all.len()).map(|level| inference.level(level)).collect();
        for level in first..all.len() {
            let over = match whole {
                Some(whole) => whole.levels[level].invariant_over.clone(),
                None => invariant_over(format, &levels, &inference.free, level),
            };
            if !over.is_empty() {
                levels[level].why = why_invariant(format, &inference.free, level, &over);
                levels[level].invariant_over = over;
            }
        }
        // The last level has positions without an element if it is dense, or padded up to the greatest coordinate.
        let padding = |&level: &usize| match levels[level].kind {
            Kind::Dense => true,
            Kind::Counted { .. } => all[level].padded,
            _ => false,
        };
        let holes = inference.free.last().is_none_or(padding) || levels.iter().any(|level| level.kind.is_full());
        let mut storage = Storage {
            levels,
            holes,
            end: format.partition.filter(|_| first == 0).map_or(all.len(), |cut| cut + 1),
            tuple_arrays: Vec::new(),
        };
        storage.tuple_arrays = format
            .packs
            .iter()
            .flat_map(|&pack| tuple_arrays(format, &storage, pack))
            .collect();
        for tuples in &storage.tuple_arrays {
            for &level in &tuples.levels {
                let values = if tuples.values { " with the values" } else { "" };
                storage.levels[level].why += &format!("; packed into `{}_entries`{values}", all[tuples.levels[0]].name);
            }
        }
        storage.explain_word(format);
        storage
    }

    /// Adds to the explanation of each level where a word has its coordinate, if the elements are stored here.
    fn explain_word(&mut self, format: &Format) {
        let words = format.word.iter().filter(|_| self.end == format.levels.len());
        for field in words.flat_map(|word| &word.fields) {
            if let Some(level) = field.level {
                let last = field.at + field.bits - 1;
                self.levels[level].why += &match last == field.at {
                    true => format!("; bit {last} of the word"),
                    false => format!("; bits {} to {last} of the word", field.at),
                };
            }
        }
    }
}

/// Returns the sentence that explains an array of a level that is invariant over levels above.
fn why_invariant(format: &Format, free: &[usize], level: usize, over: &[usize]) -> String {
    let names = |levels: Vec<usize>, joint: &str| {
        let names: Vec<String> = levels
            .iter()
            .map(|&level| format!("`{}`", format.levels[level].name))
            .collect();
        match names.split_last() {
            Some((last, rest)) if !rest.is_empty() => format!("{} {joint} {last}", rest.join(", ")),
            _ => names.concat(),
        }
    };
    let others: Vec<usize> = free
        .iter()
        .copied()
        .filter(|above| *above < level && !over.contains(above))
        .collect();
    let entries = match others.is_empty() {
        true => "one entry".to_owned(),
        false => format!("one entry for each position of {}", names(others, "and")),
    };
    format!(
        "determined by a query, whatever {} is: {entries}",
        names(over.to_vec(), "or")
    )
}
