//! Where the guard goes in a body that ends in `Box::pin(async move { .. })`.

use proc_macro2::{Delimiter, Group, Ident, TokenStream, TokenTree};

use super::{before, braced};

/// The body with the guard in it, or nothing when it does not end so. The guard is made for the name
/// that `self` has in its place.
pub(super) fn guarded(
    body: &Group,
    guard: impl FnOnce(Option<&Ident>) -> TokenStream,
) -> Option<TokenTree> {
    let mut statements: Vec<_> = body.stream().into_iter().collect();
    let argument = group(statements.pop()?, Delimiter::Parenthesis)?;
    if !is(statements.last()?, "pin") {
        return None;
    }
    let mut pinned: Vec<_> = argument.stream().into_iter().collect();
    let block = group(pinned.pop()?, Delimiter::Brace)?;
    if !is(pinned.first()?, "async") {
        return None;
    }
    pinned.push(match async_trait(&block) {
        Some(AsyncTrait { before: mut inner, this, body, after }) => {
            inner.push(before(&guard(this.as_ref()), body));
            inner.extend(after);
            braced(inner.into_iter().collect(), block.span())
        }
        None => before(&guard(None), block),
    });
    let mut guarded = Group::new(Delimiter::Parenthesis, pinned.into_iter().collect());
    guarded.set_span(argument.span());
    statements.push(guarded.into());
    Some(braced(statements.into_iter().collect(), body.span()))
}

/// What `#[async_trait]` makes of a body:
///
/// ```text
/// if let Some(__ret) = None::<R> { return __ret; }
/// let __self = self; let tenant = tenant;
/// let __ret: R = { the body };
/// __ret
/// ```
struct AsyncTrait {
    before: Vec<TokenTree>,
    /// What `self` is called in the body.
    this: Option<Ident>,
    body: Group,
    after: Vec<TokenTree>,
}

fn async_trait(block: &Group) -> Option<AsyncTrait> {
    let mut before: Vec<_> = block.stream().into_iter().collect();
    before.windows(2).position(|pair| matches!(pair, [a, b] if is(a, "let") && is(b, "__ret")))?;
    let is_block = |token: &TokenTree| matches!(token, TokenTree::Group(group) if group.delimiter() == Delimiter::Brace);
    let position = before.iter().rposition(is_block)?;
    let after = before.split_off(position + 1);
    let body = group(before.pop()?, Delimiter::Brace)?;
    let this = before.iter().find_map(|token| match token {
        TokenTree::Ident(word) if word == "__self" => Some(word.clone()),
        _ => None,
    });
    Some(AsyncTrait { before, this, body, after })
}

fn group(token: TokenTree, delimiter: Delimiter) -> Option<Group> {
    match token {
        TokenTree::Group(group) if group.delimiter() == delimiter => Some(group),
        _ => None,
    }
}

fn is(token: &TokenTree, word: &str) -> bool {
    matches!(token, TokenTree::Ident(ident) if ident == word)
}
