//! The effect of a declaration's primitives on each level.

use proc_macro2::{Ident, TokenStream};
use quote::ToTokens;
use syn::ext::IdentExt;

use super::IndexType;
use super::word::{Word, check_word};
use crate::compiler::algebra::Interval;
use crate::compiler::diagnostics::{Diagnostics, did_you_mean, list};
use crate::compiler::syntax::expression::ExprKind;
use crate::compiler::syntax::format::{FormatDecl, LevelDecl};
use crate::compiler::syntax::primitive::{LevelRef, Primitive, PrimitiveKind};

/// Names of the mutation, layout and width primitives.
const PRIMITIVES: [&str; 8] = ["merge", "trim", "pad", "pack", "partition", "word", "index", "pointer"];

/// The properties that the primitives give to each level.
pub(super) struct Mutations {
    pub(super) merged: Vec<bool>,
    pub(super) trimmed: Vec<bool>,
    /// The tokens that pad each level, if any.
    pub(super) padded: Vec<Option<TokenStream>>,
    /// The first and the last level of each packed range.
    pub(super) packs: Vec<(usize, usize, TokenStream)>,
    /// The level at which the tree is cut into parts.
    pub(super) partition: Option<(usize, TokenStream)>,
    /// The layout of an element as a word, with its tokens.
    pub(super) word: Option<(Word, TokenStream)>,
    pub(super) index: Vec<Option<(IndexType, TokenStream)>>,
    pub(super) pointer: Option<IndexType>,
}

impl Mutations {
    /// Collects the primitives of a declaration whose levels are called `names`, and reports errors.
    pub(super) fn new(declaration: &FormatDecl, names: &[String], errors: &mut Diagnostics) -> Self {
        let count = names.len();
        let mut mutations = Mutations {
            merged: vec![false; count],
            trimmed: vec![false; count],
            padded: vec![None; count],
            packs: Vec::new(),
            partition: None,
            word: None,
            index: vec![None; count],
            pointer: None,
        };
        let levels = Levels { declaration, names };
        for primitive in &declaration.primitives {
            mutations.apply(primitive, &levels, errors);
        }
        mutations
    }

    fn apply(&mut self, primitive: &Primitive, levels: &Levels<'_>, errors: &mut Diagnostics) {
        let names = levels.names;
        match &primitive.kind {
            PrimitiveKind::Merge(merged) => {
                if merged.is_empty() {
                    errors.error(
                        &primitive.tokens,
                        "`merge()` merges nothing\nhelp: name a level, `merge(row)`",
                    );
                }
                for level in merged {
                    let Some(at) = levels.resolve(level, errors) else {
                        continue;
                    };
                    if std::mem::replace(&mut self.merged[at], true) {
                        errors.error(
                            level,
                            format!("level `{}` is already merged\nhelp: leave this one out", names[at]),
                        );
                    } else if at + 1 == names.len() {
                        errors.error(
                            level,
                            format!(
                                "level `{}` is the last: it has no children to merge\nhelp: leave it out",
                                names[at]
                            ),
                        );
                    }
                }
            }
            PrimitiveKind::Trim(first, last) => {
                let Some((start, end)) = levels.range(primitive, "trim", first, last, errors) else {
                    return;
                };
                for (at, name) in names.iter().enumerate().take(end + 1).skip(start) {
                    if std::mem::replace(&mut self.trimmed[at], true) {
                        errors.error(
                            &primitive.tokens,
                            format!("level `{name}` is already trimmed\nhelp: trim each level once"),
                        );
                        break;
                    }
                }
            }
            PrimitiveKind::Pad(level) => {
                let Some(at) = levels.resolve(level, errors) else {
                    return;
                };
                if self.padded[at].replace(level.to_token_stream()).is_some() {
                    errors.error(
                        level,
                        format!("level `{}` is already padded\nhelp: leave this one out", names[at]),
                    );
                }
            }
            PrimitiveKind::Pack(first, last) => {
                let Some((start, end)) = levels.range(primitive, "pack", first, last, errors) else {
                    return;
                };
                let overlaps = |&(first, last, _): &(usize, usize, TokenStream)| start <= last && first <= end;
                if self.packs.iter().any(overlaps) {
                    errors.error(
                        &primitive.tokens,
                        "these levels are already packed\nhelp: pack each level once",
                    );
                } else {
                    self.packs.push((start, end, primitive.tokens.clone()));
                }
            }
            PrimitiveKind::Partition(level) => {
                let Some(at) = levels.resolve(level, errors) else {
                    return;
                };
                if self.partition.replace((at, level.to_token_stream())).is_some() {
                    errors.error(
                        &primitive.tokens,
                        "this format is already partitioned\nhelp: cut the tree at one level",
                    );
                } else if at + 1 == names.len() {
                    errors.error(
                        level,
                        format!(
                            "level `{}` is the last: there is no level below it to divide among parts\nhelp: partition a level above it",
                            names[at]
                        ),
                    );
                }
            }
            PrimitiveKind::Word(word) => {
                let Some(word) = check_word(word, levels.names, errors) else {
                    return;
                };
                if self.word.is_some() {
                    errors.error(
                        &primitive.tokens,
                        "the word is already declared\nhelp: leave this one out",
                    );
                } else {
                    self.word = Some((word, primitive.tokens.clone()));
                }
            }
            PrimitiveKind::Index(widths) => {
                for (level, width) in widths {
                    let at = levels.resolve(level, errors);
                    let (Some(at), Some(declared)) = (at, index_type(width, errors)) else {
                        continue;
                    };
                    if self.index[at].replace((declared, width.to_token_stream())).is_some() {
                        errors.error(
                            level,
                            format!(
                                "the index of level `{}` is already declared\nhelp: leave this one out",
                                names[at]
                            ),
                        );
                    }
                }
            }
            PrimitiveKind::Pointer(width) => {
                let Some(declared) = index_type(width, errors) else {
                    return;
                };
                if declared.signed {
                    let unsigned = IndexType {
                        signed: false,
                        ..declared
                    };
                    errors.error(
                        width,
                        format!("pointers are never negative\nhelp: write `{}`", unsigned.name()),
                    );
                } else if self.pointer.replace(declared).is_some() {
                    errors.error(
                        &primitive.tokens,
                        "the pointers are already declared\nhelp: leave this one out",
                    );
                }
            }
            PrimitiveKind::Unknown(name) => {
                let written = name.to_string();
                let suggestion = did_you_mean(&written, PRIMITIVES);
                errors.error(
                    name,
                    format!(
                        "unknown primitive `{written}`{suggestion}\nnote: the primitives are {}",
                        list(PRIMITIVES)
                    ),
                );
            }
        }
    }
}

fn index_type(name: &Ident, errors: &mut Diagnostics) -> Option<IndexType> {
    let parsed = IndexType::parse(&name.to_string());
    if parsed.is_none() {
        let suggestion = did_you_mean(&name.to_string(), IndexType::NAMES);
        errors.error(
            name,
            format!(
                "`{name}` is not an index type{suggestion}\nnote: index types are {}",
                list(IndexType::NAMES)
            ),
        );
    }
    parsed
}

/// The levels to which a primitive can refer.
struct Levels<'a> {
    declaration: &'a FormatDecl,
    names: &'a [String],
}

impl Levels<'_> {
    /// Returns the numbers of `first` and `last`, or `None` after reporting an empty range or an unknown level.
    fn range(
        &self,
        primitive: &Primitive,
        name: &str,
        first: &LevelRef,
        last: &LevelRef,
        errors: &mut Diagnostics,
    ) -> Option<(usize, usize)> {
        let (start, end) = (self.resolve(first, errors), self.resolve(last, errors));
        let (start, end) = (start?, end?);
        if start > end {
            errors.error(
                &primitive.tokens,
                format!(
                    "this {name}s nothing: level `{}` comes before `{}`\nhelp: write `{name}({}..={})`",
                    self.names[end],
                    self.names[start],
                    last.to_token_stream(),
                    first.to_token_stream()
                ),
            );
            return None;
        }
        Some((start, end))
    }

    /// Returns the number of a level, or `None` after reporting that there is no such level.
    fn resolve(&self, level: &LevelRef, errors: &mut Diagnostics) -> Option<usize> {
        match level {
            LevelRef::Name(name) => {
                let at = self.names.iter().position(|candidate| name.unraw() == candidate);
                if at.is_none() {
                    let known = || self.names.iter().map(String::as_str);
                    let help = self
                        .of_expression(name)
                        .unwrap_or_else(|| did_you_mean(&name.to_string(), known()));
                    errors.error(
                        name,
                        format!(
                            "there is no level `{name}`{help}\nnote: the levels are {}",
                            list(known())
                        ),
                    );
                }
                at
            }
            LevelRef::Number(number) if !number.suffix().is_empty() => {
                errors.error(
                    number,
                    format!(
                        "the number of a level has no suffix\nhelp: write `{}`",
                        number.base10_digits()
                    ),
                );
                None
            }
            LevelRef::Number(number) => {
                let at = number.base10_parse::<usize>().ok().filter(|&at| at < self.names.len());
                if at.is_none() {
                    let (count, last) = (self.names.len(), self.names.len().saturating_sub(1));
                    errors.error(
                        number,
                        format!("level {number} does not exist\nnote: this format has {count} levels, 0 to {last}"),
                    );
                }
                at
            }
        }
    }

    /// Returns a help text for a dim written in place of the level that is this dim.
    fn of_expression(&self, name: &Ident) -> Option<String> {
        let is_dim = |level: &LevelDecl| matches!(&level.expression.kind, ExprKind::Name(dim) if dim == name);
        let at = self.declaration.levels.iter().position(is_dim)?;
        Some(format!(
            "\nhelp: write `{}`, the level of the dim `{name}`",
            self.names[at]
        ))
    }
}

/// Returns the declared width, and reports an error if the domain does not fit it.
pub(super) fn check_width(
    name: &str,
    declared: IndexType,
    tokens: &TokenStream,
    interval: &Interval,
    errors: &mut Diagnostics,
) -> IndexType {
    let needed = IndexType::narrowest(interval);
    if !declared.signed && needed.signed {
        let signed = IndexType {
            signed: true,
            ..declared
        };
        errors.error(
            tokens,
            format!(
                "level `{name}` can be negative, which `{}` cannot hold\nhelp: write `{}`",
                declared.name(),
                signed.name()
            ),
        );
    } else if let (Some(lo), Some(hi)) = interval.known() {
        if !declared.holds(lo) || !declared.holds(hi) {
            errors.error(
                tokens,
                format!(
                    "level `{name}` runs from {lo} to {hi}, which does not fit `{}`\nhelp: write `{}`",
                    declared.name(),
                    needed.name()
                ),
            );
        }
    }
    declared
}
