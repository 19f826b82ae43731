//! What an editor and a compiler get from code that is still being typed.

use proc_macro2::TokenStream;
use quote::quote;

use super::expand;

fn tokens(stream: TokenStream) -> Vec<String> {
    stream.into_iter().map(|token| token.to_string()).collect()
}

fn mistakes(stream: &TokenStream) -> usize {
    stream.to_string().matches("compile_error").count()
}

#[test]
fn a_body_is_taken_as_it_is() {
    let item = quote! { async fn list() { let half = ; half. } };
    let expanded = expand(&quote!(Class::Read), item);
    assert_eq!(mistakes(&expanded), 0, "{expanded}");
    let body = quote!({ let half = ; half. }).to_string();
    assert!(expanded.to_string().contains(&body), "{expanded}");
}

#[test]
fn mistakes_in_the_arguments_come_after_the_same_items() {
    let item = quote! { pub async fn list(State(db): State<Db>) -> Answer { db.list() } };
    let whole = tokens(expand(&quote!(Class::Read, cost = 2), item.clone()));
    for half in [
        quote!(Class::Read, cost = 2, c),
        quote!(Class::Read, cost = 2, crate =),
        quote!(Class::Read, cost = 2, costs = 3),
        quote!(Class::Read, cost = 2, Class::),
    ] {
        let expanded = expand(&half, item.clone());
        assert_eq!(mistakes(&expanded), 1, "{half}: {expanded}");
        let expanded = tokens(expanded);
        assert!(expanded.starts_with(&whole), "{half}: {expanded:?}");
        assert!(expanded.len() > whole.len());
    }
}

#[test]
fn a_handler_whose_class_is_half_typed_is_still_a_handler() {
    let item = quote! { async fn list(State(db): State<Db>) {} };
    for half in [quote!(), quote!(C), quote!(Class::), quote!("rl.read"), quote!(exempt =)] {
        let expanded = expand(&half, item.clone());
        assert_eq!(mistakes(&expanded), 1, "{half}: {expanded}");
        let expanded = expanded.to_string();
        for part in ["struct list", "LimitedHandler", "State < Db > : "] {
            assert!(expanded.contains(part), "{half}: no `{part}` in {expanded}");
        }
    }
}

#[test]
fn a_signature_that_does_not_parse_is_left_alone() {
    let item = quote! { pub async fn list(State(db): State<) { db.list() } };
    let expanded = expand(&quote!(Class::Read), item.clone());
    assert_eq!(mistakes(&expanded), 1, "{expanded}");
    assert!(tokens(expanded).starts_with(&tokens(item)));
}

#[test]
fn all_mistakes_are_reported_together() {
    let arguments = quote!("rl.read", costs = 2, cost = 0, cost = 1, exempt, crate = a, crate = b);
    let item = quote! {
        #[rate_limited(Class::Read)]
        const unsafe extern "C" fn list<T>(self, _: impl Clone) {}
    };
    let expanded = expand(&arguments, item);
    // Of the arguments: a string, an unknown one, a cost of nothing, two repeated ones, no reason.
    // Of the function: a second attribute, `const`, `unsafe`, `extern`, no `async`, `<T>`, `self`,
    // `impl`.
    assert_eq!(mistakes(&expanded), 6 + 8, "{expanded}");
}

#[test]
fn only_a_whole_signature_becomes_a_handler() {
    let plain = |item: TokenStream| {
        let expanded = expand(&quote!(Class::Read), item).to_string();
        assert!(!expanded.contains("struct"), "{expanded}");
        expanded
    };
    // These may stand in an `impl` or be called with type arguments.
    assert!(plain(quote! { async fn list(&self) {} }).starts_with("async fn list (& self)"));
    assert!(plain(quote! { async fn list<T>() {} }).starts_with("async fn list < T > ()"));
    // Whatever mounts this one is told nothing more.
    let broken = expand(&quote!(Class::Read), quote! { fn list() {} }).to_string();
    assert!(broken.contains("LimitedHandler"), "{broken}");
}

#[test]
fn a_conditional_argument_has_an_expansion_for_either_case() {
    let item = quote! {
        async fn list(#[cfg(a)] _: A, _: B, #[cfg(b)] #[cfg(c)] _: C) {}
    };
    let expanded = expand(&quote!(Class::Read), item);
    assert_eq!(mistakes(&expanded), 0, "{expanded}");
    let expanded = expanded.to_string();
    // One for rustdoc, four for the compiler, of which it keeps one.
    assert_eq!(expanded.matches("async fn list").count(), 1 + 4, "{expanded}");
    for case in [
        "# [cfg (all (a))] # [cfg (all (b , c))]",
        "# [cfg (all (a))] # [cfg (not (all (b , c)))]",
        "# [cfg (not (all (a)))] # [cfg (all (b , c))]",
        "# [cfg (not (all (a)))] # [cfg (not (all (b , c)))]",
    ] {
        assert_eq!(expanded.matches(case).count(), 1, "{case}: {expanded}");
    }
}

#[test]
fn the_page_of_a_handler_shows_its_signature_links_its_class_and_names_the_refusal() {
    let item = quote! { #[doc = "Lists."] pub async fn list(_: B) -> C { body } };
    let expanded = expand(&quote!(my::Class::Read, cost = 2), item).to_string();
    let page = expanded.split("# [cfg (not (doc))]").next().unwrap();
    assert!(page.starts_with("# [cfg (doc)] # [doc = \"Lists.\"]"), "{page}");
    assert!(page.contains("Limited by [`my::Class::Read`]; a call costs 2 tokens."), "{page}");
    assert!(page.contains("429 Too Many Requests"), "{page}");
    assert!(page.trim_end().ends_with("pub async fn list (_ : B) -> C { body }"), "{page}");
}

#[test]
fn the_description_of_a_route_comes_from_the_function_and_not_from_the_struct() {
    let item = quote! {
        #[doc = "Lists."]
        #[utoipa::path(get, path = "/")]
        async fn list() {}
    };
    let expanded = expand(&quote!(Class::Read, cost = 2, crate = limits), item);
    let expected = quote! {
        #[utoipa::path(get, path = "/")]
        #[limits::rate_limited(Class::Read, cost = 2, crate = limits)]
        #[doc = "Lists."]
        async fn list() {}
    };
    assert_eq!(expanded.to_string(), expected.to_string());
}

#[test]
fn a_guard_goes_before_a_body_that_stays_as_it_is() {
    let item = quote! { async fn export(&self, a: u8) -> Result<(), E> { half. } };
    let arguments = quote!(Class::Export, limiter = self.limiter, key = (a, self.b));
    let expanded = expand(&arguments, item);
    assert_eq!(mistakes(&expanded), 0, "{expanded}");
    let expanded = expanded.to_string();
    assert!(expanded.contains("acquire ((& (a) , & (self . b) ,))"), "{expanded}");
    assert!(expanded.ends_with("{ half . } }"), "{expanded}");
}

#[test]
fn a_guard_with_a_mistake_leaves_the_function_as_it_was() {
    let item = quote! { async fn export(a: u8) -> Result<(), E> { a } };
    for (half, count) in [
        (quote!(Class::, limiter = x, key = y), 1),
        (quote!("rl.export", limiter = x, key = y), 1),
        (quote!(Class::Export, limiter = x), 1),
        (quote!(Class::Export, limiter = x, key =), 2),
        (quote!(Class::Export, key = y), 1),
        (quote!(default, limiter = x, key = y, costs = 3), 2),
    ] {
        let expanded = expand(&half, item.clone());
        assert_eq!(mistakes(&expanded), count, "{half}: {expanded}");
        let expanded = expanded.to_string();
        assert!(
            expanded.starts_with("async fn export (a : u8) -> Result < () , E > {"),
            "{expanded}"
        );
        assert!(expanded.contains("{ a } }"), "{half}: {expanded}");
        assert!(!expanded.contains("acquire"), "{half}: {expanded}");
    }
}

#[test]
fn a_body_that_async_trait_made_is_guarded_where_its_names_are_bound() {
    let item = quote! {
        fn export<'a>(&'a self, __arg1: A) -> Pin<Box<dyn Future<Output = R> + 'a>> {
            Box::pin(async move {
                if let Some(__ret) = None::<R> { return __ret; }
                let __self = self;
                let A { a } = __arg1;
                let __ret: R = { __self.f(a) };
                __ret
            })
        }
    };
    let arguments = quote!(Class::Export, limiter = self.limiter, key = (a, f(self)));
    let expanded = expand(&arguments, item);
    assert_eq!(mistakes(&expanded), 0, "{expanded}");
    let expanded = expanded.to_string();
    let (_, guarded) = expanded.split_once("let __ret : R = {").unwrap();
    assert!(guarded.contains("& (__self . limiter)"), "{guarded}");
    assert!(guarded.contains("acquire ((& (a) , & (f (__self)) ,))"), "{guarded}");
    assert!(guarded.ends_with("{ __self . f (a) } } ; __ret }) }"), "{guarded}");
}

#[test]
fn a_boxed_body_of_another_making_is_guarded_first() {
    let item = quote! {
        fn export(&self) -> BoxFuture<'_, R> { let x = 1; Box::pin(async move { match x { _ => y } }) }
    };
    let expanded = expand(&quote!(Class::Export, limiter = self.l, key = 1), item).to_string();
    assert!(
        expanded.contains("let x = 1 ; Box :: pin (async move { let __entered = { use"),
        "{expanded}"
    );
    assert!(expanded.ends_with("{ match x { _ => y } } }) }"), "{expanded}");
}
