//! Names derived from the name of a format.

/// Returns the type name of a format's parts.
pub(crate) fn part_name(format: &str) -> String {
    format!("{}Part", format.trim_start_matches("r#"))
}
