//! The guide: one chapter a theme.
//!
//! | Chapter | What it shows |
//! |---|---|
//! | [`first_limit`] | A handler, a class, a gate: what a client sees |
//! | [`routing`] | A router that takes no handler without a limit, and lists checked by the catalogue |
//! | [`keys_and_callers`] | Whose bucket it is, and who is anonymous |
//! | [`proxies`] | The client's address behind load balancers |
//! | [`failed_credentials`] | Guessing tokens and passwords |
//! | [`budgets`] | Limits without a class: of one handler, of the host, at the edge |
//! | [`config`](crate::config) | Files, the environment, policies, and every fault at once |
//! | [`problem_documents`] | What a refused client reads, and how to say it in your words |
//! | [`cors`] | Browsers |
//! | [`gateway`] | The same limiter for long-lived connections |
//! | [`without_http`] | Decisions, keys, guarded calls, several limits at once |
//! | [`live`] | Other limits while the program runs, for nobody yet, or for some callers |
//! | [`observers`] | Metrics and events that name nobody |
//! | [`cluster`] | Buckets that all nodes share, and what happens when their store does not answer |
//! | [`frameworks`] | axum, tower, hyper, tonic, actix-web, and none |
//! | [`openapi`] | A document that says what its operations are limited to |
//! | [`own_catalogue`] | Two files, one line, one macro call |
//! | [`command_line`] | What is wrong with a catalogue, what a class means, what a change does |
//! | [`from_governor`], [`from_tower_governor`], [`from_actix_governor`] | The same program before and after, what maps to what, what differs on purpose |

#[doc = include_str!("../docs/guide/first-limit.md")]
pub mod first_limit {}

#[doc = include_str!("../docs/guide/routing.md")]
pub mod routing {}

#[doc = include_str!("../docs/guide/keys-and-callers.md")]
pub mod keys_and_callers {}

#[doc = include_str!("../docs/guide/proxies.md")]
pub mod proxies {}

#[doc = include_str!("../docs/guide/failed-credentials.md")]
pub mod failed_credentials {}

#[doc = include_str!("../docs/guide/budgets.md")]
pub mod budgets {}

#[doc = include_str!("../docs/guide/problem-documents.md")]
pub mod problem_documents {}

#[doc = include_str!("../docs/guide/cors.md")]
pub mod cors {}

#[doc = include_str!("../docs/guide/gateway.md")]
pub mod gateway {}

#[doc = include_str!("../docs/guide/without-http.md")]
pub mod without_http {}

#[doc = include_str!("../docs/guide/live.md")]
pub mod live {}

#[doc = include_str!("../docs/guide/observers.md")]
pub mod observers {}

#[doc = include_str!("../docs/guide/cluster.md")]
pub mod cluster {}

// The programs of these two are tested in `contract`, which has all frameworks.
#[cfg(not(doctest))]
#[doc = include_str!("../docs/guide/frameworks.md")]
pub mod frameworks {}

#[cfg(not(doctest))]
#[doc = include_str!("../docs/guide/openapi.md")]
pub mod openapi {}

#[doc = include_str!("../docs/guide/own-catalogue.md")]
pub mod own_catalogue {}

#[doc = include_str!("../docs/guide/command-line.md")]
pub mod command_line {}

// The pages for those who come from other crates are tested in `docs/migration`, which depends on them.

#[cfg(not(doctest))]
#[doc = include_str!("../docs/guide/from-governor.md")]
pub mod from_governor {}

#[cfg(not(doctest))]
#[doc = include_str!("../docs/guide/from-tower-governor.md")]
pub mod from_tower_governor {}

#[cfg(not(doctest))]
#[doc = include_str!("../docs/guide/from-actix-governor.md")]
pub mod from_actix_governor {}
