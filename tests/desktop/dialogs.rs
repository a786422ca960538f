//! Dialogs of JavaScript, which are on the screen until somebody answers them, and scripts that never come to an end.

use std::time::Duration;

use dynacu_host::desktop::browser::{Browser, BrowserEvent};
use dynacu_host::input::Input;
use tokio::time::{sleep, timeout};

use super::PATIENCE;
use super::bench::{chord, on_page, with_lanes};

/// Longer than a page without a dialog may be silent.
const LONG: Duration = Duration::from_secs(40);

/// Lets the page do something, and waits for the dialog that this opens.
async fn open(browser: &Browser, script: &str) {
    let later = format!("void setTimeout(() => {{ {script} }}, 100)");
    let () = browser.evaluate(&later).await.unwrap();
    let opened = async {
        while !browser.asks() {
            sleep(Duration::from_millis(50)).await;
        }
    };
    timeout(PATIENCE, opened).await.unwrap();
}

/// Presses a key until the dialog is gone: it takes a moment before it has the focus.
async fn answer(browser: &Browser, input: &mut Input, key: &str) {
    let answered = async {
        while browser.asks() {
            chord(input, key);
            sleep(Duration::from_millis(700)).await;
        }
    };
    timeout(PATIENCE, answered).await.unwrap();
}

#[test]
fn a_dialog_may_stay_open_and_is_answered_by_keys() {
    with_lanes(|parent| async move {
        let (lane, mut browser, mut input) = on_page(&parent).await;
        browser.arm().await.unwrap();
        let script = "window.sure = confirm('Sure?')";
        open(&browser, script).await;
        sleep(LONG).await;
        answer(&browser, &mut input, "Escape").await;
        assert!(!browser.evaluate::<bool>("sure").await.unwrap());
        open(&browser, script).await;
        answer(&browser, &mut input, "Return").await;
        assert!(browser.evaluate::<bool>("sure").await.unwrap());
        assert!(
            browser.events.is_empty(),
            "{:?}",
            browser.events.recv().await
        );
        lane.close_browser(browser).await.unwrap();

        // One that opens while the page loads.
        let url = "data:text/html,<script>alert('First.'); window.read = true</script>";
        let mut browser = lane.launch_browser(url).await.unwrap();
        assert!(browser.asks());
        browser.arm().await.unwrap();
        answer(&browser, &mut input, "Return").await;
        assert!(browser.evaluate::<bool>("read").await.unwrap());
        assert!(
            browser.events.is_empty(),
            "{:?}",
            browser.events.recv().await
        );
        lane.stop().await.unwrap();
    });
}

#[test]
fn a_script_that_never_returns_is_the_page_s_fault() {
    with_lanes(|parent| async move {
        let (lane, mut browser, _input) = on_page(&parent).await;
        assert_eq!(browser.hangs().await, None);
        let () = browser
            .evaluate("void setTimeout(() => { for (;;); }, 100)")
            .await
            .unwrap();
        let event = timeout(PATIENCE, browser.events.recv()).await.unwrap();
        assert!(matches!(event, Some(BrowserEvent::Hung(_))), "{event:?}");
        assert!(browser.hangs().await.is_some());
        lane.stop().await.unwrap();
    });
}
