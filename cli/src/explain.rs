//! `tollgate explain`: what a class or an action is limited to, and how to configure it.

use std::fmt::{self, Write as _};

use tollgate_codegen::{Action, Catalogue, Class, Surface};

use crate::answer::{Answer, Trouble};
use crate::arguments::Explain;
use crate::words::{count, pace, wait};

pub(crate) fn run(command: &Explain) -> Result<Answer, Trouble> {
    let catalogue = command.names.read_sound(&command.spec)?;
    let name = command.name.as_str();
    let action = catalogue.actions().iter().find(|action| action.id == name);
    let class_name = action.map_or(name, |action| &action.class);
    let Some(class) = catalogue.classes().iter().find(|class| class.name == class_name) else {
        return Err(unknown(&catalogue, name));
    };
    let mut text = String::new();
    let written = match action {
        Some(action) => explain_action(action, class, &mut text),
        None => explain_class(&catalogue, class, &mut text),
    };
    written.map_err(|_| Trouble(format!("error: {name} cannot be explained")))?;
    Ok(Answer { text, is_bad: false })
}

fn unknown(catalogue: &Catalogue, name: &str) -> Trouble {
    let near = catalogue.nearest(name).map(|near| format!("did you mean `{near}`?"));
    let hint = near.unwrap_or_else(|| {
        let names: Vec<&str> =
            catalogue.classes().iter().map(|class| class.name.as_str()).collect();
        format!("the classes are {}", names.join(", "))
    });
    Trouble(format!("error: no class and no action is called `{name}`; {hint}"))
}

fn explain_class(catalogue: &Catalogue, class: &Class, out: &mut String) -> fmt::Result {
    let actions: Vec<&Action> =
        catalogue.actions().iter().filter(|action| action.class == class.name).collect();
    writeln!(out, "{}, in Rust `Class::{}`", class.name, class.variant)?;
    if !class.used_for.is_empty() {
        writeln!(out, "Used for {}.", class.used_for)?;
    }
    writeln!(out)?;
    limits(class, out)?;
    writeln!(out, "\nActions")?;
    if actions.is_empty() {
        writeln!(out, "  none; the class is reserved")?;
    }
    let rows = actions.iter().map(|action| [action.id.clone(), cost(action), entrance(action)]);
    columns(rows, out)?;
    configuration(class, out)
}

fn explain_action(action: &Action, class: &Class, out: &mut String) -> fmt::Result {
    let Action { id, variant, .. } = action;
    writeln!(out, "{id}, in Rust `Action::{variant}`")?;
    writeln!(out, "Enters by {}.\n", entrance(action))?;
    writeln!(out, "Each call takes {} of the class {}.", cost(action), class.name)?;
    if action.cost > 1 {
        writeln!(
            out,
            "That is {} at once at most, and then one every {}.",
            count((class.burst / action.cost) as usize, "call", "calls"),
            wait(action.cost, class.per_minute),
        )?;
    }
    limits(class, out)?;
    configuration(class, out)
}

fn limits(class: &Class, out: &mut String) -> fmt::Result {
    let Class { key, per_minute, burst, .. } = class;
    let whose = match key.to_string().as_str() {
        "global" => "All callers together have one bucket".to_owned(),
        "custom" => "Each key that the program gives has a bucket".to_owned(),
        kind => match kind.strip_prefix("header ") {
            Some(name) => format!("Each value of the header {name} has a bucket"),
            None => format!("Each {kind} has a bucket"),
        },
    };
    writeln!(
        out,
        "{whose} of {}, which gains {per_minute} a minute: {}.",
        count(*burst as usize, "token", "tokens"),
        pace(*per_minute),
    )?;
    writeln!(out, "An empty bucket is full again after {}.", wait(*burst, *per_minute))?;
    let serves = match class.surface {
        Surface::Any => "HTTP requests and long-lived connections",
        Surface::Gateway => "long-lived connections",
        Surface::Rest => "HTTP requests",
    };
    writeln!(out, "The class serves {serves}.")
}

fn cost(action: &Action) -> String {
    count(action.cost as usize, "token", "tokens")
}

fn entrance(action: &Action) -> String {
    action.operation.as_ref().map_or_else(|| "the gateway".to_owned(), ToString::to_string)
}

fn configuration(class: &Class, out: &mut String) -> fmt::Result {
    writeln!(out, "\nConfiguration keys, environment variables and defaults")?;
    let rows = class.settings().map(|setting| [setting.key, setting.environment, setting.default]);
    columns(rows, out)
}

/// Rows of three cells, of which the first two are as wide as the widest.
fn columns(rows: impl Iterator<Item = [String; 3]>, out: &mut String) -> fmt::Result {
    let rows: Vec<[String; 3]> = rows.collect();
    let width = |cell: fn(&[String; 3]) -> &String| {
        rows.iter().map(|row| cell(row).chars().count()).max().unwrap_or_default()
    };
    let (first_width, second_width) = (width(|[cell, ..]| cell), width(|[_, cell, _]| cell));
    for [first, second, third] in &rows {
        writeln!(out, "  {first:first_width$}  {second:second_width$}  {third}")?;
    }
    Ok(())
}
