#!/bin/sh
# Options become a config, a config is used again, and a report says what was done. upsweep-cull and upsweep-sort are on
# PATH; files are written to the current folder.
set -eu
upsweep-cull generate --quiet --output cloud.ply --count 20000

# What the options say, as a config; then the config, with another method by an option. Both keep the same particles.
upsweep-cull --sphere 0 0 0 5 --lifetime-above 0 --input cloud.ply --output near.ply --print-config >near.json
upsweep-cull --quiet --config near.json
upsweep-cull --quiet --config near.json --output again.ply --method vote_scan_compact --verify --report report.json
cmp near.ply again.ply
grep -q '"vote_scan_compact"' report.json

# Keys with two payloads: the ids and the positions in the file are sorted by depth; the keys' 16 upper bits, too.
upsweep-cull --quiet --input cloud.ply --export id=ids.npy --export z=depth.npy --export-indices index.npy
upsweep-sort --quiet --input depth.npy --output sorted.npy --payload ids.npy --payload-output sorted_ids.npy \
  --payload index.npy --payload-output sorted_index.npy --verify
upsweep-sort --quiet --input depth.npy --output rough.npy --begin-bit 16 --descending --verify

# Exit status 2 is a mistake on the command line; the message says what to write instead.
status=0
upsweep-sort --input depth.npy --output out.npy --method fastest 2>mistake.txt || status=$?
[ $status = 2 ] && grep -q onesweep mistake.txt
echo "near.ply and again.ply are the same"
