//! The page of the guide: every command that it shows, with its answer.

use std::fs;

use crate::{Folder, answer, edited, repository, tollgate};

/// The catalogues that the page speaks of.
fn folder() -> Folder {
    let folder = Folder::new("guide");
    let spec =
        |file: &str| fs::read_to_string(repository().join("spec").join(file)).expect("it is there");
    let (classes, actions) = (spec("05-actions.md"), spec("actions.yaml"));
    folder.catalogue("spec", &classes, &actions);
    folder.catalogue(
        "draft",
        &edited(&classes, "| rl.search | principal |", "| rl.search | principle |"),
        &edited(
            &edited(&actions, "class: rl.export", "class: rl.exprot"),
            "GET /v1/exports/{export_id}",
            "get /v1/exports/{export_id}",
        ),
    );
    let write =
        edited(&classes, "| rl.write | principal | 120 |", "| rl.write | principal | 240 |");
    let moved = "id: message.send\n  class: rl.message";
    folder.catalogue(
        "old",
        &edited(&write, "| 600 | 120 |", "| 600 | 60 |"),
        &edited(
            &edited(&actions, moved, "id: message.send\n  class: rl.write"),
            "id: export.read",
            "id: export.fetch",
        ),
    );
    folder
}

#[test]
fn every_command_of_the_page_answers_as_it_says() {
    let folder = folder();
    let page = fs::read_to_string(repository().join("docs/guide/command-line.md")).unwrap();
    let mut commands = 0;
    for block in page.split("\n```console\n").skip(1) {
        let block = block.split("\n```\n").next().unwrap();
        for session in format!("\n{block}").split("\n$ tollgate ").skip(1) {
            let (command, expected) = session.split_once('\n').unwrap();
            let (_, shown, trouble) = answer(tollgate(&folder.0).args(command.split(' ')));
            let shown = shown + &trouble;
            // Three dots stand for the rest.
            match expected.strip_suffix("\n...") {
                Some(start) => assert!(shown.starts_with(start), "{command}\n{shown}"),
                None => assert_eq!(shown.trim_end(), expected, "{command}"),
            }
            commands += 1;
        }
    }
    assert_eq!(commands, 6);
}
