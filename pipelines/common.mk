# SPDX-License-Identifier: MIT
# What all pipelines begin with. They run from any folder, and from where they are installed: results go to out/ below the folder that
# make runs in, what the pipelines need lies beside them ($(ROOT)), the tools are those built there or those of PATH.
HERE := $(dir $(lastword $(MAKEFILE_LIST)))
ROOT := $(if $(filter ./,$(HERE)),../,$(HERE:%pipelines/=%))
BUILD ?= $(ROOT)build
OUT ?= out/$(NAME)
$(if $(word 2,$(OUT)),$(error OUT=$(OUT): expected a name without spaces, as make's are))
export PATH := $(abspath $(BUILD))/bin:$(PATH)

# The end of a run that says what it found: lines that the page begins with, too.
define TELL
	@printf '\nWhat was found\n'; sed 's/^/  /' $(OUT)/found.txt; printf '  Everything with figures: %s/run.html\n' $(OUT)
endef

.DEFAULT_GOAL := all
.PHONY: all clean FORCE
.DELETE_ON_ERROR:
$(OUT):
	@mkdir -p $@
clean:
	rm -rf $(OUT)
