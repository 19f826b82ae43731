//! What a function must be like to be a handler.

use proc_macro2::{TokenStream, TokenTree};
use quote::{ToTokens as _, quote};
use syn::{Attribute, FnArg, Ident, Safety, Signature, Type};

use crate::faults::Faults;

/// As many arguments as axum's own handlers have.
const MOST_ARGUMENTS: usize = 16;

/// How much of the expansion a signature allows.
pub(super) enum Shape {
    /// All of it.
    Handler(Vec<Parameter>),
    /// A handler in name only, so that the routes that mount it report nothing more.
    Broken,
    /// None: the item may stand in an `impl` or be called with type arguments.
    Plain,
}

/// An argument of the handler.
pub(super) struct Parameter {
    /// The predicate of its `#[cfg(..)]`.
    pub(super) cfg: Option<TokenStream>,
    pub(super) ty: Type,
}

/// Reports every mistake in the signature.
pub(super) fn check(signature: &Signature, faults: &mut Faults) -> Shape {
    let (mut broken, mut plain) = (false, false);
    if signature.asyncness.is_none() {
        faults.add(
            signature.fn_token,
            "a handler with a rate limit is asynchronous; write `async fn`",
        );
        broken = true;
    }
    if let Some(token) = signature.constness {
        faults.add(token, "a handler is no `const fn`; remove `const`");
        broken = true;
    }
    if let Safety::Unsafe(token) = &signature.safety {
        faults.add(token, "the router calls a handler, so it is safe to call; remove `unsafe`");
        broken = true;
    }
    if let Some(abi) = &signature.abi {
        faults.add(abi, "a handler is a Rust function; remove the `extern`");
        broken = true;
    }
    if !signature.generics.params.is_empty() {
        faults.add(
            &signature.generics,
            "a handler with a rate limit is not generic, because a route names no types; \
             write the concrete types",
        );
        plain = true;
    }
    let mut parameters = Vec::new();
    for input in &signature.inputs {
        match input {
            FnArg::Receiver(receiver) => {
                faults.add(
                    receiver,
                    "a handler is a free function without `self`; take the state as an argument, \
                     as in `State(app): State<App>`, or give a method `limiter = ..` and `key = ..`",
                );
                plain = true;
            }
            FnArg::Typed(argument) => {
                if let Some(word) = impl_trait(argument.ty.to_token_stream()) {
                    faults.add(
                        word,
                        "a handler with a rate limit is not generic, and `impl` here makes it so; \
                         write the concrete type",
                    );
                    broken = true;
                }
                parameters
                    .push(Parameter { cfg: cfg(&argument.attrs), ty: (*argument.ty).clone() });
            }
        }
    }
    if let Some(surplus) = signature.inputs.iter().nth(MOST_ARGUMENTS) {
        faults.add(
            surplus,
            format!(
                "a handler has at most {MOST_ARGUMENTS} arguments; take several of them as one \
                 tuple, as in `(a, b): (A, B)`"
            ),
        );
        broken = true;
    }
    if plain {
        Shape::Plain
    } else if broken {
        Shape::Broken
    } else {
        Shape::Handler(parameters)
    }
}

/// The `impl` of an argument's type, at whatever depth.
fn impl_trait(ty: TokenStream) -> Option<Ident> {
    ty.into_iter().find_map(|token| match token {
        TokenTree::Ident(word) if word == "impl" => Some(word),
        TokenTree::Group(group) => impl_trait(group.stream()),
        _ => None,
    })
}

/// The predicate of all `#[cfg(..)]` among the attributes.
fn cfg(attributes: &[Attribute]) -> Option<TokenStream> {
    let predicates: Vec<_> = attributes
        .iter()
        .filter(|attribute| attribute.path().is_ident("cfg"))
        .filter_map(|attribute| Some(attribute.meta.require_list().ok()?.tokens.clone()))
        .collect();
    (!predicates.is_empty()).then(|| quote!(all(#(#predicates),*)))
}
