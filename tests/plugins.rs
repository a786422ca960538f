//! What an author of a plugin does: begin, build, check, pack, and play.

#[path = "plugins/interfaces.rs"]
mod interfaces;
#[path = "plugins/project.rs"]
mod project;

use std::path::Path;

use anyhow::Result;
use dynacu_providers::{Options, Provider, Script, Server};
use dynacu_record::Outcome;
use dynacu_tests::{checkout, dynacu_host, fixture, only_once};
use project::Project;

/// What `plugin check` reports, and whether it was satisfied.
fn check(plugin: &Path) -> Result<(bool, String)> {
    let output = dynacu_host(&["plugin", "check", &plugin.to_string_lossy()])?;
    let said = String::from_utf8_lossy(&output.stdout) + String::from_utf8_lossy(&output.stderr);
    Ok((output.status.success(), said.into_owned()))
}

fn builds_and_passes(language: &str) -> Result<()> {
    for kind in ["policy", "model-adapter", "scorer"] {
        let project = Project::begin(&format!("my-{kind}"), kind, language)?;
        let built = project.built()?;
        let (good, said) = check(&built)?;
        assert!(good, "{said}");
        assert!(
            said.contains(&format!("my-{kind} 0.1.0: a {kind}, interface 0.2.0")),
            "{said}"
        );
        // The manifest of most is not packed yet, and a scorer has no task; nothing else is worth a word.
        let mut noted = said.lines().filter(|line| line.starts_with("note"));
        assert!(
            noted.all(|line| line.contains(" manifest ") || line.contains(" score ")),
            "{said}"
        );
    }
    Ok(())
}

#[test]
fn projects_in_rust_build_and_pass() {
    builds_and_passes("rust").unwrap();
}

#[test]
fn projects_in_python_build_and_pass() {
    builds_and_passes("python").unwrap();
}

#[test]
fn projects_in_javascript_build_and_pass() {
    builds_and_passes("javascript").unwrap();
}

#[test]
fn the_rust_macro_packs_by_itself_and_pack_does_it_for_others() {
    let elsewhere = tempfile::tempdir().unwrap();
    for language in ["rust", "javascript"] {
        let project = Project::begin("my-policy", "policy", language).unwrap();
        project.built().unwrap();
        let alone = elsewhere.path().join(format!("{language}.wasm"));
        let (from, out) = (
            project.folder().join("my-policy.wasm"),
            alone.to_string_lossy(),
        );
        if language == "rust" {
            std::fs::copy(from, &alone).unwrap();
        } else {
            let output =
                dynacu_host(&["plugin", "pack", &from.to_string_lossy(), "--out", &out]).unwrap();
            assert!(output.status.success(), "{output:?}");
        }
        let output = dynacu_host(&["plugin", "inspect", &out]).unwrap();
        let said = String::from_utf8_lossy(&output.stdout);
        assert!(said.contains("manifest  inside the component"), "{said}");
        for line in [
            "name      my-policy\nversion   0.1.0\n",
            "asks for  channels: keyframes, audio\n          a model\n",
        ] {
            assert!(said.contains(line), "{said}");
        }
    }
}

#[test]
fn what_is_wrong_is_said_with_what_to_change() {
    let folder = tempfile::tempdir().unwrap();
    let beside = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
    beside("plugin.toml", "schema = 2\n");
    beside("stranger.plugin.toml", "schema = 2\n");
    beside("silent.plugin.toml", "schema = 2\n");
    let stranger = folder.path().join("stranger.wasm");
    std::fs::copy(checkout().join("plugins/dist/claude.wasm"), &stranger).unwrap();
    for (plugin, words) in [
        (fixture("traps").unwrap(), "guest-trap"),
        (
            stranger,
            "asks `api.anthropic.com`, which is not among `hosts`",
        ),
    ] {
        let (good, said) = check(&plugin).unwrap();
        assert!(!good, "{said}");
        let fault = said.lines().find(|line| line.starts_with("FAULT"));
        assert!(fault.is_some_and(|line| line.contains(words)), "{said}");
    }
    let asks = "schema = 2\nhosts = [\"api.anthropic.com\"]\n[[credentials]]\nsecret = \"A_KEY\"\nhost = \"api.anthropic.com\"\nheader = \"x api key\"\n";
    beside("stranger.plugin.toml", asks);
    let (good, said) = check(&folder.path().join("stranger.wasm")).unwrap();
    assert!(!good, "{said}");
    assert!(
        said.contains("`x api key`, which is not the name of a header"),
        "{said}"
    );
    let silent = folder.path().join("silent.wasm");
    std::fs::copy(checkout().join("plugins/dist/aoi-audio.wasm"), &silent).unwrap();
    let (good, said) = check(&silent).unwrap();
    assert!(good, "{said}");
    // A manifest for the whole folder does not replace a component's own.
    let packed = folder.path().join("packed.wasm");
    std::fs::copy(&silent, &packed).unwrap();
    let (_, of_packed) = check(&packed).unwrap();
    let passed_over = "plugin.toml differs from the manifest in the .wasm and does not count";
    assert!(of_packed.contains(passed_over), "{of_packed}");
    for note in [
        "no `name` and `version` to identify its results",
        "it asked a model: write `needs_model = true`",
    ] {
        assert!(said.contains(note), "{said}");
    }
    // Settings that were given are no longer a guess of the check's.
    let settings = folder.path().join("settings.toml");
    std::fs::write(&settings, "[random]\nsead = 1\n").unwrap();
    let settings = settings.to_string_lossy();
    let output = dynacu_host(&["plugin", "check", "random", "--settings", &settings]).unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(
        said.contains("it cannot use these settings: unknown field `sead`"),
        "{said}"
    );
    let output = dynacu_host(&["plugin", "new", "My_Agent", "--kind", "policy"]).unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("as in my-agent"));
}

#[test]
fn every_bundled_plugin_and_every_example_passes() {
    for folder in ["plugins/dist", "plugins/dist/examples"] {
        let mut count = 0;
        for entry in std::fs::read_dir(checkout().join(folder)).unwrap() {
            let path = entry.unwrap().path();
            if path
                .extension()
                .is_some_and(|extension| extension == "wasm")
            {
                let (good, said) = check(&path).unwrap();
                assert!(good, "{said}");
                count += 1;
            }
        }
        assert!(count > 0, "{folder} is empty: run `make guests`");
    }
}

/// One real episode: a policy in JavaScript asks an adapter in Python, which asks a server that stands where a provider
/// would. Each is one packed file in a folder that is no checkout.
#[test]
fn a_policy_in_javascript_and_an_adapter_in_python_hear_a_price() {
    let elsewhere = tempfile::tempdir().unwrap();
    for (name, kind, language) in [
        ("my-agent", "policy", "javascript"),
        ("my-provider", "model-adapter", "python"),
    ] {
        let project = Project::begin(name, kind, language).unwrap();
        let built = project.built().unwrap();
        let out = elsewhere.path().join(format!("{name}.wasm"));
        let (built, out) = (built.to_string_lossy(), out.to_string_lossy());
        let pack = ["plugin", "pack", &built, "--out", &out];
        assert!(dynacu_host(&pack).unwrap().status.success());
    }
    let play = || -> Result<(dynacu_tests::Ran, Server)> {
        let script = Script::load(&checkout().join("tests/providers/scripts/a-e1.toml"))?;
        let options = Options {
            key: Some("key-of-this-test".to_owned()),
            ..Options::default()
        };
        let server = Server::start(Provider::OpenAiCompatible, script, &options)?;
        let endpoint = format!("my-provider.invalid={}", server.url());
        let home = checkout().to_string_lossy().into_owned();
        let ran = only_once(
            elsewhere.path(),
            &[
                "--plugin",
                "my-agent.wasm",
                "--plugin",
                "my-provider.wasm",
                "--model",
                "a-model",
                "--endpoint",
                &endpoint,
                "--grant",
                "secret=MY_PROVIDER_API_KEY@my-provider.invalid",
                "--task",
                "A-E1",
                "--mode",
                "aoi_audio",
            ],
            &[
                ("DYNACU_HOME", home.as_str()),
                ("MY_PROVIDER_API_KEY", "key-of-this-test"),
            ],
        )?;
        Ok((ran, server))
    };
    let (mut ran, mut server) = play().unwrap();
    if ran.result.outcome == Outcome::InfrastructureError {
        eprintln!(
            "lost to the infrastructure, tried once more: {:?}",
            ran.result
        );
        (ran, server) = play().unwrap();
    }
    server.check().unwrap();
    assert_eq!(ran.result.outcome, Outcome::Passed, "{:?}", ran.result);
    assert_eq!(ran.result.page_result, "price_correct");
    assert_eq!(ran.result.policy.name, "my-agent");
    assert!(server.fired().contains(&"heard the price".to_owned()));
}
