# SPDX-License-Identifier: MIT
# Langevin sampling and generalisation bounds, from the records to the page:
#   make -f pipelines/langevin.mk [MNIST=DIR] [CLASSIC=1] [SAMPLE="--chains 8"] [OUT=out/langevin] (make demo-sgld)
# SYNTH and the handwritten digits, each with true and with random labels: chains, whether they may be believed, bounds, one page.
# MNIST=DIR: also the reference's short run on MNIST's IDX files, true and random labels (minutes). CLASSIC=1: also its whole classic
# experiment on SYNTH, 3.3 million epochs.
NAME := langevin
include $(dir $(lastword $(MAKEFILE_LIST)))common.mk
SYNTH ?= --data synth --epochs 12000 --warmup 2000
DIGITS ?= --data images --groups 01234/56789 --train-size 150 --betas 0,3,10,30,100,300 --sampler hmc --leapfrogs 15 --epochs 400 --warmup 200 --every 1
TRUE := synth digits $(if $(MNIST),mnist)
CHAINS := $(TRUE:%=%-true) $(TRUE:%=%-random) $(if $(CLASSIC),classic)

all: $(TRUE:%=$(OUT)/%-bounds.h5) $(CHAINS:%=$(OUT)/%.txt) $(OUT)/run.html
	$(TELL)
$(OUT)/synth-true.h5 $(OUT)/synth-random.h5: $(OUT)/synth-%.h5: FORCE | $(OUT)
	sgld sample $(SYNTH) $(SAMPLE) --labels $* -o $@
$(OUT)/digits-true.h5 $(OUT)/digits-random.h5: $(OUT)/digits-%.h5: FORCE | $(OUT)
	sgld sample $(DIGITS) $(SAMPLE) --labels $* $(ROOT)data/digits -o $@
$(OUT)/mnist-true.h5 $(OUT)/mnist-random.h5: $(OUT)/mnist-%.h5: FORCE | $(OUT)
	sgld sample -p paper --test-mode --data mnist $(SAMPLE) --labels $* $(MNIST) -o $@
$(OUT)/classic.h5: FORCE | $(OUT)
	sgld sample -p classic $(SAMPLE) -o $@
# What is amiss is said in the text; the run goes on.
$(OUT)/%.txt: $(OUT)/%.h5 FORCE
	sgld diagnose $< >$@
$(OUT)/%-bounds.h5: $(OUT)/%-true.h5 $(OUT)/%-random.h5 FORCE
	sgld bounds $(OUT)/$*-true.h5 --calibrate-on $(OUT)/$*-random.h5 -o $@ >$(@:h5=txt) && tail -1 $(@:h5=txt)
$(OUT)/found.txt: $(CHAINS:%=$(OUT)/%.txt) $(TRUE:%=$(OUT)/%-bounds.h5)
	@sh $(ROOT)pipelines/langevin-told.sh $(OUT) $(TRUE) >$@
$(OUT)/run.html: $(CHAINS:%=$(OUT)/%.h5) $(TRUE:%=$(OUT)/%-bounds.h5) $(OUT)/found.txt FORCE
	figures $(filter %.h5,$^) --found $(OUT)/found.txt --report $@
