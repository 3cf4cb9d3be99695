# hpclab: SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# What the scripts share: sourced, not run. Leaves the working directory at the root of the checkout.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
cd "$root"
# shellcheck disable=SC2034  # used by who sources this
jobs=$(nproc 2>/dev/null || echo 2)
# shellcheck disable=SC2034
started=$SECONDS

say() { printf '== %s\n' "$*"; }

# fail STATUS MESSAGE...
fail() {
  local status=$1
  shift
  printf '%s: %s\n' "$(basename "$0")" "$*" >&2
  exit "$status"
}

# usage_error MESSAGE: wrong options end with status 2, as they do in hpclab.
usage_error() { fail 2 "$* ($(basename "$0") --help says what there is)"; }

# help_of FILE: the comment at the head of a script is its help.
help_of() { sed -n '3,/^[^#]/{s/^# \{0,1\}//p}' "$1"; }

# run_without_aslr COMMAND...: the thread sanitizer of g++ 12 cannot place its shadow memory when the
# kernel randomises addresses with more than 28 bits; where the container forbids to switch that
# off, the command runs as it is.
run_without_aslr() {
  if command -v setarch >/dev/null && setarch "$(uname -m)" -R true 2>/dev/null; then
    setarch "$(uname -m)" -R "$@"
  else
    "$@"
  fi
}
