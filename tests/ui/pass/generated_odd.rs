#![no_implicit_prelude]
#![deny(warnings, missing_docs, missing_debug_implementations, unreachable_pub, unused_qualifications)]

//! The generated code of a catalogue, under denied lints and without the prelude.

mod limits {
    use ::tollgate as __tollgate;

    ::core::include!("../../golden/odd/catalogue.rs");
}

fn main() {
    let _ = limits::Class::ALL;
}
