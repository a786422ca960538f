//! Components that are not in the cache are compiled in a process with limits. Code from the cache is used only if it is intact.

use std::fs::{self, Permissions};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result};
use dynacu_runtime::{CompileLimits, Compiler, CompilerProcess, Engine, Plugin};
use dynacu_tests::{checkout, host};

use super::attacks;
use super::loaded::{Loaded, check};

/// Host and compiler together must stay below this.
const MIB: u64 = 1024;

/// Loads a component and prints its row of docs/sandbox.md.
fn load(name: &str, bytes: &[u8], folder: &Path) -> Result<Loaded> {
    let path = folder.join(format!("{name}.wasm"));
    fs::write(&path, bytes)?;
    let loaded = check(&path, folder)?;
    let said = loaded.said.lines().find(|line| line.contains(": "));
    let said = said.unwrap_or_default();
    eprintln!(
        "| `{name}` | {} | {:.2} | {} | {} | {} |",
        bytes.len().div_ceil(1024),
        loaded.seconds,
        loaded.host_mib,
        loaded.compiler_mib,
        said.rsplit_once(".wasm: ").map_or(said, |(_, said)| said)
    );
    anyhow::ensure!(
        loaded.host_mib + loaded.compiler_mib < MIB,
        "{name}: {loaded:?}"
    );
    Ok(loaded)
}

#[test]
fn what_would_take_gigabytes_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let policy = fs::read(checkout().join("plugins/dist/idle.wasm")).unwrap();
    let cases = [
        (
            "many-globals",
            attacks::beside(&policy, &attacks::globals(1_000_000), 240),
            " globals, more than 100000",
        ),
        (
            "repeated-globals",
            attacks::beside(&policy, &attacks::globals(90_000), 240),
            " globals in total, more than 100000",
        ),
        (
            "nested-instances",
            attacks::nested_instances(9),
            "its instances have 1110 component instances in total, more than 1000",
        ),
        (
            "deep-components",
            attacks::deep_components(),
            "it has 17 levels of nested components, more than 16",
        ),
        (
            "huge-tables",
            attacks::beside(&policy, &attacks::tables(20, 10_000_000), 1),
            " table elements in total, more than 1000000",
        ),
        (
            "laughing-types",
            attacks::laughing_types(40, 1),
            "effective type size exceeds the limit",
        ),
        (
            "many-types",
            attacks::laughing_types(12, 200),
            "effective type size exceeds the limit",
        ),
        // The largest that the compiler accepts.
        (
            "most-types",
            attacks::laughing_types(18, 1),
            "does not have export `run`",
        ),
        (
            "large-function",
            attacks::much_code(1, 500_000, 1_000),
            "compiling it takes more than 768 MiB of memory",
        ),
    ];
    let mut faults = Vec::new();
    for (name, bytes, wanted) in cases {
        let loaded = load(name, &bytes, folder.path()).unwrap();
        if loaded.code != Some(2) || !loaded.said.contains(wanted) {
            faults.push(format!("{name}: {loaded:?}"));
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

/// The bounds are low enough: a policy with nearly as much as they permit loads and runs within the same memory.
#[test]
fn what_is_just_within_the_bounds_stays_below_a_gib() {
    let folder = tempfile::tempdir().unwrap();
    let policy = fs::read(checkout().join("plugins/dist/idle.wasm")).unwrap();
    let mut faults = Vec::new();
    for (name, module, count) in [
        ("most-globals", attacks::globals(400), 240),
        ("most-elements", attacks::tables(50, 19_000), 1),
        ("most-memories", attacks::memories(14, 256), 1),
        ("most-functions", attacks::code(800, 1, 1), 240),
        ("most-data", attacks::data(90 << 20), 1),
    ] {
        let bytes = attacks::beside(&policy, &module, count);
        let loaded = load(name, &bytes, folder.path()).unwrap();
        if loaded.code != Some(0) {
            faults.push(format!("{name}: {loaded:?}"));
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

fn engine(limits: CompileLimits, cache: Option<PathBuf>) -> Result<Engine> {
    let compiler = Compiler::Process(CompilerProcess {
        program: host()?,
        arguments: vec!["compile".into()],
        limits,
    });
    Ok(Engine::with_cache(cache, compiler)?)
}

fn refusal(limits: CompileLimits, component: &[u8]) -> Result<String> {
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("attack.wasm");
    fs::write(&path, component)?;
    let loaded = Plugin::load(&engine(limits, None)?, &path);
    let refusal = loaded.err().context("it was loaded")?.to_string();
    assert_eq!(refusal.lines().count(), 1, "{refusal}");
    Ok(refusal)
}

#[test]
fn each_limit_of_the_compiler_is_named() {
    let limits = CompileLimits::default();
    let long = attacks::much_code(300, 3_000, 200);
    let large = attacks::much_code(1, 200_000, 1_000);
    let policy = fs::read(checkout().join("plugins/dist/idle.wasm")).unwrap();
    let full = attacks::beside(&policy, &attacks::data(3 << 20), 1);
    let second = Duration::from_secs(1);
    for (limits, component, wanted) in [
        (
            CompileLimits {
                cpu: second,
                ..limits
            },
            &long,
            "compiling it takes more than 1 s of CPU time",
        ),
        (
            CompileLimits {
                wall: second,
                ..limits
            },
            &long,
            "compiling it takes more than 1 s:",
        ),
        (
            CompileLimits {
                memory_mib: 64,
                ..limits
            },
            &large,
            "compiling it takes more than 64 MiB of memory",
        ),
        (
            CompileLimits {
                code: 1 << 20,
                ..limits
            },
            &full,
            "its compiled code has more than 1 MiB",
        ),
    ] {
        let said = refusal(limits, component).unwrap();
        assert!(said.contains(wanted), "{wanted}: {said}");
    }
}

/// The only file in a folder.
fn only_file(folder: &Path) -> Result<PathBuf> {
    let files: Vec<_> = fs::read_dir(folder)?.collect::<std::io::Result<_>>()?;
    let [file] = files.as_slice() else {
        anyhow::bail!("{files:?}")
    };
    Ok(file.path())
}

#[test]
fn what_is_kept_is_private_and_whatever_is_wrong_with_it_is_compiled_again() {
    let folder = tempfile::tempdir().unwrap();
    let plugin = checkout().join("plugins/dist/idle.wasm");
    let first = check(&plugin, folder.path()).unwrap();
    assert_eq!(
        (first.code, first.said.contains("compiled again")),
        (Some(0), false),
        "{first:?}"
    );
    let cache = folder.path().join("dynacu/compiled");
    let kept = only_file(&cache).unwrap();
    let mode = |path: &Path| fs::metadata(path).unwrap().mode() & 0o777;
    assert_eq!((mode(&cache), mode(&kept)), (0o700, 0o600));
    let whole = fs::read(&kept).unwrap();
    let mut flipped = whole.clone();
    flipped[whole.len() / 2] ^= 1;
    // Intact, but another plugin's.
    let other = checkout().join("plugins/dist/guess.wasm");
    let others = tempfile::tempdir().unwrap();
    assert_eq!(check(&other, others.path()).unwrap().code, Some(0));
    let another = fs::read(only_file(&others.path().join("dynacu/compiled")).unwrap()).unwrap();
    for (bytes, mode, why) in [
        (&whole[..whole.len() - 1], 0o600, "its hash does not match"),
        (&whole[..10], 0o600, "it is cut short"),
        (&flipped, 0o600, "its hash does not match"),
        (&another, 0o600, "its hash does not match"),
        (&whole, 0o666, "others may write to it"),
    ] {
        fs::write(&kept, bytes).unwrap();
        fs::set_permissions(&kept, Permissions::from_mode(mode)).unwrap();
        let again = check(&plugin, folder.path()).unwrap();
        assert_eq!(again.code, Some(0), "{again:?}");
        let warning = format!("is compiled again: {why}");
        assert!(again.said.contains(&warning), "{warning}: {again:?}");
        assert_eq!(fs::read(&kept).unwrap().len(), whole.len());
    }
    let last = check(&plugin, folder.path()).unwrap();
    assert!(!last.said.contains("compiled again"), "{last:?}");
    // A folder that others can write to is not used at all.
    fs::set_permissions(&cache, Permissions::from_mode(0o777)).unwrap();
    fs::write(&kept, b"others'").unwrap();
    let open = check(&plugin, folder.path()).unwrap();
    assert_eq!(open.code, Some(0), "{open:?}");
    assert!(
        open.said.contains("are not kept in") && open.said.contains("others may write"),
        "{open:?}"
    );
    assert_eq!(fs::read(&kept).unwrap(), b"others'");
}
