//! `#[derive(ToKey)]`: a type whose fields, in their order, are the components of a key.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{format_ident, quote, quote_spanned};
use syn::spanned::Spanned as _;
use syn::{Attribute, Data, DeriveInput, Error, Field, Fields, LitStr, Path, parse_quote};

use crate::faults::Faults;

/// The derived impl, with what is wrong.
pub(crate) fn expand(input: TokenStream) -> TokenStream {
    let input: DeriveInput = match syn::parse2(input) {
        Ok(input) => input,
        Err(error) => return error.to_compile_error(),
    };
    let mut faults = Faults::default();
    let library = library(&input, &mut faults);
    refuse_inside(&input.data, &mut faults);
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
    // An enum without variants has no value to match.
    let value = if arms.is_empty() { quote!(*self) } else { quote!(self) };
    // After a mistake it writes nothing, but is there, so that no use of the type is wrong as well.
    let body = faults.is_empty().then(|| quote!(match #value { #(#arms)* }));
    let implementation = implementation(input, &library, body.as_ref());
    quote!(#faults #implementation)
}

fn implementation(input: DeriveInput, library: &Path, body: Option<&TokenStream>) -> TokenStream {
    let name = input.ident;
    let mut generics = input.generics;
    for parameter in generics.type_params_mut() {
        parameter.bounds.push(parse_quote!(#library::key::ToKey));
    }
    let (impl_generics, type_generics, where_clause) = generics.split_for_impl();
    let sink = Ident::new("__sink", Span::mixed_site());
    quote! {
        #[automatically_derived]
        impl #impl_generics #library::key::ToKey for #name #type_generics #where_clause {
            fn write_key<__S: #library::key::KeySink>(&self, #sink: &mut __S) {
                let _ = &#sink;
                #body
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
    // The caret of a field that is no key is under its type.
    let written = fields.iter().zip(&bound).map(|(Field { ty, .. }, bound)| {
        quote_spanned!(ty.span()=> <#ty as #library::key::ToKey>::write_key(#bound, #sink);)
    });
    quote! {
        #path #pattern => {
            #variant
            #(#written)*
        }
    }
}

/// Arguments are for the whole type; on a variant or a field they would mean nothing.
fn refuse_inside(data: &Data, faults: &mut Faults) {
    let fields: Vec<&Field> = match data {
        Data::Struct(data) => data.fields.iter().collect(),
        Data::Enum(data) => data.variants.iter().flat_map(|variant| &variant.fields).collect(),
        Data::Union(_) => Vec::new(),
    };
    let of_variants = match data {
        Data::Enum(data) => data.variants.iter().flat_map(|variant| &variant.attrs).collect(),
        Data::Struct(_) | Data::Union(_) => Vec::new(),
    };
    let of_fields = fields.into_iter().flat_map(|field| &field.attrs);
    for attribute in of_fields.chain(of_variants).filter(|attribute| is_ours(attribute)) {
        faults.add(
            attribute,
            "every field is a component of the key, and `to_key` stands above the type alone; to leave a field \
             out, write `impl ToKey` by hand",
        );
    }
}

fn is_ours(attribute: &Attribute) -> bool {
    attribute.path().is_ident("to_key")
}

/// What the library is called: `::tollgate`, unless `#[to_key(crate = path)]` says otherwise.
fn library(input: &DeriveInput, faults: &mut Faults) -> Path {
    let mut library = None;
    for attribute in input.attrs.iter().filter(|attribute| is_ours(attribute)) {
        if attribute.meta.require_list().is_err() {
            faults.add(
                attribute,
                "`to_key` takes `crate = path`, what the dependency is called here; give it, or remove the attribute",
            );
            continue;
        }
        let parsed = attribute.parse_nested_meta(|meta| {
            if !meta.path.is_ident("crate") {
                return Err(meta.error(
                    "unknown argument; `to_key` takes `crate = path`, what the dependency is called here",
                ));
            }
            let value = meta.value().map_err(|_| {
                meta.error(
                    "`crate` takes a path; write `crate = path`, what the dependency is called here",
                )
            })?;
            if let Ok(text) = value.fork().parse::<LitStr>() {
                let message = format!("write the path without quotes: `crate = {}`", text.value());
                return Err(Error::new(text.span(), message));
            }
            match library.replace(value.parse()?) {
                Some(_) => Err(meta.error("`crate` is given twice; remove one of them")),
                None => Ok(()),
            }
        });
        faults.extend(parsed.err());
    }
    library.unwrap_or_else(|| parse_quote!(::tollgate))
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
        let written = |component: &str| text.find(component).expect("each is written once");
        let first =
            written("< u32 as :: tollgate :: key :: ToKey > :: write_key (__field_0 , __sink)");
        let second =
            written("< u64 as :: tollgate :: key :: ToKey > :: write_key (__field_1 , __sink)");
        assert!(first < second, "{text}");
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
