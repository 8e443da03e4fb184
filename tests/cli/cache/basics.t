# What a file is, where it came from, why two differ, and what a damaged one says.
$ extract-features $DATA/digits/test-images-idx3-ubyte --resize 28 --limit 128 -q -o a.h5 && extract-features $DATA/digits/test-images-idx3-ubyte --resize 28 --limit 128 --dtype f16 -q -o b.h5

$ cache show a.h5 | grep -v -e '^made' -e '^by'

$ cache log a.h5 | sed 's/  [0-9a-f]\{8\}$//' | grep -v -e sha256 -e weights

$ cache diff a.h5 b.h5
? 1

$ cache diff a.h5 a.h5

$ cache verify a.h5 b.h5

$ cp a.h5 c.h5; printf 'x' | dd of=c.h5 bs=1 seek=100000 conv=notrunc status=none; cache verify a.h5 c.h5
? 1

$ cache fsck . 2>&1 | sed 's/ KB .*/ KB/'

$ cache fsck . --repair -q >/dev/null 2>&1; ls

$ cache show absent.h5
? 66

$ cache shwo a.h5
? 2

$ cache show a.h5 --json | jq -r '.kind, .datasets[0].name'
