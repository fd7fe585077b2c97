//! Amounts of memory as symbolic formulas.

use core::fmt;

/// A sum of products: `4 nnz + 4 i + 4`. `i` is the extent of dim `i`, `nnz` the number of elements, and `|diag|` the
/// number of entries or coordinates of level `diag`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Bytes {
    /// The coefficient and the symbols of each product.
    terms: Vec<(u128, Vec<String>)>,
}

impl Bytes {
    pub(crate) fn number(number: u128) -> Self {
        Bytes::default().plus_term(number, Vec::new())
    }

    pub(crate) fn symbol(symbol: String) -> Self {
        Bytes::default().plus_term(1, vec![symbol])
    }

    fn plus_term(mut self, number: u128, symbols: Vec<String>) -> Self {
        match self.terms.iter_mut().find(|(_, known)| *known == symbols) {
            _ if number == 0 => {}
            Some((known, _)) => *known = known.saturating_add(number),
            None => self.terms.push((number, symbols)),
        }
        self
    }

    #[must_use]
    pub(crate) fn plus(mut self, other: &Self) -> Self {
        for (number, symbols) in &other.terms {
            self = self.plus_term(*number, symbols.clone());
        }
        self
    }

    #[must_use]
    pub(crate) fn times(&self, other: &Self) -> Self {
        let mut product = Bytes::default();
        for (left, symbols) in &self.terms {
            for (right, others) in &other.terms {
                let mut symbols: Vec<String> = symbols.iter().chain(others).cloned().collect();
                symbols.sort();
                product = product.plus_term(left.saturating_mul(*right), symbols);
            }
        }
        product
    }
}

impl fmt::Display for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.terms.is_empty() {
            return f.write_str("0");
        }
        let (constants, others): (Vec<_>, Vec<_>) = self.terms.iter().partition(|(_, symbols)| symbols.is_empty());
        for (at, (number, symbols)) in others.into_iter().chain(constants).enumerate() {
            if at > 0 {
                f.write_str(" + ")?;
            }
            match (*number, symbols.join(" ")) {
                (number, symbols) if symbols.is_empty() => write!(f, "{number}")?,
                (1, symbols) => f.write_str(&symbols)?,
                (number, symbols) => write!(f, "{number} {symbols}")?,
            }
        }
        Ok(())
    }
}
