//! Do the models answer? One tiny request to each model of the adapters that were named.

use anyhow::Result;

use super::Finding;
use crate::config::RunConfig;
use crate::config::settings::RunSettings;
use crate::inference::ping::ping;
use crate::inference::provider::Model;
use crate::suite::agents::Crew;
use crate::task::home::home;

/// One finding a model; none where no adapter was named. An adapter that cannot be loaded is an error: the command is
/// wrong then, not the machine.
pub(super) async fn findings(asked: RunSettings) -> Result<Vec<Finding>> {
    if asked.typed.plugin.is_empty() {
        return Ok(Vec::new());
    }
    let config = RunConfig::resolve(asked, RunSettings::default())?;
    // Without a task there is no mode whose policy would have to be loaded.
    let crew = Crew::load(&crate::program::engine()?, &home()?, &config, &[], None).await?;
    let mut findings = Vec::new();
    for model in &crew.models {
        findings.push(finding(model).await);
    }
    Ok(findings)
}

async fn finding(model: &Model) -> Finding {
    let part = format!("model {}", model.name);
    if !model.provider.reaches_a_network() {
        return Finding::good(&part, "its adapter sends no requests");
    }
    match ping(model).await {
        Ok(pong) => Finding::good(
            &part,
            format!(
                "answers as {} after {:.1} s",
                pong.model,
                pong.took.as_secs_f64()
            ),
        ),
        Err(unusable) => Finding::bad(
            &part,
            unusable.why,
            "check the key, the account and the model's name; --endpoint names another server",
        ),
    }
}

#[cfg(test)]
mod tests {
    use std::io::{Read, Write};
    use std::net::{Shutdown, TcpListener, TcpStream};
    use std::path::Path;

    use super::*;

    /// A provider that gives every request this status, and the endpoint that leads to it.
    fn provider(status: &'static str) -> String {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        std::thread::Builder::new()
            .name("provider".to_owned())
            .spawn(move || {
                for stream in listener.incoming().flatten() {
                    let _ = serve(stream, status);
                }
            })
            .unwrap();
        format!("api.example.com=http://{address}")
    }

    fn serve(mut stream: TcpStream, status: &str) -> std::io::Result<()> {
        let mut request = Vec::new();
        let mut buffer = [0; 4096];
        while !request.windows(4).any(|window| window == b"\r\n\r\n") {
            match stream.read(&mut buffer)? {
                0 => return Ok(()),
                count => request.extend_from_slice(&buffer[..count]),
            }
        }
        let body = r#"{"text": "ready"}"#;
        write!(
            stream,
            "HTTP/1.1 {status}\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{body}",
            body.len()
        )?;
        // What is left of the request is taken: closing over it would reset the connection.
        stream.shutdown(Shutdown::Write)?;
        stream.read_to_end(&mut request).map(|_| ())
    }

    fn fixture(folder: &Path) -> String {
        let built =
            Path::new(concat!(env!("DYNACU_CHECKOUT"), "/host")).join("../plugins/dist/fixtures");
        let own = folder.join("fixture.wasm");
        std::fs::copy(built.join("asks-a-provider.wasm"), &own).expect("run `make guests` first");
        let asks = "schema = 2\nhosts = [\"api.example.com\"]\n";
        std::fs::write(folder.join("plugin.toml"), asks).unwrap();
        own.to_string_lossy().into_owned()
    }

    /// The findings about one adapter, with a model of it and another server, where they are named.
    async fn asked(
        adapter: &str,
        model: Option<&str>,
        endpoint: Option<&str>,
    ) -> Result<Vec<Finding>> {
        let mut asked = RunSettings::of_plugins(&[adapter]);
        asked.typed.model.extend(model.map(str::to_owned));
        if let Some(endpoint) = endpoint {
            asked.models.endpoint.push(endpoint.parse()?);
        }
        findings(asked).await
    }

    #[tokio::test]
    async fn each_model_is_asked_for_a_word() {
        let folder = tempfile::tempdir().unwrap();
        let adapter = fixture(folder.path());
        let good = asked(&adapter, Some("honest"), Some(&provider("200 OK"))).await;
        let good = good.unwrap();
        assert!(good.len() == 1 && good[0].works, "{}", good[0].found);
        assert!(good[0].found.starts_with("answers as honest"));
        let bad = asked(
            &adapter,
            Some("honest"),
            Some(&provider("401 Unauthorized")),
        )
        .await;
        let bad = bad.unwrap();
        assert!(!bad[0].works, "{}", bad[0].found);
        assert!(bad[0].found.contains("refused the key"), "{}", bad[0].found);
        assert!(bad[0].advice.as_ref().unwrap().contains("check the key"));
        // What is wrong with the command is no finding about the machine.
        let elsewhere = Some("api.example.org=http://127.0.0.1:1");
        assert!(asked(&adapter, None, elsewhere).await.is_err());
        assert!(asked("nobody", None, None).await.is_err());
    }
}
