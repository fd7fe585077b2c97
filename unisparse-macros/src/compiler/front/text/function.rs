//! Prints a C function as a value, with a description of its parameters.

use proc_macro2::TokenStream;
use quote::quote;

use crate::compiler::emit::c::{Function, Member, MemberKind, Parameter, ParameterKind};
use crate::compiler::emit::cuda::{Allocation, Count, Kernels, Terms, When, Work};
#[cfg(feature = "hls")]
use crate::compiler::emit::hls::{Design, Port, Trips, TripsOf};
use crate::compiler::emit::rust::print::count;

/// Returns the function as a value of the run time.
pub(super) fn value(function: &Function, c: &TokenStream) -> TokenStream {
    let Function {
        name, prelude, text, ..
    } = function;
    let parameters = function.parameters.iter().map(|parameter| of_parameter(parameter, c));
    quote!(#c::Function { name: #name, prelude: #prelude, text: #text, parameters: &[#(#parameters),*] })
}

/// Returns the kernels of a device as a value of the run time.
pub(in crate::compiler::front) fn device(kernels: &Kernels, c: &TokenStream) -> TokenStream {
    let Kernels {
        name, prelude, text, ..
    } = kernels;
    let parameters = kernels.parameters.iter().map(|parameter| of_parameter(parameter, c));
    let launches = kernels.launches.iter().map(|launch| {
        let (kernel, has_lanes, leaves_carries) = (&launch.kernel, launch.has_lanes, launch.leaves_carries);
        let work = match launch.work {
            Work::Divided => quote!(Divided),
            Work::Whole => quote!(Whole),
            Work::Block => quote!(Block),
        };
        let [positions, divided] = [&launch.positions, &launch.divided].map(|count| of_count(count, c));
        let terms = of_terms(&launch.terms, c);
        let when = match launch.when {
            When::Always => quote!(Always),
            When::Even => quote!(Even),
            When::Skewed => quote!(Skewed),
        };
        let allocates = match launch.allocates {
            None => quote!(None),
            Some(Allocation::Tables) => quote!(Some(#c::Allocation::Tables)),
            Some(Allocation::Elements) => quote!(Some(#c::Allocation::Elements)),
        };
        quote! {
            #c::Launch {
                kernel: #kernel,
                work: #c::Work::#work,
                has_lanes: #has_lanes,
                positions: #positions,
                terms: #terms,
                when: #c::When::#when,
                divided: #divided,
                leaves_carries: #leaves_carries,
                allocates: #allocates,
            }
        }
    });
    quote! {
        #c::Kernels {
            name: #name,
            prelude: #prelude,
            text: #text,
            parameters: &[#(#parameters),*],
            launches: &[#(#launches),*],
        }
    }
}

/// Returns a function for high-level synthesis as a value of the run time.
#[cfg(feature = "hls")]
pub(in crate::compiler::front) fn design(design: &Design, runtime: &TokenStream) -> TokenStream {
    let (c, hls) = (quote!(#runtime::__private::c), quote!(#runtime::__private::hls));
    let Design {
        name,
        about,
        structs,
        text,
        ..
    } = design;
    let parameters = design.parameters.iter().map(|parameter| of_parameter(parameter, &c));
    let ports = design.ports.iter().map(|port| {
        let Port {
            name,
            kind,
            is_array,
            is_written,
            ..
        } = port;
        quote!(#hls::Port { name: #name, kind: #kind, is_array: #is_array, is_written: #is_written })
    });
    let trips = design.trips.iter().map(|Trips { name, of, step }| {
        let (of, step) = (of_trips(*of, &hls), count(*step));
        quote!(#hls::Trips { name: #name, of: #of, step: #step })
    });
    quote! {
        #hls::Function {
            name: #name,
            about: #about,
            structs: #structs,
            text: #text,
            parameters: &[#(#parameters),*],
            ports: &[#(#ports),*],
            trips: &[#(#trips),*],
        }
    }
}

#[cfg(feature = "hls")]
fn of_trips(of: TripsOf, hls: &TokenStream) -> TokenStream {
    match of {
        TripsOf::Extent(parameter) => {
            let parameter = count(parameter);
            quote!(#hls::TripsOf::Extent(#parameter))
        }
        TripsOf::Size { parameter, level } => {
            let (parameter, level) = (count(parameter), count(level));
            quote!(#hls::TripsOf::Size { parameter: #parameter, level: #level })
        }
        TripsOf::Entries { parameter, level } => {
            let (parameter, level) = (count(parameter), count(level));
            quote!(#hls::TripsOf::Entries { parameter: #parameter, level: #level })
        }
    }
}

fn of_terms(terms: &Terms, c: &TokenStream) -> TokenStream {
    let (kind, count) = match terms {
        Terms::Unknown => return quote!(#c::Terms::Unknown),
        Terms::Summed(count) => (quote!(Summed), count),
        Terms::Tiled(count) => (quote!(Tiled), count),
        Terms::Each(count) => (quote!(Each), count),
    };
    let count = of_count(count, c);
    quote!(#c::Terms::#kind(#count))
}

fn of_count(written: &Count, c: &TokenStream) -> TokenStream {
    let of_both = |both: &[Count; 2]| {
        let [left, right] = both.each_ref().map(|count| of_count(count, c));
        quote!((&[#left, #right]))
    };
    let kind = match written {
        Count::Unknown => quote!(Unknown),
        Count::Number(number) => quote!(Number(#number)),
        Count::Parameter(number) => {
            let number = count(*number);
            quote!(Parameter(#number))
        }
        Count::Size { parameter, level } => {
            let (parameter, level) = (count(*parameter), count(*level));
            quote!(Size { parameter: #parameter, level: #level })
        }
        Count::Entries { parameter, level } => {
            let (parameter, level) = (count(*parameter), count(*level));
            quote!(Entries { parameter: #parameter, level: #level })
        }
        Count::Plus(both) => {
            let both = of_both(both);
            quote!(Plus #both)
        }
        Count::Minus(both) => {
            let both = of_both(both);
            quote!(Minus #both)
        }
        Count::Times(both) => {
            let both = of_both(both);
            quote!(Times #both)
        }
        Count::Floor(both) => {
            let both = of_both(both);
            quote!(Floor #both)
        }
        Count::Ceil(both) => {
            let both = of_both(both);
            quote!(Ceil #both)
        }
    };
    quote!(#c::Count::#kind)
}

fn of_parameter(parameter: &Parameter, c: &TokenStream) -> TokenStream {
    let name = &parameter.name;
    let kind = match &parameter.kind {
        ParameterKind::Dense => quote!(Dense),
        ParameterKind::Scalar => quote!(Scalar),
        ParameterKind::Output { scattered } => quote!(Output { scattered: #scattered }),
        ParameterKind::Tensor { kind, is_cut, members } => {
            let members = members.iter().map(|member| of_member(member, c));
            quote!(Tensor { kind: #kind, is_cut: #is_cut, members: &[#(#members),*] })
        }
        ParameterKind::Extent => quote!(Extent),
        ParameterKind::Constant => quote!(Constant),
        ParameterKind::Partials => quote!(Partials),
        ParameterKind::Count => quote!(Count),
        ParameterKind::Carries => quote!(Carries),
        ParameterKind::Workers => quote!(Workers),
        ParameterKind::Starts => quote!(Starts),
        ParameterKind::Keys => quote!(Keys),
        ParameterKind::Sums => quote!(Sums),
    };
    quote!(#c::Parameter { name: #name, kind: #c::ParameterKind::#kind })
}

fn of_member(member: &Member, c: &TokenStream) -> TokenStream {
    let Member { name, entry, .. } = member;
    let level = count(member.level);
    let kind = match &member.kind {
        MemberKind::Given => quote!(Given),
        MemberKind::Size => quote!(Size),
        MemberKind::Count => quote!(Count),
        MemberKind::Pointers => quote!(Pointers),
        MemberKind::Indices => quote!(Indices),
        MemberKind::Values => quote!(Values),
        MemberKind::Entries(columns) => {
            let columns = columns.iter().map(|column| of_member(column, c));
            quote!(Entries(&[#(#columns),*]))
        }
    };
    quote!(#c::Member { name: #name, level: #level, entry: #entry, kind: #c::MemberKind::#kind })
}
