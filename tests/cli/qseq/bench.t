# rows for one thread and two, for every point of the grid; the file has them
$ qseq generate people -q --people 1 --channels 8 -o people && qseq windows -q people/*.edf -o w.h5
$ qseq bench w.h5 -g "model=means,twin batch-size=8,16" --seconds 0.01 -j 2 -o s.h5 | sed 1s/,.*// | cut -c 1-55
> 45 windows of 8 x 249
> model              qubits layers  batch  ranks  threads
> means                   -      -      8      1        1
> means                   -      -      8      1        2
> means                   -      -     16      1        1
> means                   -      -     16      1        2
> twin                    6      2      8      1        1
> twin                    6      2      8      1        2
> twin                    6      2     16      1        1
> twin                    6      2     16      1        2
$ qseq bench w.h5 -g "qubits=2,3 layers=1,3" --seconds 0.01 -j 1 --json | jq -c '.rows[] | [.model, .qubits, .layers, .batch, .ranks, .threads, .speed_up, .bytes_sent, .seconds > 0]'
> ["hydra",2,1,32,1,1,1,0,true]
> ["hydra",2,3,32,1,1,1,0,true]
> ["hydra",3,1,32,1,1,1,0,true]
> ["hydra",3,3,32,1,1,1,0,true]
$ cache show s.h5 | grep -c "float64  8"
> 4
$ figures s.h5 --figure scaling -o s.svg
> s.svg: 1 figure in 1 file, 1 written
$ qseq bench w.h5 -m eegnet --seconds 0.01 -j 2 -q -o s2.h5 && figures s.h5 s2.h5 --format svg -o both
> both: 1 figure in 1 file, 1 written

# it measures again, whatever table stands there, and without a grid what the options say
$ qseq bench w.h5 -b 8 --model means --seconds 0.01 -j 1 -o s.h5 | tail -1 | cut -c 1-55
> means                   -      -      8      1        1
$ figures s.h5 --figure scaling -f -o s.svg
! figures: s.h5: one thread alone was measured; give qseq bench --threads or --ranks
? 65
$ qseq bench w.h5 -m eegnet --seconds 0.01 -j 4 --json | jq -c '.rows | map(.threads)'
> [1,2,4]

# what cannot be, before anything is measured
$ echo mine >notes.txt; qseq bench w.h5 -m means -o notes.txt; qseq bench w.h5 -m means -o w.h5
! qseq: notes.txt: was not written by ketline; give another name, or --force to replace it
! qseq: w.h5: is an input; give another name
? 2
$ qseq bench w.h5 -m means -g batch-size=8,1000 --seconds 600
! qseq: batches of 1000: found 44 windows to train on; give more of them
? 65
$ qseq bench w.h5 -g "model=hydra,means qubits=3,4" --seconds 600
! qseq: --qubits: --model means has no such thing
? 2
$ qseq bench w.h5 -g lr=1e-3
! qseq: --grid: lr: no such option
? 2
$ qseq bench
! qseq: 0 inputs, expected WINDOWS.h5...; see qseq bench --help
? 2

# ranks that are not here, apart from what is measured
$ qseq bench w.h5 -m means -g batch-size=4,8,16 --seconds 0.01 -j 1 --forecast 2,8 -o f.h5 --json | jq -c '(.rows | length), [.forecast[] | [.batch, .ranks]], (.forecast | map(.fixed + .windows + .exchange | . > 0.999 and . < 1.001) | all), (.forecast_worst_error > 0)'
> 3
> [[8,2],[16,2]]
> true
> true
$ h5dump -d forecast/ranks f.h5 | grep '(0)'
>    (0): 2, 2
$ qseq bench w.h5 -m means --forecast 4,2
! qseq: --forecast: found '2', expected rising numbers of ranks from 2 to 4096, at most 16 of them: 2,4,8
? 2
