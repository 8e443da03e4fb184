# The guide's five settings against exact propagation: steps, errors, what is no state. Times are not compared.
$ qcontrol bench --seconds 0 --iterations 50 --json 2>err | jq -c '(.settings[] | [.integrator, .dt, .steps, (.state_off * 1e6 | round), (.loss_off * 1e6 | round), (.largest_population * 1e4 | round), (.smallest_eigenvalue * 1e4 | round), .unphysical_tasks]), [.cache.lookups, .cache.hits, .cache.hits_of_earlier_tasks, .cache.entries, .cache.bytes], (.settings | map(.seconds > 0) | all), (.cache.gain > 0.9 and .cache.gain < 2)'; cat err
> ["exact",null,0,0,0,9787,79,0]
> ["rk4",0.001,50,0,0,9787,79,0]
> ["rk4",0.01,5,0,0,9787,79,0]
> ["euler",0.01,5,24748,24407,10031,-168,8]
> ["euler",0.02,2,64155,63245,10420,-562,16]
> ["euler",0.05,1,135565,133535,11125,-1277,16]
> [5600,4800,0,800,460800]
> true
> true
> qcontrol: euler 0.01 is unphysical: 8 of 16 tasks end in what is no state, with an eigenvalue of -0.0168 and a population of 1.0031
> qcontrol: euler 0.02 is unphysical: 16 of 16 tasks end in what is no state, with an eigenvalue of -0.0562 and a population of 1.0420
> qcontrol: euler 0.05 is unphysical: 16 of 16 tasks end in what is no state, with an eigenvalue of -0.128 and a population of 1.1125

# One setting; a segment of 0.05 has one step of 0.03.
$ qcontrol bench --seconds 0 --integrator rk4 --dt 0.03 --json | jq -c '.settings[1] | [.dt, .steps, (.loss_off * 1e7 | round), .unphysical_tasks]'
+ qcontrol bench --seconds 0 --integrator exact --json | jq -c '.settings | length'
> [0.03,1,6,0]
> 1

# Tasks that are all the same: a cache would hold one.
$ qcontrol bench --seconds 0 --integrator exact --vary 0 --iterations 20 --tasks 5 --uses 3 --json | jq -c '.cache | [.lookups, .hits, .hits_of_earlier_tasks, .entries]'
> [300,299,297,1]

# A pulse of two qubits.
$ qcontrol optimize -g cz --system two-qubits --starts 1 --segments 10 --iterations 20 -o cz.h5 -q; qcontrol bench cz.h5 --seconds 0 --tasks 2 --integrator rk4 --dt 0.001 --json | jq -c '.settings[1] | [.steps, .state_off < 1e-6, .unphysical_tasks]'
> [39,true,0]

$ qcontrol bench --seconds 0 --integrator rk4 --dt 0.01 --iterations 10 | sed -E 's/[0-9.]+ us/# us/g; s/most [0-9.]+/most #/' | grep -v 'at once' | awk '/^exact/ { $3 = "#" } /^rk4/ { $4 = "#" } { print }'
> x of qubit (state x), 20 segments of 0.05, 16 tasks
> integrator    steps   us a task  state off   loss off  eigenvalue  population
> exact 0 # 0.0e+00 0.0e+00 7.9e-03 0.978688
> rk4 0.01 5 # 1.3e-08 1.3e-09 7.9e-03 0.978688
> A cache of simulators keyed by tasks to 6 decimals, 10 batches of 16 fresh tasks, each used 7 times: 160 entries, # bytes, kept for ever; hits 85.71 %, of tasks that came before 0.0000 %; what a hit saves is # us of building beside a run of # us: gain at most #

$ qcontrol bench --integrator rk4
! qcontrol: --integrator rk4: no step; give --dt
? 2

$ qcontrol bench --dt 0.1
! qcontrol: --dt: goes with --integrator rk4 or euler
? 2

$ qcontrol bench --integrator euler --dt 1e-9
! qcontrol: dt 1e-09: a segment of 0.05 has more than 100000 steps
? 2

$ qcontrol bench --iterations 1000000
! qcontrol: --iterations: 1000000 batches of 16 tasks, expected at most 1048576 tasks
? 2

$ qcontrol bench a b
! qcontrol: 2 inputs, expected [PULSE.h5]; 'b' is too many; see qcontrol bench --help
? 2

$ qcontrol bench absent.h5
! qcontrol: absent.h5: cannot be opened: No such file or directory
? 66
