//! The channels and their messages, in memory.

use std::collections::BTreeMap;
use std::sync::{PoisonError, RwLock};

use serde::Serialize;

use super::auth::Viewer;
use super::problem::Problem;

/// All channels.
#[derive(Debug)]
pub(super) struct Chat {
    channels: RwLock<BTreeMap<&'static str, Channel>>,
}

/// What a channel shows of itself.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Channel {
    topic: String,
    #[serde(skip)]
    only: Option<&'static str>,
    #[serde(skip)]
    messages: Vec<Message>,
}

/// One message; messages of a channel are numbered from 1.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Message {
    id: usize,
    author: &'static str,
    text: String,
}

impl Default for Chat {
    fn default() -> Self {
        let channel =
            |topic: &str, only| Channel { topic: topic.into(), only, messages: Vec::new() };
        Self {
            channels: RwLock::new(BTreeMap::from([
                ("general", channel("Everybody", None)),
                ("private", channel("Only Alice", Some("alice"))),
            ])),
        }
    }
}

impl Chat {
    /// Does something with a channel that the viewer may see.
    fn with_channel<T>(
        &self,
        id: &str,
        viewer: Viewer,
        change: impl FnOnce(&mut Channel) -> T,
    ) -> Result<T, Problem> {
        let mut channels = self.channels.write().unwrap_or_else(PoisonError::into_inner);
        let channel = channels.get_mut(id).ok_or_else(|| Problem::no_such_channel(id))?;
        if !channel.shows_to(viewer) {
            return Err(Problem::not_a_member(id));
        }
        Ok(change(channel))
    }

    pub(super) fn messages(&self, channel: &str, viewer: Viewer) -> Result<Vec<Message>, Problem> {
        self.with_channel(channel, viewer, |channel| channel.messages.clone())
    }

    pub(super) fn post(
        &self,
        channel: &str,
        author: Viewer,
        text: String,
    ) -> Result<Message, Problem> {
        self.with_channel(channel, author, |channel| {
            let message = Message { id: channel.messages.len() + 1, author: author.name(), text };
            channel.messages.push(message.clone());
            message
        })
    }

    pub(super) fn set_topic(
        &self,
        channel: &str,
        viewer: Viewer,
        topic: String,
    ) -> Result<Channel, Problem> {
        self.with_channel(channel, viewer, |channel| {
            channel.topic = topic;
            channel.clone()
        })
    }

    /// The messages that contain `text`, from every channel that the viewer may see.
    pub(super) fn search(&self, text: &str, viewer: Viewer) -> Vec<Message> {
        let channels = self.channels.read().unwrap_or_else(PoisonError::into_inner);
        let visible = channels.values().filter(|channel| channel.shows_to(viewer));
        let messages = visible.flat_map(|channel| &channel.messages);
        messages.filter(|message| message.text.contains(text)).cloned().collect()
    }
}

impl Channel {
    fn shows_to(&self, viewer: Viewer) -> bool {
        self.only.is_none_or(|only| viewer.name() == only)
    }
}
