//! What a limited service answers, said once and tested over every framework.
//!
//! `contract` is the one file of rules. A host is a small service of a framework with the
//! same routes and the same limits as all others; it translates requests and answers.

#[cfg(test)]
mod contract;
#[cfg(test)]
mod host;
#[cfg(test)]
mod hosts;

// The chapters of the guide whose programs need more than the library does.
#[cfg(doctest)]
#[doc = include_str!("../../docs/guide/frameworks.md")]
mod frameworks {}
#[cfg(doctest)]
#[doc = include_str!("../../docs/guide/openapi.md")]
mod openapi {}
