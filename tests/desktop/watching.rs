//! The live page of a run, in a browser.

use std::process::{Command, Stdio};
use std::time::Duration;

use dynacu_host::desktop::lane::Lane;
use tokio::time::sleep;

use super::bench::{Host, with_lanes};

/// The lane's name, a step, its screen, something of what was announced, and something that was done.
fn shows_it_all(seen: &str) -> bool {
    let lists = seen.split_once("| heard ").map(|(_, lists)| lists);
    let Some((heard, done)) = lists.and_then(|lists| lists.split_once("| done ")) else {
        return false;
    };
    seen.contains("Lane 0: PAGE-announcement in aoi_full by random, trial")
        && seen.contains("step ")
        && seen.contains("| 640x360")
        && heard.contains("train")
        && !done.trim().is_empty()
}

#[test]
fn the_live_page_shows_a_lane_s_screen_and_what_it_does() {
    with_lanes(|parent| async move {
        let errors = parent.join("errors");
        let host = Command::new(dynacu_tests::host().unwrap())
            .args([
                "--plugin",
                "random",
                "--page",
                "tests/fixtures/pages/announcement.html",
            ])
            .args([
                "--instruction",
                "Press the platform that is announced.",
                "--success",
                "right_platform",
                "--mode",
                "aoi_full",
            ])
            .args(["--trials", "6", "--watch", "--out"])
            .arg(parent.join("run"))
            .current_dir(dynacu_tests::checkout())
            .stdout(Stdio::null())
            .stderr(std::fs::File::create(&errors).unwrap())
            .spawn()
            .unwrap();
        let _host = Host(host);
        let mut url = None;
        for _ in 0..1200 {
            let said = std::fs::read_to_string(&errors).unwrap();
            url = said
                .lines()
                .find_map(|line| line.strip_prefix("watch the lanes at ").map(str::to_owned));
            if url.is_some() {
                break;
            }
            sleep(Duration::from_millis(100)).await;
        }
        let url = url.unwrap_or_else(|| panic!("{}", std::fs::read_to_string(&errors).unwrap()));

        let lane = Lane::start(0, Some(&parent)).await.unwrap();
        let browser = lane.launch_browser(&url).await.unwrap();
        let mut seen = String::new();
        for _ in 0..600 {
            let look = "(() => { const lane = document.querySelector('article'); const screen = lane?.querySelector('img');
                const list = (name) => lane.querySelector(name).innerText;
                return screen?.naturalWidth ? `${lane.innerText} | ${screen.naturalWidth}x${screen.naturalHeight}\
                    | heard ${list('.transcript')} | done ${list('.actions')}` : ''; })()";
            seen = browser.evaluate(look).await.unwrap();
            if shows_it_all(&seen) {
                break;
            }
            sleep(Duration::from_millis(200)).await;
        }
        assert!(shows_it_all(&seen), "{seen}");
        // Without the secret part of its address nothing is served.
        let root = url.splitn(4, '/').take(3).collect::<Vec<_>>().join("/");
        let state = format!("fetch('{root}/state').then(answer => answer.status)");
        assert_eq!(browser.evaluate::<u16>(&state).await.unwrap(), 404);
        lane.stop().await.unwrap();
    });
}
