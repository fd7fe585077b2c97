//! Parses decimal integers.

/// Returns the number that a text begins with and the number of its digits. It wraps around if there are more than 19.
#[inline]
pub(super) fn front(text: &[u8]) -> (u64, usize) {
    const EACH: u64 = u64::MAX / 0xff;
    if let Some(&eight) = text.first_chunk::<8>() {
        // The bytes of digits become 0 to 9; of the others, the first is found exactly.
        let digits = u64::from_le_bytes(eight) ^ (EACH * u64::from(b'0'));
        let others = (digits | digits.wrapping_add(EACH * (0x7f - 9))) & (EACH << 7);
        match others.trailing_zeros() / 8 {
            0 => return (0, 0),
            8 => {}
            count => {
                // Zeros go before the digits, then neighbours are joined: pairs, fours, all eight.
                let ones = digits << (64 - 8 * count);
                let pairs = (ones * 10 + (ones >> 8)) & 0x00ff_00ff_00ff_00ff;
                let fours = (pairs * 100 + (pairs >> 16)) & 0x0000_ffff_0000_ffff;
                return ((fours * 10_000 + (fours >> 32)) & 0xffff_ffff, count as usize);
            }
        }
    }
    let digits = text
        .iter()
        .map(|byte| byte.wrapping_sub(b'0'))
        .take_while(|&digit| digit <= 9);
    digits.fold((0, 0), |(number, count), digit| {
        (number.wrapping_mul(10).wrapping_add(u64::from(digit)), count + 1)
    })
}

/// Number of digits that fit `usize`, whatever they are.
pub(super) const PLAIN_DIGITS: usize = usize::MAX.ilog10() as usize;

/// Parses digits, with an optional `+`, as a number; `None` if it is not one or does not fit.
#[inline]
pub(super) fn decimal(word: &[u8]) -> Option<usize> {
    let digits = word.strip_prefix(b"+").unwrap_or(word);
    let mut number = 0_usize;
    for &byte in digits {
        let digit = byte.wrapping_sub(b'0');
        if digit > 9 {
            return None;
        }
        number = number.checked_mul(10)?.checked_add(usize::from(digit))?;
    }
    (!digits.is_empty()).then_some(number)
}

/// Returns whether the word is an integer, of any size and sign.
pub(super) fn is_integer(word: &[u8]) -> bool {
    let digits = word.strip_prefix(b"+").or(word.strip_prefix(b"-")).unwrap_or(word);
    !digits.is_empty() && digits.iter().all(u8::is_ascii_digit)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn fronts_are_numbers(digits in "[0-9]{0,19}", rest in prop::option::of((any::<u8>(), any::<[u8; 9]>()))) {
            let mut text = digits.clone().into_bytes();
            if let Some((byte, rest)) = rest {
                prop_assume!(!byte.is_ascii_digit());
                text.push(byte);
                text.extend(rest);
            }
            prop_assert_eq!(front(&text), (digits.parse().unwrap_or(0), digits.len()));
        }
    }
}
