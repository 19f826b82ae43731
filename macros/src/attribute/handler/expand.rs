//! The expansion of a handler.
//!
//! ```text
//! #[cfg(doc)]      pub async fn send(..) -> R { .. }          what rustdoc shows
//! #[cfg(not(doc))] pub struct send;                           what routes name
//! #[cfg(not(doc))] const _: () = {
//!     async fn send(..) -> R { .. }                           what the user wrote
//!     const __DECLARATION: .. = Class::Message.__declaration();
//!     impl send { pub fn call(..) -> impl Future<Output = R> { .. } }
//!     impl Declares, Handler, LimitedHandler for send { .. }
//! };
//! ```
//!
//! The constant is where the compiler checks the class. Only the struct carries the span of the
//! user's name, so that an editor that looks for the definition finds one.

use proc_macro2::{Span, TokenStream};
use quote::{format_ident, quote, quote_spanned};
use syn::spanned::Spanned as _;
use syn::{Ident, ReturnType, Type};

use super::attributes::Attributes;
use super::check::Parameter;
use super::declaration::Declaration;
use crate::attribute::arguments::Arguments;
use crate::attribute::function::Function;

/// The whole expansion.
pub(super) fn handler(
    arguments: &Arguments,
    function: &Function,
    parameters: &[Parameter],
) -> TokenStream {
    let Function { attributes, visibility, signature, body } = function;
    let attributes = Attributes::split(attributes);
    let inner = &attributes.function;
    let declaration = Declaration::new(arguments, &signature.ident);
    let items = variants(parameters).into_iter().map(|(cfg, types)| {
        let declares = declaration.items();
        let impls = impls(function, &declaration, &types);
        let items = quote!(#declares #(#inner)* #signature #body #impls);
        if cfg.is_empty() { items } else { quote!(#cfg const _: () = { #items };) }
    });
    let all = &attributes.all;
    let docs = declaration.docs();
    let handler = in_place_of(arguments, function, &attributes, &declaration, &quote!(#(#items)*));
    quote! {
        #[cfg(doc)]
        #(#all)* #docs
        #visibility #signature #body
        #handler
    }
}

/// A handler in name only: it stands for every state and every router, and no mistake follows from
/// the one that is reported.
pub(super) fn broken(arguments: &Arguments, function: &Function) -> TokenStream {
    let Function { attributes, signature, body, .. } = function;
    let attributes = Attributes::split(attributes);
    let declaration = Declaration::new(arguments, &signature.ident);
    let declares = declaration.items();
    let lints = &attributes.lints;
    let name = generated(&signature.ident);
    let items = quote! {
        const _: () = {
            #declares
            #(#lints)*
            #[allow(dead_code, reason = "the mistake in its signature is reported")]
            #signature #body
            impl<__S> __tollgate::axum::Handler<((),), __S> for #name {
                type Future = __tollgate::axum::HandlerFuture;
                fn call(self, _: __tollgate::axum::Request, _: __S) -> Self::Future {
                    ::core::panic!("a handler with a mistake in its signature does not compile")
                }
            }
            impl<__S> __tollgate::axum::LimitedHandler<((),), __S> for #name {}
        };
    };
    in_place_of(arguments, function, &attributes, &declaration, &items)
}

/// The unit struct of the handler's name, and the items that make it a handler.
fn in_place_of(
    arguments: &Arguments,
    function: &Function,
    attributes: &Attributes<'_>,
    declaration: &Declaration<'_>,
    items: &TokenStream,
) -> TokenStream {
    let visibility = &function.visibility;
    let name = &function.signature.ident;
    let krate = arguments.krate();
    let docs = declaration.docs();
    let Attributes { constant, structure, .. } = attributes;
    quote! {
        #[cfg(not(doc))]
        #(#structure)* #docs
        #[allow(non_camel_case_types, reason = "a handler is called what its function is called")]
        #[derive(::core::clone::Clone, ::core::marker::Copy, ::core::fmt::Debug)]
        #visibility struct #name;

        #[cfg(not(doc))]
        #(#constant)*
        const _: () = {
            use #krate::__private as __tollgate;
            #items
        };
    }
}

/// What makes the struct a handler, for one list of arguments.
fn impls(function: &Function, declaration: &Declaration<'_>, types: &[&Type]) -> TokenStream {
    let Function { visibility, signature, .. } = function;
    let name = generated(&signature.ident);
    let output = match &signature.output {
        ReturnType::Default => quote!(()),
        ReturnType::Type(_, output) => quote!(#output),
    };
    // The mistakes of the answer's type are told where the type stands.
    let answer = match &signature.output {
        ReturnType::Default => signature.ident.span(),
        ReturnType::Type(_, output) => output.span(),
    };
    let (serve, catalogue, gate);
    if declaration.is_limited() {
        serve = quote_spanned!(answer=> __tollgate::axum::serve::<_, __C, _, _, _, _, _>);
        catalogue = quote!(__C);
        gate = quote! {
            Self: __tollgate::axum::Declares<__C>,
            __C: __tollgate::Catalogue,
            __S: __tollgate::axum::HasGate<__C>,
        };
    } else {
        serve = quote_spanned!(answer=> __tollgate::axum::serve_exempt);
        (catalogue, gate) = (TokenStream::new(), TokenStream::new());
    }
    let values: Vec<Ident> = (0..types.len()).map(value).collect();
    let marker = if types.is_empty() { quote!(()) } else { quote!(__M) };
    let generic = (!types.is_empty()).then(|| quote!(__M: 'static,));
    let bounds = types.iter().enumerate().map(|(index, ty)| {
        if index + 1 == types.len() {
            quote_spanned!(ty.span()=> #ty: __tollgate::axum::FromWhole<__S, __M>,)
        } else {
            quote_spanned!(ty.span()=> #ty: __tollgate::axum::FromHead<__S>,)
        }
    });
    let bounds = quote! {
        #gate
        __S: ::core::marker::Send + ::core::marker::Sync + 'static,
        #(#bounds)*
    };
    // Through a value, as axum uses a handler: Clippy then lets an `async fn` be one without need.
    quote! {
        impl #name {
            /// Calls the function behind this handler, without asking for its rate limit.
            #visibility fn call(#(#values: #types),*) -> impl ::core::future::Future<Output = #output> {
                let __function = #name;
                __function(#(#values),*)
            }
        }

        impl<__S, #generic #catalogue> __tollgate::axum::Handler<(#marker, #catalogue), __S> for #name
        where #bounds
        {
            type Future = __tollgate::axum::HandlerFuture;

            fn call(self, __request: __tollgate::axum::Request, __state: __S) -> Self::Future {
                #serve(self, __request, __state, |(#(#values,)*)| Self::call(#(#values),*))
            }
        }

        impl<__S, #generic #catalogue> __tollgate::axum::LimitedHandler<(#marker, #catalogue), __S> for #name
        where #bounds
        {}
    }
}

/// The lists of arguments that the `#[cfg(..)]` on them can leave, each under its own predicate.
fn variants(parameters: &[Parameter]) -> Vec<(TokenStream, Vec<&Type>)> {
    let mut variants = vec![(TokenStream::new(), Vec::new())];
    for Parameter { cfg, ty } in parameters {
        if let Some(predicate) = cfg {
            variants = variants
                .into_iter()
                .flat_map(|(cfg, types)| {
                    let with = types.iter().copied().chain([ty]).collect();
                    [
                        (quote!(#cfg #[cfg(#predicate)]), with),
                        (quote!(#cfg #[cfg(not(#predicate))]), types),
                    ]
                })
                .collect();
        } else {
            for (_, types) in &mut variants {
                types.push(ty);
            }
        }
    }
    variants
}

/// The same name without the user's span.
fn generated(name: &Ident) -> Ident {
    let mut name = name.clone();
    name.set_span(Span::mixed_site());
    name
}

fn value(index: usize) -> Ident {
    format_ident!("__value{index}", span = Span::mixed_site())
}
