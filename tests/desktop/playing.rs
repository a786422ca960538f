//! A person tries a task: on a lane's screen, since a test has no other.

use std::process::Command;

use dynacu_host::desktop::lane::Lane;

use super::bench::with_lanes;

#[test]
fn a_try_ends_with_its_result_and_time() {
    with_lanes(|parent| async move {
        let home = dynacu_tests::home_with_a_short_task(&parent).unwrap();
        let lane = Lane::start(0, Some(&parent)).await.unwrap();
        let display = lane.display.clone();
        let play = move || {
            Command::new(dynacu_tests::host().unwrap())
                .args(["tasks", "play", "F-E2", "--now"])
                .env("DISPLAY", display)
                .env("DYNACU_HOME", home)
                .output()
                .unwrap()
        };
        let output = tokio::task::spawn_blocking(play).await.unwrap();
        let said = String::from_utf8_lossy(&output.stdout).into_owned();
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{said}{errors}");
        let result = said.lines().find(|line| line.starts_with("timeout after "));
        assert!(
            result.is_some_and(|line| line.ends_with("s of 8 (time-limit)")),
            "{said}{errors}"
        );
        assert!(said.contains("not passed: "), "{said}");
        lane.stop().await.unwrap();
    });
}
