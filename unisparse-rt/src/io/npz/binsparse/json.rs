//! Reads the text of a descriptor.

use core::ops::Index;
use core::str::Chars;

/// The maximum depth of lists and objects.
const DEEPEST: usize = 64;

/// A value of JSON. Numbers are kept as their text.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Json {
    Null,
    Bool(bool),
    Number(String),
    Text(String),
    List(Vec<Json>),
    Object(Vec<(String, Json)>),
}

impl Index<&str> for Json {
    type Output = Json;

    /// Returns a member of an object, `Null` if there is none. Of several with one name, the last counts.
    fn index(&self, name: &str) -> &Json {
        let Json::Object(members) = self else {
            return &Json::Null;
        };
        let member = members.iter().rev().find(|(found, _)| found == name);
        member.map_or(&Json::Null, |(_, value)| value)
    }
}

impl Json {
    /// Reads a text; `None` if it is not JSON.
    pub(super) fn parse(text: &str) -> Option<Json> {
        let mut left = text.chars();
        let value = value(&mut left, 0)?;
        left.as_str().trim().is_empty().then_some(value)
    }

    pub(super) fn text(&self) -> Option<&str> {
        match self {
            Json::Text(text) => Some(text),
            _ => None,
        }
    }

    pub(super) fn list(&self) -> Option<&[Json]> {
        match self {
            Json::List(list) => Some(list),
            _ => None,
        }
    }

    /// Returns a count, if it is one.
    pub(super) fn count(&self) -> Option<usize> {
        match self {
            Json::Number(number) => number.parse().ok(),
            _ => None,
        }
    }
}

fn skip(left: &mut Chars<'_>, word: &str) -> Option<()> {
    *left = left.as_str().strip_prefix(word)?.chars();
    Some(())
}

fn skip_blanks(left: &mut Chars<'_>) {
    *left = left.as_str().trim_start_matches([' ', '\t', '\n', '\r']).chars();
}

fn value(left: &mut Chars<'_>, depth: usize) -> Option<Json> {
    skip_blanks(left);
    match left.as_str().chars().next()? {
        '{' if depth < DEEPEST => {
            let member = |left: &mut Chars<'_>| {
                skip_blanks(left);
                let name = text(left)?;
                skip_blanks(left);
                skip(left, ":")?;
                Some((name, value(left, depth + 1)?))
            };
            items(left, '}', member).map(Json::Object)
        }
        '[' if depth < DEEPEST => items(left, ']', |left| value(left, depth + 1)).map(Json::List),
        '"' => text(left).map(Json::Text),
        't' => skip(left, "true").map(|()| Json::Bool(true)),
        'f' => skip(left, "false").map(|()| Json::Bool(false)),
        'n' => skip(left, "null").map(|()| Json::Null),
        _ => {
            let is_other = |point: char| !matches!(point, '0'..='9' | '+' | '-' | '.' | 'e' | 'E');
            let all = left.as_str();
            let number = &all[..all.find(is_other).unwrap_or(all.len())];
            number.parse::<f64>().ok()?;
            skip(left, number)?;
            Some(Json::Number(number.to_owned()))
        }
    }
}

/// Reads the items between the next character and `end`, with commas between them.
fn items<T>(left: &mut Chars<'_>, end: char, item: impl Fn(&mut Chars<'_>) -> Option<T>) -> Option<Vec<T>> {
    left.next()?;
    let mut all = Vec::new();
    skip_blanks(left);
    if left.as_str().starts_with(end) {
        left.next();
        return Some(all);
    }
    loop {
        all.push(item(left)?);
        skip_blanks(left);
        match left.next()? {
            ',' => {}
            found if found == end => return Some(all),
            _ => return None,
        }
    }
}

fn text(left: &mut Chars<'_>) -> Option<String> {
    skip(left, "\"")?;
    let mut text = String::new();
    loop {
        text.push(match left.next()? {
            '"' => return Some(text),
            '\\' => match left.next()? {
                'n' => '\n',
                't' => '\t',
                'r' => '\r',
                'b' => '\u{8}',
                'f' => '\u{c}',
                'u' => escaped(left)?,
                found @ ('"' | '\\' | '/') => found,
                _ => return None,
            },
            point => point,
        });
    }
}

/// Reads the digits of `\uD83D\uDE00`, after the first `\u`.
fn escaped(left: &mut Chars<'_>) -> Option<char> {
    let unit = |left: &mut Chars<'_>| {
        let digits: String = left.take(4).collect();
        (digits.len() == 4)
            .then(|| u16::from_str_radix(&digits, 16).ok())
            .flatten()
    };
    let first = unit(left)?;
    let units = if (0xd800..0xdc00).contains(&first) {
        skip(left, "\\u")?;
        vec![first, unit(left)?]
    } else {
        vec![first]
    };
    char::decode_utf16(units).next()?.ok()
}

#[cfg(test)]
mod tests {
    use super::Json;

    #[test]
    fn texts_are_read_or_refused() {
        let all =
            Json::parse(r#" {"a": [1, -2.5e3, true, null], "b": {"c": "\u00e4\ud83d\ude00\"\n"}, "a": []} "#).unwrap();
        assert_eq!(all["a"], Json::List(Vec::new()));
        assert_eq!(all["b"]["c"].text(), Some("ä😀\"\n"));
        assert_eq!((&all["d"]["e"], all["b"].count()), (&Json::Null, None));
        assert_eq!(Json::parse("18446744073709551615").unwrap().count(), Some(usize::MAX));
        assert_eq!(Json::parse("1.5").unwrap().count(), None);
        for wrong in [
            "",
            "{",
            "[1,]",
            "[1 2]",
            "{\"a\" 1}",
            "\"a",
            "\"\\ud800\"",
            "\"\\x\"",
            "tru",
            "1 2",
            "-",
            "[1}",
        ] {
            assert_eq!(Json::parse(wrong), None, "{wrong}");
        }
        assert_eq!(Json::parse(&"[".repeat(1 << 20)), None);
    }
}
