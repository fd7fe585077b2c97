//! Prints index maps as Rust functions: domains, encode, decode.

use proc_macro2::{Ident, TokenStream};
use quote::quote;

use super::Names;
use super::print::integer;
use crate::compiler::algebra::{Expression, Interval, Linear, Polynomial, Source, Symbol};
use crate::compiler::encoding::{Format, Status, mentions_query};
use crate::compiler::storage::Storage;
use crate::compiler::syntax::Identifiers;

/// Returns the body of `domains`, with one `Domain` per level. Extents are `i128`; sums and products saturate, so that
/// `Domain::new` rejects values that do not fit.
pub(crate) fn domains(format: &Format, storage: &Storage, names: Names, private: &TokenStream) -> TokenStream {
    let parameters = format.parameters.iter().map(|parameter| {
        let name = names.public(&parameter.name);
        let message = format!(
            "const parameter `{}` of `{}` is at least 1",
            parameter.name, format.name
        );
        quote!(const { ::core::assert!(#name > 0, #message) };)
    });
    let last = last_coordinates(format, names);
    let direct = format.levels.iter().filter(|level| !level.indirect);
    let inner = direct.flat_map(|level| {
        let mut inner = Vec::new();
        divided(&level.expression, &mut inner);
        inner
            .into_iter()
            .map(|interval| domain(&level.name, &interval, format, names, private))
            .collect::<Vec<_>>()
    });
    let sizes = names.local("sizes");
    let levels = format.levels.iter().enumerate().map(|(at, level)| {
        if !level.measured {
            return domain(&level.name, &level.interval, format, names, private);
        }
        if storage.is_sized(format, at) {
            let at = integer(at as i128);
            return quote!(#private::Domain { lo: 0, size: #sizes[#at] });
        }
        let signed = !level.interval.is_nonnegative();
        quote!(#private::Domain::open(#signed))
    });
    quote! {
        #(#parameters)*
        #last
        #(#inner;)*
        ::core::result::Result::Ok([#(#levels),*])
    }
}

/// Returns `let [i, j] = shape; let (i, j) = (i as i128, j as i128);`.
pub(crate) fn last_coordinates(format: &Format, names: Names) -> TokenStream {
    let extents = format.dims.iter().map(|dim| names.local(&format!("{dim}_extent")));
    let extents: Vec<Ident> = extents.collect();
    let shape = names.local("shape");
    quote!(let [#(#extents),*] = #shape; let (#(#extents,)*) = (#(#extents as i128,)*);)
}

pub(crate) fn domain(
    level: &str,
    interval: &Interval,
    format: &Format,
    names: Names,
    private: &TokenStream,
) -> TokenStream {
    let (lo, hi) = (
        symbols(&interval.lo, format, names),
        symbols(&interval.hi, format, names),
    );
    quote!(#private::Domain::new(#level, #lo, #hi)?)
}

/// Collects the intervals of the dividends, which must not overflow either.
fn divided(expression: &Expression, found: &mut Vec<Interval>) {
    match expression {
        Expression::Dim(_) | Expression::Constant(_) => {}
        Expression::Sum(left, right) => {
            divided(left, found);
            divided(right, found);
        }
        Expression::Scaled(_, inner) => divided(inner, found),
        Expression::Quotient(inner, _) | Expression::Remainder(inner, _) => {
            if !matches!(**inner, Expression::Dim(_)) {
                found.extend(Interval::within(inner, &Interval::below_extent));
            }
            divided(inner, found);
        }
    }
}

pub(crate) fn polynomial(value: &Polynomial, format: &Format, names: Names, kind: &TokenStream) -> TokenStream {
    let mut sum: Option<TokenStream> = None;
    for (exponents, coefficient) in value.terms() {
        let coefficient = coefficient.as_integer().unwrap_or(0);
        let mut term = (coefficient != 1 || exponents.is_empty()).then(|| integer(coefficient));
        for (at, &exponent) in exponents.iter().enumerate() {
            let name = names.public(&format.parameters[at].name);
            for _ in 0..exponent {
                term = Some(match term {
                    None => quote!((#name as #kind)),
                    Some(term) => quote!((#name as #kind).saturating_mul(#term)),
                });
            }
        }
        sum = Some(match (sum, term) {
            (Some(sum), Some(term)) => quote!(#sum + #term),
            (sum, term) => sum.or(term).unwrap_or_else(|| quote!(0)),
        });
    }
    sum.unwrap_or_else(|| quote!(0))
}

/// Returns a linear form in `i128`. Sums of 64-bit numbers with literal coefficients cannot overflow; products with
/// parameters can, and saturate.
pub(crate) fn linear<V: Ord + Clone>(
    form: &Linear<V>,
    format: &Format,
    names: Names,
    variable: impl Fn(&V) -> TokenStream,
) -> TokenStream {
    let kind = quote!(i128);
    let (mut positive, mut negative) = (Vec::new(), Vec::new());
    for (symbol, coefficient) in form.terms() {
        let value = variable(symbol);
        match coefficient.as_integer() {
            Some(1) => positive.push(value),
            Some(-1) => negative.push(value),
            Some(number) => {
                let side = if number < 0 { &mut negative } else { &mut positive };
                let number = integer(number.abs());
                side.push(quote!(#number * #value));
            }
            None => {
                let factor = polynomial(coefficient, format, names, &kind);
                positive.push(quote!(#value.saturating_mul(#factor)));
            }
        }
    }
    match form.constant_term().as_integer() {
        Some(0) => {}
        Some(number) if number < 0 => negative.push(integer(-number)),
        Some(number) => positive.push(integer(number)),
        None => positive.push({
            let constant = polynomial(form.constant_term(), format, names, &kind);
            quote!((#constant))
        }),
    }
    match (positive.is_empty(), negative.is_empty()) {
        (true, true) => quote!(0),
        (true, false) => quote!(#(-#negative)*),
        (false, _) => quote!(#(#positive)+* #(- #negative)*),
    }
}

fn symbols(form: &Linear<Symbol>, format: &Format, names: Names) -> TokenStream {
    linear(form, format, names, |symbol| match symbol {
        Symbol::Extent(dim) => {
            let name = names.local(&format!("{}_extent", format.dims[*dim]));
            quote!(#name)
        }
        Symbol::Floor(inner, divisor) => {
            let (inner, divisor) = (
                symbols(inner, format, names),
                polynomial(divisor, format, names, &quote!(i128)),
            );
            quote!(i128::div_euclid(#inner, #divisor))
        }
    })
}

/// Returns the body of `encode`, which evaluates the index map.
pub(crate) fn encode(format: &Format, names: Names) -> TokenStream {
    let dims: Vec<_> = format.dims.iter().map(|dim| names.local(dim)).collect();
    let coordinate = names.local("coordinate");
    let levels: Vec<TokenStream> = format
        .levels
        .iter()
        .map(|level| expression(&level.expression, format, names, false))
        .collect();
    let used = Identifiers::of(&quote!(#(#levels)*));
    let results = format.queries.iter().enumerate().filter_map(|(at, query)| {
        let (name, at) = (names.local(&query.name), integer(at as i128));
        used.contain(&name).then(|| quote!(let #name = queries[#at];))
    });
    let results = quote!(#(#results)*);
    quote! {
        let [#(#dims),*] = #coordinate;
        #(let #dims = #dims as i64;)*
        #results
        [#(#levels),*]
    }
}

/// Returns an expression of dims and query results, which are `i64` variables named after them.
///
/// The part that depends on dims was checked to fit. The part that depends on queries saturates, and its domain rejects
/// values that do not fit.
pub(crate) fn expression(value: &Expression, format: &Format, names: Names, operand: bool) -> TokenStream {
    let kind = quote!(i64);
    let wrap = |tokens: TokenStream| if operand { quote!((#tokens)) } else { tokens };
    let saturates = mentions_query(value, format.dims.len());
    match value {
        Expression::Dim(unknown) => {
            let name = match unknown.checked_sub(format.dims.len()) {
                Some(query) => names.local(&format.queries[query].name),
                None => names.local(&format.dims[*unknown]),
            };
            quote!(#name)
        }
        Expression::Constant(constant) => wrap(polynomial(constant, format, names, &kind)),
        Expression::Sum(left, right) => {
            let left = expression(left, format, names, saturates);
            if let Expression::Scaled(factor, inner) = &**right {
                if factor.as_integer() == Some(-1) {
                    let inner = expression(inner, format, names, !saturates);
                    return if saturates {
                        quote!(#left.saturating_sub(#inner))
                    } else {
                        wrap(quote!(#left - #inner))
                    };
                }
            }
            let right = expression(right, format, names, !saturates);
            if saturates {
                quote!(#left.saturating_add(#right))
            } else {
                wrap(quote!(#left + #right))
            }
        }
        Expression::Scaled(factor, inner) => {
            let inner = expression(inner, format, names, true);
            if factor.as_integer() == Some(-1) {
                return wrap(quote!(-#inner));
            }
            let factor = polynomial(factor, format, names, &kind);
            if saturates {
                quote!(#inner.saturating_mul(#factor))
            } else {
                wrap(quote!((#factor) * #inner))
            }
        }
        Expression::Quotient(inner, divisor) | Expression::Remainder(inner, divisor) => {
            let inner = expression(inner, format, names, true);
            let divisor = polynomial(divisor, format, names, &kind);
            match value {
                Expression::Quotient(..) => quote!(#inner.div_euclid(#divisor)),
                _ => quote!(#inner.rem_euclid(#divisor)),
            }
        }
    }
}

/// Returns the body of `decode`, which computes the inverse and checks that `encode` maps the result back.
pub(crate) fn decode(format: &Format, names: Names, private: &TokenStream) -> TokenStream {
    let inverse = &format.inverse;
    let level = |at: usize| names.local(&format!("{}_level", format.levels[at].name));
    let quotient = |at: usize| names.local(&format!("quotient{at}"));
    let source = |source: &Source| match source {
        Source::Level(at) => {
            let name = level(*at);
            quote!(#name)
        }
        Source::Quotient(at) => {
            let name = quotient(*at);
            quote!(#name)
        }
    };
    let used = |at: usize| {
        let forms = inverse
            .dims
            .iter()
            .chain(inverse.quotients.iter().map(|(form, _)| form));
        forms
            .flat_map(Linear::variables)
            .any(|source| *source == Source::Level(at))
    };
    let (coordinates, shape) = (names.local("coordinates"), names.local("shape"));
    let levels = (0..format.levels.len()).filter(|&at| used(at)).map(|at| {
        let name = level(at);
        let at = integer(at as i128);
        quote!(let #name = i128::from(#coordinates[#at]);)
    });
    let kind = quote!(i128);
    let quotients = inverse.quotients.iter().enumerate().map(|(at, (form, divisor))| {
        let denominator = form.denominator();
        let value = linear(&form.scale(&denominator), format, names, source);
        let divisor = polynomial(&divisor.mul(&denominator), format, names, &kind);
        let name = quotient(at);
        quote!(let #name = i128::div_euclid(#value, #divisor);)
    });
    let dims = inverse.dims.iter().enumerate().map(|(dim, form)| {
        let denominator = form.denominator();
        let value = linear(&form.scale(&denominator), format, names, source);
        // Only an exact quotient maps back, so rounding here cannot hide a remainder.
        let value = if denominator == Polynomial::one() {
            value
        } else {
            let denominator = polynomial(&denominator, format, names, &kind);
            quote!(i128::div_euclid(#value, #denominator))
        };
        let dim = integer(dim as i128);
        quote!(#private::coordinate_within(#value, #shape[#dim])?)
    });
    let is_direct = |&at: &usize| !format.levels[at].indirect && format.levels[at].status != Status::Fixed;
    let same = (0..format.levels.len()).filter(is_direct).map(|at| {
        let at = integer(at as i128);
        quote!(encoded[#at] == #coordinates[#at])
    });
    let results = integer(format.queries.len() as i128);
    quote! {
        #(#levels)*
        #(#quotients)*
        let coordinate = [#(#dims),*];
        let encoded = Self::encode(coordinate, &[0; #results]);
        (#(#same)&&*).then_some(coordinate)
    }
}
