# --device and --precision: what is said without a GPU; and with the kernels of a GPU on the CPU in its place (tests/cuda/emulated).
$ KETLINE_CUDA=/none.so extract-features $DATA/digits/test-images-idx3-ubyte -o x.h5 --device cuda
! extract-features: --device cuda: /none.so: cannot open shared object file: No such file or directory; 'make cuda' builds libketline-cuda.so beside the tools, KETLINE_CUDA names another place, --device cpu needs neither
? 75

$ extract-features $DATA/digits/test-images-idx3-ubyte -o x.h5 --precision tf32
! extract-features: --precision tf32: the CPU computes in fp32; give --device cuda, or no --precision
? 2

# fp32 is the same key on either device, the others are keys of their own.
$ d="$DATA/digits/test-images-idx3-ubyte --key -o x.h5"
+ key() { extract-features $d "$@"; }
+ [ $(key) = $(key --precision fp32) ] && [ $(key) = $(key --device cuda --precision fp32) ] && echo fp32
+ [ $(key --device cuda) = $(key --device cuda:1 --precision tf32) ] && echo tf32
+ for p in fp32 tf32 bf16 fp16; do key --device cuda --precision $p; done | sort -u | wc -l
> fp32
> tf32
> 4

% need $BUILD/tests/cuda/libketline-cuda.so
$ export KETLINE_CUDA=$BUILD/tests/cuda/libketline-cuda.so
+ CUDNN_HOME=/none extract-features $DATA/digits/test-images-idx3-ubyte -o x.h5 --device cuda
! extract-features: on a GPU other precisions than fp32 need cuDNN 9: no libcudnn.so.9 that can be loaded under /none; CUDNN_HOME names the folder that holds it in lib ('pip install nvidia-cudnn-cu13' brings one), --precision fp32 needs none
? 75

# Nor one of which another library is broken: it would end the process where it is first called, or, of those that came later, leave
# engines out.
$ export KETLINE_CUDA=$BUILD/tests/cuda/libketline-cuda.so; mkdir -p half/lib; cp $BUILD/tests/cuda/cudnn/lib/libcudnn.so.9 half/lib; echo no > half/lib/libcudnn_ops.so.9
+ CUDNN_HOME=half extract-features $DATA/digits/test-images-idx3-ubyte -o x.h5 --device cuda; echo $?; rm -r half
> 75
! extract-features: on a GPU other precisions than fp32 need cuDNN 9: no libcudnn.so.9 that can be loaded under half (WORK/half/lib/libcudnn_ops.so.9: file too short); CUDNN_HOME names the folder that holds it in lib ('pip install nvidia-cudnn-cu13' brings one), --precision fp32 needs none

$ export KETLINE_CUDA=$BUILD/tests/cuda/libketline-cuda.so; mkdir -p half/lib; cp $BUILD/tests/cuda/cudnn/lib/libcudnn.so.9 half/lib
+ for other in engines_tensor_ir ext; do echo no > half/lib/libcudnn_$other.so.9; CUDNN_HOME=half extract-features $DATA/digits/test-images-idx3-ubyte -o x.h5 --device cuda 2>&1 | grep -o '([^)]*)' | head -1; rm half/lib/libcudnn_$other.so.9; done; rm -r half
> (WORK/half/lib/libcudnn_engines_tensor_ir.so.9: file too short)
> (WORK/half/lib/libcudnn_ext.so.9: file too short)

# One that finds a library missing when it looks for algorithms: where, and which one.
$ export KETLINE_CUDA=$BUILD/tests/cuda/libketline-cuda.so CUDNN_HOME=half; mkdir -p half/lib; cp $BUILD/tests/cuda/cudnn/lib/libcudnn.so.9 half/lib
+ for each in graph ops cnn engines_precompiled engines_runtime_compiled heuristic; do cp half/lib/libcudnn.so.9 half/lib/libcudnn_$each.so.9; done
+ run() { KETLINE_EMULATED_CUDNN="$*" extract-features $DATA/digits/test-images-idx3-ubyte -o x.h5 --device cuda; echo $?; }
+ run no-library; run no-library old; rm half/lib/libcudnn_ops.so.9; run no-library old; rm -r half
> 75
> 75
> 75
! extract-features: taking the GPU: cuDNN says: CUDNN_STATUS_SUBLIBRARY_LOADING_FAILED: emulated; half/lib has no libcudnn_engines_tensor_ir.so.9: install cuDNN anew, or name another by CUDNN_HOME
! extract-features: taking the GPU: cuDNN says: CUDNN_STATUS_SUBLIBRARY_LOADING_FAILED: emulated; all of its libraries are in half/lib: install cuDNN anew, all of one version
! extract-features: taking the GPU: cuDNN says: CUDNN_STATUS_SUBLIBRARY_LOADING_FAILED: emulated; half/lib has no libcudnn_ops.so.9: install cuDNN anew, or name another by CUDNN_HOME

# Built without cudnn.h: the library is there, what other precisions than fp32 need is not.
$ KETLINE_CUDA=$BUILD/tests/cuda/without-cudnn/libketline-cuda.so extract-features $DATA/digits/test-images-idx3-ubyte -o x.h5 --device cuda
! extract-features: libketline-cuda.so was built without cuDNN, which other precisions than fp32 need; 'make cuda CUDNN_HOME=DIR' with cudnn.h in DIR/include builds it with, --precision fp32 needs none
? 75
$ ls x.h5
! ls: cannot access 'x.h5': No such file or directory
? 2

# fp32 needs no cuDNN: none is there, or the library was built without; the same bytes.
$ export KETLINE_CUDA=$BUILD/tests/cuda/libketline-cuda.so
+ own="-w $DATA/backbone/resnet18-gray28-f16.safetensors"
+ run() { CUDNN_HOME=/none extract-features $DATA/digits/test-images-idx3-ubyte --resize 8 --limit 10 --tap layer1 $own --no-provenance "$@" >> log; }
+ run --device cpu -o cpu.h5; run --device cuda --precision fp32 -o gpu.h5; h5diff -d 1e-5 cpu.h5 gpu.h5 /features && cmp -s cpu.h5 gpu.h5 || echo other bits
+ KETLINE_CUDA=$BUILD/tests/cuda/without-cudnn/libketline-cuda.so run --device cuda --precision fp32 -o without.h5; cmp gpu.h5 without.h5
+ rm log cpu.h5 gpu.h5 without.h5
> other bits

# Its features, and what the file says of them. A small GPU: half the batch, the same bytes.
$ export KETLINE_CUDA=$BUILD/tests/cuda/libketline-cuda.so CUDNN_HOME=$BUILD/tests/cuda/cudnn
+ own="-w $DATA/backbone/resnet18-gray28-f16.safetensors" # named, and so without a word on their size
+ run() { extract-features $DATA/digits/test-images-idx3-ubyte --resize 8 --limit 10 --tap layer1 $own "$@" > log; }
+ run --device cpu -o cpu.h5; run --device cuda --precision fp32 --no-provenance -o gpu.h5; h5diff -d 1e-5 cpu.h5 gpu.h5 /features
+ run --device cuda -o tf32.h5; h5diff -d 0.02 cpu.h5 tf32.h5 /features
+ h5diff -q -d 1e-5 cpu.h5 tf32.h5 /features || echo not as exact
+ for f in gpu tf32; do h5dump -A $f.h5 | grep -A 9 'ATTRIBUTE "precision"' | grep '"tf32"'; done
+ h5dump -d provenance tf32.h5 | grep -o '"device":"cuda: [^"]*"'
+ KETLINE_EMULATED_FAIL=40,m run --device cuda --precision fp32 --no-provenance -o small.h5; cmp gpu.h5 small.h5
+ KETLINE_EMULATED_DEVICES=2 run --device cuda:1 --precision fp32 --threads 2 --no-provenance -o second.h5; cmp gpu.h5 second.h5; rm second.h5
> not as exact
>          (0): "tf32"
> "device":"cuda: emulated"
! extract-features: the GPU's memory is too small for batches of 16 images: batches of 8

# A lost GPU: 75; what was done stays, and the same command goes on to the same bytes; so do shards.
~ s/found (2048|826) of/found N of/; s/(2048|826) are left/N are left/
$ export KETLINE_CUDA=$BUILD/tests/cuda/libketline-cuda.so CUDNN_HOME=$BUILD/tests/cuda/cudnn; d=$DATA/digits/train-images-idx3-ubyte
+ own="-w $DATA/backbone/resnet18-gray28-f16.safetensors"
+ run() { extract-features $d $d --resize 2 --tap layer1 $own --device cuda --no-provenance --progress none "$@" > log; }
+ run -o whole.h5; for k in 184 216; do KETLINE_EMULATED_FAIL=$k run -o lost.h5; echo $?; done
+ run -o lost.h5; cmp whole.h5 lost.h5; for i in 0 1 2; do run --shard $i/3 -o part$i.h5; done
+ cache merge part?.h5 --no-provenance -o merged.h5 > log; cmp whole.h5 merged.h5; ls -A | grep -v "part.[.]h5"
> 75
> 75
> cpu.h5
> gpu.h5
> log
> lost.h5
> merged.h5
> small.h5
> tf32.h5
> whole.h5
! extract-features: 2874 of 2874 images occur more than once (first: images 0 and 1437): where copies train and judge, accuracies are too high
! extract-features: capturing a batch: CUDA says: emulated failure
! extract-features: features: CUDA says: emulated failure
! extract-features: found N of 2874 images done by a run that was stopped; N are left
! extract-features: 2874 of 2874 images occur more than once (first: images 0 and 1437): where copies train and judge, accuracies are too high

# Weights with which maps go beyond FP16: at no tap features are written, though ReLU makes zeros of what comes of infinite ones.
# 0x7b00 is 57344 of FP16.
$ export KETLINE_CUDA=$BUILD/tests/cuda/libketline-cuda.so CUDNN_HOME=$BUILD/tests/cuda/cudnn; cp $DATA/backbone/resnet18-gray28-f16.safetensors large.safetensors
+ n=$(od -An -t u8 -N 8 large.safetensors); at=$(tail -c +9 large.safetensors | head -c $n | jq '."bn1.weight".data_offsets[0]')
+ for i in 1 2 3 4; do printf '\0\173'; done | dd of=large.safetensors bs=1 seek=$((8 + n + at)) conv=notrunc status=none
+ run() { extract-features $DATA/digits/test-images-idx3-ubyte --resize 8 --limit 10 -w large.safetensors --device cuda "$@"; }
+ run -q --tap layer1 -o tf32.h5 > log; echo $?
+ for t in layer1 layer2 layer3 layer4 avgpool; do run --tap $t --precision fp16 -o fp16.h5 > log; [ $? = 65 ] && echo $t; done
+ rm large.safetensors tf32.h5; ls -A | grep -c fp16; true
> 0
> layer1
> layer2
> layer3
> layer4
> avgpool
> 0
! extract-features: images 0 to 9: a feature is not a finite number: the weights may be too large for fp16; use --precision fp32, tf32 or bf16
! extract-features: images 0 to 9: a feature is not a finite number: the weights may be too large for fp16; use --precision fp32, tf32 or bf16
! extract-features: images 0 to 9: a feature is not a finite number: the weights may be too large for fp16; use --precision fp32, tf32 or bf16
! extract-features: images 0 to 9: a feature is not a finite number: the weights may be too large for fp16; use --precision fp32, tf32 or bf16
! extract-features: images 0 to 9: a feature is not a finite number: the weights may be too large for fp16; use --precision fp32, tf32 or bf16

# Weights that cannot be read, while a thread prepares the GPU.
$ export KETLINE_CUDA=$BUILD/tests/cuda/libketline-cuda.so CUDNN_HOME=$BUILD/tests/cuda/cudnn; echo no > bad.safetensors
+ extract-features $DATA/digits/test-images-idx3-ubyte -w bad.safetensors --device cuda -o x.h5; echo $?; rm bad.safetensors; ls -A | grep x.h5; true
> 65
! extract-features: bad.safetensors: neither a .safetensors file, nor an .npz archive of NumPy, nor a .pth archive of torch.save
