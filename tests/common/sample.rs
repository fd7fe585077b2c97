//! Samples of what takes a second or more for each item, mostly in a compiler of C++.

/// Returns the items from `first` on that are `every` apart, and all of them with `RUSTFLAGS="--cfg every_product"`.
pub fn sample<T>(items: impl IntoIterator<Item = T>, first: usize, every: usize) -> Vec<T> {
    let (first, every) = if cfg!(every_product) { (0, 1) } else { (first, every) };
    items.into_iter().skip(first).step_by(every).collect()
}

/// As [`sample`], of items with a key: all items of every sampled key.
pub fn sample_by<T, K: PartialEq>(items: Vec<T>, first: usize, every: usize, key: impl Fn(&T) -> K) -> Vec<T> {
    let mut keys = Vec::new();
    for item in &items {
        if !keys.contains(&key(item)) {
            keys.push(key(item));
        }
    }
    let keys = sample(keys, first, every);
    items.into_iter().filter(|item| keys.contains(&key(item))).collect()
}
