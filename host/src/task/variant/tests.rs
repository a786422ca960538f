use super::*;
use crate::task::manifest::tests::{example, manifest};

/// The draws are a promise: another value here means that published seeds changed their meaning.
/// They were computed a second time by other code.
#[test]
fn the_draws_of_a_seed_are_pinned() {
    let variant = draw(&manifest(), &Seed::Number(0), 0).unwrap();
    assert_eq!(
        variant.values,
        json!({
            "product": "folding stool", "price": 29, "list-price": 57, "place": { "country": "Japan", "capital": "Tokyo" },
            "code": "E-6524", "order": ["red", "green"], "verdict": "twenty nine dollars well spent",
        })
    );
    let again = draw(&manifest(), &Seed::Number(0), 1).unwrap();
    assert_eq!(again.values["price"], 35);
    assert_eq!(again.values["code"], "E-5774");
    let board = draw(&manifest(), &Seed::Bits(7), 0).unwrap();
    assert_eq!(
        (&board.values["price"], &board.values["code"]),
        (&json!(23), &json!("E-4625"))
    );
}

#[test]
fn each_consumer_gets_its_part_and_no_more() {
    let variant = draw(&manifest(), &Seed::Number(3), 0).unwrap();
    let values = &variant.values;
    let price = values["price"].as_i64().unwrap();
    assert_eq!(
        variant.page_values,
        json!({ "product": values["product"], "place": { "country": values["place"]["country"] } })
    );
    assert_eq!(variant.reveals["code"], values["code"]);
    assert_eq!(variant.reveals["banner"]["colours"], values["order"]);
    assert_eq!(
        variant.scorer_input["settings"]["value"],
        json!(price.to_string())
    );
    let other = if values["place"]["capital"] == "Paris" {
        "Tokyo"
    } else {
        "Paris"
    };
    assert_eq!(variant.scorer_input["settings"]["others"], json!([other]));
    assert_eq!(&variant.scorer_input["values"], values);
    let clip = &variant.speech[0];
    assert!(
        clip.text().contains(" dollars well spent for the "),
        "{}",
        clip.text()
    );
    assert_eq!(clip.entities[1].0, format!("${price}"));
    assert!(clip.text().contains(&clip.entities[1].1));
    assert!(
        variant
            .instruction
            .contains(values["product"].as_str().unwrap())
    );
}

#[test]
fn draws_cover_their_range_and_keep_apart() {
    let manifest = manifest();
    let mut prices = std::collections::BTreeSet::new();
    for seed in 0..400 {
        let variant = draw(&manifest, &Seed::Number(seed), 0).unwrap();
        let price = variant.values["price"].as_i64().unwrap();
        assert!(
            (21..=96).contains(&price) && price != 42 && price % 10 != 0,
            "{price}"
        );
        assert_ne!(variant.values["price"], variant.values["list-price"]);
        let code = variant.values["code"].as_str().unwrap();
        assert!(
            code.starts_with("E-") && code.len() == 6 && !code[2..].contains(['0', '1']),
            "{code}"
        );
        prices.insert(price);
    }
    assert!(prices.len() > 60, "{}", prices.len());
}

#[test]
fn fields_are_drawn_apart_from_each_other() {
    // Another field in the manifest leaves the rest as it was.
    let text = example().replace(
        "[variant]\n",
        "[variant]\nanother = { choose = [1, 2, 3] }\n",
    );
    let more = Manifest::parse(&text, std::path::Path::new("task.toml")).unwrap();
    let (one, two) = (
        draw(&manifest(), &Seed::Number(5), 0).unwrap(),
        draw(&more, &Seed::Number(5), 0).unwrap(),
    );
    assert_eq!(one.values["price"], two.values["price"]);
    assert_eq!(one.values["order"], two.values["order"]);
}

#[test]
fn nothing_left_to_draw_is_an_error() {
    let text = example().replace("[variant]\n", "[variant]\na = { choose = [1, 2] }\nb = { choose = [1, 2], distinct-from = [\"a\"] }\nc = { choose = [1, 2], distinct-from = [\"a\", \"b\"] }\n");
    let manifest = Manifest::parse(&text, std::path::Path::new("task.toml")).unwrap();
    let error = draw(&manifest, &Seed::Number(0), 0)
        .unwrap_err()
        .to_string();
    assert_eq!(
        error,
        "nothing is left to draw for `c`: `distinct-from` excludes every value"
    );
}

#[test]
fn seeds_are_read_written_and_counted_up() {
    assert_eq!("7".parse(), Ok(Seed::Number(7)));
    let board = "000000000000000000000000000000ff";
    assert_eq!(board.parse(), Ok(Seed::Bits(255)));
    assert_eq!(Seed::Bits(255).to_string(), board);
    for wrong in ["", "-1", "+1", "x", "99999999999999999999", "1.0"] {
        assert!(wrong.parse::<Seed>().is_err(), "{wrong}");
    }
    assert_eq!(Seed::Number(4).for_trial(3), Seed::Number(6));
    assert_eq!(Seed::default().for_trial(1), Seed::Number(0));
    for seed in [Seed::Number(9), Seed::Bits(9)] {
        let text = serde_json::to_string(&seed).unwrap();
        assert_eq!(serde_json::from_str::<Seed>(&text).unwrap(), seed);
    }
}

/// A manifest with one of each kind that has a way of its own to be drawn and said.
fn kinds() -> Manifest {
    let text = example().replace(
        "[variant]\n",
        r##"[variant]
launch = { date = { from = "2027-06-01", to = "2027-09-30", workdays = true, year = true } }
beta = { date = { from = "2027-06-01", to = "2027-09-30" }, distinct-from = ["launch"] }
start = { time = { from = "08:00", to = "18:00", step = 5 } }
caller = { name = "woman" }
colleague = { name = "person", distinct-from = ["caller"] }
callback = { phone = {} }
delay = { timing = { min = 900, max = 1700, step = 100 } }
gaps = { timing = { min = 900, max = 1700, step = 100, count = 4 } }
prices = { number = { min = 21, max = 96, step = 1, count = 5 }, distinct-from = ["price"], apart = 3, spoken = "dollars" }
pattern = { sequence = { of = ["red", "green", "blue"], length = 8 } }
"##,
    );
    Manifest::parse(&text, std::path::Path::new("task.toml")).unwrap()
}

#[test]
fn distractors_keep_their_distance_and_neighbours_differ() {
    let manifest = kinds();
    for seed in 0..60 {
        let values = draw(&manifest, &Seed::Number(seed), 0).unwrap().values;
        let price = values["price"].as_i64().unwrap();
        let prices: Vec<i64> = values["prices"]
            .as_array()
            .unwrap()
            .iter()
            .map(|price| price.as_i64().unwrap())
            .collect();
        let different: std::collections::BTreeSet<&i64> = prices.iter().collect();
        assert_eq!(different.len(), 5, "{prices:?}");
        assert!(
            prices.iter().all(|other| (other - price).abs() >= 3),
            "{price} {prices:?}"
        );
        let pattern = values["pattern"].as_array().unwrap();
        assert!(pattern.len() == 8 && pattern.windows(2).all(|pair| pair[0] != pair[1]));
        let (caller, colleague) = (&values["caller"], &values["colleague"]);
        assert!(caller["first"] != colleague["first"] && caller["last"] != colleague["last"]);
        assert_ne!(values["launch"], values["beta"]);
        assert_eq!(values["gaps"].as_array().unwrap().len(), 4);
        assert!((900..=1700).contains(&values["delay"].as_i64().unwrap()));
        let callback = values["callback"].as_str().unwrap();
        assert!(callback.contains(" 555 01"), "{callback}");
    }
}

#[test]
fn days_times_names_and_numbers_have_their_forms_in_speech() {
    let manifest = kinds();
    let mut values = Values::new(&manifest.fields);
    for (field, value) in [
        ("launch", json!("2027-06-21")),
        ("start", json!("14:25")),
        ("callback", json!("415 555 0142")),
        ("prices", json!([64, 21, 22, 23, 24])),
        (
            "caller",
            json!({ "full": "Emma Foster", "first": "Emma", "last": "Foster", "initials": "EF" }),
        ),
    ] {
        values.insert(field, value);
    }
    let text = |template: &str| {
        Template::parse(template)
            .unwrap()
            .fill(|path| values.text(path))
            .unwrap()
    };
    assert_eq!(
        text("{caller.full} ({caller.initials}): {launch.written}, {start.written}"),
        "Emma Foster (EF): June 21, 2027, 2:25 pm"
    );
    assert_eq!(
        text("{launch.spoken} at {start.spoken} for {prices.0.spoken}"),
        "June twenty first, twenty twenty seven at two twenty five in the afternoon for sixty four dollars"
    );
    assert_eq!(
        text("{callback.spoken}"),
        "four one five, five five five, zero one four two"
    );
    let entity = |template: &str| entities(&manifest.fields, &Template::parse(template).unwrap());
    assert!(
        entity("call {callback}")
            .unwrap_err()
            .contains("{callback.spoken}")
    );
    assert_eq!(
        entity("on {launch.spoken} by {caller.first}")
            .unwrap()
            .len(),
        2
    );
}

#[test]
fn what_is_shown_for_a_moment_is_to_be_read() {
    let variant = draw(&kinds(), &Seed::Number(1), 0).unwrap();
    // The banner holds the code, too, and the colours of an order, which are no drawn text.
    assert_eq!(variant.reads, [variant.values["code"].as_str().unwrap()]);
}
