use super::*;

/// Every key of the language, once.
const WHOLE: &str = r##"
schema = 1
[[step]]
hear = '''(?i)paying (?<price>[^.]+?) for'''
within = 60
[[step]]
see = { area = [900, 80, 360, 90], text = '(?<code>[A-Z]-?\s?\d{4})' }
fresh = true
guess = 12
[[step]]
see-change = { areas = { left = [0, 0, 10, 10], right = [20, 0, 10, 10] }, as = "side" }
within = 1.5
[[step]]
see-colour = { colour = "#f2b705", area = [0, 0, 10, 10], off-by = 30 }
optional = true
[[step]]
find = { text = "Submit {code}", offset = [0, 40] }
count = 2
[[step]]
find = { pattern = '{code}\s+(?<row>\d)', area = [0, 0, 400, 400], x = 1180 }
button = "right"
[[step]]
click = [640, 512]
[[step]]
click = { at = "row", x = 1180, y = 20 }
when = { price = '\d', row = '{code}|4' }
unless = { side = 'left' }
[[step]]
move = { at = [5, 5], offset = [1, 1] }
[[step]]
drag = { from = "side", to = [4, 4] }
[[step]]
scroll = { direction = "down", notches = 3, at = [640, 400] }
[[step]]
type = "{price:number}"
[[step]]
key = ["Tab", "Return"]
[[step]]
speak = "It is {capital}, {code:spelled}."
[[step]]
wait = 3.5
[[step]]
watch = { see = { text = 'critical (?<alert>A-\d+)' }, by = ["alert"], repeats = true }
for = 45
then = [
  { click = { at = "alert", x = 1180 } },
  { repeat = { times = "{row:number}" }, then = [{ key = "Return" }] },
]
[[step]]
until = { hear = 'that is all' }
within = 90
[step.collect]
into = "offers"
see = { text = '\$(?<cost>\d+)|code (?<name>\w+)' }
hear = 'code (?<name>\w+)'
begins = "cost"
sure = 0.7
enough = 6
[[step]]
choose = { from = "offers", smallest = "cost", where = { name = '{code}' } }
[[step]]
choose = { from = "offers", count = "total" }
[[step]]
repeat = { each = "offers" }
then = [{ type = "{name} {total}" }]
[[step]]
repeat = {}
until = { see = { text = 'Game over' } }
then = [{ key = "Left" }]
[[step]]
done = true

[lookup.capital]
key = "code"
values = { france = "Paris" }

[guess]
price = "50"
alert = { text = "A-1024", at = [420, 300] }
offers = [{ cost = "10", name = "A1" }, { cost = "12", name = { text = "B2", at = [3, 4] } }]
"##;

fn fails(text: &str) -> String {
    match Script::parse(text) {
        Ok(_) => panic!("it was read: {text}"),
        Err(error) => error,
    }
}

#[test]
fn every_kind_of_step() {
    let script = Script::parse(WHOLE).unwrap();
    let names: Vec<&str> = script.steps.iter().map(|step| step.what.name()).collect();
    let wanted = "hear see see-change see-colour find find click click move drag scroll type key speak wait watch collect \
                  choose choose repeat repeat done";
    assert_eq!(names.join(" "), wanted);
    let steps = &script.steps;
    assert_eq!(steps[0].within, Some(Duration::from_secs(60)));
    assert_eq!(
        (steps[1].within, steps[1].guess),
        (Some(Duration::from_secs(30)), Duration::from_secs(12))
    );
    assert!(steps[1].fresh && steps[3].optional);
    let What::Pause(pause) = steps[14].what else {
        panic!("{:?}", steps[14].what)
    };
    assert_eq!(pause, Duration::from_millis(3_500));
    assert_eq!(
        (steps[15].lasting, steps[15].within),
        (Some(Duration::from_secs(45)), None)
    );
    let inner = &steps[15].then()[1].then()[0];
    assert_eq!((inner.label.as_str(), inner.what.name()), ("16.2.1", "key"));
    let constants = &script.guess;
    assert_eq!(constants.captures["price"].text, "50");
    assert_eq!(
        constants.captures["alert"].at,
        Some(Point { x: 420, y: 300 })
    );
    assert_eq!(constants.lists["offers"][1]["name"].text, "B2");
}

#[test]
fn areas_are_found_by_their_names() {
    let script = Script::parse(WHOLE).unwrap();
    let right = Rect::new(20, 0, 10, 10);
    assert_eq!(script.area_named("side", "right"), Some(right));
    assert_eq!(script.area_named("side", "middle"), None);
    assert_eq!(script.area_named("pad", "right"), None);
}

#[test]
fn guess_needs_a_constant_for_every_name() {
    let script = |guess: &str| {
        Script::parse(&format!(
            "[[step]]\nhear = '(?<price>x)'\n[[step]]\ntype = \"{{price}}\"\n{guess}"
        ))
        .unwrap()
    };
    let error = script("").check_guess().unwrap_err();
    assert_eq!(error, "step 2: [guess] has no \"price\", which it needs");
    assert_eq!(script("[guess]\nprice = \"50\"").check_guess(), Ok(()));
}

#[test]
fn faults_are_named() {
    for (text, fault) in [
        ("", "no [[step]]"),
        ("[[step]]\nwithin = 3", "step 1: it has nothing to do"),
        ("[[step]]\nkey = \"a\"\ntype = \"b\"", "more than one"),
        ("[[step]]\nsleep = 3", "unknown field"),
        ("[[step]]\nhear = '('", "step 1"),
        (
            "[[step]]\ntype = \"{price}\"",
            "nothing before it captures \"price\"",
        ),
        (
            "[[step]]\nsee = { text = '{price} (?<x>a)' }",
            "nothing before it captures \"price\"",
        ),
        (
            "[[step]]\nclick = { at = \"row\" }",
            "nothing before it captures \"row\"",
        ),
        ("[[step]]\nkey = \"a\"\nwithin = 3", "within belongs"),
        ("[[step]]\nkey = \"a\"\nfor = 3", "for and until belong"),
        ("[[step]]\nkey = \"a\"\noptional = true", "optional belongs"),
        ("[[step]]\nwait = 1\nfresh = true", "fresh belongs"),
        ("[[step]]\nwait = 1\nguess = 1", "guess = SECONDS belongs"),
        ("[[step]]\ntype = \"a\"\ncount = 3", "button and count"),
        ("[[step]]\nwait = -1", "no number of seconds"),
        (
            "[[step]]\nsee = { text = 'a', area = [0, 0, 0, 5] }",
            "an area is",
        ),
        (
            "[[step]]\nsee-colour = { colour = \"red\", area = [0, 0, 4, 5] }",
            "\"red\" is no colour",
        ),
        (
            "[[step]]\nsee-change = { areas = { a = [0, 0, 4, 5] } }",
            "either area, or areas and as",
        ),
        (
            "[[step]]\nfind = { area = [0, 0, 4, 5] }",
            "text or pattern",
        ),
        (
            "[[step]]\nwatch = { hear = 'a' }\nthen = [{ key = \"a\" }]",
            "watch needs to know when it ends",
        ),
        (
            "[[step]]\nwatch = { hear = 'a' }\nfor = 3",
            "needs steps to do",
        ),
        (
            "[[step]]\nwatch = { by = [\"a\"] }\nfor = 3\nthen = [{ key = \"a\" }]",
            "watch needs one of hear",
        ),
        (
            "[[step]]\nwatch = { hear = 'a', by = [\"b\"] }\nfor = 3\nthen = [{ key = \"a\" }]",
            "no pattern captures \"b\"",
        ),
        (
            "[[step]]\nwatch = { hear = 'a' }\nfor = 3\nthen = [{ key = \"a\" }, { wait = -1 }]",
            "step 1.2: wait = -1",
        ),
        (
            "[[step]]\nkey = \"a\"\nthen = [{ key = \"a\" }]",
            "then belongs",
        ),
        (
            "[[step]]\ncollect = { into = \"x\", hear = 'a' }",
            "for or until or enough",
        ),
        (
            "[[step]]\ncollect = { into = \"x\", hear = 'a', sure = 2 }\nfor = 1",
            "sure = 2",
        ),
        (
            "[[step]]\nchoose = { from = \"x\", row = 1 }",
            "nothing before it collects \"x\"",
        ),
        (
            "[[step]]\ncollect = { into = \"x\", hear = '(?<a>a)' }\nfor = 1\n[[step]]\nchoose = { from = \"x\", largest = \"b\" }",
            "in the rows of \"x\" no pattern captures \"b\"",
        ),
        (
            "[[step]]\nrepeat = { each = \"x\", times = 2 }\nthen = [{ key = \"a\" }]",
            "either times or each",
        ),
        ("schema = 2", "schema 2"),
    ] {
        let error = fails(text);
        assert!(error.contains(fault), "{text}\n→ {error}");
    }
}
