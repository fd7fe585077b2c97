//! Evaluates the formulas of docs/guide/cookbook.md: `+`, `*`, `/` rounded up, parentheses, names.

use std::collections::HashMap;

/// Returns the value of a formula.
pub(crate) fn evaluate(text: &str, names: &HashMap<String, usize>) -> usize {
    let separated = ["(", ")", "+", "*", "/"].iter().fold(text.to_owned(), |text, token| {
        text.replace(token, &format!(" {token} "))
    });
    let mut tokens = separated.split_whitespace().peekable();
    let value = sum(&mut tokens, names);
    assert_eq!(tokens.next(), None, "{text}");
    value
}

type Tokens<'a> = std::iter::Peekable<std::str::SplitWhitespace<'a>>;

fn sum(tokens: &mut Tokens<'_>, names: &HashMap<String, usize>) -> usize {
    let mut value = product(tokens, names);
    while tokens.next_if_eq(&"+").is_some() {
        value += product(tokens, names);
    }
    value
}

fn product(tokens: &mut Tokens<'_>, names: &HashMap<String, usize>) -> usize {
    let mut value = factor(tokens, names);
    while let Some(operator) = tokens.next_if(|token| ["*", "/"].contains(token)) {
        let right = factor(tokens, names);
        value = if operator == "*" {
            value * right
        } else {
            value.div_ceil(right)
        };
    }
    value
}

fn factor(tokens: &mut Tokens<'_>, names: &HashMap<String, usize>) -> usize {
    match tokens.next().expect("a factor") {
        "(" => {
            let value = sum(tokens, names);
            assert_eq!(tokens.next(), Some(")"));
            value
        }
        name => name
            .parse()
            .unwrap_or_else(|_| *names.get(name).unwrap_or_else(|| panic!("`{name}` is not explained"))),
    }
}
