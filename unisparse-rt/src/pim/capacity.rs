//! How many cores a graph needs that is larger than any that could be run here.

use super::device::Device;

/// The fewest cores whose banks hold a matrix that is cut into equal tiles.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Capacity {
    /// The number of cores: one for each tile.
    pub cores: u64,
    /// The pieces into which the rows are cut.
    pub row_pieces: u64,
    /// The pieces into which the columns are cut.
    pub column_pieces: u64,
    /// The bytes of a bank that arrays take.
    pub bank_bytes: u64,
}

/// Returns the fewest cores whose banks hold a square matrix of `rows` rows with `elements` elements, or `None` if no number
/// does, among grids of tiles with at most 2²⁴ columns of tiles. Each core has a tile in compressed rows, with `index_bytes` for a coordinate or a pointer and `value_bytes` for a value,
/// and the pieces of `x` and `y` that the tile needs. It is assumed that tiles have equally many elements.
///
/// `O(rows * value_bytes / bank)` steps, at most 2²⁴.
#[must_use]
pub fn capacity(device: &Device, rows: u64, elements: u64, index_bytes: u64, value_bytes: u64) -> Option<Capacity> {
    const MOST: u64 = 1 << 24;
    let of_element = u128::from(index_bytes) + u128::from(value_bytes);
    let bytes = |row_pieces: u64, column_pieces: u64| {
        let tiles = u128::from(row_pieces) * u128::from(column_pieces);
        let own_rows = u128::from(rows.div_ceil(row_pieces));
        // Elements, pointers, `y` and `x`.
        let own_elements = u128::from(elements).div_ceil(tiles);
        [
            own_elements.saturating_mul(of_element),
            (own_rows + 1) * u128::from(index_bytes),
            own_rows * u128::from(value_bytes),
            u128::from(rows.div_ceil(column_pieces)) * u128::from(value_bytes),
        ]
        .into_iter()
        .fold(0, u128::saturating_add)
    };
    let fits = |row_pieces, column_pieces| bytes(row_pieces, column_pieces) <= u128::from(device.bank_bytes);
    let mut best: Option<Capacity> = None;
    for column_pieces in 1..=rows.clamp(1, MOST) {
        // More column pieces than the cores found so far cannot be fewer cores.
        if best.is_some_and(|best| column_pieces >= best.cores) {
            break;
        }
        // The number of cores fits into `u64`.
        let most = best.map_or(u64::MAX, |best| best.cores - 1) / column_pieces;
        let most = most.min(rows.max(1));
        if most == 0 || !fits(most, column_pieces) {
            continue;
        }
        let (mut low, mut high) = (1, most);
        while low < high {
            let middle = low + (high - low) / 2;
            if fits(middle, column_pieces) {
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        best = Some(Capacity {
            cores: low * column_pieces,
            row_pieces: low,
            column_pieces,
            bank_bytes: bytes(low, column_pieces) as u64,
        });
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_fewest_tiles_are_found() {
        for (rows, elements, bank_bytes) in [(20, 100, 200), (20, 100, 120), (7, 3, 64), (30, 500, 300), (5, 5, 8)] {
            let device = Device {
                bank_bytes,
                ..Device::blimp(1)
            };
            let fits = |r: u64, c: u64| {
                let (own, cols) = (rows / r + u64::from(rows % r > 0), rows / c + u64::from(rows % c > 0));
                let own_elements = elements / (r * c) + u64::from(elements % (r * c) > 0);
                8 * own_elements + 4 * (own + 1) + 4 * own + 4 * cols <= bank_bytes
            };
            let pairs = (1..=rows).flat_map(|r| (1..=rows).map(move |c| (r, c)));
            let fewest = pairs.filter(|&(r, c)| fits(r, c)).map(|(r, c)| r * c).min();
            let found = capacity(&device, rows, elements, 4, 4);
            assert_eq!(found.map(|found| found.cores), fewest, "{rows} {elements} {bank_bytes}");
            assert!(found.is_none_or(|found| fits(found.row_pieces, found.column_pieces)));
        }
    }

    #[test]
    fn numbers_at_the_limits_do_not_overflow() {
        assert_eq!(
            capacity(&Device::blimp(1), 0, 0, 4, 4).map(|found| found.cores),
            Some(1)
        );
        // Each row would need a bank of its own, and each element, too.
        assert_eq!(
            capacity(
                &Device {
                    bank_bytes: 1,
                    ..Device::blimp(1)
                },
                9,
                9,
                4,
                4
            ),
            None
        );
        // Three pieces of the columns leave room for one row only, and 3 * 2^63 cores are no number; six leave room for a sixth.
        let rows: u64 = 1 << 63;
        let device = Device {
            bank_bytes: rows.div_ceil(3) + 1,
            ..Device::blimp(1)
        };
        assert_eq!(capacity(&device, rows, 0, 0, 1).map(|found| found.cores), Some(36));
        assert_eq!(capacity(&device, 1, u64::MAX, u64::MAX, u64::MAX), None);
    }

    /// The study of docs/PIM.md.
    #[test]
    fn a_graph_of_a_hundred_billion_edges() {
        for (device, cores) in [(Device::blimp(1), 157_850), (Device::upmem(1), 49_419)] {
            let found = capacity(&device, 1_000_000_000, 100_000_000_000, 4, 4).unwrap();
            assert_eq!(found.cores, cores, "{found:?}");
        }
    }
}
