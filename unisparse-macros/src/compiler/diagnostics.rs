//! Collects the errors of one invocation, so that the user sees all of them.

use proc_macro2::TokenStream;
use quote::ToTokens;

/// The errors found so far.
#[derive(Default)]
pub(crate) struct Diagnostics {
    errors: Vec<syn::Error>,
}

impl Diagnostics {
    /// Adds an error at exactly these tokens.
    pub(crate) fn error(&mut self, tokens: impl ToTokens, message: impl std::fmt::Display) {
        self.errors.push(syn::Error::new_spanned(tokens, message));
    }

    /// Adds an existing error.
    pub(crate) fn push(&mut self, error: syn::Error) {
        self.errors.push(error);
    }

    /// Adds all errors of another collection.
    pub(crate) fn absorb(&mut self, other: Diagnostics) {
        self.errors.extend(other.errors);
    }

    /// Returns the first error, which stays in the collection.
    pub(crate) fn first(&self) -> Option<&syn::Error> {
        self.errors.first()
    }

    /// Whether there are no errors.
    pub(crate) fn is_empty(&self) -> bool {
        self.errors.is_empty()
    }

    /// Returns all errors as `compile_error!` invocations.
    pub(crate) fn into_tokens(self) -> TokenStream {
        self.errors.iter().map(syn::Error::to_compile_error).collect()
    }
}

/// Returns a number with its noun, as in `1 dim`, `2 dims`.
pub(crate) fn counted(count: usize, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}

/// Returns `\nhelp: did you mean ..`, if one of `known` is similar to `name`.
pub(crate) fn did_you_mean<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> String {
    let length = name.chars().count();
    // A name of one letter has no similar names.
    let limit = (length / 3).max(1).min(length.saturating_sub(1));
    let near = known
        .into_iter()
        .map(|candidate| (distance(name, candidate), candidate))
        .min();
    match near {
        Some((edits, candidate)) if edits <= limit => format!("\nhelp: did you mean `{candidate}`?"),
        _ => String::new(),
    }
}

/// Returns the optimal string alignment distance: insertions, deletions, substitutions and swaps of neighbours.
fn distance(left: &str, right: &str) -> usize {
    let (left, right): (Vec<char>, Vec<char>) = (left.chars().collect(), right.chars().collect());
    let mut rows: Vec<Vec<usize>> = vec![(0..=right.len()).collect()];
    for i in 1..=left.len() {
        let mut row = vec![i];
        for j in 1..=right.len() {
            let same = usize::from(left[i - 1] != right[j - 1]);
            let mut least = (rows[i - 1][j] + 1).min(row[j - 1] + 1).min(rows[i - 1][j - 1] + same);
            if i > 1 && j > 1 && left[i - 1] == right[j - 2] && left[i - 2] == right[j - 1] {
                least = least.min(rows[i - 2][j - 2] + 1);
            }
            row.push(least);
        }
        rows.push(row);
    }
    rows[left.len()][right.len()]
}

/// Returns a list such as `a`, `b` and `c`.
pub(crate) fn list<'a>(names: impl IntoIterator<Item = &'a str>) -> String {
    let names: Vec<String> = names.into_iter().map(|name| format!("`{name}`")).collect();
    match names.as_slice() {
        [] => "none".to_owned(),
        [one] => one.clone(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::{did_you_mean, distance, list};

    #[test]
    fn a_near_name_is_suggested_and_a_far_one_is_not() {
        assert_eq!(distance("mrege", "merge"), 1);
        assert_eq!(distance("", "abc"), 3);
        assert_eq!(
            did_you_mean("mrege", ["trim", "merge"]),
            "\nhelp: did you mean `merge`?"
        );
        assert_eq!(did_you_mean("fill", ["trim", "merge"]), "");
        assert_eq!(did_you_mean("k", ["i", "j"]), "");
        assert_eq!(list(["a", "b", "c"]), "`a`, `b` and `c`");
    }
}
