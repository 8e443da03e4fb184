# What is no file of ours in place of one.
$ extract-features -q $DATA/digits/test-images-idx3-ubyte --resize 28 --limit 32 -o f.h5
+ qtrain -q f.h5 -e 1 --no-controls -o h.h5; mkdir d d.json

# Images in place of their features, the likeliest: who makes these is said.
$ qtrain $DATA/digits/train-images-idx3-ubyte -o x.h5
! qtrain: ROOT/data/digits/train-images-idx3-ubyte: not an HDF5 file (its first eight bytes are others); expected 'features', which comes from extract-features
? 65
$ echo text > t; qeval t f.h5 -o x.h5
! qeval: t: not a ketline file: only 5 bytes; expected 'head', which comes from qtrain
? 65

# A folder, whatever file is expected: one message, one status.
$ i=$DATA/digits/test-images-idx3-ubyte
+ while read -r c; do { eval "$c"; echo $?; } </dev/null 2>&1 | paste -sd ' '; done <<'EOF'
+ qtrain d -o x.h5
+ qeval h.h5 d -o x.h5
+ qeval h.h5 f.h5 --compare d -o x.h5
+ qeval --verify d
+ figures d -o x
+ qconvert d -o x.npz
+ qconvert d --features f.h5 -o x.h5
+ cache show d
+ circuit show d
+ circuit show --circuit-file d
+ circuit show -c d
+ qtrain f.h5 --noise d.json -o x.h5
+ extract-features $i -w d -o x.h5
+ extract-features $i --labels d -o x.h5
+ EOF
> qtrain: d: is a folder, expected a file 66
> qeval: d: is a folder, expected a file 66
> qeval: d: is a folder, expected a file 66
> qeval: d: is a folder, expected a file 66
> figures: d: is a folder, expected a file 66
> qconvert: d: is a folder, expected a file 66
> qconvert: d: is a folder, expected a file 66
> cache: d: is a folder, expected a file 66
> circuit: d: is a folder, expected a file 66
> circuit: d: is a folder, expected a file 66
> circuit: d: is a folder, expected a file 66
> qtrain: d.json: is a folder, expected a file 66
> extract-features: d: is a folder, expected a file 66
> extract-features: d: is a folder, expected a file 66

# A pipe or a device where a reader goes back and forth.
$ i=$DATA/digits/test-images-idx3-ubyte
+ while read -r c; do { eval "$c"; echo $?; } </dev/null 2>&1 | paste -sd ' ' | sed 's,/dev/fd/[0-9]*,FD,'; done <<'EOF'
+ qtrain <(cat f.h5) -o x.h5
+ qconvert <(cat h.h5) -o x.npz
+ qconvert /dev/null --features f.h5 -o x.h5
+ extract-features <(cat $i) -o x.h5
+ extract-features $i -w /dev/null -o x.h5
+ extract-features $i --labels /dev/null -o x.h5
+ EOF
> qtrain: FD: is a pipe or a device, expected a file; write what it gives to one 66
> qconvert: FD: is a pipe or a device, expected a file; write what it gives to one 66
> qconvert: /dev/null: is a pipe or a device, expected a file; write what it gives to one 66
> extract-features: FD: is a pipe or a device, expected a file; write what it gives to one 66
> extract-features: /dev/null: is a pipe or a device, expected a file; write what it gives to one 66
> extract-features: /dev/null: is a pipe or a device, expected a file; write what it gives to one 66

# An empty circuit is none.
$ circuit show --circuit-file /dev/null
! circuit: /dev/null: is empty; expected a circuit in OpenQASM 3
? 65

# A variable that is not set, where a name belongs; an empty store is none.
$ for o in '-o' '--output=' '-o x.h5 --history' '-o x.h5 --circuit-file' '-o x.h5 --mlflow' '--config'; do case $o in *=) qtrain f.h5 $o ;; *) qtrain f.h5 $o '' ;; esac; done 2>&1; ls x.h5
> qtrain: -o: found an empty name, expected FILE; is a variable unset?
> qtrain: --output: found an empty name, expected FILE; is a variable unset?
> qtrain: --history: found an empty name, expected FILE; is a variable unset?
> qtrain: --circuit-file: found an empty name, expected FILE; is a variable unset?
> qtrain: --mlflow: found an empty name, expected DIR; is a variable unset?
> qtrain: --config: found an empty name, expected FILE; is a variable unset?
! ls: cannot access 'x.h5': No such file or directory
? 2
$ cache push '' --store store
! cache: argument 2 is empty; is a variable unset?
? 2
$ KETLINE_STORE=/proc/none extract-features $DATA/digits/test-images-idx3-ubyte --resize 28 --limit 32 --store '' --note '' -f -q -o f.h5

# An environment that asks for what is not known; help comes all the same.
$ KETLINE_ISA=avx5 qtrain f.h5 -o x.h5; KETLINE_ISA=avx5 qtrain --version | sed 's/ .*//'; KETLINE_ISA= cache show none.h5
> qtrain
! qtrain: KETLINE_ISA: found 'avx5', expected one of base|avx2|avx512; did you mean avx512?
! cache: none.h5: cannot be opened: No such file or directory
? 66
