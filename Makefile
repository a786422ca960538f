# Everything a person types. `make` alone lists the targets.

SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help
.PHONY: help setup guests fixtures host models build demo test gates measure matrix dist lint doc clean

# Cargo's own variable decides where things are built; the default is ./target.
TARGET := $(if $(CARGO_TARGET_DIR),$(CARGO_TARGET_DIR),$(CURDIR)/target)
HOST := $(TARGET)/debug/dynacu-host
GUEST_TARGET := $(TARGET)/guests
DIST := plugins/dist
# The same bytes on every machine; in a folder of their own, since cargo would take what it built without the wrapper.
BUNDLED := $(GUEST_TARGET)/bundled
GUEST_CARGO := RUSTC_WRAPPER=$(CURDIR)/.ci/guest-rustc cargo
PYTHON_GUEST := $(DIST)/fixtures/python-idle.wasm
NODE_TOOLS := .ci/node/node_modules/.package-lock.json

say = @printf '\033[1m== %s\033[0m\n' "$(1)"

# Copies components that changed, under the names of their plugins. Cargo names some files twice, once with a hash: those are left.
install = @for wasm in $(1)/*.wasm; do name=$$(basename "$$wasm"); case "$$name" in *-????????????????.wasm) continue ;; esac; \
	  cmp -s "$$wasm" "$(2)/$${name//_/-}" || cp "$$wasm" "$(2)/$${name//_/-}"; done

help: ## lists the targets
	@grep -hE '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z]+):.*## (.*)/  make \1\t\2/' | expand -t 16

setup: ## installs missing system packages and the WebAssembly target
	@.ci/setup

guests: setup ## builds the bundled plugins into plugins/dist
	$(call say,guests)
	@cd plugins && $(GUEST_CARGO) build --quiet --locked --release --target wasm32-wasip2 --target-dir $(BUNDLED)
	@mkdir -p $(DIST)
	$(call install,$(BUNDLED)/wasm32-wasip2/release,$(DIST))

fixtures: guests ## builds the guests that only the tests need: examples, attackers, broken components
	$(call say,test guests)
	@cd plugins && $(GUEST_CARGO) build --quiet --locked --release --target wasm32-wasip2 --target-dir $(BUNDLED) -p dynacu-sdk --examples
	@cd tests/fixtures/plugins && cargo build --quiet --locked --release --target wasm32-wasip2 --target-dir $(GUEST_TARGET)/fixtures
	@mkdir -p $(DIST)/fixtures $(DIST)/examples
	@cd tests/fixtures/plugins && cargo run --quiet --locked -p from-wat --target-dir $(GUEST_TARGET)/fixtures -- . $(CURDIR)/$(DIST)/fixtures
	$(call install,$(BUNDLED)/wasm32-wasip2/release/examples,$(DIST)/examples)
	$(call install,$(GUEST_TARGET)/fixtures/wasm32-wasip2/release,$(DIST)/fixtures)

# Half a minute and 70 MB from the package index, so only the tests ask for it, once.
$(PYTHON_GUEST): tests/fixtures/plugins/python-idle/app.py .ci/componentize-py.txt $(wildcard wit/*.wit wit/deps/*/*.wit)
	$(call say,a test guest in Python)
	@python3 -m pip install --quiet --root-user-action=ignore --disable-pip-version-check --upgrade --target $(GUEST_TARGET)/python --require-hashes -r .ci/componentize-py.txt
	@mkdir -p $(dir $@)
	@PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$(GUEST_TARGET)/python $(GUEST_TARGET)/python/bin/componentize-py \
	  -d wit -w dynacu:plugin/policy componentize -p $(dir $<) app -o $@ >/dev/null

host: setup ## builds dynacu-host
	$(call say,host (the first build takes about twelve minutes on two cores))
	@cargo build --locked -p dynacu-host

models: host ## fetches the model files that are missing, and checks them
	$(call say,models)
	@$(HOST) models pull

build: guests host models

demo: build ## builds everything and runs three tasks for real, end to end
	$(call say,demo: three tasks with the reference policy, and one that does nothing)
	@rm -rf runs/demo
	@$(HOST) --config docs/demo.toml

test: build fixtures $(PYTHON_GUEST) ## builds everything and passes the tests, real episodes included
	$(call say,tests)
	@cargo build --quiet --locked --workspace
	@.ci/tools nextest
	@cd plugins && cargo test --quiet --locked --workspace --target-dir $(GUEST_TARGET)/native
	@cargo test --quiet --locked -p dynacu-record --features schema --test schemas
	@cargo test --quiet --locked --workspace --doc
	@cargo nextest run --locked --workspace

dist: guests ## packs an archive that runs without a compiler into target/archives
	$(call say,archive)
	@.ci/dist

gates: build ## runs the gates of every task that changed, and writes their table into docs/tasks.md
	$(call say,gates)
	@$(HOST) tasks gate --sheets docs/tasks

measure: build fixtures ## measures perception and speech beside their budgets, and writes the figures into docs/perception.md
	$(call say,measure)
	@cargo build --quiet --locked -p dynacu-measure
	@$(TARGET)/debug/dynacu-measure all --out docs/perception --doc docs/perception.md

matrix: build fixtures ## every mode with every model adapter on every task, against local servers (two hours)
	$(call say,matrix)
	@cargo nextest run --locked --workspace --run-ignored only --no-capture -E 'test(/^matrix_/)'

$(NODE_TOOLS): .ci/node/package-lock.json
	@npm ci --prefix .ci/node --silent --ignore-scripts --no-audit --no-fund

lint: fixtures doc $(NODE_TOOLS) ## format, clippy, types of the pages, hosted workflow, licences, vulnerabilities
	$(call say,lint)
	@.ci/tools deny
	@for folder in . plugins tests/fixtures/plugins tests/fuzz; do (cd $$folder && cargo fmt --check); done
	@cargo clippy --quiet --locked --workspace --all-targets -- -D warnings
	@cd plugins && cargo clippy --quiet --locked --workspace --all-targets --target-dir $(GUEST_TARGET)/native -- -D warnings
	@cd tests/fixtures/plugins && cargo clippy --quiet --locked --release --target wasm32-wasip2 --target-dir $(GUEST_TARGET)/fixtures -- -D warnings
	@cd tests/fixtures/plugins && cargo clippy --quiet --locked -p from-wat --target-dir $(GUEST_TARGET)/fixtures -- -D warnings
	@cd tests/fuzz && cargo clippy --quiet --locked --all-features --all-targets --target-dir $(GUEST_TARGET)/fuzz -- -D warnings
	@for scripts in tasks host; do .ci/node/node_modules/.bin/tsc -p $$scripts/jsconfig.json; done
	@node .ci/node/workflows.js
	@.ci/deny

doc: setup ## builds the documentation of the crates, without a warning
	$(call say,documentation)
	@RUSTDOCFLAGS="-D warnings" cargo doc --quiet --locked --no-deps --workspace
	@cd plugins && RUSTDOCFLAGS="-D warnings" cargo doc --quiet --locked --no-deps --workspace --target-dir $(GUEST_TARGET)/native

clean: ## removes what was built (not the model files)
	@cargo clean
	@rm -rf $(GUEST_TARGET) $(DIST) runs/demo
