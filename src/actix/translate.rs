//! Between the types of actix-web and those of `http` 1, which are other types of the same content.

use std::collections::HashMap;
use std::net::IpAddr;

use actix_web::body::BoxBody;
use actix_web::dev::ServiceRequest;
use actix_web::http::StatusCode;
use actix_web::http::header::{
    HeaderMap as ActixHeaders, HeaderName as ActixName, HeaderValue as ActixValue,
};
use actix_web::{HttpMessage as _, HttpResponse};
use bytes::Bytes;
use http::header::{HeaderMap, HeaderName, HeaderValue};
use http::request::Parts;
use http::{Method, Response, Version};

use crate::caller::Caller;
use crate::catalogue::KeyKind;
use crate::http::{Fields, LIMIT, POLICY, Passage, RequestView};

/// What the gate sees of a request: a copy of its head, and what only actix-web knows of it.
pub(super) struct Head {
    pub(super) parts: Parts,
    /// Shared by all limits that the request meets.
    pub(super) passage: Passage,
    peer: Option<IpAddr>,
    template: Option<String>,
    pub(super) path_parameters: HashMap<String, String>,
}

impl Head {
    /// The head of a request for a limit of this kind of key.
    pub(super) fn new(request: &ServiceRequest, kind: Option<KeyKind>) -> Self {
        let (mut parts, ()) = http::Request::new(()).into_parts();
        // Both versions of `http` accept the same methods and addresses, so nothing is lost.
        parts.method = Method::from_bytes(request.method().as_str().as_bytes()).unwrap_or_default();
        parts.uri = request.uri().to_string().parse().unwrap_or_default();
        parts.version = version(request.version());
        parts.headers = request
            .headers()
            .iter()
            .filter_map(|(name, value)| field(name.as_str(), value.as_bytes()))
            .collect();
        let mut extensions = request.extensions_mut();
        let passage = extensions.get_or_insert_with(Passage::default).clone();
        parts.extensions.insert(passage.clone());
        if let Some(caller) = extensions.get::<Caller>() {
            parts.extensions.insert(caller.clone());
        }
        let path_parameters = match kind {
            // They are copied into a map, and only this kind of key is made from one.
            Some(KeyKind::IncomingWebhook) => path_parameters(request),
            _ => HashMap::new(),
        };
        Self {
            parts,
            passage,
            peer: request.peer_addr().map(|address| address.ip()),
            template: request.match_pattern(),
            path_parameters,
        }
    }

    /// All but the parameters of the path.
    pub(super) fn view(&self) -> RequestView<'_> {
        RequestView::new(&self.parts).peer(self.peer).route(self.template.as_deref())
    }
}

/// The parameters of the path, decoded, but for those that are no text.
fn path_parameters(request: &ServiceRequest) -> HashMap<String, String> {
    let all = request.match_info().iter();
    // Where bytes were no text, actix-web has put this character.
    let texts = all.filter(|(_, value)| !value.contains(char::REPLACEMENT_CHARACTER));
    texts.map(|(name, value)| (name.to_owned(), decoded(value))).collect()
}

/// Actix-web has decoded a path but for these three characters.
fn decoded(value: &str) -> String {
    let mut parts = value.split('%');
    let mut text = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (character, rest) = match part.split_at_checked(2) {
            Some(("25", rest)) => ('%', rest),
            Some(("2B" | "2b", rest)) => ('+', rest),
            Some(("2F" | "2f", rest)) => ('/', rest),
            _ => ('%', part),
        };
        text.push(character);
        text.push_str(rest);
    }
    text
}

/// The refusal as an answer of actix-web.
pub(super) fn answer(refusal: Response<Bytes>) -> HttpResponse<BoxBody> {
    let (parts, body) = refusal.into_parts();
    let status = StatusCode::from_u16(parts.status.as_u16());
    let mut response = HttpResponse::new(status.unwrap_or(StatusCode::INTERNAL_SERVER_ERROR));
    for (name, value) in &parts.headers {
        if let Some((name, value)) = actix_field(name, value) {
            response.headers_mut().append(name, value);
        }
    }
    response.set_body(BoxBody::new(body))
}

/// The rate-limit fields of an answer.
pub(super) fn fields_of(headers: &ActixHeaders) -> HeaderMap {
    let lines = |name: HeaderName| {
        let values = headers.get_all(name.as_str());
        values.filter_map(move |value| field(name.as_str(), value.as_bytes()))
    };
    lines(POLICY).chain(lines(LIMIT)).collect()
}

/// Puts the fields into the head of an answer, as [`Fields::write`] does.
pub(super) fn write(fields: Fields, headers: &mut ActixHeaders) {
    if fields.is_empty() {
        return;
    }
    let mut joined = fields_of(headers);
    fields.write(&mut joined);
    for (name, value) in &joined {
        if let Some((name, value)) = actix_field(name, value) {
            headers.insert(name, value);
        }
    }
}

fn field(name: &str, value: &[u8]) -> Option<(HeaderName, HeaderValue)> {
    HeaderName::from_bytes(name.as_bytes()).ok().zip(HeaderValue::from_bytes(value).ok())
}

fn actix_field(name: &HeaderName, value: &HeaderValue) -> Option<(ActixName, ActixValue)> {
    let name = ActixName::from_bytes(name.as_str().as_bytes()).ok();
    name.zip(ActixValue::from_bytes(value.as_bytes()).ok())
}

fn version(version: actix_web::http::Version) -> Version {
    use actix_web::http::Version as Actix;
    match version {
        Actix::HTTP_09 => Version::HTTP_09,
        Actix::HTTP_10 => Version::HTTP_10,
        Actix::HTTP_2 => Version::HTTP_2,
        Actix::HTTP_3 => Version::HTTP_3,
        _ => Version::HTTP_11,
    }
}
