# SPDX-License-Identifier: MIT
# Sequence models on what is no recording, quantum models beside their controls (docs/claims.md has the study's numbers beside these):
#   make -f pipelines/sequence-data.mk [MNIST=DIR] [DNA=promoters.data] [RATES="1e-3 3e-3"] [SEEDS=5] [OUT=out/sequence-data]
# forrelation  pairs of functions that are made here: 2,000, of which 400 test
# mnist        the first images: 500 train, 125 validate, 250 of t10k test; bare layers on 784 pixels
# dna          UCI's promoters: 6 folds, of which 70 sequences train, 18 validate, 18 test, so that all 106 are tested; bare layers
# A net has the learning rate of RATES with the least validation loss, mean over seeds, of folds in each its own. Then each quantum model
# is compared with its twin, with its circuit of frozen angles and with logistic regression (`means`), paired over what is tested.
NAME := sequence-data
include $(dir $(lastword $(MAKEFILE_LIST)))common.mk
RATES ?= 1e-3 3e-3 1e-2
SEEDS ?= 5
DATA := forrelation $(if $(MNIST),mnist) $(if $(DNA),dna)
# The Lite models have no bare layers of their own.
BARE ?= hydra hydra-hybrid mamba mamba-hybrid
NETS ?= $(BARE) mamba-lite mamba-hybrid-lite
nets = $(if $(filter forrelation,$(1)),$(NETS),$(BARE))
HOW_forrelation := --test-fraction 0.2
HOW_mnist := --bare --standardise none --val-fraction 0.2 --test-fraction 0.001
HOW_dna := --bare --standardise none --val-fraction 0.2 --split kfold --folds 6
TEST_mnist := $(OUT)/digits.h5
TABLES := $(foreach d,$(DATA),$(patsubst %,$(OUT)/$(d)/%.txt,$(call nets,$(d))))

all: $(TABLES)
	@tail -n +1 $^ </dev/null
$(DATA:%=$(OUT)/%):
	@mkdir -p $@
$(OUT)/forrelation.h5: FORCE | $(OUT)
	qseq forrelation -o $@
$(OUT)/mnist.h5: FORCE | $(OUT)
	qseq windows $(MNIST)/train-images-idx3-ubyte.gz --limit 626 -o $@
$(OUT)/digits.h5: FORCE | $(OUT)
	qseq windows $(MNIST)/t10k-images-idx3-ubyte.gz --limit 250 -o $@
$(OUT)/dna.h5: FORCE | $(OUT)
	qseq windows $(DNA) -o $@
# DATA, NET with -twin or -frozen behind it: of one split the sweep's best model and its report; of folds the report of each fold's own best.
model = -m $(if $(filter %-twin,$(1)),twin --twin-of $(1:%-twin=%),$(if $(filter %-frozen,$(1)),$(1:%-frozen=%) --frozen,$(1)))
sweep = qseq sweep $< $(call model,$(2)) $(HOW_$(1)) --grid "lr=$(RATES_LISTED)" --replicas $(SEEDS)
define NET
$(OUT)/$(1)/$(2).sweep.h5: $(OUT)/$(1).h5 FORCE | $(OUT)/$(1)
	$$(call sweep,$(1),$(2)) --models $$(@:.sweep.h5=) -o $$@ >$$(@:h5=txt)
$(OUT)/$(1)/$(2).report.h5: $(OUT)/$(1)/$(2).sweep.h5 $(or $(TEST_$(1)),$(OUT)/$(1).h5)
	qseq eval -q $$(@:.report.h5=)/lr=$$(best).h5 $$(word 2,$$^) -o $$@
endef
define FOLDED
$(OUT)/$(1)/$(2).report.h5: $(OUT)/$(1).h5 FORCE | $(OUT)/$(1)
	$$(call sweep,$(1),$(2)) --fold all -o $$@ >$$(@:h5=txt)
endef
# The rate of the table's first line.
best = $$(sed -n '/^lr=/{s/lr=\([^ ]*\).*/\1/p;q}' $(@:.report.h5=.sweep.txt))
RATES_LISTED = $(shell echo $(RATES) | tr ' ' ,)
$(foreach d,$(DATA),$(foreach m,means $(foreach n,$(call nets,$(d)),$(n) $(n)-twin $(n)-frozen),$(eval $(call $(if $(filter --folds,$(HOW_$(d))),FOLDED,NET),$(d),$(m)))))
$(foreach d,$(DATA),$(eval $(patsubst %,$(OUT)/$(d)/%.txt,$(call nets,$(d))): $(OUT)/$(d)/means.report.h5))
$(TABLES): $(OUT)/%.txt: $(OUT)/%.report.h5 $(OUT)/%-twin.report.h5 $(OUT)/%-frozen.report.h5
	qseq compare --against-first $(wordlist 1,3,$^) $(@D)/means.report.h5 >$@
