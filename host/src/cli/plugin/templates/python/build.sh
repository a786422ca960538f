#!/bin/sh
# Builds {{name}}.wasm. The tool (47 MB) goes into .tools, once; COMPONENTIZE_PY names a folder that already has it.
set -eu
cd "$(dirname "$0")"
tools=${COMPONENTIZE_PY:-.tools}
if ! [ -x "$tools/bin/componentize-py" ]; then
  python3 -m pip install --quiet --disable-pip-version-check --target "$tools" componentize-py==0.25.1
fi
PYTHONDONTWRITEBYTECODE=1 PYTHONPATH="$tools" "$tools/bin/componentize-py" \
  -d vendor/wit -w dynacu:plugin/{{kind}} componentize app -o {{name}}.wasm
