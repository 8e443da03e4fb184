# SPDX-License-Identifier: MIT
# Sequence models on recordings, from the files to the page:
#   make -f pipelines/eeg.mk [EEG=DIR] [EXCLUDE="S088 S092 S100"] [NETS="hydra twin eegnet"] [OUT=out/eeg] (make demo-seq)
# One person is left out in turn; every model is trained on the others, its epoch chosen on some of them, and tested on the one left
# out, beside each quantum model its classical twin, its circuit with frozen angles, time averages alone, EEGNet, two classifiers of
# covariances. The first of NETS is compared with each other model, paired over people. Without EEG: ten synthetic people whose truth
# is known. EEG=DIR: the recordings of eegmmidb (S001R04.edf, or S001/S001R04.edf; runs 4, 8, 12), whose digests are checked.
NAME := eeg
include $(dir $(lastword $(MAKEFILE_LIST)))common.mk
FILES := $(sort $(if $(EEG),$(wildcard $(EEG)/S???R04.edf $(EEG)/S???/S???R04.edf)))
$(if $(EEG),$(if $(FILES),,$(error EEG=$(EEG): no S001R04.edf, S001/S001R04.edf, ...; expected the recordings of eegmmidb)))
PEOPLE := $(if $(EEG),$(filter-out $(EXCLUDE),$(patsubst %R04,%,$(notdir $(FILES:.edf=)))),$(addprefix S0,01 02 03 04 05 06 07 08 09 10))
# Synthetic people move their mu rhythm alone: a band, an average reference suit them. eegmmidb: as the reference has it, but the band. TRAIN: docs/claims.md.
WINDOWS ?= --band 8:30 --reference average
NETS ?= hydra hydra-frozen twin means hydra-hybrid eegnet
FITS ?= csp-lda tangent-lr
TRAIN ?= $(if $(EEG),--replicas 5,--epochs 60 --lr 2e-3 --patience 30 --plateau-patience 15)
FOLDS := $(shell seq 0 $$(($(words $(PEOPLE)) - 1)))
MODELS := $(NETS) $(FITS)
SHARDS := $(PEOPLE:%=$(OUT)/%.h5)
.SECONDARY:
all: $(OUT)/compared.txt $(OUT)/leak.report.h5 $(OUT)/run.html
	@sh $(ROOT)pipelines/eeg-told.sh $(OUT) $(words $(PEOPLE))
recordings = $(foreach r,04 08 12,$(dir $(filter %/$(1)R04.edf,$(FILES)))$(1)R$(r).edf)
$(OUT)/checked: $(ROOT)data/eegmmidb/SHA256SUMS | $(OUT)
	@sh $(ROOT)pipelines/eeg-checked.sh $< $(foreach p,$(PEOPLE),$(call recordings,$(p))) && touch $@
$(OUT)/people/truth.json: FORCE | $(OUT)
	qseq generate people --people $(words $(PEOPLE)) --channels 16 --trials 12 --odd-rate --short -o $(OUT)/people
$(SHARDS): $(OUT)/%.h5: $(if $(EEG),$(OUT)/checked,$(OUT)/people/truth.json) FORCE
	qseq windows $(WINDOWS) $(if $(EEG),$(call recordings,$*),$(OUT)/people/$*R*.edf) -o $@
# MODEL-FOLD.h5, of nets and of classifiers that are fitted at once.
model = $(subst hydra-frozen,hydra --frozen,$(1))
define FOLD
$(OUT)/$(1)-$(2).h5: $$(SHARDS) FORCE
	$(3) $$(SHARDS) --split loso --fold $(2) -o $$@
endef
$(foreach f,$(FOLDS),$(foreach m,$(NETS),$(eval $(call FOLD,$(m),$(f),qseq train $(TRAIN) -m $(call model,$(m))))))
$(foreach f,$(FOLDS),$(foreach m,$(FITS),$(eval $(call FOLD,$(m),$(f),qseq fit -m $(m)))))
define JUDGE
$(OUT)/$(1).report.h5: $$(FOLDS:%=$(OUT)/$(1)-%.h5) $$(SHARDS) FORCE
	qseq eval $$(FOLDS:%=$(OUT)/$(1)-%.h5) $$(SHARDS) -o $$@
endef
$(foreach m,$(MODELS),$(eval $(call JUDGE,$(m))))
# What windows drawn at random would have claimed.
$(OUT)/leak.report.h5: $(SHARDS) FORCE
	qseq fit -m tangent-lr --split leak $(SHARDS) -o $(OUT)/leak.h5 && qseq eval $(OUT)/leak.h5 $(SHARDS) -o $@
$(OUT)/compared.txt: $(MODELS:%=$(OUT)/%.report.h5) FORCE
	qseq compare --against-first $(filter %.h5,$^) >$@
	@qseq compare --against-first $(filter %.h5,$^) -q -o $(OUT)/compared.h5
# Windows with what was before the event, for the figures: a desynchronisation has a baseline then. Of real people, the first.
SHOWN := $(if $(EEG),$(firstword $(PEOPLE)),$(PEOPLE))
$(OUT)/erd.h5: $(if $(EEG),$(OUT)/checked,$(OUT)/people/truth.json) FORCE
	qseq windows $(WINDOWS) --from -1.5 $(if $(EEG),$(call recordings,$(SHOWN)),$(SHOWN:%=$(OUT)/people/%R*.edf)) -o $@
$(OUT)/run.html: $(OUT)/compared.txt $(OUT)/erd.h5 $(MODELS:%=$(OUT)/%.report.h5) $(firstword $(NETS:%=$(OUT)/%-0.h5)) FORCE
	figures $(OUT)/compared.h5 $(filter %.h5,$^) --report $@
