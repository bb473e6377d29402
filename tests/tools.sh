# What the scripts that run tests share: they install what they need, and skip what they cannot install. A script is
# skipped only where nothing can be installed or there is no network; any other failure fails the tests.

is_there() { command -v "$1" >/dev/null; }

# provide WHAT PACKAGE...: installs Debian packages. If that is impossible, prints that WHAT is skipped and why, and fails.
provide() {
  local what=$1
  shift
  if [ "$(id -u)" != 0 ] || ! is_there apt-get; then
    echo "skipped: $what (nothing can be installed without root and apt-get: $*)"
    return 1
  fi
  fetch "$what" install "$@"
}

install() {
  apt-get update -qq
  DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$@"
}

# What apt, npm, pip and cargo print when they cannot connect.
UNREACHABLE='Temporary failure|Could not (resolve|connect)|Network is unreachable|Connection (refused|timed out)'
UNREACHABLE+='|(New|Proxy|Name)[A-Za-z]*Error|(Connect|Read)TimeoutError|ENOTFOUND|EAI_AGAIN|ENETUNREACH|ECONNREFUSED|ETIMEDOUT'

# fetch WHAT COMMAND...: runs a command that downloads something. Without network, prints that WHAT is skipped and the
# command's own message, and fails; after any other failure of the command, the script ends with its output.
fetch() {
  local what=$1 log cause
  shift
  log=$(mktemp)
  if "$@" >"$log" 2>&1; then
    rm "$log"
    return
  fi
  cause=$(grep -m 1 -E "$UNREACHABLE" "$log") || {
    cat "$log"
    exit 1
  }
  rm "$log"
  echo "skipped: $what (no network: $cause)"
  return 1
}
