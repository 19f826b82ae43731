//! [`Function`]: the item under the attribute, with a body that nobody parses.

use proc_macro2::{TokenStream, TokenTree};
use quote::{ToTokens, TokenStreamExt as _};
use syn::parse::{Parse, ParseStream};
use syn::{Attribute, Signature, Visibility};

use crate::faults::Faults;

/// A function whose body stays raw tokens, so that an editor can expand it while it is typed.
pub(crate) struct Function {
    pub(crate) attributes: Vec<Attribute>,
    pub(crate) visibility: Visibility,
    pub(crate) signature: Signature,
    pub(crate) body: TokenStream,
}

impl Parse for Function {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let attributes = input.call(Attribute::parse_outer)?;
        let visibility = input.parse()?;
        if !has_fn(&input.fork().parse()?) {
            return Err(input.error(
                "only a function has a rate limit; move `#[rate_limited(..)]` to an `async fn`",
            ));
        }
        Ok(Self { attributes, visibility, signature: input.parse()?, body: input.parse()? })
    }
}

impl Function {
    /// A second attribute would expand what is expanded already, and report that in its own words.
    pub(crate) fn remove_second_attribute(&mut self, faults: &mut Faults) {
        self.attributes.retain(|attribute| {
            let name = attribute.path().segments.last();
            let second = name.is_some_and(|name| name.ident == "rate_limited");
            if second {
                faults.add(
                    attribute,
                    "a function declares one limit, and this is another; remove one of the attributes",
                );
            }
            !second
        });
    }

    /// Takes `#[utoipa::path(..)]` off the function.
    pub(crate) fn take_utoipa(&mut self) -> Option<Attribute> {
        let position = self.attributes.iter().position(|attribute| {
            let names = &attribute.path().segments;
            let names: Vec<_> = names.iter().map(|name| name.ident.to_string()).collect();
            names == ["utoipa", "path"]
        })?;
        Some(self.attributes.remove(position))
    }
}

fn has_fn(tokens: &TokenStream) -> bool {
    tokens.clone().into_iter().any(|token| matches!(token, TokenTree::Ident(word) if word == "fn"))
}

impl ToTokens for Function {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        tokens.append_all(&self.attributes);
        self.visibility.to_tokens(tokens);
        self.signature.to_tokens(tokens);
        self.body.to_tokens(tokens);
    }
}
