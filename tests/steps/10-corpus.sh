#!/bin/bash
# corpus through the command line
set -euo pipefail

cli=${SILLAR:?}
corpus=${SILLAR_ROOT:?}/tests/data/corpus/rumi
checks=$SILLAR_ROOT/tests/python
jobs=$(nproc)

command -v python3 >/dev/null 2>&1 || {
  echo "python3 is not installed"
  exit 77
}
status=0
python3 "$checks/check_corpus.py" rumi "$corpus" --cli "$cli" --jobs "$jobs" --only standard || status=1
python3 "$checks/check_geozl_refused.py" "$corpus" --cli "$cli" --jobs "$jobs" || status=1
exit "$status"
