#!/bin/sh
# Installs rustup in a container of CI, in one version with known checksums. It then fetches the
# toolchain of rust-toolchain.toml when cargo first runs.
set -eu
version=1.29.0
libc=gnu
[ ! -e /etc/alpine-release ] || libc=musl
target=$(uname -m)-unknown-linux-$libc
case $target in
  x86_64-*-gnu) sum=4acc9acc76d5079515b46346a485974457b5a79893cfb01112423c89aeb5aa10 ;;
  aarch64-*-gnu) sum=9732d6c5e2a098d3521fca8145d826ae0aaa067ef2385ead08e6feac88fa5792 ;;
  x86_64-*-musl) sum=9cd3fda5fd293890e36ab271af6a786ee22084b5f6c2b83fd8323cec6f0992c1 ;;
  aarch64-*-musl) sum=88761caacddb92cd79b0b1f939f3990ba1997d701a38b3e8dd6746a562f2a759 ;;
  *) echo "rustup.sh: no checksum for $target" >&2; exit 1 ;;
esac
file=$(mktemp)
curl --proto '=https' --tlsv1.2 -sSf -o "$file" \
  "https://static.rust-lang.org/rustup/archive/$version/$target/rustup-init"
echo "$sum  $file" | sha256sum -c - >&2
chmod +x "$file"
"$file" -y --profile minimal --default-toolchain none
rm "$file"
