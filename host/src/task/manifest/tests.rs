use super::*;

/// A whole manifest that keeps every rule.
pub fn example() -> String {
    r#"schema = 1
id = "A-E1"
slug = "podcast-price"
title = "Price in a product review"
category = "A"
tier = "easy"
axes = ["audio"]
needs = "aoi_audio"
instruction = "Enter the price of the {product}."
time-limit = 90
step-limit = 40

[variant]
product = { choose = ["travel kettle", "desk lamp", "folding stool"] }
price = { number = { min = 21, max = 96, step = 1, exclude = [42] }, spoken = "dollars" }
list-price = { number = { min = 21, max = 96, step = 1 }, spoken = "dollars", distinct-from = ["price"] }
place = { choose = [{ country = "France", capital = "Paris" }, { country = "Japan", capital = "Tokyo" }] }
code = { code = { pattern = "E-####" }, spoken = "groups" }
order = { shuffle = ["red", "green", "blue"], take = 2 }
verdict = { text = "{price.spoken} well spent" }

[page]
values = ["product", "place.country"]

[page.reveal]
code = "{code}"
banner = { text = "Failed: {code}", colours = "{order}" }

[[speech]]
id = "review"
voice = "am_michael"
text = "Not {list-price.spoken}: {verdict} for the {product}."

[[moments]]
name = "price-spoken"
channel = "audio"
needed = true

[[moments]]
name = "code-shown"
channel = "screen"
seconds = 2
needed = false

[scorer]
plugin = "typed-answer"
[scorer.settings]
field = "price"
value = "{price}"
others = "{place.capital.others}"
"#
    .to_owned()
}

pub fn manifest() -> Manifest {
    Manifest::parse(&example(), Path::new("task.toml")).unwrap()
}

#[test]
fn a_whole_manifest_is_read() {
    let manifest = manifest();
    assert_eq!(manifest.folder_name(), "A-E1-podcast-price");
    assert_eq!(
        (manifest.tier, manifest.needs, manifest.category),
        (Tier::Easy, Needs::AoiAudio, 'A')
    );
    assert!(manifest.separates);
    let entities: Vec<String> = manifest.speech[0]
        .entities
        .iter()
        .map(ToString::to_string)
        .collect();
    assert_eq!(entities, ["list-price", "price", "product"]);
    let place = |name: &str| {
        manifest
            .order
            .iter()
            .position(|field| field == name)
            .unwrap()
    };
    assert!(place("list-price") > place("price") && place("verdict") > place("price"));
    let Kind::Number(numbers) = &manifest.fields["price"].kind else {
        panic!("price is a number")
    };
    let written: Vec<String> = numbers.candidates.iter().map(ToString::to_string).collect();
    assert!(
        !written
            .iter()
            .any(|number| ["42", "30", "90"].contains(&number.as_str())),
        "{written:?}"
    );
}

/// What of the example is replaced, by what, and what is said of it.
const BROKEN: &[(&str, &str, &str)] = &[
    (
        "schema = 1",
        "schema = 2",
        "1: schema 2 is not known: this host reads schema = 1",
    ),
    (
        "title = ",
        "tittle = ",
        "4: unknown field `tittle`, expected one of",
    ),
    (
        "title = \"Price in a product review\"\n",
        "",
        "missing field `title`: add it",
    ),
    (
        "\"A-E1\"",
        "\"A-M1\"",
        "2: the id of a task of category A, tier easy, is A-E1 to A-E10",
    ),
    ("\"A-E1\"", "\"A-E01\"", "2: the id of a task"),
    (
        "\"podcast-price\"",
        "\"Podcast\"",
        "3: a slug is lower-case words joined by -",
    ),
    (
        "category = \"A\"",
        "category = \"K\"",
        "5: the category is one letter from A to J",
    ),
    (
        "tier = \"easy\"",
        "tier = \"simple\"",
        "6: unknown variant `simple`",
    ),
    (
        "axes = [\"audio\"]",
        "axes = []",
        "7: name at least one axis",
    ),
    (
        "time-limit = 90",
        "time-limit = 0",
        "10: a limit from 1 to 3600 is needed",
    ),
    (
        "product = { choose = [",
        "product = { number = { min = 1, max = 2, step = 1 }, choose = [",
        "14: `product`: give exactly one of",
    ),
    (
        "\"desk lamp\"",
        "\"travel kettle\"",
        "14: `product`: `choose` has \"travel kettle\" twice",
    ),
    (
        "step = 1, exclude",
        "step = 0, exclude",
        "15: `price`: min <= max and step > 0 are needed",
    ),
    (
        "exclude = [42]",
        "exclud = [42]",
        "15: unknown field `exclud`",
    ),
    (
        "max = 96, step = 1, e",
        "max = 21.125, step = 0.125, e",
        "15: `price`: money is said with at most two decimals",
    ),
    (
        "min = 21, max = 96, step = 1, e",
        "min = 13, max = 19, step = 1, e",
        "15: `price`: no number is left to draw",
    ),
    (
        "distinct-from = [\"price\"]",
        "distinct-from = [\"cost\"]",
        "16: `list-price` needs `cost`, which [variant] does not have",
    ),
    (
        "exclude = [42] }",
        "exclude = [42] }, distinct-from = [\"list-price\"]",
        "depends on itself: break the cycle",
    ),
    (
        "{ country = \"Japan\", capital",
        "{ land = \"Japan\", capital",
        "17: `place`: the alternatives of `choose` must all have the same parts",
    ),
    (
        "\"E-####\"",
        "\"E-1234\"",
        "18: `code`: a pattern has # for a digit",
    ),
    (
        "spoken = \"groups\"",
        "spoken = \"dollars\"",
        "18: `code`: this spoken form does not fit",
    ),
    ("take = 2", "take = 4", "19: `order`: `take` is from 1 to 3"),
    (
        "{price.spoken} well",
        "{price.spoken well",
        "20: `verdict`: a `{` without its `}`",
    ),
    (
        "{price.spoken} well",
        "{place} well",
        "20: {place} is a list or a table: name one part of it",
    ),
    (
        "[\"product\", ",
        "[\"product\", \"price\", ",
        "23: the page would reveal the answer `price`",
    ),
    (
        "[\"product\", ",
        "[\"product\", \"verdict\", ",
        "23: the page would reveal the answer `price`",
    ),
    (
        "[\"product\", ",
        "[\"product\", \"code\", ",
        "26: `code` is revealed at its moment",
    ),
    (
        "Enter the price of the {product}.",
        "Enter {price}.",
        "9: the instruction would reveal the answer `price`",
    ),
    (
        "of the {product}.",
        "of the {thing}.",
        "9: {thing} names no value of [variant]: known are code, list-price",
    ),
    (
        "\"place.country\"]",
        "\"place.river\"]",
        "23: {place.river}: there is no part `river`",
    ),
    (
        "\"place.country\"]",
        "\"code.spoken\"]",
        "23: `code.spoken`: name the value `code` itself",
    ),
    ("am_michael", "michael", "31: not an English Kokoro voice"),
    (
        "Not {list-price.spoken}",
        "Not {list-price}",
        "32: speech is made of words: write {list-price.spoken} for {list-price}",
    ),
    (
        "voice = ",
        "speed = 3.0\nvoice = ",
        "31: speed is from 0.5 to 2",
    ),
    (
        "voice = ",
        "entities = [\"cost\"]\nvoice = ",
        "31: {cost} names no value",
    ),
    (
        "seconds = 2\n",
        "",
        "40: a moment on the screen needs its duration",
    ),
    (
        "\"code-shown\"",
        "\"price-spoken\"",
        "40: a moment has a name of its own",
    ),
    (
        "value = \"{price}\"",
        "value = \"{cost}\"",
        "{cost} names no value",
    ),
    (
        "\"typed-answer\"",
        "\"../typed\"",
        "46: a scorer is a shared one by its name",
    ),
    ("[scorer]", "[scorer", "45: "),
    (
        "order = { shuffle",
        "day = { date = { from = \"2027-02-29\", to = \"2027-03-20\" } }\norder = { shuffle",
        "19: `day`: `2027-02-29` is not a date",
    ),
    (
        "order = { shuffle",
        "hour = { time = { from = \"09:30\", to = \"09:30\", step = 5 } }\norder = { shuffle",
        "19: `hour`: there are not two times to draw from",
    ),
    (
        "order = { shuffle",
        "who = { name = \"child\" }\norder = { shuffle",
        "19: unknown variant `child`",
    ),
    (
        "order = { shuffle",
        "line = { phone = { pattern = \"555\" } }\norder = { shuffle",
        "19: `line`: a telephone number's pattern has # for a drawn digit",
    ),
    (
        "order = { shuffle",
        "gap = { timing = { min = -5, max = 10, step = 1 } }\norder = { shuffle",
        "19: `gap`: a timing is in milliseconds, from 0",
    ),
    (
        "order = { shuffle",
        "many = { number = { min = 1, max = 4, step = 1, count = 5 } }\norder = { shuffle",
        "19: `many`: `count` is from 1 to 4",
    ),
    (
        "order = { shuffle",
        "beat = { sequence = { of = [\"a\"], length = 3 } }\norder = { shuffle",
        "19: `beat`: `sequence` needs at least two alternatives",
    ),
    (
        "distinct-from = [\"price\"] }",
        "apart = 3 }",
        "16: `list-price`: `apart` belongs to a number with `distinct-from`",
    ),
    (
        "voice = \"am_michael\"\n",
        "",
        "30: a clip has `voice` and `text` for one speaker, or `turns`",
    ),
    (
        "voice = \"am_michael\"",
        "background = { sound = \"room\", level = 4 }\nvoice = \"am_michael\"",
        "31: the level of a background is decibels relative to the voices",
    ),
    (
        "voice = \"am_michael\"\ntext = ",
        "turns = [{ voice = \"am_michael\", text = \"Hello.\", pause = 30 }]\nother = ",
        "unknown field `other`",
    ),
    (
        "seconds = 2\n",
        "seconds = 2\nafter = \"later\"\n",
        "a moment comes after \"start\", \"act\"",
    ),
    (
        "seconds = 2\n",
        "seconds = 2\ndelay = 1\n",
        "say what the delay counts from",
    ),
    (
        "seconds = 2\n",
        "seconds = 2\nafter = \"price-spoken\"\ndelay = [3, 1]\n",
        "seconds from 0 on: one number, or the least and the most",
    ),
    (
        "seconds = 2\n",
        "seconds = 2\ntimes = 3\n",
        "`times` and `every` (seconds from one time to the next) belong together",
    ),
    (
        "seconds = 2\n",
        "seconds = 2\ntells = [\"cost\"]\n",
        "{cost} names no value",
    ),
];

#[test]
fn a_broken_manifest_is_told_in_one_line() {
    for (from, to, wanted) in BROKEN {
        let text = example();
        assert!(text.contains(from), "the example has no {from}");
        let said = match Manifest::parse(&text.replacen(from, to, 1), Path::new("A/task.toml")) {
            Ok(_) => panic!("accepted: {to}"),
            Err(error) => error.to_string(),
        };
        assert!(!said.contains('\n'), "{said}");
        assert!(
            said.starts_with("A/task.toml:") && said["A/task.toml:".len()..].contains(wanted),
            "{to}\n  said   {said}\n  wanted {wanted}"
        );
    }
}

#[test]
fn the_folder_is_named_after_the_task() {
    let root = tempfile::tempdir().unwrap();
    let folder = root.path().join("A-E1-other");
    std::fs::create_dir(&folder).unwrap();
    let missing = Manifest::load(&folder).unwrap_err().to_string();
    assert!(
        missing.contains("a task folder holds a task.toml"),
        "{missing}"
    );
    std::fs::write(folder.join("task.toml"), example()).unwrap();
    let wrong = Manifest::load(&folder).unwrap_err().to_string();
    assert!(wrong.ends_with("task.toml:2: the folder is named `A-E1-other`: name it `A-E1-podcast-price` after id and slug"), "{wrong}");
}
