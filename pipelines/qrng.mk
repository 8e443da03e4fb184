# SPDX-License-Identifier: MIT
# Random-number devices told apart, from the rows to the figures:
#   make -f pipelines/qrng.mk [BITS="a.bin b.bin"] [BITS_OPTIONS="--packed --bits 1000"] [SYMBOL_BITS=2] [STUDY=1] [RUNS=20] [OUT=out/qrng]
# BITS, with BITS_OPTIONS: what extract-features --qrng takes, such as rows of 0 and 1, behind each the device's number, or a file a
# device; names without spaces, as make's are. Without it, three devices of two qubits are made (make demo-qrng).
# STUDY=1, for the rows of the study "Noise versus Randomness": SYMBOL_BITS=2, its arithmetic beside the sound one, its thirty
# devices, and its published numbers held against what came out. The network's 20 runs take a minute.
NAME := $(if $(BITS),qrng,demo-qrng)
include $(dir $(lastword $(MAKEFILE_LIST)))common.mk
RUNS ?= 20
ROWS := $(or $(BITS),$(OUT)/made.h5)
SYMBOLS := $(addprefix --symbol-bits ,$(or $(SYMBOL_BITS),$(if $(STUDY),2)))
FILES := bits tournament gan classifier report
STUDY_FILES := reference gan-reference born classifier-reference report-reference thirty
ALL := $(FILES:%=$(OUT)/%.h5) $(if $(STUDY),$(STUDY_FILES:%=$(OUT)/%.h5))

.PHONY: verify
all: $(OUT)/figures $(OUT)/run.html $(if $(STUDY),$(OUT)/figures-reference verify)
# Three laws of two qubits, of which the first two are hard to tell apart.
$(OUT)/made.h5: FORCE | $(OUT)
	tournament --synthetic 3 --source pairs --only-bits --rows 2000 --seed 1 -o $@
$(OUT)/bits.h5: $(ROWS) FORCE | $(OUT)
	$(strip extract-features --qrng $(ROWS) $(BITS_OPTIONS) $(SYMBOLS) $(if $(STUDY),--reference)) -o $@
$(OUT)/tournament.h5: $(OUT)/bits.h5 FORCE
	$(strip tournament $< $(SYMBOLS)) -o $@
$(OUT)/gan.h5: $(OUT)/bits.h5 FORCE
	qgan $< -o $@
$(OUT)/classifier.h5: $(OUT)/bits.h5 FORCE
	qtrain --qrng $< -o $@
$(OUT)/report%h5: $(OUT)/classifier%h5 $(OUT)/bits.h5 FORCE
	qeval --qrng $< $(OUT)/bits.h5 -o $@

# The study's arithmetic.
$(OUT)/reference.h5: $(OUT)/bits.h5 FORCE
	tournament $< $(SYMBOLS) --reference -o $@
$(OUT)/gan-reference.h5: $(OUT)/bits.h5 FORCE
	qgan $< --reference -o $@
$(OUT)/born.h5: $(OUT)/bits.h5 FORCE
	qgan $< --reference --generator quantum -o $@
$(OUT)/classifier-reference.h5: $(OUT)/bits.h5 FORCE
	qtrain --qrng $< --reference --seeds $(RUNS) -o $@
$(OUT)/thirty.h5: FORCE | $(OUT)
	tournament --synthetic 30 --variant validate -o $@

$(OUT)/figures: $(FILES:%=$(OUT)/%.h5) $(if $(STUDY),$(OUT)/thirty.h5) FORCE
	figures $(filter %.h5,$^) -o $@
$(OUT)/figures-reference: $(patsubst %,$(OUT)/%.h5,reference gan-reference classifier-reference report-reference) FORCE
	figures $(filter %.h5,$^) -o $@
$(OUT)/run.html: $(ALL) FORCE
	figures $(strip $(ALL)) --report $@
verify: $(ALL)
	cp $(ROOT)pipelines/qrng*-claims.json $(OUT)
	for claims in $(OUT)/qrng*-claims.json; do qeval --verify $$claims $(VERIFY) || exit; done
