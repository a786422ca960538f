//! `measure plugins`: what it costs to load a component, to make an instance of it, and to call it.

use std::path::PathBuf;
use std::time::Instant;

use anyhow::{Context, Result, anyhow};
use dynacu_figures::{Spread, short};
use dynacu_runtime::{Compiler, Engine, GuestFailure, Limits, Plugin, PluginKind};

use super::report::{Budget, By, Line, Report, Table};
use dynacu_host::task::home::Home;

/// What a plugin of ordinary size has: the budget of a warm start is for one of these.
const ORDINARY: u64 = 1 << 20;
const SETTINGS: &str = r#"{"values":{},"settings":{"field":"none","value":"none","type":"text","success":"yes","failure":"no"}}"#;

/// Everything that `measure plugins` tells.
///
/// # Errors
/// No plugin is built, or one does not load.
pub async fn measure(home: &Home, quick: bool) -> Result<Report> {
    let (loads, calls) = if quick { (5, 20) } else { (30, 200) };
    let mut report = Report::begin("plugins", &home.root)?;
    let paths = built(home)?;
    let cache = tempfile::Builder::new()
        .prefix("dynacu-measure")
        .tempdir()?;
    let cached = || Engine::with_cache(Some(cache.path().to_owned()), Compiler::InProcess);
    let mut table = Table::new(
        "Bundled plugins",
        &[
            "plugin",
            "kind",
            "KiB",
            "compile, ms",
            "warm start median, ms",
            "p95, ms",
        ],
    );
    let mut nearest: Option<(u64, String, Option<Spread>)> = None;
    let mut cold = Vec::new();
    for path in &paths {
        let engine = cached()?;
        let began = Instant::now();
        let plugin = Plugin::load(&engine, path)?;
        let compiled = ms(began);
        cold.push(compiled);
        let mut warm = Vec::new();
        for _ in 0..loads {
            // Another engine, as another start of the program would have.
            let engine = cached()?;
            let began = Instant::now();
            Plugin::load(&engine, path)?;
            warm.push(ms(began));
        }
        let warm = Spread::of(&warm);
        let number = |value: Option<f64>| value.map_or_else(|| "–".to_owned(), short);
        table.rows.push(vec![
            plugin.name.clone(),
            format!("{:?}", plugin.kind),
            (plugin.size / 1024).to_string(),
            short(compiled),
            number(warm.map(|warm| warm.median)),
            number(warm.map(|warm| warm.p95)),
        ]);
        let distance = plugin.size.abs_diff(ORDINARY);
        if nearest
            .as_ref()
            .is_none_or(|(nearer, ..)| distance < *nearer)
        {
            let name = format!("{}, {} KiB", plugin.name, plugin.size / 1024);
            nearest = Some((distance, name, warm));
        }
    }
    let engine = cached()?;
    for name in ["claude", "typed-answer"] {
        let plugin = Plugin::load(&engine, &dynacu_host::bundled::bundled(home, name)?)?;
        let mut times = Vec::new();
        for _ in 0..calls {
            let began = Instant::now();
            call(&plugin)
                .await
                .map_err(|failure| anyhow!("{name}: {}", failure.detail))?;
            times.push(ms(began));
        }
        report.lines.push(Line::spread(
            format!(
                "{} ({name}): instantiate from the cache, call, return",
                plugin.kind.name()
            ),
            "ms",
            By::P95,
            Budget::Below(5.0),
            Spread::of(&times),
        ));
    }
    let (_, name, warm) = nearest.context("there is no plugin")?;
    report.lines.push(Line::spread(
        format!("warm start of a component of about 1 MiB ({name})"),
        "ms",
        By::P95,
        Budget::Below(50.0),
        warm,
    ));
    report.lines.push(Line::spread(
        "compiling a component that is not in the cache",
        "ms",
        By::P95,
        Budget::None,
        Spread::of(&cold),
    ));
    report.tables.push(table);
    Ok(report)
}

/// A fresh instance each time. Policies are left out: one is nothing without an episode.
async fn call(plugin: &Plugin) -> Result<(), GuestFailure> {
    if plugin.kind == PluginKind::ModelAdapter {
        let adapter = plugin.adapter(Limits::adapter([0; 32]))?;
        return adapter.describe().await.map(drop);
    }
    plugin.scorer()?.judge(SETTINGS, Vec::new()).await.map(drop)
}

fn built(home: &Home) -> Result<Vec<PathBuf>> {
    let folder = &home.plugins_dist;
    let mut paths: Vec<PathBuf> = std::fs::read_dir(folder)
        .with_context(|| {
            format!(
                "no plugin is built yet in {}: run `make guests`",
                folder.display()
            )
        })?
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| {
            path.extension()
                .is_some_and(|extension| extension == "wasm")
        })
        .collect();
    paths.sort();
    Ok(paths)
}

fn ms(began: Instant) -> f64 {
    began.elapsed().as_secs_f64() * 1000.0
}
