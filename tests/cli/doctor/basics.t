# What it finds differs from machine to machine: topics in their order.
$ doctor --no-bench | sed 's/ .*//' | grep . | uniq | grep -v advice
> processor
> threads
> memory
> GPU
> libraries
> store
> chains

# two seconds more: rates and forecasts; JSON, one line
$ doctor -j 1 --json | jq -c '[.rates.problem, (.rates.product_flops > 1e8), (.rates.peak_flops > 1e8),
+ (.rates.circuits_per_second | length), (.forecast_seconds | length), .broken, .threads.used, (.rates.normals_per_second > 1e6), (.chains_in_memory > 0)]'
> ["",true,true,2,8,0,1,true,true]

$ doctor -q --no-bench

# the folder is left as it was
$ ls -A

# A store that is not there yet is made by the first stage: what counts is the folder above it.
$ doctor --no-bench --store new --json | jq -c '.broken, .store.exists, .store.problem'; ls -A
> 0
> false
> ""
$ doctor --no-bench --store new/ | sed -n 's/^\(store .*it)\).*/\1/p'
> store       new/ (not there yet, the first stage makes it)
$ doctor --no-bench --store nowhere/new --json | jq -c '.broken, .store.problem, .rates'
> 1
> "store nowhere/new: neither it nor its folder exists; make one of them first"
> null
! doctor: 1 thing that is needed does not work: store nowhere/new: neither it nor its folder exists; make one of them first; give --store a folder where results can be written
$ doctor -q --no-bench --store nowhere/new
! doctor: 1 thing that is needed does not work: store nowhere/new: neither it nor its folder exists; make one of them first; give --store a folder where results can be written
? 1
$ touch file; doctor -q --no-bench --store file; echo $?; rm file; ln -s gone link; doctor -q --no-bench --store link
> 1
! doctor: 1 thing that is needed does not work: store file: found a file, expected a folder; give --store a folder where results can be written
! doctor: 1 thing that is needed does not work: store link: is a link to what does not exist; give --store a folder where results can be written
? 1

# what can be written only up to a size is found out, and nothing is left there
$ mkdir small; bash -c 'ulimit -f 1024; doctor -q --no-bench --store small'; ls -A small
! doctor: 1 thing that is needed does not work: small: no room can be reserved: File too large; give --store a folder where results can be written

$ KETLINE_ISA=base doctor --no-bench | grep -c 'kernels: base'
> 1

# a taskset is seen
$ taskset -c "$(taskset -cp $$ | grep -oE '[0-9]+' | tail -1)" doctor --no-bench --json | jq .threads.allowed,.threads.used
> 1
> 1

$ TOKEN=secret doctor --no-bench --bug-report > report.md; grep -c secret report.md; grep -oE '^(ketline|system|compiler|limits|store) ' report.md
> 0
> ketline
> system
> compiler
> limits
> store

$ grep -cE '^compiler .*(gcc|[Cc]lang) .*[0-9]' report.md
> 1

$ doctor --json --bug-report
! doctor: --json and --bug-report are two forms; give one
? 2

$ doctor here
! doctor: 1 input, expected none; 'here' is too many; see --help
? 2

$ doctor --no-bench > /dev/full
! doctor: standard output: No space left on device
? 74

# GPUs that the tools can use are measured, each; what fails there is said
$ export KETLINE_CUDA=$BUILD/tests/cuda/libketline-cuda.so; KETLINE_EMULATED_DEVICES=2 doctor -j 1 --json | jq -c '.gpu.usable, [.gpu.rates[] | .name, .free_memory > 1e9, (.circuits_per_second | map(. > 0)), .network_rows_per_second > 0, .windows_per_second > 0, .chain_steps_per_second > 0, .pulse_gradients_per_second > 0, .pulse_gradients_per_second_single > 0, .problem]'
> true
> ["cuda: emulated",true,[true,true],true,true,true,true,true,"","cuda: emulated 1",true,[true,true],true,true,true,true,true,""]
$ KETLINE_CUDA=$BUILD/tests/cuda/libketline-cuda.so KETLINE_EMULATED_FAIL=60 doctor -j 1 | grep ^BROKEN
> BROKEN      GPU 0, cuda: emulated: results from the GPU: CUDA says: emulated failure; --device cpu needs none
! doctor: 1 thing that is needed does not work: GPU 0, cuda: emulated: results from the GPU: CUDA says: emulated failure; --device cpu needs none
