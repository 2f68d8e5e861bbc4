# Konza: see README.md. Each target installs the Debian packages that it needs and that are missing (config/packages).

PREFIX ?= /usr
SYSCONFDIR ?= /etc
DESTDIR ?=
LIBDIR ?= $(PREFIX)/lib
STATE ?= $(or $(XDG_STATE_HOME),$(HOME)/.local/state)/konza
SWIFT ?= swift

# No index for editors, which make their own: it would take a fifth of the processor's time of a debug build.
DEBUG_FLAGS = --disable-index-store $(if $(WHOLE),$(WHOLE_FLAGS)) $(if $(SANITIZE),--sanitize $(SANITIZE))
# Each module at once: from nothing a fifth less of the processor's time, after an edit the whole of its module. Nobody debugs it:
# that its stacks have lines is enough, for an eighth less.
WHOLE_FLAGS = -Xswiftc -whole-module-optimization -Xswiftc -num-threads -Xswiftc 2 \
    -debug-info-format none -Xswiftc -gline-tables-only
# Nothing for debuggers, which the programs would lose anyway: a build takes a third less of the processor's time. No symbols, also none
# for libraries that nothing loads (a megabyte and a half, of which some is read at each start); all bound at start and then
# read-only; and no library beside the program that it would take.
RELEASE_FLAGS = -c release -debug-info-format none --static-swift-stdlib --disable-local-rpath \
    -Xlinker -s -Xlinker --no-export-dynamic -Xlinker -z -Xlinker now
RELEASE = .build/release

.PHONY: help run fleet build build-tests test contract pages kiosk-test check format references screenshots soak-pages soak-play bench bench-build bench-stamping bench-position bench-portal bench-fleet fuzz races lab docs deb deb-test \
    install install-kiosk install-hub uninstall clean packages-%

help:
	@echo "make run      build, start konzad here, take a postcard, stay until Ctrl-C (STATE=folder)"
	@echo "make test     build and run every test (TEST=name: those of suites with such a name; WHOLE=yes: built faster from nothing, slower after an edit)"
	@echo "make contract  requests made from the contract, every answer judged (CONTRACT=long: some 20 000 of them, SEED=n)"
	@echo "make pages    a visitor's way through the kiosk's pages, in a real browser (PAGES=folder keeps pictures of every screen)"
	@echo "make screenshots  the pictures of the kiosk's page in README.md, anew"
	@echo "make soak-pages  postcards in one session of the kiosk, memory held to a level (CARDS=2000)"
	@echo "make soak-play  the learning games for an hour in one session, memory held to a level (MINUTES=60)"
	@echo "make kiosk-test  the kiosk's session in cage without a screen: its browser, renderer and GPU process are killed"
	@echo "make fleet    three stations, a broker, a database and konza-hub on this machine, until Ctrl-C (BROKER=rabbitmq)"
	@echo "make check    format, build, tests, documentation, units: all that a change must pass"
	@echo "make format   put the form of the sources right"
	@echo "make references  write the configuration, manuals and completion anew from their declarations"
	@echo "make bench    measure konzad beside what one would otherwise use (BENCH=parts and options)"
	@echo "make bench-stamping  every way to stamp a JPEG, in ten minutes (BENCH=--quick: in one, 1920x1080 alone)"
	@echo "make bench-position  how often an occupation's claim holds, and how large it is"
	@echo "make bench-portal  the portal and its page in Chromium, beside photobooth-app (which it installs: 700 MB)"
	@echo "make bench-fleet  2000 simulated boxes and 20 whole stations at real engines, storms and kills, about an hour (BENCH='--boxes N --stations N --kills N --minutes N --quick')"
	@echo "make fuzz     feed hostile input to one part for two minutes (FUZZ=stamping; the others are in Tests/Fuzz/targets; FUZZ_SECONDS=n)"
	@echo "make races    run tests and the programs that they start under ThreadSanitizer (TEST=name)"
	@echo "make lab      break everything, in an emulated machine (TEST=name, SET=short)"
	@echo "make docs     the reference pages, in build/docs"
	@echo "make deb      build/konza_VERSION_ARCH.deb, build/konza-kiosk_VERSION_all.deb and build/konza-hub_VERSION_ARCH.deb, judged by lintian"
	@echo "make deb-test install, upgrade, remove and purge those packages in a Debian 12 of its own (OLDER=konza_VERSION_ARCH.deb: upgraded from that one, too)"
	@echo "make install  programs, units, templates (DESTDIR, PREFIX); make install-kiosk: what shows the page on a screen; install-hub: the fleet's hub"

# Installs the packages of the groups named in the target: packages-build+run.
packages-%:
	@config/install-packages $(subst +, ,$*)

# All at once: one product after another leaves a processor idle while the last module of each is optimised.
build: packages-build
	$(SWIFT) build $(RELEASE_FLAGS)

# Ctrl-C ends both: they share the terminal.
run: packages-build+run build
	@$(RELEASE)/konza-portal --socket "$(STATE)/konza.sock" --state "$(STATE)/portal" & portal=$$!; trap 'kill $$portal 2>/dev/null' EXIT; \
	    $(RELEASE)/konzad --state "$(STATE)" --first-postcard

# Real engines on loopback and Unix sockets, with folders of their own that go when it ends.
fleet: packages-build+run+fleet build
	PROGRAMS=$(RELEASE) BROKER=$(BROKER) Tests/Fleet/try

build-tests: packages-build
	$(SWIFT) build $(DEBUG_FLAGS) --build-tests

# In lanes, each one test after another: many start programs, and wait for what these do in time.
test: packages-build+run+test+fleet build-tests
	Tests/run $(if $(TEST),--filter '$(TEST)')

contract: packages-build+run+contract build
	KONZAD=$(RELEASE)/konzad Tests/Contract/run $(CONTRACT)

# The programs as they are shipped: a scene that is painted without optimisation takes a processor for itself.
pages: packages-build+run+test+pages build
	PROGRAMS=$(RELEASE) Tests/Pages/run --lanes 3 $(PAGES)

screenshots: packages-build+run+test build
	PROGRAMS=$(RELEASE) CAMERA=1920x1080 Tests/Pages/station Tests/Pages/screenshots config/screens

soak-pages: packages-build+run+test build
	PROGRAMS=$(RELEASE) CAMERA=1280x720 Tests/Pages/station Tests/Pages/soak $(or $(CARDS),2000)

soak-play: packages-build+run+test build
	PROGRAMS=$(RELEASE) Tests/Pages/station Tests/Pages/soak-play $(or $(MINUTES),60)

# A picture of day: at night the prairie has hardly more colours than the test asks for.
kiosk-test: packages-build+run+test build
	PROGRAMS=$(RELEASE) RECORDING=$(CURDIR)/config/postcard.jpg Tests/Pages/station Tests/Kiosk/run $(KIOSK)

check:
	@CI=$(CI) .ci/run

format:
	$(SWIFT) format --in-place --recursive Sources Tests Package.swift

# The tests that compare these files with their declarations write them.
REFERENCES = SettingsTests|GeneratedFilesTests|ManualPageTests|FleetSchemaTests
references: build-tests
	KONZA_UPDATE_REFERENCE=1 KONZA_REWRITE=1 Tests/run --filter '$(REFERENCES)' >/dev/null || true
	Tests/run --filter '$(REFERENCES)'

# The bench is built with all else.
bench-build: packages-build+run+test+bench build

bench: bench-build
	$(RELEASE)/konza-bench --quick --json build/bench.json $(BENCH)

bench-stamping: bench-build
	$(RELEASE)/konza-bench stamping --json build/bench-stamping.json $(BENCH)

bench-position: bench-build
	$(RELEASE)/konza-bench position --json build/bench-position.json $(BENCH)

# Without photobooth-app, `make bench` measures the portal alone.
bench-portal: bench-build
	@PYTHON_FOLDER=build/photobooth config/install-packages rival
	$(RELEASE)/konza-bench portal --json build/bench-portal.json $(BENCH)

bench-fleet: packages-fleet bench-build
	$(RELEASE)/konza-bench fleet --json build/bench-fleet.json $(BENCH)

fuzz: packages-build
	Tests/Fuzz/run $(or $(FUZZ),stamping) $(or $(FUZZ_SECONDS),120)

races: packages-build+run+test+fleet
	Tests/Races/run $(if $(TEST),'$(TEST)')

# The package in the machine, the built programs here.
lab: packages-run+test+lab deb
	Tests/Lab/run $(if $(TEST),$(TEST),--set $(or $(SET),full))

docs: packages-build
	DEBUG_FLAGS='$(DEBUG_FLAGS)' config/build-docs build/docs

deb: packages-build+deb build
	config/build-deb

deb-test: packages-root deb
	OLDER=$(OLDER) Tests/Package/run

# Needs no compiler where the programs are built already, as on the box they are copied to.
install:
	@test -x $(RELEASE)/konzad -a -x $(RELEASE)/konza -a -x $(RELEASE)/konza-courier \
	    -a -x $(RELEASE)/konza-portal -a -x $(RELEASE)/konza-fleet || $(MAKE) build
	install -d $(DESTDIR)$(PREFIX)/bin $(DESTDIR)$(PREFIX)/share/konza/templates \
	    $(DESTDIR)$(PREFIX)/share/konza/recordings $(DESTDIR)$(PREFIX)/share/konza/terrain $(DESTDIR)$(SYSCONFDIR)/konza/konzad.conf.d \
	    $(DESTDIR)$(SYSCONFDIR)/konza/templates $(DESTDIR)$(SYSCONFDIR)/konza/station \
	    $(DESTDIR)$(LIBDIR)/systemd/system \
	    $(DESTDIR)$(PREFIX)/lib/sysusers.d $(DESTDIR)$(PREFIX)/lib/tmpfiles.d $(DESTDIR)$(LIBDIR)/udev/rules.d \
	    $(DESTDIR)$(PREFIX)/share/man/man1 $(DESTDIR)$(PREFIX)/share/man/man5 $(DESTDIR)$(PREFIX)/share/man/man8 \
	    $(DESTDIR)$(PREFIX)/share/bash-completion/completions
	install -m 755 $(RELEASE)/konzad $(RELEASE)/konza $(RELEASE)/konza-courier $(RELEASE)/konza-portal \
	    $(RELEASE)/konza-fleet $(DESTDIR)$(PREFIX)/bin/
	cd Sources/Pages && find . -type f -exec install -D -m 644 {} $(abspath $(DESTDIR)$(PREFIX))/share/konza/pages/{} \;
	install -m 644 config/templates/* $(DESTDIR)$(PREFIX)/share/konza/templates/
	cd config/station && find . -type f -exec install -D -m 644 {} $(abspath $(DESTDIR)$(PREFIX))/share/konza/station/{} \;
	install -m 644 config/recordings/* $(DESTDIR)$(PREFIX)/share/konza/recordings/
	install -m 644 config/terrain/*.heights config/terrain/*.geojson config/terrain/*.COF config/terrain/*.mbtiles config/terrain/SOURCES.md \
	    $(DESTDIR)$(PREFIX)/share/konza/terrain/
	test -e $(DESTDIR)$(SYSCONFDIR)/konza/konzad.conf || \
	    install -m 644 config/konzad.conf $(DESTDIR)$(SYSCONFDIR)/konza/
	install -m 644 systemd/konzad.service systemd/konzad.socket systemd/konza-courier.service systemd/konza-fleet.service \
	    systemd/konza-portal.service systemd/konza-portal.socket $(DESTDIR)$(LIBDIR)/systemd/system/
	install -D -m 755 systemd/konza-portal-generator -t $(DESTDIR)$(LIBDIR)/systemd/system-generators/
	install -m 644 systemd/konza.sysusers $(DESTDIR)$(PREFIX)/lib/sysusers.d/konza.conf
	install -m 644 systemd/konza.tmpfiles $(DESTDIR)$(PREFIX)/lib/tmpfiles.d/konza.conf
	install -m 644 systemd/70-konza.rules $(DESTDIR)$(LIBDIR)/udev/rules.d/
	install -m 644 config/man/konza.1 $(DESTDIR)$(PREFIX)/share/man/man1/
	install -m 644 config/man/konzad.conf.5 $(DESTDIR)$(PREFIX)/share/man/man5/
	install -m 644 config/man/konzad.8 config/man/konza-courier.8 config/man/konza-portal.8 config/man/konza-fleet.8 \
	    $(DESTDIR)$(PREFIX)/share/man/man8/
	install -m 644 config/completion/konza.bash $(DESTDIR)$(PREFIX)/share/bash-completion/completions/konza

install-kiosk:
	install -D -m 755 config/kiosk/kiosk-session -t $(DESTDIR)$(PREFIX)/lib/konza/
	install -D -m 644 config/kiosk/konza-kiosk.json -t $(DESTDIR)$(SYSCONFDIR)/chromium/policies/managed/
	test -e $(DESTDIR)$(SYSCONFDIR)/default/konza-kiosk || \
	    install -D -m 644 config/kiosk/konza-kiosk.default $(DESTDIR)$(SYSCONFDIR)/default/konza-kiosk
	install -D -m 644 systemd/konza-kiosk.service -t $(DESTDIR)$(LIBDIR)/systemd/system/
	install -D -m 644 systemd/konza-kiosk.sysusers $(DESTDIR)$(PREFIX)/lib/sysusers.d/konza-kiosk.conf
	install -D -m 644 config/man/konza-kiosk.8 -t $(DESTDIR)$(PREFIX)/share/man/man8/

install-hub:
	test -x $(RELEASE)/konza-hub || $(MAKE) build
	install -D -m 755 $(RELEASE)/konza-hub -t $(DESTDIR)$(PREFIX)/bin/
	test -e $(DESTDIR)$(SYSCONFDIR)/konza/konza-hub.conf || \
	    install -D -m 644 config/konza-hub.conf -t $(DESTDIR)$(SYSCONFDIR)/konza/
	install -D -m 644 config/fleet/* -t $(DESTDIR)$(PREFIX)/share/konza-hub/
	chmod 755 $(DESTDIR)$(PREFIX)/share/konza-hub/rabbitmq-rights
	install -D -m 644 config/schemas/* -t $(DESTDIR)$(PREFIX)/share/konza-hub/schemas/
	install -D -m 644 systemd/konza-hub.service systemd/konza-hub-crl.path systemd/konza-hub-crl.service \
	    -t $(DESTDIR)$(LIBDIR)/systemd/system/
	install -D -m 644 systemd/konza-hub.sysusers $(DESTDIR)$(PREFIX)/lib/sysusers.d/konza-hub.conf
	install -D -m 644 systemd/konza-hub.tmpfiles $(DESTDIR)$(PREFIX)/lib/tmpfiles.d/konza-hub.conf
	install -D -m 644 config/man/konza-hub.8 -t $(DESTDIR)$(PREFIX)/share/man/man8/

uninstall:
	rm -f $(DESTDIR)$(PREFIX)/bin/konza-hub $(DESTDIR)$(LIBDIR)/systemd/system/konza-hub.service \
	    $(DESTDIR)$(LIBDIR)/systemd/system/konza-hub-crl.path $(DESTDIR)$(LIBDIR)/systemd/system/konza-hub-crl.service \
	    $(DESTDIR)$(PREFIX)/lib/sysusers.d/konza-hub.conf $(DESTDIR)$(PREFIX)/lib/tmpfiles.d/konza-hub.conf \
	    $(DESTDIR)$(PREFIX)/share/man/man8/konza-hub.8
	rm -rf $(DESTDIR)$(PREFIX)/share/konza-hub
	rm -f $(DESTDIR)$(PREFIX)/bin/konzad $(DESTDIR)$(PREFIX)/bin/konza $(DESTDIR)$(PREFIX)/bin/konza-courier \
	    $(DESTDIR)$(PREFIX)/bin/konza-portal $(DESTDIR)$(LIBDIR)/systemd/system/konza-portal.service \
	    $(DESTDIR)$(LIBDIR)/systemd/system/konza-portal.socket \
	    $(DESTDIR)$(LIBDIR)/systemd/system-generators/konza-portal-generator \
	    $(DESTDIR)$(LIBDIR)/systemd/system/konza-kiosk.service $(DESTDIR)$(PREFIX)/lib/konza/kiosk-session \
	    $(DESTDIR)$(PREFIX)/lib/sysusers.d/konza-kiosk.conf $(DESTDIR)$(PREFIX)/share/man/man8/konza-kiosk.8 \
	    $(DESTDIR)$(SYSCONFDIR)/chromium/policies/managed/konza-kiosk.json \
	    $(DESTDIR)$(PREFIX)/share/man/man8/konza-portal.8 \
	    $(DESTDIR)$(LIBDIR)/systemd/system/konza-courier.service \
	    $(DESTDIR)$(PREFIX)/bin/konza-fleet $(DESTDIR)$(LIBDIR)/systemd/system/konza-fleet.service \
	    $(DESTDIR)$(PREFIX)/share/man/man8/konza-fleet.8 \
	    $(DESTDIR)$(PREFIX)/share/man/man8/konza-courier.8 \
	    $(DESTDIR)$(LIBDIR)/systemd/system/konzad.service $(DESTDIR)$(LIBDIR)/systemd/system/konzad.socket \
	    $(DESTDIR)$(PREFIX)/lib/sysusers.d/konza.conf $(DESTDIR)$(PREFIX)/lib/tmpfiles.d/konza.conf \
	    $(DESTDIR)$(LIBDIR)/udev/rules.d/70-konza.rules $(DESTDIR)$(PREFIX)/share/man/man1/konza.1 \
	    $(DESTDIR)$(PREFIX)/share/man/man5/konzad.conf.5 $(DESTDIR)$(PREFIX)/share/man/man8/konzad.8 \
	    $(DESTDIR)$(PREFIX)/share/bash-completion/completions/konza
	rm -rf $(DESTDIR)$(PREFIX)/share/konza

clean:
	rm -rf .build build
