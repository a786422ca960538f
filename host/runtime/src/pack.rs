//! Putting a manifest into a component, so that one file is the complete plugin.

use crate::manifest::SECTION;

/// Bytes that are no component: `Plugin::load` says what is wrong with them.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("not a complete WebAssembly component: build it again")]
pub struct NotAComponent;

/// A component with this manifest at its end, in place of one that stood beside its other sections. One that a linker put
/// into the core module stays there; the outer one is the one that counts.
///
/// # Errors
/// The bytes are no component.
pub fn with_manifest(component: &[u8], manifest: &str) -> Result<Vec<u8>, NotAComponent> {
    let (header, mut rest) = component.split_at_checked(8).ok_or(NotAComponent)?;
    if !header.starts_with(b"\0asm") {
        return Err(NotAComponent);
    }
    let mut packed = header.to_vec();
    while let Some((&id, after)) = rest.split_first() {
        let (size, width) = length(after).ok_or(NotAComponent)?;
        let whole = 1 + width + size;
        let (section, others) = rest.split_at_checked(whole).ok_or(NotAComponent)?;
        if id != 0 || name(&section[1 + width..]) != Some(SECTION.as_bytes()) {
            packed.extend_from_slice(section);
        }
        rest = others;
    }
    let mut body = Vec::new();
    push_length(&mut body, SECTION.len());
    body.extend_from_slice(SECTION.as_bytes());
    body.extend_from_slice(manifest.as_bytes());
    packed.push(0);
    push_length(&mut packed, body.len());
    packed.extend(body);
    Ok(packed)
}

/// The name that a custom section begins with.
fn name(body: &[u8]) -> Option<&[u8]> {
    let (size, width) = length(body)?;
    body.get(width..width + size)
}

/// An unsigned LEB128 of at most 32 bits, and the bytes that it takes.
fn length(bytes: &[u8]) -> Option<(usize, usize)> {
    let mut value = 0_u64;
    for (index, byte) in bytes.iter().take(5).enumerate() {
        value |= u64::from(byte & 0x7f) << (7 * index);
        if byte & 0x80 == 0 {
            let value = u32::try_from(value).ok()?;
            return Some((value as usize, index + 1));
        }
    }
    None
}

fn push_length(bytes: &mut Vec<u8>, mut value: usize) {
    while value >= 0x80 {
        bytes.push((value & 0x7f) as u8 | 0x80);
        value >>= 7;
    }
    bytes.push(value as u8);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::outline::Outline;

    const EMPTY: &[u8] = b"\0asm\x0d\0\x01\0";

    #[test]
    fn a_manifest_is_put_in_once_and_replaced() {
        let long = format!("schema = 1\n# {}\n", "x".repeat(300));
        let first = with_manifest(EMPTY, "schema = 1").unwrap();
        let second = with_manifest(&first, &long).unwrap();
        let read = |bytes: &[u8]| Outline::read(bytes).unwrap().manifest.unwrap();
        assert_eq!(read(&first), b"schema = 1");
        assert_eq!(read(&second), long.as_bytes());
        assert_eq!(second, with_manifest(EMPTY, &long).unwrap());
    }

    #[test]
    fn other_sections_stay_and_half_a_file_is_refused() {
        let producers = b"\x00\x05\x01aabc".to_vec();
        let component = [EMPTY, &producers].concat();
        let packed = with_manifest(&component, "schema = 1").unwrap();
        assert!(packed.starts_with(&component));
        for length in 0..packed.len() {
            let half = with_manifest(&packed[..length], "schema = 1");
            // Cut between two sections it is whole again.
            let whole = [8, component.len()].contains(&length);
            assert_eq!(half.is_ok(), whole, "{length}");
        }
        assert_eq!(
            with_manifest(b"#!/bin/sh...", "schema = 1"),
            Err(NotAComponent)
        );
    }
}
