#!/bin/bash
# interoperation with rumi-eo
#
# rumi-eo is under the GPL: it is installed into a virtual environment of its own and runs as a process beside
# ours; nothing of sillar links or ships it.
set -euo pipefail

cli=${SILLAR:?}
venv=${SILLAR_ROOT:?}/build/venvs/rumi-eo
pins=(rumi-eo==0.26.1 geozl==0.18.0 openzl==0.2.0 numpy==2.4.6 cffi==2.1.1 pycparser==3.12)

skip() {
  echo "$1"
  exit 77
}

command -v python3 >/dev/null 2>&1 || skip "python3 is not installed"
python3 -c 'import sys; sys.exit(sys.version_info < (3, 11))' || skip "rumi-eo needs Python 3.11 or newer"

if [[ ! -x $venv/bin/python || "$(cat "$venv/pins" 2>/dev/null || true)" != "${pins[*]}" ]]; then
  mkdir -p "$(dirname "$venv")"
  rm -rf "$venv"
  python3 -m venv "$venv" 2>/dev/null || skip "python3 -m venv does not work here (python3-venv)"
  if ! "$venv/bin/python" -m pip install --quiet --disable-pip-version-check --no-input \
    --only-binary :all: "${pins[@]}"; then
    rm -rf "$venv"
    skip "rumi-eo 0.26.1 cannot be installed here"
  fi
  printf '%s\n' "${pins[*]}" >"$venv/pins"
fi
exec "$venv/bin/python" "$SILLAR_ROOT/tests/python/interop_rumi_eo.py" --cli "$cli"
