//! Declarations without a mistake.

use super::super::interpreter::Format;
use super::expressions::mentions;
use super::{DIMS, Declaration, Features, Generator, Level, PARAMETERS, Random, Seed};

/// A legal declaration.
pub fn legal(seed: impl Into<Seed>, name: &str, features: Features) -> Declaration {
    let mut draft = Draft::new(seed.into(), name, features);
    if features.layout {
        draft.lay_out();
    }
    draft.shuffle();
    Declaration {
        text: draft.text(),
        dims: draft.generator.dims,
        levels: draft.levels.len(),
        parameters: draft.parameters,
    }
}

/// A declaration to which primitives can be added.
pub(super) struct Draft {
    pub(super) generator: Generator,
    levels: Vec<Level>,
    parameters: usize,
    /// The text up to the primitives.
    head: String,
    primitives: Vec<String>,
}

impl Draft {
    /// A legal declaration without `pack` and `partition`.
    pub(super) fn new(seed: Seed, name: &str, features: Features) -> Self {
        let mut random = Random::new(seed.map);
        let dims = [1, 2, 2, 2, 2, 2, 2, 3, 3, 3, 4, 5][random.below(12)];
        let mut generator = Generator {
            random,
            dims,
            queries: Vec::new(),
        };
        let mut levels = generator.direct();
        // A random stream of its own, so that the other maps stay what they are.
        let mut stream = Random::new(seed.map ^ 0x6A61_6767_6564);
        if features.queries && dims > 1 && stream.one_in(6) {
            levels = generator.jagged();
        } else if features.queries {
            for number in 0..[0, 1, 2, 2, 3, 3][generator.random.below(6)] {
                let query = generator.query(format!("q{number}"));
                generator.queries.push(query);
            }
            generator.indirect(&mut levels);
        }
        generator.named(&mut levels);
        // A different random stream than that of the map, which may have the same seed.
        generator.random = Random::new(!seed.primitives);
        let primitives = generator.primitives(&levels);
        let widths = generator.widths(&levels);
        let shown: Vec<String> = levels
            .iter()
            .map(|level| match &level.name {
                Some(name) => format!("{name}: {}", level.text),
                None => level.text.clone(),
            })
            .collect();
        let queries: String = generator
            .queries
            .iter()
            .map(|query| format!(" {} = {};", query.name, query.text))
            .collect();
        let body = format!("|{}| ({})", DIMS[..dims].join(", "), shown.join(", "));
        let queries = if queries.is_empty() {
            queries
        } else {
            format!(" where {{{queries} }}")
        };
        let used = PARAMETERS
            .iter()
            .filter(|(name, _)| mentions(&body, name) || mentions(&queries, name));
        let parameters: Vec<String> = used
            .map(|(name, default)| format!("const {name}: usize = {default}"))
            .collect();
        let list = if parameters.is_empty() {
            String::new()
        } else {
            format!("<{}>", parameters.join(", "))
        };
        let mut draft = Draft {
            generator,
            levels,
            parameters: parameters.len(),
            head: format!("pub format {name}{list} = {body}{queries}"),
            primitives,
        };
        draft.declare(widths);
        draft
    }

    /// Adds the widths of arrays that exist; others would be an error.
    fn declare(&mut self, widths: Vec<(Option<usize>, String)>) {
        let kinds = Format::parse(&self.text()).plan().kinds();
        let is_index = |level: usize| kinds[level].starts_with("aligned") || kinds[level].starts_with("indexed");
        let is_pointer = || kinds.iter().any(|kind| kind.contains(" ptr"));
        let exists = |level: Option<usize>| level.map_or_else(is_pointer, is_index);
        let widths = widths.into_iter().filter(|&(level, _)| exists(level));
        self.primitives.extend(widths.map(|(_, width)| width));
    }

    pub(super) fn text(&self) -> String {
        format!("{} {{{} }}", self.head, self.primitives.concat())
    }

    /// Returns the ranges of levels that `pack` interleaves, or those that it does not.
    pub(super) fn packs(&self, something: bool) -> Vec<(usize, usize)> {
        let (plan, count) = (Format::parse(&self.text()).plan(), self.levels.len());
        let ranges = (0..count).flat_map(|first| (first..count).map(move |last| (first, last)));
        ranges
            .filter(|&(first, last)| plan.packs(first, last) == something)
            .collect()
    }

    /// Returns the levels at which the tree can be cut, or those at which it cannot.
    pub(super) fn partitions(&self, can_be: bool) -> Vec<usize> {
        let plan = Format::parse(&self.text()).plan();
        (0..self.levels.len())
            .filter(|&level| plan.partitions(level) == can_be)
            .collect()
    }

    pub(super) fn pack(&mut self, (first, last): (usize, usize)) {
        let single = first == last && self.generator.random.one_in(2);
        let (first, last) = (self.label(first), self.label(last));
        self.primitives.push(if single {
            format!(" pack({first});")
        } else {
            format!(" pack({first}..={last});")
        });
    }

    pub(super) fn partition(&mut self, level: usize) {
        let level = self.label(level);
        self.primitives.push(format!(" partition({level});"));
    }

    fn label(&mut self, at: usize) -> String {
        self.generator.label(&self.levels, at)
    }

    fn lay_out(&mut self) {
        match self.generator.random.below(8) {
            0..=1 => {
                let ranges = self.packs(true);
                if ranges.is_empty() {
                    return;
                }
                let first = self.generator.random.any(&ranges);
                self.pack(first);
                let apart = ranges
                    .into_iter()
                    .filter(|range| range.1 < first.0 || first.1 < range.0);
                let apart: Vec<_> = apart.collect();
                if !apart.is_empty() {
                    let second = self.generator.random.any(&apart);
                    self.pack(second);
                }
            }
            2 => {
                let levels = self.partitions(true);
                if !levels.is_empty() {
                    let level = self.generator.random.any(&levels);
                    self.partition(level);
                }
            }
            _ => {}
        }
    }

    pub(super) fn shuffle(&mut self) {
        for at in (1..self.primitives.len()).rev() {
            self.primitives.swap(at, self.generator.random.below(at + 1));
        }
    }
}

impl Generator {
    /// Adds levels that mention queries.
    fn indirect(&mut self, levels: &mut Vec<Level>) {
        for query in self.queries.clone() {
            if levels.len() >= 8.max(self.dims + 4) || self.random.one_in(4) {
                continue;
            }
            let name = &query.name;
            let by = self.divisor();
            let texts = match self.random.below(10) {
                0 => vec![format!("{name} / {by}"), format!("{name} % {by}")],
                1 => vec![format!("{name} / {by}")],
                2 => vec![format!("{name} % {by}")],
                3 => vec![format!("{name} + {}", self.dim())],
                4 => vec![format!("{name} - {}", self.dim())],
                _ => vec![name.clone()],
            };
            let mut least = 0;
            for text in texts {
                let at = least + self.random.below(levels.len() + 1 - least);
                least = at + 1;
                let bare = text == *name;
                let must_trim = text.contains('-');
                let alone = self.dims > 1 && (at == 0 || at == 1 && !levels[0].indirect);
                let padding = bare && at < query.padding && alone;
                levels.insert(
                    at,
                    Level {
                        name: None,
                        text,
                        indirect: true,
                        must_trim,
                        padding,
                        deep: query.padding > 1,
                    },
                );
            }
        }
        // A level that was inserted above may determine a level that could be padded.
        for at in 0..levels.len() {
            levels[at].padding &= at == 0 || at == 1 && !levels[0].indirect && levels[at].deep;
        }
    }

    /// A level that is just a dim or a query may have no explicit name.
    fn named(&mut self, levels: &mut [Level]) {
        let texts: Vec<String> = levels.iter().map(|level| level.text.clone()).collect();
        for (at, level) in levels.iter_mut().enumerate() {
            let single = texts.iter().filter(|text| **text == level.text).count() == 1;
            let word =
                level.text.chars().all(char::is_alphanumeric) && level.text.starts_with(|c: char| c.is_lowercase());
            if !(single && word && self.random.below(3) > 0) {
                level.name = Some(format!("l{at}"));
            }
        }
    }

    /// Returns a name or a number for the level in a primitive.
    fn label(&mut self, levels: &[Level], at: usize) -> String {
        match &levels[at].name {
            _ if self.random.one_in(5) => at.to_string(),
            Some(name) => name.clone(),
            None => levels[at].text.clone(),
        }
    }

    /// Adds all primitives except those of layout.
    fn primitives(&mut self, levels: &[Level]) -> Vec<String> {
        let count = levels.len();
        let mut lines: Vec<String> = Vec::new();
        let mut merged: Vec<bool> = (0..count).map(|at| at + 1 < count && self.random.one_in(2)).collect();
        let density = 1 + self.random.below(3);
        let mut trimmed: Vec<bool> = levels
            .iter()
            .map(|level| level.must_trim || self.random.below(4) < density)
            .collect();
        for at in 0..count {
            if levels[at].padding && self.random.one_in(2) {
                trimmed[at] = false;
                merged[at] = at + 1 < count;
                if at > 0 {
                    merged[at - 1] = true;
                }
                lines.push(format!(" pad({});", self.label(levels, at)));
            }
        }
        let names: Vec<String> = (0..count)
            .filter(|&at| merged[at])
            .map(|at| self.label(levels, at))
            .collect();
        if !names.is_empty() {
            lines.push(format!(" merge({});", names.join(", ")));
        }
        let mut at = 0;
        while at < count {
            let mut end = at + 1;
            if trimmed[at] {
                while end < count && trimmed[end] && !self.random.one_in(4) {
                    end += 1;
                }
                let (first, last) = (self.label(levels, at), self.label(levels, end - 1));
                let whole = end - at > 1 || self.random.one_in(4);
                lines.push(if whole {
                    format!(" trim({first}..={last});")
                } else {
                    format!(" trim({first});")
                });
            }
            at = end;
        }
        lines
    }

    /// The widths of the `idx` array of a level, and of all `ptr` arrays.
    fn widths(&mut self, levels: &[Level]) -> Vec<(Option<usize>, String)> {
        let mut widths = Vec::new();
        if self.random.one_in(6) {
            let at = self.random.below(levels.len());
            let negative = levels[at].text.contains('-');
            let width = if negative {
                self.random.pick(&["i64", "i32"])
            } else {
                self.random.pick(&["u64", "u16", "u32", "i64"])
            };
            widths.push((Some(at), format!(" index({}: {width});", self.label(levels, at))));
        }
        if self.random.one_in(8) {
            let width = self.random.pick(&["u64", "u32", "u16"]);
            widths.push((None, format!(" pointer({width});")));
        }
        widths
    }
}
