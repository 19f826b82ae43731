// Written by hand in the shape of the generated code, until the generator replaces it.

/// The rate-limit classes of the catalogue.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Class {
    /// `rl.public_auth`.
    PublicAuth,
    /// `rl.read`.
    Read,
    /// `rl.export`.
    Export,
    /// `rl.typing`.
    Typing,
}

impl Class {
    /// Every class, in the catalogue's order.
    pub const ALL: &'static [Self] = &[Self::PublicAuth, Self::Read, Self::Export, Self::Typing];

    const DEFINITIONS: &'static [__tollgate::catalogue::ClassDefinition] = &[
        __tollgate::catalogue::ClassDefinition {
            name: "rl.public_auth",
            key_kind: __tollgate::catalogue::KeyKind::ClientIp,
            limits: __tollgate::__private::limits(20, 10),
            surface: __tollgate::catalogue::Surface::Rest,
            reserved: false,
            used_for: "login",
            configuration_keys: &[
                "ratelimit.rl.public_auth.per_minute",
                "ratelimit.rl.public_auth.burst",
            ],
        },
        __tollgate::catalogue::ClassDefinition {
            name: "rl.read",
            key_kind: __tollgate::catalogue::KeyKind::Principal,
            limits: __tollgate::__private::limits(600, 120),
            surface: __tollgate::catalogue::Surface::Rest,
            reserved: false,
            used_for: "reading",
            configuration_keys: &["ratelimit.rl.read.per_minute", "ratelimit.rl.read.burst"],
        },
        __tollgate::catalogue::ClassDefinition {
            name: "rl.export",
            key_kind: __tollgate::catalogue::KeyKind::Principal,
            limits: __tollgate::__private::limits(6, 2),
            surface: __tollgate::catalogue::Surface::Rest,
            reserved: false,
            used_for: "exports",
            configuration_keys: &["ratelimit.rl.export.per_minute", "ratelimit.rl.export.burst"],
        },
        __tollgate::catalogue::ClassDefinition {
            name: "rl.typing",
            key_kind: __tollgate::catalogue::KeyKind::Connection,
            limits: __tollgate::__private::limits(30, 10),
            surface: __tollgate::catalogue::Surface::Gateway,
            reserved: false,
            used_for: "typing",
            configuration_keys: &["ratelimit.rl.typing.per_minute", "ratelimit.rl.typing.burst"],
        },
    ];

    /// What the catalogue says of this class.
    #[must_use]
    pub const fn definition(self) -> &'static __tollgate::catalogue::ClassDefinition {
        &Self::DEFINITIONS[self as usize]
    }

    /// The name, as in `rl.read`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        self.definition().name
    }

    #[doc(hidden)]
    #[track_caller]
    #[must_use]
    pub const fn __declaration(self) -> __tollgate::Declaration<Self> {
        match self {
            Self::Typing => panic!(
                "`rl.typing` is a class of the gateway and cannot limit an HTTP handler; \
                 declare a class whose surface is `rest` or `any`"
            ),
            _ => __tollgate::__private::class_declaration(self),
        }
    }
}

impl __tollgate::__private::InCatalogue for Class {
    type Class = Self;
}

impl __tollgate::catalogue::Catalogue for Class {
    type Action = Action;
    const ALL: &'static [Self] = Self::ALL;
    fn index(self) -> usize {
        self as usize
    }
    fn definition(self) -> &'static __tollgate::catalogue::ClassDefinition {
        self.definition()
    }
}

impl ::core::fmt::Display for Class {
    fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
        f.write_str(self.name())
    }
}

impl ::core::str::FromStr for Class {
    type Err = __tollgate::catalogue::UnknownName;
    fn from_str(name: &str) -> ::core::result::Result<Self, Self::Err> {
        __tollgate::__private::class_from_name(name)
    }
}

/// The actions of the catalogue.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Action {
    /// `message.list`.
    MessageList,
}

impl Action {
    /// Every action, in the catalogue's order.
    pub const ALL: &'static [Self] = &[Self::MessageList];

    const DEFINITIONS: &'static [__tollgate::catalogue::ActionDefinition<Class>] =
        &[__tollgate::catalogue::ActionDefinition {
            id: "message.list",
            class: Class::Read,
            cost: 1,
            surface: __tollgate::catalogue::Surface::Rest,
            operation: ::core::option::Option::Some(__tollgate::catalogue::Operation {
                method: "GET",
                path: "/v1/channels/{channel_id}/messages",
            }),
        }];

    /// What the catalogue says of this action.
    #[must_use]
    pub const fn definition(self) -> &'static __tollgate::catalogue::ActionDefinition<Class> {
        &Self::DEFINITIONS[self as usize]
    }

    #[doc(hidden)]
    #[track_caller]
    #[must_use]
    pub const fn __declaration(self) -> __tollgate::Declaration<Class> {
        __tollgate::__private::action_declaration(self.definition())
    }
}

impl __tollgate::__private::InCatalogue for Action {
    type Class = Class;
}

impl __tollgate::catalogue::ActionCatalogue for Action {
    type Class = Class;
    const ALL: &'static [Self] = Self::ALL;
    fn index(self) -> usize {
        self as usize
    }
    fn definition(self) -> &'static __tollgate::catalogue::ActionDefinition<Class> {
        self.definition()
    }
}

impl ::core::fmt::Display for Action {
    fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
        f.write_str(self.definition().id)
    }
}

impl ::core::str::FromStr for Action {
    type Err = __tollgate::catalogue::UnknownName;
    fn from_str(id: &str) -> ::core::result::Result<Self, Self::Err> {
        __tollgate::__private::action_from_id(id)
    }
}
