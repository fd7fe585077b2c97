//! Parses a declaration, which is assumed to be legal.

use super::{Arm, Expr, Format, Function, Level, Name, Query};

struct Parser {
    tokens: Vec<String>,
    at: usize,
    dims: Vec<String>,
    parameters: Vec<String>,
    queries: Vec<String>,
}

fn tokens(text: &str) -> Vec<String> {
    let mut tokens: Vec<String> = Vec::new();
    let characters: Vec<char> = text.chars().collect();
    let mut at = 0;
    while at < characters.len() {
        let word = |c: char| c.is_alphanumeric() || c == '_';
        let start = at;
        at += 1;
        if word(characters[start]) {
            let number = characters[start].is_ascii_digit();
            let goes_on = |at: usize| {
                let fraction =
                    number && characters[at] == '.' && characters.get(at + 1).is_some_and(char::is_ascii_digit);
                word(characters[at]) || fraction
            };
            while at < characters.len() && goes_on(at) {
                at += 1;
            }
        } else if !characters[start].is_whitespace() {
            let long = ["..=", "==", "!=", "<=", ">=", "=>"];
            let fits = |mark: &&&str| mark.chars().eq(characters[start..].iter().copied().take(mark.len()));
            at = start + long.iter().find(fits).map_or(1, |mark| mark.len());
        } else {
            continue;
        }
        tokens.push(characters[start..at].iter().collect());
    }
    tokens
}

impl Format {
    /// `pub format Csr = |i, j| (row: i, col: j) { merge(row); trim(col); }`
    pub fn parse(text: &str) -> Format {
        let tokens = tokens(text);
        let mut parser = Parser {
            tokens,
            at: 0,
            dims: Vec::new(),
            parameters: Vec::new(),
            queries: Vec::new(),
        };
        while parser.next() != "format" {}
        let name = parser.next();
        let mut defaults = Vec::new();
        if parser.take("<") {
            while !parser.take(">") {
                parser.expect("const");
                let parameter = parser.next();
                parser.parameters.push(parameter);
                parser.expect(":");
                parser.expect("usize");
                defaults.push(if parser.take("=") {
                    parser.next().parse().unwrap()
                } else {
                    2
                });
                parser.take(",");
            }
        }
        parser.expect("=");
        parser.expect("|");
        while !parser.take("|") {
            let dim = parser.next();
            parser.dims.push(dim);
            parser.take(",");
        }
        let defined = parser
            .tokens
            .windows(2)
            .skip_while(|pair| pair[0] != "where")
            .filter(|pair| pair[1] == "=");
        parser.queries = defined.map(|pair| pair[0].clone()).collect();
        let mut levels = parser.levels();
        let mut queries = Vec::new();
        if parser.take("where") {
            parser.expect("{");
            while !parser.take("}") {
                queries.push(parser.query());
            }
        }
        parser.expect("{");
        let (mut partition, mut packs) = (None, Vec::new());
        while !parser.take("}") {
            partition = parser.primitive(&mut levels, &mut packs).or(partition);
        }
        Format {
            name,
            dims: parser.dims.len(),
            parameters: defaults,
            levels,
            queries,
            partition,
            packs,
        }
    }
}

impl Parser {
    fn peek(&self) -> &str {
        self.tokens.get(self.at).map_or("", String::as_str)
    }

    fn next(&mut self) -> String {
        self.at += 1;
        self.tokens[self.at - 1].clone()
    }

    fn take(&mut self, token: &str) -> bool {
        let found = self.peek() == token;
        self.at += usize::from(found);
        found
    }

    fn expect(&mut self, token: &str) {
        assert!(self.take(token), "expected {token} at {:?}", &self.tokens[self.at..]);
    }

    fn levels(&mut self) -> Vec<Level> {
        let mut levels = Vec::new();
        self.expect("(");
        while !self.take(")") {
            let named = self.tokens[self.at + 1] == ":";
            let mut name = if named { self.next() } else { self.peek().to_owned() };
            self.take(":");
            let expr = self.expr();
            if !named && !matches!(expr, Expr::Name(_)) {
                name = format!("level{}", levels.len());
            }
            levels.push(Level {
                name,
                expr,
                merged: false,
                trimmed: false,
                padded: false,
            });
            self.take(",");
        }
        levels
    }

    fn expr(&mut self) -> Expr {
        self.chain(&["+", "-"], |parser| parser.chain(&["*", "/", "%"], Parser::atom))
    }

    fn chain(&mut self, operators: &[&str], part: fn(&mut Parser) -> Expr) -> Expr {
        let mut left = part(self);
        while operators.contains(&self.peek()) {
            let operator = self.next().chars().next().unwrap();
            left = Expr::Op(operator, Box::new(left), Box::new(part(self)));
        }
        left
    }

    fn atom(&mut self) -> Expr {
        let token = self.next();
        if token == "(" {
            let inner = self.expr();
            self.expect(")");
            return inner;
        }
        if token == "-" {
            return Expr::Op('-', Box::new(Expr::Number(0)), Box::new(self.atom()));
        }
        let find = |names: &[String]| names.iter().position(|name| *name == token);
        let name = find(&self.dims).map(Name::Dim);
        let name = name.or_else(|| find(&self.parameters).map(Name::Parameter));
        let name = name.or_else(|| find(&self.queries).map(Name::Query));
        name.map_or_else(|| Expr::Number(token.parse().expect(&token)), Expr::Name)
    }

    fn query_name(&mut self) -> usize {
        let name = self.next();
        self.queries.iter().position(|query| *query == name).expect(&name)
    }

    fn query(&mut self) -> Query {
        let name = self.next();
        self.expect("=");
        let function = self.next();
        self.expect("(");
        let function = match function.as_str() {
            "sum" => Function::Sum(self.arms()),
            "enumerate" => Function::Enumerate(self.arms()),
            "slot" => Function::Slot { distance: self.expr() },
            "reorder" | "schedule" => {
                let of = self.query_name();
                self.expect(",");
                if function == "schedule" {
                    Function::Schedule {
                        of,
                        buckets: self.expr(),
                    }
                } else {
                    Function::Reorder {
                        of,
                        descending: self.next() == "descending",
                    }
                }
            }
            _ => panic!("query {function}"),
        };
        self.take(",");
        self.expect(")");
        let mut query = Query {
            name,
            function,
            group: Vec::new(),
            traverse: Vec::new(),
            key: Vec::new(),
        };
        while self.take(".") {
            let clause = self.next();
            self.expect("(");
            let mut list = Vec::new();
            while !self.take(")") {
                list.push(self.expr());
                self.take(",");
            }
            match clause.as_str() {
                "group_by" => query.group = list,
                "traverse_by" => query.traverse = list,
                "key" => query.key = list,
                _ => panic!("clause {clause}"),
            }
        }
        self.expect(";");
        query
    }

    fn arms(&mut self) -> Vec<Arm> {
        let mut arms = Vec::new();
        while self.peek() != ")" {
            let condition = if self.take("_") {
                None
            } else {
                self.expect("value");
                let operator = self.next();
                let sign = if self.take("-") { -1.0 } else { 1.0 };
                Some((operator, sign * self.next().parse::<f64>().unwrap()))
            };
            self.expect("=>");
            let number = self.expr();
            arms.push(Arm { condition, number });
            self.take(",");
        }
        arms
    }

    /// Parses a primitive; widths change the contents of no array. Returns the level of a partition.
    fn primitive(&mut self, levels: &mut [Level], packs: &mut Vec<(usize, usize)>) -> Option<usize> {
        let name = self.next();
        let mut inside = Vec::new();
        self.expect("(");
        while !self.take(")") {
            inside.push(self.next());
        }
        self.expect(";");
        let find = |level: &String| {
            let named = levels.iter().position(|candidate| candidate.name == *level);
            named.or_else(|| level.parse().ok()).expect(level)
        };
        match name.as_str() {
            "merge" | "pad" => {
                let found: Vec<usize> = inside.iter().filter(|token| *token != ",").map(find).collect();
                for at in found {
                    levels[at].merged |= name == "merge";
                    levels[at].padded |= name == "pad";
                }
            }
            "trim" => {
                let (first, last) = (find(&inside[0]), find(inside.last().unwrap()));
                levels[first..=last].iter_mut().for_each(|level| level.trimmed = true);
            }
            "partition" => return Some(find(&inside[0])),
            "pack" => packs.push((find(&inside[0]), find(inside.last().unwrap()))),
            "index" | "pointer" => {}
            _ => panic!("primitive {name}"),
        }
        None
    }
}
