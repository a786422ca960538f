//! What `wit/` says, as Rust: generated here once and nowhere else.
//!
//! Every import may trap (`trappable`), because a guest that hands over a broken handle has to end. Those that
//! may block are `async`, so that dropping the future cuts them. All exports are `async`: a guest in a busy loop
//! yields to the deadline at every epoch tick.

/// A model adapter's world. It comes first: the others take the shared interfaces from here.
pub mod model_adapter {
    wasmtime::component::bindgen!({
        world: "dynacu:plugin/model-adapter",
        path: "../../wit",
        imports: {
            "dynacu:host/http.send": async | trappable,
            default: trappable,
        },
        exports: { default: async },
        additional_derives: [PartialEq, serde::Serialize, serde::Deserialize],
    });
}

/// A scorer's world.
pub mod scorer {
    wasmtime::component::bindgen!({
        world: "dynacu:plugin/scorer",
        path: "../../wit",
        exports: { default: async },
        additional_derives: [PartialEq, serde::Serialize, serde::Deserialize],
        with: {
            "dynacu:host": crate::bindings::model_adapter::dynacu::host,
        },
    });
}

/// A policy's world.
pub mod policy {
    wasmtime::component::bindgen!({
        world: "dynacu:plugin/policy",
        path: "../../wit",
        imports: {
            "dynacu:environment/observation.[method]frame.encode": async | trappable,
            "dynacu:assist/reading.read-text": async | trappable,
            "dynacu:environment/hearing.clip": async | trappable,
            "dynacu:model/inference.submit": async | trappable,
            "dynacu:policy/session.observe": async | trappable,
            "dynacu:policy/session.next": async | trappable,
            "dynacu:policy/session.perform": async | trappable,
            default: trappable,
        },
        exports: { default: async },
        with: {
            "dynacu:host/types": crate::bindings::model_adapter::dynacu::host::types,
            "dynacu:host/logging": crate::bindings::model_adapter::dynacu::host::logging,
            "dynacu:host/blobs": crate::bindings::model_adapter::dynacu::host::blobs,
            "dynacu:model/types": crate::bindings::model_adapter::dynacu::model::types,
            "dynacu:environment/observation.frame": crate::frames::HeldFrame,
        },
    });
}

dynacu_vocabulary::wit_conversions!(
    action: { policy::dynacu::environment::action },
    observation: { policy::dynacu::environment::observation }
);
