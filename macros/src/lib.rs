//! The attribute and routing macros of tollgate.
//!
//! Use them through the `tollgate` crate, which documents them where it exports them. Nothing here
//! reads a catalogue: a class is a path, and the compiler knows whether it exists.

mod attribute;
mod faults;
mod key;
mod routes;

use proc_macro::TokenStream;

#[expect(missing_docs, reason = "documented where `tollgate` exports it")]
#[proc_macro_attribute]
pub fn rate_limited(arguments: TokenStream, item: TokenStream) -> TokenStream {
    attribute::expand(&arguments.into(), item.into()).into()
}

#[doc(hidden)]
#[proc_macro]
pub fn routes(input: TokenStream) -> TokenStream {
    routes::expand(input.into()).into()
}

#[expect(missing_docs, reason = "documented where `tollgate` exports it")]
#[proc_macro_derive(ToKey, attributes(to_key))]
pub fn to_key(input: TokenStream) -> TokenStream {
    key::expand(input.into()).into()
}
