use super::*;

const WHOLE: &str = r#"
[[step]]
hear = '''(?i)paying (?<price>[^.]+?) for'''
within = 60
[[step]]
see = { area = [900, 80, 360, 90], text = '(?<code>[A-Z]-?\s?\d{4})' }
[[step]]
see-change = { area = [0, 0, 10, 10] }
within = 1.5
[[step]]
find = { text = "Submit {code}" }
count = 2
[[step]]
click = [640, 512]
[[step]]
type = "{price:number}"
[[step]]
speak = "It is {capital}."
[[step]]
wait = 3.5
[[step]]
key = "Return"
[[step]]
done = true

[lookup.capital]
key = "code"
[lookup.capital.values]
france = "Paris"

[guess]
price = "50"
"#;

#[test]
fn every_kind_of_step() {
    let script = Script::parse(WHOLE).unwrap();
    let names: Vec<&str> = script.steps.iter().map(|step| step.what.name()).collect();
    assert_eq!(
        names,
        [
            "hear",
            "see",
            "see-change",
            "find",
            "click",
            "type",
            "speak",
            "wait",
            "key",
            "done"
        ]
    );
    assert_eq!(script.steps[0].within, 60_000);
    assert_eq!(script.steps[1].within, 30_000);
    assert!(matches!(script.steps[7].what, What::Wait(3_500)));
}

#[test]
fn faults_are_named() {
    for (text, fault) in [
        ("", "no [[step]]"),
        ("[[step]]\nwithin = 3", "nothing to do"),
        ("[[step]]\nkey = \"a\"\ntype = \"b\"", "more than one"),
        ("[[step]]\nsleep = 3", "unknown field"),
        ("[[step]]\nhear = '('", "step 1"),
        (
            "[[step]]\ntype = \"{price}\"",
            "nothing before it captures \"price\"",
        ),
        ("[[step]]\nkey = \"a\"\nwithin = 3", "within belongs"),
        ("[[step]]\ntype = \"a\"\ncount = 3", "button and count"),
        ("[[step]]\nwait = -1", "no number of seconds"),
        (
            "[[step]]\nsee = { text = 'a', area = [0, 0, 0, 5] }",
            "area is",
        ),
        ("schema = 2", "schema 2"),
    ] {
        let error = Script::parse(text).unwrap_err();
        assert!(error.contains(fault), "{error}");
    }
}
