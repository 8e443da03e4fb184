# rows for one thread and two, for every point of the grid; the file has them
$ qseq generate people -q -n 1 --channels 8 -o people && qseq windows -q people/*.edf -o w.h5
$ qseq bench w.h5 -g "model=means,twin batch-size=8,16" --seconds 0.01 -j 2 --processors 2 -o s.h5 | sed 1s/,.*// | cut -c 1-48
> 45 windows of 8 x 249
> model              qubits  batch  ranks  threads
> means                   -      8      1        1
> means                   -      8      1        2
> means                   -     16      1        1
> means                   -     16      1        2
> twin                    -      8      1        1
> twin                    -      8      1        2
> twin                    -     16      1        1
> twin                    -     16      1        2
$ qseq bench w.h5 -g "qubits=2,3" --seconds 0.01 -j 1 --json | jq -c '.rows[] | [.model, .qubits, .batch, .ranks, .threads, .speed_up, .bytes_sent, .seconds > 0]'
> ["hydra",2,32,1,1,1,0,true]
> ["hydra",3,32,1,1,1,0,true]
$ cache show s.h5 | grep -c "float64  8"
> 3
$ figures s.h5 --figure scaling -o s.svg
> s.svg: 1 figure in 1 file, 1 written
# it measures again, whatever stands there
$ qseq bench w.h5 -g batch-size=8 --model means --seconds 0.01 -j 1 -o s.h5 | tail -1 | cut -c 1-48
> means                   -      8      1        1
$ figures s.h5 --figure scaling -f -o s.svg
! figures: s.h5: one thread alone was measured; give qseq bench --threads or --ranks
? 65
# two ranks: the table is one of both, and what they send is counted
$ qseq bench w.h5 -m means -g batch-size=4,8 --seconds 0.01 -j 1 --processors 2 --ranks 1/2 -o r.h5 & qseq bench w.h5 -m means -g batch-size=4,8 --seconds 0.01 -j 1 --processors 2 --ranks 0/2 -o r.h5 --json | jq -c '.rows[] | [.batch, .ranks, .bytes_sent > 0, .seconds_waited >= 0]'; wait
> [4,1,false,true]
> [8,1,false,true]
> [8,2,true,true]
! qseq: batches of 4 have 1 part: 2 ranks are left out
# what cannot be
$ qseq bench w.h5 -g batch-size=1000
! qseq: batches of 1000: found 44 windows; give more of them
? 65
$ qseq bench w.h5 --ranks 0/2
! qseq: --ranks: they meet beside the output; give -o SCALING.h5
? 2
$ qseq bench w.h5 --ranks 0/3 -o r.h5
! qseq: --ranks: 3 ranks, expected 1, 2, 4, ... up to the 64 parts of a step's gradient
? 2
$ qseq bench w.h5 -g lr=1e-3
! qseq: --grid: lr: no such option
? 2
$ qseq bench w.h5 -g model=means --qubits 4
! qseq: --qubits: --model means has no such thing
? 2
$ qseq bench
! qseq: 0 inputs, expected files of windows (qseq windows); see --help
? 2
