# A folder that cannot be listed, as a disk's lost+found for users, stops nothing: the rest is seen to, the folder named, the
# status 74. Root may read everything, unless that right is taken away.
% need setpriv
~ s/\b[0-9a-f]{12}\b/HEX12/g

$ printf '%s\n' 'r=-dac_override,-dac_read_search' \
+ '[ $(id -u) != 0 ] || set -- setpriv --bounding-set=$r --inh-caps=$r "$@"' 'exec "$@"' > user
+ mkdir -p d/b d/m d/n d/z
+ extract-features $DATA/digits/test-images-idx3-ubyte --resize 28 --limit 8 -q --no-provenance -o d/z/new.h5
+ for f in d/b/old.h5 d/m/old.h5; do cp d/z/new.h5 $f; touch -d '100 days ago' $f; done; chmod 0 d/m

$ sh user cache list d | grep -v ^kind
> features          HEX12   # bytes        8  extract-features 0.2.0   d/b/old.h5
> features          HEX12   # bytes        8  extract-features 0.2.0   d/z/new.h5
! cache: d/m: cannot be listed: Permission denied

$ sh user cache list d --json | jq -c '[.path, .whole]'
> ["d/b/old.h5",true]
> ["d/z/new.h5",true]
! cache: d/m: cannot be listed: Permission denied

$ sh user cache fsck d
! cache: d/m: cannot be listed: Permission denied
? 74

# Of several the first, and how many.
$ chmod 0 d/n; sh user cache fsck d; chmod 700 d/n
! cache: d/m: cannot be listed: Permission denied; and 1 more

# The folder that was named is another matter.
$ sh user cache list d/m
! cache: d/m: cannot be listed: Permission denied
? 66

# What cannot be seen is left, and changes nothing of the rest.
$ sh user cache gc d
> d: nothing to remove; 1 folder was not seen through
! cache: d/m: cannot be listed: Permission denied
? 74

$ touch -d '100 days ago' d/b/old.h5 # to look is to use
+ sh user cache gc d --older-than 30 --apply | sed 's/[0-9]* bytes/N bytes/g'; chmod 700 d/m; ls d/*; chmod 0 d/m
> removed d/b/old.h5 (unused for longer than asked for, N bytes)
> d: 1 file, N bytes removed; 1 folder was not seen through
> d/b:
>
> d/m:
> old.h5
>
> d/n:
>
> d/z:
> new.h5
! cache: d/m: cannot be listed: Permission denied

# The answer of fsck is no, whatever lies there.
$ head -c 5000 d/z/new.h5 > d/b/cut.h5; sh user cache fsck d | cut -c1-10
> kind
> not whole
! cache: d/m: cannot be listed: Permission denied
! cache: d: 1 file is not whole; --repair puts it aside

$ mkdir -p store/m to
+ extract-features $DATA/digits/test-images-idx3-ubyte --resize 28 --limit 8 -q --no-provenance --store store -o new.h5
+ chmod 0 store/m; sh user cache push -q to --store store; echo $?; chmod 700 store/m d/m; find to -name '*.h5' | wc -l
> 74
> 1
! cache: store/m: cannot be listed: Permission denied

# A folder that may be listed and not looked into is no folder without files, at whatever depth.
$ rm d/b/cut.h5; chmod 700 d/m; head -c 5000 d/z/new.h5 > d/m/cut.h5; touch d/m/more.h5; chmod 444 d/m; sh user cache fsck d; sh user cache list d/m
! cache: d/m: cannot be looked into: Permission denied
! cache: d/m: cannot be looked into: Permission denied
? 74
$ sh user cache gc d
> d: nothing to remove; 1 folder was not seen through
! cache: d/m: cannot be looked into: Permission denied
? 74
$ mkdir there; sh user cache push --store d there; chmod 700 d/m
> there: 0 files copied, 0 there already
! cache: d/m: cannot be looked into: Permission denied

# A file that cannot be read is no damaged one.
$ mkdir f; cp new.h5 f/a.h5; cp new.h5 f/b.h5; chmod 0 f/a.h5; sh user cache list f | grep -v ^kind | sed "s,  .*  , ,"
> not read f/a.h5: cannot be opened: Permission denied
> features f/b.h5
$ sh user cache fsck f --repair >log; echo $?; ls f
> 74
> a.h5
> b.h5
! cache: f: 1 file cannot be read
$ head -c 5000 new.h5 >f/b.h5; sh user cache fsck f >log
! cache: f: 1 file cannot be read
! cache: f: 1 file is not whole; --repair puts it aside
? 1

# However deep a file lies.
$ deep=deep$(printf '/f%.0s' $(seq 40)); mkdir -p $deep; head -c 5000 new.h5 >$deep/cut.h5; cp new.h5 $deep/old.h5
+ cache fsck deep >log; echo $?; touch -d '100 days ago' $deep/old.h5; cache gc deep --older-than 30 --apply | grep -c old.h5; ls $deep
> 1
> 1
> cut.h5
! cache: deep: 1 file is not whole; --repair puts it aside
