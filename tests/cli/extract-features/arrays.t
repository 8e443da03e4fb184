# Arrays of other programs as features: NumPy's two files, .npz, HDF5 of floats; their scale as scikit-learn's StandardScaler makes it.
% need python3
$ cat >make.py <<'END'
+ import h5py, numpy as np
+ r = np.random.default_rng(1)
+ x, y = r.normal(3, 5, (60, 7)), r.integers(0, 3, 60)
+ x[:, 4] = 2
+ np.save("x.npy", x), np.save("y.npy", y), np.save("xf.npy", np.asfortranarray(x.astype(">f4")))
+ np.savez("both.npz", x=x, y=np.array(["low", "middle", "high"])[y]), np.save("x3.npy", x.reshape(60, 7, 1)), np.save("y2.npy", y[:59])
+ bad = x.copy(); bad[5, 2] = np.inf; np.save("bad.npy", bad)
+ h5py.File("both.h5", "w").update({"emb": x.astype("f4"), "target": y})
+ END
+ cat >check.py <<'END'
+ import h5py, numpy as np, sys
+ x = np.load("x.npy"); sd = x.std(0); sd[4] = np.inf
+ f = h5py.File(sys.argv[1]); rows = f["index"][:]; train = h5py.File(sys.argv[2])["index"][:] if len(sys.argv) > 2 else rows
+ sd = x[train].std(0); sd[4] = np.inf
+ print(np.abs(f["features"][:] - (x[rows] - x[train].mean(0)) / sd).max() < 2e-6, (f["labels"][:] == np.load("y.npy")[rows]).all())
+ END
+ $KETLINE_PYTHON make.py
$ extract-features x.npy --label y.npy -o a.h5; extract-features xf.npy --label y.npy -q -o b.h5; extract-features both.npz:x --label y -o c.h5; extract-features both.h5:emb --label target -q -o d.h5
> a.h5: 60 rows of 7 columns; classes 0: 23, 1: 22, 2: 15; scale: standard, of 60 rows (fbe0ce1addd6)
> c.h5: 60 rows of 7 columns; classes high: 15, low: 23, middle: 22; scale: standard, of 60 rows (fbe0ce1addd6)
! extract-features: x.npy: 1 of 7 columns do not vary in the rows that train, and are 0
! extract-features: both.npz:x: 1 of 7 columns do not vary in the rows that train, and are 0
$ for f in a b d; do $KETLINE_PYTHON check.py $f.h5; done
> True True
> True True
> True True
$ for p in train test; do extract-features x.npy --label y.npy --split $p --test-fraction 0.25 --seed 5 -q -o $p.h5; $KETLINE_PYTHON check.py $p.h5 train.h5; done
> True True
> True True
$ extract-features x.npy --label none --like train.h5 -q -o all.h5; $KETLINE_PYTHON -c 'import h5py; print(h5py.File("all.h5")["labels"][:3], "class_names" in h5py.File("all.h5"))'
> [-1 -1 -1] False
$ qtrain train.h5 --epochs 3 -q -o head.h5 2>/dev/null; qeval head.h5 test.h5 -q -o r.h5 2>/dev/null; cache show r.h5 | grep -c accuracy
> 3
$ bad() { extract-features "$@" -o bad.h5; }; bad x3.npy --label y.npy; bad x.npy --label y2.npy; bad bad.npy --label y.npy; bad x.npy --label y.npy --columns 1,2; bad both.npz --label y; bad both.h5:nix --label target; bad both.h5:emb
! extract-features: x3.npy: found 3 axes, expected real numbers (rows, columns)
! extract-features: y2.npy: found 59 classes, expected one for each of 60 rows
! extract-features: bad.npy: row 5, column 2 (from 0): found inf, expected a finite number; leave such rows out before
! extract-features: --columns: x.npy has no named columns; save what is wanted of the array
! extract-features: both.npz: holds several: x, y; name one as both.npz:NAME
! extract-features: both.h5: dataset nix: absent, or not a plain dataset; there are emb, target
! extract-features: both.h5: dataset emb: expected uint8 of shape (n, h, w) or (n, h, w, c); vectors of numbers take --label DATASET
? 65
