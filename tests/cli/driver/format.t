# The format itself. The first block shows all lines at once.
$ echo out; echo err >&2
+ exit 3
> out
! err
? 3

$ echo took 1.25 s at 2026-01-02T03:04:05Z in "$PWD"; pwd > file
> took # s at DATE in WORK

$ sed 's/.*/kept/' file
> kept

# A driver that cannot fail would prove nothing: each kind of difference is found.
$ printf '$ echo a\n> b\n' > x.t; bash $ROOT/tests/cli/case x.t | sed 1d
> 1c1
> < b
> ---
> > a
$ printf '$ echo a\n' > x.t; bash $ROOT/tests/cli/case x.t > log; echo $?
> 1
$ printf '$ echo a >&2\n' > x.t; bash $ROOT/tests/cli/case x.t > log; echo $?
> 1
$ printf '$ false\n' > x.t; bash $ROOT/tests/cli/case x.t > log; echo $?
> 1
$ printf '%% need /nonexistent\n$ true\n' > x.t; bash $ROOT/tests/cli/case x.t; echo $?
> skipped: needs /nonexistent, which is not here
> 77
$ printf 'nonsense\n' > x.t; bash $ROOT/tests/cli/case x.t > log; echo $?
> 1
$ printf '# c\n$ echo a; exit 4\n> b\n! c\n' > x.t; bash $ROOT/tests/cli/case --accept x.t; cat x.t
> # c
> $ echo a; exit 4
> > a
> ? 4
