#!/bin/sh
# A cloud of particles, culled, sorted and checked, in the current folder. upsweep-cull and upsweep-sort are on PATH.
set -eu
count() { head -c 4096 "$1" | sed -n 's/^element vertex //p'; } # the particles of a PLY file

# A cloud; the fast living particles go to one file, the others to another.
upsweep-cull generate --quiet --output cloud.ply --count 50000
upsweep-cull --quiet --input cloud.ply --output fast.ply --rejected rest.ply --export id=ids.npy --verify \
  --where 'lifetime > 0 && vx*vx + vy*vy + vz*vz > 0.5'
[ $(($(count fast.ply) + $(count rest.ply))) = 50000 ]

# The permutation that sorts the ids, and the ten particles that live longest.
upsweep-sort --quiet --input ids.npy --output order.npy --argsort --verify
upsweep-sort --quiet --input fast.ply --output oldest.ply --by lifetime --descending --top 10 --verify
[ "$(count oldest.ply)" = 10 ]

# Rows of a CSV by a column, as sort does it, and numbers in a pipe.
seq 1 999 | awk 'BEGIN { print "cell,id" } { print $1 * 7919 % 101 "," $1 }' >cells.csv
upsweep-sort --quiet --input cells.csv --output sorted.csv --by cell,id:descending
{ head -n 1 cells.csv && tail -n +2 cells.csv | sort -t, -k1,1n -k2,2nr; } | cmp - sorted.csv
seq 1 999 >numbers.txt
seq 999 -1 1 | upsweep-sort --quiet --text | cmp - numbers.txt
echo "$(count fast.ply) fast particles, $(count rest.ply) others"
