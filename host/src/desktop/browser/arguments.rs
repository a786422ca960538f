//! Chromium's command line, each switch for a reason.

use std::path::{Path, PathBuf};

use super::super::display::{HEIGHT, WIDTH};

/// Below this many free bytes in /dev/shm the browser keeps shared memory in files, since it crashes when it runs out.
const SMALL_SHARED_MEMORY: u64 = 512 * 1024 * 1024;

/// The browser: `$DYNACU_CHROMIUM`, else the first known name on the path.
#[must_use]
pub fn find_program() -> Option<PathBuf> {
    if let Some(named) = std::env::var_os("DYNACU_CHROMIUM") {
        return Some(PathBuf::from(named)).filter(|path| path.is_file());
    }
    let path = std::env::var_os("PATH")?;
    ["chromium", "chromium-browser", "google-chrome"]
        .iter()
        .find_map(|name| {
            std::env::split_paths(&path)
                .map(|folder| folder.join(name))
                .find(|file| file.is_file())
        })
}

/// The switches for a fresh `profile`.
pub(super) fn list(profile: &Path) -> Vec<String> {
    let mut list = vec![
        format!("--user-data-dir={}", profile.display()),
        // Any free port, on the loopback; the number appears in the profile.
        "--remote-debugging-port=0".to_owned(),
        // The page is the screen.
        "--kiosk".to_owned(),
        format!("--window-size={WIDTH},{HEIGHT}"),
        "--window-position=0,0".to_owned(),
        "--force-device-scale-factor=1".to_owned(),
        "--ozone-platform=x11".to_owned(),
        "--force-color-profile=srgb".to_owned(),
        // Software drawing without a GPU process: steadier timing on machines without a GPU, the same on those with one.
        "--disable-gpu".to_owned(),
        // Sound and microphone without asking. The microphone is the lane's own; only the question is skipped.
        "--autoplay-policy=no-user-gesture-required".to_owned(),
        "--use-fake-ui-for-media-stream".to_owned(),
        "--enable-speech-dispatcher".to_owned(),
        // No network but the task's own server. The resolver rule covers addresses too; WebRTC does not ask the resolver.
        "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1".to_owned(),
        "--force-webrtc-ip-handling-policy=disable_non_proxied_udp".to_owned(),
        "--no-proxy-server".to_owned(),
        "--disable-quic".to_owned(),
        "--disable-background-networking".to_owned(),
        "--disable-component-update".to_owned(),
        "--disable-domain-reliability".to_owned(),
        "--disable-client-side-phishing-detection".to_owned(),
        "--disable-sync".to_owned(),
        "--disable-default-apps".to_owned(),
        "--disable-field-trial-config".to_owned(),
        "--no-pings".to_owned(),
        "--metrics-recording-only".to_owned(),
        // No crash reporter: it detaches itself and would upload.
        "--disable-breakpad".to_owned(),
        "--disable-crash-reporter".to_owned(),
        // Nothing above, before or beside the page: bars, bubbles, first-run pages, questions.
        "--no-first-run".to_owned(),
        "--no-default-browser-check".to_owned(),
        "--disable-infobars".to_owned(),
        "--disable-notifications".to_owned(),
        "--disable-session-crashed-bubble".to_owned(),
        "--hide-crash-restore-bubble".to_owned(),
        "--disable-search-engine-choice-screen".to_owned(),
        "--disable-extensions".to_owned(),
        "--disable-component-extensions-with-background-pages".to_owned(),
        "--noerrdialogs".to_owned(),
        "--password-store=basic".to_owned(),
        "--use-mock-keychain".to_owned(),
        "--lang=en-US".to_owned(),
        // Sideways scrolling must not become "back".
        "--overscroll-history-navigation=0".to_owned(),
        "--disable-pinch".to_owned(),
        // A page keeps its pace whatever the browser thinks of its visibility.
        "--disable-background-timer-throttling".to_owned(),
        "--disable-backgrounding-occluded-windows".to_owned(),
        "--disable-renderer-backgrounding".to_owned(),
        "--disable-hang-monitor".to_owned(),
        format!("--disable-features={}", UNWANTED.join(",")),
    ];
    if rustix::process::geteuid().is_root() {
        // Chromium refuses to run as root with its sandbox. `test-type` hides the bar that would warn of that.
        list.push("--no-sandbox".to_owned());
        list.push("--test-type".to_owned());
    }
    if shared_memory_is_small() {
        list.push("--disable-dev-shm-usage".to_owned());
    }
    list.push("about:blank".to_owned());
    list
}

const UNWANTED: [&str; 12] = [
    "Translate",
    "MediaRouter",
    "DialMediaRouteProvider",
    "OptimizationHints",
    "OptimizationGuideModelDownloading",
    "InterestFeedContentSuggestions",
    "CertificateTransparencyComponentUpdater",
    "AutofillServerCommunication",
    "PasswordManagerOnboarding",
    "GlobalMediaControls",
    "DestroyProfileOnBrowserClose",
    "HardwareMediaKeyHandling",
];

fn shared_memory_is_small() -> bool {
    rustix::fs::statvfs("/dev/shm")
        .is_ok_and(|status| status.f_bavail.saturating_mul(status.f_frsize) < SMALL_SHARED_MEMORY)
}
