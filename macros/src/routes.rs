//! `routes![..]`: mount every handler, and check the list as a constant.

use proc_macro2::{Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::parse::{Parse, ParseStream};
use syn::spanned::Spanned as _;
use syn::{Ident, Path, Token};

use crate::faults::Faults;

pub(crate) fn expand(input: TokenStream) -> TokenStream {
    match syn::parse2::<Routes>(input) {
        Ok(routes) => routes.expand(),
        Err(error) => {
            let mut faults = Faults::default();
            faults.extend([error]);
            // The errors stand in an expression, where a `Router` of any state is expected.
            quote!({ #faults; ::core::unreachable!() })
        }
    }
}

/// `crate; list, send, ..`.
struct Routes {
    krate: Path,
    handlers: Vec<Path>,
    partial: bool,
}

impl Parse for Routes {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let krate = input.call(Path::parse_mod_style)?;
        input.parse::<Token![;]>()?;
        let mut routes = Self { krate, handlers: Vec::new(), partial: false };
        while !input.is_empty() {
            if input.parse::<Option<Token![..]>>()?.is_some() {
                routes.partial = true;
                if !input.is_empty() {
                    return Err(
                        input.error("`..` stands at the end of the list, and nothing after it")
                    );
                }
                break;
            }
            let handler = input.fork();
            let path = input.call(Path::parse_mod_style).map_err(|_| {
                handler
                    .error("expected the name of a handler, as in `routes![list, messages::send]`")
            })?;
            routes.handlers.push(path);
            if !input.is_empty() {
                input.parse::<Token![,]>()?;
            }
        }
        if routes.handlers.is_empty() {
            let message = "a list of routes has a handler; write `routes![list, send]`";
            return Err(syn::Error::new(Span::call_site(), message));
        }
        Ok(routes)
    }
}

impl Routes {
    fn expand(&self) -> TokenStream {
        let Self { krate, handlers, partial } = self;
        let declarations: Vec<_> = handlers
            .iter()
            .map(|handler| quote_spanned!(handler.span()=> __routes::declared(&#handler)))
            .collect();
        let checks = handlers.iter().enumerate().map(|(position, handler)| {
            quote_spanned! {handler.span()=>
                const _: () = __routes::check_handler(__OPERATIONS, #position);
            }
        });
        let whole = (!partial)
            .then(|| quote!(const _: () = __routes::check_coverage(&[#(#declarations),*]);));
        let router = Ident::new("__router", Span::mixed_site());
        let mounts = handlers.iter().enumerate().map(|(position, handler)| {
            quote_spanned! {handler.span()=>
                let #router = __routes::mount(#router, &__OPERATIONS[#position], #handler);
            }
        });
        // The import makes each call stand under the span of its handler alone.
        quote! {{
            use #krate::__private::axum as __routes;
            const __OPERATIONS: &[__routes::Mounted] =
                &__routes::operations(&[#(#declarations),*]);
            #(#checks)*
            #whole
            let #router = __routes::Router::new();
            #(#mounts)*
            #router
        }}
    }
}
