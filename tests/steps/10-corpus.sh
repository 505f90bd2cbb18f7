#!/bin/bash
# corpus through the command line
set -euo pipefail

cli=${SILLAR:?}
corpus=${SILLAR_ROOT:?}/tests/data/corpus
checks=$SILLAR_ROOT/tests/python
jobs=$(nproc)

command -v python3 >/dev/null 2>&1 || {
  echo "python3 is not installed"
  exit 77
}
status=0
for format in rumi stards opff geozl geozl/v27; do
  python3 "$checks/check_corpus.py" "${format%%/*}" "$corpus/$format" --cli "$cli" --jobs "$jobs" || status=1
done
exit "$status"
