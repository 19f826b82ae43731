//! `tollgate docs`.

use std::fs;

use crate::{ACTIONS, CLASSES, Folder, answer, edited, repository, tollgate};

#[test]
fn the_reference_of_this_repository_is_fresh() {
    let (code, shown, trouble) = answer(tollgate(repository()).args([
        "docs",
        "spec",
        "--output=docs/configuration.md",
        "--refresh=cargo xtask docs",
        "--check",
    ]));
    let expected = (0, "docs/configuration.md is fresh\n", "");
    assert_eq!((code, shown.as_str(), trouble.as_str()), expected);
}

#[test]
fn a_page_is_written_and_is_stale_once_the_catalogue_changes() {
    let folder = Folder::new("docs");
    folder.catalogue("spec", CLASSES, ACTIONS);
    let (code, printed, _) = answer(tollgate(&folder.0).arg("docs"));
    assert_eq!(code, 0);
    assert!(printed.contains("     `tollgate docs spec` writes it anew."), "{printed}");
    let row = "| `ratelimit.rl.write.per_minute` | integer | 120 | 1 to 600000000 | Refill per \
               principal: writing. |";
    assert!(printed.contains(row), "{printed}");

    let write = ["docs", "--output", "page.md"];
    let (code, shown, _) = answer(tollgate(&folder.0).args(write));
    assert_eq!((code, shown.as_str()), (0, "page.md is written\n"));
    let page = fs::read_to_string(folder.0.join("page.md")).unwrap();
    let command = "tollgate docs spec --output page.md";
    assert_eq!(page, edited(&printed, "tollgate docs spec", command));
    let (code, shown, _) = answer(tollgate(&folder.0).args(write).arg("--check"));
    assert_eq!((code, shown.as_str()), (0, "page.md is fresh\n"));

    folder.catalogue("spec", &edited(CLASSES, "| 120 | 30 |", "| 121 | 30 |"), ACTIONS);
    let line = page.lines().position(|line| line == row).unwrap() + 1;
    let (code, shown, _) = answer(tollgate(&folder.0).args(write).arg("--check"));
    let expected =
        format!("page.md is stale: it differs from line {line} on; `{command}` writes it anew\n");
    assert_eq!((code, shown), (1, expected));
    assert_eq!(fs::read_to_string(folder.0.join("page.md")).unwrap(), page, "it only looked");
}
