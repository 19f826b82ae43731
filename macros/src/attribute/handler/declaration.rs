//! [`Declaration`]: what the expansion says about the limit.

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens as _, quote, quote_spanned};
use syn::{Ident, Path};

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

    /// The crate that the generated code speaks of.
    pub(super) fn krate(&self) -> TokenStream {
        self.arguments.krate.as_ref().map_or_else(|| quote!(::tollgate), Path::to_token_stream)
    }

    /// The declaration as a constant, and the trait that leads to it.
    pub(super) fn items(&self) -> TokenStream {
        let mut name = self.name.clone();
        name.set_span(Span::mixed_site());
        let (constant, declaration) = match &self.arguments.target {
            Some(Target::Named(path)) => {
                let catalogue = parent(path);
                let cost = self.arguments.cost.as_ref().map(|cost| quote!(.with_cost(#cost)));
                return quote! {
                    type __Class = <#catalogue as __tollgate::InCatalogue>::Class;
                    const __DECLARATION: __tollgate::Declaration<__Class> =
                        #path.__declaration() #cost;
                    impl __tollgate::axum::Declares<__Class> for #name {
                        const DECLARATION: __tollgate::Declaration<__Class> = __DECLARATION;
                    }
                };
            }
            Some(Target::Budget(budget)) => {
                let (per_minute, burst, key) = (&budget.per_minute, &budget.burst, &budget.key);
                let name = match &budget.name {
                    Some(name) => name.to_token_stream(),
                    None => self.name.to_string().to_token_stream(),
                };
                let budget = quote! {
                    const __BUDGET: __tollgate::RouteBudget =
                        __tollgate::route_budget(#name, #per_minute, #burst, #key);
                };
                (budget, quote!(Budget(__BUDGET)))
            }
            Some(Target::Default) => (TokenStream::new(), quote!(Default)),
            Some(Target::Exempt(reason)) => {
                (TokenStream::new(), quote!(Exempt { reason: #reason }))
            }
            None => (TokenStream::new(), quote!(Exempt { reason: "" })),
        };
        quote! {
            #constant
            impl<__C: __tollgate::Catalogue> __tollgate::axum::Declares<__C> for #name {
                const DECLARATION: __tollgate::Declaration<__C> =
                    __tollgate::Declaration::#declaration;
            }
        }
    }

    /// The type parameter for the catalogue, where the declaration names none and the state decides.
    pub(super) fn generic(&self) -> TokenStream {
        match self.form() {
            Form::AnyCatalogue => quote!(__C: __tollgate::Catalogue,),
            Form::Exempt | Form::Named => TokenStream::new(),
        }
    }

    /// What tells the implementations for several catalogues apart.
    pub(super) fn marker(&self) -> TokenStream {
        match self.form() {
            Form::AnyCatalogue => quote!(__C),
            Form::Exempt | Form::Named => TokenStream::new(),
        }
    }

    /// What the state has to provide, as the first of several bounds.
    pub(super) fn gate(&self) -> TokenStream {
        match self.form() {
            Form::AnyCatalogue => quote!(__tollgate::axum::HasGate<__C>+),
            Form::Exempt => TokenStream::new(),
            Form::Named => quote!(__tollgate::axum::HasGate<__Class>+),
        }
    }

    /// The function that serves a request.
    pub(super) fn serve(&self, span: Span) -> TokenStream {
        match self.form() {
            Form::AnyCatalogue => {
                quote_spanned!(span=> __tollgate::axum::serve::<_, __C, _, _, _, _, _>)
            }
            Form::Exempt => quote_spanned!(span=> __tollgate::axum::serve_exempt),
            Form::Named => {
                quote_spanned!(span=> __tollgate::axum::serve::<_, __Class, _, _, _, _, _>)
            }
        }
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

    fn form(&self) -> Form {
        match &self.arguments.target {
            Some(Target::Budget(_) | Target::Default) => Form::AnyCatalogue,
            Some(Target::Exempt(_)) | None => Form::Exempt,
            Some(Target::Named(_)) => Form::Named,
        }
    }
}

/// How the declaration stands to a catalogue.
enum Form {
    /// The gate of whichever catalogue the state has.
    AnyCatalogue,
    /// No gate at all.
    Exempt,
    /// The gate of the catalogue whose class is named.
    Named,
}

/// The enum of a variant's path.
fn parent(path: &Path) -> Path {
    let mut parent = path.clone();
    parent.segments.pop();
    parent.segments.pop_punct();
    parent
}
