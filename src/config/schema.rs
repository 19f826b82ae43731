//! [`Schema`]: the keys that exist for one catalogue, and the nearest of them to any other.

use std::collections::BTreeMap;

use super::keys::{AnyKey, SECTIONS, Section};
use super::read::{ROOT, SERVER};
use crate::catalogue::Catalogue;
use crate::nearest::nearest;

/// The keys of the settings of one catalogue.
pub(super) struct Schema {
    /// Every key whose path is fixed.
    fixed: BTreeMap<String, &'static dyn AnyKey>,
    /// Sections that exist once for each name or element, by what stands before it.
    open: Vec<(String, &'static Section)>,
    /// The paths of sections that are fixed.
    paths: Vec<(String, &'static Section)>,
    classes: Vec<&'static str>,
}

/// What a path is.
pub(super) enum Place {
    /// A setting.
    Key(&'static dyn AnyKey),
    /// A list of tables.
    List,
    /// A table of settings, or of tables of them.
    Table,
    /// Something else's; not looked at.
    Foreign,
    /// Something in a table that stands in the place of this setting.
    Within(String, &'static dyn AnyKey),
    /// Something in a list that stands in the place of this table.
    InList(String),
    /// Nothing of ours.
    Unknown(Meant),
}

/// What an unknown path most likely stands for.
#[derive(Default)]
pub(super) struct Meant {
    /// The one that is near.
    pub(super) nearest: Option<String>,
    /// With none that is near, the keys of the table that the path is in.
    pub(super) known: Vec<&'static str>,
}

impl Schema {
    pub(super) fn of<C: Catalogue>() -> Self {
        let classes = C::ALL.iter().map(|class| class.definition().name).collect::<Vec<_>>();
        let mut schema =
            Self { fixed: BTreeMap::new(), open: Vec::new(), paths: Vec::new(), classes };
        for section in SECTIONS {
            if section.path.contains(CLASS) {
                for class in schema.classes.clone() {
                    schema.add(section.path.replace(CLASS, class), section);
                }
            } else {
                schema.add(section.path.to_owned(), section);
            }
        }
        schema
    }

    fn add(&mut self, path: String, section: &'static Section) {
        if let Some(prefix) = path.strip_suffix(NAME).or_else(|| path.strip_suffix("]")) {
            self.open.push((prefix.to_owned(), section));
            return;
        }
        for key in section.keys {
            self.fixed.entry(format!("{path}.{}", key.name())).or_insert(*key);
        }
        self.paths.push((path, section));
    }

    /// The keys whose path is fixed.
    pub(super) fn fixed(&self) -> impl Iterator<Item = (&str, &'static dyn AnyKey)> {
        self.fixed.iter().map(|(path, key)| (path.as_str(), *key))
    }

    /// What stands at `path`.
    pub(super) fn place(&self, path: &str) -> Place {
        if let Some(table) = self.listed(path) {
            return Place::InList(table.to_owned());
        }
        if let Some(key) = self.key(path) {
            return Place::Key(key);
        }
        if let Some((above, key)) = self.above(path) {
            return Place::Within(above.to_owned(), key);
        }
        match path.split_once(['.', '[']).map_or(path, |(first, _)| first) {
            "ratelimit" if self.is_list(path) => Place::List,
            "ratelimit" if self.is_table(path) => Place::Table,
            "ratelimit" => Place::Unknown(self.meant(path)),
            first => self.outside(path, first),
        }
    }

    /// The section that exists once for each name, and stands at `path`.
    pub(super) fn open_section(&self, path: &str) -> Option<&'static Section> {
        let found = self.open.iter().find(|(prefix, section)| {
            let Some(rest) = path.strip_prefix(prefix.as_str()) else { return false };
            section.path.ends_with(NAME) || rest.strip_suffix(']').is_some_and(is_position)
        });
        found.map(|(_, section)| *section)
    }

    /// Whether the table above `path` exists once for each name.
    pub(super) fn is_in_open_section(&self, path: &str) -> bool {
        path.rsplit_once('.').is_some_and(|(table, _)| self.open_section(table).is_some())
    }

    /// The setting at `path`.
    pub(super) fn key(&self, path: &str) -> Option<&'static dyn AnyKey> {
        if let Some(key) = self.fixed.get(path) {
            return Some(*key);
        }
        let (table, name) = path.rsplit_once('.')?;
        let section = self.open_section(table)?;
        section.keys.iter().find(|key| key.name() == name).copied()
    }

    /// The setting in whose place a table stands that holds `path`.
    fn above<'a>(&self, path: &'a str) -> Option<(&'a str, &'static dyn AnyKey)> {
        let mut ends = path.rmatch_indices(['.', '[']);
        ends.find_map(|(end, _)| {
            let above = path.get(..end)?;
            Some((above, self.key(above)?))
        })
    }

    /// The table that `path` takes for a list of tables. A list of servers may be somebody else's.
    fn listed<'a>(&self, path: &'a str) -> Option<&'a str> {
        let (table, rest) = path.split_once('[')?;
        let (_, rest) = rest.split_once(']')?;
        let is_ours = table != SERVER || self.fixed.contains_key(&format!("{SERVER}{rest}"));
        (is_ours && self.is_table(table) && !self.is_list(table)).then_some(table)
    }

    fn is_list(&self, path: &str) -> bool {
        self.open.iter().any(|(prefix, _)| prefix.strip_suffix('[') == Some(path))
    }

    fn is_table(&self, path: &str) -> bool {
        let within = format!("{path}.");
        let after = self.fixed.range(within.clone()..).next();
        after.is_some_and(|(key, _)| key.starts_with(&within))
            || self.open.iter().any(|(prefix, _)| prefix.starts_with(&within))
            || self.open_section(path).is_some()
    }

    /// What `path` most likely stands for.
    pub(super) fn meant(&self, path: &str) -> Meant {
        let nearest = self.nearest(path);
        let known = match (&nearest, path.rsplit_once('.')) {
            (None, Some((table, _))) if table != ROOT => self.keys_of(table),
            _ => Vec::new(),
        };
        Meant { nearest, known }
    }

    /// The keys of a table that is known by this very path.
    fn keys_of(&self, table: &str) -> Vec<&'static str> {
        let fixed =
            || self.paths.iter().find(|(path, _)| path == table).map(|(_, section)| *section);
        let section = self.open_section(table).or_else(fixed);
        section.map_or_else(Vec::new, |section| section.keys.iter().map(|key| key.name()).collect())
    }

    /// The known key or table that is near `path`.
    fn nearest(&self, path: &str) -> Option<String> {
        if let Some(element) = self.first_element(path) {
            return Some(element);
        }
        let (table, name) = path.rsplit_once('.')?;
        let key = self.nearest_table(table).and_then(|(table, section)| {
            let key = nearest(name, section.keys.iter().map(|key| key.name()))?;
            Some(format!("{table}.{key}"))
        });
        // The table that the key is in already is not what was meant, nor is the key as a name with dots.
        let near_table = || self.nearest_table(path).map(|(near, _)| near);
        let near_table = || near_table().filter(|near| near != table && near != path);
        key.or_else(near_table).or_else(|| self.elsewhere(name))
    }

    /// The one key of this name that stands in another table.
    fn elsewhere(&self, name: &str) -> Option<String> {
        let mut paths = self.fixed.keys().filter(|path| path.ends_with(&format!(".{name}")));
        let path = paths.next()?;
        paths.next().is_none().then(|| path.clone())
    }

    fn nearest_table(&self, path: &str) -> Option<(String, &'static Section)> {
        if let Some(section) = self.open_section(path) {
            return Some((path.to_owned(), section));
        }
        if let Some(known) = self.paths.iter().find(|(known, _)| known == path) {
            return Some(known.clone());
        }
        if let Some((class, tier)) = path.split_once(TIERS) {
            let path = format!("{}{TIERS}{tier}", self.nearest_table(class)?.0);
            let section = self.open_section(&path)?;
            return Some((path, section));
        }
        // What all paths begin with does not make them alike.
        let near = nearest(tail(path)?, self.paths.iter().filter_map(|(known, _)| tail(known)))?;
        self.paths.iter().find(|(known, _)| tail(known) == Some(near)).cloned()
    }

    /// The first element of the list that `path` takes for a table.
    fn first_element(&self, path: &str) -> Option<String> {
        let lists = self.open.iter().filter_map(|(prefix, _)| prefix.strip_suffix('['));
        let mut keys = lists.filter_map(|list| {
            let rest = path.strip_prefix(list)?.strip_prefix('.')?;
            Some(format!("{list}[0].{rest}"))
        });
        keys.find(|path| self.key(path).is_some())
    }

    /// What a path outside of `ratelimit` is: something else's, unless it is nearly one of ours.
    fn outside(&self, path: &str, first: &str) -> Place {
        let rest = path.strip_prefix(first).unwrap_or_default();
        if nearest(first, [SERVER]).is_some() {
            let ours = self.fixed.keys().filter_map(|known| known.strip_prefix(SERVER));
            return match nearest(rest, ours) {
                Some(near) => Place::Unknown(Meant::near(format!("{SERVER}{near}"))),
                None => Place::Foreign,
            };
        }
        let of_class = |class: &&str| path.strip_prefix(*class).is_some_and(|r| r.starts_with('.'));
        if self.classes.iter().any(of_class) {
            let meant = format!("{ROOT}.{path}");
            let nearest = self.key(&meant).map(|_| meant);
            return Place::Unknown(Meant { nearest, ..Meant::default() });
        }
        if nearest(first, [ROOT]).is_none() {
            return Place::Foreign;
        }
        let meant = format!("{ROOT}{rest}");
        let known = self.key(&meant).is_some() || self.is_table(&meant);
        Place::Unknown(if known { Meant::near(meant) } else { self.meant(&meant) })
    }
}

impl Meant {
    fn near(path: String) -> Self {
        Self { nearest: Some(path), known: Vec::new() }
    }
}

const CLASS: &str = "<class>";
const NAME: &str = "<name>";
const TIERS: &str = ".tiers.";

/// What follows `ratelimit`.
fn tail(path: &str) -> Option<&str> {
    path.strip_prefix(ROOT)?.strip_prefix('.')
}

/// Whether `text` is a position in a list, in its one spelling.
fn is_position(text: &str) -> bool {
    text.parse::<u32>().is_ok_and(|position| position.to_string() == text)
}
