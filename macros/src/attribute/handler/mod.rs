//! A handler becomes a unit struct of its own name that implements axum's `Handler`.

mod attributes;
mod check;
mod declaration;
mod expand;

use proc_macro2::TokenStream;
use quote::ToTokens as _;

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
    function.remove_second_attribute(faults);
    match check::check(&function.signature, faults) {
        Shape::Handler(parameters) => expand::handler(arguments, &function, &parameters),
        Shape::Broken => expand::broken(arguments, &function),
        Shape::Plain => function.into_token_stream(),
    }
}
