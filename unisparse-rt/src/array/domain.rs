//! The coordinates that a level can hold, and the shapes for which their sums fit.

use crate::error::{Error, ErrorKind};

/// The coordinates `lo..lo + size` that a level can hold, computed from the shape or measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Domain {
    /// The lowest coordinate.
    pub lo: i64,
    /// Number of coordinates.
    pub size: usize,
}

impl Domain {
    /// Creates the domain `lo..=hi` of level `name`, computed from the shape; empty if `hi` is below `lo`.
    ///
    /// # Errors
    /// `Overflow` if a bound is beyond ±2^62, so that sums of coordinates never leave `i64`.
    pub fn new(name: &'static str, lo: i128, hi: i128) -> Result<Self, Error> {
        Self::within(lo, hi).ok_or_else(|| {
            let found = format!("extents that give level `{name}` coordinates from {lo} to {hi}");
            too_wide("shape".to_owned(), found)
        })
    }

    /// Creates the domain `lo..=hi` of level `name`, measured from its elements; empty if `hi` is below `lo`.
    ///
    /// # Errors
    /// As [`new`](Domain::new).
    pub(crate) fn measured(name: &'static str, lo: i64, hi: i64) -> Result<Self, Error> {
        Self::within(lo.into(), hi.into())
            .ok_or_else(|| too_wide(format!("level `{name}`"), format!("coordinates from {lo} to {hi}")))
    }

    /// Creates the domain `lo..=hi`, if its bounds are within ±2^62 and its size fits `usize`.
    fn within(lo: i128, hi: i128) -> Option<Self> {
        const BOUND: i128 = 1 << 62;
        if hi < lo {
            let lo = i64::try_from(lo.clamp(-BOUND, BOUND)).ok()?;
            return Some(Domain { lo, size: 0 });
        }
        let narrow = |bound: i128| i64::try_from(bound).ok().filter(|_| (-BOUND..=BOUND).contains(&bound));
        let (lo, hi) = (narrow(lo)?, narrow(hi)?);
        let size = usize::try_from(i128::from(hi) - i128::from(lo) + 1).ok()?;
        Some(Domain { lo, size })
    }

    /// Returns all coordinates that the `idx` array of a measured level may hold; negative ones only if `signed`.
    #[must_use]
    pub const fn open(signed: bool) -> Self {
        Domain {
            lo: if signed { -(1 << 61) } else { 0 },
            size: 1 << 62,
        }
    }

    /// Returns one past the highest coordinate.
    #[inline]
    #[must_use]
    pub fn end(&self) -> i64 {
        self.lo + self.size as i64
    }

    /// Returns whether every coordinate is a valid index of a slice of this length.
    #[inline]
    #[must_use]
    pub fn is_within(&self, len: usize) -> bool {
        self.lo >= 0 && usize::try_from(self.end()).is_ok_and(|end| end <= len)
    }

    /// Returns whether the domain contains the coordinate.
    #[inline]
    #[must_use]
    pub fn contains(&self, coordinate: i64) -> bool {
        self.lo <= coordinate && coordinate < self.end()
    }
}

/// Returns a number as a coordinate, if it is one below `extent`.
#[inline]
#[must_use]
pub fn coordinate_within(number: i128, extent: usize) -> Option<usize> {
    match usize::try_from(number) {
        Ok(coordinate) if coordinate < extent => Some(coordinate),
        _ => None,
    }
}

/// Rejects shapes for which sums of coordinates could overflow `i64`. Every tensor of `format` has passed this check.
///
/// # Errors
/// `Overflow`, naming the first dim whose extent is above 2^62.
pub fn check_shape<const N: usize>(format: &str, shape: [usize; N]) -> Result<(), Error> {
    const GREATEST: u64 = 1 << 62;
    let too_large = shape.iter().position(|&extent| extent as u64 > GREATEST);
    too_large.map_or(Ok(()), |dim| {
        Err(Error::new(
            ErrorKind::Overflow,
            format!("format `{format}`"),
            None,
            format!("extent {} of dim {dim}", shape[dim]),
            format!("at most {GREATEST}"),
        ))
    })
}

#[cold]
fn too_wide(subject: String, found: String) -> Error {
    let expected = "coordinates of at most 62 bits";
    Error::new(ErrorKind::Overflow, subject, None, found, expected)
}
