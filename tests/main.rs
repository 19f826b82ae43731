//! The integration tests, one module a subject.

mod catalogue;
mod config;
