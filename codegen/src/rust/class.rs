//! The enum of classes.

use std::fmt::{self, Write as _};

use super::{ENUM, IMPL, gateway_only, grouped, surface, variants};
use crate::catalogue::{Catalogue, Class, Surface};
use crate::keys;
use crate::markdown::escape;

impl Catalogue {
    pub(super) fn write_classes(&self, out: &mut String) -> fmt::Result {
        self.class_enum(out)?;
        self.class_data(out)?;
        out.write_str(include_str!("class.txt"))
    }

    fn class_enum(&self, out: &mut String) -> fmt::Result {
        writeln!(out, "\n/// The rate-limit classes of the catalogue, in its order.\n{ENUM}")?;
        writeln!(out, "pub enum Class {{")?;
        for class in &self.classes {
            self.class_doc(class, out)?;
            writeln!(out, "    {},", class.variant)?;
        }
        writeln!(out, "}}")
    }

    fn class_doc(&self, class: &Class, out: &mut String) -> fmt::Result {
        let Class { name, per_minute, burst, .. } = class;
        match class.used_for_markdown.as_str() {
            "" => writeln!(out, "    /// `{name}`.")?,
            used_for => {
                let used_for = used_for.trim_end_matches('.');
                writeln!(out, "    /// `{name}`, used for {used_for}.")?;
            }
        }
        writeln!(out, "    ///")?;
        writeln!(out, "    /// - Key: {}", escape(&class.key.to_string()))?;
        writeln!(out, "    /// - Default limits: {per_minute} per minute, burst {burst}")?;
        writeln!(out, "    /// - Surface: {}", class.surface.word())?;
        let [first, rest @ ..] = keys::CLASS.map(|key| key.name);
        write!(out, "    /// - Configuration: `ratelimit.{name}.{first}`")?;
        for key in rest {
            write!(out, ", `.{key}`")?;
        }
        let uses = self.actions.iter().filter(|action| action.class == *name);
        let uses = uses.map(|action| format!("[`{}`](Action::{})", action.id, action.variant));
        let uses = uses.collect::<Vec<_>>().join(", ");
        let none = if class.reserved { "none yet, the class is reserved" } else { "none" };
        writeln!(out, "\n    /// - Actions: {}", if uses.is_empty() { none } else { &uses })
    }

    fn class_data(&self, out: &mut String) -> fmt::Result {
        writeln!(out, "\n{IMPL}\nimpl Class {{")?;
        variants("class", self.classes.iter().map(|class| &class.variant), out)?;
        writeln!(
            out,
            "\n    const DEFINITIONS: &'static [__tollgate::catalogue::ClassDefinition] = &["
        )?;
        for class in &self.classes {
            let Class { name, reserved, used_for, .. } = class;
            let (per_minute, burst) = (grouped(class.per_minute), grouped(class.burst));
            writeln!(out, "        __tollgate::catalogue::ClassDefinition {{")?;
            writeln!(out, "            name: {name:?},")?;
            writeln!(
                out,
                "            key_kind: __tollgate::catalogue::KeyKind::{},",
                class.key.variant()
            )?;
            writeln!(
                out,
                "            limits: __tollgate::__private::limits({per_minute}, {burst}),"
            )?;
            writeln!(out, "            surface: {},", surface(class.surface))?;
            writeln!(out, "            reserved: {reserved},")?;
            writeln!(out, "            used_for: {used_for:?},")?;
            writeln!(out, "            configuration_keys: &[")?;
            for key in keys::CLASS.map(|key| key.name) {
                writeln!(out, "                \"ratelimit.{name}.{key}\",")?;
            }
            writeln!(out, "            ],\n        }},")?;
        }
        writeln!(out, "    ];")?;
        let fitting = self.fitting();
        gateway_only(
            "class",
            self.classes.iter().filter(|class| class.surface == Surface::Gateway).map(|class| {
                let why = format!(
                    "class `{}` serves the gateway alone, so no HTTP handler can declare it; {fitting}",
                    class.name
                );
                (&class.variant, why)
            }),
            out,
        )?;
        writeln!(out, "}}\n")
    }
}
