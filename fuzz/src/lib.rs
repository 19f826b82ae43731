//! What holds for every input, by the part of the library that reads it. A law takes the bytes of a case and panics where
//! it does not hold; a fuzzer looks for such cases, and the tests of the library replay the ones that are kept in `seeds/`.

pub mod catalogue;
pub mod client_ip;
pub mod configuration;
pub mod fields;
mod input;
pub mod keys;

/// A law, and its name, which is also that of its target and of the folder of its seeds.
pub type Law = (&'static str, fn(&[u8]));

/// All laws.
pub const ALL: [Law; 5] = [
    ("catalogue", catalogue::holds),
    ("client_ip", client_ip::holds),
    ("configuration", configuration::holds),
    ("fields", fields::holds),
    ("keys", keys::holds),
];
