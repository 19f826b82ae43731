//! [`Fields`]: `RateLimit-Policy` and `RateLimit`, as structured fields.

mod list;
mod member;
#[cfg(test)]
mod tests;

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use http::header::{HeaderMap, HeaderName, HeaderValue};

use self::list::{List, has_member, unite};
use crate::limits::Limits;

/// The largest integer of a structured field (RFC 9651, section 3.3.1).
const LARGEST_INTEGER: u64 = 999_999_999_999_999;

pub(crate) const POLICY: HeaderName = HeaderName::from_static("ratelimit-policy");
pub(crate) const LIMIT: HeaderName = HeaderName::from_static("ratelimit");

/// What the parameter `t` of the `RateLimit` field says.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum TimeProfile {
    /// The seconds until the bucket is full again; 0 when it is full.
    #[default]
    TimeToFull,
    /// The seconds of the effective window, as `draft-ietf-httpapi-ratelimit-headers-11` defines
    /// it: how long the announced remaining quota is meant to last, or, when there is none, until
    /// there is some.
    EffectiveWindow,
}

/// The numbers of one limit, as its decision left them.
#[derive(Clone, Copy, Debug)]
pub(super) struct Member<'a> {
    pub(super) name: &'a str,
    pub(super) limits: Limits,
    pub(super) remaining: u64,
    pub(super) time_to_full: Duration,
    /// Until one token is there; zero when it is.
    pub(super) next_token: Duration,
    /// Only when refused.
    pub(super) retry_after: Option<Duration>,
}

/// The policies of classes, by the numbers of the classes: of the limits that were met first, which are all until limits are
/// reloaded.
#[derive(Clone, Debug)]
pub(super) struct KeptPolicies(Box<[OnceLock<Option<Arc<KeptPolicy>>>]>);

/// What the fields of a policy say of it every time.
#[derive(Debug)]
struct KeptPolicy {
    limits: Limits,
    written: HeaderValue,
    /// The list that says the name, and that the state follows in.
    name: List,
}

/// The rate-limit fields of one response: empty, or both `RateLimit-Policy` and `RateLimit`.
///
/// Each limit that took part in the decision is one member of both lists.
#[derive(Clone, Debug, Default)]
#[must_use = "fields say nothing until they are written to a response"]
pub struct Fields(Values);

#[derive(Clone, Debug, Default)]
enum Values {
    #[default]
    None,
    /// Of one class, as nearly always. Three words are copied along faster than two values, which are made where they go.
    One { policy: Arc<KeptPolicy>, remaining: u64, seconds: u64 },
    /// `RateLimit-Policy` and `RateLimit`.
    Written(Box<(HeaderValue, HeaderValue)>),
}

impl Fields {
    /// The fields of these limits, in this order.
    pub(super) fn new<'a>(profile: TimeProfile, members: impl Iterator<Item = Member<'a>>) -> Self {
        let (mut policy, mut limit) = (List::new(), List::new());
        for member in members {
            member.write_policy(&mut policy);
            limit.member(member.name);
            write_state(integer(member.remaining), profile.seconds(&member), &mut limit);
        }
        let values = policy.value().zip(limit.value());
        Self(values.map_or(Values::None, |values| Values::Written(Box::new(values))))
    }

    /// The fields of one limit whose policy is perhaps kept, by the number of its class.
    #[inline(always)]
    #[expect(clippy::inline_always, reason = "what it returns would be copied on its way")]
    pub(super) fn of_class(
        profile: TimeProfile,
        class: usize,
        member: &Member<'_>,
        kept: &KeptPolicies,
    ) -> Self {
        let Some(policy) = kept.of(class, member) else {
            return Self::new(profile, std::iter::once(*member));
        };
        let (remaining, seconds) = (integer(member.remaining), profile.seconds(member));
        Self(Values::One { policy: Arc::clone(policy), remaining, seconds })
    }

    /// Whether there is nothing to write, because no decision had numbers.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        matches!(self.0, Values::None)
    }

    /// Whether the fields of a response have a member of this name.
    pub(super) fn are_of(name: &str, headers: &HeaderMap) -> bool {
        has_member(headers, &LIMIT, name)
    }

    /// Puts the fields into the head of a response.
    ///
    /// Members that are there already stay, as an inner gate may have put them; of two with one name
    /// only this one remains. A field that is no list of strings is replaced.
    pub fn write(self, headers: &mut HeaderMap) {
        let (policy, limit) = match self.0 {
            Values::None => return,
            Values::One { policy, remaining, seconds } => {
                let mut limit = policy.name.clone();
                write_state(remaining, seconds, &mut limit);
                let Some(limit) = limit.value() else { return };
                (policy.written.clone(), limit)
            }
            Values::Written(values) => *values,
        };
        if headers.append(POLICY, policy) {
            unite(headers, &POLICY);
        }
        if headers.append(LIMIT, limit) {
            unite(headers, &LIMIT);
        }
    }
}

impl Member<'_> {
    fn write_policy(&self, policy: &mut List) {
        let (quota, window) = quota(self.limits);
        policy.member(self.name);
        policy.parameter(b";q=", quota);
        policy.parameter(b";w=", window);
    }
}

impl KeptPolicies {
    /// Nothing is kept yet of so many classes.
    pub(super) fn of_classes(count: usize) -> Self {
        Self((0..count).map(|_| OnceLock::new()).collect())
    }

    /// The policy of a class under these limits; nothing when others are kept.
    #[inline]
    fn of(&self, class: usize, member: &Member<'_>) -> Option<&Arc<KeptPolicy>> {
        let kept = self.0.get(class)?.get_or_init(|| KeptPolicy::new(member).map(Arc::new));
        kept.as_ref().filter(|kept| kept.limits == member.limits)
    }
}

impl KeptPolicy {
    fn new(member: &Member<'_>) -> Option<Self> {
        let (mut name, mut policy) = (List::new(), List::new());
        name.member(member.name);
        member.write_policy(&mut policy);
        Some(Self { limits: member.limits, written: policy.value()?, name })
    }
}

impl TimeProfile {
    #[inline]
    fn seconds(self, member: &Member<'_>) -> u64 {
        let exact = match (self, member.retry_after) {
            (Self::TimeToFull, _) => whole_seconds(member.time_to_full),
            (Self::EffectiveWindow, Some(wait)) => retry_after(wait),
            (Self::EffectiveWindow, None) if member.remaining == 0 => {
                whole_seconds(member.next_token).max(1)
            }
            (Self::EffectiveWindow, None) => {
                // remaining / rate, rounded up to seconds once.
                let micros = u128::from(member.remaining) * member.limits.period().as_micros();
                let seconds = micros.div_ceil(u128::from(member.limits.tokens()) * 1_000_000);
                u64::try_from(seconds).unwrap_or(u64::MAX).max(1)
            }
        };
        integer(exact)
    }
}

/// The seconds to announce for a wait: rounded up, at least 1, so that waiting as told is enough.
pub(super) fn retry_after(wait: Duration) -> u64 {
    integer(whole_seconds(wait)).max(1)
}

/// The parameters of a member of `RateLimit`.
fn write_state(remaining: u64, seconds: u64, limit: &mut List) {
    limit.parameter(b";r=", remaining);
    limit.parameter(b";t=", seconds);
}

/// Quota and window: the period in whole seconds, and the tokens that come in them.
fn quota(limits: Limits) -> (u64, u64) {
    let window = whole_seconds(limits.period());
    if limits.period().subsec_nanos() == 0 {
        return (integer(limits.tokens()), integer(window));
    }
    let tokens = u128::from(limits.tokens()) * u128::from(window) * 1_000_000;
    let quota = u64::try_from(tokens / limits.period().as_micros()).unwrap_or(u64::MAX);
    (integer(quota), integer(window))
}

/// Rounded up from whole microseconds, which is what all of these durations are.
fn whole_seconds(duration: Duration) -> u64 {
    duration.as_secs().saturating_add((duration.subsec_micros() > 0).into())
}

fn integer(value: u64) -> u64 {
    value.min(LARGEST_INTEGER)
}
