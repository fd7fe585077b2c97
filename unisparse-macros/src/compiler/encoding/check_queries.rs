//! Lowers the queries of a `where` clause and reports all of their semantic errors.

use proc_macro2::Ident;

use super::lower::Scope;
use super::query::{Arm, Closure, Function, Query, absent_arm, interval, mentions_query};
use crate::compiler::algebra::{Expression, Interval, Polynomial};
use crate::compiler::diagnostics::{Diagnostics, did_you_mean, list};
use crate::compiler::syntax::Identifiers;
use crate::compiler::syntax::expression::Expr;
use crate::compiler::syntax::query::{Arguments, Arm as ArmDecl, Clause, FUNCTIONS, QueryDecl, QueryExpr};

/// Returns the clauses of each query function, and whether each clause is required.
fn clauses_of(function: &str) -> &'static [(&'static str, bool)] {
    match function {
        "sum" => &[("group_by", true)],
        "enumerate" => &[("group_by", true), ("traverse_by", true)],
        "reorder" => &[("group_by", false), ("traverse_by", true)],
        "schedule" => &[("traverse_by", true)],
        _ => &[("group_by", true), ("key", true), ("traverse_by", true)],
    }
}

/// Returns the validated queries, or `None` after reporting errors.
pub(super) fn check_queries(
    declarations: &[QueryDecl],
    dims: &[Ident],
    parameters: &[Ident],
    errors: &mut Diagnostics,
) -> Option<Vec<Query>> {
    let names: Vec<Ident> = declarations
        .iter()
        .map(|declaration| declaration.name.clone())
        .collect();
    let mut queries = Vec::new();
    let mut complete = true;
    for (at, declaration) in declarations.iter().enumerate() {
        let scope = Scope {
            dims,
            parameters,
            queries: &names[..at],
            later: Some(&names[at..]),
        };
        match lower_query(
            &declaration.query,
            &declaration.name.to_string(),
            &scope,
            &queries,
            errors,
        ) {
            Some(query) => queries.push(query),
            None => {
                complete = false;
                // The placeholder keeps expressions that use this query from reporting errors of their own.
                queries.push(placeholder(declaration, dims.len() + at));
            }
        }
    }
    complete.then_some(queries)
}

/// Returns a placeholder for a query with errors, so that later queries can refer to it.
fn placeholder(declaration: &QueryDecl, unknown: usize) -> Query {
    Query {
        name: declaration.name.to_string(),
        text: String::new(),
        function: Function::Sum { map: Vec::new() },
        groups: Vec::new(),
        groups_text: String::new(),
        interval: Interval::below_extent(unknown),
    }
}

/// Lowers one query; `queries` are the queries before it. Returns `None` after reporting errors.
pub(crate) fn lower_query(
    query: &QueryExpr,
    name: &str,
    scope: &Scope<'_>,
    queries: &[Query],
    errors: &mut Diagnostics,
) -> Option<Query> {
    let lower = Lower { query, scope, queries };
    let function = query.function.to_string();
    if !FUNCTIONS.contains(&function.as_str()) {
        let suggestion = did_you_mean(&function, FUNCTIONS);
        errors.error(
            &query.function,
            format!(
                "unknown query function `{function}`{suggestion}\nnote: the functions are {}",
                list(FUNCTIONS)
            ),
        );
        return None;
    }
    let clauses = lower.clauses(&function, errors);
    let clause = |name: &str| clauses.as_ref().and_then(|clauses| lower.clause(clauses, name));
    let of_clause =
        |name: &str, errors: &mut Diagnostics| clause(name).map(|clause| lower.all(&clause.expressions, errors));
    // Lower all clauses before returning, so that the errors of each are reported.
    let groups = of_clause("group_by", errors);
    let traverse = of_clause("traverse_by", errors);
    let key = of_clause("key", errors);
    let dims = scope.dims.len();
    let unknown = dims + queries.len();
    let lowered = match &query.arguments {
        Arguments::Map(arms) => {
            let map = lower.map(arms, errors);
            let (map, groups) = (map?, groups??);
            if function == "sum" {
                lower.check_absent(arms, &map, &groups, errors)?;
                (Function::Sum { map }, groups, Interval::below_extent(unknown))
            } else {
                let traverse = traverse??;
                (
                    Function::Enumerate { map, traverse },
                    groups,
                    Interval::below_extent(unknown),
                )
            }
        }
        Arguments::Order(source, direction) => {
            let source = lower.source(source, errors);
            let descending = match direction.to_string().as_str() {
                "descending" => Some(true),
                "ascending" => Some(false),
                _ => {
                    errors.error(
                        direction,
                        "the order is `ascending` or `descending`\nhelp: write one of them",
                    );
                    None
                }
            };
            let (source, descending, traverse) = (source?, descending?, traverse??);
            let within = groups.unwrap_or(Some(Vec::new()))?;
            lower.check_of_group(source, clause("group_by"), &within, errors);
            lower.check_of_group(source, clause("traverse_by"), &traverse, errors);
            let function = Function::Reorder {
                source,
                descending,
                within,
                traverse,
            };
            (
                function,
                queries[source].groups.clone(),
                Interval::below_extent(unknown),
            )
        }
        Arguments::Buckets(source, buckets) => {
            let source = lower.source(source, errors);
            let buckets = lower.count(buckets, "the number of buckets", errors);
            let (source, buckets, traverse) = (source?, buckets?, traverse??);
            lower.check_of_group(source, clause("traverse_by"), &traverse, errors);
            let interval = Interval::below(&buckets);
            let function = Function::Schedule {
                source,
                buckets,
                traverse,
            };
            (function, queries[source].groups.clone(), interval)
        }
        Arguments::Distance(distance) => {
            let distance = lower.count(distance, "the distance", errors);
            let (distance, groups, key, traverse) = (distance?, groups??, key??, traverse??);
            let function = Function::Slot {
                distance,
                key,
                traverse,
            };
            (function, groups, Interval::below_extent(unknown))
        }
        Arguments::Unknown => return None,
    };
    clauses?;
    let (function, groups, interval) = lowered;
    Some(Query {
        name: name.to_owned(),
        text: query.text(),
        groups_text: groups_text(query, &function, queries),
        function,
        groups,
        interval,
    })
}

/// Returns the text of the grouping expressions, as written in this query or in its source.
fn groups_text(query: &QueryExpr, function: &Function, queries: &[Query]) -> String {
    if let Function::Reorder { source, .. } | Function::Schedule { source, .. } = function {
        return queries[*source].groups_text.clone();
    }
    let clause = query.clauses.iter().find(|clause| clause.name == "group_by");
    let texts = clause.map_or(Vec::new(), |clause| {
        clause.expressions.iter().map(ToString::to_string).collect()
    });
    texts.join(", ")
}

struct Lower<'a> {
    query: &'a QueryExpr,
    scope: &'a Scope<'a>,
    queries: &'a [Query],
}

impl<'a> Lower<'a> {
    /// Returns the clauses, or `None` after reporting unknown, repeated and missing ones.
    fn clauses(&self, function: &str, errors: &mut Diagnostics) -> Option<Vec<&'a Clause>> {
        let taken = clauses_of(function);
        let mut found: Vec<&Clause> = Vec::new();
        let mut correct = true;
        for clause in &self.query.clauses {
            let name = clause.name.to_string();
            if !taken.iter().any(|(known, _)| *known == name) {
                let known = || taken.iter().map(|(known, _)| *known);
                let suggestion = did_you_mean(&name, known());
                errors.error(
                    &clause.name,
                    format!(
                        "`{function}` has no clause `{name}`{suggestion}\nnote: its clauses are {}",
                        list(known())
                    ),
                );
                correct = false;
            } else if found.iter().any(|other| other.name == clause.name) {
                errors.error(
                    &clause.tokens,
                    format!("`{name}` is already written\nhelp: list all expressions in one `{name}`"),
                );
                correct = false;
            } else {
                found.push(clause);
            }
        }
        let misspelled = !correct;
        for (name, required) in taken {
            // A misspelled clause may be the missing one.
            if !misspelled && *required && !self.query.clauses.iter().any(|clause| clause.name == name) {
                errors.error(
                    &self.query.function,
                    format!(
                        "`{function}` needs `{name}`\nhelp: write `.{name}({})` after it",
                        self.example(name)
                    ),
                );
                correct = false;
            }
        }
        correct.then_some(found)
    }

    /// Returns an example for the text of a missing clause: the dims that are not grouped by for `traverse_by`, or the
    /// grouping expressions of the source if there is one.
    fn example(&self, clause: &str) -> String {
        let dims = || self.scope.dims.iter().map(ToString::to_string);
        let (Arguments::Order(source, _) | Arguments::Buckets(source, _)) = &self.query.arguments else {
            let grouped = |dim: &Ident| {
                let mut clauses = self.query.clauses.iter().filter(|clause| clause.name == "group_by");
                clauses.any(|clause| Identifiers::of(&clause.tokens).contain(dim))
            };
            let open: Vec<String> = self
                .scope
                .dims
                .iter()
                .filter(|dim| !grouped(dim))
                .map(ToString::to_string)
                .collect();
            return match (clause, open.as_slice()) {
                ("traverse_by", [_, ..]) => open.join(", "),
                _ => dims().next().unwrap_or_default(),
            };
        };
        let source = self.scope.queries.iter().position(|query| query == source);
        source.map_or_else(
            || dims().next().unwrap_or_default(),
            |source| self.queries[source].groups_text.clone(),
        )
    }

    fn clause(&self, clauses: &[&'a Clause], name: &str) -> Option<&'a Clause> {
        clauses.iter().find(|clause| clause.name == name).copied()
    }

    /// Lowers all expressions, or returns `None` after reporting errors.
    fn all(&self, expressions: &[Expr], errors: &mut Diagnostics) -> Option<Vec<Expression>> {
        let lowered: Vec<Option<Expression>> = expressions.iter().map(|expr| self.expression(expr, errors)).collect();
        lowered.into_iter().collect()
    }

    fn expression(&self, expr: &Expr, errors: &mut Diagnostics) -> Option<Expression> {
        let expression = self.scope.lower(expr, errors)?;
        if interval(self.scope.dims.len(), self.queries, &expression).is_none() {
            errors.error(&expr.tokens, "the sign of a coefficient depends on a const parameter\nhelp: write a literal, or a sum of multiples of parameters");
            return None;
        }
        Some(expression)
    }

    /// Returns the earlier query named `name`, which must have one result per group.
    fn source(&self, name: &Ident, errors: &mut Diagnostics) -> Option<usize> {
        let at = self.scope.queries.iter().position(|query| query == name);
        let Some(at) = at else {
            // `lower` reports names that are unknown or that are defined further down.
            if self.scope.lower(&name_expression(name), errors).is_some() {
                errors.error(
                    name,
                    format!("`{name}` is not a query\nhelp: name an earlier `sum`, `reorder` or `schedule`"),
                );
            }
            return None;
        };
        if !self.queries[at].is_of_groups() {
            errors.error(
                name,
                format!("`{name}` numbers elements, so it has no value for a whole group\nhelp: name a `sum`, `reorder` or `schedule`"),
            );
            return None;
        }
        Some(at)
    }

    /// Lowers a positive constant of literals and const parameters.
    fn count(&self, expr: &Expr, what: &str, errors: &mut Diagnostics) -> Option<Polynomial> {
        let help = "help: write a positive literal or a const parameter";
        match self.scope.lower(expr, errors)? {
            Expression::Constant(count) if count.is_zero() => {
                errors.error(&expr.tokens, format!("{what} is zero\n{help}"));
                None
            }
            Expression::Constant(count) if count.is_nonnegative() && count.inverse().is_some() => Some(count),
            _ => {
                errors.error(&expr.tokens, format!("{what} is not a positive constant\n{help}"));
                None
            }
        }
    }

    fn map(&self, arms: &[ArmDecl], errors: &mut Diagnostics) -> Option<Vec<Arm>> {
        let Some(last) = arms.last() else {
            errors.error(
                &self.query.tokens,
                "a value map has at least one arm\nhelp: write `value != 0 => 1, _ => 0`",
            );
            return None;
        };
        let mut correct = true;
        if last.condition.is_some() {
            errors.error(
                &last.tokens,
                "the last arm must match every element\nhelp: add `_ => 0` after it",
            );
            correct = false;
        }
        if let Some(rest) = arms[..arms.len() - 1].iter().find(|arm| arm.condition.is_none()) {
            errors.error(
                &rest.tokens,
                "no element reaches the arms after `_`\nhelp: write this arm last",
            );
            correct = false;
        }
        let mut map = Vec::new();
        for arm in arms {
            let Some(number) = self.expression(&arm.number, errors) else {
                correct = false;
                continue;
            };
            let interval = interval(self.scope.dims.len(), self.queries, &number);
            if !interval.is_some_and(|interval| interval.is_nonnegative()) {
                errors.error(
                    &arm.number.tokens,
                    "this number can be negative, and the numbers of a value map are zero or more\nhelp: write an expression that is never negative, as `j`",
                );
                correct = false;
            }
            let condition = arm.condition.as_ref();
            map.push(Arm {
                condition: condition.map(|condition| (condition.comparison, condition.number)),
                number,
            });
        }
        correct.then_some(map)
    }

    /// Reports an arm whose number for absent elements is not zero and not determined by the group.
    fn check_absent(
        &self,
        arms: &[ArmDecl],
        map: &[Arm],
        groups: &[Expression],
        errors: &mut Diagnostics,
    ) -> Option<()> {
        let Some(at) = absent_arm(map).filter(|&at| map[at].number != Expression::Constant(Polynomial::zero())) else {
            return Some(());
        };
        let (dims, number) = (self.scope.dims.len(), &map[at].number);
        if groups.iter().any(|group| mentions_query(group, dims)) {
            errors.error(
                &arms[at].tokens,
                "absent elements can only be counted in groups of dims, but these groups depend on a query\nhelp: write `=> 0` for `value == 0` and `_`, or group by dims",
            );
            return None;
        }
        let group = Closure::of_group(dims, self.queries, groups, std::slice::from_ref(number));
        if !group.computes(number) {
            errors.error(
                &arms[at].number.tokens,
                "absent elements match this arm, but its number is not the same for a whole group\nhelp: write a number, a const parameter or a query of the same groups",
            );
            return None;
        }
        Some(())
    }

    /// Reports each expression that the groups of the source do not determine.
    fn check_of_group(
        &self,
        source: usize,
        clause: Option<&Clause>,
        expressions: &[Expression],
        errors: &mut Diagnostics,
    ) {
        if self.queries.iter().any(Query::is_placeholder) {
            // The arguments of a query with errors are not known.
            return;
        }
        let source = &self.queries[source];
        let closure = Closure::of_group(self.scope.dims.len(), self.queries, &source.groups, expressions);
        let written = clause.map_or(&[][..], |clause| &clause.expressions);
        for (expr, expression) in written.iter().zip(expressions) {
            if !closure.computes(expression) {
                errors.error(
                    &expr.tokens,
                    format!(
                        "`{expr}` is not the same for a whole group of `{}`\nhelp: write the expressions that define its groups, `{}`, or functions of them",
                        source.name, source.groups_text
                    ),
                );
            }
        }
    }
}

fn name_expression(name: &Ident) -> Expr {
    use crate::compiler::syntax::expression::ExprKind;
    use quote::ToTokens;
    Expr {
        kind: ExprKind::Name(name.clone()),
        tokens: name.to_token_stream(),
    }
}
