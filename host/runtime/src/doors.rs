//! WASI interfaces that this host does not answer, linked to functions that end the guest when called.
//!
//! The toolchains of other languages import many that their programs never use.

use wasmtime::component::types::ComponentItem;
use wasmtime::component::{Component, Linker, ResourceType};

use crate::failure::{Cut, GuestFailure};

/// WASI 0.2 interfaces that `wasmtime-wasi` answers.
const ANSWERED: &[&str] = &[
    "wasi:cli/environment",
    "wasi:cli/exit",
    "wasi:cli/stderr",
    "wasi:cli/stdin",
    "wasi:cli/stdout",
    "wasi:cli/terminal-input",
    "wasi:cli/terminal-output",
    "wasi:cli/terminal-stderr",
    "wasi:cli/terminal-stdin",
    "wasi:cli/terminal-stdout",
    "wasi:clocks/monotonic-clock",
    "wasi:clocks/wall-clock",
    "wasi:filesystem/preopens",
    "wasi:filesystem/types",
    "wasi:io/error",
    "wasi:io/poll",
    "wasi:io/streams",
    "wasi:random/insecure",
    "wasi:random/insecure-seed",
    "wasi:random/random",
    "wasi:sockets/instance-network",
    "wasi:sockets/ip-name-lookup",
    "wasi:sockets/network",
    "wasi:sockets/tcp",
    "wasi:sockets/tcp-create-socket",
    "wasi:sockets/udp",
    "wasi:sockets/udp-create-socket",
];

/// What a resource behind a closed door would be; nothing ever makes one.
struct Nothing;

/// Links every `wasi:*` import of the component that is not answered.
pub(crate) fn close<T: Send + 'static>(
    linker: &mut Linker<T>,
    component: &Component,
) -> wasmtime::Result<()> {
    let engine = component.engine().clone();
    // A resource that an earlier interface brought is only used here, and must not be defined again.
    let mut known: Vec<ResourceType> = Vec::new();
    for (name, import) in component.component_type().imports(&engine) {
        let open = !name.starts_with("wasi:") || answered(name);
        match import.ty {
            ComponentItem::ComponentInstance(interface) => {
                let mut items = Vec::new();
                for (item, export) in interface.exports(&engine) {
                    match export.ty {
                        ComponentItem::Resource(resource) if !known.contains(&resource) => {
                            known.push(resource);
                            items.push((item, true));
                        }
                        ComponentItem::ComponentFunc(_) => items.push((item, false)),
                        _ => {}
                    }
                }
                if open {
                    continue;
                }
                let mut door = linker.instance(name)?;
                for (item, is_resource) in items {
                    if is_resource {
                        door.resource(item, ResourceType::host::<Nothing>(), |_, _| Ok(()))?;
                    } else {
                        let text = closed(&format!("{name}#{item}"));
                        door.func_new(item, move |_, _, _, _| {
                            Err(Cut(GuestFailure::error(text.clone())).into())
                        })?;
                    }
                }
            }
            ComponentItem::ComponentFunc(_) if !open => {
                let text = closed(name);
                linker.root().func_new(name, move |_, _, _, _| {
                    Err(Cut(GuestFailure::error(text.clone())).into())
                })?;
            }
            _ => {}
        }
    }
    Ok(())
}

fn closed(name: &str) -> String {
    format!("the guest called {name}, which is closed to plugins")
}

fn answered(name: &str) -> bool {
    let (interface, version) = name.split_once('@').unwrap_or((name, ""));
    version.starts_with("0.2.") && ANSWERED.contains(&interface)
}
