//! Random declarations as text, legal ones and illegal ones. The same seed gives the same text everywhere.

/// Xorshift.
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Self {
        let mut random = Random(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1);
        (0..4).for_each(|_| _ = random.draw());
        random
    }

    pub fn draw(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 11
    }

    /// A number below `end`.
    pub fn below(&mut self, end: usize) -> usize {
        (self.draw() % end as u64) as usize
    }

    fn one_in(&mut self, of: usize) -> bool {
        self.below(of) == 0
    }

    fn pick<'a>(&mut self, from: &[&'a str]) -> &'a str {
        from[self.below(from.len())]
    }

    fn any<T: Clone>(&mut self, from: &[T]) -> T {
        from[self.below(from.len())].clone()
    }
}

/// What a legal declaration may use.
#[derive(Clone, Copy, Debug)]
pub struct Features {
    pub queries: bool,
    /// `pack`.
    pub layout: bool,
}

impl Features {
    pub const DIRECT: Features = Features {
        queries: false,
        layout: false,
    };
    pub const ALL: Features = Features {
        queries: true,
        layout: true,
    };
}

/// A declaration, and what it takes to name its type.
#[derive(Clone, Debug)]
pub struct Declaration {
    pub text: String,
    pub dims: usize,
    pub levels: usize,
}

const DIMS: [&str; 3] = ["i", "j", "k"];
const PARAMETERS: [(&str, usize); 2] = [("P", 2), ("Q", 3)];

fn paren(text: &str) -> String {
    if text.contains(' ') {
        format!("({text})")
    } else {
        text.to_owned()
    }
}

/// Whether a name is in an expression.
fn mentions(text: &str, name: &str) -> bool {
    text.split(|c: char| !(c.is_alphanumeric() || c == '_'))
        .any(|word| word == name)
}

/// Whether division by this splits what is left of an expression: not `(i % 2) / 4`, which is always zero.
fn splits(text: &str, by: &str) -> bool {
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

/// A query that is there to be used.
#[derive(Clone)]
struct Query {
    name: String,
    text: String,
    /// The groups it is a function of.
    groups: Option<Vec<String>>,
    /// Above how many levels its own can be padded: it is not fixed by fewer.
    padding: usize,
}

struct Level {
    name: Option<String>,
    text: String,
    indirect: bool,
    /// It may be negative and its domain is measured.
    must_trim: bool,
    padding: bool,
    /// Padding is right below another level, too.
    deep: bool,
}

struct Generator {
    random: Random,
    dims: usize,
    queries: Vec<Query>,
}

/// A legal declaration.
pub fn legal(seed: u64, name: &str, features: Features) -> Declaration {
    let mut random = Random::new(seed);
    let dims = [1, 2, 2, 2, 2, 2, 2, 2, 3, 3][random.below(10)];
    let mut generator = Generator {
        random,
        dims,
        queries: Vec::new(),
    };
    let mut levels = generator.direct();
    if features.queries {
        for number in 0..[0, 1, 2, 2, 3, 3][generator.random.below(6)] {
            let query = generator.query(format!("q{number}"));
            generator.queries.push(query);
        }
        generator.indirect(&mut levels);
    }
    generator.named(&mut levels);
    let primitives = generator.primitives(&mut levels, features);
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
    let parameters = if parameters.is_empty() {
        String::new()
    } else {
        format!("<{}>", parameters.join(", "))
    };
    Declaration {
        text: format!("pub format {name}{parameters} = {body}{queries} {{{primitives} }}"),
        dims,
        levels: levels.len(),
    }
}

impl Generator {
    fn divisor(&mut self) -> String {
        self.random
            .pick(&["2", "2", "3", "4", "P", "P", "Q", "(2 * P)", "5"])
            .to_owned()
    }

    fn dim(&mut self) -> &'static str {
        DIMS[self.random.below(self.dims)]
    }

    fn direct_level(text: &str) -> Level {
        Level {
            name: None,
            text: text.to_owned(),
            indirect: false,
            must_trim: false,
            padding: false,
            deep: false,
        }
    }

    /// Levels that hold all dims: each step keeps them invertible.
    fn direct(&mut self) -> Vec<Level> {
        let mut levels: Vec<String> = DIMS[..self.dims].iter().map(ToString::to_string).collect();
        for _ in 0..self.random.below(5) {
            let (at, other) = (self.random.below(levels.len()), self.random.below(levels.len()));
            match self.random.below(15) {
                0..=4 if levels.len() < 6 => {
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
                14 if levels.len() < 6 => {
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
        levels.iter().map(|text| Self::direct_level(text)).collect()
    }

    /// An expression of dims.
    fn of_dims(&mut self) -> String {
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
    fn of_element(&mut self) -> String {
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

    fn list(&mut self, least: usize) -> Vec<String> {
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
    fn of_groups(&mut self, groups: &[String]) -> String {
        let alike = self
            .queries
            .iter()
            .filter(|query| query.groups.as_deref() == Some(groups));
        let alike: Vec<String> = alike.map(|query| query.name.clone()).collect();
        if !alike.is_empty() && self.random.one_in(3) {
            return self.random.any(&alike);
        }
        let group = self.random.any(groups);
        match self.random.below(6) {
            0 => format!("{} / {}", paren(&group), self.divisor()),
            1 => format!("{} % {}", paren(&group), self.divisor()),
            2 => format!("-{}", paren(&group)),
            _ => group,
        }
    }

    fn list_of_groups(&mut self, groups: &[String]) -> String {
        let count = 1 + self.random.below(2);
        (0..count)
            .map(|_| self.of_groups(groups))
            .collect::<Vec<_>>()
            .join(", ")
    }

    /// A number that is never negative. `groups` if it is to be a function of those, without dims.
    fn number(&mut self, groups: Option<&[String]>) -> String {
        let fitting = self
            .queries
            .iter()
            .filter(|query| groups.is_none() || query.groups.as_deref() == groups);
        let fitting: Vec<String> = fitting.map(|query| query.name.clone()).collect();
        if !fitting.is_empty() && self.random.one_in(3) {
            let query = self.random.any(&fitting);
            return match self.random.below(4) {
                0 => format!("{query} + 1"),
                1 => format!("{query} / {}", self.divisor()),
                _ => query,
            };
        }
        if groups.is_none() && self.random.one_in(6) {
            let dim = self.dim();
            return format!("{dim}{}", self.random.pick(&["", " % 2", " / 3", " + 2"]));
        }
        self.random.pick(&["1", "1", "2", "3", "P", "7"]).to_owned()
    }

    /// The arms of a value map. The number for absent elements is such that a sum may have it.
    fn arms(&mut self, groups: &[String], zeros: bool) -> String {
        let mut arms = Vec::new();
        let mut absent_matched = false;
        let dims_only = !groups
            .iter()
            .any(|group| self.queries.iter().any(|query| mentions(group, &query.name)));
        for last in [false; 3].into_iter().take(self.random.below(4)).chain([true]) {
            let (condition, absent) = if last {
                ("_".to_owned(), true)
            } else {
                let operator = self.random.pick(&["==", "!=", "<", "<=", ">", ">="]);
                let literal = self.random.pick(&["0", "0", "1", "3", "4", "2.5", "-1", "-0.5"]);
                let number: f64 = literal.parse().unwrap_or(0.0);
                let holds = match operator {
                    "==" => number == 0.0,
                    "!=" => number != 0.0,
                    "<" => 0.0 < number,
                    "<=" => 0.0 <= number,
                    ">" => 0.0 > number,
                    _ => 0.0 >= number,
                };
                (format!("value {operator} {literal}"), holds)
            };
            let of_absent = absent && !absent_matched;
            absent_matched |= absent;
            let number =
                if zeros && !self.random.one_in(3) || self.random.one_in(3) || of_absent && !zeros && !dims_only {
                    "0".to_owned()
                } else if of_absent && !zeros {
                    self.number(Some(groups))
                } else {
                    self.number(None)
                };
            arms.push(format!("{condition} => {number}"));
        }
        arms.join(", ")
    }

    fn simple_arms(&mut self) -> &'static str {
        self.random.pick(&[
            "value != 0 => 1, _ => 0",
            "value == 0 => 0, _ => 1",
            "value > 3 => 2, value != 0 => 1, _ => 0",
        ])
    }

    fn query(&mut self, name: String) -> Query {
        let sources = self
            .queries
            .iter()
            .filter(|query| query.groups.as_ref().is_some_and(|groups| !groups.is_empty()));
        let sources: Vec<Query> = sources.cloned().collect();
        let (mut groups, mut padding) = (None, 0);
        let text = match self.random.below(9) {
            kind @ (0..=2) if !sources.is_empty() => {
                let source = self.random.any(&sources);
                let of = source.groups.clone().unwrap_or_default();
                let own = if self.random.one_in(2) {
                    format!(".group_by({})", self.of_groups(&of))
                } else {
                    String::new()
                };
                let traverse = self.list_of_groups(&of);
                groups = Some(of);
                if kind == 2 {
                    let buckets = self.random.pick(&["1", "2", "3", "P", "Q"]);
                    format!("schedule({}, {buckets}).traverse_by({traverse})", source.name)
                } else {
                    let direction = self.random.pick(&["ascending", "descending"]);
                    let clauses = [own, format!(".traverse_by({traverse})")];
                    let order = self.random.below(2);
                    format!(
                        "reorder({}, {direction}){}{}",
                        source.name,
                        clauses[order],
                        clauses[1 - order]
                    )
                }
            }
            0..=4 => {
                let of = self.list(0);
                let arms = if self.random.one_in(2) {
                    self.simple_arms().to_owned()
                } else {
                    self.arms(&of, false)
                };
                let text = format!("sum({arms}).group_by({})", of.join(", "));
                groups = Some(of);
                text
            }
            5..=7 => {
                let of = self.list(0);
                let arms = match self.random.below(4) {
                    0 => "value != 0 => 0, _ => 0".to_owned(),
                    1 => format!("value == 0 => {}, _ => 0", self.number(None)),
                    _ => self.arms(&of, true),
                };
                let traverse = self.list(1);
                padding = usize::from(traverse.iter().any(|expr| DIMS.contains(&expr.as_str())));
                let traverse = traverse.join(", ");
                format!("enumerate({arms}).group_by({}).traverse_by({traverse})", of.join(", "))
            }
            _ => {
                padding = 2;
                let distance = self.random.pick(&["1", "2", "3", "P", "5"]);
                let (of, key, traverse) = (
                    self.list(0).join(", "),
                    self.list(1).join(", "),
                    self.list(1).join(", "),
                );
                format!("slot({distance}).group_by({of}).key({key}).traverse_by({traverse})")
            }
        };
        Query {
            name,
            text,
            groups,
            padding,
        }
    }

    /// Adds levels that mention queries.
    fn indirect(&mut self, levels: &mut Vec<Level>) {
        for query in self.queries.clone() {
            if levels.len() >= 8 || self.random.one_in(4) {
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
        // What was put above a level that could be padded may fix it.
        for at in 0..levels.len() {
            levels[at].padding &= at == 0 || at == 1 && !levels[0].indirect && levels[at].deep;
        }
    }

    /// Levels that are just a dim or a query may go without a name of their own.
    fn named(&mut self, levels: &mut [Level]) {
        let texts: Vec<String> = levels.iter().map(|level| level.text.clone()).collect();
        for (at, level) in levels.iter_mut().enumerate() {
            let single = texts.iter().filter(|text| **text == level.text).count() == 1;
            let word =
                level.text.chars().all(|c| c.is_alphanumeric()) && level.text.starts_with(|c: char| c.is_lowercase());
            if !(single && word && self.random.below(3) > 0) {
                level.name = Some(format!("l{at}"));
            }
        }
    }

    fn primitives(&mut self, levels: &mut [Level], features: Features) -> String {
        let count = levels.len();
        let mut lines: Vec<String> = Vec::new();
        let mut merged: Vec<bool> = (0..count).map(|at| at + 1 < count && self.random.one_in(2)).collect();
        let density = 1 + self.random.below(3);
        let mut trimmed: Vec<bool> = levels
            .iter()
            .map(|level| level.must_trim || self.random.below(4) < density)
            .collect();
        let label = |random: &mut Random, at: usize| match &levels[at].name {
            _ if random.one_in(5) => at.to_string(),
            Some(name) => name.clone(),
            None => levels[at].text.clone(),
        };
        for at in 0..count {
            if levels[at].padding && self.random.one_in(2) {
                trimmed[at] = false;
                merged[at] = at + 1 < count;
                if at > 0 {
                    merged[at - 1] = true;
                }
                lines.push(format!(" pad({});", label(&mut self.random, at)));
            }
        }
        let names: Vec<String> = (0..count)
            .filter(|&at| merged[at])
            .map(|at| label(&mut self.random, at))
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
                let (first, last) = (label(&mut self.random, at), label(&mut self.random, end - 1));
                let whole = end - at > 1 || self.random.one_in(4);
                lines.push(if whole {
                    format!(" trim({first}..={last});")
                } else {
                    format!(" trim({first});")
                });
            }
            at = end;
        }
        if self.random.one_in(6) {
            let at = self.random.below(count);
            let negative = levels[at].text.contains('-');
            let width = if negative {
                self.random.pick(&["i64", "i32"])
            } else {
                self.random.pick(&["u64", "u16", "u32", "i64"])
            };
            lines.push(format!(" index({}: {width});", label(&mut self.random, at)));
        }
        if self.random.one_in(8) {
            lines.push(format!(" pointer({});", self.random.pick(&["u64", "u32", "u16"])));
        }
        if features.layout && self.random.one_in(4) {
            let first = self.random.below(count);
            let last = first + self.random.below(count - first);
            let (first, last) = (label(&mut self.random, first), label(&mut self.random, last));
            lines.push(format!(" pack({first}..={last});"));
        }
        for at in (1..lines.len()).rev() {
            lines.swap(at, self.random.below(at + 1));
        }
        lines.concat()
    }
}

/// A declaration with a mistake.
pub fn illegal(seed: u64) -> String {
    /// Levels, queries and primitives of formats of two dims with one mistake each.
    const MISTAKES: &[(&str, &str, &str)] = &[
        // Names.
        ("i, jj", "", ""),
        ("row: i, row: j", "", ""),
        (
            "i, j, slott",
            "slot = enumerate(_ => 0).group_by(i).traverse_by(j);",
            "",
        ),
        ("i, j", "len = sum(value != 0 => 1, _ => 0).group_by(ii);", ""),
        ("i, j", "i = sum(value != 0 => 1, _ => 0).group_by(j);", ""),
        ("i, j", "P = sum(value != 0 => 1, _ => 0).group_by(j);", ""),
        ("i, j", "a = sum(_ => 0).group_by(i); a = sum(_ => 0).group_by(j);", ""),
        ("i, j", "", "merge(k);"),
        ("i, j", "", "trim(5);"),
        ("i, j", "", "glue(i);"),
        ("i, j", "len = total(value != 0 => 1, _ => 0).group_by(i);", ""),
        // Queries that are not written yet.
        (
            "i, j",
            "rank = reorder(len, ascending).traverse_by(i); len = sum(value != 0 => 1, _ => 0).group_by(i);",
            "",
        ),
        ("i, j", "a = sum(value != 0 => a, _ => 0).group_by(i);", ""),
        (
            "i, j",
            "a = sum(value != 0 => 1, _ => 0).group_by(b); b = sum(value != 0 => 1, _ => 0).group_by(i);",
            "",
        ),
        ("i, j", "rank = reorder(rank, ascending).traverse_by(i);", ""),
        // Clauses.
        ("i, j", "len = sum(value != 0 => 1, _ => 0);", ""),
        (
            "i, j",
            "len = sum(value != 0 => 1, _ => 0).group_by(i).group_by(j);",
            "",
        ),
        (
            "i, j",
            "len = sum(value != 0 => 1, _ => 0).group_by(i).traverse_by(j);",
            "",
        ),
        ("i, j", "slot = enumerate(_ => 0).group_by(i);", ""),
        ("i, j", "slot = enumerate(_ => 0).traverse_by(j);", ""),
        ("i, j", "slot = slot(2).group_by(i).traverse_by(j);", ""),
        ("i, j", "slot = slot(2).key(i).traverse_by(j);", ""),
        (
            "i, j",
            "slot = enumerate(_ => 0).group_by(i).traverse_by(j).key(i);",
            "",
        ),
        (
            "i, j",
            "len = sum(value != 0 => 1, _ => 0).group_by(i); rank = reorder(len, ascending);",
            "",
        ),
        (
            "i, j",
            "len = sum(value != 0 => 1, _ => 0).group_by(i); bank = schedule(len, 2);",
            "",
        ),
        (
            "i, j",
            "len = sum(value != 0 => 1, _ => 0).group_by(i); rank = reorder(len, upward).traverse_by(i);",
            "",
        ),
        ("i, j", "len = sum(value != 0 => 1, _ => 0).order_by(i);", ""),
        // Value maps.
        ("i, j", "len = sum(value != 0 => 1).group_by(i);", ""),
        ("i, j", "len = sum().group_by(i);", ""),
        ("i, j", "len = sum(_ => 0, value != 0 => 1).group_by(i);", ""),
        ("i, j", "len = sum(value != 0 => 0 - 1, _ => 0).group_by(i);", ""),
        ("i, j", "len = sum(value != 0 => i - j, _ => 0).group_by(i);", ""),
        ("i, j", "len = sum(value ! 0 => 1, _ => 0).group_by(i);", ""),
        ("i, j", "len = sum(number != 0 => 1, _ => 0).group_by(i);", ""),
        ("i, j", "len = sum(value == 0 => j, _ => 0).group_by(i);", ""),
        (
            "i, j",
            "a = sum(_ => 0).group_by(j); len = sum(value == 0 => a, _ => 0).group_by(i);",
            "",
        ),
        (
            "i, j",
            "a = sum(value != 0 => 1, _ => 0).group_by(i); len = sum(_ => 1).group_by(a);",
            "",
        ),
        // Sources that are none, and what is no function of a group.
        (
            "i, j",
            "slot = enumerate(_ => 0).group_by(i).traverse_by(j); bank = schedule(slot, 2).traverse_by(i);",
            "",
        ),
        (
            "i, j",
            "slot = enumerate(_ => 0).group_by(i).traverse_by(j); rank = reorder(slot, ascending).traverse_by(i);",
            "",
        ),
        (
            "i, j",
            "slot = slot(1).group_by(i).key(i).traverse_by(j); rank = reorder(slot, ascending).traverse_by(i);",
            "",
        ),
        ("i, j", "rank = reorder(i, ascending).traverse_by(i);", ""),
        (
            "i, j",
            "len = sum(value != 0 => 1, _ => 0).group_by(i); rank = reorder(len, ascending).traverse_by(j);",
            "",
        ),
        (
            "i, j",
            "len = sum(value != 0 => 1, _ => 0).group_by(i / 2); rank = reorder(len, ascending).traverse_by(i);",
            "",
        ),
        (
            "i, j",
            "len = sum(value != 0 => 1, _ => 0).group_by(i); rank = reorder(len, ascending).group_by(j).traverse_by(i);",
            "",
        ),
        (
            "i, j",
            "len = sum(value != 0 => 1, _ => 0).group_by(i); bank = schedule(len, 2).traverse_by(j);",
            "",
        ),
        // Numbers.
        ("i / 0, i % 0, j", "", ""),
        ("i, j", "len = sum(value != 0 => 1, _ => 0).group_by(i / 0);", ""),
        (
            "i, j",
            "len = sum(value != 0 => 1, _ => 0).group_by(i); bank = schedule(len, 0).traverse_by(i);",
            "",
        ),
        (
            "i, j",
            "len = sum(value != 0 => 1, _ => 0).group_by(i); bank = schedule(len, i).traverse_by(i);",
            "",
        ),
        ("i, j", "slot = slot(0 - 2).group_by(i).key(i).traverse_by(j);", ""),
        ("i, j", "slot = slot(j).group_by(i).key(i).traverse_by(j);", ""),
        ("i, j", "len = sum(value != 0 => 1, _ => 0).group_by(i * j);", ""),
        ("i, j, len * i", "len = sum(value != 0 => 1, _ => 0).group_by(i);", ""),
        ("i, j, i / len", "len = sum(value != 0 => 1, _ => 0).group_by(i);", ""),
        // Dims that are lost.
        ("i, i", "", ""),
        ("i / 2, j", "", ""),
        ("i + j", "", ""),
        ("i % 2, i % 3, j", "", ""),
        (
            "slot, i",
            "slot = enumerate(_ => 0).group_by(i).traverse_by(j);",
            "trim(slot);",
        ),
        (
            "rank, j",
            "len = sum(value != 0 => 1, _ => 0).group_by(i); rank = reorder(len, ascending).traverse_by(i);",
            "",
        ),
        // Primitives.
        ("i, j", "", "trim(j..=i);"),
        ("i, j", "", "trim(i); trim(i..=j);"),
        ("i, j", "", "merge(i); merge(i);"),
        ("i, j", "", "merge(j);"),
        ("i, j", "", "merge();"),
        ("i, j", "", "pad(i);"),
        (
            "slot, i, j",
            "slot = enumerate(_ => 0).group_by(i).traverse_by(j);",
            "merge(slot); pad(slot); trim(slot);",
        ),
        (
            "slot, i, j",
            "slot = enumerate(_ => 0).group_by(i).traverse_by(j);",
            "merge(slot); pad(slot); pad(slot);",
        ),
        (
            "l: slot / 2, i, j",
            "slot = enumerate(_ => 0).group_by(i).traverse_by(j);",
            "merge(l); pad(l);",
        ),
        (
            "slot, i, j",
            "slot = enumerate(_ => 0).group_by(i).traverse_by(j);",
            "merge(slot); pad(width);",
        ),
        (
            "i, slot, j",
            "slot = enumerate(_ => 0).group_by(i).traverse_by(j);",
            "trim(i); pad(slot);",
        ),
        (
            "l: slot - i, i, j",
            "slot = enumerate(_ => 0).group_by(i).traverse_by(j);",
            "",
        ),
        ("i, j", "", "pack(j..=i);"),
        ("i, j", "", "pack(x..=j);"),
        ("i, j", "", "pack(i..=j); pack(j);"),
        ("i, j", "", "partition(bank);"),
        ("i, j", "", "partition(j);"),
        ("i, j, k: i", "", "partition(i); partition(j);"),
        ("i, j", "", "index(i: u7);"),
        ("d: j - i, i", "", "index(d: u32);"),
        ("i, j", "", "pointer(i32);"),
        ("i, j", "", "pointer(u32); pointer(u64);"),
        // Syntax.
        ("i, j", "len = sum(value != 0 => 1, _ => 0).group_by(i)", ""),
        ("i, j", "len sum(value != 0 => 1, _ => 0).group_by(i);", ""),
        ("i, j", "len = ;", ""),
        ("i, j", "len = reorder();", ""),
        ("i, j", "len = sum(value != 0 => 1, _ => 0)group_by(i);", ""),
        ("i, j", "len = sum(value != x => 1, _ => 0).group_by(i);", ""),
        ("i, j,, i", "", ""),
        ("i, j", "", "trim(i)"),
        ("i, j", "", "trim i;"),
    ];
    let mut random = Random::new(seed);
    let (levels, queries, primitives) = MISTAKES[random.below(MISTAKES.len())];
    let (mut levels, mut queries, mut primitives) = (levels.to_owned(), queries.to_owned(), primitives.to_owned());
    // What is right about the rest changes nothing.
    if random.one_in(3) {
        levels = format!("more: {}, {levels}", random.pick(&["3", "0", "P + 1"]));
    }
    if random.one_in(3) {
        queries = format!(
            "more = {}; {queries}",
            random.pick(&[
                "sum(value > 2 => 3, _ => 0).group_by(j)",
                "enumerate(value == 0 => 4, _ => 0).group_by(j).traverse_by(i)",
                "slot(3).group_by().key(i).traverse_by(i, j)",
            ])
        );
    }
    if random.one_in(3) {
        primitives = format!("index(0: i64); {primitives}");
    }
    let queries = if queries.is_empty() {
        queries
    } else {
        format!(" where {{ {queries} }}")
    };
    let parameters = if random.one_in(2) || mentions(&queries, "P") || mentions(&levels, "P") {
        "<const P: usize = 2>"
    } else {
        ""
    };
    format!("pub format Wrong{parameters} = |i, j| ({levels}){queries} {{ {primitives} }}")
}
