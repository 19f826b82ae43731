//! A handler becomes a unit struct of its own name that implements axum's `Handler`.

mod attributes;
mod check;
mod declaration;
mod expand;

use proc_macro2::TokenStream;
use quote::ToTokens as _;
use syn::Attribute;

use super::arguments::Arguments;
use super::function::Function;
use crate::faults::Faults;
use check::Shape;

/// Checks the function and expands it, in the fullest form that its mistakes leave possible.
pub(crate) fn expand(
    arguments: &Arguments,
    mut function: Function,
    faults: &mut Faults,
) -> TokenStream {
    remove_second_attribute(&mut function.attributes, faults);
    match check::check(&function.signature, faults) {
        Shape::Handler(parameters) => expand::handler(arguments, &function, &parameters),
        Shape::Broken => expand::broken(arguments, &function),
        Shape::Plain => function.into_token_stream(),
    }
}

/// A second attribute would expand what is expanded already, and report that in its own words.
fn remove_second_attribute(attributes: &mut Vec<Attribute>, faults: &mut Faults) {
    attributes.retain(|attribute| {
        let second =
            attribute.path().segments.last().is_some_and(|name| name.ident == "rate_limited");
        if second {
            faults.add(
                attribute,
                "a handler declares one limit, and this is another; remove one of the attributes",
            );
        }
        !second
    });
}
