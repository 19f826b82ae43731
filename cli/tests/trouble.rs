//! What keeps a command from its work.

use std::io::Read as _;
use std::process::Stdio;

use crate::{ACTIONS, CLASSES, Folder, answer, tollgate};

#[test]
fn a_missing_folder_is_named() {
    let folder = Folder::new("trouble-folder");
    for command in ["check", "docs"] {
        let (code, shown, trouble) = answer(tollgate(&folder.0).args([command, "nowhere"]));
        assert_eq!((code, shown.as_str()), (2, ""));
        let lines: Vec<&str> = trouble.lines().collect();
        assert!(lines[0].starts_with("error: nowhere/05-actions.md cannot be read: "), "{trouble}");
        assert!(lines[2].starts_with("the folder nowhere cannot be read: "), "{trouble}");
    }
}

#[test]
fn a_missing_file_is_named_with_those_that_are_there() {
    let folder = Folder::new("trouble-file");
    folder.write("spec/limits.md", CLASSES);
    folder.write("spec/actions.yaml", ACTIONS);
    let (code, _, trouble) = answer(tollgate(&folder.0).arg("check"));
    assert_eq!(code, 2);
    let last = "the folder spec has the files actions.yaml, limits.md; name the right one with \
                --chapter\n";
    assert!(trouble.ends_with(last), "{trouble}");
    let (code, _, _) = answer(tollgate(&folder.0).args(["check", "--chapter=limits.md"]));
    assert_eq!(code, 0);
}

#[test]
fn a_folder_in_the_place_of_a_file_is_no_file() {
    let folder = Folder::new("trouble-place");
    folder.write("spec/05-actions.md/text", CLASSES);
    folder.write("spec/actions.yaml", ACTIONS);
    let (code, _, trouble) = answer(tollgate(&folder.0).arg("check"));
    assert_eq!(code, 2);
    assert!(trouble.starts_with("error: spec/05-actions.md cannot be read: is a directory\n"));
}

#[test]
fn bytes_that_are_not_text_are_a_problem_of_the_catalogue() {
    let folder = Folder::new("trouble-bytes");
    folder.catalogue("spec", CLASSES, ACTIONS);
    let mut bytes = b"- id: caf".to_vec();
    bytes.extend([0xe9, b'\n']);
    std::fs::write(folder.0.join("spec/actions.yaml"), bytes).unwrap();
    let (code, shown, trouble) = answer(tollgate(&folder.0).arg("check"));
    assert_eq!((code, trouble.as_str()), (1, ""));
    let expected = "\
error: byte 0xe9 is not UTF-8; save the file as UTF-8
 --> spec/actions.yaml:1:10
  |
1 | - id: caf\u{fffd}
  |          ^
";
    assert!(shown.contains(expected), "{shown}");
}

#[test]
fn commands_that_need_a_sound_catalogue_show_what_is_wrong() {
    let folder = Folder::new("trouble-broken");
    folder.catalogue("spec", CLASSES, &ACTIONS.replace("class: rl.login", "class: rl.lgin"));
    for arguments in [&["docs"][..], &["explain", "rl.read"], &["diff", "spec", "spec"]] {
        let (code, shown, trouble) = answer(tollgate(&folder.0).args(arguments));
        assert_eq!((code, shown.as_str()), (2, ""));
        assert!(
            trouble.starts_with("error: unknown class `rl.lgin`; did you mean `rl.login`?\n"),
            "{trouble}"
        );
    }
}

#[test]
fn wrong_arguments_are_refused_with_what_is_right() {
    let folder = Folder::new("trouble-arguments");
    let (code, _, trouble) = answer(tollgate(&folder.0).args(["check", "--column=rate=Rate"]));
    assert_eq!(code, 2);
    let columns = "class, key, per-minute, burst, surface, reserved, used-for";
    assert!(
        trouble.contains(&format!("no column is called `rate`; the columns are {columns}")),
        "{trouble}"
    );
    let (code, _, trouble) = answer(tollgate(&folder.0).args(["check", ""]));
    assert_eq!(code, 2);
    assert!(trouble.contains("a value is required for '[FOLDER]'"), "{trouble}");
    let (code, _, trouble) = answer(tollgate(&folder.0).arg("chekc"));
    assert_eq!(code, 2);
    assert!(trouble.contains("'check'"), "{trouble}");
}

#[test]
fn a_reader_that_goes_away_changes_nothing_about_the_exit_code() {
    let folder = Folder::new("trouble-pipe");
    // More than a pipe holds.
    let wrong: Vec<String> = (0..3000).map(|number| format!("- id: {number}\n")).collect();
    folder.catalogue("spec", CLASSES, &format!("{ACTIONS}{}", wrong.concat()));
    let mut child = tollgate(&folder.0)
        .arg("check")
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program was built");
    let mut start = [0; 6];
    child.stdout.take().unwrap().read_exact(&mut start).unwrap();
    assert_eq!(&start, b"error:");
    let ended = child.wait_with_output().unwrap();
    assert_eq!(ended.status.code(), Some(1));
    assert_eq!(String::from_utf8_lossy(&ended.stderr), "");
}
