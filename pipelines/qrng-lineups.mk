# SPDX-License-Identifier: MIT
# The line-ups of the study "Noise versus Randomness", each of RUNS splits in place of one, and one figure of them all:
#   make -f pipelines/qrng-lineups.mk BITS=rows.txt [RUNS=20] [OUT=out/qrng-lineups]
# BITS: the study's rows. Seven times 20 runs take seven minutes of two cores.
NAME := qrng-lineups
include $(dir $(lastword $(MAKEFILE_LIST)))common.mk
RUNS ?= 20
$(if $(BITS),,$(error give BITS=rows.txt))
# No clipping, no schedule, no early end; default initial weights; the last epoch.
NOTEBOOK := --reference --init fan-in --clip 0 --rate-patience 0 --patience 0 --keep last
# The headline's dropout layers were evaluated and their result was thrown away.
headline := --dropout 0
article-l1 :=
article-no-l1 := --l1 0
decay := --l1 0 --weight-decay 5e-4 --hidden 20,20
batch-4 := --batch-size 4 --epochs 500
70-30 := --test 0.3 --seed 42 --epochs 500
compressed := --hidden 20,10 --test 0.7 --l1 0.001 --seed 42 --epochs 300
NAMES := headline article-l1 article-no-l1 decay batch-4 70-30 compressed

.PRECIOUS: $(OUT)/classifiers/%.h5 $(OUT)/%.h5
all: $(OUT)/configurations.svg

$(OUT)/classifiers:
	@mkdir -p $@
$(OUT)/classifiers/%.h5: $(BITS) FORCE | $(OUT)/classifiers
	qtrain --qrng $(BITS) --symbol-bits 2 $(NOTEBOOK) $($*) --seeds $(RUNS) -o $@
$(OUT)/%.h5: $(OUT)/classifiers/%.h5 $(BITS) FORCE
	qeval --qrng $< $(BITS) --symbol-bits 2 -o $@
$(OUT)/configurations.svg: $(NAMES:%=$(OUT)/%.h5) FORCE
	figures $(NAMES:%=$(OUT)/%.h5) --figure configurations -o $@
