//! The running page, in the lane's own browser, before its start: contrast and size of text, reachable controls, and whether
//! anything in it tells the answer.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result, anyhow};
use serde::Deserialize;

use super::{Finding, answers};
use crate::capture::timebase::Timebase;
use crate::desktop::lane::Lane;
use crate::page_server::{PageServer, until_ready};
use crate::task::catalogue::Task;
use crate::task::clips::ClipSet;
use crate::task::home::Home;
use crate::task::prepare::Prepared;
use crate::task::variant::{Seed, draw};

/// How long a page may take to load, in seconds.
const LOADING: Duration = Duration::from_secs(30);
const SCRIPT: &str = include_str!("page.js");

#[derive(Deserialize)]
struct Inspection {
    text: String,
    findings: Vec<String>,
}

/// Loads the page for several seeds and looks at it. Every seed plays seed 0's clips, which nobody hears here.
///
/// # Errors
/// The browser or the page does not come up.
pub async fn loaded(task: &Task, home: &Home, lane: &Lane) -> Result<Vec<Finding>> {
    let file = task.folder.join("page/index.html");
    let mut findings = Vec::new();
    let mut pages = Vec::new();
    for seed in answers::SEEDS {
        let variant = draw(&task.manifest, &Seed::Number(seed), 0)?;
        let mut held = serde_json::to_string(&variant.page_values)?;
        let expected = answers::expected(&variant.scorer_input["settings"]);
        let prepared = Prepared {
            task: task.clone(),
            variant,
            clips: clips(task),
            foreign: None,
        };
        let seen = look(prepared, home, lane)
            .await
            .with_context(|| format!("the page of {} was not checked", task.manifest.id))?;
        held.push('\n');
        held.push_str(&seen.text);
        pages.push((held, expected));
        if seed == 0 {
            let found = seen.findings.into_iter();
            findings.extend(found.map(|message| Finding::new(&file, None, message)));
        }
    }
    for answer in answers::given_away(&pages) {
        findings.push(Finding::new(
            &file,
            None,
            format!("the loaded page holds the answer `{answer}` before its moment"),
        ));
    }
    Ok(findings)
}

fn clips(task: &Task) -> BTreeMap<String, PathBuf> {
    let folder = task.folder.join("audio");
    ClipSet::read(&folder)
        .map(|set| {
            let pinned = set.clips.into_iter();
            pinned
                .map(|clip| (clip.id, folder.join(clip.file)))
                .collect()
        })
        .unwrap_or_default()
}

async fn look(prepared: Prepared, home: &Home, lane: &Lane) -> Result<Inspection> {
    let (server, mut page) =
        PageServer::start(Arc::new(prepared), home, Arc::new(Timebase::new()))?;
    let browser = lane.launch_browser(&server.url()).await?;
    let seen = async {
        tokio::time::timeout(LOADING, until_ready(&mut page))
            .await
            .map_err(|_| anyhow!("it is not ready within {} s", LOADING.as_secs()))??;
        browser.check_geometry().await?;
        Ok(browser.evaluate::<Inspection>(SCRIPT).await?)
    }
    .await;
    server.stop().await;
    lane.close_browser(browser).await?;
    seen
}
