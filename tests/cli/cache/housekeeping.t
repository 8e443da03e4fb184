# Merging is in merge.t. Here: leftovers, files long unused, damaged files of a store; foreign
# files stay.
$ mkdir d
+ extract-features $DATA/digits/test-images-idx3-ubyte --resize 28 --limit 64 -q --no-provenance --store store -o d/new.h5
+ cp d/new.h5 d/old.h5; touch -d '100 days ago' d/old.h5; ls d; find store -type f | wc -l
> new.h5
> old.h5
> 1

$ cache gc d
> d: 0 files, 0 bytes; nothing was removed, --apply does

$ cache gc d --older-than 30 | sed 's/[0-9]* bytes/N bytes/g'
> would remove d/old.h5 (unused for longer than asked for, N bytes)
> d: 1 file, N bytes; nothing was removed, --apply does

$ cache gc d --older-than 30 --json | jq -c '[.path, .removed]'; ls d
> ["d/old.h5",false]
> new.h5
> old.h5

$ cache gc d --older-than 30 --apply | sed 's/[0-9]* bytes/N bytes/g'; ls d
> removed d/old.h5 (unused for longer than asked for, N bytes)
> d: 1 file, N bytes removed
> new.h5

$ cache fsck store
> store: every file is whole

$ cache fsck --store store --json

$ f=$(find store -name '*.h5'); printf 'x' | dd of=$f bs=1 seek=70000 conv=notrunc status=none
+ cache fsck store 2>&1 | grep -c damaged
> 1

$ cache fsck store --repair -q >/dev/null 2>&1; echo $?; find store -name '*.h5' | wc -l
+ find store -name '*.h5.damaged' | wc -l; cache fsck store
> 1
> 0
> 1
> store: every file is whole

# A file under the name of another key.
$ mkdir -p store/ab; cp d/new.h5 store/ab/$(printf 'c%.0s' {1..62}).h5; cache fsck store 2>&1 |
+ sed -n 's/.*\(lies under the name of another key\).*/\1/p'
> lies under the name of another key

# HDF5 of other programs is reported, never moved.
$ mkdir e
+ printf '\211HDF\r\n\032\n and so on, long enough to be read as a superblock of another program....' > e/theirs.h5
+ cache fsck e --repair >/dev/null; ls e
> theirs.h5
! cache: e/theirs.h5: left where it is: nothing shows that ketline wrote it
! cache: e: 1 file is not whole, 0 put aside

$ touch -d '100 days ago' e/theirs.h5; cache gc e --older-than 30 --apply; ls e
> e: 0 files, 0 bytes removed
> theirs.h5

$ cache gc nowhere
! cache: nowhere: cannot be listed: No such file or directory
? 66

$ cache fsck
! cache: no folder; give one, or --store
? 2

$ cache merge a.h5
! cache: expected: cache merge SHARD... -o OUTPUT
? 2
