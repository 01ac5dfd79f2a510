#!/bin/sh
# Runs its arguments. 77, which is a skipped test, where there is no GPU, or no driver for the renderer that they name; any
# other end, a lost device or a refused import too, is that of the program.
if ! nvidia-smi -L 2> /dev/null | grep -q GPU; then
  echo "SKIP: there is no GPU"
  exit 77
fi
said=$("$@" 2>&1)
code=$?
printf '%s\n' "$said"
case "$code $said" in
  5*"no driver is installed"* | 5*"Vulkan: no device with the UUID"* | 5*"EGL: "*)
    echo "SKIP: there is no driver for the renderer"
    exit 77
    ;;
esac
exit $code
