//! [`Arguments`]: what stands in the parentheses of the attribute.

use proc_macro2::TokenStream;
use quote::ToTokens as _;
use syn::parse::Parser as _;
use syn::{Expr, ExprLit, Ident, Lit, LitStr, Path, parse_quote};

use super::budget::Budget;
use super::entry::{Entry, entries};
use crate::faults::Faults;

pub(super) const EXAMPLE: &str = "write the path of a class or an action, as in `Class::Read`";
const KNOWN: [&str; 8] =
    ["burst", "cost", "crate", "exempt", "key", "limiter", "name", "per_minute"];

/// The arguments, as far as they are right.
pub(crate) struct Arguments {
    /// What the handler declares; nothing when that is a mistake, which is then reported.
    pub(crate) target: Option<Target>,
    /// `cost = N`.
    pub(crate) cost: Option<Expr>,
    /// `limiter = .., key = ..`: a function is limited, and no handler.
    pub(crate) guard: Option<Guard>,
    /// `crate = path`: what the dependency is called here.
    krate: Option<Path>,
}

/// Who decides about a call, and whose bucket it is; what is missing has been reported.
pub(crate) struct Guard {
    pub(crate) limiter: Option<Expr>,
    pub(crate) key: Option<Expr>,
}

/// The forms of a declaration.
pub(crate) enum Target {
    /// `per_minute = 30, burst = 10, key = KeyKind::ClientIp`.
    Budget(Box<Budget>),
    /// `default`.
    Default,
    /// `exempt = "why"`.
    Exempt(LitStr),
    /// `Class::Read` or `Action::MessageSend`.
    Named(Path),
}

impl Arguments {
    /// Reads the arguments and reports every mistake in them.
    pub(crate) fn parse(tokens: TokenStream, faults: &mut Faults) -> Self {
        let mut own = Faults::default();
        let entries = entries.parse2(tokens).unwrap_or_else(|error| {
            own.extend([error]);
            Vec::new()
        });
        let arguments = Self::collect(entries, &mut own);
        faults.extend(own);
        arguments
    }

    /// The crate that the generated code speaks of.
    pub(crate) fn krate(&self) -> Path {
        self.krate.clone().unwrap_or_else(|| parse_quote!(::tollgate))
    }

    fn collect(entries: Vec<syn::Result<Entry>>, faults: &mut Faults) -> Self {
        let mut targets = Vec::new();
        let mut named = Named::default();
        let mut krate = None;
        for entry in entries {
            match entry {
                Ok(Entry::Crate(name, path)) if krate.is_none() => krate = Some((name, path)),
                Ok(Entry::Crate(name, _)) => faults.add(name, "`crate` is given twice"),
                Ok(Entry::Named(name, value)) => named.insert(name, value, faults),
                Ok(Entry::Path(path)) => targets.extend(target(path, faults)),
                Ok(Entry::Text(text)) => faults.add(&text, not_a_string(&text)),
                Err(error) => faults.extend([error]),
            }
        }
        let cost =
            named.take("cost").filter(|(_, value)| is_count(value, "the cost of a call", faults));
        let guard = guard(&mut named, faults);
        targets.extend(exempt(&mut named, faults));
        targets.extend(budget(&mut named, faults));
        let mut targets = targets.into_iter();
        let target = targets.next();
        for (tokens, _) in targets {
            faults.add(
                tokens,
                "a handler declares one limit, and this is another; remove one of them",
            );
        }
        if target.is_none() && faults.is_empty() {
            faults.add(
                TokenStream::new(),
                format!("no limit is declared; {EXAMPLE}, or `default`, or `exempt = \"why\"`"),
            );
        }
        let (first, target) = target.unzip();
        if let (Some((name, _)), Some(Target::Budget(_) | Target::Default | Target::Exempt(_))) =
            (&cost, &target)
        {
            faults.add(name, "only a class or an action has a cost; remove `cost`");
        }
        if let (
            Some(_),
            Some(Target::Budget(_) | Target::Default | Target::Exempt(_)),
            Some(tokens),
        ) = (&guard, &target, &first)
        {
            faults.add(tokens, format!("a function is limited by a class; {EXAMPLE}"));
        }
        Self {
            target,
            cost: cost.map(|(_, value)| value),
            guard,
            krate: krate.map(|(_, path)| path),
        }
    }
}

type Found = (TokenStream, Target);

/// The declaration that a positional argument makes.
fn target(path: Path, faults: &mut Faults) -> Option<Found> {
    let Some(word) = path.get_ident() else {
        return Some((path.to_token_stream(), Target::Named(path)));
    };
    if word == "default" {
        return Some((path.to_token_stream(), Target::Default));
    }
    let message = if word == "exempt" {
        "an exemption says why: write `exempt = \"..\"` with the reason".to_owned()
    } else {
        let name = camel_case(&word.to_string());
        format!(
            "`{word}` is one name, and a class is a path of two; write `Class::{name}` or `Action::{name}`"
        )
    };
    faults.add(word, message);
    None
}

/// What makes it the limit of a function.
fn guard(named: &mut Named, faults: &mut Faults) -> Option<Guard> {
    let limiter = named.take("limiter");
    if limiter.is_none() && ["burst", "name", "per_minute"].iter().any(|part| named.has(part)) {
        return None;
    }
    let key = named.take("key");
    match (&limiter, &key) {
        (None, None) => return None,
        (Some((name, _)), None) => faults.add(
            name,
            "this function needs a key, which says whose bucket it is; write `key = ..` too, or \
             `key = Key::global()` for one bucket for all",
        ),
        (None, Some((name, _))) => faults.add(
            name,
            "a key is for a function with a limiter, or for a budget; write `limiter = ..` too, or remove \
             `key`, since a class says what its handlers are keyed by",
        ),
        (Some(_), Some(_)) => {}
    }
    let value = |(_, value)| value;
    Some(Guard { limiter: limiter.map(value), key: key.map(value) })
}

fn exempt(named: &mut Named, faults: &mut Faults) -> Option<Found> {
    let (name, value) = named.take("exempt")?;
    match value {
        Expr::Lit(ExprLit { lit: Lit::Str(reason), .. }) if !reason.value().trim().is_empty() => {
            Some((name.to_token_stream(), Target::Exempt(reason)))
        }
        value => {
            faults.add(
                value,
                "an exemption says why, in words; write `exempt = \"..\"` with the reason",
            );
            None
        }
    }
}

/// The budget of its own, once any part of it is given.
fn budget(named: &mut Named, faults: &mut Faults) -> Option<Found> {
    let given = ["per_minute", "burst", "key", "name"].map(|part| named.take(part));
    let (first, _) = given.iter().flatten().next()?;
    let first = first.clone();
    let [per_minute, burst, key, name] = given.map(|part| part.map(|(_, value)| value));
    match (per_minute, burst, key) {
        (Some(per_minute), Some(burst), Some(key)) => {
            let valid = is_count(&per_minute, "what a minute refills", faults)
                & is_count(&burst, "the burst", faults);
            if !valid {
                return None;
            }
            let budget = Budget { per_minute, burst, key, name };
            Some((first.to_token_stream(), Target::Budget(Box::new(budget))))
        }
        (per_minute, burst, key) => {
            let missing = [
                ("per_minute", per_minute.is_none()),
                ("burst", burst.is_none()),
                ("key", key.is_none()),
            ];
            let missing: Vec<_> = missing
                .iter()
                .filter(|(_, missing)| *missing)
                .map(|(part, _)| format!("`{part}`"))
                .collect();
            faults.add(
                first,
                format!(
                    "a budget of its own needs {} too; write `per_minute = 30, burst = 10, \
                     key = KeyKind::ClientIp`",
                    missing.join(" and ")
                ),
            );
            None
        }
    }
}

/// What can be said of a number of tokens without evaluating it.
fn is_count(value: &Expr, what: &str, faults: &mut Faults) -> bool {
    let Expr::Lit(ExprLit { lit, .. }) = value else { return true };
    let message = match lit {
        Lit::Int(number) if number.base10_digits() == "0" => "is at least 1 token",
        Lit::Int(_) => return true,
        _ => "is a whole number of tokens, without quotes",
    };
    faults.add(lit, format!("{what} {message}"));
    false
}

/// What to write instead of a class's name.
fn not_a_string(text: &LitStr) -> String {
    let name = text.value();
    let (kind, words) = match name.strip_prefix("rl.") {
        Some(class) => ("Class", class),
        None => ("Action", name.as_str()),
    };
    match camel_case(words) {
        name if name.is_empty() => format!("a class is a path and not a string; {EXAMPLE}"),
        name => format!("a class is a path and not a string; write `{kind}::{name}`"),
    }
}

/// `message.send` and `message_send` as `MessageSend`.
fn camel_case(name: &str) -> String {
    name.split(|c: char| !c.is_alphanumeric())
        .flat_map(|word| {
            let mut letters = word.chars();
            letters.next().into_iter().flat_map(char::to_uppercase).chain(letters)
        })
        .collect()
}

/// The arguments of the form `name = value`, each once.
#[derive(Default)]
struct Named(Vec<(Ident, Expr)>);

impl Named {
    fn insert(&mut self, name: Ident, value: Expr, faults: &mut Faults) {
        if !KNOWN.iter().any(|known| name == known) {
            let known = KNOWN.map(|known| format!("`{known}`")).join(", ");
            faults.add(&name, format!("unknown argument `{name}`; the arguments are {known}"));
        } else if self.0.iter().any(|(earlier, _)| *earlier == name) {
            faults.add(&name, format!("`{name}` is given twice; remove one of them"));
        } else {
            self.0.push((name, value));
        }
    }

    fn has(&self, name: &str) -> bool {
        self.0.iter().any(|(known, _)| known == name)
    }

    fn take(&mut self, name: &str) -> Option<(Ident, Expr)> {
        let position = self.0.iter().position(|(known, _)| known == name)?;
        Some(self.0.remove(position))
    }
}
