//! Elements as packed keys: gathered from a source, sorted, duplicates resolved.

use crate::level::{Domain, Kind, Tree};
use crate::radix::{self, WORDS, WideKey};
use crate::{Duplicates, Error, ErrorKind, Scalar, Source};

/// Which bits of a key hold which level.
#[derive(Clone, Copy)]
pub(super) struct Packing<const M: usize> {
    pub(super) shift: [u32; M],
    pub(super) width: [u32; M],
    pub(super) bits: u32,
}

impl<const M: usize> Packing<M> {
    pub(super) fn new(domains: &[Domain; M], kinds: impl Fn(usize) -> Kind) -> Self {
        let mut packing = Packing {
            shift: [0; M],
            width: [0; M],
            bits: 0,
        };
        for level in (0..M).rev() {
            packing.shift[level] = packing.bits;
            if kinds(level) != Kind::Fixed {
                packing.width[level] = usize::BITS - domains[level].size.saturating_sub(1).leading_zeros();
            }
            packing.bits += packing.width[level];
        }
        packing
    }
}

/// The keys of all elements.
pub(super) enum Keys {
    Narrow(Vec<u64>),
    Wide(Vec<WideKey>),
}

impl Keys {
    /// Bits `shift..shift + width` of the key of `element`.
    pub(super) fn bits(&self, element: usize, shift: u32, width: u32) -> u64 {
        match self {
            Keys::Narrow(_) if width == 0 => 0,
            Keys::Narrow(keys) => (keys[element] >> shift) & (u64::MAX >> (64 - width)),
            Keys::Wide(keys) => radix::bits(&keys[element], shift, width),
        }
    }

    /// The elements whose key differs from the one before in a bit at or above `shift`.
    pub(super) fn first_of_each(&self, shift: u32) -> Vec<usize> {
        let starts =
            |len: usize, differs: &dyn Fn(usize) -> bool| (0..len).filter(|&at| at == 0 || differs(at)).collect();
        match self {
            Keys::Narrow(keys) => {
                if shift >= 64 {
                    return starts(keys.len(), &|_| false);
                }
                let mut firsts = Vec::with_capacity(keys.len());
                let mut last = None;
                for (element, key) in keys.iter().enumerate() {
                    if last != Some(key >> shift) {
                        last = Some(key >> shift);
                        firsts.push(element);
                    }
                }
                firsts
            }
            Keys::Wide(keys) => {
                let word = |word: usize| {
                    let low = 64 * (WORDS - 1 - word) as u32;
                    if shift >= low + 64 {
                        0
                    } else {
                        u64::MAX << shift.saturating_sub(low)
                    }
                };
                starts(keys.len(), &|at| {
                    (0..WORDS).any(|w| (keys[at][w] ^ keys[at - 1][w]) & word(w) != 0)
                })
            }
        }
    }
}

/// Visits the source once: the packed key and value of each element, sorted, duplicates resolved.
pub(super) fn gather<F, S, K, const N: usize, const M: usize>(
    source: &S,
    domains: &[Domain; M],
    packing: &Packing<M>,
    append: impl Fn(K, u32, u64) -> K,
) -> Result<(Vec<K>, Vec<F::Scalar>), Error>
where
    F: Tree<N, M>,
    S: Source<N, Scalar = F::Scalar>,
    K: radix::Key,
{
    let mut keys: Vec<K> = Vec::with_capacity(source.count());
    let mut values = Vec::with_capacity(source.count());
    let (mut sorted, mut last) = (true, K::ZERO);
    source.for_each(|coordinate, value| {
        let levels = F::encode(coordinate);
        let mut key = K::ZERO;
        for level in 0..M {
            if packing.width[level] > 0 {
                key = append(key, packing.width[level], (levels[level] - domains[level].lo) as u64);
            }
        }
        sorted &= last <= key;
        last = key;
        keys.push(key);
        values.push(value);
    });
    if !sorted {
        radix::sort(&mut keys, &mut values, packing.bits);
    }
    resolve_duplicates::<F, K, N, M>(
        source.duplicates(),
        domains,
        packing,
        &mut keys,
        &mut values,
        source.shape(),
    )?;
    Ok((keys, values))
}

/// Leaves one element at each coordinate, as the policy says.
fn resolve_duplicates<F, K, const N: usize, const M: usize>(
    policy: Duplicates,
    domains: &[Domain; M],
    packing: &Packing<M>,
    keys: &mut Vec<K>,
    values: &mut Vec<F::Scalar>,
    shape: [usize; N],
) -> Result<(), Error>
where
    F: Tree<N, M>,
    K: radix::Key,
{
    let Some(first) = keys.windows(2).position(|pair| pair[0] == pair[1]) else {
        return Ok(());
    };
    if policy == Duplicates::Reject {
        let field = |level: usize| {
            // Digits of at most 16 bits, the widest a key gives.
            let (mut value, mut taken) = (0i64, 0);
            while taken < packing.width[level] {
                let width = (packing.width[level] - taken).min(16);
                value |= (keys[first].digit(packing.shift[level] + taken, width) as i64) << taken;
                taken += width;
            }
            domains[level].lo + value
        };
        let levels: [i64; M] = core::array::from_fn(field);
        let coordinate = F::decode(shape, &levels).map_or_else(String::new, |at| format!(" {at:?}"));
        return Err(Error::new(
            ErrorKind::Duplicate,
            format!("format `{}`", F::NAME),
            None,
            format!("coordinate{coordinate} twice"),
            "each coordinate once (choose another `Duplicates` policy)",
        ));
    }
    let mut kept = 0;
    for at in 1..keys.len() {
        if keys[at] == keys[kept] {
            match policy {
                Duplicates::Sum => values[kept] = values[kept].plus(values[at]),
                Duplicates::Last => values[kept] = values[at],
                Duplicates::First | Duplicates::Reject => {}
            }
        } else {
            kept += 1;
            keys[kept] = keys[at];
            values[kept] = values[at];
        }
    }
    keys.truncate(kept + 1);
    values.truncate(kept + 1);
    Ok(())
}

/// `key` moved up by `width` bits, with `field` below.
pub(super) fn append_wide(key: WideKey, width: u32, field: u64) -> WideKey {
    let mut moved = [0; WORDS];
    for word in 0..WORDS {
        let below = key.get(word + 1).copied().unwrap_or(0);
        moved[word] = if width == 64 {
            below
        } else {
            key[word] << width | below >> (64 - width)
        };
    }
    moved[WORDS - 1] |= field;
    moved
}
