//! Tests that the macros expand to tokens and do not panic, for all inputs.

use proc_macro2::{Delimiter, Group, Ident, Literal, Punct, Spacing, Span, TokenStream, TokenTree};
use proptest::prelude::*;

use crate::compiler::{convert_resume, kernel_join, kernel_resume, sparse_format, sparse_kernel};

const FORMATS: [&str; 7] = [
    "/// Rows.\npub format Csr = |i, j| (row: i, col: j) { merge(row); trim(col); }",
    "format Bcsr<const R: usize = 2, const C: usize = 3> = |i, j| (i / R, j / C, i % R, j % C) { merge(0, 1); trim(1); }",
    "pub(crate) format Dia = |i, j| (diag: j - i, row: i) { merge(diag); trim(diag); index(diag: i64); pointer(u64); }",
    "pub format Skew<const B: usize> = |i, j, k| (a: (2 * i + j) / B, b: (2 * i + j) % B, c: i, d: k - B) { trim(a..=c); }",
    "pub format Ell = |i, j| (slot, row: i) where { len = sum(value != 0 => 1, _ => 0).group_by(i); } { merge(slot); }",
    "#[doc(hidden)] convert Csr -> formats::Bcsr<2, 2>, Bcsr -> Csr;",
    "pub hybrid BdiaCsr<const B: usize = 64> = Bdia<B> + Csr split sum(1).group_by(i / B) > threshold;",
];
const KERNELS: [&str; 8] = [
    "/// Product.\npub fn spmv: y[i] = A[i, j] * x[j] where A: Csr | Bcsr<2, 2> | crate::formats::Dia;",
    "fn axpy: y[i] += alpha * A[i, j] * x[j] + beta * z[i] where A: Csr;",
    "pub fn spmm: C[i, n] = A[i, j] * B[j, n] where A: _;",
    "pub fn relax: d[j] min= s[i] + A[i, j] if !seen[j] where A: Csr;",
    "fn act<T: Act>: C[i, j] = -f::act(A[i, k], 0.5) & 2 * (B[k, j] - x[k]) | A[k, i] where A: Csr, B: Csr | Bcsr<2, 2>, C: Csr;",
    "pub fn inner: s = A[i, j] * B[j, i] if M[i, j] where A: Bcsr, B: Bcsr | Csr<2>, M: Bcsr;",
    "#[cfg(a)] impl crate::spgemm for A: Csr | Dia, B: Bcsr<2, 2>, C: Csr;",
    "impl spmv for Csr | formats::Dia;",
];
const WORDS: [&str; 26] = [
    "format", "if", "min", "hybrid", "convert", "fn", "pub", "const", "where", "impl", "usize", "merge", "trim",
    "index", "pointer", "i", "j", "R", "T", "self", "SELF", "_", "r#type", "row", "Csr", "u8",
];
const MARKS: [char; 19] = [
    '|', ',', ':', ';', '=', '.', '<', '>', '+', '-', '*', '/', '%', '!', '#', '@', '$', '&', '?',
];

/// A token, or a group of further pieces.
#[derive(Clone, Debug)]
enum Piece {
    Word(usize),
    Mark(usize, bool),
    Number(u64),
    Text,
    Group(u8, Vec<Piece>),
}

fn piece() -> impl Strategy<Value = Piece> {
    let leaf = prop_oneof![
        4 => (0..WORDS.len()).prop_map(Piece::Word),
        4 => (0..MARKS.len(), any::<bool>()).prop_map(|(mark, joint)| Piece::Mark(mark, joint)),
        1 => prop_oneof![0..5_u64, Just(u64::MAX), Just(1 << 32)].prop_map(Piece::Number),
        1 => Just(Piece::Text),
    ];
    leaf.prop_recursive(3, 24, 6, |inner| {
        (0..4_u8, prop::collection::vec(inner, 0..6)).prop_map(|(kind, inside)| Piece::Group(kind, inside))
    })
}

impl Piece {
    fn token(&self) -> TokenTree {
        match self {
            Piece::Word(word) => match WORDS[*word].strip_prefix("r#") {
                Some(raw) => Ident::new_raw(raw, Span::call_site()).into(),
                None => Ident::new(WORDS[*word], Span::call_site()).into(),
            },
            Piece::Mark(mark, joint) => {
                Punct::new(MARKS[*mark], if *joint { Spacing::Joint } else { Spacing::Alone }).into()
            }
            Piece::Number(number) => Literal::u64_unsuffixed(*number).into(),
            Piece::Text => Literal::string("text").into(),
            Piece::Group(kind, inside) => {
                let kinds = [
                    Delimiter::Parenthesis,
                    Delimiter::Brace,
                    Delimiter::Bracket,
                    Delimiter::None,
                ];
                Group::new(kinds[usize::from(*kind)], inside.iter().map(Piece::token).collect()).into()
            }
        }
    }
}

/// A change of a token, whose place counts through all groups.
#[derive(Clone, Debug)]
enum Edit {
    Remove,
    Repeat,
    Replace(Piece),
    Insert(Piece),
}

fn edit() -> impl Strategy<Value = (usize, Edit)> {
    let kind = prop_oneof![
        2 => Just(Edit::Remove),
        1 => Just(Edit::Repeat),
        3 => piece().prop_map(Edit::Replace),
        3 => piece().prop_map(Edit::Insert),
    ];
    (0..60_usize, kind)
}

fn edited(tokens: TokenStream, place: &mut usize, edit: &Edit) -> TokenStream {
    let mut result = TokenStream::new();
    for token in tokens {
        let here = *place == 0;
        *place = place.wrapping_sub(1);
        let token = match token {
            TokenTree::Group(group) => {
                let inside = edited(group.stream(), place, edit);
                TokenTree::Group(Group::new(group.delimiter(), inside))
            }
            token => token,
        };
        match edit {
            Edit::Remove if here => {}
            Edit::Repeat if here => result.extend([token.clone(), token]),
            Edit::Replace(piece) if here => result.extend([piece.token()]),
            Edit::Insert(piece) if here => result.extend([piece.token(), token]),
            _ => result.extend([token]),
        }
    }
    result
}

fn parsed(text: &str) -> TokenStream {
    text.parse().expect("the pieces are tokens")
}

/// Expands both macros on these tokens.
fn expand(tokens: &TokenStream) {
    let front = quote::quote!({ ::unisparse } #tokens);
    let _ = sparse_format(front.clone());
    let _ = sparse_kernel(front);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn damaged_declarations_do_not_panic(
        format in 0..FORMATS.len(),
        kernel in 0..KERNELS.len(),
        edits in prop::collection::vec(edit(), 1..4),
    ) {
        let (mut format, mut kernel) = (parsed(FORMATS[format]), parsed(KERNELS[kernel]));
        for (place, edit) in &edits {
            format = edited(format, &mut place.clone(), edit);
            kernel = edited(kernel, &mut place.clone(), edit);
        }
        expand(&quote::quote!(#format #kernel));
        expand(&quote::quote!(#kernel #format));
        // Resume a kernel with a valid format.
        let payload = parsed(FORMATS[1]);
        let _ = kernel_resume(quote::quote!({ ::unisparse } { {"" 1 #payload} } {} { {spmv} {""} {A: Bcsr} {#kernel} }));
        let _ = kernel_resume(quote::quote!({ ::unisparse } { {"" 1 #format} } {} { {spmv} {""} {A: Csr} {#kernel} }));
        let several = quote::quote!({spmv} {"other"} {A: Bcsr, B: Bcsr<2, 2>, M: Bcsr});
        let _ = kernel_resume(quote::quote!({ ::unisparse } { {"" 1 #payload} } {} { #several {#kernel} }));
        // Resume a valid kernel with random statements, and a random kernel with a valid statement.
        let (declared, joined) = (parsed(KERNELS[5]), parsed(KERNELS[6]));
        let _ = kernel_join(quote::quote!({ ::unisparse } { {"" 1 #declared} } {} { #kernel }));
        let _ = kernel_join(quote::quote!({ ::unisparse } { {"" 1 #kernel} } {} { #joined }));
        let _ = convert_resume(quote::quote!({ ::unisparse } { {"" 1 #payload} {"" 2 #format} } {} { {} {Bcsr<2, 2> -> Csr} }));
        let _ = convert_resume(quote::quote!({ ::unisparse } { {"" 1 #payload} {"" 2 #payload} } {} { {} {#format} }));
    }

    #[test]
    fn token_soup_does_not_panic(soup in prop::collection::vec(piece(), 0..30)) {
        let soup: TokenStream = soup.iter().map(Piece::token).collect();
        expand(&soup);
        let _ = sparse_format(soup.clone());
        let _ = kernel_resume(soup.clone());
        let _ = kernel_join(soup.clone());
        let _ = convert_resume(soup);
    }
}

#[test]
fn declarations_are_split_where_one_starts_or_ends() {
    let text = "#[cfg(a)] pub(crate) format A = |i| (i) {} ; format B = |i| (i) pub format C |i| where {} { trim(0); } hybrid D = A + B; convert A -> B, B -> D; format E = |i| (i) {}";
    let items: Vec<String> = super::format::split(parsed(text))
        .iter()
        .map(ToString::to_string)
        .collect();
    let expected = [
        "#[cfg(a)] pub(crate) format A = |i| (i) {}",
        "format B = |i| (i) @",
        "pub format C |i| where {} { trim(0); }",
        "hybrid D = A + B;",
        "convert A -> B, B -> D;",
        "format E = |i| (i) {}",
    ];
    assert_eq!(items, expected.map(|item| parsed(item).to_string()));
}

#[test]
fn raw_names_expand() {
    let format = parsed("pub format r#type = |r#in, j| (r#fn: r#in, col: j) { merge(r#fn); trim(col); }");
    let expansion = sparse_format(quote::quote!({ ::unisparse } #format)).to_string();
    assert!(expansion.contains("pub struct r#type < T ,"), "{expansion}");
}

#[test]
fn statements_of_kernels_are_split_where_one_starts_or_ends() {
    let text = "#[cfg(a)] pub(crate) fn a: y[i] = A[i] where A: _; /// B.\npub fn b: y[i] impl c for D; #[cfg(b)] impl c for A: D impl c for D";
    let items: Vec<String> = super::kernel::split(parsed(text))
        .iter()
        .map(ToString::to_string)
        .collect();
    let expected = [
        "#[cfg(a)] pub(crate) fn a: y[i] = A[i] where A: _;",
        "/// B.\npub fn b: y[i] @",
        "impl c for D;",
        "#[cfg(b)] impl c for A: D @",
        "impl c for D @",
    ];
    assert_eq!(items, expected.map(|item| parsed(item).to_string()));
    let joins: Vec<bool> = super::kernel::split(parsed(text))
        .iter()
        .map(super::kernel::is_implement)
        .collect();
    assert_eq!(joins, [false, false, true, true, true]);
}
