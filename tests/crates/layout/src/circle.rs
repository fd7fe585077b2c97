//! Circles in a graph of imports.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// For each module, the modules that it imports, each with the text of one such import.
pub(crate) type Imports = BTreeMap<String, BTreeMap<String, String>>;

/// A shortest circle for each module that is in one; once for circles of the same modules.
pub(crate) fn circles(imports: &Imports) -> Vec<String> {
    let mut found: BTreeMap<BTreeSet<String>, Vec<String>> = BTreeMap::new();
    for circle in imports.keys().filter_map(|from| circle(imports, from)) {
        found.entry(circle.iter().cloned().collect()).or_insert(circle);
    }
    let text = |circle: &Vec<String>| {
        let steps = circle.windows(2).map(|step| imports[&step[0]][&step[1]].as_str());
        format!("{}:\n  {}", circle.join(" -> "), steps.collect::<Vec<_>>().join("\n  "))
    };
    found.values().map(text).collect()
}

/// A shortest way from the module back to itself, if there is one.
fn circle(imports: &Imports, from: &str) -> Option<Vec<String>> {
    let mut ways = VecDeque::from([vec![from.to_owned()]]);
    let mut seen = BTreeSet::new();
    while let Some(way) = ways.pop_front() {
        for next in imports.get(way.last()?).into_iter().flat_map(BTreeMap::keys) {
            let longer: Vec<String> = way.iter().cloned().chain([next.clone()]).collect();
            if next == from {
                return Some(longer);
            }
            if seen.insert(next) {
                ways.push_back(longer);
            }
        }
    }
    None
}
