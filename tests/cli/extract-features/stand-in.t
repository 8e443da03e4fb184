# A pointer of Git LFS, or a page, in a file's place: every reader says so.
$ printf 'version https://git-lfs.github.com/spec/v1\noid sha256:4d7a2146\nsize 46830571\n' > lfs
+ printf '<!DOCTYPE html>\n<html><head><title>404</title></head></html>\n' > html
+ cp $DATA/digits/test-images-idx3-ubyte i-images-idx3-ubyte; mkdir -p d/a
+ printf '%s\n' 'for k in lfs html; do cp $k "$1"; "${@:2}"; echo "$?"; done' > say

$ bash say w.pth extract-features i-images-idx3-ubyte --labels none -w w.pth -o o.h5
+ bash say w.safetensors qconvert w.safetensors --features o.h5 -o h.h5
> 65
> 65
> 65
> 65
! extract-features: w.pth: a pointer of Git LFS, not the file: git lfs pull
! extract-features: w.pth: an HTML page, not the file: fetch it again
! qconvert: w.safetensors: a pointer of Git LFS, not the file: git lfs pull
! qconvert: w.safetensors: an HTML page, not the file: fetch it again

$ bash say t-images-idx3-ubyte extract-features t-images-idx3-ubyte -o o.h5
+ bash say i-labels-idx1-ubyte extract-features i-images-idx3-ubyte -o o.h5
+ bash say t.h5 extract-features t.h5 -o o.h5
+ bash say t.h5 extract-features t.h5:images -o o.h5
+ bash say d/a/1.png extract-features d -o o.h5
> 65
> 65
> 65
> 65
> 65
> 65
> 65
> 65
> 65
> 65
! extract-features: t-images-idx3-ubyte: a pointer of Git LFS, not the file: git lfs pull
! extract-features: t-images-idx3-ubyte: an HTML page, not the file: fetch it again
! extract-features: i-labels-idx1-ubyte: a pointer of Git LFS, not the file: git lfs pull
! extract-features: i-labels-idx1-ubyte: an HTML page, not the file: fetch it again
! extract-features: t.h5: a pointer of Git LFS, not the file: git lfs pull
! extract-features: t.h5: an HTML page, not the file: fetch it again
! extract-features: t.h5: a pointer of Git LFS, not the file: git lfs pull
! extract-features: t.h5: an HTML page, not the file: fetch it again
! extract-features: d/a/1.png: a pointer of Git LFS, not the file: git lfs pull; --skip-bad leaves it out
! extract-features: d/a/1.png: an HTML page, not the file: fetch it again; --skip-bad leaves it out

$ bash say f.h5 qtrain f.h5 -o h.h5
+ bash say c.qasm circuit show --circuit-file c.qasm
+ bash say c.yaml qtrain --config c.yaml f.h5 -o h.h5
> 65
> 65
> 65
> 65
> 65
> 65
! qtrain: f.h5: a pointer of Git LFS, not the file: git lfs pull
! qtrain: f.h5: an HTML page, not the file: fetch it again
! circuit: c.qasm: a pointer of Git LFS, not the file: git lfs pull
! circuit: c.qasm: an HTML page, not the file: fetch it again
! qtrain: c.yaml: a pointer of Git LFS, not the file: git lfs pull
! qtrain: c.yaml: an HTML page, not the file: fetch it again

# An empty file, and one that begins with fewer bytes than any of these words.
$ : > e.h5; qtrain e.h5 -o h.h5
! qtrain: e.h5: is empty; make it again; expected 'features', which comes from extract-features
? 65
