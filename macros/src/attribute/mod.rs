//! `#[rate_limited(..)]`: parse, check, expand.
//!
//! The item is emitted whatever is wrong with the arguments, and the mistakes come last: rustc then
//! reports them alone, and an editor that expands half-typed code sees the same items as before.

mod arguments;
mod budget;
mod function;
mod handler;

use proc_macro2::TokenStream;
use quote::quote;

use crate::faults::Faults;
use arguments::Arguments;
use function::Function;

pub(crate) fn expand(arguments: TokenStream, item: TokenStream) -> TokenStream {
    let mut faults = Faults::default();
    let arguments = Arguments::parse(arguments, &mut faults);
    let items = match syn::parse2::<Function>(item.clone()) {
        Ok(function) => handler::expand(&arguments, function, &mut faults),
        Err(error) => {
            faults.extend([error]);
            item
        }
    };
    quote!(#items #faults)
}
