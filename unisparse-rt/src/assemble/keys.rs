//! Elements as packed keys: gathered from a source, sorted, duplicates resolved.

use crate::level::{Domain, Kind, Tree};
use crate::radix::{self, WORDS, WideKey};
use crate::{Duplicates, Error, ErrorKind, Scalar, Source, parallel};

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
            if !kinds(level).is_determined() {
                packing.width[level] = usize::BITS - domains[level].size.saturating_sub(1).leading_zeros();
            }
            packing.bits += packing.width[level];
        }
        packing
    }

    /// The key of these level coordinates.
    #[inline]
    fn pack<K: radix::Key>(&self, domains: &[Domain; M], levels: &[i64; M]) -> K {
        let mut key = K::ZERO;
        for ((&width, domain), &coordinate) in self.width.iter().zip(domains).zip(levels) {
            if width > 0 {
                debug_assert!(domain.contains(coordinate));
                key = key.append(width, (coordinate - domain.lo) as u64);
            }
        }
        key
    }

    /// Whether a word holds a key of `format`.
    pub(super) fn is_narrow(&self, format: &str) -> Result<bool, Error> {
        if self.bits <= u64::BITS * WORDS as u32 {
            return Ok(self.bits <= u64::BITS);
        }
        Err(Error::new(
            ErrorKind::Overflow,
            format!("format `{format}`"),
            None,
            format!("{} bits of coordinates", self.bits),
            format!("at most {}", u64::BITS as usize * WORDS),
        ))
    }
}

/// The keys of all elements.
pub(super) enum Keys {
    Narrow(Vec<u64>),
    Wide(Vec<WideKey>),
}

impl From<Vec<u64>> for Keys {
    fn from(keys: Vec<u64>) -> Self {
        Keys::Narrow(keys)
    }
}

impl From<Vec<WideKey>> for Keys {
    fn from(keys: Vec<WideKey>) -> Self {
        Keys::Wide(keys)
    }
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

/// Keys in the making.
struct Packer<'a, K, const M: usize> {
    domains: &'a [Domain; M],
    packing: &'a Packing<M>,
    keys: Vec<K>,
    /// Whether they came in ascending order so far.
    sorted: bool,
    last: K,
}

impl<'a, K: radix::Key, const M: usize> Packer<'a, K, M> {
    fn new(domains: &'a [Domain; M], packing: &'a Packing<M>, count: usize) -> Self {
        Packer {
            domains,
            packing,
            keys: Vec::with_capacity(count),
            sorted: true,
            last: K::ZERO,
        }
    }

    #[inline]
    fn push(&mut self, levels: [i64; M]) {
        let key = self.packing.pack(self.domains, &levels);
        self.sorted &= self.last <= key;
        self.last = key;
        self.keys.push(key);
    }

    /// The keys in order, and `items`, one for each, moved along.
    fn finish<V: Copy + Send + Sync>(mut self, items: &mut Vec<V>) -> Vec<K> {
        if !self.sorted {
            radix::sort(&mut self.keys, items, self.packing.bits);
        }
        self.keys
    }
}

/// Visits the source once: the packed key and value of each element, sorted, duplicates resolved.
pub(super) fn gather<F, S, K, const N: usize, const M: usize>(
    source: &S,
    domains: &[Domain; M],
    packing: &Packing<M>,
) -> Result<(Keys, Vec<F::Scalar>), Error>
where
    F: Tree<N, M>,
    S: Source<N, Scalar = F::Scalar>,
    K: radix::Key,
    Keys: From<Vec<K>>,
{
    let mut packer = Packer::<K, M>::new(domains, packing, source.count());
    let mut values = Vec::with_capacity(source.count());
    source.for_each(|coordinate, value| {
        packer.push(F::encode(coordinate, &[]));
        values.push(value);
    });
    let mut keys = packer.finish(&mut values);
    resolve_duplicates::<F, K, N, M>(
        source.duplicates(),
        domains,
        packing,
        &mut keys,
        &mut values,
        source.shape(),
    )?;
    Ok((keys.into(), values))
}

/// The packed keys of `count` elements with these level coordinates, sorted, and which element each is of.
pub(super) fn arrange<K: radix::Key, const M: usize>(
    count: usize,
    levels: impl Fn(usize) -> [i64; M] + Sync,
    domains: &[Domain; M],
    packing: &Packing<M>,
) -> (Keys, Vec<usize>)
where
    Keys: From<Vec<K>>,
{
    let mut order = parallel::map(count, |element| element);
    let mut keys: Vec<K> = parallel::map(count, |element| packing.pack(domains, &levels(element)));
    if !parallel::all(count.saturating_sub(1), |element| keys[element] <= keys[element + 1]) {
        radix::sort(&mut keys, &mut order, packing.bits);
    }
    (keys.into(), order)
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
