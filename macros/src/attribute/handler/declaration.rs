//! [`Declaration`]: what the expansion says about the limit.

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens as _, quote, quote_spanned};
use syn::ext::IdentExt as _;
use syn::spanned::Spanned as _;
use syn::{Ident, Path, PathSegment};

use crate::attribute::arguments::{Arguments, Target};

/// The declaration of one handler, in tokens.
pub(super) struct Declaration<'a> {
    arguments: &'a Arguments,
    name: &'a Ident,
}

impl<'a> Declaration<'a> {
    pub(super) fn new(arguments: &'a Arguments, name: &'a Ident) -> Self {
        Self { arguments, name }
    }

    /// The declaration as a constant, and the trait that leads to it.
    pub(super) fn items(&self) -> TokenStream {
        let mut name = self.name.clone();
        name.set_span(Span::mixed_site());
        let (check, declaration) = match &self.arguments.target {
            Some(Target::Named(path)) => {
                let (catalogue, variant) = split(path);
                let class = quote_spanned! {catalogue.span()=>
                    <#catalogue as __tollgate::InCatalogue>::Class
                };
                // The call reaches from the path's first name to its last, and so does the caret.
                // The enum stands in the place of a type each time, so that rustc misses it once.
                let of = |method| {
                    let method = Ident::new(method, variant.span());
                    let call = quote_spanned!(variant.span()=> #variant.#method());
                    quote_spanned!(catalogue.span()=> <#catalogue>::#call)
                };
                let mut declaration = of("__declaration");
                if let Some(cost) = &self.arguments.cost {
                    let burst = of("__burst");
                    declaration = quote_spanned! {cost.span()=>
                        __tollgate::with_cost(#declaration, #cost, #burst)
                    };
                }
                // The first is where the compiler evaluates the call, the second where it is read: a
                // constant of a trait is evaluated with its user, and a use of the first would be
                // reported as a second mistake.
                return quote! {
                    const _: __tollgate::Declaration<#class> = #declaration;
                    impl __tollgate::axum::Declares<#class> for #name {
                        const DECLARATION: __tollgate::Declaration<#class> = #declaration;
                    }
                };
            }
            Some(Target::Budget(budget)) => {
                let (per_minute, burst, key) = (&budget.per_minute, &budget.burst, &budget.key);
                let name = match &budget.name {
                    Some(name) => name.to_token_stream(),
                    None => self.name.unraw().to_string().to_token_stream(),
                };
                let budget = quote_spanned! {per_minute.span()=>
                    __tollgate::route_budget(#name, #per_minute, #burst, #key)
                };
                let check = quote!(const _: __tollgate::RouteBudget = #budget;);
                (check, quote!(Budget(#budget)))
            }
            Some(Target::Default) => (TokenStream::new(), quote!(Default)),
            Some(Target::Exempt(reason)) => {
                (TokenStream::new(), quote!(Exempt { reason: #reason }))
            }
            None => (TokenStream::new(), quote!(Exempt { reason: "" })),
        };
        quote! {
            #check
            impl<__C: __tollgate::Catalogue> __tollgate::axum::Declares<__C> for #name {
                const DECLARATION: __tollgate::Declaration<__C> =
                    __tollgate::Declaration::#declaration;
            }
        }
    }

    /// Whether a gate is asked; an exempt handler needs none, and neither does a mistake.
    pub(super) fn is_limited(&self) -> bool {
        !matches!(&self.arguments.target, Some(Target::Exempt(_)) | None)
    }

    /// What the page of the handler says of its limit.
    pub(super) fn docs(&self) -> TokenStream {
        const REFUSAL: &str = "A caller who has used it up is answered `429 Too Many Requests`, with \
                               `Retry-After` and the fields `RateLimit` and `RateLimit-Policy`.";
        let text = match &self.arguments.target {
            Some(Target::Named(path)) => {
                let path = path.to_token_stream().to_string().replace(' ', "");
                let path = path.trim_start_matches("::");
                let cost = match &self.arguments.cost {
                    Some(cost) => format!("; a call costs {} tokens", cost.to_token_stream()),
                    None => String::new(),
                };
                format!("Limited by [`{path}`]{cost}. {REFUSAL}")
            }
            Some(Target::Budget(budget)) => format!(
                "Limited by a budget of its own: {} a minute, a burst of {}, keyed by `{}`. {REFUSAL}",
                budget.per_minute.to_token_stream(),
                budget.burst.to_token_stream(),
                budget.key.to_token_stream().to_string().replace(' ', ""),
            ),
            Some(Target::Default) => format!("Limited by the host's default budgets. {REFUSAL}"),
            Some(Target::Exempt(reason)) => format!("Not limited: {}.", reason.value()),
            None => return TokenStream::new(),
        };
        quote! {
            #[doc = ""]
            #[doc = "# Rate limit"]
            #[doc = ""]
            #[doc = #text]
        }
    }
}

/// The enum of a variant's path, and the variant.
fn split(path: &Path) -> (Path, Option<PathSegment>) {
    let mut catalogue = path.clone();
    let variant = catalogue.segments.pop();
    catalogue.segments.pop_punct();
    (catalogue, variant)
}
