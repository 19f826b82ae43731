//! [`RequestView`]: what the gate sees of a request.

use std::fmt;
use std::net::IpAddr;

use http::request::Parts;

/// What the gate sees of a request: its head, and what only the framework knows of it.
///
/// ```
/// # let (parts, ()) = http::Request::new(()).into_parts();
/// use tollgate::http::RequestView;
///
/// let view = RequestView::new(&parts).peer("192.0.2.7".parse().ok()).route(Some("/v1/search"));
/// ```
#[derive(Clone, Copy)]
pub struct RequestView<'a> {
    parts: &'a Parts,
    peer: Option<IpAddr>,
    route: Route<'a>,
    path_parameter: Option<&'a PathParameter<'a>>,
}

/// The template of the route that matched.
#[derive(Clone, Copy)]
enum Route<'a> {
    Given(Option<&'a str>),
    /// Where to find it, when somebody asks; most requests are admitted, and nobody does.
    #[cfg(feature = "axum")]
    In(fn(&Parts) -> Option<&str>),
}

type PathParameter<'a> = dyn Fn(&str) -> Option<&'a str> + Sync + 'a;

impl<'a> RequestView<'a> {
    /// A request of which only the head is known.
    #[must_use]
    #[inline]
    pub fn new(parts: &'a Parts) -> Self {
        Self { parts, peer: None, route: Route::Given(None), path_parameter: None }
    }

    /// The address of the other end of the connection, which may be a proxy.
    #[must_use]
    #[inline]
    pub fn peer(self, peer: Option<IpAddr>) -> Self {
        Self { peer, ..self }
    }

    /// The template of the route that matched, as in `/v1/channels/{channel_id}`.
    #[must_use]
    pub fn route(self, template: Option<&'a str>) -> Self {
        Self { route: Route::Given(template), ..self }
    }

    /// The same, found when it is needed.
    #[cfg(feature = "axum")]
    #[inline]
    pub(crate) fn route_in(self, find: fn(&Parts) -> Option<&str>) -> Self {
        Self { route: Route::In(find), ..self }
    }

    /// Reads a parameter of the path by its name, decoded; asked only for kinds of keys that need it.
    #[must_use]
    #[inline]
    pub fn path_parameter(self, read: &'a PathParameter<'a>) -> Self {
        Self { path_parameter: Some(read), ..self }
    }

    pub(crate) fn parts(&self) -> &'a Parts {
        self.parts
    }

    /// The same with this peer, unless the framework knew it.
    pub(crate) fn or_peer(self, peer: Option<IpAddr>) -> Self {
        Self { peer: self.peer.or(peer), ..self }
    }

    pub(super) fn peer_address(&self) -> Option<IpAddr> {
        self.peer
    }

    pub(crate) fn template(&self) -> Option<&'a str> {
        match self.route {
            Route::Given(template) => template,
            #[cfg(feature = "axum")]
            Route::In(find) => find(self.parts),
        }
    }

    pub(super) fn parameter(&self, name: &str) -> Option<&'a str> {
        self.path_parameter.and_then(|read| read(name))
    }
}

/// Names neither an address nor a credential: only the method and the route.
impl fmt::Debug for RequestView<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RequestView")
            .field("method", &self.parts.method)
            .field("route", &self.template())
            .finish_non_exhaustive()
    }
}
