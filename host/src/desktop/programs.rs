//! The programs that a lane and the speech need, looked for before anything is started.

use super::browser;

/// A program that is not on the path, and the Debian package that has it.
#[derive(Debug, thiserror::Error)]
#[error("{program} is missing: run `dynacu-host setup`, or `apt-get install {package}`")]
pub struct MissingProgram {
    program: &'static str,
    package: &'static str,
}

/// All of them, or the first that is missing.
pub fn check() -> Result<(), MissingProgram> {
    if browser::find_program().is_none() {
        return Err(MissingProgram {
            program: "chromium",
            package: "chromium",
        });
    }
    let programs = [
        ("Xvfb", "xvfb"),
        ("matchbox-window-manager", "matchbox-window-manager"),
        ("pulseaudio", "pulseaudio"),
        ("espeak-ng", "espeak-ng"),
    ];
    for (program, package) in programs {
        let path = std::env::var_os("PATH").unwrap_or_default();
        if !std::env::split_paths(&path).any(|folder| folder.join(program).is_file()) {
            return Err(MissingProgram { program, package });
        }
    }
    Ok(())
}
