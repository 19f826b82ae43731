//! What a generated catalogue looks like from the outside: a closed set of classes, a closed set of
//! actions, and what each of them says of itself.

use std::fmt;
use std::hash::Hash;
use std::str::FromStr;

use crate::limits::Limits;
use crate::nearest::nearest;
pub use crate::no_classes::NoClasses;

/// The closed set of rate-limit classes of one catalogue; implemented by the generated `Class` enum.
///
/// Nobody implements this by hand: the enum comes from a spec, through `tollgate-codegen`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a generated catalogue of rate-limit classes",
    note = "use the `Class` enum that the build generated from the spec"
)]
pub trait Catalogue:
    Copy + Eq + Hash + fmt::Debug + fmt::Display + FromStr<Err = UnknownName> + Send + Sync + 'static
{
    /// The actions of the same catalogue.
    type Action: ActionCatalogue<Class = Self>;

    /// Every class, in the catalogue's order.
    const ALL: &'static [Self];

    /// The position of this class in [`ALL`](Self::ALL).
    fn index(self) -> usize;

    /// What the catalogue says of this class.
    fn definition(self) -> &'static ClassDefinition;
}

/// The closed set of actions of one catalogue; implemented by the generated `Action` enum.
pub trait ActionCatalogue:
    Copy + Eq + Hash + fmt::Debug + fmt::Display + FromStr<Err = UnknownName> + Send + Sync + 'static
{
    /// The classes of the same catalogue.
    type Class: Catalogue<Action = Self>;

    /// Every action, in the catalogue's order.
    const ALL: &'static [Self];

    /// What the catalogue says of every action, in the same order.
    const DEFINITIONS: &'static [ActionDefinition<Self::Class>];

    /// The position of this action in [`ALL`](Self::ALL).
    fn index(self) -> usize;

    /// What the catalogue says of this action.
    fn definition(self) -> &'static ActionDefinition<Self::Class>;
}

/// One row of the catalogue's table of classes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClassDefinition {
    /// The name, as in `rl.read`.
    pub name: &'static str,
    /// What a bucket of this class is keyed by.
    pub key_kind: KeyKind,
    /// The default limits.
    pub limits: Limits,
    /// Where actions of this class may enter.
    pub surface: Surface,
    /// Whether the class may stand unused.
    pub reserved: bool,
    /// What the class is used for, in the catalogue's words.
    pub used_for: &'static str,
    /// The configuration keys of the class, complete, in the order of the reference.
    pub configuration_keys: &'static [&'static str],
}

/// One entry of the catalogue's list of actions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ActionDefinition<C: 'static> {
    /// The id, as in `message.send`.
    pub id: &'static str,
    /// The class that the action uses.
    pub class: C,
    /// The tokens that one call of the action takes.
    pub cost: u32,
    /// Where the action enters.
    pub surface: Surface,
    /// Method and path, for actions that enter by HTTP.
    pub operation: Option<Operation>,
}

/// Where an action enters the product, and which entrances a class serves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Surface {
    /// Both.
    Any,
    /// A long-lived connection.
    Gateway,
    /// An HTTP request.
    Rest,
}

/// What a bucket is keyed by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum KeyKind {
    /// The agent that acts.
    Agent,
    /// The client that the caller's credentials were issued to.
    Client,
    /// The address of the client; IPv6 by its network.
    ClientIp,
    /// The connection, as the gateway names it.
    Connection,
    /// What the user's own function says.
    Custom,
    /// The device id, else the API token id.
    DeviceOrToken,
    /// The principal on whose behalf the actor acts.
    EffectivePrincipal,
    /// Everybody together.
    Global,
    /// The value of a request header of this name.
    Header(&'static str),
    /// The host that the request concerns.
    Host,
    /// The human behind the caller.
    Human,
    /// The incoming webhook of the path.
    IncomingWebhook,
    /// The acting principal.
    Principal,
    /// The tenant.
    Tenant,
}

/// Method and path of an action.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Operation {
    /// The method, in upper case.
    pub method: &'static str,
    /// The path with its parameters in braces, as in `/v1/channels/{channel_id}`.
    pub path: &'static str,
}

/// A name that the catalogue does not have.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown {what} `{given}`{}", self.nearest.map(|near| format!("; did you mean `{near}`?")).unwrap_or_default())]
pub struct UnknownName {
    what: &'static str,
    given: String,
    nearest: Option<&'static str>,
}

impl UnknownName {
    /// `given` is no `what`; `known` are the names there are.
    pub(crate) fn new(
        what: &'static str,
        given: &str,
        known: impl Iterator<Item = &'static str>,
    ) -> Self {
        Self { what, given: given.to_owned(), nearest: nearest(given, known) }
    }
}

impl fmt::Display for Surface {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Any => "any",
            Self::Gateway => "gateway",
            Self::Rest => "rest",
        })
    }
}

/// Includes the catalogue that the package's own `build.rs` generated: the enums `Class` and `Action`.
///
/// Call it in a module, or at the top of a crate whose only content is the catalogue. The package has
/// the two files of its spec in `spec/`, `tollgate-codegen` among its build dependencies, and this
/// line in its `build.rs`:
///
/// ```no_run
/// // The `main` of `build.rs`:
/// tollgate_codegen::build();
/// ```
///
/// Then
///
/// ```
/// pub mod limits {
///     tollgate::catalogue!();
/// }
/// ```
///
/// gives `limits::Class`, which works wherever the class of the reference catalogue does, as in
/// `#[rate_limited(limits::Class::Read)]` and `Limiter<limits::Class>`; also from other crates, and
/// when the dependency has another name.
#[macro_export]
macro_rules! catalogue {
    () => {
        use $crate::__private::root as __tollgate;

        ::core::include!(::core::concat!(
            ::core::env!(
                "OUT_DIR",
                "this package generates no catalogue; write a `build.rs` with the line \
                 `fn main() { tollgate_codegen::build(); }`"
            ),
            "/tollgate_catalogue.rs"
        ));
    };
}
