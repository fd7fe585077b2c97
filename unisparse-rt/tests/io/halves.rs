//! Numbers of half precision, against decimals of the numbers halfway between any two of them.

use super::*;
use half::{bf16, f16};

/// A binary format: the distance between numbers, in the order of their bits, starts at 2^`least`, and doubles after
/// every 2^`fraction` numbers from the second 2^`fraction` on.
struct Format<H> {
    fraction: u32,
    least: i32,
    from_bits: fn(u16) -> H,
    infinity: u16,
}

impl<H> Format<H> {
    /// The magnitude of a number as a multiple of a power of two.
    fn magnitude(&self, bits: u16) -> (u64, i32) {
        let (field, fraction) = (bits >> self.fraction, u64::from(bits) & ((1 << self.fraction) - 1));
        match field {
            0 => (fraction, self.least),
            _ => (fraction + (1 << self.fraction), self.least + i32::from(field) - 1),
        }
    }

    /// Halfway from a number to the next.
    fn halfway(&self, bits: u16) -> (u64, i32) {
        let (multiple, power) = self.magnitude(bits);
        (2 * multiple + 1, power - 1)
    }
}

/// The digits of a multiple of a power of two, and the power of ten to multiply them by.
fn decimal(multiple: u64, power: i32) -> (Vec<u8>, i32) {
    let mut digits: Vec<u8> = multiple.to_string().bytes().map(|byte| byte - b'0').collect();
    let (factor, exponent) = if power < 0 { (5, power) } else { (2, 0) };
    for _ in 0..power.abs() {
        let mut carry = 0;
        for digit in digits.iter_mut().rev() {
            let product = *digit * factor + carry;
            (*digit, carry) = (product % 10, product / 10);
        }
        if carry > 0 {
            digits.insert(0, carry);
        }
    }
    (digits, exponent)
}

fn text(digits: &[u8], exponent: i32) -> String {
    let digits: String = digits.iter().map(|digit| char::from(b'0' + digit)).collect();
    format!("{digits}e{exponent}")
}

/// A little less: one less in the last digit, and nines behind it.
fn less(mut digits: Vec<u8>, exponent: i32) -> String {
    let last = digits.iter().rposition(|&digit| digit > 0).unwrap();
    digits[last] -= 1;
    digits[last + 1..].fill(9);
    digits.extend([9; 30]);
    text(&digits, exponent - 30)
}

/// A little more.
fn more(mut digits: Vec<u8>, exponent: i32) -> String {
    digits.extend([0; 30]);
    digits.push(1);
    text(&digits, exponent - 31)
}

fn check<H: ReadScalar>(format: &Format<H>, all: impl Iterator<Item = u16>) -> usize {
    let mut checked = 0;
    for bits in all {
        let (digits, exponent) = decimal(format.halfway(bits).0, format.halfway(bits).1);
        let even = bits + (bits & 1);
        let words = [
            (less(digits.clone(), exponent), bits),
            (text(&digits, exponent), even),
            (more(digits, exponent), bits + 1),
        ];
        for (word, expected) in words {
            let expected = if expected == format.infinity {
                Err(Range)
            } else {
                Ok((format.from_bits)(expected))
            };
            assert_eq!(H::read(word.as_bytes()), expected, "{word}");
            let negative = expected.map(|number| number.negated().unwrap());
            assert_eq!(H::read(format!("-{word}").as_bytes()), negative, "-{word}");
            checked += 1;
        }
        let (digits, exponent) = decimal(format.magnitude(bits).0, format.magnitude(bits).1);
        let word = text(&digits, exponent);
        assert_eq!(H::read(word.as_bytes()), Ok((format.from_bits)(bits)), "{word}");
    }
    checked
}

#[test]
fn halves_are_rounded_once() {
    let format = Format {
        fraction: 10,
        least: -24,
        from_bits: f16::from_bits,
        infinity: 0x7c00,
    };
    assert_eq!(check(&format, 0..format.infinity), 3 * 31744);
    let format = Format {
        fraction: 7,
        least: -133,
        from_bits: bf16::from_bits,
        infinity: 0x7f80,
    };
    // All fractions of exponents from the least to the greatest.
    let exponents = [0, 1, 2, 3, 60, 110, 126, 127, 128, 129, 150, 200, 253, 254];
    let all = exponents
        .into_iter()
        .flat_map(|exponent: u16| (exponent << 7)..(exponent + 1) << 7);
    assert_eq!(check(&format, all), 3 * 14 * 128);
}

#[test]
fn halves_of_files() {
    let one =
        |number: &str| mtx::<f16>(&body("real", "general", 1, &format!("1 1 {number}"))).map(|all| all.values()[0]);
    assert_eq!(one("65519.999999999999999999").unwrap(), f16::MAX);
    assert_eq!(one("1.00048828125000000000000001").unwrap().to_f64(), 1.0009765625);
    assert_eq!(one("1.00048828125").unwrap(), f16::ONE);
    assert_eq!(
        (one("-inf").unwrap(), one("1e-400").unwrap()),
        (f16::NEG_INFINITY, f16::ZERO)
    );
    assert!(one("nan").unwrap().is_nan());
    refused(
        one("65520"),
        Range,
        [3, 5],
        "found value 65520, expected a number that fits f16",
    );
    refused(
        one("1e400"),
        Range,
        [3, 5],
        "found value 1e400, expected a number that fits f16",
    );
}
