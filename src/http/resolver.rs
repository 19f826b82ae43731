//! [`Resolver`]: from a request and a kind of key to the subject whose bucket it is.

use std::borrow::Cow;
use std::fmt;
use std::net::IpAddr;
use std::sync::{Arc, Once};

use super::client_ip::ClientIp;
use super::view::RequestView;
use crate::caller::{Caller, Identity, NOBODY, Subject};
use crate::catalogue::KeyKind;
use crate::config::{Anonymous, MissingHeader};
use crate::key::Key;

/// The parameter of the path that names an incoming webhook.
const WEBHOOK_ID: &str = "webhook_id";

type Callers = dyn Fn(&RequestView<'_>) -> Caller + Send + Sync;
type Custom = dyn Fn(&str, &RequestView<'_>, &Caller) -> Option<Key> + Send + Sync;
type Peers = dyn Fn(&RequestView<'_>) -> Option<IpAddr> + Send + Sync;
type Tiers = dyn Fn(&Caller) -> Option<Cow<'static, str>> + Send + Sync;
type WebhookIds = dyn Fn(&str) -> Option<String> + Send + Sync;

/// Everything that tells whose bucket it is.
#[derive(Clone)]
pub(super) struct Resolver {
    pub(super) client_ip: ClientIp,
    pub(super) callers: Option<Arc<Callers>>,
    pub(super) custom: Option<Arc<Custom>>,
    pub(super) peers: Option<Arc<Peers>>,
    pub(super) tiers: Option<Arc<Tiers>>,
    pub(super) webhook_ids: Option<Arc<WebhookIds>>,
    pub(super) complaint: Arc<Once>,
}

/// How a limit wants its subjects.
#[derive(Clone, Copy, Debug)]
pub(super) struct Wanted<'a> {
    /// The name of the limit, for the function of custom keys.
    pub(super) name: &'a str,
    pub(super) kind: KeyKind,
    pub(super) anonymous: Anonymous,
    pub(super) missing: MissingHeader,
}

/// What a request is to a limit.
#[derive(Debug)]
pub(super) enum Resolution<'a> {
    /// The limit does not concern it.
    Bypass,
    /// It takes from the bucket of this subject.
    Subject(Subject<'a>),
    /// Nobody can be named, and passing is not allowed.
    Unresolved,
}

impl Resolver {
    /// The subject of a request, in the kind that is wanted.
    #[inline]
    pub(super) fn resolve<'a>(
        &self,
        wanted: Wanted<'_>,
        request: &'a RequestView<'_>,
        caller: &'a Caller,
    ) -> Resolution<'a> {
        let found = match wanted.kind {
            KeyKind::ClientIp => Some(self.client(request)),
            KeyKind::Custom => self.custom(wanted.name, request, caller),
            KeyKind::Global => Some(Subject(Identity::Everybody)),
            KeyKind::Header(name) => return header(name, wanted.missing, request),
            KeyKind::IncomingWebhook => return self.webhook(request),
            of_the_caller => caller.subject(of_the_caller),
        };
        match found {
            Some(subject) => Resolution::Subject(subject),
            None => self.without_identity(wanted, request, caller),
        }
    }

    /// The caller of a request: what the user's function says, else what an authenticating layer
    /// put into the extensions, else nobody.
    #[inline]
    pub(super) fn caller<'a>(&self, request: &'a RequestView<'_>) -> Cow<'a, Caller> {
        if let Some(callers) = &self.callers {
            return Cow::Owned(callers(request));
        }
        Cow::Borrowed(request.extensions().get().unwrap_or(&NOBODY))
    }

    /// The tier of a caller, whose limits and buckets are its own.
    #[inline]
    pub(super) fn tier(&self, caller: &Caller) -> Option<Cow<'static, str>> {
        self.tiers.as_ref()?(caller)
    }

    /// The full address of the client, when the peer is known.
    #[inline]
    pub(super) fn address(&self, request: &RequestView<'_>) -> Option<IpAddr> {
        let peer = match &self.peers {
            Some(peers) => peers(request),
            None => request.peer_address(),
        };
        Some(self.client_ip.resolve(peer?, request.headers()))
    }

    /// The client by its address; all without one are one, because passing them would be no limit
    /// and refusing them would be an outage.
    #[inline]
    pub(super) fn client(&self, request: &RequestView<'_>) -> Subject<'static> {
        let Some(address) = self.address(request) else {
            self.complain();
            return Subject(Identity::UnknownClient);
        };
        Subject(Identity::ClientIp(self.client_ip.masked(address)))
    }

    #[cold]
    fn complain(&self) {
        self.complaint.call_once(|| {
            tracing::error!(
                "a request has no peer address, so all such clients share one bucket a class; \
                 with axum, serve with `into_make_service_with_connect_info::<SocketAddr>()`, \
                 elsewhere give the gate the address with `GateBuilder::peer_address`"
            );
        });
    }

    fn custom(
        &self,
        limit: &str,
        request: &RequestView<'_>,
        caller: &Caller,
    ) -> Option<Subject<'static>> {
        let key = self.custom.as_ref()?(limit, request, caller)?;
        Some(Subject(Identity::Custom(key)))
    }

    /// The webhook of the path. An id that is no text, or that the canonicalising function does not
    /// accept, belongs to no webhook, so guesses count against the client: a bucket for each would
    /// be no limit. A route without the parameter is a mistake, which must not pass unseen.
    fn webhook<'a>(&self, request: &'a RequestView<'_>) -> Resolution<'a> {
        let of_no_webhook = || Resolution::Subject(self.client(request));
        let Some(id) = request.parameter(WEBHOOK_ID).filter(|id| !id.is_empty()) else {
            let is_parameter =
                |part: &str| part.trim_matches(['{', '}']).trim_start_matches('*') == WEBHOOK_ID;
            let named = request.template().is_some_and(|path| path.split('/').any(is_parameter));
            return if named { of_no_webhook() } else { Resolution::Unresolved };
        };
        let id = match &self.webhook_ids {
            Some(canonical) => canonical(id).map(Cow::Owned),
            None => Some(Cow::Borrowed(id)),
        };
        match id {
            Some(id) => Resolution::Subject(Subject(Identity::Webhook(id))),
            None => of_no_webhook(),
        }
    }

    /// A caller who has no identity of the kind that is wanted.
    #[inline]
    fn without_identity<'a>(
        &self,
        wanted: Wanted<'_>,
        request: &RequestView<'_>,
        caller: &Caller,
    ) -> Resolution<'a> {
        let by_address = || Resolution::Subject(self.client(request));
        if !caller.is_anonymous() {
            // A caller without a client is as common as one without credentials; a caller who lacks
            // any other identity is a mistake, which must not pass for somebody else.
            let stands_for_itself =
                wanted.kind == KeyKind::Client && wanted.anonymous != Anonymous::Deny;
            return if stands_for_itself { by_address() } else { Resolution::Unresolved };
        }
        match wanted.anonymous {
            Anonymous::Bypass => Resolution::Bypass,
            Anonymous::ClientIp => by_address(),
            Anonymous::Deny => Resolution::Unresolved,
            Anonymous::Shared => Resolution::Subject(Subject(Identity::Anonymous)),
        }
    }
}

/// The one value of a header; none, an empty one and several are all the same as none.
pub(super) fn header<'a>(
    name: &str,
    missing: MissingHeader,
    request: &'a RequestView<'_>,
) -> Resolution<'a> {
    let mut values = request.headers().get_all(name).iter();
    match (values.next().map(http::HeaderValue::as_bytes), values.next()) {
        (Some(value), None) if !value.is_empty() => {
            Resolution::Subject(Subject(Identity::Header(Cow::Borrowed(value))))
        }
        _ => match missing {
            MissingHeader::Bypass => Resolution::Bypass,
            MissingHeader::Shared => Resolution::Subject(Subject(Identity::WithoutHeader)),
        },
    }
}

impl fmt::Debug for Resolver {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Resolver").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
