//! `#[rate_limited(..)]`: parse, check, expand.
//!
//! The item is emitted whatever is wrong with the arguments, and the mistakes come last: rustc then
//! reports them alone, and an editor that expands half-typed code sees the same items as before.

mod arguments;
mod budget;
mod entry;
mod function;
mod guard;
mod handler;
#[cfg(test)]
mod tests;

use proc_macro2::TokenStream;
use quote::quote;
use syn::Attribute;

use crate::faults::Faults;
use arguments::Arguments;
use function::Function;

pub(crate) fn expand(arguments: &TokenStream, item: TokenStream) -> TokenStream {
    let mut faults = Faults::default();
    let parsed = Arguments::parse(arguments.clone(), &mut faults);
    let items = match syn::parse2::<Function>(item.clone()) {
        Ok(mut function) => match function.take_utoipa() {
            Some(utoipa) => return after(&utoipa, &parsed, arguments, &function),
            None if parsed.guard.is_some() => guard::expand(&parsed, function, &mut faults),
            None => handler::expand(&parsed, function, &mut faults),
        },
        Err(error) => {
            faults.extend([error]);
            item
        }
    };
    quote!(#items #faults)
}

/// Lets `#[utoipa::path(..)]` go first: what it generates belongs beside the handler, and it reads
/// the function, not the struct that becomes of it.
fn after(
    utoipa: &Attribute,
    parsed: &Arguments,
    arguments: &TokenStream,
    function: &Function,
) -> TokenStream {
    let krate = parsed.krate();
    quote!(#utoipa #[#krate::rate_limited(#arguments)] #function)
}
