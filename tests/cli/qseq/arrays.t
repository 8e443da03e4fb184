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

# NumPy's and MATLAB's arrays in any order, text labels and people, columns, one-hot rows; (windows, steps, channels) is asked about.
$ python3 -c '
+ import struct
+ def npy(name, descr, shape, data, fortran=False):
+     head = repr({"descr": descr, "fortran_order": fortran, "shape": shape}).encode().ljust(117) + b"\n"
+     open(name + ".npy", "wb").write(b"\x93NUMPY\x01\x00" + struct.pack("<H", 118) + head + data)
+ n = [float(i) for i in range(24)]
+ npy("c", "<f8", (4, 2, 3), struct.pack("<24d", *n))
+ npy("f", ">f4", (4, 2, 3), struct.pack(">24f", *[6 * i + 3 * j + k for k in range(3) for j in range(2) for i in range(4)]), True)
+ npy("x4", "<f8", (4, 1, 2, 3), struct.pack("<24d", *n))
+ npy("last", "<f8", (4, 3, 2), struct.pack("<24d", *n))
+ npy("text", "<U5", (4,), "".join(t.ljust(5, chr(0)) for t in ("right", "left", "right", "left")).encode("utf-32-le"))
+ npy("column", "|b1", (4, 1), bytes([1, 0, 1, 0]))
+ npy("hot", "|u1", (4, 2), bytes([0, 1, 1, 0, 0, 1, 1, 0]))
+ npy("events", "<i4", (4, 3), struct.pack("<12i", 10, 0, 1, 20, 0, 2, 30, 0, 1, 40, 0, 2))
+ npy("objects", "|O", (4,), b"pickle")
+ npy("half", "<f4", (4,), struct.pack("<4f", 0.5, 1, 1, 0))'
$ for y in text column hot; do qseq windows c.npy --labels-of $y.npy --subjects-of text.npy -f -o $y.h5; done
> text.h5: 4 windows of 2 channels and 3 steps: 2 left, 2 right; 2 recordings of 2 people; # s
> column.h5: 4 windows of 2 channels and 3 steps: 2 0, 2 1; 2 recordings of 2 people; # s
> hot.h5: 4 windows of 2 channels and 3 steps: 2 0, 2 1; 2 recordings of 2 people; # s
$ for x in c f; do qseq windows $x.npy --subject one -q -o $x.h5; h5dump -d x $x.h5 | sed -n '/DATA {/,/^   }/p' >$x.txt; done; cmp c.txt f.txt && wc -l <c.txt
> 14
$ qseq windows last.npy -f -o w.h5
> w.h5: 4 windows of 3 channels and 2 steps; 1 recording of 1 person; # s
! qseq: last.npy: 3 channels of 2 steps: more channels than steps; of an array of (windows, steps, channels) save x.transpose(0, 2, 1)
$ qseq windows x4.npy -o v.h5
! qseq: x4.npy: found (4, 1, 2, 3), expected (windows, channels, steps); save x.squeeze() if an axis of 1 is of filters, as of EEGNet's inputs
? 65
$ qseq windows c.npy --labels-of events.npy -o v.h5
! qseq: events.npy: found the shape (4, 3), expected (4,), one number or text a window, or rows of zeros with a one; save one column, events[:, 2] of MNE's events
? 65
$ qseq windows c.npy --labels-of objects.npy -o v.h5
! qseq: objects.npy: found dtype |O (Python objects, which only running a pickle could read), expected numbers of up to 64 bits or texts; save a.astype('f8') or a.astype(str)
? 65
$ qseq windows c.npy --labels-of half.npy -o v.h5
! qseq: half.npy: number 0 is 0.5, expected a whole one
? 65
$ for x in arrays.h5:lzf arrays.h5:through arrays.h5:matlab two.npz:x; do qseq windows $ROOT/tests/golden/arrays/$x --subject one -q -f -o w.h5; h5dump -d x w.h5 | grep -c '(1,1,0): 110, 111, 112, 113'; done
> 1
> 1
> 1
> 1
$ cd $ROOT/tests/golden/arrays; for x in arrays.h5:external arrays.h5:scaled old.mat:x; do qseq windows $x -o $HOME/v.h5; done
! qseq: arrays.h5: dataset external: a link to /a of another file, 'other.h5'; give that file
! qseq: arrays.h5: dataset scaled: compressed by a filter that is not read, number 6 (scaleoffset), expected gzip or lzf, with shuffle or fletcher32; write it again with compression='gzip'
! qseq: old.mat: of MATLAB before version 7.3, no HDF5; in MATLAB save('F.mat', 'x', '-v7.3'), in Python numpy.save('x.npy', scipy.io.loadmat('F.mat')['x'])
? 65
