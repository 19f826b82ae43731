//! Turns a catalogue of rate-limit classes into Rust: the generator behind
//! [tollgate](https://docs.rs/tollgate).
//!
//! A catalogue is two files. A chapter of Markdown has a table of rate-limit classes under the heading
//! "Rate-limit classes":
//!
//! ```text
//! | Class | Key | Per minute | Burst | Surface | Reserved | Used for |
//! |---|---|---|---|---|---|---|
//! | rl.read | principal | 600 | 120 | rest | | reading messages |
//! ```
//!
//! A list of actions in YAML says which class each of them uses:
//!
//! ```yaml
//! - id: message.list
//!   class: rl.read
//!   surface: rest
//!   operation: GET /channels/{channel_id}/messages
//! ```
//!
//! A build script checks both and generates the closed enums `Class` and `Action`, which
//! `tollgate::catalogue!()` brings into a module:
//!
//! ```no_run
//! // The `main` of `build.rs`:
//! tollgate_codegen::build();
//! ```
//!
//! # The table of classes
//!
//! | column | in it |
//! |---|---|
//! | Class | a name: `rl.` and words of `a` to `z`, `0` to `9` and `_`, each starting with a letter, separated by dots |
//! | Key | what a bucket is kept for: `client IP`, `principal`, `effective principal`, `client`, `device or token`, `connection`, `agent`, `incoming webhook`, `human`, `host`, `tenant`, `header X-Name`, `global` or `custom` |
//! | Per minute | the tokens that a bucket gains in a minute, 1 to 600000000 |
//! | Burst | the tokens that a bucket holds, 1 to 4294967295 |
//! | Surface | the entrances it serves: `rest` (HTTP requests), `gateway` (long-lived connections) or `any` |
//! | Reserved | `yes` when the class may stand unused |
//! | Used for | a few words for its documentation |
//!
//! The columns may stand in any order, and others beside them. `rl.public_auth` becomes
//! `Class::PublicAuth`. [`Spec`] has other names for files, heading and columns, and another prefix.
//!
//! # The list of actions
//!
//! | key | in it |
//! |---|---|
//! | `id` | a name like that of a class, without a prefix: `message.send` becomes `Action::MessageSend` |
//! | `class` | the name of a class |
//! | `surface` | where it enters, `rest` or `gateway` |
//! | `cost` | the tokens of one call, 1 where it is absent and at most the burst of the class |
//! | `operation` | method and path of a `rest` action: `DELETE`, `GET`, `HEAD`, `OPTIONS`, `PATCH`, `POST` or `PUT`, and segments of which `{name}` and a last `{*rest}` are parameters |
//!
//! # What is wrong
//!
//! Every [`Problem`] of both files is reported in one run, as `file:line:column: message`:
//!
//! ```
//! let chapter = "\
//! ## Rate-limit classes
//! | Class | Key | Per minute | Burst | Surface | Reserved | Used for |
//! |---|---|---|---|---|---|---|
//! | rl.read | principle | 600 | 120 | rest | | reading |
//! ";
//! let actions = "\
//! - id: message.list
//!   class: rl.raed
//!   surface: rest
//!   operation: get /messages
//! ";
//! let problems = tollgate_codegen::Spec::new().check(chapter, actions).unwrap_err();
//! let lines: Vec<String> = problems.iter().map(ToString::to_string).collect();
//! assert_eq!(
//!     lines,
//!     [
//!         "spec/05-actions.md:4:13: unknown key kind `principle`; did you mean `principal`?",
//!         "spec/actions.yaml:2:10: unknown class `rl.raed`; did you mean `rl.read`?",
//!         "spec/actions.yaml:4:14: unknown method `get`; did you mean `GET`?",
//!     ]
//! );
//! ```

mod actions;
mod catalogue;
mod chapter;
mod check;
mod classes;
mod collision;
mod configuration;
mod key_kind;
mod keys;
mod markdown;
mod name;
mod number;
mod operation;
mod problem;
mod routes;
mod rust;
mod script;
mod settings;
mod source;
mod spec;
mod table;
mod words;
mod yaml;

pub use catalogue::{Action, Catalogue, Class, Operation, Surface};
pub use key_kind::KeyKind;
pub use problem::{Position, Problem};
pub use script::build;
pub use settings::Setting;
pub use spec::{Column, Spec};
