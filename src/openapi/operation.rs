//! What a document says of one operation's limit.

use std::borrow::Cow;

use serde_json::{Value, json};
use utoipa::openapi::RefOr;
use utoipa::openapi::path::Operation;

use super::answers;
use crate::catalogue::{Catalogue, KeyKind};
use crate::config::Config;

/// The extension that has the limit as data.
const EXTENSION: &str = "x-rate-limit";

/// The status of a limit that cannot be decided.
const UNAVAILABLE: &str = "503";

/// The class of an operation, and what one call takes from it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Charge<C> {
    pub(super) class: C,
    pub(super) cost: u32,
    pub(super) action: Option<&'static str>,
}

impl<C: Catalogue> Charge<C> {
    /// Whether clients meet the limit: one that is switched off or only watches is none to them.
    pub(super) fn binds(&self, config: &Config<C>) -> bool {
        let class = config.class(self.class);
        config.enabled() && class.enabled() && !class.shadow()
    }

    /// Says it all in the operation; answers that are described already stay.
    pub(super) fn write(&self, config: &Config<C>, operation: &mut Operation) {
        let sentence = self.sentence(config);
        match &mut operation.description {
            Some(description) if !description.is_empty() => {
                description.push_str("\n\n");
                description.push_str(&sentence);
            }
            empty => *empty = Some(sentence),
        }
        let extensions = operation.extensions.get_or_insert_default();
        extensions.insert(EXTENSION.to_owned(), self.data(config));
        let responses = &mut operation.responses.responses;
        for (status, response) in &mut *responses {
            match response {
                // That a limit cannot be decided has no numbers.
                RefOr::T(response) if status != UNAVAILABLE => answers::add_fields(response),
                _ => {}
            }
        }
        for (status, refusal) in answers::refusals() {
            responses.entry(status.to_owned()).or_insert(refusal);
        }
    }

    fn sentence(&self, config: &Config<C>) -> String {
        let definition = self.class.definition();
        let limits = config.class(self.class).limits();
        let window = match limits.window_seconds() {
            1 => "a second".to_owned(),
            60 => "a minute".to_owned(),
            3600 => "an hour".to_owned(),
            86400 => "a day".to_owned(),
            seconds => format!("in {seconds} seconds"),
        };
        let whose = match definition.key_kind {
            KeyKind::Global => "all callers together".to_owned(),
            kind => format!("each {}", words(kind)),
        };
        let takes = match self.cost {
            1 => String::new(),
            cost => format!("; a call takes {cost}"),
        };
        format!(
            "Rate limit `{}`, for {whose}: {} {window}, at most {} at once{takes}.",
            definition.name,
            limits.quota(),
            limits.capacity(),
        )
    }

    fn data(&self, config: &Config<C>) -> Value {
        let definition = self.class.definition();
        let limits = config.class(self.class).limits();
        let mut data = json!({
            "class": definition.name,
            "key": words(definition.key_kind),
            "quota": limits.quota(),
            "window": limits.window_seconds(),
            "burst": limits.capacity(),
            "cost": self.cost,
        });
        if let Some((action, data)) = self.action.zip(data.as_object_mut()) {
            data.insert("action".to_owned(), action.into());
        }
        data
    }
}

/// What a bucket is kept by, in the words of a catalogue.
fn words(kind: KeyKind) -> Cow<'static, str> {
    Cow::Borrowed(match kind {
        KeyKind::Agent => "agent",
        KeyKind::Client => "client",
        KeyKind::ClientIp => "client IP",
        KeyKind::Connection => "connection",
        KeyKind::Custom => "custom",
        KeyKind::DeviceOrToken => "device or token",
        KeyKind::EffectivePrincipal => "effective principal",
        KeyKind::Global => "global",
        KeyKind::Header(name) => return Cow::Owned(format!("header {name}")),
        KeyKind::Host => "host",
        KeyKind::Human => "human",
        KeyKind::IncomingWebhook => "incoming webhook",
        KeyKind::Principal => "principal",
        KeyKind::Tenant => "tenant",
    })
}
