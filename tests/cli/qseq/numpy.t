# NumPy's arrays in any order of bytes and axes, of any kind of number, give the windows of the plain one; texts name classes and people.
% need /usr/bin/python3
$ /usr/bin/python3 - <<'END'
+ import numpy as np
+ g = np.random.RandomState(0)
+ X = (g.randn(12, 3, 32) * 20).astype('f4').round(1)
+ kinds = {'plain': X, 'fortran': np.asfortranarray(X), 'big': X.astype('>f4'), 'bigdouble': X.astype('>f8'), 'kernels': X[:, None], 'last': X[..., None]}
+ for n, v in kinds.items(): np.save(n, v)
+ for d in ('<i2', '>i2', '<i4', '>i8', '|i1', '<u2', '>u4', '<u8', '|u1', '<f2', '>f2'): np.save('k' + d[1:] + '<>|'.index(d[0]).__str__(), np.abs(np.clip(X, -99, 99)).astype(d))
+ y = np.arange(12) % 3 // 2
+ np.save('y', y); np.save('yt', np.where(y, 'rechts, ü', 'links')); np.save('yb', np.where(y, b'r', b'l')); np.save('yc', y[:, None]); np.save('yB', y.astype(bool)); np.save('y>', y.astype('>i4')); np.save('y>U', np.where(y, 'r', 'l').astype('>U1'))
+ np.save('yo', np.where(y, 'r', 'l').astype(object)); np.save('y1', np.eye(2)[y]); np.save('who', np.array(['sub-%d' % (i // 4) for i in range(12)])); np.save('few', np.array(['a', 'b'])); np.save('blank', np.array(['a', ''] * 6)); np.save('XT', X.transpose(0, 2, 1)); np.save('five', X[None, :, None])
+ END
$ content() { qseq windows -q "$@" --subject Ann -f -o n.h5 && cache show n.h5 --json | jq -r .content; }; for x in fortran big bigdouble kernels last; do [ $(content $x.npy --labels-of y.npy) = $(content plain.npy --labels-of y.npy) ] && echo $x; done
> fortran
> big
> bigdouble
> kernels
> last
$ for k in i20 i21 i40 i81 i12 u20 u41 u80 u12 f20 f21; do qseq windows -q k$k.npy --subject Ann -f -o n.h5 && /usr/bin/python3 -c "import h5py, numpy as np; x = h5py.File('n.h5')['x'][:]; print('$k', np.abs(x - np.load('k$k.npy')).max())"; done
> i20 0.0
> i21 0.0
> i40 0.0
> i81 0.0
> i12 0.0
> u20 0.0
> u41 0.0
> u80 0.0
> u12 0.0
> f20 0.0
> f21 0.0
$ for y in y yc yB 'y>' yt yb 'y>U'; do qseq windows plain.npy --labels-of "$y.npy" --subject Ann -f -o n.h5 | sed 's/; [0-9.]* s$//'; done; qseq windows plain.npy --labels-of yt.npy --subjects-of who.npy --classes a,b -f -o n.h5 | sed 's/; [0-9.]* s$//'
> n.h5: 12 windows of 3 channels and 32 steps: 8 0, 4 1; 1 recording of 1 person
> n.h5: 12 windows of 3 channels and 32 steps: 8 0, 4 1; 1 recording of 1 person
> n.h5: 12 windows of 3 channels and 32 steps: 8 0, 4 1; 1 recording of 1 person
> n.h5: 12 windows of 3 channels and 32 steps: 8 0, 4 1; 1 recording of 1 person
> n.h5: 12 windows of 3 channels and 32 steps: 8 links, 4 rechts, ü; 1 recording of 1 person
> n.h5: 12 windows of 3 channels and 32 steps: 8 l, 4 r; 1 recording of 1 person
> n.h5: 12 windows of 3 channels and 32 steps: 8 l, 4 r; 1 recording of 1 person
> n.h5: 12 windows of 3 channels and 32 steps: 8 a, 4 b; 3 recordings of 3 people
$ for y in yo y1 few blank; do qseq windows plain.npy --labels-of $y.npy --subject Ann -f -o n.h5; done
! qseq: yo.npy: an array of objects, which are pickles and not read; save y.astype(str), or numbers
! qseq: y1.npy: found the shape (12, 2), expected (12,), one number a window; save one column, events[:, 2] of MNE's events, y.argmax(axis=1) of one-hot rows
! qseq: few.npy: found 2 texts, expected 12, one a window
! qseq: blank.npy: a text is empty, expected a name for each window
? 65
$ qseq windows XT.npy --subject Ann -f -o n.h5 | sed 's|; [0-9.]* s$||'; qseq windows five.npy -f -o n.h5; qseq windows yt.npy -f -o n.h5
> n.h5: 12 windows of 32 channels and 3 steps; 1 recording of 1 person
! qseq: XT.npy: 32 channels of 3 steps: expected (windows, channels, steps); of (windows, steps, channels) save x.transpose(0, 2, 1)
! qseq: five.npy: found 5 dimensions, expected 1 to 3
! qseq: yt.npy: elements of type '<U9' are not read, expected numbers (f2 to f8, i1 to u8) or b1
? 65
