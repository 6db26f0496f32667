#!/bin/sh
# agent.sh [-x] HOST COMMAND...   runs a command on a node, as rsh would: the words are joined and read by a shell.
#
# A node is a network namespace. Its host name must be its own, or ranks would believe that they share memory; its
# /etc/hosts and /sys are mounted over the machine's for this command alone. WEFT_LAB_HOSTS is the file of names.
set -eu
# MPICH's hydra calls its agent with ssh's -x (no forwarding of X11).
while [ "${1#-}" != "$1" ]; do shift; done
host=$1
shift
exec nsenter --net="/run/netns/$host" unshare --uts --mount sh -c '
    set -eu
    hostname "$1"
    mount --bind "$WEFT_LAB_HOSTS" /etc/hosts
    mount -t sysfs sysfs /sys
    exec sh -c "$2"' sh "$host" "$*"
