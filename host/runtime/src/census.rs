//! Counts what a component consists of, from its sections, before anything is compiled or instantiated.
//!
//! Instances nest and repeat: a file of a few kilobytes can name millions of them. Each has its own globals, tables and function
//! records in the host's memory, where a store's limits do not see them. So each instance counts with everything that it
//! contains, and the walk stops at the first bound that is exceeded.

use wasmparser::{
    ComponentAlias, ComponentExternalKind, ComponentInstance, ComponentOuterAliasKind,
    ComponentTypeRef, ElementItems, Encoding, Instance, Payload, TypeRef,
};

use crate::limits;

/// A component exceeds a bound.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Excess {
    #[error("it has {count} {what}, more than {bound}")]
    InFile {
        what: &'static str,
        count: u64,
        bound: u64,
    },
    #[error("its instances have {count} {what} in total, more than {bound}")]
    InInstances {
        what: &'static str,
        count: u64,
        bound: u64,
    },
    /// Modules and components that are imported, exported or passed as arguments cannot be counted in advance. No toolchain makes them.
    #[error("it imports, exports or passes on a {0}")]
    Value(&'static str),
    /// It is not valid and cannot be counted.
    #[error("it names a {0} that does not exist")]
    Missing(&'static str),
}

/// What all instances have in total. `docs/sandbox.md` has the counts of real guests.
const IN_INSTANCES: [(&str, u64); 8] = [
    ("component instances", 1_000),
    ("core instances", limits::INSTANCES as u64),
    ("functions and imports", 200_000),
    ("globals", 100_000),
    ("tables", limits::TABLES as u64),
    ("memories", limits::MEMORIES as u64),
    ("table elements", limits::TABLE_ELEMENTS),
    // Types, aliases, canonical functions, imports and exports of components: the compiler expands all of them.
    ("definitions", 100_000),
];
const COMPONENT_INSTANCE: usize = 0;
const CORE_INSTANCE: usize = 1;
const FUNCTION: usize = 2;
const GLOBAL: usize = 3;
const TABLE: usize = 4;
const MEMORY: usize = 5;
const ELEMENT: usize = 6;
const DEFINITION: usize = 7;

/// What the file contains, instantiated or not.
const IN_FILE: [(&str, u64); 8] = [
    ("levels of nested components", 16),
    ("components", 1_000),
    ("core modules", 500),
    ("bytes of types", 4 << 20),
    ("functions", 100_000),
    ("globals", 100_000),
    ("imports and exports of core modules", 100_000),
    ("bytes of data", 96 << 20),
];
const DEPTH: usize = 0;
const COMPONENTS: usize = 1;
const MODULES: usize = 2;
const TYPE_BYTES: usize = 3;
const FUNCTIONS: usize = 4;
const GLOBALS: usize = 5;
const NAMES: usize = 6;
const DATA_BYTES: usize = 7;

/// What one instance has, including the instances inside it. In the order of [`IN_INSTANCES`].
type Weight = [u64; IN_INSTANCES.len()];

fn add(weight: &mut Weight, more: &Weight) -> Result<(), Excess> {
    for ((sum, more), (what, bound)) in weight.iter_mut().zip(more).zip(IN_INSTANCES) {
        let count = sum.saturating_add(*more);
        *sum = count;
        if count > bound {
            return Err(Excess::InInstances { what, count, bound });
        }
    }
    Ok(())
}

fn one(what: usize, count: impl Into<u64>) -> Weight {
    let mut weight = Weight::default();
    weight[what] = count.into();
    weight
}

/// A module or component whose sections are being walked.
struct Scope {
    encoding: Encoding,
    weight: Weight,
    modules: Vec<Weight>,
    components: Vec<Weight>,
}

/// Why the walk ended.
#[derive(Debug)]
pub(crate) enum Ended {
    Excess(Excess),
    Broken(wasmparser::BinaryReaderError),
}

impl From<Excess> for Ended {
    fn from(excess: Excess) -> Self {
        Self::Excess(excess)
    }
}

impl From<wasmparser::BinaryReaderError> for Ended {
    fn from(error: wasmparser::BinaryReaderError) -> Self {
        Self::Broken(error)
    }
}

/// Takes every payload of a file in order.
#[derive(Default)]
pub(crate) struct Census {
    open: Vec<Scope>,
    in_file: [u64; IN_FILE.len()],
}

impl Census {
    pub(crate) fn take(&mut self, payload: &Payload) -> Result<(), Ended> {
        match payload {
            Payload::Version { encoding, .. } => self.begin(*encoding)?,
            Payload::End(_) => self.end()?,
            Payload::InstanceSection(section) => {
                self.definitions(section.count())?;
                for instance in section.clone() {
                    if let Instance::Instantiate { module_index, .. } = instance? {
                        self.instantiate(CORE_INSTANCE, module_index)?;
                    }
                }
            }
            Payload::ComponentInstanceSection(section) => {
                self.definitions(section.count())?;
                for instance in section.clone() {
                    self.component_instance(&instance?)?;
                }
            }
            Payload::ComponentAliasSection(section) => {
                self.definitions(section.count())?;
                for alias in section.clone() {
                    self.alias(&alias?)?;
                }
            }
            Payload::ComponentImportSection(section) => {
                self.definitions(section.count())?;
                for import in section.clone() {
                    match import?.ty {
                        ComponentTypeRef::Module(_) => return Err(Excess::Value("module").into()),
                        ComponentTypeRef::Component(_) => {
                            return Err(Excess::Value("component").into());
                        }
                        _ => {}
                    }
                }
            }
            Payload::ComponentExportSection(section) => {
                self.definitions(section.count())?;
                for export in section.clone() {
                    by_value(export?.kind)?;
                }
            }
            Payload::ComponentTypeSection(section) => {
                self.definitions(section.count())?;
                self.held(TYPE_BYTES, section.range().len() as u64)?;
            }
            Payload::CoreTypeSection(section) => {
                self.definitions(section.count())?;
                self.held(TYPE_BYTES, section.range().len() as u64)?;
            }
            Payload::ComponentCanonicalSection(section) => self.definitions(section.count())?,
            core => self.of_module(core)?,
        }
        Ok(())
    }

    fn of_module(&mut self, payload: &Payload) -> Result<(), Ended> {
        match payload {
            Payload::TypeSection(section) => {
                self.held(TYPE_BYTES, section.range().len() as u64)?;
            }
            Payload::ImportSection(section) => {
                for import in section.clone().into_imports() {
                    self.held(NAMES, 1_u64)?;
                    self.weigh(&one(FUNCTION, 1_u64))?;
                    if matches!(import?.ty, TypeRef::Global(_)) {
                        self.weigh(&one(GLOBAL, 1_u64))?;
                    }
                }
            }
            Payload::ExportSection(section) => self.held(NAMES, section.count())?,
            Payload::FunctionSection(section) => {
                self.held(FUNCTIONS, section.count())?;
                self.weigh(&one(FUNCTION, section.count()))?;
            }
            Payload::GlobalSection(section) => {
                self.held(GLOBALS, section.count())?;
                self.weigh(&one(GLOBAL, section.count()))?;
            }
            Payload::MemorySection(section) => self.weigh(&one(MEMORY, section.count()))?,
            Payload::TableSection(section) => {
                self.weigh(&one(TABLE, section.count()))?;
                for table in section.clone() {
                    self.weigh(&one(ELEMENT, table?.ty.initial))?;
                }
            }
            Payload::ElementSection(section) => {
                for element in section.clone() {
                    let count = match element?.items {
                        ElementItems::Functions(items) => items.count(),
                        ElementItems::Expressions(_, items) => items.count(),
                    };
                    self.weigh(&one(ELEMENT, count))?;
                }
            }
            Payload::DataSection(section) => {
                self.held(DATA_BYTES, section.range().len() as u64)?;
            }
            _ => {}
        }
        Ok(())
    }

    fn held(&mut self, what: usize, more: impl Into<u64>) -> Result<(), Excess> {
        let (name, bound) = IN_FILE[what];
        let count = self.in_file[what].saturating_add(more.into());
        self.in_file[what] = count;
        if count > bound {
            let what = name;
            return Err(Excess::InFile { what, count, bound });
        }
        Ok(())
    }

    fn weigh(&mut self, more: &Weight) -> Result<(), Excess> {
        match self.open.last_mut() {
            // A module counts once it is instantiated.
            Some(scope) if scope.encoding == Encoding::Module => {
                for (sum, more) in scope.weight.iter_mut().zip(more) {
                    *sum = sum.saturating_add(*more);
                }
                Ok(())
            }
            Some(scope) => add(&mut scope.weight, more),
            None => Ok(()),
        }
    }

    fn definitions(&mut self, count: u32) -> Result<(), Excess> {
        self.weigh(&one(DEFINITION, count))
    }

    fn begin(&mut self, encoding: Encoding) -> Result<(), Excess> {
        self.held(
            match encoding {
                Encoding::Module => MODULES,
                Encoding::Component => COMPONENTS,
            },
            1_u64,
        )?;
        self.held(DEPTH, 1_u64)?;
        self.open.push(Scope {
            encoding,
            weight: Weight::default(),
            modules: Vec::new(),
            components: Vec::new(),
        });
        Ok(())
    }

    fn end(&mut self) -> Result<(), Excess> {
        self.in_file[DEPTH] -= 1;
        let Some(done) = self.open.pop() else {
            return Ok(());
        };
        if let Some(around) = self.open.last_mut() {
            let space = match done.encoding {
                Encoding::Module => &mut around.modules,
                Encoding::Component => &mut around.components,
            };
            space.push(done.weight);
        }
        Ok(())
    }

    fn instantiate(&mut self, what: usize, index: u32) -> Result<(), Excess> {
        let Some(scope) = self.open.last_mut() else {
            return Ok(());
        };
        let (space, name) = match what {
            CORE_INSTANCE => (&scope.modules, "module"),
            _ => (&scope.components, "component"),
        };
        let made = space.get(index as usize).ok_or(Excess::Missing(name))?;
        let made = *made;
        add(&mut scope.weight, &one(what, 1_u64))?;
        add(&mut scope.weight, &made)
    }

    fn component_instance(&mut self, instance: &ComponentInstance) -> Result<(), Excess> {
        match instance {
            ComponentInstance::Instantiate {
                component_index,
                args,
            } => {
                args.iter().try_for_each(|arg| by_value(arg.kind))?;
                self.instantiate(COMPONENT_INSTANCE, *component_index)
            }
            ComponentInstance::FromExports(exports) => {
                exports.iter().try_for_each(|export| by_value(export.kind))
            }
        }
    }

    fn alias(&mut self, alias: &ComponentAlias) -> Result<(), Excess> {
        let (kind, count, index) = match alias {
            ComponentAlias::InstanceExport { kind, .. } => return by_value(*kind),
            ComponentAlias::CoreInstanceExport { .. } => return Ok(()),
            ComponentAlias::Outer { kind, count, index } => {
                (kind, *count as usize, *index as usize)
            }
        };
        let around = self.open.iter().rev().nth(count);
        let (aliased, name) = match kind {
            ComponentOuterAliasKind::CoreModule => {
                (around.and_then(|scope| scope.modules.get(index)), "module")
            }
            ComponentOuterAliasKind::Component => (
                around.and_then(|scope| scope.components.get(index)),
                "component",
            ),
            ComponentOuterAliasKind::CoreType | ComponentOuterAliasKind::Type => return Ok(()),
        };
        let weight = *aliased.ok_or(Excess::Missing(name))?;
        if let Some(scope) = self.open.last_mut() {
            match kind {
                ComponentOuterAliasKind::CoreModule => scope.modules.push(weight),
                _ => scope.components.push(weight),
            }
        }
        Ok(())
    }
}

fn by_value(kind: ComponentExternalKind) -> Result<(), Excess> {
    match kind {
        ComponentExternalKind::Module => Err(Excess::Value("module")),
        ComponentExternalKind::Component => Err(Excess::Value("component")),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use wasmparser::Parser;

    use super::*;

    /// What a fixture has, in its instances and in its file.
    fn counts(name: &str) -> (Weight, [u64; IN_FILE.len()]) {
        let path = Path::new(env!("DYNACU_CHECKOUT"))
            .join("plugins/dist/fixtures")
            .join(name);
        let bytes = std::fs::read(&path).unwrap();
        let (mut census, mut weight, mut depth) = (Census::default(), Weight::default(), 0);
        for payload in Parser::new(0).parse_all(&bytes) {
            census.take(&payload.unwrap()).unwrap();
            if let [root, ..] = census.open.as_slice() {
                weight = root.weight;
            }
            depth = depth.max(census.in_file[DEPTH]);
        }
        census.in_file[DEPTH] = depth;
        (weight, census.in_file)
    }

    /// The largest toolchain's, and a usual one.
    #[test]
    fn real_guests_are_far_below_the_bounds() {
        for name in ["python-idle.wasm", "sends-a-request.wasm"] {
            let (weight, in_file) = counts(name);
            assert!(weight[CORE_INSTANCE] > 1 && in_file[FUNCTIONS] > 100);
            let counted = weight.iter().chain(&in_file);
            for (count, (what, bound)) in counted.zip(IN_INSTANCES.iter().chain(&IN_FILE)) {
                eprintln!("{name}: {count} {what} of {bound}");
                assert!(*count <= bound / 4, "{name}: {count} {what} of {bound}");
            }
        }
    }
}
