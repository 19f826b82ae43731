//! The guide's page on catalogues and `examples/own-catalogue`, each in a folder of its own and built
//! there as a user would: no environment variable is set, and the only paths are those of the
//! dependencies.

use std::ffi::OsStr;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::{env, fs};

/// Where this library is.
const LIBRARY: &str = env!("CARGO_MANIFEST_DIR");
/// Where the users build: one folder for all, so that what they depend on is built once.
const TARGET: &str = concat!(env!("CARGO_TARGET_TMPDIR"), "/users");

#[test]
fn three_crates_share_a_catalogue_of_their_own() {
    let workspace = Workspace::copied("own-catalogue", LIBRARY, &format!("{LIBRARY}/codegen"));

    let build = workspace.cargo(&["build"]);
    assert!(build.status.success(), "{}", text(&build.stderr));
    assert!(!text(&build.stderr).contains("generated"), "the build script speaks to strangers");

    let server = Server::start(&Path::new(TARGET).join("debug/library-server"));
    let answer = server.request("POST /books/emma/loans");
    assert!(answer.starts_with("HTTP/1.1 200 OK\r\n"), "{answer}");
    assert!(answer.contains("\r\nratelimit-policy: \"rl.borrow\";q=6;w=60\r\n"), "{answer}");
    assert!(answer.contains("\r\nratelimit: \"rl.borrow\";r=2;t=10\r\n"), "{answer}");
    assert!(answer.ends_with("emma is yours\n"), "{answer}");
    // Renewing costs the two tokens that are left.
    let answer = server.request("PUT /loans/emma");
    assert!(answer.contains("\r\nratelimit: \"rl.borrow\";r=0;t="), "{answer}");
    assert!(server.request("PUT /loans/emma").starts_with("HTTP/1.1 429 "));
    assert!(server.request("GET /books").contains("\"rl.browse\";r=59;"));
    assert!(server.request("GET /hours").contains("\"rl.browse\";r=58;"));

    // Only the spec makes the build script run again.
    let script = "/build-script-build`";
    workspace.edit("catalogue/src/lib.rs", "//! The rate limits", "//! All the rate limits");
    let build = text(&workspace.cargo(&["build", "--verbose"]).stderr);
    assert!(build.contains("Compiling library-limits") && !build.contains(script), "{build}");
    workspace.edit("catalogue/spec/05-actions.md", "following the queue", "queueing");
    let build = text(&workspace.cargo(&["build", "--verbose"]).stderr);
    assert!(build.contains(script), "{build}");

    let misspelt = "Class::Brwose";
    workspace.edit("handlers/src/lib.rs", "Class::Browse", misspelt);
    let refused = workspace.cargo(&["check"]);
    let message = text(&refused.stderr);
    assert!(!refused.status.success() && message.contains("no variant"), "{message}");
    assert!(message.contains(misspelt) && message.contains("Browse"), "{message}");
    workspace.edit("handlers/src/lib.rs", misspelt, "Class::Follow");
    let message = text(&workspace.cargo(&["check"]).stderr);
    assert!(message.contains("class `rl.follow` serves the gateway alone"), "{message}");
    assert!(message.contains("the classes for HTTP are `Class::Browse`, `Class::Borrow`"));
    workspace.edit("handlers/src/lib.rs", "Class::Follow", "Class::Browse");
    workspace.edit("handlers/src/lib.rs", "[list, borrow, renew]", "[list, borrow]");
    let message = text(&workspace.cargo(&["check"]).stderr);
    assert!(message.contains("loan.renew"), "{message}");

    workspace.edit("catalogue/spec/05-actions.md", "| 300 | 60 |", "| 0 | sixty |");
    workspace.edit("catalogue/spec/actions.yaml", "class: rl.browse", "class: rl.brwose");
    let message = text(&workspace.cargo(&["check"]).stderr);
    for problem in [
        "spec/05-actions.md:7:27: `Per minute` is `0`; it must be 1 to 600000000",
        "spec/05-actions.md:7:31: `Burst` is `sixty`, which is not a whole number",
        "spec/actions.yaml:2:10: unknown class `rl.brwose`; did you mean `rl.browse`?",
    ] {
        assert!(message.contains(problem), "{message}");
    }
}

#[test]
fn the_page_of_the_guide_is_a_program() {
    let workspace = Workspace::of_page("guide-page", "docs/guide/own-catalogue.md");

    let build = workspace.cargo(&["build"]);
    assert!(build.status.success(), "{}", text(&build.stderr));
    let server = Server::start(&Path::new(TARGET).join("debug/library"));
    let answer = server.request("GET /books");
    assert!(answer.contains("\r\nratelimit-policy: \"rl.browse\";q=300;w=60\r\n"), "{answer}");
    assert!(answer.ends_with("three books\n"), "{answer}");

    workspace.edit("src/main.rs", "Action::BookList", "Class::Brwose");
    let refused = workspace.cargo(&["check"]);
    let message = text(&refused.stderr);
    assert!(!refused.status.success() && message.contains("no variant"), "{message}");
    assert!(message.contains("Class::Brwose") && message.contains("Browse"), "{message}");
    workspace.edit("src/main.rs", "Class::Brwose", "Action::BookLits");
    let message = text(&workspace.cargo(&["check"]).stderr);
    assert!(message.contains("no variant") && message.contains("BookList"), "{message}");

    workspace.edit("spec/05-actions.md", "rl.browse | client IP", "rl.browse | client ip");
    workspace.edit("spec/actions.yaml", "rl.browse", "rl.brwose");
    workspace.edit("spec/actions.yaml", "{book_id}", ":book_id");
    let message = text(&workspace.cargo(&["check"]).stderr);
    let page = page("docs/guide/own-catalogue.md");
    let told: Vec<&str> = page.lines().filter(|line| line.starts_with("error: library@")).collect();
    assert_eq!(told.len(), 3);
    for problem in told {
        assert!(message.contains(problem), "{problem}\n{message}");
    }
}

/// What documentation tests leave out, the test above builds.
#[test]
fn no_other_block_of_the_documents_is_left_out() {
    let mut left_out = Vec::new();
    for folder in ["docs", "docs/guide"] {
        for entry in fs::read_dir(Path::new(LIBRARY).join(folder)).expect("the folder is there") {
            let path = entry.expect("the folder can be read").path();
            let Ok(text) = fs::read_to_string(&path) else { continue };
            let fences = text.lines().filter(|line| line.starts_with("```"));
            let ignored = fences.filter(|fence| fence.contains("ignore")).count();
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            left_out.extend(std::iter::repeat_n(name, ignored));
        }
    }
    assert_eq!(left_out, ["own-catalogue.md"]);
}

#[test]
fn packaged_crates_serve_a_catalogue_just_as_well() {
    const NAMES: [&str; 3] = ["tollgate", "tollgate-codegen", "tollgate-macros"];
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).join("packages");
    let archived = cargo(Path::new(LIBRARY))
        .args(["package", "--workspace", "--exclude", "xtask", "--no-verify", "--allow-dirty"])
        .arg("--target-dir")
        .arg(&target)
        .output()
        .expect("cargo runs this test");
    assert!(archived.status.success(), "{}", text(&archived.stderr));
    // All files of an archive have one time, by which cargo would not see that they have changed.
    let unpacked = target.join("unpacked");
    let _ = fs::remove_dir_all(&unpacked);
    fs::create_dir_all(&unpacked).expect("a folder can be made");
    for name in NAMES {
        let archive = target.join(format!("package/{name}-{VERSION}.crate"));
        let tar = Command::new("tar").arg("-xmzf").arg(archive).current_dir(&unpacked).status();
        assert!(tar.is_ok_and(|status| status.success()), "{name} cannot be unpacked");
    }

    let folder = |name: &str| format!("{}/{name}-{VERSION}", unpacked.display());
    let workspace =
        Workspace::copied("packaged-catalogue", &folder("tollgate"), &folder("tollgate-codegen"));
    // What a registry would do for the versions that the packaged manifests name.
    let patches = NAMES.map(|name| format!("{name} = {{ path = {:?} }}\n", folder(name)));
    let manifest = format!("[patch.crates-io]\n{}\n[workspace.package]", patches.concat());
    workspace.edit("Cargo.toml", "[workspace.package]", &manifest);

    let build = workspace.cargo(&["check"]);
    assert!(build.status.success(), "{}", text(&build.stderr));
}

const VERSION: &str = env!("CARGO_PKG_VERSION");

fn page(file: &str) -> String {
    fs::read_to_string(Path::new(LIBRARY).join(file)).expect("the page is text")
}

/// A folder in which a user works.
struct Workspace {
    folder: PathBuf,
    /// Whether the folder goes when the work is done.
    is_temporary: bool,
}

impl Drop for Workspace {
    fn drop(&mut self) {
        if self.is_temporary {
            let _ = fs::remove_dir_all(&self.folder);
        }
    }
}

impl Workspace {
    /// Copied to a folder of this name, to depend on the two packages in those folders.
    fn copied(name: &str, library: &str, codegen: &str) -> Self {
        let example = Path::new(LIBRARY).join("examples/own-catalogue");
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        let workspace = Self { folder, is_temporary: false };
        copy(&example, &workspace.folder);
        workspace.lock();
        workspace.edit("catalogue/Cargo.toml", "../../../codegen", codegen);
        for member in ["catalogue", "handlers", "server"] {
            workspace.edit(&format!("{member}/Cargo.toml"), "../../..", library);
        }
        workspace
    }

    /// The files that a page shows, in an empty folder outside of this repository: each block behind a
    /// line that starts with the name of a file.
    fn of_page(name: &str, file: &str) -> Self {
        let folder = env::temp_dir().join(format!("tollgate-{name}-{}", std::process::id()));
        let workspace = Self { folder, is_temporary: true };
        let page = page(file);
        let mut blocks = page.split("\n```");
        let mut before = blocks.next().unwrap_or_default();
        while let (Some(block), Some(after)) = (blocks.next(), blocks.next()) {
            let line = before.trim_end().rsplit("\n\n").next().unwrap_or_default();
            let file = line.strip_prefix('`').and_then(|line| line.split_once('`'));
            let named = file.filter(|(_, rest)| rest.starts_with([':', ',']));
            if let (Some((file, _)), Some((_, text))) = (named, block.split_once('\n')) {
                let path = workspace.folder.join(file);
                fs::create_dir_all(path.parent().expect("it is in the folder"))
                    .expect("a folder can be made");
                fs::write(path, format!("{text}\n")).expect("a file can be written");
            }
            before = after;
        }
        workspace.edit("Cargo.toml", "../tollgate", LIBRARY);
        workspace.lock();
        workspace
    }

    /// The versions that this repository is tested with, so that nothing needs to be looked up.
    fn lock(&self) {
        fs::copy(Path::new(LIBRARY).join("Cargo.lock"), self.folder.join("Cargo.lock"))
            .expect("the lock file can be copied");
    }

    /// Replaces each `before` of a file.
    #[track_caller]
    fn edit(&self, file: &str, before: &str, after: &str) {
        let path = self.folder.join(file);
        let text = fs::read_to_string(&path).expect("the file is text");
        assert!(text.contains(before), "{file} says {before:?}");
        fs::write(path, text.replace(before, after)).expect("the file can be written");
    }

    fn cargo(&self, arguments: &[&str]) -> Output {
        let mut cargo = cargo(&self.folder);
        let output = cargo.args(arguments).args(["--target-dir", TARGET]).output();
        output.expect("cargo runs this test")
    }
}

/// Cargo as from a shell, without what the cargo that runs this test has set.
fn cargo(folder: &Path) -> Command {
    let mut cargo = Command::new("cargo");
    for (name, _) in env::vars_os() {
        if is_of_this_run(&name) {
            cargo.env_remove(name);
        }
    }
    cargo.current_dir(folder);
    cargo
}

/// How cargo reaches a registry and its own home stays as it is.
fn is_of_this_run(variable: &OsStr) -> bool {
    const KEPT: [&str; 6] = [
        "CARGO_HOME",
        "CARGO_HTTP_",
        "CARGO_NET_",
        "CARGO_REGISTRIES_",
        "CARGO_SOURCE_",
        "RUSTUP_",
    ];
    let name = variable.to_string_lossy();
    let is_kept = KEPT.iter().any(|kept| name.starts_with(kept));
    !is_kept && (name.starts_with("CARGO") || name.starts_with("RUST") || name == "OUT_DIR")
}

/// Copies sources and not what was built from them.
fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("a folder can be made");
    for entry in fs::read_dir(from).expect("the folder is there") {
        let entry = entry.expect("the folder can be read");
        let (from, to) = (entry.path(), to.join(entry.file_name()));
        if entry.file_name() == "target" {
            continue;
        }
        if from.is_dir() {
            copy(&from, &to);
        } else {
            fs::copy(from, to).expect("a file can be copied");
        }
    }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// The server of the example, until it is dropped.
struct Server {
    process: Child,
    address: String,
}

impl Server {
    fn start(program: &Path) -> Self {
        let mut process =
            Command::new(program).stdout(Stdio::piped()).spawn().expect("the server was built");
        let mut line = String::new();
        let output = process.stdout.take().expect("it is piped");
        BufReader::new(output).read_line(&mut line).expect("the server says where it listens");
        let address = line.trim().strip_prefix("listening on http://").unwrap_or_default();
        Self { process, address: address.to_owned() }
    }

    fn request(&self, line: &str) -> String {
        let mut stream = TcpStream::connect(&self.address).expect("the server listens");
        write!(stream, "{line} HTTP/1.1\r\nhost: library\r\nconnection: close\r\n\r\n")
            .expect("the server reads");
        let mut answer = String::new();
        stream.read_to_string(&mut answer).expect("the server answers in text");
        answer
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
