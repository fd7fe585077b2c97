//! Prints a partitioned format: the whole tensor, which holds parts, and the format of the parts.
//!
//! A tensor is assembled and checked as if it were neither partitioned nor packed, in the type `Uncut`. Then it is cut,
//! and its packed arrays are interleaved.

mod parts;
mod whole;

use proc_macro2::{Ident, Literal, TokenStream};
use quote::quote;
use syn::Visibility;

use crate::compiler::emit::rust::docs;
use crate::compiler::emit::rust::format::pack::Member;
use crate::compiler::emit::rust::format::{Parts, cfgs};
use crate::compiler::emit::rust::print::count;
use crate::compiler::encoding::part_name;
use crate::compiler::example::Picture;
use crate::compiler::storage::{Cut, Stored};
use crate::compiler::syntax::format::FormatDecl;
use crate::compiler::transport::Runtime;

struct Partition<'a> {
    declaration: &'a FormatDecl,
    cut: usize,
    /// The number of levels down to the cut.
    depth: Literal,
    /// The tensor as it is assembled and checked.
    uncut: Parts<'a>,
    /// The tensor as it is stored: its fields down to the cut, and the parts.
    whole: Parts<'a>,
    part: Parts<'a>,
}

/// Returns the structs of the format and of its parts, and all of their implementations except kernels.
pub(super) fn print(declaration: &FormatDecl, stored: &Stored, cut: &Cut, runtime: &Runtime) -> TokenStream {
    let format = &stored.format;
    let mut whole = Parts::new(declaration, stored, &stored.whole, runtime);
    whole.picture = Picture::new(format, &stored.whole);
    let storage = stored.uncut();
    let mut uncut = Parts::new(declaration, stored, &storage, runtime);
    uncut.name = uncut
        .names
        .public(&format!("__{}Uncut", format.name.trim_start_matches("r#")));
    let mut part = Parts::new(declaration, stored, &cut.part, runtime);
    part.name = part.names.public(&part_name(&format.name));
    part.given_levels = Some(cut.part.given().count());
    let partition = Partition {
        declaration,
        cut: cut.level,
        depth: count(cut.level + 1),
        uncut,
        whole,
        part,
    };
    let (uncut, part, whole) = (partition.uncut(), partition.part(), partition.whole());
    quote!(#uncut #part #whole)
}

impl Partition<'_> {
    fn uncut(&self) -> TokenStream {
        let (uncut, declaration) = (&self.uncut, self.declaration);
        let hidden = quote!(#[doc(hidden)] #[allow(dead_code)]);
        let cfg = cfgs(declaration);
        let definition = uncut.definition(declaration, &quote!(#cfg #hidden), &Visibility::Inherited);
        let (methods, tree) = (uncut.methods(declaration), uncut.tree(declaration));
        let (whole, part) = (self.whole.paddings(), self.part.paddings());
        let (source, tensor) = (
            uncut.source(declaration),
            uncut.tensor(declaration, &quote!(#whole #part), &self.tallied()),
        );
        quote!(#definition #methods #tree #source #tensor)
    }

    /// Returns the corrections that cutting and packing make to the estimate.
    fn tallied(&self) -> TokenStream {
        let (depth, private) = (&self.depth, &self.part.private);
        let (part, given, dims, levels) = (&self.part.name, &self.part.given, &self.part.dims, &self.part.levels);
        let (whole, below) = (self.whole.tallied(), self.part.tallied());
        quote!(.cut(#depth, &<#part<T, #given> as #private::Tree<#dims, #levels>>::LEVELS) #whole #below)
    }

    fn part(&self) -> TokenStream {
        let (part, declaration) = (&self.part, self.declaration);
        let (cfg, name) = (cfgs(declaration), &declaration.name);
        let text = format!(
            "One part of a [`{name}`]: the subtree below one node of level `{}`.\n\nA kernel over a part computes what the part contributes to the output.\n\n{}",
            part.format.levels[self.cut].name,
            docs::format(part.format, part.storage, None)
        );
        let definition = part.definition(declaration, &quote!(#cfg #[doc = #text]), &declaration.visibility);
        let (methods, tree, source) = (
            part.methods(declaration),
            part.tree(declaration),
            part.source(declaration),
        );
        let (upload, serial, words) = (
            part.upload(declaration),
            part.serial(declaration),
            part.words(declaration),
        );
        quote!(#definition #methods #tree #source #upload #serial #words)
    }

    /// Returns the fields of the levels down to the cut.
    fn upper(&self) -> Vec<Member<'_>> {
        let stays = |member: &Member<'_>| match member {
            Member::Level(field) => field.level <= self.cut,
            Member::TupleArray(_) => true,
            Member::Values => false,
        };
        let mut members = self.whole.members();
        members.retain(stays);
        members
    }

    fn upper_names(&self) -> Vec<Ident> {
        self.upper().iter().map(|member| self.whole.member(member)).collect()
    }
}
