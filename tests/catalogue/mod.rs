//! The enums that the build generates from the reference catalogue.

use std::collections::HashSet;

use tollgate::catalogue::{ActionCatalogue, Catalogue, KeyKind, Operation, Surface, UnknownName};
use tollgate::{Action, Class, Limits};

#[test]
fn classes_stand_in_the_order_of_the_table() {
    assert_eq!(Class::ALL.len(), 17);
    assert_eq!(Class::ALL.first(), Some(&Class::PublicAuth));
    assert_eq!(Class::ALL.last(), Some(&Class::Host));
    assert!(Class::ALL.is_sorted());
    for (position, class) in Class::ALL.iter().enumerate() {
        assert_eq!(class.index(), position);
    }
}

#[test]
fn a_class_says_what_its_row_says() {
    let typing = Class::Typing;
    assert_eq!(typing.name(), "rl.typing");
    assert_eq!(typing.key_kind(), KeyKind::Connection);
    assert_eq!(typing.surface(), Surface::Gateway);
    assert_eq!(typing.limits(), Limits::per_minute(30, 10).unwrap());
    assert!(!typing.definition().reserved);
    assert!(Class::Terminal.definition().reserved);
    assert_eq!(typing.configuration_keys()[0], "ratelimit.rl.typing.per_minute");
    assert_eq!(
        Class::Export.definition().used_for,
        "starting an export, which reads a whole channel or workspace"
    );
}

#[test]
fn an_action_says_what_its_entry_says() {
    let send = Action::MessageSend;
    assert_eq!((send.id(), send.class(), send.cost()), ("message.send", Class::Message, 1));
    assert_eq!(send.surface(), Surface::Rest);
    assert_eq!(
        send.operation(),
        Some(Operation { method: "POST", path: "/v1/channels/{channel_id}/messages" })
    );
    assert_eq!(Action::MessageBulkDelete.cost(), 10);
    assert_eq!(Action::TypingStart.operation(), None);
}

#[test]
fn everything_that_can_be_is_known_in_constants() {
    const CLASS: Option<Class> = Class::from_name("rl.read");
    const NO_CLASS: Option<Class> = Class::from_name("rl.rea");
    const ACTION: Option<Action> = Action::from_id("message.send");
    const NAME: &str = Class::Read.name();
    const LIMITS: Limits = Class::Read.limits();
    const KEYS: &[&str] = Class::Read.configuration_keys();
    const COST: u32 = Action::MessageSend.cost();
    const _: KeyKind = Class::Read.key_kind();
    const _: Surface = Class::Read.surface();
    const _: Option<Operation> = Action::MessageSend.operation();
    assert_eq!((CLASS, NO_CLASS, ACTION), (Some(Class::Read), None, Some(Action::MessageSend)));
    assert_eq!((NAME, LIMITS.capacity(), COST), ("rl.read", 120, 1));
    assert_eq!(KEYS.len(), 14);
}

#[test]
fn every_name_leads_back_to_its_variant() {
    for class in Class::ALL {
        assert_eq!(Class::from_name(class.name()), Some(*class));
        assert_eq!(class.to_string().parse(), Ok(*class));
        let json = serde_json::to_string(class).unwrap();
        assert_eq!(json, format!("\"{class}\""));
        assert_eq!(serde_json::from_str::<Class>(&json).unwrap(), *class);
    }
    for action in Action::ALL {
        assert_eq!(Action::from_id(action.id()), Some(*action));
        assert_eq!(action.to_string().parse(), Ok(*action));
        let json = serde_json::to_string(action).unwrap();
        assert_eq!(serde_json::from_str::<Action>(&json).unwrap(), *action);
    }
}

#[test]
fn an_unknown_name_is_told_with_the_nearest() {
    let error: UnknownName = "rl.raed".parse::<Class>().unwrap_err();
    assert_eq!(error.to_string(), "unknown class `rl.raed`; did you mean `rl.read`?");
    let error = "message.sent".parse::<Action>().unwrap_err();
    assert_eq!(error.to_string(), "unknown action `message.sent`; did you mean `message.send`?");
    let error = "nothing like it".parse::<Class>().unwrap_err();
    assert_eq!(error.to_string(), "unknown class `nothing like it`");
    let error = serde_json::from_str::<Class>("\"rl.raed\"").unwrap_err();
    assert!(error.to_string().starts_with("unknown class `rl.raed`; did you mean `rl.read`?"));
    let error = serde_json::from_str::<Class>("7").unwrap_err();
    assert!(error.to_string().contains("expected the name of a rate-limit class"), "{error}");
}

#[test]
fn names_are_padded_as_text_is() {
    assert_eq!(format!("{:>8}|{:<8}|", Class::Read, Class::Read), " rl.read|rl.read |");
}

#[test]
fn a_name_serves_as_a_key_of_a_map() {
    let limits: std::collections::HashMap<Class, u32> =
        serde_json::from_str("{\"rl.read\": 5, \"rl.export\": 1}").unwrap();
    assert_eq!(limits[&Class::Export], 1);
}

#[test]
fn the_routes_of_the_example_api_are_actions_of_their_class() {
    let routes = [
        ("GET", "/v1/channels/{channel_id}/messages", Class::Read),
        ("POST", "/v1/channels/{channel_id}/messages", Class::Message),
        ("PATCH", "/v1/channels/{channel_id}", Class::Write),
        ("GET", "/v1/search", Class::Search),
        ("POST", "/v1/exports", Class::Export),
        ("POST", "/v1/auth/login", Class::PublicAuth),
        ("POST", "/v1/webhooks/{webhook_id}", Class::WebhookIn),
        ("POST", "/v1/agents/self/runs", Class::AgentRuntime),
    ];
    for (method, path, class) in routes {
        let operation = Some(Operation { method, path });
        let action = Action::ALL.iter().find(|action| action.operation() == operation);
        assert_eq!(action.map(|action| action.class()), Some(class), "{method} {path}");
    }
}

#[test]
fn every_class_is_used_or_reserved() {
    let used: HashSet<Class> = Action::ALL.iter().map(|action| action.class()).collect();
    for class in Class::ALL {
        assert!(used.contains(class) || class.definition().reserved, "{class}");
    }
}

/// The traits say what the enums say.
#[test]
fn a_catalogue_is_known_by_its_traits_too() {
    fn actions_of<C: Catalogue>(class: C) -> usize {
        let actions = <C::Action as ActionCatalogue>::ALL;
        actions.iter().filter(|action| action.definition().class == class).count()
    }
    assert_eq!(actions_of(Class::Export), 1);
    assert_eq!(actions_of(Class::Host), 0);
    assert_eq!(<Class as Catalogue>::ALL, Class::ALL);
    assert_eq!(<Action as ActionCatalogue>::ALL, Action::ALL);
}
