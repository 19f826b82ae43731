//! [`Entry`]: one argument of the attribute, however broken its neighbours are.

use proc_macro2::{TokenStream, TokenTree};
use syn::ext::IdentExt as _;
use syn::parse::{Parse, ParseStream};
use syn::{Expr, Ident, LitStr, Path, Token};

use super::arguments::EXAMPLE;

/// One argument.
pub(super) enum Entry {
    Crate(Token![crate], Path),
    Named(Ident, Expr),
    Path(Path),
    Text(LitStr),
}

/// Splits the arguments at their commas; a broken one is an error and the next is read all the same.
pub(super) fn entries(input: ParseStream<'_>) -> syn::Result<Vec<syn::Result<Entry>>> {
    let mut entries = Vec::new();
    while !input.is_empty() {
        let start = input.fork();
        let entry = input.parse().and_then(|entry| at_end(input).map(|()| entry));
        entries.push(match entry {
            Ok(entry) => Ok(entry),
            Err(_) => Err(broken(&start)?),
        });
        skip_to_comma(input)?;
        input.parse::<Option<Token![,]>>()?;
    }
    Ok(entries)
}

fn at_end(input: ParseStream<'_>) -> syn::Result<()> {
    if input.is_empty() || input.peek(Token![,]) { Ok(()) } else { Err(input.error("")) }
}

fn skip_to_comma(input: ParseStream<'_>) -> syn::Result<TokenStream> {
    let mut skipped = TokenStream::new();
    while at_end(input).is_err() {
        skipped.extend([input.parse::<TokenTree>()?]);
    }
    Ok(skipped)
}

/// The error for an argument that does not parse, with all of it underlined.
fn broken(start: ParseStream<'_>) -> syn::Result<syn::Error> {
    let named = start.peek(Ident::peek_any) && start.peek2(Token![=]);
    let tokens = skip_to_comma(start)?;
    let message = if named {
        "this argument has no value that can be read; write it as `name = value`".to_owned()
    } else {
        format!("expected a class; {EXAMPLE}")
    };
    Ok(if tokens.is_empty() {
        start.error(format!("expected an argument before the comma; {EXAMPLE}"))
    } else {
        syn::Error::new_spanned(tokens, message)
    })
}

impl Parse for Entry {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        if input.peek(Token![crate]) && input.peek2(Token![=]) {
            let name = input.parse()?;
            input.parse::<Token![=]>()?;
            return Path::parse_mod_style(input).map(|path| Self::Crate(name, path));
        }
        if input.peek(Ident::peek_any) && input.peek2(Token![=]) {
            let name = input.call(Ident::parse_any)?;
            input.parse::<Token![=]>()?;
            return input.parse().map(|value| Self::Named(name, ungrouped(value)));
        }
        if input.peek(LitStr) {
            return input.parse().map(Self::Text);
        }
        Path::parse_mod_style(input).map(Self::Path)
    }
}

/// The value that a `macro_rules` has handed over as `$value:expr`, which is in an invisible group.
fn ungrouped(value: Expr) -> Expr {
    match value {
        Expr::Group(group) => ungrouped(*group.expr),
        value => value,
    }
}
