//! The HTTP front.

mod gate;
mod support;
