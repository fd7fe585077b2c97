//! Names that follow from that of a format.

/// The name of the parts of a format.
pub(crate) fn part_name(format: &str) -> String {
    format!("{}Part", format.trim_start_matches("r#"))
}
