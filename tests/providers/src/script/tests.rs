use super::*;

fn seen(text: &str, images: usize) -> NeutralRequest {
    NeutralRequest {
        texts: vec![text.to_owned()],
        images,
        tools: vec!["click".into(), "type".into()],
        ..NeutralRequest::default()
    }
}

fn answers(
    script: &Script,
    progress: &mut Progress,
    seen: &NeutralRequest,
) -> Option<(String, Vec<Part>)> {
    let choice = script.choose(seen, script.screen, progress, |tool| {
        seen.tools.iter().any(|known| known == tool)
    })?;
    match choice.reaction {
        Reaction::Answer(answer, _) => Some((choice.rule, answer.parts)),
        _ => Some((choice.rule, Vec::new())),
    }
}

const LOOKS: &str = r#"
schema = 1
[tables.capital]
"New Zealand" = "Wellington"
[[rule]]
name = "sees"
when = [{ text = ['code (?<code>\d+)'], images = 2 }]
answer = [{ tool = "type", arguments = { text = "{code}!", count = 2 } }]
[[rule]]
name = "knows"
times = 2
when = [{ text = ['(?i)capital of (?<country>new\s+zealand)'] }]
answer = [{ text = "It is {capital:country}, {{not}} asked." }]
[[rule]]
name = "speaks"
answer = [{ tool = "speak", arguments = { text = "hello" } }]
[[rule]]
name = "later"
times = "any"
when = [{ after = "sees" }]
fault = { kind = "rate-limited", retry-after = 2 }
"#;

#[test]
fn the_first_rule_that_holds_and_is_not_used_up_answers() {
    let script = Script::parse(LOOKS).unwrap();
    let mut progress = Progress::default();
    assert!(answers(&script, &mut progress, &seen("code 12", 1)).is_none());
    let (rule, parts) = answers(&script, &mut progress, &seen("code 12, code 34", 2)).unwrap();
    assert_eq!(rule, "sees");
    let Part::Call { tool, arguments } = &parts[0] else {
        panic!("a call was expected: {parts:?}");
    };
    assert_eq!(tool, "type");
    assert_eq!(arguments["text"], "34!");
    assert_eq!(arguments["count"], 2);
    // Used up: what comes after it now holds.
    let (rule, _) = answers(&script, &mut progress, &seen("code 12", 2)).unwrap();
    assert_eq!(rule, "later");
}

#[test]
fn a_table_is_looked_up_without_regard_to_case_and_spaces() {
    let script = Script::parse(LOOKS).unwrap();
    let mut progress = Progress::default();
    let text = "What is the capital of new  zealand?";
    let (_, parts) = answers(&script, &mut progress, &seen(text, 0)).unwrap();
    assert_eq!(
        parts,
        [Part::Text("It is Wellington, {not}} asked.".into())]
    );
}

#[test]
fn a_rule_that_calls_a_tool_that_was_not_offered_does_not_hold() {
    let script = Script::parse(LOOKS).unwrap();
    let mut progress = Progress::default();
    let mut offered = seen("nothing", 0);
    assert!(answers(&script, &mut progress, &offered).is_none());
    offered.tools.push("speak".into());
    let (rule, _) = answers(&script, &mut progress, &offered).unwrap();
    assert_eq!(rule, "speaks");
}

#[test]
fn a_script_that_cannot_work_is_refused_with_its_reason() {
    let cases = [
        ("schema = 2", "schema 2"),
        ("schema = 1", "no rule"),
        (
            "schema = 1\n[[rule]]\nname = 'a'\nanswer = []\ncolour = 1",
            "expected",
        ),
        ("schema = 1\n[[rule]]\nname = 'a'", "one of"),
        (
            "schema = 1\n[[rule]]\nname = 'a'\nanswer = [{ text = '{x}' }]",
            "{x}",
        ),
        (
            "schema = 1\n[[rule]]\nname = 'a'\nwhen = [{ text = ['(?<x>a)'] }, { images = 1 }]\nanswer = [{ text = '{x}' }]",
            "{x}",
        ),
        (
            "schema = 1\n[[rule]]\nname = 'a'\nwhen = [{ text = ['(?<x>a)'] }]\nanswer = [{ text = '{t:x}' }]",
            "table `t`",
        ),
        (
            "schema = 1\n[[rule]]\nname = 'a'\nwhen = [{ after = 'b' }]\nanswer = []",
            "`b`",
        ),
        (
            "schema = 1\n[[rule]]\nname = 'a'\nwhen = [{ text = ['('] }]\nanswer = []",
            "regex",
        ),
        (
            "schema = 1\n[[rule]]\nname = 'a'\nanswer = [{ tool = 'x', text = 'y' }]",
            "part",
        ),
        (
            "schema = 1\n[[rule]]\nname = 'a'\ntimes = 0\nanswer = []",
            "times",
        ),
        (
            "schema = 1\n[[rule]]\nname = 'a'\nraw = { status = 99, body = '' }",
            "99",
        ),
    ];
    for (text, word) in cases {
        let error = Script::parse(text).unwrap_err();
        let said = match &error {
            ScriptError::Toml(problem) => format!("{error} {problem}"),
            _ => error.to_string(),
        };
        assert!(said.contains(word), "`{word}` is not in: {said}");
    }
}
