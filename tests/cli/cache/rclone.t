# push and pull through rclone: a remote of type alias is a folder here.
~ s#[0-9a-f]{2}/[0-9a-f]{62}#AB/CDEF#
% need rclone
$ D=$DATA/digits; for n in 20 30; do extract-features $D/test-images-idx3-ubyte --resize 28 --limit $n --store mine -q -o f$n.h5; done

$ : >none; export RCLONE_CONFIG=$PWD/none RCLONE_CONFIG_FAR_TYPE=alias RCLONE_CONFIG_FAR_REMOTE=$PWD/far
+ cache push far:stores/one --store mine; cache push far:stores/one --store mine; diff -r mine far/stores/one && echo same
> far:stores/one: 2 files copied, 0 there already
> far:stores/one: 0 files copied, 2 there already
> same
! cache: mine/AB/CDEF.h5: copied
! cache: mine/AB/CDEF.h5: copied

$ : >none; export RCLONE_CONFIG=$PWD/none RCLONE_CONFIG_FAR_TYPE=alias RCLONE_CONFIG_FAR_REMOTE=$PWD/far
+ cache pull far:stores/one --store theirs; cache pull far:stores/one --store theirs; diff -r mine theirs && echo same
> theirs: 2 files copied, 0 there already
> theirs: 0 files copied, 2 there already
> same
! cache: far:stores/one/AB/CDEF.h5: copied
! cache: far:stores/one/AB/CDEF.h5: copied
! cache: new store at theirs

# what is damaged does not arrive
$ : >none; export RCLONE_CONFIG=$PWD/none RCLONE_CONFIG_FAR_TYPE=alias RCLONE_CONFIG_FAR_REMOTE=$PWD/far
+ f=$(find far -name '*.h5' | sort | head -1); printf damaged! | dd of=$f bs=1 seek=5000 conv=notrunc status=none
+ rm -r theirs; cache pull far:stores/one --store theirs; s=$?; find theirs -name '*.h5' | wc -l; find theirs -type f | wc -l; exit $s
> theirs: 1 file copied, 0 there already
> 1
> 1
! cache: far:stores/one/AB/CDEF.h5: damaged: its metadata have another digest than when it was published; make it again
! cache: far:stores/one/AB/CDEF.h5: copied
! cache: new store at theirs
! cache: 1 file is not whole and was not copied
? 1

$ : >none; export RCLONE_CONFIG=$PWD/none RCLONE_CONFIG_FAR_TYPE=alias RCLONE_CONFIG_FAR_REMOTE=$PWD/far
+ cache pull far:elsewhere --store theirs 2>&1 | tail -1; cache pull unknown:elsewhere --store theirs 2>&1 | tail -1
> cache: far:elsewhere: rclone lsf ended with status 3
> cache: unknown:elsewhere: rclone lsf ended with status 1

$ PATH=$BUILD/bin cache push far:stores/two --store mine
! cache: rclone: not found; install it, or give a folder (a mounted one, for instance)
? 66
