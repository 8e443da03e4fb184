# Of images whose middle was taken the middle is drawn: a white border, which no network has seen, is not.
$ w() { head -c $1 /dev/zero | tr '\0' '\377'; }; z() { head -c $1 /dev/zero; }
+ framed() { w 72; for i in $(seq 32); do w 2; z 32; w 2; done; w 72; }
+ for s in a b; do printf '\0\0\10\3\0\0\0\10\0\0\0\44\0\0\0\44' > $s-images-idx3-ubyte; printf '\0\0\10\1\0\0\0\10\0\1\0\1\0\1\0\1' > $s-labels-idx1-ubyte; done
+ for i in $(seq 8); do framed; done >> a-images-idx3-ubyte; z $((8 * 36 * 36)) >> b-images-idx3-ubyte
+ for s in a b; do extract-features $s-images-idx3-ubyte -q --resize 36 --crop 28 -o $s.h5; done; h5diff a.h5 b.h5 /features && echo equal
+ qtrain a.h5 -q --epochs 1 --no-controls --val-fraction 0 -o head.h5
+ for s in a b; do qeval head.h5 $s.h5 -q -o $s-report.h5; figures $s-report.h5 --images $s-images-idx3-ubyte --figure samples -o $s.svg; done; cmp <(sed /^.desc/d a.svg) <(sed /^.desc/d b.svg)
> equal
> a.svg: 1 figure in 1 file, 1 written
> b.svg: 1 figure in 1 file, 1 written
