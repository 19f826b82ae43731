//! The pages of the guide for those who come from other crates, each a module whose tests are its
//! programs.

#[doc = include_str!("../../guide/from-governor.md")]
pub mod governor {}

#[doc = include_str!("../../guide/from-tower-governor.md")]
pub mod tower_governor {}

#[doc = include_str!("../../guide/from-actix-governor.md")]
pub mod actix_governor {}
