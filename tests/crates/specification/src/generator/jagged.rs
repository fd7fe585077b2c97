//! Maps that store the elements of ranked groups by number: levels that do not depend on some levels above.

use super::queries::Query;
use super::{DIMS, Generator, Level};

impl Generator {
    /// Returns levels for the numbers of the elements of each coordinate of a dim, and for the rank of that coordinate, above
    /// the dims.
    pub(super) fn jagged(&mut self) -> Vec<Level> {
        let dim = self.dim();
        let window = format!("{dim} / {}", self.random.pick(&["2", "3", "4"]));
        let mut levels: Vec<Level> = Vec::new();
        for &other in &DIMS[..self.dims] {
            let at = self.random.below(levels.len() + 1);
            if self.random.one_in(4) {
                levels.insert(at, Generator::direct_level(&format!("{other} % 3")));
                levels.insert(at, Generator::direct_level(&format!("{other} / 3")));
            } else {
                levels.insert(at, Generator::direct_level(other));
            }
        }
        let others: Vec<&str> = DIMS[..self.dims]
            .iter()
            .copied()
            .filter(|other| *other != dim)
            .collect();
        let arms = self.random.pick(&[
            "value != 0 => 1, _ => 0",
            "value != 0 => 1, _ => 0",
            "_ => 1",
            "value != 0 => 5, _ => 2",
            "value == 0 => 2, _ => 1",
            "value > 3 => 2, _ => 1",
        ]);
        let (order, in_windows) = (
            self.random.pick(&["descending", "descending", "ascending"]),
            self.random.one_in(3),
        );
        let within = if in_windows {
            format!(".group_by({window})")
        } else {
            String::new()
        };
        let groups = vec![dim.to_string()];
        self.queries = [
            format!("sum({arms}).group_by({dim})"),
            format!("reorder(q0, {order}){within}.traverse_by({dim})"),
            format!("enumerate(_ => 0).group_by({dim}).traverse_by({})", others.join(", ")),
        ]
        .into_iter()
        .zip([Some(groups.clone()), Some(groups), None])
        .enumerate()
        .map(|(number, (text, groups))| Query {
            name: format!("q{number}"),
            text,
            groups,
            padding: 0,
        })
        .collect();
        let by = self.random.pick(&["2", "3", "P"]);
        let mut texts: Vec<String> = match self.random.below(4) {
            0 | 1 => vec!["q1".to_owned()],
            2 => vec![format!("q1 / {by}"), format!("q1 % {by}")],
            _ => vec![format!("q1 / {by}")],
        };
        let at = if self.random.one_in(2) {
            0
        } else {
            self.random.below(texts.len() + 1)
        };
        texts.insert(at, "q2".to_owned());
        if in_windows && !self.random.one_in(4) {
            texts.insert(0, window);
        }
        for (number, text) in texts.into_iter().enumerate() {
            let indirect = text.contains('q');
            let level = Generator::direct_level(&text);
            levels.insert(number, Level { indirect, ..level });
        }
        levels
    }
}
