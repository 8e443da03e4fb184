# Rates from a spectrum: an earlier system's, and the sound ones beside them.
$ qcontrol noise
> one_over_f, alpha 1, A 1, omega_c 50; T 1, ramsey, omega0 1
> mapping       gamma_phi   gamma_down     gamma_up           T1           T2
> standard     0.00942836   0.00490196   0.00490196          102      69.7821
> filter        0.0180611   0.00999747            0      100.025      43.3654
> --set 'gamma_phi=0.00942836 gamma_down=0.00490196 gamma_up=0.00490196'

$ qcontrol noise --psd lorentzian --alpha 1.8 -A 5 --omega-c 2 --sequence echo --mapping band
> lorentzian, alpha 1.8, A 5, omega_c 2; T 1, echo, omega0 1
> mapping       gamma_phi   gamma_down     gamma_up           T1           T2
> standard       0.105057         0.25         0.25            2      2.81645
> band           0.183891     0.183891     0.183891        2.719        2.719
> --set 'gamma_phi=0.105057 gamma_down=0.25 gamma_up=0.25'

$ qcontrol noise --psd double_exp --alpha 0.3 -A 8 --omega-c 10 --sequence cpmg_4 -m standard --temperature 0.5
> double_exp, alpha 0.3, A 8, omega_c 10; T 1, cpmg_4, omega0 1
> mapping       gamma_phi   gamma_down     gamma_up           T1           T2
> standard      0.0118208    0.0340335   0.00460594      25.8803      32.1125
> --set 'gamma_phi=0.0118208 gamma_down=0.0340335 gamma_up=0.00460594'

# White noise, A = S: any sequence dephases with A/2.
$ for s in ramsey echo cpmg_7 cpmg_100; do qcontrol noise --alpha 0 -A 0.2 --sequence $s -m standard --json |
+ jq -c '[.gamma_phi, .gamma_down, .t1] | map(. * 1e9 | round / 1e9)'; done
> [0.1,0.05,10]
> [0.1,0.05,10]
> [0.1,0.05,10]
> [0.1,0.05,10]

# Units: white noise of S = 2 1/us dephases with 1 1/us whatever the unit of time is, and relaxes at 20 mK by detailed balance,
# down/up = exp(h f / kT), together half of S; optimize takes the line that is printed.
$ for u in '1 ns' '20 ns'; do qcontrol noise --alpha 0 -A "$(awk -v u="$u" 'BEGIN { print 2e-3 * (u + 0) }')" --unit "$u" -T '30 ns' --omega0 '5 GHz' --temperature '20 mK' >out; tail -n 1 out; done; head -n 1 out
+ tail -n 1 out | sed 's/gamma_[a-z]*=//g' | awk -F"[' ]" '{ r = $5 / $7; e = exp(6.62607015e-34 * 5e9 / (1.380649e-23 * 0.02)); print $3, ($5 + $7 - 1) ^ 2 < 1e-10, (r / e - 1) ^ 2 < 1e-9 }'
+ qcontrol optimize --system transmon -S 4 -s 1 "$(tail -n 1 out | sed "s/^--set '/--set=/; s/'$//")" -o t.h5 2>&1 | grep jump
> --set 'gamma_phi=1 1/us gamma_down=0.999994 1/us gamma_up=6.15581e-06 1/us'
> --set 'gamma_phi=1 1/us gamma_down=0.999994 1/us gamma_up=6.15581e-06 1/us'
> one_over_f, alpha 0, A 0.04, omega_c 50; T 1.5, ramsey, omega0 628.319; unit of time 20 ns
> 1 1 1
> qcontrol: jump    gamma_phi = 0.001 1/ns (1 in 1000 ns), operator sqrt(2 gamma_phi) times n
> qcontrol: jump    gamma_down = 0.000999994 1/ns (1 in 1000.01 ns), operator sqrt(gamma_down) times a
> qcontrol: jump    gamma_up = 6.15581e-09 1/ns (1 in 1.62448e+08 ns), operator sqrt(gamma_up) times a^+

# Cold: nothing goes up, and twice as much goes down; no noise: nothing decays.
$ qcontrol noise --temperature 0 --json | jq -c '[.gamma_down, .gamma_up, .mapping_gamma_phi] | map(. * 1e8 | round / 1e8), (.[0] == 1 / 102)'
> [0.00980392,0,0.0180611]
> true
$ qcontrol noise -A 0 -m standard; qcontrol noise -A 0 --json | jq -c '[.t1, .t2, .mapping_t2]'
> one_over_f, alpha 1, A 0, omega_c 50; T 1, ramsey, omega0 1
> mapping       gamma_phi   gamma_down     gamma_up           T1           T2
> standard              0            0            0        never        never
> --set 'gamma_phi=0 gamma_down=0 gamma_up=0'
> [null,null,null]

# The reference's names in a file of YAML; the command line wins.
$ printf 'psd_model: lorentzian\nhorizon: 2\ngamma_h: 10\nomega_c: 3\n' >noise.yaml
+ qcontrol noise -c noise.yaml --omega-c 2 | head -n 1
> lorentzian, alpha 1, A 1, omega_c 2; T 2, ramsey, omega0 1

# Strong noise: the rates are given, with what they are worth.
$ qcontrol noise --alpha 0.1 -A 10 --omega-c 1 --duration 4
> one_over_f, alpha 0.1, A 10, omega_c 1; T 4, ramsey, omega0 1
> mapping       gamma_phi   gamma_down     gamma_up           T1           T2
> standard        2.61977         1.25         1.25          0.4     0.258413
> filter          4.99337      4.01956            0     0.248784     0.142793
> --set 'gamma_phi=2.61977 gamma_down=1.25 gamma_up=1.25'
! qcontrol: chi is 10.5 within T: the coherence is gone before the pulse ends, and a rate says little of noise with a memory; average over the noise itself

# Its own filter of CPMG is not bounded.
$ qcontrol noise --sequence cpmg_4 | grep standard
> standard     0.00712651   0.00490196   0.00490196          102      83.1361
! qcontrol: the filter mapping has 5.88e+58 times the dephasing of the standard one

$ qcontrol noise -q

$ qcontrol noise --alpha nan
! qcontrol: --alpha: found 'nan', expected a number
? 2
$ qcontrol noise -A -1
! qcontrol: -A: found -1, expected a number from 0 to 1e+30
? 2
$ qcontrol noise --psd pink
! qcontrol: --psd: found 'pink', expected one of one_over_f|lorentzian|double_exp
? 2
$ qcontrol noise --sequence cpmg_0
! qcontrol: sequence: found 'cpmg_0', expected ramsey, echo or cpmg_N with N from 1 to 1000
? 2
$ qcontrol noise --temperature=-0.5
! qcontrol: --temperature: found -0.5, expected -1 or a number from 0
? 2
$ qcontrol noise --duration 0
! qcontrol: --duration: found 0, expected a number from 1e-12 to 1000000000000
? 2
$ qcontrol noise --omega-c inf
! qcontrol: --omega-c: found 'inf', expected a number
? 2
$ qcontrol noise --alpha 3 --omega-c 1e8
! qcontrol: omega-c T: found 1e+08, expected at most 1e6 where alpha is above 2
? 2
$ qcontrol noise --mapping none
! qcontrol: --mapping: found 'none', expected one of filter|band|standard
? 2
$ qcontrol noise -T '30 ns'
! qcontrol: --duration: found '30 ns', but there is no unit of time; say it, as --unit '20 ns'
? 2
$ qcontrol noise --unit '1 ns' --omega0 '30 ns'
! qcontrol: --omega0: found the unit 'ns', expected one of Hz, kHz, MHz, GHz (2 pi is applied), rad/s, rad/us or rad/ns (it is not)
? 2
$ qcontrol noise --unit '1 ns' --temperature '-5 mK'
! qcontrol: --temperature: found -0.654602, expected -1 or a number from 0
? 2
$ qcontrol noise pulse.h5
! qcontrol: 1 input, expected none; 'pulse.h5' is too many; see qcontrol noise --help
? 2
$ qcontrol noise --sequenze echo
! qcontrol: --sequenze: no such option; did you mean --sequence? (--help lists them)
? 2
