# What stands where the result is to go: inputs, files of others and of another kind are not replaced.
$ D=$DATA/digits; extract-features $D/test-images-idx3-ubyte --resize 28 --limit 96 -q -o f.h5
+ qtrain f.h5 --epochs 1 -q -o h.h5; cp h.h5 kept.h5; cp $D/test-images-idx3-ubyte images; echo notes >notes.h5
+ sha256sum f.h5 kept.h5 images notes.h5 >before

$ qtrain f.h5 --epochs 1 -o f.h5
! qtrain: f.h5: is an input; give another name
? 2
$ qtrain f.h5 --epochs 1 -o ./f.h5 --force
! qtrain: ./f.h5: is an input; give another name
? 2
$ extract-features images --labels none -o images --force
! extract-features: images: is an input; give another name
? 2
$ qtrain f.h5 --epochs 1 -o notes.h5
! qtrain: notes.h5: was not written by ketline; give another name, or --force to replace it
? 2
$ extract-features images --labels none -o kept.h5
! extract-features: kept.h5: holds a file of kind 'head', which one of kind 'features' would replace; give another name, or --force to replace it
? 2
$ qeval h.h5 f.h5 -o kept.h5
! qeval: kept.h5: holds a file of kind 'head', which one of kind 'report' would replace; give another name, or --force to replace it
? 2

$ sha256sum --quiet -c before && ls -A
> before
> f.h5
> h.h5
> images
> kept.h5
> notes.h5

# A file that another program wrote with HDF5 is no damaged one of ours.
$ h5copy -i f.h5 -o other.h5 -s features -d features && qtrain f.h5 --epochs 1 -o other.h5
! qtrain: other.h5: was not written by ketline; give another name, or --force to replace it
? 2

# Replaced: nothing in it, a rest of one of ours, on demand.
$ for size in 0 100 5000; do head -c $size h.h5 >rest.h5; qtrain f.h5 --epochs 1 -o rest.h5 -q; cache verify rest.h5; done
> rest.h5: whole
> rest.h5: whole
> rest.h5: whole
$ qeval h.h5 f.h5 -o kept.h5 --force -q && cache list kept.h5 | tail -1 | cut -c 1-6
> report

# Shards are inputs as well.
$ for i in 0 1; do extract-features images --labels none --shard $i/2 -q -o $i.h5; done; cache merge 0.h5 1.h5 -o 0.h5
! cache: 0.h5: is an input; give another name
? 2
$ cache merge 0.h5 1.h5 -o h.h5
! cache: h.h5: holds a file of kind 'head', which one of kind 'features' would replace; give another name, or --force to replace it
? 2
$ cache merge 0.h5 1.h5 -o all.h5
> all.h5: merged from 2 shards

# HDF5 under a name that says something else is refused before anything is computed.
$ for e in csv json npz; do qtrain f.h5 --epochs 1 -q -o p.$e; done; qtrain f.h5 --epochs 1 -q --no-controls --force -o p.csv && cache verify p.csv
> p.csv: whole
! qtrain: p.csv: -o writes HDF5, which no .csv is; name it p.h5, or give --force
! qtrain: p.json: -o writes HDF5, which no .json is; name it p.h5, or give --force
! qtrain: p.npz: -o writes HDF5, which no .npz is; name it p.h5, or give --force
