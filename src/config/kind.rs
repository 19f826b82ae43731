//! What the value of a key may be: each kind checks a value, and says what it accepts.

use std::net::IpAddr;
use std::time::Duration;

use ipnet::{IpNet, Ipv4Net};

use super::duration;
use super::fault::shown;
use super::secret::Secret;
use super::value::Value;

/// A rule for values, and the type of what passes it.
pub(crate) trait Kind {
    /// What a value becomes that passes.
    type Checked;

    /// The checked value, or what is not accepted about it.
    fn check(&self, value: &Value) -> Result<Self::Checked, Rejected>;

    /// What is accepted, to stand after "must be".
    fn accepted(&self) -> String;

    /// What is accepted as one element of a list, to stand after "must be".
    fn accepted_element(&self) -> String {
        self.accepted()
    }

    /// The value that the text of an environment variable stands for.
    fn parse(&self, text: &str) -> Value {
        Value::Text(text.to_owned())
    }

    /// Whether values of this kind are never shown.
    fn is_secret(&self) -> bool {
        false
    }
}

/// Which part of a value is not accepted.
#[derive(Debug, PartialEq)]
pub(crate) enum Rejected {
    /// The elements at these positions of a list.
    Elements(Vec<usize>),
    Whole,
}

/// `true` or `false`.
pub(crate) struct Flag;

impl Kind for Flag {
    type Checked = bool;

    fn check(&self, value: &Value) -> Result<bool, Rejected> {
        if let Value::Boolean(flag) = value { Ok(*flag) } else { Err(Rejected::Whole) }
    }

    fn accepted(&self) -> String {
        "true or false".to_owned()
    }

    fn parse(&self, text: &str) -> Value {
        text.parse().map_or_else(|_| Value::Text(text.to_owned()), Value::Boolean)
    }
}

/// A whole number, both ends included.
pub(crate) struct Integer {
    pub(crate) least: u64,
    pub(crate) most: u64,
}

impl Kind for Integer {
    type Checked = u64;

    fn check(&self, value: &Value) -> Result<u64, Rejected> {
        let &Value::Integer { negative: false, magnitude } = value else {
            return Err(Rejected::Whole);
        };
        u64::try_from(magnitude)
            .ok()
            .filter(|number| (self.least..=self.most).contains(number))
            .ok_or(Rejected::Whole)
    }

    fn accepted(&self) -> String {
        format!("an integer from {} to {}", self.least, self.most)
    }

    fn parse(&self, text: &str) -> Value {
        Value::parse_integer(text).unwrap_or_else(|| Value::Text(text.to_owned()))
    }
}

/// A span of time, both ends included.
pub(crate) struct Span {
    pub(crate) least: Duration,
    pub(crate) most: Duration,
}

impl Kind for Span {
    type Checked = Duration;

    fn check(&self, value: &Value) -> Result<Duration, Rejected> {
        let span = match value {
            Value::Duration(span) => Some(*span),
            Value::Text(text) => duration::parse(text),
            _ => None,
        };
        span.filter(|span| (self.least..=self.most).contains(span)).ok_or(Rejected::Whole)
    }

    fn accepted(&self) -> String {
        let (least, most) = (duration::format(self.least), duration::format(self.most));
        format!("a duration from \"{least}\" to \"{most}\", with a unit of ms, s, m, h or d")
    }
}

/// One of a few words.
pub(crate) struct Choice<T: 'static>(pub(crate) &'static [(&'static str, T)]);

impl<T: Copy> Kind for Choice<T> {
    type Checked = T;

    fn check(&self, value: &Value) -> Result<T, Rejected> {
        let Value::Text(text) = value else { return Err(Rejected::Whole) };
        let found = self.0.iter().find(|(word, _)| word == text);
        found.map(|(_, choice)| *choice).ok_or(Rejected::Whole)
    }

    fn accepted(&self) -> String {
        let words: Vec<String> = self.0.iter().map(|(word, _)| format!("\"{word}\"")).collect();
        match words.as_slice() {
            [all @ .., last] if !all.is_empty() => format!("{} or {last}", all.join(", ")),
            _ => words.concat(),
        }
    }
}

/// A list of words out of a few, each at most once and at least one.
pub(crate) struct Choices<T: 'static>(pub(crate) &'static [(&'static str, T)]);

impl<T: Copy + PartialEq> Kind for Choices<T> {
    type Checked = Vec<T>;

    fn check(&self, value: &Value) -> Result<Vec<T>, Rejected> {
        let Value::List(list) = value else { return Err(Rejected::Whole) };
        if list.is_empty() {
            return Err(Rejected::Whole);
        }
        let mut seen = Vec::new();
        elements(value, |text| {
            let choice = Choice(self.0).check(&Value::Text(text.to_owned())).ok()?;
            (!seen.contains(&choice)).then(|| seen.push(choice)).map(|()| choice)
        })
    }

    fn accepted(&self) -> String {
        format!("a list of {}", self.accepted_element())
    }

    fn accepted_element(&self) -> String {
        format!("{}, each at most once", Choice(self.0).accepted())
    }

    fn parse(&self, text: &str) -> Value {
        comma_separated(text)
    }
}

/// A text of letters, digits and these marks.
pub(crate) struct Name {
    pub(crate) marks: &'static str,
    pub(crate) longest: usize,
}

impl Name {
    pub(crate) fn allows(&self, text: &str) -> bool {
        let letters = |c: char| c.is_ascii_alphanumeric() || self.marks.contains(c);
        (1..=self.longest).contains(&text.len()) && text.chars().all(letters)
    }
}

impl Kind for Name {
    type Checked = String;

    fn check(&self, value: &Value) -> Result<String, Rejected> {
        match value {
            Value::Text(text) if self.allows(text) => Ok(text.clone()),
            _ => Err(Rejected::Whole),
        }
    }

    fn accepted(&self) -> String {
        let marks: Vec<String> = self.marks.chars().map(String::from).collect();
        format!("1 to {} letters, digits and {}", self.longest, marks.join(" "))
    }
}

/// A list of networks.
pub(crate) struct Networks;

impl Kind for Networks {
    type Checked = Vec<IpNet>;

    fn check(&self, value: &Value) -> Result<Vec<IpNet>, Rejected> {
        elements(value, network)
    }

    fn accepted(&self) -> String {
        "a list of networks and addresses, as in \"10.0.0.0/8\" and \"2001:db8::1\"".to_owned()
    }

    fn accepted_element(&self) -> String {
        "a network or an address, as in \"10.0.0.0/8\" or \"2001:db8::1\"".to_owned()
    }

    fn parse(&self, text: &str) -> Value {
        comma_separated(text)
    }
}

/// A text that nobody may see, with a rule of its own.
pub(crate) struct Hidden {
    pub(crate) accepted: &'static str,
    pub(crate) allows: fn(&str) -> bool,
}

impl Kind for Hidden {
    type Checked = Secret;

    fn check(&self, value: &Value) -> Result<Secret, Rejected> {
        match value {
            Value::Text(text) if (self.allows)(text) => Ok(Secret::new(text)),
            _ => Err(Rejected::Whole),
        }
    }

    fn accepted(&self) -> String {
        self.accepted.to_owned()
    }

    fn is_secret(&self) -> bool {
        true
    }
}

/// Every element of a list of texts, checked by itself.
fn elements<T>(
    value: &Value,
    mut check: impl FnMut(&str) -> Option<T>,
) -> Result<Vec<T>, Rejected> {
    let Value::List(list) = value else { return Err(Rejected::Whole) };
    let mut checked = Vec::with_capacity(list.len());
    let mut rejected = Vec::new();
    for (position, element) in list.iter().enumerate() {
        match element {
            Value::Text(text) => match check(text) {
                Some(element) => checked.push(element),
                None => rejected.push(position),
            },
            _ => rejected.push(position),
        }
    }
    if rejected.is_empty() { Ok(checked) } else { Err(Rejected::Elements(rejected)) }
}

fn comma_separated(text: &str) -> Value {
    let elements = text.split(',').map(|element| Value::Text(element.trim().to_owned()));
    if text.trim().is_empty() { Value::List(Vec::new()) } else { Value::List(elements.collect()) }
}

/// A network, or an address as the network of its own. An IPv4 network written in IPv6 becomes the
/// IPv4 one, since addresses are compared after the same step.
fn network(text: &str) -> Option<IpNet> {
    let network = text.parse().or_else(|_| text.parse::<IpAddr>().map(IpNet::from)).ok()?;
    let IpNet::V6(v6) = network else { return Some(network) };
    let unmapped = v6.addr().to_ipv4_mapped().zip(v6.prefix_len().checked_sub(96));
    Some(unmapped.and_then(|(v4, prefix)| Ipv4Net::new(v4, prefix).ok()).map_or(network, IpNet::V4))
}

/// A value as a fault shows it.
pub(crate) fn describe(value: &Value) -> String {
    match value {
        Value::Boolean(flag) => flag.to_string(),
        Value::Duration(span) => format!("{span:?}"),
        Value::Float(number) => format!("{number:?}"),
        Value::Integer { negative, magnitude } => {
            format!("{}{magnitude}", if *negative { "-" } else { "" })
        }
        Value::List(list) if list.is_empty() => "an empty list".to_owned(),
        Value::List(_) => "a list".to_owned(),
        Value::Null => "null".to_owned(),
        Value::Table(_) => "a table".to_owned(),
        // An address may hold a password, under whichever key it was written by mistake.
        Value::Text(text) => match text.split_once("://") {
            Some((scheme, _)) => format!("\"{}://...\"", shown(scheme)),
            None => format!("\"{}\"", shown(text)),
        },
    }
}
