#!/bin/sh
# agent.sh [-x] HOST COMMAND...   runs a command on a node, as rsh would: the words are joined and read by a shell.
#
# A node is a network namespace. It needs its own host name, because MPI assumes shared memory between ranks with the
# same host name. For this command only, the node's /etc/hosts and /sys are mounted over the machine's. WEFT_LAB_HOSTS is
# the file of names.
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
