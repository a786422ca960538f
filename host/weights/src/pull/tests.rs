//! Filling a cache from a hub on this machine.

use super::*;
use crate::hub::tests::{Reply, Server, hub};

const WEIGHTS: &[u8] = b"weights";

/// A lock file of one file that is had from an address, with these lines more.
fn lock(url: &str, more: &str) -> Lock {
    let sha256 = hash_bytes(WEIGHTS);
    Lock::parse(&format!(
        "schema = 1\n[[file]]\nname = \"voices/a.bin\"\nsha256 = \"{sha256}\"\nlicence = \"MIT\"\nurl = \"{url}\"\n{more}"
    ))
    .unwrap()
}

fn sends(body: &[u8]) -> Reply {
    Reply::new("200 OK").whole(body)
}

#[tokio::test]
async fn what_is_missing_or_wrong_is_fetched_and_what_is_there_is_not() {
    let folder = tempfile::tempdir().unwrap();
    let directory = folder.path().join("models");
    let server = Server::start([sends(WEIGHTS), sends(WEIGHTS)]);
    let lock = lock(&server.address("/a.bin"), "");
    let pull = || pull_into(&directory, &lock, &[], hub());
    let file = directory.join("voices/a.bin");

    let report = pull().await.unwrap();
    assert_eq!((report.present, report.fetched.len()), (0, 1));
    assert_eq!(fs::read(&file).unwrap(), WEIGHTS);
    let report = pull().await.unwrap();
    assert_eq!((report.present, report.fetched.len()), (1, 0));

    // One byte less, and a folder that a run left behind when it was killed.
    fs::write(&file, b"weight").unwrap();
    fs::create_dir(directory.join(".pull-killed")).unwrap();
    let report = pull().await.unwrap();
    assert_eq!((report.present, report.fetched.len()), (0, 1));
    assert_eq!(fs::read(&file).unwrap(), WEIGHTS);
    assert_eq!(server.requests().len(), 2);
    let mut left: Vec<_> = fs::read_dir(&directory)
        .unwrap()
        .map(|entry| entry.unwrap().file_name())
        .collect();
    left.sort();
    assert_eq!(left, [".pull.lock", ".verified.json", "voices"]);
}

#[tokio::test]
async fn other_bytes_than_the_locked_ones_are_never_stored() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start([sends(b"weightz")]);
    let lock = lock(&server.address("/a.bin"), "");
    let report = pull_into(folder.path(), &lock, &[], hub()).await.unwrap();
    let [(name, advice)] = &report.failed[..] else {
        panic!("{report:?}");
    };
    assert_eq!(name, "voices/a.bin");
    for words in [
        "wrong hash: voices/a.bin",
        &hash_bytes(WEIGHTS),
        &hash_bytes(b"weightz"),
        "voices/a.bin by hand",
        &server.address("/a.bin"),
        "models verify",
    ] {
        assert!(advice.contains(words), "`{words}` is not in: {advice}");
    }
    assert!(!advice.contains('\n'), "{advice}");
    assert!(!folder.path().join("voices/a.bin").exists());
}

#[tokio::test]
async fn an_optional_file_is_asked_for_by_name_alone() {
    let folder = tempfile::tempdir().unwrap();
    let refusing = Server::start([
        sends(WEIGHTS),
        Reply::new("403 Forbidden").whole(b"not you"),
    ]);
    let optional = format!(
        "[[file]]\nname = \"clip.onnx\"\nlicence = \"MIT\"\noptional = true\nurl = \"{}\"",
        refusing.address("/clip.onnx")
    );
    let lock = lock(&refusing.address("/a.bin"), &optional);
    let first = ["voices".to_owned()];
    let report = pull_into(folder.path(), &lock, &first, hub())
        .await
        .unwrap();
    assert_eq!(report.fetched.len(), 1);

    let report = pull_into(folder.path(), &lock, &[], hub()).await.unwrap();
    assert_eq!(report.without[0].1, "not in the cache");
    assert_eq!(refusing.requests().len(), 1);

    let named = ["clip.onnx".to_owned()];
    let report = pull_into(folder.path(), &lock, &named, hub())
        .await
        .unwrap();
    assert!(report.without[0].1.ends_with("403 Forbidden"), "{report:?}");
    assert!(report.failed.is_empty());
}

#[test]
fn a_flipped_byte_is_found() {
    let folder = tempfile::tempdir().unwrap();
    let lock = lock("https://example.org/a.bin", "");
    let (file, directory) = (&lock.files[0], folder.path());
    let mut stamp = Stamp::open(directory);
    assert_eq!(state(file, &mut stamp, false).unwrap(), State::Missing);
    store(directory, directory, &file.name, WEIGHTS).unwrap();
    assert_eq!(state(file, &mut stamp, false).unwrap(), State::Good);
    stamp.save();

    let mut again = Stamp::open(directory);
    assert_eq!(state(file, &mut again, false).unwrap(), State::Good);
    // Same size, and the time of change set back: only reading it afresh can tell.
    let path = directory.join(&file.name);
    let time = fs::metadata(&path).unwrap().modified().unwrap();
    fs::write(&path, b"weightz").unwrap();
    fs::File::options()
        .append(true)
        .open(&path)
        .unwrap()
        .set_modified(time)
        .unwrap();
    assert!(matches!(
        state(file, &mut again, true).unwrap(),
        State::Wrong { .. }
    ));
    fs::write(&path, b"weight").unwrap();
    assert!(matches!(
        state(file, &mut again, false).unwrap(),
        State::Wrong { .. }
    ));
}
