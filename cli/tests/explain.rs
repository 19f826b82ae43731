//! `tollgate explain`.

use crate::{ACTIONS, CLASSES, Folder, answer, repository, tollgate};

fn explain(name: &str, words: &str) -> (i32, String, String) {
    let folder = Folder::new(name);
    folder.catalogue("spec", CLASSES, ACTIONS);
    answer(tollgate(&folder.0).args(["explain", words]))
}

#[test]
fn a_class_is_its_bucket_its_actions_and_its_keys() {
    let (code, shown, trouble) = explain("explain-class", "rl.read");
    assert_eq!((code, trouble.as_str()), (0, ""));
    let start = "\
rl.read, in Rust `Class::Read`
Used for reading messages.

Each principal has a bucket of 120 tokens, which gains 600 a minute: 10 a second.
An empty bucket is full again after 12 s.
The class serves HTTP requests.

Actions
  message.list  1 token  GET /messages
  message.read  1 token  GET /messages/{message_id}

Configuration keys, environment variables and defaults
  ratelimit.rl.read.per_minute               RATELIMIT_RL_READ_PER_MINUTE               600
  ratelimit.rl.read.burst                    RATELIMIT_RL_READ_BURST                    120
  ratelimit.rl.read.enabled                  RATELIMIT_RL_READ_ENABLED                  true
";
    assert!(shown.starts_with(start), "{shown}");
}

#[test]
fn an_action_is_what_it_takes_of_its_class() {
    let (code, shown, _) = explain("explain-action", "message.send");
    assert_eq!(code, 0);
    let start = "\
message.send, in Rust `Action::MessageSend`
Enters by POST /messages.

Each call takes 4 tokens of the class rl.write.
That is 7 calls at once at most, and then one every 2 s.
Each principal has a bucket of 30 tokens, which gains 120 a minute: 2 a second.
An empty bucket is full again after 15 s.
The class serves HTTP requests.

Configuration keys, environment variables and defaults
  ratelimit.rl.write.per_minute ";
    assert!(shown.starts_with(start), "{shown}");
}

#[test]
fn a_class_of_the_gateway_and_a_reserved_one_say_so() {
    let (_, shown, _) = explain("explain-gateway", "rl.typing");
    for line in [
        "Each connection has a bucket of 10 tokens, which gains 7 a minute: about one every 8.6 s.\n",
        "An empty bucket is full again after about 85.8 s.\n",
        "The class serves long-lived connections.\n",
        "  typing.start  1 token  the gateway\n",
    ] {
        assert!(shown.contains(line), "{shown}");
    }
    let (_, shown, _) = explain("explain-reserved", "rl.host");
    for line in [
        "Each value of the header x-host has a bucket of 15 tokens, which gains 60 a minute: one a second.\n",
        "The class serves HTTP requests and long-lived connections.\n",
        "Actions\n  none; the class is reserved\n",
    ] {
        assert!(shown.contains(line), "{shown}");
    }
}

#[test]
fn every_name_of_the_reference_catalogue_is_explained() {
    let spec = tollgate_codegen::Spec::new().read(repository()).unwrap();
    let classes = spec.classes().iter().map(|class| class.name.as_str());
    for name in classes.chain(spec.actions().iter().map(|action| action.id.as_str())).step_by(7) {
        let (code, shown, trouble) = answer(tollgate(repository()).args(["explain", name]));
        assert_eq!((code, trouble.as_str()), (0, ""));
        assert!(shown.starts_with(&format!("{name}, in Rust `")), "{shown}");
    }
}

#[test]
fn an_unknown_name_gets_the_nearest() {
    for (given, near) in
        [("rl.raed", "rl.read"), ("write", "rl.write"), ("auth.logn", "auth.login")]
    {
        let (code, shown, trouble) = explain("explain-near", given);
        assert_eq!((code, shown.as_str()), (2, ""));
        let expected =
            format!("error: no class and no action is called `{given}`; did you mean `{near}`?\n");
        assert_eq!(trouble, expected);
    }
    let (_, _, trouble) = explain("explain-far", "something");
    assert!(
        trouble.ends_with("; the classes are rl.read, rl.write, rl.login, rl.typing, rl.host\n"),
        "{trouble}"
    );
}
