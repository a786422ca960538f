//! Components that are small on disk and take much memory or time in a host.

use wasm_encoder::{
    Alias, CodeSection, Component, ComponentBuilder, ComponentExportKind, ComponentOuterAliasKind,
    ComponentTypeRef, ComponentValType, ConstExpr, DataSection, ExportKind, ExportSection,
    Function, FunctionSection, GlobalSection, GlobalType, InstanceSection, InstanceType,
    MemorySection, MemoryType, Module, ModuleArg, ModuleSection, PrimitiveValType, RefType,
    TableSection, TableType, TypeSection, ValType,
};
use wasmparser::{Parser, Payload};

const EXPORT: &str = "dynacu:policy/policy@0.2.0";
const NO_MODULES: [(&str, ModuleArg); 0] = [];
const NO_ARGUMENTS: [(&str, ComponentExportKind, u32); 0] = [];

/// A policy by its exports, so that it reaches the compiler. It cannot run.
fn as_policy(mut component: ComponentBuilder) -> Vec<u8> {
    let empty = component.component(None, ComponentBuilder::default());
    let instance = component.instantiate(None, empty, NO_ARGUMENTS);
    component.export(EXPORT, ComponentExportKind::Instance, instance, None);
    component.finish()
}

/// A million globals take 5 MB in a file.
pub(super) fn globals(count: usize) -> Module {
    let mut globals = GlobalSection::new();
    let kind = GlobalType {
        val_type: ValType::I32,
        mutable: true,
        shared: false,
    };
    for _ in 0..count {
        globals.global(kind, &ConstExpr::i32_const(0));
    }
    let mut module = Module::new();
    module.section(&globals);
    module
}

/// A real policy with so many instances of a module beside its own. It loads and runs, if the host permits it.
pub(super) fn beside(policy: &[u8], module: &Module, count: usize) -> Vec<u8> {
    let modules = Parser::new(0).parse_all(policy).filter_map(Result::ok);
    let mut depth = 0;
    let own = modules.filter(|payload| match payload {
        Payload::ModuleSection { .. } => {
            depth += 1;
            depth == 1
        }
        Payload::ComponentSection { .. } => {
            depth += 1;
            false
        }
        Payload::End(_) => {
            depth -= 1;
            false
        }
        _ => false,
    });
    let index = own.count() as u32;
    let mut instances = InstanceSection::new();
    for _ in 0..count {
        instances.instantiate(index, NO_MODULES);
    }
    let mut more = Component::new();
    more.section(&ModuleSection(module)).section(&instances);
    // Without the header, its sections continue the policy's.
    [policy, &more.finish()[8..]].concat()
}

fn instances_of(module: &Module, count: usize) -> Vec<u8> {
    let mut component = ComponentBuilder::default();
    let module = component.core_module(None, module);
    for _ in 0..count {
        component.core_instantiate(None, module, NO_MODULES);
    }
    as_policy(component)
}

/// Each component has ten instances of the one before. A kilobyte.
pub(super) fn nested_instances(levels: usize) -> Vec<u8> {
    let mut component = ComponentBuilder::default();
    let mut inner = component.component(None, ComponentBuilder::default());
    for _ in 0..levels {
        let mut outer = ComponentBuilder::default();
        let one = outer.alias(
            None,
            Alias::Outer {
                kind: ComponentOuterAliasKind::Component,
                count: 1,
                index: inner,
            },
        );
        for _ in 0..10 {
            outer.instantiate(None, one, NO_ARGUMENTS);
        }
        inner = component.component(None, outer);
    }
    component.instantiate(None, inner, NO_ARGUMENTS);
    as_policy(component)
}

/// Components inside components, deeper than any stack.
pub(super) fn deep_components() -> Vec<u8> {
    let mut inside = ComponentBuilder::default().finish();
    for _ in 0..10_000 {
        let mut outer = ComponentBuilder::default();
        outer.component_raw(None, &inside);
        inside = outer.finish();
    }
    inside
}

pub(super) fn tables(count: usize, elements: u64) -> Module {
    let mut tables = TableSection::new();
    for _ in 0..count {
        tables.table(TableType {
            element_type: RefType::FUNCREF,
            table64: false,
            minimum: elements,
            maximum: None,
            shared: false,
        });
    }
    let mut module = Module::new();
    module.section(&tables);
    module
}

/// Memories of so many pages of 64 KiB. Each writes one byte to its last page.
pub(super) fn memories(count: u32, pages: u64) -> Module {
    let (mut memories, mut data) = (MemorySection::new(), DataSection::new());
    for index in 0..count {
        memories.memory(MemoryType {
            minimum: pages,
            maximum: None,
            memory64: false,
            shared: false,
            page_size_log2: None,
        });
        let last = ConstExpr::i32_const(((pages << 16) - 1) as u32 as i32);
        data.active(index, &last, [1]);
    }
    let mut module = Module::new();
    module.section(&memories).section(&data);
    module
}

/// A memory that starts with so many bytes of data.
pub(super) fn data(bytes: usize) -> Module {
    let (mut memories, mut data) = (MemorySection::new(), DataSection::new());
    memories.memory(MemoryType {
        minimum: (bytes as u64).div_ceil(1 << 16),
        maximum: None,
        memory64: false,
        shared: false,
        page_size_log2: None,
    });
    // No two pages alike, and no page that is empty.
    let noise = (0..bytes).map(|at| (at ^ (at >> 12)) as u8 | 1);
    data.active(0, &ConstExpr::i32_const(0), noise);
    let mut module = Module::new();
    module.section(&memories).section(&data);
    module
}

/// Each type is a pair of the one before, so that the last has `2^levels` leaves. So many imported functions take it.
pub(super) fn laughing_types(levels: usize, functions: usize) -> Vec<u8> {
    let mut imported = InstanceType::new();
    let mut kind = ComponentValType::Primitive(PrimitiveValType::U8);
    for _ in 0..levels {
        let index = imported.type_count();
        imported.ty().defined_type().tuple([kind, kind]);
        kind = ComponentValType::Type(index);
    }
    for number in 0..functions {
        let index = imported.type_count();
        let mut function = imported.ty().function();
        function.params([("all", kind)]).result(None);
        let name = format!("laugh-{number}");
        imported.export(name.as_str(), ComponentTypeRef::Func(index));
    }
    let mut component = ComponentBuilder::default();
    let imported = component.type_instance(None, &imported);
    let imported = ComponentTypeRef::Instance(imported);
    component.import("wasi:laughs/laughs@0.2.0", imported);
    as_policy(component)
}

/// One function of so many additions on `alive` variables.
fn function(additions: usize, alive: u32) -> Function {
    let mut function = Function::new([(alive, ValType::I64)]);
    let mut code = function.instructions();
    for at in 0..additions {
        let (one, other) = (at as u32 % alive, (at as u32).wrapping_mul(7919) % alive);
        code.local_get(one).local_get(other).i64_mul();
        code.i64_const(at as i64).i64_add().local_set(one);
    }
    code.end();
    function
}

/// So many functions of so many additions.
pub(super) fn much_code(functions: usize, additions: usize, alive: u32) -> Vec<u8> {
    instances_of(&code(functions, additions, alive), 1)
}

pub(super) fn code(functions: usize, additions: usize, alive: u32) -> Module {
    let mut types = TypeSection::new();
    types.ty().function([], []);
    let (mut named, mut code) = (FunctionSection::new(), CodeSection::new());
    let mut exports = ExportSection::new();
    let body = function(additions, alive);
    for index in 0..functions as u32 {
        named.function(0);
        code.function(&body);
        // Each instance has a record of each function that can be called from outside.
        exports.export(&index.to_string(), ExportKind::Func, index);
    }
    let mut module = Module::new();
    module.section(&types).section(&named);
    module.section(&exports).section(&code);
    module
}
