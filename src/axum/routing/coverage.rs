//! What `routes![..]` is held to, at compile time: every action has one handler, and every handler
//! an action.
//!
//! All of it is `const`, and its panics are what the user reads as errors of the compiler.

use super::text::Text;
use crate::catalogue::{ActionCatalogue, ActionDefinition, Catalogue, Operation};
use crate::declaration::Declaration;

/// An action with a method and a path, by its id; nothing for a handler that declares none.
pub type Mounted = Option<(&'static str, Operation)>;

/// Where each handler is mounted.
#[must_use]
pub const fn operations<C: Catalogue, const N: usize>(
    declarations: &[Declaration<C>; N],
) -> [Mounted; N] {
    let mut operations = [None; N];
    let (mut rest, mut free): (&[_], &mut [_]) = (declarations, &mut operations);
    while let (Some((declaration, declarations)), Some((place, places))) =
        (rest.split_first(), free.split_first_mut())
    {
        if let Declaration::Limited { action: Some(id), operation: Some(operation), .. } =
            declaration
        {
            *place = Some((*id, *operation));
        }
        (rest, free) = (declarations, places);
    }
    operations
}

/// Refuses a handler without an action, and the second of two handlers of one action.
///
/// # Panics
///
/// When the handler at this position is one of them; in `routes![..]` that is a compile error.
#[track_caller]
pub const fn check_handler(operations: &[Mounted], position: usize) {
    let (earlier, rest) = operations.split_at(position);
    let Some((Some((action, _)), _)) = rest.split_first() else {
        panic!(
            "this handler declares no action, so `routes!` does not know its method and path; declare \
             one, as in `#[rate_limited(Action::MessageSend)]`, or mount the handler with `Router::route`"
        );
    };
    if contains(earlier, action) {
        let text = Text::new()
            .push("the action `")
            .push(action)
            .push("` has two handlers, and this is the second; remove one of them");
        panic!("{}", text.as_str());
    }
}

/// Refuses a list in which an action with a method and a path has no handler.
///
/// # Panics
///
/// When there is one; in `routes![..]` that is a compile error.
#[track_caller]
pub const fn check_coverage<C: Catalogue, const N: usize>(declarations: &[Declaration<C>; N]) {
    let operations = operations(declarations);
    let mut text = Text::new().push(
        "these actions have no handler; add one for each, or end the list with `..` where it is \
         partial on purpose: ",
    );
    let mut missing = 0;
    let mut rest = <C::Action as ActionCatalogue>::DEFINITIONS;
    while let Some((ActionDefinition { id, operation, .. }, others)) = rest.split_first() {
        if let (Some(operation), false) = (operation, contains(&operations, id)) {
            let before = if missing == 0 { "`" } else { ", `" };
            text = text.push(before).push(id).push("` (");
            text = text.push(operation.method).push(" ").push(operation.path).push(")");
            missing += 1;
        }
        rest = others;
    }
    assert!(missing == 0, "{}", text.as_str());
}

const fn contains(operations: &[Mounted], id: &str) -> bool {
    let mut rest = operations;
    while let Some((operation, others)) = rest.split_first() {
        if let Some((action, _)) = operation {
            if equal(action.as_bytes(), id.as_bytes()) {
                return true;
            }
        }
        rest = others;
    }
    false
}

/// From the end, where ids of one catalogue differ soonest: `message.send`, `message.list`.
const fn equal(mut left: &[u8], mut right: &[u8]) -> bool {
    if left.len() != right.len() {
        return false;
    }
    while let (Some((a, lefts)), Some((b, rights))) = (left.split_last(), right.split_last()) {
        if *a != *b {
            return false;
        }
        (left, right) = (lefts, rights);
    }
    true
}

#[cfg(test)]
mod tests {
    use super::{check_coverage, check_handler, equal, operations};
    use crate::declaration::Declaration;
    use crate::{Action, Class};

    /// How many actions have a path.
    const N: usize = {
        let (mut n, mut rest) = (0, Action::ALL);
        while let Some((action, others)) = rest.split_first() {
            n += if action.operation().is_some() { 1 } else { 0 };
            rest = others;
        }
        n
    };

    fn declared(actions: &[Action]) -> Vec<Declaration<Class>> {
        actions.iter().map(|action| action.__declaration()).collect()
    }

    #[test]
    fn a_list_with_every_action_that_has_a_path_is_whole() {
        let with_a_path = Action::ALL.iter().copied().filter(|action| action.operation().is_some());
        let with_a_path: Vec<_> = with_a_path.collect();
        let whole: [Declaration<Class>; N] =
            declared(&with_a_path).try_into().expect("as many as were counted");
        check_coverage(&whole);
        let operations = operations(&whole);
        for position in 0..N {
            check_handler(&operations, position);
        }
    }

    #[test]
    #[should_panic(expected = "these actions have no handler")]
    fn a_list_without_an_action_is_refused() {
        check_coverage(&[Action::MessageList.__declaration()]);
    }

    #[test]
    #[should_panic(expected = "the action `message.list` has two handlers, and this is the second")]
    fn a_second_handler_of_an_action_is_refused() {
        let list = [Action::MessageList.__declaration(), Action::MessageList.__declaration()];
        check_handler(&operations(&list), 0);
        check_handler(&operations(&list), 1);
    }

    #[test]
    #[should_panic(expected = "declares no action")]
    fn a_handler_of_a_class_alone_is_refused() {
        check_handler(&operations(&[Class::Read.__declaration()]), 0);
    }

    #[test]
    fn names_are_equal_when_all_of_them_is() {
        assert!(equal(b"message.send", b"message.send"));
        assert!(!equal(b"message.send", b"massage.send"));
        assert!(!equal(b"message.send", b"message.sent"));
        assert!(!equal(b"send", b"message.send"));
        assert!(equal(b"", b""));
    }
}
