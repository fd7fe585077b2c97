//! A limit on the bytes of an assembled tensor, to catch excessive padding.

use crate::error::{Error, ErrorKind};

/// The maximum number of bytes that the storage of a tensor may take.
///
/// Formats with dense levels below trimmed ones store holes, and on an unsuited matrix almost nothing else: `bcsstk13` in
/// `Dia` is 29 times as large as in `Csr`. The default limit refuses such storage before anything is allocated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Limit(Option<u128>);

impl Limit {
    /// Allows at most this many bytes.
    #[must_use]
    pub const fn bytes(bytes: u128) -> Self {
        Limit(Some(bytes))
    }

    /// Sets no limit but the machine's.
    #[must_use]
    pub const fn none() -> Self {
        Limit(Some(u128::MAX))
    }

    /// Returns the bytes allowed for `count` elements of `width` bytes in a box of this shape: the number set, or by default
    /// the sum of 4 MiB, eight times the coordinate form with `u32` indices, and 16 bytes for each coordinate of each dim
    /// (up to 1 GiB), which a dense vector along the dim takes anyway.
    #[must_use]
    pub fn allowed(self, count: usize, width: usize, shape: &[usize]) -> u128 {
        const FLOOR: u128 = 4 << 20;
        const CEILING_OF_VECTORS: u128 = 1 << 30;
        self.0.unwrap_or_else(|| {
            let coordinates = 8 * count as u128 * (width + 4 * shape.len()) as u128;
            let vectors = shape.iter().map(|&extent| 16 * extent as u128).sum::<u128>();
            FLOOR + coordinates + vectors.min(CEILING_OF_VECTORS)
        })
    }

    /// Returns the limit that is left after `bytes`. The default applies to each tensor separately.
    pub(crate) fn after(self, bytes: u128) -> Self {
        Limit(self.0.map(|limit| limit.saturating_sub(bytes)))
    }

    /// Checks that `bytes` are within `allowed`.
    ///
    /// # Errors
    /// `Limit`, naming the format and both numbers.
    pub(crate) fn check(format: &str, bytes: u128, allowed: u128) -> Result<(), Error> {
        if bytes <= allowed {
            return Ok(());
        }
        Err(Error::new(
            ErrorKind::Limit,
            format!("format `{format}`"),
            None,
            format!("storage of at least {bytes} bytes"),
            format!("at most {allowed} (pass a larger `Limit` to `convert_within` if this is wanted)"),
        ))
    }
}
