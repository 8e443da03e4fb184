# What a file is, where it came from, why two differ, and what a damaged one says.
~ s/\b[0-9a-f]{12}\b/HEX12/g; s/at least [0-9]+/at least N/
$ extract-features $DATA/digits/test-images-idx3-ubyte --resize 28 --limit 128 -q -o a.h5 &&
+ extract-features $DATA/digits/test-images-idx3-ubyte --resize 28 --limit 128 --dtype f16 -q -o b.h5

# Whatever is freed is overwritten: nothing is called out of it when a file is closed.
$ MALLOC_PERTURB_=165 cache show a.h5 | cmp - <(cache show a.h5)

$ cache show a.h5 | grep -v -e '^made' -e '^by'
> a.h5
> features, # bytes, written by extract-features 0.2.0
>
> key        HEX64
> content    HEX64
> backbone   resnet18
> tap        avgpool
> preprocess grey, 28 x 28 (bilinear, antialias), /255, minus (0.485,0.456,0.406), divided by (0.229,0.224,0.225)
> classes    0, 1, 2, 3, 4, 5, 6, 7, 8, 9
> options    channels "auto"  dtype "f32"  limit 128  mean "0.485,0.456,0.406"  resize 28  skip-bad false
>            std "0.229,0.224,0.225"  tap "avgpool"
>
> datasets
>   aside/pixels                         uint8    128 x 16
>   class_names                          string   10
>   features                             float32  128 x 512
>   index                                int64    128
>   labels                               int32    128

$ cache log a.h5 | sed 's/  [0-9a-f]\{8\}$//' | grep -v -e sha256 -e weights
> * extract-features 0.2.0
>   extract-features ROOT/data/digits/test-images-idx3-ubyte --resize 28 --limit 128 -q -o a.h5
>   DATE, # s
>   images: ROOT/data/digits/test-images-idx3-ubyte
>   labels: ROOT/data/digits/test-labels-idx1-ubyte

$ cache list
> kind              key               size     rows  created by               file, and what it found
> features          HEX12  # bytes      128  extract-features 0.2.0   ./a.h5: 128 x 512 float32, # s (# images/s)
> features          HEX12  # bytes      128  extract-features 0.2.0   ./b.h5: 128 x 512 float16, # s (# images/s)

# As columns, by the first of them; what has none of it is counted.
$ qtrain a.h5 -q --epochs 1 --no-controls -o one.h5; qtrain a.h5 -q --epochs 1 --no-controls --lr 0.02 --seed 7 -o two.h5
+ acc() { cache show --json "$1" | jq '.provenance[-1].found.json.val_accuracy'; }
+ cache list --columns lr,seed,dtype,nothing; cache list --json --columns -lr,optimizer; cache list --columns nothing
+ best=$([ "$(jq -n "$(acc one.h5) < $(acc two.h5)")" = true ] && echo two || echo one); cache list -q --columns val_accuracy,best_epoch | sed -n 2p | grep -c "./$best.h5"; cache list -q --columns val_accuracy | grep -c "^ *[01][.][0-9]\{4\} "
+ qtrain a.h5 -q --epochs 1 --no-controls --note $'\e[31mÃ a note that is longer than a cell of a table may be, by far: "so"' -o three.h5; cache list --json --columns note,no_controls,key | jq -r '(.note | length), (.key | length), .no_controls'; cache list -q --columns note | grep -v ^note; cache list -q --json --columns 'lr,x"y' | jq -c keys | sort -u
+ rm one.h5 two.h5 three.h5; cache list --columns ,a; cache list --columns lr,path; cache diff --columns lr a.h5 b.h5
>    lr  seed  dtype  nothing  file
>  0.02     7      -        -  ./two.h5
> 0.001     0      -        -  ./one.h5
> {"path":"./one.h5","lr":0.001,"optimizer":"adam"}
> {"path":"./two.h5","lr":0.02,"optimizer":"adam"}
> 1
> 2
> 72
> 64
> true
>                                                            note  file
> ?[31mÃ a note that is longer than a cell of a table may be,...  ./three.h5
> ["lr","path","x\"y"]
! cache: none of these files has dtype; cache show --json FILE names what it has
! cache: none of these files has nothing; cache show --json FILE names what it has
! cache: 2 files without lr
! cache: 2 files without lr
! cache: .: none of 4 files has nothing; cache show --json FILE names what it has
! cache: 4 files without note
! cache: --columns: found ',a', expected 1 to 16 names between commas, none of them path, which is there
! cache: --columns: found 'lr,path', expected 1 to 16 names between commas, none of them path, which is there
! cache: --columns: belongs to list
? 2

$ cache diff a.h5 b.h5
> options.dtype: "f32" -> "f16"
? 1

$ cache diff a.h5 b.h5 --json
> {"equal":false,"contents_equal":false,"differences":"options.dtype: \"f32\" -> \"f16\"\n"}
? 1

$ cache diff a.h5 a.h5
> the keys are equal, the contents too

$ cache diff a.h5
! cache: found 1 file, expected two; see --help
? 2

$ cache verify a.h5 b.h5
> a.h5: whole
> b.h5: whole

$ cp a.h5 c.h5; printf damaged! | dd of=c.h5 bs=1 seek=100000 conv=notrunc status=none; cache verify a.h5 c.h5
> a.h5: whole
! cache: c.h5: dataset features: block 0 (rows 0 to 127) is damaged: other digest than when it was published; make it again
! cache: 1 of 2 files is not whole
? 1

$ cache verify a.h5 c.h5 absent.h5 --json 2>/dev/null | jq -c '[.path, .whole, .problem != ""]'
> ["a.h5",true,false]
> ["c.h5",false,true]
> ["absent.h5",false,true]

$ cache verify -q a.h5

$ cat a.h5 | cache verify -
> -: whole

$ cache show absent.h5
! cache: absent.h5: cannot be opened: No such file or directory
? 66

$ head -c 3000 a.h5 > short.h5; cache show short.h5
! cache: short.h5: cut short: 3000 bytes of at least N; copy or make it again
? 65

$ cache show a.h5 b.h5
! cache: 2 inputs, expected one file; 'b.h5' is too many; see --help
? 2

$ cache shwo a.h5
! cache: found 'shwo', expected list|show|log|diff|verify|merge|gc|fsck|push|pull; did you mean show? (see --help)
? 2

$ cache
! cache: no command, expected list|show|log|diff|verify|merge|gc|fsck|push|pull; see --help
? 2

$ cache show a.h5 --json | jq -r '.kind, .datasets[1].name, .key_parts.options.limit'
> features
> class_names
> 128

$ cache list --json | jq -r '[.path, .rows, .whole] | @csv'
> "./a.h5",128,true
> "./b.h5",128,true
> "./c.h5",128,true
> "./short.h5",0,false

$ extract-features $DATA/digits/test-images-idx3-ubyte --resize 28 --limit 128 --no-provenance -f -q -o bare.h5
+ cache log bare.h5
! cache: bare.h5: no provenance; it was written with --no-provenance
? 65

$ cache list nowhere
! cache: nowhere: cannot be opened: No such file or directory
? 66

# The options fill a line exactly, and the next begins below it.
$ qtrain -q a.h5 --ansatz strongly-entangling --epochs 1 -o wide.h5; cache show wide.h5 | sed -n '/^options/,/^$/p'
> options    ansatz "strongly-entangling"  batch-size 64  beta1 0.9  beta2 0.999  classifier "16"  clip 0.0
>            core "circuit"  diff-method "adjoint"  dropout 0.2  embedding "angle-y"  entanglement ""
>            epochs 1  epsilon 1e-8  factor 0.1  grow 0  init "normal"  layers 3  learn-scale false
>            lr 0.001  min-lr 0.0  mirror 0  momentum 0.0  no-controls false  observables "z"
>            optimizer "adam"  patience 0  period 10  plateau-patience 5  qasm ""  qng-lambda 0.001
>            qng-lr 0.1  qubits 4  reduction "128,32"  replica 0  replicas 1  reupload false
>            schedule "constant"  spsa-c 0.01  spsa-directions 1  spsa-step 0.1  val-fraction 0.1  warmup 0
>            weight-decay 0.0  weight-scale 0.01
>

# What prints takes no -o.
$ for c in 'list .' 'show f.h5' 'log f.h5' 'verify f.h5' 'diff f.h5 f.h5' 'gc .' 'fsck .'; do cache $c -o x; done; ls x 2>&1 | wc -l
> 1
! cache: list: writes to standard output; -o belongs to merge
! cache: show: writes to standard output; -o belongs to merge
! cache: log: writes to standard output; -o belongs to merge
! cache: verify: writes to standard output; -o belongs to merge
! cache: diff: writes to standard output; -o belongs to merge
! cache: gc: writes to standard output; -o belongs to merge
! cache: fsck: writes to standard output; -o belongs to merge

# columns hold the longest kind, and the longest name
$ mkdir wide; tournament --synthetic 3 --rows 40 --bits 20 --only-bits -q -o wide/b.h5; qtrain --qrng wide/b.h5 --model pairs --seeds 2 -q -o wide/c.h5
+ cache list wide | awk '{ print index($0, $2), $1 }'
> 19 kind
> 19 device-bits
> 19 device-classifier
$ extract-features --qrng wide/b.h5 -q -o wide/s.h5; cache show wide/s.h5 | awk '/^datasets/ { on = 1; next } on && NF { print match($0, / (uint8|int32|int64|float64|string) /) }' | sort -u | wc -l
> 1

# Options of another command.
$ for o in 'list --apply' 'verify a.h5 --repair' 'show a.h5 --older-than 3' 'show a.h5 --force'; do cache $o 2>&1 || echo $?; done
> cache: --apply: belongs to gc
> 2
> cache: --repair: belongs to fsck
> 2
> cache: --older-than: belongs to gc
> 2
> cache: --force: belongs to merge, and to --csv and --latex
> 2

# The columns for a spreadsheet, with all digits, and for LaTeX.
$ cache list . --columns lr,optimizer --csv c.csv --latex - 2>log; cat c.csv; cache list . --csv c.csv; cache list . --columns lr --csv - --json; echo mine >m.csv; cache list . --columns lr --csv m.csv; cat m.csv
> % \usepackage{booktabs}
> \begin{tabular}{rrl}
> \toprule
> lr & optimizer & file \\
> \midrule
> 0.001 & adam & ./wide.h5 \\
> 0.001 & - & ./wide/c.h5 \\
> \bottomrule
> \end{tabular}
> lr,optimizer,path
> 0.001,adam,./wide.h5
> 0.001,,./wide/c.h5
> mine
! cache: --csv: of which columns is not said; give --columns NAME,...
! cache: --csv - and --json: both are for the screen; give --csv FILE
! cache: m.csv: was not written by ketline; give another name, or --force to replace it
# A text that begins with a column's name is somebody's, too, and so are other columns; --force replaces them. Two are not for one place.
$ echo lr is 0.1 in all of these >m.csv; for o in lr lr,optimizer; do cache list . --columns $o --csv m.csv -q || cat m.csv; cache list . --columns $o --csv m.csv --force -q 2>log >said; head -n 1 m.csv; cache list . --columns $o --csv m.csv -q 2>log >said || echo not again; done; cache list . --columns lr --csv t --latex ./t; cache list . --columns lr --csv - --latex -; ls t
> lr is 0.1 in all of these
> lr,path
> lr,path
> 0.001,./wide.h5
> 0.001,./wide/c.h5
> lr,optimizer,path
! cache: m.csv: was not written by ketline; give another name, or --force to replace it
! cache: m.csv: was not written by ketline; give another name, or --force to replace it
! cache: --csv and --latex: both are for ./t; give one of them another FILE
! cache: --csv and --latex: both are for the screen; give one of them another FILE
! ls: cannot access 't': No such file or directory
? 2
