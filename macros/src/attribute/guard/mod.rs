//! A function that takes its tokens before it runs.
//!
//! ```text
//! async fn export(&self, tenant: u64) -> Result<Report, ExportError> {
//!     let __entered = {
//!         let __limiter = &(self.limiter);
//!         let __handle = guard(Class::Export, __limiter, None);
//!         let __acquire = __handle.acquire(&(tenant));        the key is hashed here
//!         match enter(&__handle, __acquire).await {
//!             Ok(entered) => entered,
//!             Err(error) => return Err(From::from(error)),
//!         }
//!     };
//!     { the body }
//! }
//! ```
//!
//! Closing the limiter waits for what was entered, and that owns what it needs of the limiter, so the body
//! may move or drop everything. Nothing of the key lives across the `await`, so its components need not be `Sync`.
//!
//! A method that `#[async_trait]` has rewritten is no `async fn` any more but a `Box::pin` of a block, which
//! binds the arguments anew and then runs the body: there the guard goes before the body, and `self` is called
//! `__self`. In a block of another's making it goes first.

mod boxed;

use proc_macro2::{Delimiter, Group, Span, TokenStream, TokenTree};
use quote::{ToTokens as _, quote, quote_spanned};
use syn::spanned::Spanned as _;
use syn::{Expr, Ident, Path, ReturnType};

use super::arguments::{Arguments, Guard, Target};
use super::function::Function;
use crate::faults::Faults;

/// Puts the guard where the function starts to run.
pub(super) fn expand(
    arguments: &Arguments,
    mut function: Function,
    faults: &mut Faults,
) -> TokenStream {
    function.remove_second_attribute(faults);
    let signature = &function.signature;
    let is_async = signature.asyncness.is_some();
    let answers = !is_async || matches!(signature.output, ReturnType::Type(..));
    if !answers {
        faults.add(
            &signature.ident,
            "a refused call returns an error; let this function return a `Result` whose error is \
             `From<NotAdmitted<Class>>`",
        );
    }
    let guard = |this: Option<&Ident>| match &arguments.target {
        Some(Target::Named(name)) if answers => {
            statements(arguments, name, &signature.output, this)
        }
        _ => mentions(arguments, this),
    };
    let guarded = match sole_group(&function.body) {
        Some(body) if is_async => {
            let guard = guard(None);
            Some(before(&guard, body))
        }
        Some(body) => boxed::guarded(&body, guard),
        None => None,
    };
    match guarded {
        Some(body) => function.body = body.into(),
        None => faults.add(
            signature.fn_token,
            "a function with a rate limit is asynchronous; write `async fn`, with a body",
        ),
    }
    function.into_token_stream()
}

/// Takes the tokens, or leaves with an error.
fn statements(
    arguments: &Arguments,
    name: &Path,
    output: &ReturnType,
    this: Option<&Ident>,
) -> TokenStream {
    let Some(Guard { limiter: Some(limiter), key: Some(key) }) = &arguments.guard else {
        return mentions(arguments, this);
    };
    let krate = arguments.krate();
    let (check, cost) = if let Some(cost) = &arguments.cost {
        let checked = quote_spanned!(cost.span()=> __tollgate::cost(#cost, #name.__burst()));
        // A constant of its own is evaluated even if nobody calls the function.
        (quote!(const __COST: u32 = #checked;), quote!(::core::option::Option::Some(__COST)))
    } else {
        (TokenStream::new(), quote!(::core::option::Option::None))
    };
    let answer = match output {
        ReturnType::Default => Span::call_site(),
        ReturnType::Type(_, output) => output.span(),
    };
    let local = |name, place| Ident::new(name, Span::mixed_site().located_at(place));
    let chosen = local("__limiter", limiter.span());
    let [handle, acquire, entered] =
        ["__handle", "__acquire", "__entered"].map(|name| local(name, Span::call_site()));
    let error = Ident::new("__error", answer);
    let refuse = quote_spanned!(answer=> return ::core::result::Result::Err(#error));
    let limiter = renamed(quote_spanned!(limiter.span()=> &(#limiter)), this);
    let key = renamed(borrowed(key), this);
    quote! {
        let #entered = {
            use #krate::__private as __tollgate;
            #check
            let #chosen = #limiter;
            let #handle = __tollgate::guard(#name, #chosen, #cost);
            let #acquire = #handle.acquire(#key);
            match __tollgate::enter(&#handle, #acquire).await {
                ::core::result::Result::Ok(#entered) => #entered,
                ::core::result::Result::Err(#error) => {
                    let #error = ::core::convert::From::from(#error);
                    #refuse;
                }
            }
        };
    }
}

/// Only names what the attribute names, where a mistake leaves no more to do: so nothing is reported as
/// unused on top of it.
fn mentions(arguments: &Arguments, this: Option<&Ident>) -> TokenStream {
    let Some(Guard { limiter, key }) = &arguments.guard else { return TokenStream::new() };
    let values = limiter.iter().chain(key).map(|value| renamed(quote!(let _ = &(#value);), this));
    let name = match &arguments.target {
        Some(Target::Named(name)) => Some(quote!(let _ = #name;)),
        _ => None,
    };
    quote!(#(#values)* #name)
}

/// The key by reference, each component on its own, so that nothing is moved out of its place.
fn borrowed(key: &Expr) -> TokenStream {
    match key {
        Expr::Tuple(tuple) if !tuple.elems.is_empty() => {
            let components = tuple.elems.iter();
            quote_spanned!(tuple.span()=> (#(&(#components),)*))
        }
        key => quote_spanned!(key.span()=> &(#key)),
    }
}

/// The same tokens with another name for `self`.
fn renamed(tokens: TokenStream, this: Option<&Ident>) -> TokenStream {
    let Some(this) = this else { return tokens };
    let rename = |token| match token {
        TokenTree::Ident(word) if word == "self" => this.clone().into(),
        TokenTree::Group(group) => {
            let mut renamed = Group::new(group.delimiter(), renamed(group.stream(), Some(this)));
            renamed.set_span(group.span());
            renamed.into()
        }
        token => token,
    };
    tokens.into_iter().map(rename).collect()
}

/// The block that a body is; one that a `macro_rules` has handed over as `$body:block` is in an invisible group.
fn sole_group(tokens: &TokenStream) -> Option<Group> {
    let mut tokens = tokens.clone().into_iter();
    match (tokens.next(), tokens.next()) {
        (Some(TokenTree::Group(group)), None) if group.delimiter() == Delimiter::None => {
            sole_group(&group.stream())
        }
        (Some(TokenTree::Group(group)), None) => Some(group),
        _ => None,
    }
}

/// The body with the guard before it, in a block of its own, whose first statements may be items.
fn before(guard: &TokenStream, mut body: Group) -> TokenTree {
    let span = body.span();
    // These braces are of the macro, so that nobody is told to remove them.
    body.set_span(Span::mixed_site().located_at(span));
    braced(quote!(#guard #body), span)
}

fn braced(stream: TokenStream, span: Span) -> TokenTree {
    let mut group = Group::new(Delimiter::Brace, stream);
    group.set_span(span);
    group.into()
}
