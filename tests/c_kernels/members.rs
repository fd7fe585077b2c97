//! Prints the statements that read a tensor, for programs in C and in C++: both define `READ_ARRAY` and `ROOM`.

use std::fmt::Write as _;

use unisparse::__private::c::{Member, MemberKind};

/// Prints the statements that read a tensor, or the parts of one, and returns the names of the variables. `typed` returns the
/// name of a type in the program.
pub(crate) fn tensor(
    (name, kind, is_cut): (&str, &str, bool),
    members: &[Member],
    typed: fn(&str) -> String,
    text: &mut String,
) -> Vec<String> {
    let kind = typed(&format!("struct {kind}"));
    if !is_cut {
        let members: String = members.iter().map(|member| read(name, member, typed)).collect();
        let _ = write!(text, "{kind} {name};\n{members}");
        return vec![name.to_owned()];
    }
    let (parts, count) = (format!("{name}_parts"), format!("{name}_part_count"));
    let of_part = format!("{parts}[part]");
    let members: String = members.iter().map(|member| read(&of_part, member, typed)).collect();
    let _ = write!(
        text,
        "const uint64_t {count} = read_number();\n{kind} *{parts} = ROOM({kind}, {count});\n\
         for (size_t part = 0; part < {count}; part++) {{\n{members}}}\n"
    );
    vec![parts, count]
}

fn read(of: &str, member: &Member, typed: fn(&str) -> String) -> String {
    let (name, entry) = (member.name, typed(member.entry));
    match member.kind {
        MemberKind::Given | MemberKind::Size | MemberKind::Count => format!("{of}.{name} = ({entry})read_number();\n"),
        MemberKind::Pointers | MemberKind::Indices | MemberKind::Values => {
            format!("{{\nsize_t count;\n{of}.{name} = READ_ARRAY({entry}, &count);\n}}\n")
        }
        MemberKind::Entries(columns) => {
            let (mut reads, mut sets) = (String::new(), String::new());
            for Member { name, entry, .. } in columns {
                let entry = typed(entry);
                let _ = writeln!(reads, "{entry} *{name} = READ_ARRAY({entry}, &count);");
                let _ = writeln!(sets, "entries[at].{name} = {name}[at];");
            }
            format!(
                "{{\nsize_t count;\n{reads}{entry} *entries = ROOM({entry}, count);\n\
                 for (size_t at = 0; at < count; at++) {{\n{sets}}}\n{of}.{name} = entries;\n}}\n"
            )
        }
    }
}
