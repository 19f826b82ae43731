//! The integration tests, one module a subject.

mod config;
