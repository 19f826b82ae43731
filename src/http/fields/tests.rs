use std::time::Duration;

use http::header::{HeaderMap, HeaderValue};
use proptest::prelude::*;
use sfv::{BareItem, ListEntry, Parser};

use super::{Fields, KeptPolicies, Member, TimeProfile, retry_after};
use crate::limits::Limits;

/// 600 a minute is one in 100 ms.
fn fast() -> Limits {
    Limits::per_minute(600, 120).unwrap()
}

/// 6 a minute is one in 10 s.
fn slow() -> Limits {
    Limits::per_minute(6, 2).unwrap()
}

fn member(name: &str, limits: Limits) -> Member<'_> {
    Member {
        name,
        limits,
        remaining: limits.capacity(),
        time_to_full: Duration::ZERO,
        next_token: Duration::ZERO,
        retry_after: None,
    }
}

fn after_one_of_120<'a>() -> Member<'a> {
    Member { remaining: 119, time_to_full: Duration::from_millis(100), ..member("rl.read", fast()) }
}

/// Two tokens taken 500 ms ago: 9.5 s to the next one, 19.5 s to full.
fn refused<'a>() -> Member<'a> {
    Member {
        remaining: 0,
        time_to_full: Duration::from_millis(19_500),
        next_token: Duration::from_millis(9_500),
        retry_after: Some(Duration::from_millis(9_500)),
        ..member("rl.export", slow())
    }
}

fn written(profile: TimeProfile, members: &[Member<'_>]) -> (String, String) {
    let mut headers = HeaderMap::new();
    Fields::new(profile, members.iter().copied()).write(&mut headers);
    (field(&headers, "ratelimit-policy"), field(&headers, "ratelimit"))
}

fn field(headers: &HeaderMap, name: &str) -> String {
    let mut lines = headers.get_all(name).iter();
    let line = lines.next().map(|line| line.to_str().unwrap().to_owned());
    assert_eq!(lines.next(), None, "{name} is one line");
    line.unwrap_or_default()
}

fn t(profile: TimeProfile, member: Member<'_>) -> String {
    let (_, limit) = written(profile, &[member]);
    limit.rsplit_once(";t=").unwrap().1.to_owned()
}

#[test]
fn both_fields_say_policy_and_state() {
    let (policy, limit) = written(TimeProfile::TimeToFull, &[after_one_of_120()]);
    assert_eq!(policy, r#""rl.read";q=600;w=60"#);
    assert_eq!(limit, r#""rl.read";r=119;t=1"#);
}

#[test]
fn several_limits_are_members_of_one_list() {
    let (policy, limit) = written(TimeProfile::TimeToFull, &[after_one_of_120(), refused()]);
    assert_eq!(policy, r#""rl.read";q=600;w=60, "rl.export";q=6;w=60"#);
    assert_eq!(limit, r#""rl.read";r=119;t=1, "rl.export";r=0;t=20"#);
}

#[test]
fn a_kept_policy_is_that_of_the_present_limits() {
    let kept = KeptPolicies::of_classes(2);
    let policy = |class, limits| {
        let mut headers = HeaderMap::new();
        let member = member("rl.read", limits);
        Fields::of_class(TimeProfile::TimeToFull, class, &member, &kept).write(&mut headers);
        (field(&headers, "ratelimit-policy"), field(&headers, "ratelimit"))
    };
    let fast_one = (r#""rl.read";q=600;w=60"#.to_owned(), r#""rl.read";r=120;t=0"#.to_owned());
    let slow_one = (r#""rl.read";q=6;w=60"#.to_owned(), r#""rl.read";r=2;t=0"#.to_owned());
    assert_eq!(policy(1, fast()), fast_one);
    assert_eq!(policy(1, fast()), fast_one);
    assert_eq!(policy(1, slow()), slow_one);
    assert_eq!(policy(0, slow()), slow_one);
    // A class that nobody has counted.
    assert_eq!(policy(2, fast()), fast_one);
}

#[test]
fn no_numbers_no_fields() {
    let mut headers = HeaderMap::new();
    let fields = Fields::new(TimeProfile::TimeToFull, [].into_iter());
    assert!(fields.is_empty());
    fields.write(&mut headers);
    assert_eq!(headers, HeaderMap::new());
}

#[test]
fn time_to_full_is_zero_at_a_full_bucket_and_rounded_up_elsewhere() {
    let t =
        |time_to_full| t(TimeProfile::TimeToFull, Member { time_to_full, ..member("a", fast()) });
    assert_eq!(t(Duration::ZERO), "0");
    assert_eq!(t(Duration::from_micros(1)), "1");
    assert_eq!(t(Duration::from_secs(2)), "2");
    assert_eq!(t(Duration::from_micros(2_000_001)), "3");
}

#[test]
fn the_effective_window_of_a_refusal_is_its_wait() {
    assert_eq!(t(TimeProfile::EffectiveWindow, refused()), "10");
    assert_eq!(retry_after(Duration::from_millis(9_500)), 10);
}

#[test]
fn the_effective_window_without_quota_is_the_time_to_the_next_token() {
    let last_one_taken = Member { retry_after: None, ..refused() };
    assert_eq!(t(TimeProfile::EffectiveWindow, last_one_taken), "10");
    let nearly_there = Member { next_token: Duration::from_micros(1), ..last_one_taken };
    assert_eq!(t(TimeProfile::EffectiveWindow, nearly_there), "1");
}

#[test]
fn the_effective_window_with_quota_is_the_time_in_which_as_much_comes_again() {
    let remaining = |remaining, limits| {
        t(TimeProfile::EffectiveWindow, Member { remaining, ..member("a", limits) })
    };
    // 119 tokens at 10 a second are 11.9 s; 120 are 12 s; 1 is 0.1 s.
    assert_eq!(remaining(119, fast()), "12");
    assert_eq!(remaining(120, fast()), "12");
    assert_eq!(remaining(1, fast()), "1");
    // 2 tokens at one in 10 s.
    assert_eq!(remaining(2, slow()), "20");
}

#[test]
fn a_wait_is_rounded_up_and_at_least_a_second() {
    assert_eq!(retry_after(Duration::ZERO), 1);
    assert_eq!(retry_after(Duration::from_millis(900)), 1);
    assert_eq!(retry_after(Duration::from_millis(1_950)), 2);
    assert_eq!(retry_after(Duration::from_secs(2)), 2);
}

#[test]
fn an_integer_never_has_more_digits_than_a_structured_field_allows() {
    let endless = Member { time_to_full: Duration::MAX, ..member("a", fast()) };
    assert_eq!(t(TimeProfile::TimeToFull, endless), "999999999999999");
    assert_eq!(retry_after(Duration::MAX), 999_999_999_999_999);
}

#[test]
fn names_are_escaped() {
    let (policy, _) = written(TimeProfile::TimeToFull, &[member(r#"a"b\c"#, fast())]);
    assert_eq!(policy, r#""a\"b\\c";q=600;w=60"#);
    let (policy, _) = written(TimeProfile::TimeToFull, &[member("ä\r\n", fast())]);
    assert_eq!(policy, r#""%C3%A4%0D%0A";q=600;w=60"#);
}

#[test]
fn members_of_an_inner_gate_stay_and_no_name_comes_twice() {
    let mut headers = HeaderMap::new();
    Fields::new(TimeProfile::TimeToFull, [after_one_of_120()].into_iter()).write(&mut headers);
    Fields::new(TimeProfile::TimeToFull, [refused()].into_iter()).write(&mut headers);
    Fields::new(TimeProfile::TimeToFull, [refused()].into_iter()).write(&mut headers);
    assert_eq!(
        field(&headers, "ratelimit-policy"),
        r#""rl.export";q=6;w=60, "rl.read";q=600;w=60"#
    );
    assert_eq!(field(&headers, "ratelimit"), r#""rl.export";r=0;t=20, "rl.read";r=119;t=1"#);
}

#[test]
fn what_is_no_list_of_strings_is_replaced() {
    for text in [
        "limit=10, remaining=4",
        "",
        "garbage",
        "\"open",
        ",,,",
        "\"a\" b",
        "\"a\"=1",
        // One unreadable member makes the whole list unreadable.
        "\"a\";q=1, b",
        "\"a\",",
        "(\"a\" \"b\")",
        "\"a\\b\"",
        "\"a\";!!",
        "\"a\";=1",
        "\"a\";Q=1",
        "\"a\" ;q=1",
        "\"a\";q=",
        "\"a\";q=-",
        "\"a\";q=1.",
        "\"a\";q=1.1234",
        "\"a\";q=1234567890123456",
        "\"a\";q=1234567890123.1",
        "\"a\";q=?2",
        "\"a\";q=@1.5",
        "\"a\";q=:YQ:YQ",
        "\"a\";q=:YQ===:",
        "\"a\";q=\"open",
        "\"a\";q=%\"%C3%A4\"",
        "\"a\";q=%\"%ff\"",
    ] {
        let mut headers = HeaderMap::new();
        headers.insert("ratelimit", HeaderValue::from_static(text));
        Fields::new(TimeProfile::TimeToFull, [after_one_of_120()].into_iter()).write(&mut headers);
        assert_eq!(field(&headers, "ratelimit"), r#""rl.read";r=119;t=1"#, "{text}");
    }
}

#[test]
fn members_of_others_stay_with_every_kind_of_parameter() {
    for member in [
        r#""a""#,
        r#""a\"\\b""#,
        r#""a";q"#,
        r#""a"; q=1;*w-.2_*=-1.5"#,
        r#""a";q=123456789012345;w=123456789012.123"#,
        r#""a";q="b, c\"";w=*a/b:c"#,
        r#""a";pk=:YWI=:;w=:YQ:;x=::;y=:YQ=:"#,
        r#""a";q=?0;w=?1;x=@-1659578233"#,
        r#""a";q=%"\, %c3%a4""#,
    ] {
        let mut headers = HeaderMap::new();
        headers.insert("ratelimit", HeaderValue::from_static(member));
        Fields::new(TimeProfile::TimeToFull, [after_one_of_120()].into_iter()).write(&mut headers);
        let written = field(&headers, "ratelimit");
        assert_eq!(written, format!(r#""rl.read";r=119;t=1, {member}"#));
        Parser::new(&written).parse::<sfv::List>().expect("a list");
    }
}

/// Name and parameters of each member, as a parser of structured fields reads them.
fn parsed(field: &str) -> Vec<(String, Vec<(String, i64)>)> {
    let list: sfv::List = Parser::new(field).parse().unwrap();
    let member = |entry: ListEntry| {
        let ListEntry::Item(item) = entry else { panic!("an inner list in {field}") };
        let BareItem::String(name) = item.bare_item else { panic!("no string in {field}") };
        let parameter = |(key, value): (sfv::Key, BareItem)| {
            let BareItem::Integer(value) = value else { panic!("no integer in {field}") };
            (key.as_str().to_owned(), value.into())
        };
        (name.as_str().to_owned(), item.params.into_iter().map(parameter).collect())
    };
    list.into_iter().map(member).collect()
}

proptest! {
    #[test]
    fn a_parser_reads_back_what_was_written(
        names in prop::collection::btree_set("[ -~]{1,80}", 1..5),
        remaining in 0_u64..=1_000_000_000_000,
        seconds in 0_u64..=1_000_000,
        effective in any::<bool>(),
        in_two_steps in any::<bool>(),
    ) {
        let members: Vec<_> = names.iter().map(|name| Member {
            remaining,
            time_to_full: Duration::from_secs(seconds),
            ..member(name, fast())
        }).collect();
        let profile =
            if effective { TimeProfile::EffectiveWindow } else { TimeProfile::TimeToFull };
        let mut headers = HeaderMap::new();
        let (first, second) = members.split_at(if in_two_steps { members.len() / 2 } else { 0 });
        Fields::new(profile, second.iter().copied()).write(&mut headers);
        Fields::new(profile, first.iter().copied()).write(&mut headers);

        let t = match (effective, remaining) {
            (false, _) => seconds,
            (true, 0) => 1,
            (true, tokens) => tokens.div_ceil(10),
        };
        let number = |value: u64| i64::try_from(value).unwrap();
        let policy = vec![("q".to_owned(), 600), ("w".to_owned(), 60)];
        let state = vec![("r".to_owned(), number(remaining)), ("t".to_owned(), number(t))];
        let expected = |parameters: &Vec<(String, i64)>| -> Vec<_> {
            names.iter().map(|name| (name.clone(), parameters.clone())).collect()
        };
        prop_assert_eq!(parsed(&field(&headers, "ratelimit-policy")), expected(&policy));
        prop_assert_eq!(parsed(&field(&headers, "ratelimit")), expected(&state));
    }

    #[test]
    fn any_field_that_is_there_leaves_a_list_with_ours(existing in "[ -~]{0,60}") {
        let mut headers = HeaderMap::new();
        headers.insert("ratelimit", HeaderValue::try_from(existing).unwrap());
        Fields::new(TimeProfile::TimeToFull, [after_one_of_120()].into_iter()).write(&mut headers);
        let written = field(&headers, "ratelimit");
        prop_assert!(written.starts_with(r#""rl.read";r=119;t=1"#), "{}", written);
    }
}
