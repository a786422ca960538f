//! Generated from the repository's `wit/`, one module a world. Nothing here is part of the public interface: the
//! crate's root and its modules re-export by name what authors use.
//!
//! `model-adapter` and `scorer` take the types that they share with `policy` from its module, so that a blob id or a
//! model request is one Rust type whatever the kind of plugin.

/// The world `policy`.
pub mod policy {
    wit_bindgen::generate!({
        world: "dynacu:plugin/policy",
        path: "../../wit",
        generate_all,
        pub_export_macro: true,
        export_macro_name: "export_policy_world",
        default_bindings_module: "dynacu_sdk::bindings::policy",
        additional_derives: [PartialEq],
        additional_derives_ignore: ["frame", "keyframe", "observation", "event"],
        generate_unused_types: true,
    });
}

/// The world `model-adapter`.
pub mod adapter {
    wit_bindgen::generate!({
        world: "dynacu:plugin/model-adapter",
        path: "../../wit",
        with: {
            "dynacu:host/types@0.2.0": crate::bindings::policy::dynacu::host::types,
            "dynacu:host/logging@0.2.0": crate::bindings::policy::dynacu::host::logging,
            "dynacu:host/blobs@0.2.0": crate::bindings::policy::dynacu::host::blobs,
            "dynacu:model/types@0.2.0": crate::bindings::policy::dynacu::model::types,
        },
        generate_all,
        pub_export_macro: true,
        export_macro_name: "export_adapter_world",
        default_bindings_module: "dynacu_sdk::bindings::adapter",
        additional_derives: [PartialEq],
        generate_unused_types: true,
    });
}

/// The world `scorer`.
pub mod scorer {
    wit_bindgen::generate!({
        world: "dynacu:plugin/scorer",
        path: "../../wit",
        with: {
            "dynacu:host/types@0.2.0": crate::bindings::policy::dynacu::host::types,
            "dynacu:host/logging@0.2.0": crate::bindings::policy::dynacu::host::logging,
        },
        generate_all,
        pub_export_macro: true,
        export_macro_name: "export_scorer_world",
        default_bindings_module: "dynacu_sdk::bindings::scorer",
        additional_derives: [PartialEq],
        generate_unused_types: true,
    });
}
