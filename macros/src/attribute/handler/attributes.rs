//! [`Attributes`]: which of the user's attributes go on which of the generated items.

use proc_macro2::TokenStream;
use quote::{ToTokens as _, quote};
use syn::punctuated::Punctuated;
use syn::{Attribute, Meta, Token};

/// The attributes of a handler, sorted.
pub(super) struct Attributes<'a> {
    /// All of them, for the function that rustdoc sees.
    pub(super) all: &'a [Attribute],
    /// What the implementation stands under: every `#[cfg(..)]`.
    pub(super) constant: Vec<TokenStream>,
    /// What belongs to the function itself, as `#[tracing::instrument]` does.
    pub(super) function: Vec<TokenStream>,
    /// The levels of lints.
    pub(super) lints: Vec<TokenStream>,
    /// What belongs to the name that the rest of the program sees.
    pub(super) structure: Vec<TokenStream>,
}

impl<'a> Attributes<'a> {
    pub(super) fn split(all: &'a [Attribute]) -> Self {
        let (mut constant, mut function, mut lints, mut structure) =
            (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        for attribute in all {
            let tokens = attribute.to_token_stream();
            match kind(&attribute.meta) {
                Kind::Cfg => {
                    constant.push(tokens.clone());
                    structure.push(tokens);
                }
                Kind::Expect => {
                    // The expectation is of the function; the struct may or may not share it.
                    let names = attribute.meta.require_list().map(|list| list.tokens.clone());
                    structure.extend(names.map(|names| quote!(#[allow(#names)])));
                    lints.push(tokens.clone());
                    function.push(tokens);
                }
                Kind::Function => function.push(tokens),
                Kind::Lint => {
                    lints.push(tokens.clone());
                    function.push(tokens.clone());
                    structure.push(tokens);
                }
                Kind::Structure => {
                    if attribute.path().is_ident("deprecated") {
                        constant.push(quote! {
                            #[allow(deprecated, reason = "what is deprecated may name itself")]
                        });
                    }
                    structure.push(tokens);
                }
            }
        }
        Self { all, constant, function, lints, structure }
    }
}

enum Kind {
    Cfg,
    Expect,
    Function,
    Lint,
    Structure,
}

fn kind(meta: &Meta) -> Kind {
    let Some(name) = meta.path().get_ident() else { return Kind::Function };
    match name.to_string().as_str() {
        "cfg" => Kind::Cfg,
        "cfg_attr" => conditional(meta).unwrap_or(Kind::Function),
        "deprecated" | "doc" => Kind::Structure,
        "allow" | "deny" | "forbid" | "warn" => Kind::Lint,
        "expect" => Kind::Expect,
        _ => Kind::Function,
    }
}

/// The kind of what a `#[cfg_attr(predicate, ..)]` adds.
fn conditional(meta: &Meta) -> Option<Kind> {
    let list = meta.require_list().ok()?;
    let metas = list.parse_args_with(Punctuated::<Meta, Token![,]>::parse_terminated).ok()?;
    match kind(metas.iter().nth(1)?) {
        // Its lints cannot be taken out of the condition, so they stay with the function.
        Kind::Expect => None,
        kind => Some(kind),
    }
}
