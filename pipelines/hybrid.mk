# SPDX-License-Identifier: MIT
# The main job on your own images:
#   make -f pipelines/hybrid.mk TRAIN=IMAGES TEST=IMAGES [EXTRACT="--resize 28"] [QTRAIN="--epochs 100"] [OUT=out/hybrid] [REPLICAS=5]
# demo.mk, fashion.mk and mnist.mk share its stages; they set NAME, TRAIN, TEST and the options EXTRACT and QTRAIN.
# One rule a stage. Every stage is called every time: it says "up to date" itself, figures when they are drawn anew, and knows what no file time
# tells: whether an option or the content of an input has changed. Its output's time changes only with the output.
NAME ?= hybrid
include $(dir $(lastword $(MAKEFILE_LIST)))common.mk
REPLICAS ?= 5

$(if $(and $(TRAIN),$(TEST))$(filter clean,$(MAKECMDGOALS)),,$(error give TRAIN=IMAGES TEST=IMAGES, as extract-features takes them))
$(foreach v,MNIST FASHION WEIGHTS,$(if $(word 2,$($v)),$(error $v=$($v): expected a name without spaces, as make's are)))

all: $(OUT)/figures $(OUT)/run.html

$(OUT)/train.h5: $(TRAIN) FORCE | $(OUT)
	extract-features $(strip $(TRAIN) $(EXTRACT)) -o $@

$(OUT)/test.h5: $(TEST) FORCE | $(OUT)
	extract-features $(strip $(TEST) $(EXTRACT)) -o $@

$(OUT)/heads.h5: $(OUT)/train.h5 FORCE
	qtrain $(strip $< $(QTRAIN)) --replicas $(REPLICAS) -o $@

$(OUT)/report.h5: $(OUT)/heads.h5 $(OUT)/test.h5 FORCE
	qeval $(OUT)/heads.h5 $(strip $(OUT)/test.h5 $(QEVAL)) -o $@

$(OUT)/figures: $(OUT)/heads.h5 $(OUT)/report.h5 $(OUT)/test.h5 $(TEST) FORCE
	figures $(OUT)/heads.h5 $(OUT)/report.h5 $(OUT)/test.h5 --images $(TEST) -o $@

$(OUT)/run.html: $(OUT)/heads.h5 $(OUT)/report.h5 $(OUT)/test.h5 $(TEST) FORCE
	figures $(OUT)/heads.h5 $(OUT)/report.h5 $(OUT)/test.h5 --images $(TEST) --report $@
