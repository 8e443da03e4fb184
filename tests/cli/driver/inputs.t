# What is no file of ours in place of one.
$ extract-features -q $DATA/digits/test-images-idx3-ubyte --resize 28 --limit 32 -o f.h5
+ qtrain -q f.h5 -e 1 --no-controls -o h.h5; mkdir d d.json

# Images in place of their features, the likeliest: who makes these is said.
$ qtrain $DATA/digits/train-images-idx3-ubyte -o x.h5
! qtrain: ROOT/data/digits/train-images-idx3-ubyte: not an HDF5 file (its first eight bytes are others); expected 'features', which comes from extract-features
? 65
$ echo text > t; qeval t f.h5 -o x.h5
! qeval: t: not a ketline file: only 5 bytes; expected 'head', which comes from qtrain
? 65

# A folder, whatever file is expected: one message, one status.
$ i=$DATA/digits/test-images-idx3-ubyte
+ while read -r c; do { eval "$c"; echo $?; } </dev/null 2>&1 | paste -sd ' '; done <<'EOF'
+ qtrain d -o x.h5
+ qeval h.h5 d -o x.h5
+ qeval h.h5 f.h5 --compare d -o x.h5
+ qeval --verify d
+ figures d -o x
+ qconvert d -o x.npz
+ qconvert d --features f.h5 -o x.h5
+ cache show d
+ circuit show d
+ circuit show --circuit-file d
+ circuit show -c d
+ qtrain f.h5 --noise d.json -o x.h5
+ extract-features $i -w d -o x.h5
+ extract-features $i --labels d -o x.h5
+ EOF
> qtrain: d: is a folder, expected a file 66
> qeval: d: is a folder, expected a file 66
> qeval: d: is a folder, expected a file 66
> qeval: d: is a folder, expected a file 66
> figures: d: is a folder, expected a file 66
> qconvert: d: is a folder, expected a file 66
> qconvert: d: is a folder, expected a file 66
> cache: d: is a folder, expected a file 66
> circuit: d: is a folder, expected a file 66
> circuit: d: is a folder, expected a file 66
> circuit: d: is a folder, expected a file 66
> qtrain: d.json: is a folder, expected a file 66
> extract-features: d: is a folder, expected a file 66
> extract-features: d: is a folder, expected a file 66

# A pipe or a device where a reader goes back and forth.
$ i=$DATA/digits/test-images-idx3-ubyte
+ while read -r c; do { eval "$c"; echo $?; } </dev/null 2>&1 | paste -sd ' ' | sed 's,/dev/fd/[0-9]*,FD,'; done <<'EOF'
+ qtrain <(cat f.h5) -o x.h5
+ qconvert <(cat h.h5) -o x.npz
+ qconvert /dev/null --features f.h5 -o x.h5
+ extract-features <(cat $i) -o x.h5
+ extract-features $i -w /dev/null -o x.h5
+ extract-features $i --labels /dev/null -o x.h5
+ EOF
> qtrain: FD: is a pipe or a device, expected a file; write what it gives to one 66
> qconvert: FD: is a pipe or a device, expected a file; write what it gives to one 66
> qconvert: /dev/null: is a pipe or a device, expected a file; write what it gives to one 66
> extract-features: FD: is a pipe or a device, expected a file; write what it gives to one 66
> extract-features: /dev/null: is a pipe or a device, expected a file; write what it gives to one 66
> extract-features: /dev/null: is a pipe or a device, expected a file; write what it gives to one 66

# An empty circuit is none.
$ circuit show --circuit-file /dev/null
! circuit: /dev/null: is empty; expected a circuit in OpenQASM 3
? 65

# A variable that is not set, where a name belongs; an empty store is none.
$ for o in '-o' '--output=' '-o x.h5 --history' '-o x.h5 --circuit-file' '-o x.h5 --mlflow' '--config'; do case $o in *=) qtrain f.h5 $o ;; *) qtrain f.h5 $o '' ;; esac; done 2>&1; ls x.h5
> qtrain: -o: found '', expected FILE; is a variable unset?
> qtrain: --output: found '', expected FILE; is a variable unset?
> qtrain: --history: found '', expected FILE; is a variable unset?
> qtrain: --circuit-file: found '', expected FILE; is a variable unset?
> qtrain: --mlflow: found '', expected DIR; is a variable unset?
> qtrain: --config: found '', expected FILE; is a variable unset?
! ls: cannot access 'x.h5': No such file or directory
? 2
$ cache push '' --store store
! cache: argument 2 is empty; is a variable unset?
? 2
$ KETLINE_STORE=/proc/none extract-features $DATA/digits/test-images-idx3-ubyte --resize 28 --limit 32 --store '' --note '' -f -q -o f.h5

# An environment that asks for what is not known; help comes all the same.
$ KETLINE_ISA=avx5 qtrain f.h5 -o x.h5; KETLINE_ISA=avx5 qtrain --version | sed 's/ .*//'; KETLINE_ISA= cache show none.h5
> qtrain
! qtrain: KETLINE_ISA: found 'avx5', expected one of base|avx2|avx512|neon; did you mean avx512?
! cache: none.h5: cannot be opened: No such file or directory
? 66

# What YAML reads as nothing, or as true or false, is no name of a file and no widths.
$ for y in 'history: null' 'mlflow: false' 'history: ~' 'reduction:' 'classifier:'; do echo "$y" > c.yaml; qtrain f.h5 -c c.yaml -e 1 --no-controls -q -o y.h5; done 2>&1; ls null false '~' y.h5 2>/dev/null
> qtrain: c.yaml:1: mlflow: found false, expected DIR; put a text in quotes, 'false', or take the line out
> qtrain: c.yaml:1: reduction: found no value, expected WIDTHS (hidden widths before the circuit; none); without the line it is '128,32'
> qtrain: c.yaml:1: classifier: found no value, expected WIDTHS (hidden widths after it; none); without the line it is '16'
> y.h5
? 2
$ qtrain f.h5 --reduction '' -e 1 -o y.h5
! qtrain: --reduction: found '', expected WIDTHS; is a variable unset?
? 2

# getopt's and argparse's -o=NAME; a name that is two lines.
$ qtrain f.h5 -e 1 -o=y.h5
! qtrain: -o: found '=y.h5' after the letter; write -o y.h5 or --output=y.h5
? 2
$ qtrain f.h5 -e 1 -o $'y\n.h5'
! qtrain: -o: found a line break or another control character in 'y?.h5'
? 2

# One spelling of a number: that of its key.
$ for n in ' 5' +5 0x5 5e0; do qtrain f.h5 -e 1 --shots "$n" --key; qtrain f.h5 -e 1 --noise depolarizing=0.1 --trajectories "$n" --key; done 2>&1
> qtrain: --shots: found ' 5', expected a whole number from 1 to 1000000000
> qtrain: --trajectories: found ' 5', expected a whole number from 1 to 1000000
> qtrain: --shots: found '+5', expected a whole number from 1 to 1000000000
> qtrain: --trajectories: found '+5', expected a whole number from 1 to 1000000
> qtrain: --shots: found '0x5', expected a whole number from 1 to 1000000000
> qtrain: --trajectories: found '0x5', expected a whole number from 1 to 1000000
> qtrain: --shots: found '5e0', expected a whole number from 1 to 1000000000
> qtrain: --trajectories: found '5e0', expected a whole number from 1 to 1000000
? 2

# A mistyped variable; a place of the data that is none.
$ KETLINE_SOTRE=s KETLINE_STORES=s ketline_isa=avx2 KETLINE_CACHE=x KETLINE_SMALL=1 qtrain f.h5 -e 1 --no-controls --key 2>&1 >/dev/null | LC_ALL=C sort -f
> qtrain: variable ketline_isa is not read; did you mean KETLINE_ISA?
> qtrain: variable KETLINE_SOTRE is not read; did you mean KETLINE_STORE?
> qtrain: variable KETLINE_STORES is not read; did you mean KETLINE_STORE?
$ KETLINE_SOTRE=s cache show f.h5 >/dev/null; KETLINE_SOTRE=s circuit qasm >/dev/null
! cache: variable KETLINE_SOTRE is not read; did you mean KETLINE_STORE?
! circuit: variable KETLINE_SOTRE is not read; did you mean KETLINE_STORE?
$ KETLINE_DATA=nowhere extract-features $DATA/digits/test-images-idx3-ubyte --resize 28 --limit 32 -o d.h5
! extract-features: KETLINE_DATA=nowhere: found no backbone/resnet18-gray28-f16.safetensors there, or none that can be read; unset it, or give --weights FILE
? 66
$ KETLINE_DATA= extract-features $DATA/digits/test-images-idx3-ubyte --resize 28 --limit 32 -o f.h5
> f.h5: up to date: 32 x 512 float32, # s (# images/s)

# A remark that comes too late is said to be lost; the same again is not.
$ qtrain f.h5 -e 1 --no-controls --note one -q -o n.h5
$ qtrain f.h5 -e 1 --no-controls --note one -o n.h5; qtrain f.h5 -e 1 --no-controls --note two -o n.h5; cache log n.h5 | grep -c two
> n.h5: up to date: 1 epoch, val accuracy 0.0000 (best epoch 1), # s, # s/epoch
> n.h5: up to date: 1 epoch, val accuracy 0.0000 (best epoch 1), # s, # s/epoch
> 0
! qtrain: only 3 validation samples: by them the epoch is chosen and accuracies are given, too few to tell heads apart; give more samples, or a larger --val-fraction
! qtrain: --note is not kept: n.h5 is up to date, with the record of the run that wrote it
! qtrain: only 3 validation samples: by them the epoch is chosen and accuracies are given, too few to tell heads apart; give more samples, or a larger --val-fraction
? 1

# What is asked of the wrong half of a tool, or of images and a table at once.
$ W=$DATA/wine/wine.csv; extract-features $W --label cultivar --resize 28 -o x.h5; extract-features $W --labels cultivar -o x.h5; figures $W -o x
+ extract-features $W --label cultivar -q -o w.h5; qtrain -q --no-controls --epochs 2 --qubits 2 w.h5 -o a.h5 2>log; extract-features $DATA/digits/test-images-idx3-ubyte -q -o i.h5
+ qeval a.h5 i.h5; qeval --predict a.h5 $W -o x.h5; qsweep w.h5 --grid learningrate=0.1,0.2 -o x.h5; echo '{}' >truth.json; qseq windows truth.json -o x.h5; ls x*
! extract-features: --resize: belongs to extract-features without --label (extract-features --help)
! extract-features: cultivar: cannot be opened: No such file or directory (--labels; a table's column of classes is --label)
! figures: ROOT/data/wine/wine.csv: not an HDF5 file (its first eight bytes are others); figures draws files that ketline's tools wrote
! qeval: i.h5: has features of images, a.h5 was trained on those of a table: give it those
! qeval: ROOT/data/wine/wine.csv: not an HDF5 file (its first eight bytes are others); expected 'features', which comes from extract-features
! qsweep: --grid: learningrate: no such option; did you mean lr?
! qseq: truth.json: no EDF or BDF file: 3 bytes, its header alone has 256; give the recording that it describes
! ls: cannot access 'x*': No such file or directory
? 2

# A command, or the value of a choice, that is mistyped: named before the options, which are the command's; no word is forced on what is like none.
$ qcontrol optimise --gate x -o x.h5; qseq trian w.h5 --model hydra -o m.h5; qcontrol -q optimize -o x.h5; cache psuh store; cache ls; qtrain w.h5 --optimizer adm -o h.h5; qcontrol optimize --functions splinse -o x.h5; qcontrol optimize --system transmn -o x.h5; qtrain w.h5 --optimizer lion -o h.h5
! qcontrol: found 'optimise', expected optimize|lookup|budget|export|score|train|regret|import|noise|bench; did you mean optimize? (see --help)
! qseq: found 'trian', expected inspect|windows|generate|forrelation|train|sweep|fit|eval|predict|compare|bench; did you mean train? (see --help)
! qcontrol: found 'optimize' behind options, expected it as the first word
! cache: found 'psuh', expected list|show|log|diff|verify|merge|gc|fsck|push|pull; did you mean push? (see --help)
! cache: found 'ls', expected list|show|log|diff|verify|merge|gc|fsck|push|pull (see --help)
! qtrain: --optimizer: found 'adm', expected one of sgd|adam|adamw|qng|rotosolve|spsa; did you mean adam?
! qcontrol: --functions: found 'splinse', expected one of piecewise|splines|fourier; did you mean splines?
! qcontrol: --system: found 'transmn', expected one of qubit|two-qubits|transmon; did you mean transmon?
! qtrain: --optimizer: found 'lion', expected one of sgd|adam|adamw|qng|rotosolve|spsa
? 2

# The folder of a model's folds is told with what is in it.
$ mkdir m.folds; qeval m.folds f.h5; qeval m.folds/ f.h5
! qeval: m.folds: is a folder, expected a file; of those in it, m.folds/*.h5
! qeval: m.folds/: is a folder, expected a file; of those in it, m.folds/*.h5
? 66
