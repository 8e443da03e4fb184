# what packages are made of, from the table of options; their agreement: tests/python/options_agree.py, tests/completion.sh
$ qtrain --emit html
! qtrain: --emit: found 'html', expected one of man|bash|zsh|fish|schema
? 2

$ circuit plateau --emit man | sed -n '2,8p'
> .Dd November 29, 2026
> .Dt CIRCUIT-PLATEAU 1
> .Os ketline 0.2.0
> .Sh NAME
> .Nm circuit-plateau
> .Nd variance of gradients over qubits and layers
> .Sh SYNOPSIS

# dots in place of what may follow end no sentence
$ qtrain --emit man | grep NAME=NUMBER
> NAME=NUMBER,... or calibration.json[,qubits=0,3,5].

# the defaults are those that a run would have
$ qtrain --lr 0.5 --emit schema | jq -c '.properties.lr, .properties.learning_rate'
> {"type":"number","description":"learning rate","minimum":0,"maximum":1000,"default":0.5}
> {"$ref":"#/properties/lr"}

$ cache --emit fish | head -1
> complete -c cache -n __fish_use_subcommand -x -a 'list show log diff verify merge gc fsck push pull'

# (which words depends on whether the last bytes fill a buffer)
~ s/write failed/No space left on device/
$ for form in man bash zsh fish schema; do qtrain --emit $form > /dev/full; echo $?; done
> 74
> 74
> 74
> 74
> 74
! qtrain: standard output: No space left on device
! qtrain: standard output: No space left on device
! qtrain: standard output: No space left on device
! qtrain: standard output: No space left on device
! qtrain: standard output: No space left on device

# --help, and all that is made from the table, needs no value of the option that selects a mode
$ tournament --synthetic --help | head -1
> Usage: tournament [options] --synthetic N [-o S.h5]

$ for order in '--extract -h' '--help --extract'; do tournament $order | grep -c -e '--block-bits'; done
> 1
> 1

$ tournament --synthetic --rows 5; tournament --extract
! tournament: --synthetic: expected N after it
! tournament: --extract: expected toeplitz|von-neumann after it
? 2

# what must be given has no default
$ tournament --synthetic --help | grep -e '--synthetic N  '; tournament --synthetic 3 --print-config | head -1; tournament --synthetic --print-config | head -1
+ tournament --synthetic --emit schema | grep '"synthetic"'
>       --synthetic N       devices of known laws, N of them
> synthetic: 3
> rows: 2000
>     "synthetic": { "type": "integer", "description": "devices of known laws, N of them", "minimum": 2, "maximum": 4096 },

$ tournament --nist --emit man | sed -n '1p; 3p; /SEE ALSO/,$p'
> .\" Made from the table of options: tournament --nist --emit man
> .Dt TOURNAMENT-NIST 1
> .Sh SEE ALSO
> .Xr tournament 1

# every tool names its modes
$ for t in $(cd $ROOT/tools && ls *.c | sed 's/..$//'); do $t --help | sed -n "s/^Modes, .*:/$t:/p"; done
> circuit: plateau
> extract-features: --qrng, --label
> qcontrol: optimize, lookup, budget, export, score, train, regret, import, noise, bench
> qeval: --predict, --qrng, --verify
> qseq: inspect, windows, generate, forrelation, train, sweep, fit, eval, predict, compare, bench
> qtrain: --qrng
> sgld: sample, head, diagnose, bounds, export
> tournament: --extract, --nist, --synthetic
