# Merging is in merge.t. Here: leftovers, files long unused, damaged files of a store; foreign
# files stay.
$ mkdir d
+ extract-features $DATA/digits/test-images-idx3-ubyte --resize 28 --limit 64 -q --no-provenance --store store -o d/new.h5
+ cp d/new.h5 d/old.h5; touch -d '100 days ago' d/old.h5; ls d; find store -type f | wc -l
> new.h5
> old.h5
> 1

$ cache gc d
> d: nothing to remove

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
> store: 1 file, every one whole

# A wrong folder is no store in good order.
$ mkdir none; cache fsck none; rmdir none
> none: has no .h5 files

# A second folder would be left out without a word; and results are removed only where a folder or a store is named.
$ cache fsck store d
! cache: 2 inputs, expected one folder at most; 'd' is too many; see --help
? 2

$ cache list store d
! cache: 2 inputs, expected one folder at most; 'd' is too many; see --help
? 2

$ cache gc store d
! cache: 2 inputs, expected one folder at most; 'd' is too many; see --help
? 2

$ cache gc --older-than 1 --apply
! cache: --older-than removes results: name the folder, give --store DIR, or set KETLINE_STORE
? 2

$ cd store && cache gc --older-than 1
! cache: --older-than removes results: name the folder, give --store DIR, or set KETLINE_STORE
? 2

$ KETLINE_STORE=store cache gc --older-than 1
> store: nothing to remove

$ cache fsck --store store --json

$ f=$(find store -name '*.h5'); printf damaged! | dd of=$f bs=1 seek=70000 conv=notrunc status=none
+ cache fsck store 2>&1 | grep -c damaged
> 1

$ cache fsck store --repair -q >/dev/null 2>&1; echo $?; find store -name '*.h5' | wc -l
+ find store -name '*.h5.damaged' | wc -l; cache fsck store
> 1
> 0
> 1
> store: has no .h5 files

# What was put aside before stays.
$ aside=$(find store -name '*.h5.damaged'); cp $aside ${aside%.damaged}; echo first > $aside
+ cache fsck store --repair -q >/dev/null 2>&1; (cd ${aside%/*}; ls | sed 's/^[0-9a-f]*//'; cat *.damaged)
+ rm $aside*
> .h5.damaged
> .h5.damaged.2
> first

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
> e: nothing to remove
> theirs.h5

# What killed and stopped runs leave. A temporary goes at once; what a run could go on from after a
# week; what is in use, or of other programs, never.
$ mkdir left; for f in f.h5.ffffffff-1-1.00000000 g.h5.ffffffff-1-1.00000000; do
+ : > left/.$f.ketline-tmp; done; touch -d '3 days ago' left/.f*; : > left/.x.checkpoint
+ : > left/.f.h5.0123456789abcdef.ffffffff-1-1.00000000.ketline-partial
+ cp left/.f.h5.0*partial left/.g.h5.0123456789abcdef.free.00000000.ketline-partial
+ qtrain -q d/new.h5 --epochs 100000 --qubits 2 --layers 1 --checkpoint-every 1 -o left/h.h5 & p=$!
+ until [ -e left/.h.h5.checkpoint ]; do sleep 0.01; done; kill -TERM $p
+ wait $p 2> log; cp left/.h.h5.checkpoint left/.i.h5.checkpoint
+ touch -d '8 days ago' left/.h* left/.x* left/.g*partial; touch -d '3 days ago' left/.f*partial; ls -A left
> .f.h5.0123456789abcdef.ffffffff-1-1.00000000.ketline-partial
> .f.h5.ffffffff-1-1.00000000.ketline-tmp
> .g.h5.0123456789abcdef.free.00000000.ketline-partial
> .g.h5.ffffffff-1-1.00000000.ketline-tmp
> .h.h5.checkpoint
> .i.h5.checkpoint
> .x.checkpoint
$ cache gc left --apply | sed 's/[0-9]* bytes/N bytes/g' | sort; ls -A left
> left: 3 files, N bytes removed
> removed left/.f.h5.ffffffff-1-1.00000000.ketline-tmp (left by a run that has ended, N bytes)
> removed left/.g.h5.0123456789abcdef.free.00000000.ketline-partial (can be resumed, but nobody did for a week, N bytes)
> removed left/.h.h5.checkpoint (can be resumed, but nobody did for a week, N bytes)
> .f.h5.0123456789abcdef.ffffffff-1-1.00000000.ketline-partial
> .g.h5.ffffffff-1-1.00000000.ketline-tmp
> .i.h5.checkpoint
> .x.checkpoint

$ cache gc nowhere
! cache: nowhere: cannot be listed: No such file or directory
? 66

$ cache fsck
! cache: no folder; name one, give --store DIR, or set KETLINE_STORE
? 2

$ cache merge a.h5
! cache: expected: cache merge SHARD... -o OUTPUT
? 2
