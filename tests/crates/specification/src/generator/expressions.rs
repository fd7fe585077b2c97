//! Index maps, and the expressions of queries and levels.

use super::{DIMS, Generator, Level};

pub(super) fn paren(text: &str) -> String {
    if text.contains(' ') {
        format!("({text})")
    } else {
        text.to_owned()
    }
}

/// Whether a name appears in an expression.
pub(super) fn mentions(text: &str, name: &str) -> bool {
    text.split(|c: char| !(c.is_alphanumeric() || c == '_'))
        .any(|word| word == name)
}

/// Whether division by this splits the expression further: not `(i % 2) / 4`, which is always zero.
pub(super) fn splits(text: &str, by: &str) -> bool {
    if text.contains("% P") || text.contains("% Q") || text.contains("% (") {
        return text.matches('%').count() == 1 && (by == "2" || by == "3");
    }
    match (text.rsplit_once("% "), by.parse::<usize>()) {
        (None, _) => true,
        (Some((_, modulus)), Ok(by)) => modulus
            .trim_matches(')')
            .parse()
            .is_ok_and(|modulus: usize| by < modulus),
        (Some(_), Err(_)) => by.len() == 1,
    }
}

impl Generator {
    pub(super) fn divisor(&mut self) -> String {
        self.random
            .pick(&["2", "2", "3", "4", "P", "P", "Q", "(2 * P)", "5"])
            .to_owned()
    }

    pub(super) fn dim(&mut self) -> &'static str {
        DIMS[self.random.below(self.dims)]
    }

    pub(super) fn direct_level(text: &str) -> Level {
        Level {
            name: None,
            text: text.to_owned(),
            indirect: false,
            must_trim: false,
            padding: false,
            deep: false,
        }
    }

    /// Returns levels that determine all dims: each step keeps the map invertible.
    pub(super) fn direct(&mut self) -> Vec<Level> {
        let mut levels: Vec<String> = DIMS[..self.dims].iter().map(ToString::to_string).collect();
        let most = 6.max(self.dims + 2);
        for _ in 0..self.random.below(5) {
            let (at, other) = (self.random.below(levels.len()), self.random.below(levels.len()));
            match self.random.below(15) {
                0..=4 if levels.len() < most => {
                    let (whole, by) = (paren(&levels[at]), self.divisor());
                    if !splits(&levels[at], &by) {
                        continue;
                    }
                    levels[at] = format!("{whole} / {by}");
                    levels.insert(at + self.random.below(2), format!("{whole} % {by}"));
                }
                5..=8 if at != other => {
                    let (left, right) = (levels[at].clone(), paren(&levels[other]));
                    levels[at] = match self.random.below(8) {
                        0 => format!("{left} + {right}"),
                        1 => format!("{left} - 2 * {right}"),
                        2 => format!("{left} + 3 * {right}"),
                        // Of one dim this could be any multiple.
                        3 if !DIMS.iter().any(|dim| mentions(&left, dim) && mentions(&right, dim)) => {
                            format!("P * {right} + {left}")
                        }
                        _ => format!("{left} - {right}"),
                    };
                }
                9 => {
                    let inner = paren(&levels[at]);
                    levels[at] = match self.random.below(3) {
                        0 => format!("-{inner}"),
                        1 => format!("2 * {inner}"),
                        _ => format!("{inner} * 3"),
                    };
                }
                10 => levels[at] = format!("{} {}", levels[at], self.random.pick(&["+ 1", "- 3", "+ P", "- Q + 2"])),
                11..=13 => levels.swap(at, other),
                14 if levels.len() < most => {
                    let text = match self.random.below(4) {
                        0 => format!("2 * {}", self.dim()),
                        1 => format!("{} % {}", self.dim(), self.divisor()),
                        2 => self.divisor(),
                        _ => self.of_dims(),
                    };
                    levels.insert(self.random.below(levels.len() + 1), text);
                }
                _ => {}
            }
        }
        self.follow(&mut levels);
        levels.iter().map(|text| Self::direct_level(text)).collect()
    }

    /// Adds levels that others determine, at any place, most often the last. Levels of queries are inserted among them.
    fn follow(&mut self, levels: &mut Vec<String>) {
        for _ in 0..[0, 0, 1, 1, 1, 2, 3][self.random.below(7)] {
            let (dim, other) = (self.dim(), self.dim());
            let by = self.divisor();
            let text = match self.random.below(12) {
                0..=2 => dim.to_owned(),
                3 if dim != other => format!("{dim} + {other}"),
                4 if dim != other => format!("{dim} - {other}"),
                5 => format!("{dim} / {by}"),
                6 => format!("{dim} % {by}"),
                7 => format!("2 * {dim}"),
                8 => format!("3 * {dim} + 1"),
                9 => by.to_string(),
                _ => self.random.any(levels),
            };
            let at = match self.random.below(3) {
                0 => levels.len(),
                _ => self.random.below(levels.len() + 1),
            };
            levels.insert(at, text);
        }
    }

    /// An expression of dims.
    pub(super) fn of_dims(&mut self) -> String {
        let (dim, other) = (self.dim(), self.dim());
        match self.random.below(12) {
            0..=5 => dim.to_owned(),
            6..=7 => format!("{dim} / {}", self.divisor()),
            8 => format!("{dim} % {}", self.divisor()),
            9 if dim != other => format!("{dim} - {other}"),
            10 if dim != other => format!("{dim} + {other}"),
            11 if dim != other => format!("({dim} - {other}) / {}", self.divisor()),
            _ => dim.to_owned(),
        }
    }

    /// An expression of dims and queries.
    pub(super) fn of_element(&mut self) -> String {
        if self.queries.is_empty() || !self.random.one_in(4) {
            return self.of_dims();
        }
        let query = self.random.any(&self.queries).name;
        match self.random.below(4) {
            0 => format!("{query} / {}", self.divisor()),
            1 => format!("{query} % {}", self.divisor()),
            _ => query,
        }
    }

    pub(super) fn list(&mut self, least: usize) -> Vec<String> {
        let count = [1, 1, 1, 2, 2, 3, 0][self.random.below(7)].max(least);
        let mut list: Vec<String> = Vec::new();
        for _ in 0..count {
            let next = self.of_element();
            if !list.contains(&next) {
                list.push(next);
            }
        }
        list
    }

    /// An expression that is a function of these groups.
    pub(super) fn of_groups(&mut self, groups: &[String]) -> String {
        let equal = self
            .queries
            .iter()
            .filter(|query| query.groups.as_deref() == Some(groups));
        let equal: Vec<String> = equal.map(|query| query.name.clone()).collect();
        if !equal.is_empty() && self.random.one_in(3) {
            return self.random.any(&equal);
        }
        let group = self.random.any(groups);
        match self.random.below(6) {
            0 => format!("{} / {}", paren(&group), self.divisor()),
            1 => format!("{} % {}", paren(&group), self.divisor()),
            2 => format!("-{}", paren(&group)),
            _ => group,
        }
    }

    pub(super) fn list_of_groups(&mut self, groups: &[String]) -> String {
        let count = 1 + self.random.below(2);
        (0..count)
            .map(|_| self.of_groups(groups))
            .collect::<Vec<_>>()
            .join(", ")
    }
}
