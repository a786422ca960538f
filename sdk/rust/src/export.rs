//! The export macros. An author names one type; everything generated stays out of sight.
//!
//! Natively the macros only check that the type implements its trait, so that the same crate can be unit-tested
//! with `cargo test`.

/// Makes a component of the world `policy` out of a type that implements [`StepPolicy`](crate::StepPolicy) or
/// [`Policy`](crate::Policy).
///
/// The manifest `plugin.toml` beside the crate's `Cargo.toml` goes into the component; `manifest = "…"` names
/// another file, relative to `Cargo.toml`.
#[macro_export]
macro_rules! export_policy {
    ($policy:ty) => {
        $crate::export_policy!($policy, manifest = "plugin.toml");
    };
    ($policy:ty, manifest = $manifest:literal) => {
        const _: () = {
            const fn implements<T: $crate::Policy>() {}
            implements::<$policy>()
        };

        #[cfg(target_arch = "wasm32")]
        const _: () = {
            struct Exported;

            impl $crate::bindings::policy::exports::dynacu::policy::policy::Guest for Exported {
                fn run(
                    brief: $crate::Brief,
                    settings: ::std::string::String,
                ) -> ::std::result::Result<(), $crate::PolicyError> {
                    $crate::__run::play::<$policy>(brief, &settings)
                }
            }

            $crate::bindings::policy::export_policy_world!(
                Exported with_types_in $crate::bindings::policy
            );
        };

        $crate::__embed_manifest!($manifest);
    };
}

/// Makes a component of the world `scorer` out of a type that implements [`Scorer`](crate::scoring::Scorer). The
/// manifest is found as by [`export_policy!`](crate::export_policy).
#[macro_export]
macro_rules! export_scorer {
    ($scorer:ty) => {
        $crate::export_scorer!($scorer, manifest = "plugin.toml");
    };
    ($scorer:ty, manifest = $manifest:literal) => {
        const _: () = {
            const fn implements<T: $crate::scoring::Scorer>() {}
            implements::<$scorer>()
        };

        #[cfg(target_arch = "wasm32")]
        const _: () = {
            struct Exported;

            impl $crate::bindings::scorer::exports::dynacu::scoring::scorer::Guest for Exported {
                fn judge(
                    variant_values: ::std::string::String,
                    page_events: ::std::vec::Vec<$crate::scoring::PageEvent>,
                ) -> ::std::option::Option<::std::string::String> {
                    $crate::__run::judge::<$scorer>(&variant_values, &page_events)
                }

                fn score_episode(
                    episode: $crate::scoring::Episode,
                ) -> ::std::result::Result<$crate::scoring::Score, $crate::scoring::ScoreError>
                {
                    $crate::__run::score_episode::<$scorer>(&episode)
                }
            }

            $crate::bindings::scorer::export_scorer_world!(
                Exported with_types_in $crate::bindings::scorer
            );
        };

        $crate::__embed_manifest!($manifest);
    };
}

/// Makes a component of the world `model-adapter` out of a type that implements
/// [`ModelAdapter`](crate::model::ModelAdapter). The manifest is found as by
/// [`export_policy!`](crate::export_policy).
#[macro_export]
macro_rules! export_adapter {
    ($adapter:ty) => {
        $crate::export_adapter!($adapter, manifest = "plugin.toml");
    };
    ($adapter:ty, manifest = $manifest:literal) => {
        const _: () = {
            const fn implements<T: $crate::model::ModelAdapter>() {}
            implements::<$adapter>()
        };

        #[cfg(target_arch = "wasm32")]
        const _: () = {
            struct Exported;

            impl $crate::bindings::adapter::exports::dynacu::model::adapter::Guest for Exported {
                fn describe() -> $crate::model::AdapterDescriptor {
                    <$adapter as $crate::model::ModelAdapter>::describe()
                }

                fn capabilities_of(
                    model: ::std::string::String,
                    settings: ::std::string::String,
                ) -> $crate::model::Capabilities {
                    $crate::__run::capabilities_of::<$adapter>(&model, &settings)
                }

                fn complete(
                    model: ::std::string::String,
                    settings: ::std::string::String,
                    request: $crate::model::Request,
                ) -> ::std::result::Result<$crate::model::Response, $crate::model::ModelError>
                {
                    $crate::__run::complete::<$adapter>(&model, &settings, request)
                }
            }

            $crate::bindings::adapter::export_adapter_world!(
                Exported with_types_in $crate::bindings::adapter
            );
        };

        $crate::__embed_manifest!($manifest);
    };
}

/// Puts the manifest into the custom section `dynacu:plugin-manifest` of the core module, where the host finds it.
#[doc(hidden)]
#[macro_export]
macro_rules! __embed_manifest {
    ($manifest:literal) => {
        #[cfg(target_arch = "wasm32")]
        const _: () = {
            const TEXT: &[u8] = include_bytes!(concat!(env!("CARGO_MANIFEST_DIR"), "/", $manifest));

            #[used]
            #[unsafe(link_section = "dynacu:plugin-manifest")]
            static MANIFEST: [u8; TEXT.len()] =
                *include_bytes!(concat!(env!("CARGO_MANIFEST_DIR"), "/", $manifest));
        };
    };
}
