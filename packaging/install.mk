# SPDX-License-Identifier: MIT
# make install: the tools, what --emit makes of their tables of options, the backbone, the library. GNU's variables:
# prefix, bindir, libdir, includedir, datadir, mandir, docdir, DESTDIR; and zshdir.
prefix ?= /usr/local
PREFIX ?= $(prefix)
bindir ?= $(PREFIX)/bin
libdir ?= $(PREFIX)/lib
includedir ?= $(PREFIX)/include
datadir ?= $(PREFIX)/share
mandir ?= $(datadir)/man
docdir ?= $(datadir)/doc/ketline
# Where zsh looks of itself below /usr/local; Debian's packages have a folder of their own (debian/rules).
zshdir ?= $(datadir)/zsh/site-functions
DESTDIR ?=
VERSION := $(shell sed -n 's/^.define KL_VERSION "\(.*\)"/\1/p' lib/base/base.h)

# TOOL --emit FORM, of each tool; and TOOL MODE --emit FORM of what has a table of its own: page and schema TOOL-MODE.
MODES := circuit:plateau extract-features:--label extract-features:--qrng $(addprefix qcontrol:,bench budget export import lookup noise optimize regret score train) \
    qeval:--predict qeval:--qrng qeval:--verify $(addprefix qseq:,bench compare eval fit forrelation generate inspect predict sweep train windows) qtrain:--qrng $(addprefix sgld:,bounds diagnose export head sample) tournament:--extract tournament:--nist tournament:--synthetic
PAGES := $(TOOLS) $(subst :,-,$(subst :--,-,$(MODES)))
EMIT_MAN := $(PAGES:%=$(BUILD)/emit/man/%.1)
EMIT_BASH := $(TOOLS:%=$(BUILD)/emit/bash/%)
EMIT_ZSH := $(TOOLS:%=$(BUILD)/emit/zsh/_%)
EMIT_FISH := $(TOOLS:%=$(BUILD)/emit/fish/%.fish)
EMIT_SCHEMA := $(PAGES:%=$(BUILD)/emit/schema/%.json)
define EMIT
	$(call SAY,EMIT)
	$(Q)mkdir -p $(@D) && $(1) --emit $(2) >$@.tmp && mv $@.tmp $@
endef
define EMIT_MODE
$(BUILD)/emit/man/$(1)-$(patsubst --%,%,$(2)).1: $(BUILD)/bin/$(1)
	$$(call EMIT,$$< $(2),man)
$(BUILD)/emit/schema/$(1)-$(patsubst --%,%,$(2)).json: $(BUILD)/bin/$(1)
	$$(call EMIT,$$< $(2),schema)
endef
$(foreach m,$(MODES),$(eval $(call EMIT_MODE,$(firstword $(subst :, ,$(m))),$(lastword $(subst :, ,$(m))))))
$(BUILD)/emit/man/%.1: $(BUILD)/bin/%
	$(call EMIT,$<,man)
$(BUILD)/emit/bash/%: $(BUILD)/bin/%
	$(call EMIT,$<,bash)
$(BUILD)/emit/zsh/_%: $(BUILD)/bin/%
	$(call EMIT,$<,zsh)
$(BUILD)/emit/fish/%.fish: $(BUILD)/bin/%
	$(call EMIT,$<,fish)
$(BUILD)/emit/schema/%.json: $(BUILD)/bin/%
	$(call EMIT,$<,schema)

# As they lie in the tree, so that pages find what they link to, and pipelines what they run.
READ := README.md CHANGES $(wildcard docs/*.* docs/schema/* pipelines/* examples/*.* examples/*/* data/*/*.md) \
    $(wildcard data/digits/* data/eegmmidb/* data/noise/* data/wine/*)
FOLDERS = $(bindir) $(mandir)/man1 $(datadir)/ketline/backbone $(datadir)/ketline/schema \
    $(datadir)/bash-completion/completions $(zshdir) $(datadir)/fish/vendor_completions.d $(libdir)/pkgconfig $(docdir)
PUBLIC := $(addprefix lib/,$(shell sed -n 's/^.include "\(.*\)".*/\1/p' include/ketline.h))
INSTALL_DATA = install -m 644
define KETLINE_PC
prefix=$(PREFIX)
libdir=$(patsubst $(PREFIX)/%,$${prefix}/%,$(libdir))
includedir=$(patsubst $(PREFIX)/%,$${prefix}/%,$(includedir))

Name: ketline
Description: Quantum circuits trained on cached data: the library of the tools, static
Version: $(VERSION)
Requires: $(LIBS)
Cflags: -I$${includedir}/ketline
Libs: -L$${libdir} -lketline -lbz2 -pthread -lm -ldl
endef
export KETLINE_PC

.PHONY: install uninstall dist
## make dist         the last commit as build/ketline-VERSION.tar.gz, which builds without git
dist:
	@mkdir -p $(BUILD)
	git archive --format=tar.gz --prefix=ketline-$(VERSION)/ -o $(BUILD)/ketline-$(VERSION).tar.gz HEAD

## make install      tools, manual pages, documentation, pipelines, completion, library to $(DESTDIR)$(prefix); prefix=/usr/local; make uninstall
install: all $(BUILD)/libketline.a $(EMIT_MAN) $(EMIT_BASH) $(EMIT_ZSH) $(EMIT_FISH) $(EMIT_SCHEMA)
	install -d $(addprefix $(DESTDIR),$(FOLDERS))
	install -m 755 $(BINS) $(DESTDIR)$(bindir)
	$(INSTALL_DATA) data/backbone/* $(DESTDIR)$(datadir)/ketline/backbone
	$(INSTALL_DATA) $(EMIT_MAN) $(DESTDIR)$(mandir)/man1
	@for f in $(READ); do $(INSTALL_DATA) -D $$f $(DESTDIR)$(docdir)/$$f || exit; done
	chmod 755 $(addprefix $(DESTDIR)$(docdir)/,$(wildcard pipelines/*.sh))
	$(INSTALL_DATA) $(EMIT_BASH) $(DESTDIR)$(datadir)/bash-completion/completions
	$(INSTALL_DATA) $(EMIT_ZSH) $(DESTDIR)$(zshdir)
	$(INSTALL_DATA) $(EMIT_FISH) $(DESTDIR)$(datadir)/fish/vendor_completions.d
	$(INSTALL_DATA) $(EMIT_SCHEMA) $(DESTDIR)$(datadir)/ketline/schema
	$(INSTALL_DATA) $(BUILD)/libketline.a $(wildcard $(BUILD)/bin/libketline-*.so) $(DESTDIR)$(libdir)
	$(INSTALL_DATA) -D include/ketline.h $(DESTDIR)$(includedir)/ketline/ketline.h
	@for h in $(PUBLIC); do $(INSTALL_DATA) -D $$h $(DESTDIR)$(includedir)/ketline/$${h#lib/} || exit; done
	@echo "$$KETLINE_PC" >$(DESTDIR)$(libdir)/pkgconfig/ketline.pc

uninstall:
	rm -f $(TOOLS:%=$(DESTDIR)$(bindir)/%) $(patsubst $(BUILD)/emit/man/%,$(DESTDIR)$(mandir)/man1/%,$(EMIT_MAN)) \
	    $(TOOLS:%=$(DESTDIR)$(datadir)/bash-completion/completions/%) $(TOOLS:%=$(DESTDIR)$(zshdir)/_%) \
	    $(TOOLS:%=$(DESTDIR)$(datadir)/fish/vendor_completions.d/%.fish) $(DESTDIR)$(libdir)/libketline.a $(DESTDIR)$(libdir)/libketline-cuda.so $(DESTDIR)$(libdir)/libketline-mpi.so \
	    $(DESTDIR)$(libdir)/pkgconfig/ketline.pc
	rm -rf $(DESTDIR)$(datadir)/ketline $(DESTDIR)$(includedir)/ketline $(addprefix $(DESTDIR)$(docdir)/,README.md CHANGES docs pipelines examples data)
	@cd $(DESTDIR)/ && rmdir -p --ignore-fail-on-non-empty $(patsubst /%,%,$(FOLDERS) $(includedir)) 2>/dev/null || :
