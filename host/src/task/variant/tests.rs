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
