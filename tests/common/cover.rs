//! Combinations of formats that stand for all of them.

/// Fails unless combinations of formats have every format in every place. Each of `some` lists formats for each place, which are all
/// combined.
pub fn covered(what: &str, every: &[&[&str]], some: &[&[&[&str]]]) {
    for lists in some {
        for (place, list) in lists.iter().enumerate() {
            let strange = list.iter().find(|format| !every[place].contains(format));
            assert_eq!(strange, None, "not in place {place} of {what}");
        }
    }
    for (place, formats) in every.iter().enumerate() {
        for format in *formats {
            let is_listed = some.iter().any(|lists| lists[place].contains(format));
            assert!(is_listed, "`{format}` is never in place {place} of {what}");
        }
    }
}

/// As [`covered`], and fails unless combinations have every two kinds of formats in every two places. A name is that of a format, maybe
/// with arguments.
pub fn covered_by_kinds(what: &str, kinds: &[&[&str]], every: &[&[&str]], some: &[&[&[&str]]]) {
    covered(what, every, some);
    let kind = |format: &str| {
        let name = format.split('<').next().unwrap_or_default().trim_end();
        let kind = kinds.iter().position(|kind| kind.contains(&name));
        kind.unwrap_or_else(|| panic!("`{format}` is of no kind"))
    };
    let has_kind = |list: &[&str], format: &str| list.iter().any(|listed| kind(listed) == kind(format));
    for (place, formats) in every.iter().enumerate() {
        for (other, others) in every.iter().enumerate().skip(place + 1) {
            for (first, second) in formats
                .iter()
                .flat_map(|first| others.iter().map(move |second| (first, second)))
            {
                assert!(
                    some.iter()
                        .any(|lists| has_kind(lists[place], first) && has_kind(lists[other], second)),
                    "places {place} and {other} of {what} are never of the kinds of `{first}` and `{second}`"
                );
            }
        }
    }
}
