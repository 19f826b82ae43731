//! The rate limits of a library's service, from the two files in `spec/`.

#![deny(warnings, missing_docs, clippy::pedantic)]

tollgate::catalogue!();
