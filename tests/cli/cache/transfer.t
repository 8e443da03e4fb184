# push and pull: whole files of a store to a folder or through rclone, and back.
~ s#[0-9a-f]{2}/[0-9a-f]{62}#AB/CDEF#
$ D=$DATA/digits; for n in 20 30; do extract-features $D/test-images-idx3-ubyte --resize 28 --limit $n --store mine -q -o f$n.h5; done
+ find mine -name '*.h5' | wc -l
> 2

$ cache push there --store mine; cache push there --store mine; diff -r mine there && echo same
> there: 2 files copied, 0 there already
> there: 0 files copied, 2 there already
> same
! cache: mine/AB/CDEF.h5: copied
! cache: mine/AB/CDEF.h5: copied
! cache: new store at there

$ KETLINE_STORE=theirs cache pull there; KETLINE_STORE=theirs cache pull there --json | jq -r .status; diff -r mine theirs && echo same
> theirs: 2 files copied, 0 there already
> was there
> was there
> same
! cache: there/AB/CDEF.h5: copied
! cache: there/AB/CDEF.h5: copied
! cache: new store at theirs

# another's features are not computed again
$ extract-features $DATA/digits/test-images-idx3-ubyte --resize 28 --limit 20 --store theirs -o again.h5
> again.h5: fetched from the shared store: 20 x 512 float32, # s (# images/s)

# A name that was mistyped makes a store: that is said once.
$ D=$DATA/digits/test-images-idx3-ubyte; for n in 20 30; do extract-features $D --resize 28 --limit $n --store typo -o t$n.h5 | sed 's/,.*//'; done
+ extract-features $D --resize 28 --limit 40 --store typo2 -q -o t40.h5
> t20.h5: 20 x 512 float32
> t30.h5: 30 x 512 float32
! extract-features: new store at typo

# More than one folder is not made for it, nor is a file taken for one: before any work, whether it is named or in the environment.
$ D=$DATA/digits/test-images-idx3-ubyte; extract-features $D --resize 28 --store scrach/store -o no.h5
! extract-features: store scrach/store: neither it nor its folder exists; make one of them first
? 74

$ D=$DATA/digits/test-images-idx3-ubyte; KETLINE_STORE=t20.h5 extract-features $D --resize 28 --dry-run -o no.h5
! extract-features: store t20.h5: found a file, expected a folder
? 74

$ KETLINE_STORE=t20.h5/store qtrain t20.h5 -o no.h5
! qtrain: store t20.h5/store: neither it nor its folder exists; make one of them first
? 74

# Who needs none is not stopped: what is up to date, and words alone.
$ D=$DATA/digits/test-images-idx3-ubyte; KETLINE_STORE=scrach/store extract-features $D --resize 28 --limit 20 -o t20.h5
+ for d in a b; do head -c 60 /dev/zero | tr '\0' 0 | fold -w 6 >$d; done; KETLINE_STORE=scrach/store tournament a b --null 0 | tail -1
> t20.h5: up to date: 20 x 512 float32, # s (# images/s)
> 2 devices, 0 of 1 pair differs by symbols if independent (Holm, 5 %), # s
! extract-features: shared store: not published there: store scrach/store: neither it nor its folder exists; make one of them first

# What was made before there was a store is put there when it is found up to date, by training too.
$ for store in '' late; do KETLINE_STORE=$store qtrain t20.h5 --epochs 1 --no-controls -q -o older.h5; done; find late -name '*.h5' | wc -l; KETLINE_STORE=late qtrain t20.h5 --epochs 1 --no-controls -q -o newer.h5; cmp older.h5 newer.h5
> 1

$ cache push scrach/store --store mine; cache pull there --store scrach/store; ls scrach no.h5
! cache: store scrach/store: neither it nor its folder exists; make one of them first
! cache: store scrach/store: neither it nor its folder exists; make one of them first
! ls: cannot access 'scrach': No such file or directory
! ls: cannot access 'no.h5': No such file or directory
? 2

$ mkdir scratch; D=$DATA/digits/test-images-idx3-ubyte; extract-features $D --resize 28 --limit 20 --store scratch/store/ -o s20.h5 | sed "s/,.*//"; ls scratch
> s20.h5: 20 x 512 float32
> store
! extract-features: new store at scratch/store/

# Stopped, and with it the rclone that it waits for; what it says to its caller is the signal.
$ mkdir bin; printf '#!/bin/sh\nexec sleep 60\n' >bin/rclone; chmod +x bin/rclone; export PATH=$PWD/bin:$PATH
+ for what in push pull; do cache $what far:place --store mine & p=$!; sleep 0.5; s=$SECONDS; kill -TERM $p; wait $p 2>log; echo $? $((SECONDS - s < 20)); done
> 143 1
> 143 1

# what is damaged does not travel, in either direction
$ D=$DATA/digits; f=$(find mine -name '*.h5' | sort | head -1); cp $f keep; printf damaged! | dd of=$f bs=1 seek=5000 conv=notrunc status=none; rm -r there
+ for n in 200 300; do extract-features $D/test-images-idx3-ubyte --resize 28 --limit $n --store mine -q -o f$n.h5; done
+ f=$(find mine -size +500k); printf damaged! | dd of=$f bs=1 seek=300000 conv=notrunc status=none
+ cache push there --store mine; find there -name '*.h5' | wc -l
> there: 2 files copied, 0 there already
> 2
! cache: mine/AB/CDEF.h5: damaged: its metadata have another digest than when it was published; make it again
! cache: mine/AB/CDEF.h5: dataset features: block 1 (rows 128 to 255) is damaged: other digest than when it was published; make it again
! cache: mine/AB/CDEF.h5: copied
! cache: mine/AB/CDEF.h5: copied
! cache: new store at there
! cache: 2 files are not whole and were not copied

$ cp -r mine bad; rm -r theirs; cache pull bad --store theirs; find theirs -name '*.h5' | wc -l
> theirs: 2 files copied, 0 there already
> 2
! cache: bad/AB/CDEF.h5: damaged: its metadata have another digest than when it was published; make it again
! cache: bad/AB/CDEF.h5: dataset features: block 1 (rows 128 to 255) is damaged: other digest than when it was published; make it again
! cache: bad/AB/CDEF.h5: copied
! cache: bad/AB/CDEF.h5: copied
! cache: new store at theirs
! cache: 2 files are not whole and were not copied

$ cache push there
! cache: no store; give --store DIR, or set KETLINE_STORE
? 2

$ cache pull nowhere --store mine
! cache: nowhere: cannot be opened: No such file or directory
? 66

$ cache push --store mine
! cache: found 0 places, expected one: a folder, or NAME:PATH; see --help
? 2

$ cache pull a:b --store c:d
! cache: a:b, c:d: one of the two must be a folder here
? 2
