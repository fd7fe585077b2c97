//! The items of a module and the paths in its code, from its tokens.

use proc_macro2::{Delimiter, TokenStream, TokenTree};
use std::collections::BTreeMap;

/// What a name is in a module.
#[derive(Debug)]
pub(crate) enum Item {
    Defined,
    Module,
    /// Imported or re-exported: the path as written.
    Alias(Vec<String>),
}

/// A path as written.
#[derive(Debug)]
pub(crate) struct Import {
    pub(crate) path: Vec<String>,
    /// Whether it is in a `use` with a visibility, which only hands the name on.
    pub(crate) re_export: bool,
    pub(crate) of_tests: bool,
}

/// A module.
#[derive(Debug, Default)]
pub(crate) struct Scanned {
    pub(crate) items: BTreeMap<String, Item>,
    pub(crate) imports: Vec<Import>,
    /// The modules below, with their contents if these are in the same file, and whether they are of tests.
    pub(crate) modules: Vec<(String, Option<Scanned>, bool)>,
    /// Whether a module that is not of tests has its file elsewhere (`#[path]`). Such modules are left out.
    pub(crate) elsewhere: bool,
}

/// Reads the text of a module.
pub(crate) fn scan(text: &str) -> Scanned {
    scan_items(text.parse().expect("tokens"))
}

fn scan_items(tokens: TokenStream) -> Scanned {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    let mut scanned = Scanned::default();
    let mut rest = &tokens[..];
    while !rest.is_empty() {
        let (attributes, after) = split_attributes(rest);
        let (item, after) = split_item(after);
        rest = after;
        let of_tests = attributes.iter().any(is_of_tests);
        if attributes.iter().any(is_path) {
            scanned.elsewhere |= !of_tests;
            continue;
        }
        scanned.add_paths(attributes, of_tests);
        scanned.add(item, of_tests);
    }
    scanned
}

impl Scanned {
    fn add(&mut self, item: &[TokenTree], of_tests: bool) {
        let (visible, body) = split_visibility(item);
        let words: Vec<String> = body.iter().map_while(word).collect();
        // A `const` is a qualifier of functions, and a keyword.
        let keyword = words.iter().position(|word| !QUALIFIERS.contains(&word.as_str()));
        let keyword = keyword.filter(|&at| KEYWORDS.contains(&words[at].as_str()));
        let at = keyword.or_else(|| words.iter().position(|word| word == "const"));
        match at.map(|at| (at, words[at].as_str())) {
            Some((_, "use")) => {
                for (path, name) in use_tree(&body[1..body.len() - 1], &[]) {
                    self.items.entry(name).or_insert(Item::Alias(path.clone()));
                    self.import(path, visible, of_tests);
                }
            }
            Some((at, "mod")) => {
                let name = &words[at + 1];
                self.items.insert(name.clone(), Item::Module);
                let inner = match body.last() {
                    Some(TokenTree::Group(group)) => Some(scan_items(group.stream())),
                    _ => None,
                };
                self.modules.push((name.clone(), inner, of_tests));
            }
            Some((at, _)) => {
                // The name of a macro comes after a `!`.
                let name = body[at + 1..].iter().find_map(word);
                self.items.extend(name.map(|name| (name, Item::Defined)));
                self.add_paths(body, of_tests);
            }
            None => self.add_paths(body, of_tests),
        }
    }

    fn import(&mut self, path: Vec<String>, re_export: bool, of_tests: bool) {
        self.imports.push(Import {
            path,
            re_export,
            of_tests,
        });
    }

    /// Adds every path in the tokens, and every name that may be that of an item.
    fn add_paths(&mut self, tokens: &[TokenTree], of_tests: bool) {
        let mut at = 0;
        while at < tokens.len() {
            let mut end = at + 1;
            match &tokens[at] {
                TokenTree::Group(group) => {
                    let inner: Vec<TokenTree> = group.stream().into_iter().collect();
                    // Not the path of `pub(in path)`, which imports nothing.
                    if inner.first().and_then(word).as_deref() != Some("in") {
                        self.add_paths(&inner, of_tests);
                    }
                }
                TokenTree::Ident(_) if !is_inside_path(tokens, at) => {
                    end = end_of_path(tokens, at);
                    for (path, _) in use_tree(&tokens[at..end], &[]) {
                        if path.len() > 1 || is_item(tokens, at) {
                            self.import(path, false, of_tests);
                        }
                    }
                }
                _ => {}
            }
            at = end;
        }
    }
}

/// What may stand before the keyword of an item.
const QUALIFIERS: [&str; 5] = ["const", "unsafe", "async", "extern", "default"];

/// What an item with a name begins with.
const KEYWORDS: [&str; 10] = [
    "fn",
    "struct",
    "enum",
    "union",
    "trait",
    "type",
    "static",
    "mod",
    "use",
    "macro_rules",
];

/// Items that end at a semicolon even if a group in braces comes first.
const WITH_SEMICOLON: [&str; 4] = ["const", "static", "use", "type"];

fn word(token: &TokenTree) -> Option<String> {
    match token {
        TokenTree::Ident(word) => Some(word.to_string()),
        _ => None,
    }
}

fn is_punct(token: Option<&TokenTree>, character: char) -> bool {
    matches!(token, Some(TokenTree::Punct(punct)) if punct.as_char() == character)
}

fn is_group(token: Option<&TokenTree>, delimiter: Delimiter) -> bool {
    matches!(token, Some(TokenTree::Group(group)) if group.delimiter() == delimiter)
}

fn is_colons(tokens: &[TokenTree]) -> bool {
    is_punct(tokens.first(), ':') && is_punct(tokens.get(1), ':')
}

/// Whether the name is after `::`, or is a field or a method.
fn is_inside_path(tokens: &[TokenTree], at: usize) -> bool {
    at >= 2 && is_colons(&tokens[at - 2..]) || at >= 1 && is_punct(tokens.get(at - 1), '.')
}

/// Whether a name by itself may be that of an item: it is a type or a constant, is called, or is an argument.
fn is_item(tokens: &[TokenTree], at: usize) -> bool {
    // As in `pub(super)`.
    let is_keyword = word(&tokens[at]).is_some_and(|word| ["crate", "self", "super"].contains(&word.as_str()));
    let is_capital = word(&tokens[at]).is_some_and(|word| word.starts_with(char::is_uppercase));
    let before = at.checked_sub(1).map(|at| &tokens[at]);
    let is_called = is_group(tokens.get(at + 1), Delimiter::Parenthesis) || is_punct(tokens.get(at + 1), '!');
    let is_declared = before.and_then(word).is_some_and(|word| word == "fn");
    let is_limit = |token: Option<&TokenTree>| token.is_none() || is_punct(token, ',');
    !is_keyword && (is_capital || is_called && !is_declared || is_limit(before) && is_limit(tokens.get(at + 1)))
}

/// The end of the path that begins at `at`, with its `{..}` or `*`.
fn end_of_path(tokens: &[TokenTree], at: usize) -> usize {
    let mut end = at + 1;
    while is_colons(&tokens[end..]) {
        match tokens.get(end + 2) {
            Some(TokenTree::Ident(_)) => end += 3,
            token if is_group(token, Delimiter::Brace) || is_punct(token, '*') => return end + 3,
            _ => return end,
        }
    }
    end
}

/// The paths of a `use`, each with the name that it gets.
fn use_tree(tokens: &[TokenTree], prefix: &[String]) -> Vec<(Vec<String>, String)> {
    let mut path = prefix.to_vec();
    for (at, token) in tokens.iter().enumerate() {
        match token {
            TokenTree::Ident(ident) if ident == "as" => {
                let name = tokens.get(at + 1).and_then(word);
                return vec![(path, name.unwrap_or_default())];
            }
            TokenTree::Ident(ident) if ident == "self" && !path.is_empty() => {}
            TokenTree::Ident(ident) => path.push(ident.to_string()),
            TokenTree::Group(group) => {
                let tokens: Vec<TokenTree> = group.stream().into_iter().collect();
                let trees = tokens.split(|token| is_punct(Some(token), ','));
                let trees = trees.filter(|tree| !tree.is_empty());
                return trees.flat_map(|tree| use_tree(tree, &path)).collect();
            }
            token if is_punct(Some(token), '*') => path.push("*".to_owned()),
            _ => {}
        }
    }
    let name = path.last().cloned().unwrap_or_default();
    vec![(path, name)]
}

fn split_attributes(tokens: &[TokenTree]) -> (&[TokenTree], &[TokenTree]) {
    let mut end = 0;
    while is_punct(tokens.get(end), '#') {
        end += if is_punct(tokens.get(end + 1), '!') { 3 } else { 2 };
    }
    tokens.split_at(end)
}

/// The tokens of the first item, and those after it.
fn split_item(tokens: &[TokenTree]) -> (&[TokenTree], &[TokenTree]) {
    let (_, body) = split_visibility(tokens);
    let words: Vec<String> = body.iter().map_while(word).collect();
    let first = words.first().map_or("", String::as_str);
    let with_semicolon = WITH_SEMICOLON.contains(&first) && !words.iter().any(|word| word == "fn");
    let ends =
        |token: &TokenTree| is_punct(Some(token), ';') || is_group(Some(token), Delimiter::Brace) && !with_semicolon;
    let end = tokens.iter().position(ends).map_or(tokens.len(), |end| end + 1);
    tokens.split_at(end)
}

fn split_visibility(tokens: &[TokenTree]) -> (bool, &[TokenTree]) {
    match tokens {
        [TokenTree::Ident(word), group, rest @ ..]
            if word == "pub" && is_group(Some(group), Delimiter::Parenthesis) =>
        {
            (true, rest)
        }
        [TokenTree::Ident(word), rest @ ..] if word == "pub" => (true, rest),
        _ => (false, tokens),
    }
}

/// Whether an attribute says in which file a module is.
fn is_path(token: &TokenTree) -> bool {
    matches!(token, TokenTree::Group(group) if group.stream().to_string().starts_with("path"))
}

/// Whether an attribute is a `cfg` that only tests meet.
fn is_of_tests(token: &TokenTree) -> bool {
    let TokenTree::Group(group) = token else {
        return false;
    };
    let text = group.stream().to_string();
    text.starts_with("cfg") && text.contains("test") && !text.contains("not")
}
