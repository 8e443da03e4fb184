# SPDX-License-Identifier: MIT
# Pulses for noisy qubits, from the problem to the page: make -f pipelines/control.mk [STUDY=1] [OUT=out/control] (make demo-control)
# A pulse that flips a qubit: made for exact values, and for a family of them (detuning and amplifier off); what the store certifies; the
# robust one as a file for hardware, read again and scored; CZ of two qubits; a network that adapts a pulse to a qubit whose detuning it is not
# told, and whether that pays. STUDY=1: also the study's four configurations of meta-learning (a minute).
NAME := control
include $(dir $(lastword $(MAKEFILE_LIST)))common.mk
QUBIT := -g x --limit 10 --set 'gamma_phi=0.001 gamma_down=0.001'
FAMILY ?= --spread 'detuning=0.5 amplitude=0.05'
RATE ?= 240
BITS ?= 14
HIDDEN := --detuning-range=-2,2 --gamma-deph-range 0,0.01 --gamma-relax-range 0,0.01 --limit 3 --n-segments 20 --hidden-dim 64 \
  --task-features none --inner-lr 0.1 -b 16 -i 1000
STUDIED := $(if $(STUDY),psd rates guide-fast guide-original)
PULSES := robust nominal cz
FILES := $(PULSES) policy regret $(STUDIED:%=policy-%) $(STUDIED:%=regret-%)

.PHONY: certificate
.PRECIOUS: $(OUT)/policy-%.h5 $(OUT)/regret-%.h5
all: $(PULSES:%=$(OUT)/figures/%) $(OUT)/figures/policy $(STUDIED:%=$(OUT)/figures/%) certificate $(OUT)/score.json $(OUT)/run.html
	$(TELL)
$(OUT)/figures:
	@mkdir -p $@

# The one for exact values has a store of its own, in which the family finds nothing better.
$(OUT)/nominal.h5: FORCE | $(OUT)
	qcontrol optimize $(QUBIT) --starts 16 --store $(OUT)/plain -o $@
$(OUT)/robust.h5: FORCE | $(OUT)
	qcontrol optimize $(QUBIT) $(FAMILY) --method lbfgs --starts 16 --store $(OUT)/pulses -o $@
$(OUT)/cz.h5: FORCE | $(OUT)
	qcontrol optimize --system two-qubits -g cz --segments 30 --starts 8 --store $(OUT)/pulses -o $@
certificate: $(OUT)/nominal.h5 $(OUT)/robust.h5
	qcontrol lookup $(QUBIT) $(FAMILY) --store $(OUT)/plain --json >$(OUT)/lookup-nominal.json
	qcontrol lookup $(QUBIT) $(FAMILY) --store $(OUT)/pulses --json >$(OUT)/lookup-robust.json
$(OUT)/robust.csv: $(OUT)/robust.h5 FORCE
	qcontrol export $< --rate $(RATE) --bits $(BITS) --tolerate 1e-4 -q -o $@
$(OUT)/score.json: $(OUT)/robust.csv FORCE
	qcontrol score $< --pulse $(OUT)/robust.h5 --tolerate 1e-4 --json >$@

$(OUT)/policy.h5: FORCE | $(OUT)
	qcontrol train $(HIDDEN) -o $@
$(OUT)/policy-%.h5: FORCE | $(OUT)
	qcontrol train --config $(ROOT)examples/control/$*.yaml -o $@
$(OUT)/regret%h5: $(OUT)/policy%h5 FORCE
	qcontrol regret $< --tasks 20 --starts 4 -q -o $@

$(PULSES:%=$(OUT)/figures/%): $(OUT)/figures/%: $(OUT)/%.h5 FORCE | $(OUT)/figures
	figures $< -o $@
$(OUT)/figures/policy: $(OUT)/policy.h5 $(OUT)/regret.h5 FORCE | $(OUT)/figures
	figures $(filter %.h5,$^) -o $@
$(STUDIED:%=$(OUT)/figures/%): $(OUT)/figures/%: $(OUT)/policy-%.h5 $(OUT)/regret-%.h5 FORCE | $(OUT)/figures
	figures $(filter %.h5,$^) -o $@
$(OUT)/found.txt: certificate $(OUT)/score.json $(OUT)/cz.h5 $(OUT)/regret.h5
	@sh $(ROOT)pipelines/control-told.sh $(OUT) $(filter-out --spread,$(FAMILY)) >$@
$(OUT)/run.html: $(FILES:%=$(OUT)/%.h5) $(OUT)/found.txt FORCE
	figures $(FILES:%=$(OUT)/%.h5) --found $(OUT)/found.txt --report $@
