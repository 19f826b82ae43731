//! `#[derive(ToKey)]`: a type whose fields, in their order, are the components of a key.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{format_ident, quote};
use syn::{Data, DeriveInput, Fields, Path, parse_quote};

use crate::faults::Faults;

/// The derived impl, or what is wrong.
pub(crate) fn expand(input: TokenStream) -> TokenStream {
    let input: DeriveInput = match syn::parse2(input) {
        Ok(input) => input,
        Err(error) => return error.to_compile_error(),
    };
    let mut faults = Faults::default();
    let library = library(&input, &mut faults);
    let arms: Vec<TokenStream> = match &input.data {
        Data::Struct(data) => vec![arm(&library, &quote!(Self), None, &data.fields)],
        Data::Enum(data) => data
            .variants
            .iter()
            .map(|variant| {
                let name = &variant.ident;
                arm(&library, &quote!(Self::#name), Some(name), &variant.fields)
            })
            .collect(),
        Data::Union(data) => {
            let message = "a union does not say which of its fields is the key; derive `ToKey` for a struct or an enum";
            faults.add(data.union_token, message);
            Vec::new()
        }
    };
    if !faults.is_empty() {
        return quote!(#faults);
    }
    implementation(input, &library, &arms)
}

fn implementation(input: DeriveInput, library: &Path, arms: &[TokenStream]) -> TokenStream {
    let name = input.ident;
    let mut generics = input.generics;
    for parameter in generics.type_params_mut() {
        parameter.bounds.push(parse_quote!(#library::key::ToKey));
    }
    let (impl_generics, type_generics, where_clause) = generics.split_for_impl();
    let sink = Ident::new("__sink", Span::mixed_site());
    // An enum without variants has no value to match.
    let value = if arms.is_empty() { quote!(*self) } else { quote!(self) };
    quote! {
        #[automatically_derived]
        impl #impl_generics #library::key::ToKey for #name #type_generics #where_clause {
            fn write_key<__S: #library::key::KeySink>(&self, #sink: &mut __S) {
                let _ = &#sink;
                match #value { #(#arms)* }
            }
        }
    }
}

/// One variant, or the only form of a struct: its name, then its fields.
fn arm(
    library: &Path,
    path: &TokenStream,
    variant: Option<&Ident>,
    fields: &Fields,
) -> TokenStream {
    let sink = Ident::new("__sink", Span::mixed_site());
    let bound: Vec<Ident> = (0..fields.len())
        .map(|position| format_ident!("__field_{position}", span = Span::mixed_site()))
        .collect();
    let pattern = match fields {
        Fields::Named(fields) => {
            let names = fields.named.iter().map(|field| &field.ident);
            quote!({ #(#names: #bound),* })
        }
        Fields::Unnamed(_) => quote!((#(#bound),*)),
        Fields::Unit => TokenStream::new(),
    };
    let variant = variant.map(|name| {
        let name = name.to_string();
        quote!(#library::key::KeySink::variant(#sink, #name);)
    });
    quote! {
        #path #pattern => {
            #variant
            #(#library::key::ToKey::write_key(#bound, #sink);)*
        }
    }
}

/// What the library is called: `::tollgate`, unless `#[to_key(crate = path)]` says otherwise.
fn library(input: &DeriveInput, faults: &mut Faults) -> Path {
    let mut library = parse_quote!(::tollgate);
    for attribute in input.attrs.iter().filter(|attribute| attribute.path().is_ident("to_key")) {
        let parsed = attribute.parse_nested_meta(|meta| {
            if meta.path.is_ident("crate") {
                library = meta.value()?.parse()?;
                return Ok(());
            }
            Err(meta.error("unknown argument; `to_key` takes `crate = path`, what the dependency is called here"))
        });
        faults.extend(parsed.err());
    }
    library
}

#[cfg(test)]
mod tests {
    use super::*;

    fn expanded(input: TokenStream) -> String {
        expand(input).to_string()
    }

    #[test]
    fn fields_are_written_in_their_order_and_a_variant_before_its_fields() {
        let text = expanded(quote! { enum Caller { User { tenant: u32, id: u64 }, Guest } });
        let places: Vec<_> =
            ["variant (__sink , \"User\")", "tenant : __field_0", "id : __field_1"]
                .iter()
                .map(|part| text.find(part))
                .collect();
        assert!(places.iter().all(Option::is_some), "{text}");
        let written = |field: &str| text.find(&format!("write_key ({field} , __sink)"));
        assert!(written("__field_0") < written("__field_1"), "{text}");
        assert!(text.contains("\"Guest\""));
    }

    #[test]
    fn what_is_wrong_is_said() {
        let union = expanded(quote! { union U { a: u8 } });
        assert!(union.contains("a union does not say which of its fields"), "{union}");
        let argument = expanded(quote! { #[to_key(skip)] struct S; });
        assert!(argument.contains("`to_key` takes `crate = path`"), "{argument}");
    }

    #[test]
    fn a_renamed_dependency_is_named() {
        let text = expanded(quote! { #[to_key(crate = limits)] struct S<T>(T); });
        assert!(
            text.contains("impl < T : limits :: key :: ToKey > limits :: key :: ToKey for S < T >"),
            "{text}"
        );
        assert!(!text.contains("tollgate"), "{text}");
    }
}
