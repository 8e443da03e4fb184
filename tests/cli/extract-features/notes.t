# What an input says of itself that is seldom meant: labels that count from 1, or with a number for no class.
$ e='extract-features -w '$DATA/backbone/resnet18-gray28-f16.safetensors' --resize 28 -o x.h5 -f -t layer1'
+ idx() { printf '\0\0\10\3\0\0\0\4\0\0\0\1\0\0\0\1abcd' > $1-images-idx3-ubyte; printf "\0\0\10\1\0\0\0\4$2" > $1-labels-idx1-ubyte; }
+ for l in '\0\1\2\1' '\1\2\3\1' '\0\377\1\2' '\0\3\1\1' '\5\5\5\5'; do idx a "$l"; $e a-images-idx3-ubyte -q; $e a-images-idx3-ubyte > out || cat out; echo -- >&2; done
! --
! extract-features: labels from 1 to 3: class 0 has no image; labels count from 0
! --
! extract-features: labels up to 255: 252 of these 256 classes have no image (first: 3)
! --
! extract-features: labels up to 3: 1 of these 4 classes has no image (first: 2)
! --
! extract-features: labels up to 5: 5 of these 6 classes have no image (first: 0)
! --

# 12 bits of a camera in PNG of 16: PIL and torchvision have such pictures nearly black too. Bright ones are silent.
$ mkdir -p d/a d/b; cat > png.py <<'P'
+ import struct, sys, zlib
+ def chunk(name, data):
+     return struct.pack('>I', len(data)) + name + data + struct.pack('>I', zlib.crc32(name + data))
+ path, most = sys.argv[1], int(sys.argv[2])
+ rows = b''.join(b'\0' + struct.pack('>4H', *(most * (4 * y + x) // 15 for x in range(4))) for y in range(4))
+ open(path, 'wb').write(b'\x89PNG\r\n\x1a\n' + chunk(b'IHDR', struct.pack('>IIBBBBB', 4, 4, 16, 0, 0, 0, 0)) + chunk(b'IDAT', zlib.compress(rows)) + chunk(b'IEND', b''))
+ P
+ e='extract-features --resize 28 -o x.h5 -f -t layer1'
+ n=4095; for f in a/1 a/2 b/1; do python3 png.py d/$f.png $n; n=$((n - 500)); done; $e d > out; python3 png.py d/b/1.png 65535; $e d > out
! extract-features: 3 of 3 images are nearly black, with no pixel above 63 of 255: if fewer bits are used, as 12 of 16, or 0 and 1, scale the pixels first
