# Arrays of one HDF5 file: which of them are the windows and which say what is part of the key.
% need h5import
$ for n in a b y; do [ $n = y ] && { rank=1 sizes=4; seq 1 4 >raw; } || { rank=3 sizes='4 2 3'; seq 1 24 >raw; }
+ printf 'PATH %s\nINPUT-CLASS TEXTIN\nINPUT-SIZE 32\nRANK %s\nDIMENSION-SIZES %s\n' $n $rank "$sizes" >conf; h5import raw -c conf -o two.h5 >/dev/null; done
$ key() { qseq windows "$@" --key; }
+ [ "$(key two.h5:a --labels-of y)" != "$(key two.h5:b --labels-of y)" ] && [ "$(key two.h5:a)" != "$(key two.h5:b)" ] && echo differ
> differ
$ qseq windows -q two.h5:a --labels-of y -o w.h5 && qseq windows -q two.h5:b --labels-of y -o w.h5 && cache show w.h5 | grep -c two.h5:b
> 1
$ qseq windows two.h5:a --labels-of z -o v.h5
! qseq: two.h5: dataset z: absent, or not a plain dataset; there are y, a, b
? 65
$ qseq windows two.h5:c -o v.h5
! qseq: two.h5: dataset c: absent, or not a plain dataset; there are y, a, b
? 65
