//! Exact decimal numbers, parsed from text.

#[cfg(any(feature = "half", test))]
use core::cmp::Ordering;

/// A decimal number: a sign, and `digits` times ten to the power of `exponent`.
#[derive(Debug, PartialEq)]
pub(super) struct Decimal {
    negative: bool,
    /// Digits from 0 to 9, without zeros at either end; empty if the number is zero.
    digits: Vec<u8>,
    exponent: i64,
}

impl Decimal {
    /// Parses a word such as `-7`, `7.0`, `.7e-2` or `7d2`; `None` if it is not a number.
    pub(super) fn parse(word: &[u8]) -> Option<Self> {
        let (negative, unsigned) = signed(word);
        let split = unsigned
            .iter()
            .position(|byte| matches!(byte, b'e' | b'E' | b'd' | b'D'));
        let (mantissa, power) = split.map_or((unsigned, None), |at| (&unsigned[..at], Some(&unsigned[at + 1..])));
        let power = power.map_or(Some(0), exponent)?;
        let point = mantissa.iter().position(|&byte| byte == b'.').unwrap_or(mantissa.len());
        let fraction = mantissa.get(point + 1..).unwrap_or_default();
        let mut digits: Vec<u8> = mantissa[..point]
            .iter()
            .chain(fraction)
            .map(|byte| byte.wrapping_sub(b'0'))
            .collect();
        if digits.is_empty() || digits.iter().any(|&digit| digit > 9) {
            return None;
        }
        let last = digits.iter().rposition(|&digit| digit != 0).map_or(0, |last| last + 1);
        let exponent = power - fraction.len() as i64 + (digits.len() - last) as i64;
        digits.truncate(last);
        let first = digits.iter().position(|&digit| digit != 0).unwrap_or(last);
        digits.drain(..first);
        Some(Decimal {
            negative,
            digits,
            exponent,
        })
    }

    /// Returns the sign and the magnitude, if the number is an integer and fits.
    pub(super) fn whole(&self) -> Option<(bool, u128)> {
        if self.digits.is_empty() {
            return Some((self.negative, 0));
        }
        let digits = self.digits.iter().try_fold(0_u128, |number, &digit| {
            number.checked_mul(10)?.checked_add(u128::from(digit))
        })?;
        let power = 10_u128.checked_pow(u32::try_from(self.exponent).ok()?)?;
        Some((self.negative, digits.checked_mul(power)?))
    }

    /// Compares the magnitudes of two numbers.
    #[cfg(any(feature = "half", test))]
    pub(super) fn compare_magnitudes(&self, other: &Self) -> Ordering {
        // Compare the powers of ten above the first digit, then the digits; missing trailing digits are zeros.
        let power = |of: &Self| (!of.digits.is_empty()).then_some(of.exponent + of.digits.len() as i64);
        power(self)
            .cmp(&power(other))
            .then_with(|| self.digits.cmp(&other.digits))
    }
}

/// Splits off the sign of a word.
#[inline]
pub(super) fn signed(word: &[u8]) -> (bool, &[u8]) {
    match word {
        [b'-', rest @ ..] => (true, rest),
        [b'+', rest @ ..] => (false, rest),
        _ => (false, word),
    }
}

/// Parses an exponent. Huge exponents are clamped: such a number is zero, or too large or too small for every type.
fn exponent(word: &[u8]) -> Option<i64> {
    const MOST: i64 = 1 << 40;
    let (negative, digits) = signed(word);
    if digits.is_empty() || !digits.iter().all(u8::is_ascii_digit) {
        return None;
    }
    let magnitude = digits.iter().fold(0, |number: i64, digit| {
        (number * 10 + i64::from(digit - b'0')).min(MOST)
    });
    Some(if negative { -magnitude } else { magnitude })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn whole(text: &str) -> Option<(bool, u128)> {
        Decimal::parse(text.as_bytes()).unwrap().whole()
    }

    fn compared(left: &str, right: &str) -> Ordering {
        let [left, right] = [left, right].map(|text| Decimal::parse(text.as_bytes()).unwrap());
        left.compare_magnitudes(&right)
    }

    #[test]
    fn exponents_of_any_size() {
        assert_eq!(whole("0e99999999999999999999999"), Some((false, 0)));
        assert_eq!(whole("-0.00e-99999999999999999999999"), Some((true, 0)));
        assert_eq!(whole(&format!("1{}e-50", "0".repeat(50))), Some((false, 1)));
        assert_eq!(whole(&format!(".{}25e52", "0".repeat(50))), Some((false, 25)));
        assert_eq!(whole("1e38"), Some((false, 10_u128.pow(38))));
        assert_eq!(
            (whole("1e39"), whole("1e99999999999"), whole("1e-1"), whole("2.5")),
            (None, None, None, None)
        );
        assert_eq!(
            whole("340282366920938463463374607431768211455"),
            Some((false, u128::MAX))
        );
        assert_eq!(whole("340282366920938463463374607431768211456"), None);
    }

    #[test]
    fn what_is_no_number_is_none() {
        for word in ["", "-", ".", "e5", "1e", "1e+", "1.2.3", "inf", "1_0", "0x1"] {
            assert_eq!(Decimal::parse(word.as_bytes()), None, "{word}");
        }
    }

    #[test]
    fn magnitudes_are_compared_exactly() {
        assert_eq!(compared("65519.999999999999999999", "65520"), Ordering::Less);
        assert_eq!(
            compared("1.00048828125000000000000001", "-1.00048828125"),
            Ordering::Greater
        );
        assert_eq!(compared("0.0012e3", "12e-1"), Ordering::Equal);
        assert_eq!(
            (compared("0", "1e-400"), compared("0e9", "0")),
            (Ordering::Less, Ordering::Equal)
        );
    }

    proptest! {
        // Numbers of up to 18 digits as multiples of 10 to the -9, in `i128`.
        #[test]
        fn as_whole_multiples_of_a_fraction(left in any::<u32>(), right in any::<u32>(), powers in [-9..9i32, -9..9i32]) {
            let exact = |digits: u32, power: i32| u128::from(digits) * 10_u128.pow((power + 9) as u32);
            let expected = exact(left, powers[0]).cmp(&exact(right, powers[1]));
            prop_assert_eq!(compared(&format!("{left}e{}", powers[0]), &format!("{right}d{}", powers[1])), expected);
        }
    }
}
