//! What the program answers, run as a user runs it.

mod check;
mod diff;
mod docs;
mod explain;
mod guide;
mod trouble;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// The program, in a folder.
fn tollgate(folder: impl AsRef<Path>) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tollgate"));
    command.current_dir(folder).env_remove("CLICOLOR_FORCE").env_remove("NO_COLOR");
    command
}

/// Exit code, standard output and standard error.
fn answer(command: &mut Command) -> (i32, String, String) {
    let Output { status, stdout, stderr } = command.output().expect("the program was built");
    let text = |bytes| String::from_utf8(bytes).expect("answers are UTF-8");
    (status.code().expect("nothing kills it"), text(stdout), text(stderr))
}

/// The folder of this repository.
fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

const CLASSES: &str = "\
## Rate-limit classes

| Class | Key | Per minute | Burst | Surface | Reserved | Used for |
|---|---|---|---|---|---|---|
| rl.read | principal | 600 | 120 | rest | | reading messages |
| rl.write | principal | 120 | 30 | rest | | writing |
| rl.login | client IP | 20 | 10 | rest | | |
| rl.typing | connection | 7 | 10 | gateway | | telling others that somebody types |
| rl.host | header X-Host | 60 | 15 | any | yes | hosts |
";

const ACTIONS: &str = "\
- id: message.list
  class: rl.read
  surface: rest
  operation: GET /messages
- id: message.read
  class: rl.read
  surface: rest
  operation: GET /messages/{message_id}
- id: message.send
  class: rl.write
  surface: rest
  cost: 4
  operation: POST /messages
- id: auth.login
  class: rl.login
  surface: rest
  operation: POST /login
- id: typing.start
  class: rl.typing
  surface: gateway
";

/// A fresh folder for one test, and the catalogues that it makes there.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).expect("a folder can be made");
        Self(folder)
    }

    fn write(&self, file: &str, text: &str) {
        let path = self.0.join(file);
        fs::create_dir_all(path.parent().expect("it is in the folder")).expect("it can be made");
        fs::write(path, text).expect("a file can be written");
    }

    fn catalogue(&self, name: &str, classes: &str, actions: &str) {
        self.write(&format!("{name}/05-actions.md"), classes);
        self.write(&format!("{name}/actions.yaml"), actions);
    }
}

/// A text with one of its parts replaced, which must be there.
#[track_caller]
fn edited(text: &str, before: &str, after: &str) -> String {
    assert_eq!(text.matches(before).count(), 1, "{before:?} is in the text once");
    text.replace(before, after)
}
