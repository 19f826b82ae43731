//! [`RequestView`]: what the gate sees of a request.

use std::fmt;
use std::net::IpAddr;

use http::request::Parts;
use http::{Extensions, HeaderMap, Method, Request, Uri, Version};

/// What the gate sees of a request: its head, and what only the framework knows of it.
///
/// ```
/// # let request = http::Request::new(());
/// use tollgate::http::RequestView;
///
/// let view = RequestView::of(&request).peer("192.0.2.7".parse().ok()).route(Some("/v1/search"));
/// assert_eq!(view.method(), http::Method::GET);
/// ```
#[derive(Clone, Copy)]
pub struct RequestView<'a> {
    head: Head<'a>,
    path_parameter: Option<&'a PathParameter<'a>>,
}

/// All of it but the parameters of the path.
#[derive(Clone, Copy)]
pub(super) struct Head<'a> {
    method: &'a Method,
    uri: &'a Uri,
    version: Version,
    pub(super) headers: &'a HeaderMap,
    extensions: &'a Extensions,
    peer: Peer,
    route: Route<'a>,
}

/// The address of the other end of the connection.
#[derive(Clone, Copy)]
enum Peer {
    Given(Option<IpAddr>),
    /// Where to find it, when somebody asks: not every limit is by address.
    In(fn(&Extensions) -> Option<IpAddr>),
}

/// The template of the route that matched.
#[derive(Clone, Copy)]
enum Route<'a> {
    Given(Option<&'a str>),
    /// Where to find it, when somebody asks; most requests are admitted, and nobody does.
    #[cfg(feature = "axum")]
    In(fn(&Extensions) -> Option<&str>),
}

type PathParameter<'a> = dyn Fn(&str) -> Option<&'a str> + Sync + 'a;

impl<'a> RequestView<'a> {
    /// A request that is taken apart.
    #[must_use]
    #[inline]
    pub fn new(parts: &'a Parts) -> Self {
        Self::of_head(Head {
            method: &parts.method,
            uri: &parts.uri,
            version: parts.version,
            headers: &parts.headers,
            extensions: &parts.extensions,
            peer: Peer::Given(None),
            route: Route::Given(None),
        })
    }

    /// A whole request. Its body is not looked at.
    #[must_use]
    #[inline]
    pub fn of<B>(request: &'a Request<B>) -> Self {
        Self::of_head(Head {
            method: request.method(),
            uri: request.uri(),
            version: request.version(),
            headers: request.headers(),
            extensions: request.extensions(),
            peer: Peer::Given(None),
            route: Route::Given(None),
        })
    }

    #[inline]
    pub(super) fn of_head(head: Head<'a>) -> Self {
        Self { head, path_parameter: None }
    }

    pub(super) fn head(&self) -> Head<'a> {
        self.head
    }

    /// The address of the other end of the connection, which may be a proxy.
    #[must_use]
    #[inline]
    pub fn peer(mut self, peer: Option<IpAddr>) -> Self {
        self.head.peer = Peer::Given(peer);
        self
    }

    /// The same, found when it is needed.
    #[inline]
    pub(crate) fn peer_in(mut self, find: fn(&Extensions) -> Option<IpAddr>) -> Self {
        self.head.peer = Peer::In(find);
        self
    }

    /// The template of the route that matched, as in `/v1/channels/{channel_id}`.
    #[must_use]
    pub fn route(mut self, template: Option<&'a str>) -> Self {
        self.head.route = Route::Given(template);
        self
    }

    /// The same, found when it is needed.
    #[cfg(feature = "axum")]
    #[inline]
    pub(crate) fn route_in(mut self, find: fn(&Extensions) -> Option<&str>) -> Self {
        self.head.route = Route::In(find);
        self
    }

    /// Reads a parameter of the path by its name, decoded; asked only for kinds of keys that need it.
    #[must_use]
    #[inline]
    pub fn path_parameter(self, read: &'a PathParameter<'a>) -> Self {
        Self { path_parameter: Some(read), ..self }
    }

    /// The method.
    #[must_use]
    #[inline]
    pub fn method(&self) -> &'a Method {
        self.head.method
    }

    /// The URI.
    #[must_use]
    #[inline]
    pub fn uri(&self) -> &'a Uri {
        self.head.uri
    }

    /// The version of HTTP.
    #[must_use]
    #[inline]
    pub fn version(&self) -> Version {
        self.head.version
    }

    /// The header fields.
    #[must_use]
    #[inline]
    pub fn headers(&self) -> &'a HeaderMap {
        self.head.headers
    }

    /// What the layers further out have put into the request. With actix-web it is the [`Caller`](crate::Caller) alone, since its
    /// extensions are of another type.
    #[must_use]
    #[inline]
    pub fn extensions(&self) -> &'a Extensions {
        self.head.extensions
    }

    #[inline]
    pub(super) fn peer_address(&self) -> Option<IpAddr> {
        match self.head.peer {
            Peer::Given(peer) => peer,
            Peer::In(find) => find(self.head.extensions),
        }
    }

    pub(crate) fn template(&self) -> Option<&'a str> {
        match self.head.route {
            Route::Given(template) => template,
            #[cfg(feature = "axum")]
            Route::In(find) => find(self.head.extensions),
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
            .field("method", &self.head.method)
            .field("route", &self.template())
            .finish_non_exhaustive()
    }
}
