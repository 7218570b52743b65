#!/bin/sh
# Installs bubblewrap, the sandbox of hats that may not write, where apt-get is there and may be used. Says why where it cannot; never fails.
set -u
say() { echo "bubblewrap: $*" >&2; }
if command -v bwrap >/dev/null 2>&1; then
  say "$(bwrap --version) is there"
  exit 0
fi
if [ "$(uname -s)" != Linux ]; then say "skipped: this is not Linux"; exit 0; fi
if ! command -v apt-get >/dev/null 2>&1; then say "skipped: no apt-get; install the package bubblewrap of your system"; exit 0; fi
if [ "$(id -u)" = 0 ]; then run=''; elif command -v sudo >/dev/null 2>&1 && sudo -n true 2>/dev/null; then run='sudo -n'; else
  say "skipped: only root may install it: sudo apt-get install bubblewrap"
  exit 0
fi
install() { DEBIAN_FRONTEND=noninteractive $run apt-get install -y --no-install-recommends bubblewrap >/dev/null 2>&1; }
if install || { $run apt-get update >/dev/null 2>&1 && install; }; then say "$(bwrap --version) was installed"; else
  say "skipped: apt-get could not install it"
fi
exit 0
