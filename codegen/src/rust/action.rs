//! The enum of actions.

use std::fmt::{self, Write as _};

use super::{ENUM, IMPL, gateway_only, grouped, surface, variants};
use crate::catalogue::{Action, Catalogue, Surface};

impl Catalogue {
    pub(super) fn write_actions(&self, out: &mut String) -> fmt::Result {
        self.action_enum(out)?;
        self.action_data(out)?;
        out.write_str(include_str!("action.txt"))
    }

    fn action_enum(&self, out: &mut String) -> fmt::Result {
        writeln!(out, "\n/// The actions of the catalogue, in its order.\n{ENUM}")?;
        writeln!(out, "pub enum Action {{")?;
        for Action { id, variant, class, class_variant, cost, operation, .. } in &self.actions {
            let tokens = if *cost == 1 { "token" } else { "tokens" };
            writeln!(
                out,
                "    /// `{id}` takes {cost} {tokens} of [`{class}`](Class::{class_variant})."
            )?;
            writeln!(out, "    ///")?;
            match operation {
                Some(operation) => writeln!(out, "    /// Operation: `{operation}`")?,
                None => writeln!(out, "    /// It enters by the gateway.")?,
            }
            writeln!(out, "    {variant},")?;
        }
        writeln!(out, "}}")
    }

    fn action_data(&self, out: &mut String) -> fmt::Result {
        writeln!(out, "\n{IMPL}\nimpl Action {{")?;
        variants("action", self.actions.iter().map(|action| &action.variant), out)?;
        writeln!(
            out,
            "\n    const DEFINITIONS: &'static [__tollgate::catalogue::ActionDefinition<Class>] = &["
        )?;
        for action in &self.actions {
            let Action { id, class_variant, .. } = action;
            let cost = grouped(action.cost);
            writeln!(out, "        __tollgate::catalogue::ActionDefinition {{")?;
            writeln!(out, "            id: {id:?},")?;
            writeln!(out, "            class: Class::{class_variant},")?;
            writeln!(out, "            cost: {cost},")?;
            writeln!(out, "            surface: {},", surface(action.surface))?;
            match &action.operation {
                Some(operation) => {
                    writeln!(
                        out,
                        "            operation: ::core::option::Option::Some(__tollgate::catalogue::Operation {{"
                    )?;
                    writeln!(out, "                method: {:?},", operation.method)?;
                    writeln!(out, "                path: {:?},\n            }}),", operation.path)?;
                }
                None => writeln!(out, "            operation: ::core::option::Option::None,")?,
            }
            writeln!(out, "        }},")?;
        }
        writeln!(out, "    ];")?;
        let fitting = self.fitting();
        gateway_only(
            "action",
            self.actions.iter().filter(|action| action.surface == Surface::Gateway).map(|action| {
                let why = format!(
                    "action `{}` enters by the gateway, so no HTTP handler can declare it; declare an \
                     action of the surface `rest`, or a class: {fitting}",
                    action.id
                );
                (&action.variant, why)
            }),
            out,
        )?;
        writeln!(out, "}}\n")
    }
}
