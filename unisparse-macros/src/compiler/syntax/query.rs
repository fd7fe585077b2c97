//! Parses queries: `len = sum(value != 0 => 1, _ => 0).group_by(i);`.

use proc_macro2::{Ident, TokenStream};
use quote::ToTokens;
use syn::parse::{Parse, ParseStream};
use syn::{Lit, Token, parenthesized};

use super::cursor::{combine, items, skip_to, taken};
use super::expression::Expr;

/// A query declaration: `name = query;`.
pub(crate) struct QueryDecl {
    pub(crate) name: Ident,
    pub(crate) query: QueryExpr,
}

/// A query: `function(arguments).clause(..).clause(..)`.
pub(crate) struct QueryExpr {
    pub(crate) function: Ident,
    pub(crate) arguments: Arguments,
    pub(crate) clauses: Vec<Clause>,
    pub(crate) tokens: TokenStream,
}

/// The contents of the parentheses after the function.
pub(crate) enum Arguments {
    /// The arms of a value map, for `sum` and `enumerate`.
    Map(Vec<Arm>),
    /// The arguments of `reorder(query, descending)`.
    Order(Ident, Ident),
    /// The arguments of `schedule(query, buckets)`.
    Buckets(Ident, Expr),
    /// The argument of `slot(distance)`.
    Distance(Expr),
    /// The arguments of an unknown function.
    Unknown,
}

/// An arm, such as `value != 0 => 1`, or `_ => 0`.
pub(crate) struct Arm {
    /// The condition; `None` for `_`.
    pub(crate) condition: Option<Condition>,
    pub(crate) number: Expr,
    pub(crate) tokens: TokenStream,
}

/// A condition, such as `value <= -0.5`.
pub(crate) struct Condition {
    pub(crate) comparison: Comparison,
    pub(crate) number: f64,
    /// The number as written.
    pub(crate) text: String,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Comparison {
    Equal,
    Different,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
}

/// A clause, such as `.group_by(i / B, j - i)`.
pub(crate) struct Clause {
    pub(crate) name: Ident,
    pub(crate) expressions: Vec<Expr>,
    pub(crate) tokens: TokenStream,
}

/// The query functions of the language.
pub(crate) const FUNCTIONS: [&str; 5] = ["sum", "enumerate", "reorder", "schedule", "slot"];

impl Comparison {
    pub(crate) fn symbol(self) -> &'static str {
        match self {
            Comparison::Equal => "==",
            Comparison::Different => "!=",
            Comparison::Less => "<",
            Comparison::LessOrEqual => "<=",
            Comparison::Greater => ">",
            Comparison::GreaterOrEqual => ">=",
        }
    }

    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        Ok(if input.peek(Token![==]) {
            input.parse::<Token![==]>().map(|_| Comparison::Equal)?
        } else if input.peek(Token![!=]) {
            input.parse::<Token![!=]>().map(|_| Comparison::Different)?
        } else if input.peek(Token![<=]) {
            input.parse::<Token![<=]>().map(|_| Comparison::LessOrEqual)?
        } else if input.peek(Token![>=]) {
            input.parse::<Token![>=]>().map(|_| Comparison::GreaterOrEqual)?
        } else if input.peek(Token![<]) {
            input.parse::<Token![<]>().map(|_| Comparison::Less)?
        } else if input.peek(Token![>]) {
            input.parse::<Token![>]>().map(|_| Comparison::Greater)?
        } else {
            return Err(input.error("expected a comparison\nhelp: write `value != 0`; the comparisons are `==`, `!=`, `<`, `<=`, `>` and `>=`"));
        })
    }
}

impl Parse for QueryDecl {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        if !input.peek(syn::Ident) || !input.peek2(Token![=]) {
            return Err(input.error("expected a query\nhelp: write `len = sum(value != 0 => 1, _ => 0).group_by(i);`"));
        }
        let name = input.parse()?;
        input.parse::<Token![=]>()?;
        let query: QueryExpr = input.parse()?;
        if !input.peek(Token![;]) {
            return Err(syn::Error::new_spanned(
                &query.tokens,
                "expected `;`, or `.` and a clause, after this query\nhelp: end it with `;`",
            ));
        }
        input.parse::<Token![;]>()?;
        Ok(QueryDecl { name, query })
    }
}

impl Parse for QueryExpr {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let (mut query, tokens) = taken(input, |input| {
            if !input.peek(syn::Ident) || !input.peek2(syn::token::Paren) {
                return Err(
                    input.error("expected a query function\nhelp: write `sum(value != 0 => 1, _ => 0).group_by(i)`")
                );
            }
            let function: Ident = input.parse()?;
            let content;
            parenthesized!(content in input);
            let (mut errors, mut clauses) = (None, Vec::new());
            let arguments = parse_arguments(&function, &content).unwrap_or_else(|error| {
                combine(&mut errors, error);
                Arguments::Unknown
            });
            while input.peek(Token![.]) {
                input.parse::<Token![.]>()?;
                match input.parse() {
                    Ok(clause) => clauses.push(clause),
                    Err(error) => {
                        combine(&mut errors, error);
                        skip_to(input, |rest| rest.peek(Token![.]) || rest.peek(Token![;]));
                    }
                }
            }
            let query = QueryExpr {
                function,
                arguments,
                clauses,
                tokens: TokenStream::new(),
            };
            errors.map_or(Ok(query), Err)
        })?;
        query.tokens = tokens;
        Ok(query)
    }
}

fn parse_arguments(function: &Ident, content: ParseStream<'_>) -> syn::Result<Arguments> {
    let arguments = match function.to_string().as_str() {
        "sum" | "enumerate" => {
            let expected = "expected an operator, `,` or `)` after this number";
            Arguments::Map(items(content, expected, Arm::parse)?)
        }
        "reorder" => {
            let query = earlier(content, "reorder(len, descending)")?;
            let direction = if content.peek(Token![,]) && content.peek2(syn::Ident) {
                content.parse::<Token![,]>()?;
                content.parse()?
            } else {
                return Err(
                    content.error("expected `, ascending` or `, descending`\nhelp: write `reorder(len, descending)`")
                );
            };
            Arguments::Order(query, direction)
        }
        "schedule" => {
            let query = earlier(content, "schedule(len, BANKS)")?;
            if !content.peek(Token![,]) {
                return Err(content.error("expected `,` and the number of buckets\nhelp: write `schedule(len, BANKS)`"));
            }
            content.parse::<Token![,]>()?;
            Arguments::Buckets(query, content.parse()?)
        }
        "slot" => Arguments::Distance(content.parse()?),
        _ => {
            content.parse::<TokenStream>()?;
            Arguments::Unknown
        }
    };
    if content.is_empty() {
        Ok(arguments)
    } else {
        Err(content.error("expected `)`"))
    }
}

/// Parses the name of an earlier query.
fn earlier(content: ParseStream<'_>, example: &str) -> syn::Result<Ident> {
    if content.peek(syn::Ident) {
        return content.parse();
    }
    Err(content.error(format!(
        "expected the name of an earlier query\nhelp: write `{example}`"
    )))
}

impl Parse for Arm {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let ((condition, number), tokens) = taken(input, |input| {
            let condition = if input.peek(Token![_]) {
                input.parse::<Token![_]>()?;
                None
            } else {
                Some(input.parse()?)
            };
            if !input.peek(Token![=>]) {
                return Err(input.error("expected `=>` and a number\nhelp: write `value != 0 => 1`"));
            }
            input.parse::<Token![=>]>()?;
            Ok((condition, input.parse()?))
        })?;
        Ok(Arm {
            condition,
            number,
            tokens,
        })
    }
}

impl Parse for Condition {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let named = input.peek(syn::Ident);
        let name: Option<Ident> = if named { Some(input.parse()?) } else { None };
        match name {
            Some(name) if name == "value" => {}
            Some(name) => {
                return Err(syn::Error::new_spanned(
                    &name,
                    format!("a value map compares `value`, found `{name}`\nhelp: write `value != 0 => 1, _ => 0`"),
                ));
            }
            None => return Err(input.error("expected an arm of a value map\nhelp: write `value != 0 => 1, _ => 0`")),
        }
        let comparison = Comparison::parse(input)?;
        let negative = input.peek(Token![-]);
        if negative {
            input.parse::<Token![-]>()?;
        }
        let not_a_number = "expected a number literal\nhelp: a value is compared with a literal, `value >= 0.5`";
        if !input.peek(Lit) {
            return Err(input.error(not_a_number));
        }
        let literal: Lit = input.parse()?;
        let digits = match &literal {
            Lit::Int(int) if int.suffix().is_empty() => int.base10_digits().to_owned(),
            Lit::Float(float) if float.suffix().is_empty() => float.base10_digits().to_owned(),
            _ => return Err(syn::Error::new_spanned(&literal, not_a_number)),
        };
        let sign = if negative { "-" } else { "" };
        let text = format!("{sign}{digits}");
        let number: f64 = text
            .parse()
            .map_err(|_| syn::Error::new_spanned(&literal, not_a_number))?;
        if !number.is_finite() {
            return Err(syn::Error::new_spanned(
                &literal,
                "no `f64` is this large\nhelp: write a smaller number",
            ));
        }
        Ok(Condition {
            comparison,
            number,
            text,
        })
    }
}

impl Parse for Clause {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let ((name, expressions), tokens) = taken(input, |input| {
            if !input.peek(syn::Ident) || !input.peek2(syn::token::Paren) {
                return Err(input.error("expected a clause\nhelp: write `.group_by(i)`"));
            }
            let name: Ident = input.parse()?;
            let content;
            parenthesized!(content in input);
            let expected = "expected an operator (`+`, `-`, `*`, `/` or `%`), `,` or `)`";
            Ok((name, items(&content, expected, Expr::parse)?))
        })?;
        Ok(Clause {
            name,
            expressions,
            tokens,
        })
    }
}

impl QueryExpr {
    /// Returns the query on one line.
    pub(crate) fn text(&self) -> String {
        let list = |expressions: &[Expr]| {
            let texts: Vec<String> = expressions.iter().map(ToString::to_string).collect();
            texts.join(", ")
        };
        let arguments = match &self.arguments {
            Arguments::Map(arms) => {
                let arms: Vec<String> = arms.iter().map(Arm::text).collect();
                arms.join(", ")
            }
            Arguments::Order(query, direction) => format!("{query}, {direction}"),
            Arguments::Buckets(query, buckets) => format!("{query}, {buckets}"),
            Arguments::Distance(distance) => distance.to_string(),
            Arguments::Unknown => String::new(),
        };
        let clauses = self.clauses.iter();
        let clauses: String = clauses
            .map(|clause| format!(".{}({})", clause.name, list(&clause.expressions)))
            .collect();
        format!("{}({arguments}){clauses}", self.function)
    }
}

impl Arm {
    fn text(&self) -> String {
        match &self.condition {
            Some(condition) => format!(
                "value {} {} => {}",
                condition.comparison.symbol(),
                condition.text,
                self.number
            ),
            None => format!("_ => {}", self.number),
        }
    }
}

impl ToTokens for QueryExpr {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        self.tokens.to_tokens(tokens);
    }
}
