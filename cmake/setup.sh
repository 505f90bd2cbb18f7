# What ./sillar and ./test share: the list of packages, and the steps from a clone to a binary.
# To be sourced by bash, with `root` set to the checkout. Everything it says goes to stderr.
# shellcheck shell=bash

# Debian packages. This is the only list.
sillar_packages_build=(
  g++ cmake ninja-build pkgconf ccache binutils ca-certificates
  libzstd-dev liblz4-dev libdeflate-dev libfmt-dev libcli11-dev nlohmann-json3-dev libpng-dev
  libproj-dev proj-data libgdal-dev gdal-bin
)
sillar_packages_test=(libgtest-dev libssl-dev python3 python3-venv)
# Optional: a machine without them skips the steps that need them.
sillar_packages_lint=(clang-19 clang-tidy-19 clang-format-19 libclang-rt-19-dev)

export LC_ALL=C.UTF-8

sillar_say() { printf 'sillar: %s\n' "$*" >&2; }

# sillar_logged LOG COMMAND...: runs quietly; on failure shows the end of the log.
sillar_logged() {
  local log=$1
  shift
  mkdir -p "${log%/*}"
  if "$@" >"$log" 2>&1 </dev/null; then
    return 0
  fi
  tail -n 40 "$log" >&2
  sillar_say "failed: $* (all of it: $log)"
  return 1
}

# sillar_missing PACKAGE...: prints those that are not installed.
sillar_missing() {
  local have package
  have=" $(dpkg-query -W -f='${db:Status-Status}=${Package} ' "$@" 2>/dev/null || true)"
  for package in "$@"; do
    [[ $have == *" installed=$package "* ]] || printf '%s\n' "$package"
  done
}

# sillar_may_install: true when apt-get can be run without asking; sets sillar_as_root.
sillar_may_install() {
  command -v apt-get >/dev/null 2>&1 || return 1
  sillar_as_root=(env DEBIAN_FRONTEND=noninteractive)
  if [[ $(id -u) != 0 ]]; then
    command -v sudo >/dev/null 2>&1 && sudo -n true 2>/dev/null || return 1
    sillar_as_root=(sudo -n "${sillar_as_root[@]}")
  fi
}

sillar_apt_install() {
  local apt=("${sillar_as_root[@]}" apt-get -y -o DPkg::Lock::Timeout=600)
  local lists=(/var/lib/apt/lists/*_Packages*)
  if [[ ! -e ${lists[0]} ]]; then
    "${apt[@]}" update || return 1
  fi
  "${apt[@]}" install --no-install-recommends "$@" && return 0
  # Old lists name packages that are no longer served.
  "${apt[@]}" update && "${apt[@]}" install --no-install-recommends "$@"
}

# sillar_install PACKAGE...: installs what is missing, or says what to type.
# SILLAR_NO_INSTALL=1 leaves the machine as it is.
sillar_install() {
  local missing
  if [[ -n ${SILLAR_NO_INSTALL:-} ]] || ! command -v dpkg-query >/dev/null 2>&1; then
    return 0  # not ours to install; CMake names what it does not find
  fi
  mapfile -t missing < <(sillar_missing "$@")
  ((${#missing[@]})) || return 0
  if ! sillar_may_install; then
    sillar_say "${#missing[@]} packages are missing. As root:"
    printf 'apt-get install -y --no-install-recommends %s\n' "${missing[*]}" >&2
    return 1
  fi
  sillar_say "installing ${#missing[@]} packages (first call only)"
  sillar_logged "$root/build/apt.log" sillar_apt_install "${missing[@]}"
}

# sillar_cargo: makes a cargo of 1.70 or newer known as sillar_cargo_path. It only downloads.
sillar_cargo() {
  local candidate minor
  for pass in have install; do
    if [[ $pass == install ]]; then
      sillar_install cargo-web || return 1
      hash -r
    fi
    for candidate in "${CARGO:-}" "$(command -v cargo || true)" "$HOME/.cargo/bin/cargo" /usr/bin/cargo; do
      [[ -n $candidate && -x $candidate ]] || continue
      minor=$("$candidate" --version 2>/dev/null | sed -nE 's/^cargo 1\.([0-9]+).*/\1/p')
      if ((${minor:-0} >= 70)); then
        sillar_cargo_path=$candidate
        return 0
      fi
    done
  done
  sillar_say "cargo 1.70 or newer is needed to download the sources of OpenZL"
  return 1
}

# sillar_configure PRESET [OPTION...]: configures when there is nothing yet, or options are given.
sillar_configure() {
  local preset=$1 dir=$root/build/$1 fresh=()
  shift
  if [[ -f $dir/CMakeCache.txt ]]; then
    # A checkout that was moved cannot be built on.
    grep -qxF "CMAKE_HOME_DIRECTORY:INTERNAL=$root" "$dir/CMakeCache.txt" || fresh=(--fresh)
  fi
  if [[ -f $dir/build.ninja && ${#fresh[@]} == 0 && $# == 0 ]]; then
    return 0
  fi
  sillar_say "configuring $preset"
  (cd "$root" && sillar_logged "$root/build/configure-$preset.log" \
    cmake --preset "$preset" "${fresh[@]}" \
    ${sillar_cargo_path:+"-DSILLAR_CARGO=$sillar_cargo_path"} "$@")
}

# sillar_build PRESET [TARGET...]
sillar_build() {
  local preset=$1 version
  shift
  sillar_say "building $preset (a first build takes minutes)"
  if sillar_logged "$root/build/build-$preset.log" \
    cmake --build "$root/build/$preset" --parallel "$(nproc)" ${1:+--target "$@"}; then
    return 0
  fi
  version=$(g++ -dumpfullversion 2>/dev/null || true)
  if [[ -n $version && ${version%%.*} -lt 12 ]]; then
    sillar_say "g++ is $version; 12 or newer is needed"
  fi
  return 1
}

# sillar_lock: one set-up at a time; the lock is held until sillar_unlock or the end of the script.
sillar_lock() {
  mkdir -p "$root/build"
  exec {sillar_lock_fd}>"$root/build/.lock"
  if ! flock -n "$sillar_lock_fd"; then
    sillar_say "waiting for another build of this checkout"
    flock "$sillar_lock_fd"
  fi
}
sillar_unlock() { exec {sillar_lock_fd}>&-; }
