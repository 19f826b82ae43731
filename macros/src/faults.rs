//! [`Faults`]: every mistake that a macro finds, reported together.

use proc_macro2::TokenStream;
use quote::ToTokens;
use std::fmt::Display;

/// The mistakes found so far.
#[derive(Default)]
pub(crate) struct Faults(Vec<syn::Error>);

impl Faults {
    /// Adds a mistake, with the caret under `tokens`.
    pub(crate) fn add(&mut self, tokens: impl ToTokens, message: impl Display) {
        self.0.push(syn::Error::new_spanned(tokens, message));
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl IntoIterator for Faults {
    type Item = syn::Error;
    type IntoIter = std::vec::IntoIter<syn::Error>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

impl Extend<syn::Error> for Faults {
    fn extend<I: IntoIterator<Item = syn::Error>>(&mut self, errors: I) {
        self.0.extend(errors);
    }
}

/// One `compile_error!` a mistake; nothing when there is none.
impl ToTokens for Faults {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        tokens.extend(self.0.iter().map(syn::Error::to_compile_error));
    }
}
