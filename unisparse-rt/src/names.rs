//! Names of types, as messages show them.

use core::any::type_name;

/// The name of a type without the paths of its modules: `Narrow<f16, f32>`.
#[must_use]
pub fn short_type_name<T: ?Sized>() -> String {
    let name = type_name::<T>();
    let mut short = String::with_capacity(name.len());
    let mut start = 0;
    for (at, separator) in name.match_indices(|c: char| !(c.is_alphanumeric() || c == '_' || c == ':')) {
        short += last_segment(&name[start..at]);
        short += separator;
        start = at + separator.len();
    }
    short + last_segment(&name[start..])
}

fn last_segment(path: &str) -> &str {
    path.rsplit("::").next().unwrap_or(path)
}

#[cfg(test)]
mod tests {
    use super::short_type_name;

    #[test]
    fn paths_of_modules_are_left_out() {
        assert_eq!(short_type_name::<f64>(), "f64");
        assert_eq!(
            short_type_name::<crate::element::Narrow<f32, f64>>(),
            "Narrow<f32, f64>"
        );
        assert_eq!(
            short_type_name::<(Vec<&str>, [crate::error::Error; 2])>(),
            "(Vec<&str>, [Error; 2])"
        );
    }
}
