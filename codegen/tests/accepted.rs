//! The ways in which a catalogue may be written.

use tollgate_codegen::{Catalogue, Column, Spec, Surface};

const HEAD: &str = "\
## Rate-limit classes

| Class | Key | Per minute | Burst | Surface | Reserved | Used for |
|---|---|---|---|---|---|---|
";

fn chapter(rows: &str) -> String {
    format!("{HEAD}{rows}\n")
}

#[track_caller]
fn check(chapter: &str, actions: &str) -> Catalogue {
    Spec::new().check(chapter, actions).unwrap_or_else(|problems| panic!("{problems:#?}"))
}

const ROW: &str = "| rl.read | principal | 600 | 120 | rest | yes | reading |";

const ACTION: &str = "\
- id: message.list
  class: rl.read
  surface: rest
  operation: GET /messages
";

#[test]
fn a_catalogue_may_have_no_actions() {
    for actions in ["", "\n", "# none yet\n", "[]", "actions:\n", "actions: []\n", "---\n"] {
        let catalogue = check(&chapter(ROW), actions);
        assert_eq!((catalogue.classes().len(), catalogue.actions().len()), (1, 0), "{actions:?}");
    }
}

#[test]
fn the_list_may_stand_under_the_key_actions() {
    let indented = format!("actions:\n{ACTION}").replace('\n', "\n  ");
    let catalogue = check(&chapter(ROW), &indented);
    assert_eq!(catalogue, check(&chapter(ROW), ACTION));
}

#[test]
fn flow_and_block_style_read_the_same() {
    let flow = "[{id: message.list, class: 'rl.read', surface: \"rest\", cost: 1, operation: GET /messages}]";
    assert_eq!(check(&chapter(ROW), flow), check(&chapter(ROW), ACTION));
}

#[test]
fn byte_order_marks_and_windows_line_ends_change_nothing() {
    let windows = |text: &str| format!("\u{feff}{}", text.replace('\n', "\r\n"));
    let catalogue = check(&windows(&chapter(ROW)), &windows(ACTION));
    assert_eq!(catalogue, check(&chapter(ROW), ACTION));
}

#[test]
fn positions_do_not_count_a_byte_order_mark_and_count_characters() {
    let rows = "| rl.read | principal | 600 | 120 | rest | yes | \u{e9}t\u{e9} \u{1f980} |";
    let header = "| Class | Key | Per minute | Burst | Surface | Reserved | Used for | Since |";
    let chapter = format!("\u{feff}## Rate-limit classes\r\n\r\n{header}\r\n|---|---|---|---|---|---|---|---|\r\n{rows} 1 |\r\n")
        .replace("yes", "\u{fc}ja")
    .replace("principal", "pr\u{ef}ncipal");
    let problems = Spec::new().check(&chapter, "\u{feff}- x").expect_err("two mistakes");
    let problems: Vec<String> = problems.iter().map(ToString::to_string).collect();
    assert_eq!(
        problems,
        [
            "spec/05-actions.md:5:13: unknown key kind `pr\u{ef}ncipal`; did you mean `principal`?",
            "spec/05-actions.md:5:44: reserved is `\u{fc}ja`; write `yes`, or leave the cell empty",
            "spec/actions.yaml:1:3: an action is a mapping with the keys `id`, `class`, `surface`, \
             `cost` or `operation`",
        ]
    );
}

#[test]
fn columns_may_stand_in_any_order_beside_columns_of_the_users_own() {
    let chapter = "\
# 5.2. RATE-LIMIT   Classes

| Owner | surface | Used for | burst | per  minute | Key | class | Reserved |
|:--|--|--:|:-:|--|--|--|--|
| ops | any | reading | 120 | 600 | tenant | rl.read | yes |
";
    let catalogue = check(chapter, "");
    let [class] = catalogue.classes() else { panic!("one class") };
    assert_eq!(
        (class.name.as_str(), class.per_minute, class.burst, class.surface, class.reserved),
        ("rl.read", 600, 120, Surface::Any, true)
    );
    assert_eq!((class.key.to_string().as_str(), class.used_for.as_str()), ("tenant", "reading"));
}

#[test]
fn markup_in_cells_is_read_as_its_text() {
    let row = "| `rl.read` | [principal](keys.md) | **600** | _120_ | `rest` | yes | `a \\| b`, <b>c</b> \\| [d](e) &amp; *f* |";
    let catalogue = check(&chapter(row), "");
    let [class] = catalogue.classes() else { panic!("one class") };
    assert_eq!(class.name, "rl.read");
    assert_eq!((class.per_minute, class.burst), (600, 120));
    assert_eq!(class.used_for, "a | b, c | d & f");
}

#[test]
fn rows_need_no_outer_pipes() {
    let row = "rl.read | principal | 600 | 120 | rest | yes | reading";
    assert_eq!(check(&chapter(row), "").classes().len(), 1);
}

#[test]
fn other_tables_and_sections_are_left_alone() {
    let text = format!(
        "# Keys\n\n| Class | Other |\n|---|---|\n| no | no |\n\n{HEAD}{ROW}\n\n### Notes\n\n\
         | Word | Meaning |\n|---|---|\n| any | both |\n\n## More\n\n| Class |\n|---|\n| no |\n"
    );
    assert_eq!(check(&text, "").classes().len(), 1);
}

#[test]
fn every_key_kind_of_the_table_has_a_word() {
    let words = [
        "client IP",
        "principal",
        "effective principal",
        "client",
        "device or token",
        "connection",
        "agent",
        "incoming webhook",
        "human",
        "host",
        "tenant",
        "global",
        "custom",
    ];
    for word in words {
        let row = ROW.replace("principal", word);
        assert_eq!(check(&chapter(&row), "").classes()[0].key.to_string(), word);
    }
    let row = ROW.replace("principal", "header X-Api-Key");
    assert_eq!(check(&chapter(&row), "").classes()[0].key.to_string(), "header x-api-key");
}

#[test]
fn the_largest_numbers_fit() {
    let row = ROW.replace("600", "600000000").replace("120", "4294967295");
    let actions = format!("{ACTION}  cost: 4294967295\n");
    assert_eq!(check(&chapter(&row), &actions).actions()[0].cost, u32::MAX);
}

#[test]
fn a_name_may_have_128_characters() {
    let name = format!("rl.{}", "a".repeat(125));
    assert_eq!(check(&chapter(&ROW.replace("rl.read", &name)), "").classes()[0].name, name);
}

#[test]
fn paths_that_a_router_tells_apart_stand_together() {
    let paths = [
        "/",
        "/ab/{id}",
        "/a/b/{*rest}",
        "/a/{id}/c",
        "/a/{id}/{other}",
        "/a/b",
        "/c/{*rest}",
        "/c",
        "/d%2Fe/x.y~z/(1);v=2@here:now",
    ];
    let entries = paths.iter().enumerate().map(|(at, path)| {
        format!("- id: a{at}\n  class: rl.read\n  surface: rest\n  operation: GET {path}\n")
    });
    let entries: Vec<String> = entries.collect();
    let catalogue = check(&chapter(ROW), &entries.concat());
    let read = catalogue.actions().iter().filter_map(|action| action.operation.as_ref());
    assert!(read.map(|operation| operation.path.as_str()).eq(paths));
}

#[test]
fn words_names_and_files_are_the_users() {
    let spec = Spec::new()
        .chapter("limits.md")
        .actions("calls.yml")
        .heading("Grenzen")
        .class_prefix("quota.")
        .column(Column::Class, "Klasse")
        .column(Column::PerMinute, "pro Minute");
    let chapter = "\
## Grenzen
| Klasse | Key | Pro Minute | Burst | Surface | Reserved | Used for |
|---|---|---|---|---|---|---|
| quota.read | principal | 600 | 120 | rest | yes | |
";
    let catalogue = spec.check(chapter, "").unwrap();
    assert_eq!(catalogue.classes()[0].variant, "Read");
    assert!(
        catalogue
            .rust()
            .starts_with("// @generated by tollgate-codegen from limits.md and calls.yml\n")
    );
    let problems = spec.check(&chapter.replace("600", "0"), "").expect_err("a mistake");
    assert_eq!(
        problems[0].to_string(),
        "limits.md:4:28: `pro Minute` is `0`; it must be 1 to 600000000"
    );
}

#[test]
fn a_class_without_prefix_may_not_be_a_key_of_the_limiter() {
    let spec = Spec::new().class_prefix("");
    for name in ["enabled", "redis", "redis.read", "policies", "policies_read", "defaults_ip"] {
        let problems = spec.check(&chapter(&ROW.replace("rl.read", name)), "").expect_err(name);
        assert!(problems[0].message.contains("of the limiter"), "{problems:?}");
    }
    for name in ["read", "enabled_things", "ip"] {
        assert!(spec.check(&chapter(&ROW.replace("rl.read", name)), "").is_ok(), "{name}");
    }
}
