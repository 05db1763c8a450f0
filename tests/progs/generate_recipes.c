/* What a build runs. */
#include "config.h"

#include "tests/progs/generate.h"

#include <stdarg.h>

static void run(struct space *s, struct queue *q, struct process *parent, const char *path,
		int64_t us, const char *fmt, ...) __attribute__((format(printf, 6, 7)));

static void run(struct space *s, struct queue *q, struct process *parent, const char *path,
		int64_t us, const char *fmt, ...)
{
	struct process p = child_of(s, q, parent);
	char args[8192];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(args, sizeof args, fmt, ap);
	va_end(ap);
	command(s, q, parent, &p, path, args, us / 2 + pick((unsigned)us));
}

static const char *const folder[] = {
	"src",
	"src/core",
	"src/io/netcdf",
	"src/physics/radiation",
	"src/dynamics/advection/schemes",
	"lib/utilities",
};

#define COMPILE                                                                                    \
	"-DHAVE_CONFIG_H -I. -I../include -I../../include/%s -O2 -g -Wall -MT %s/obj%u.o -MD -MP " \
	"-MF .deps/obj%u.Tpo -c -o %s/obj%u.o %s/obj%u.c"

static void compile(struct space *s, struct queue *q, struct process *shell)
{
	const char *f = folder[pick(6)];
	unsigned n = pick(100000), us = 3000 + pick(30000);
	struct process gcc;
	char args[8192];

	run(s, q, shell, "/usr/bin/mkdir", 300, "-p %s/.deps", f);
	gcc = child_of(s, q, shell);
	snprintf(args, sizeof args, COMPILE, f, f, n, n, f, n, f, n);
	start(q, &gcc, "/usr/bin/x86_64-linux-gnu-gcc-12", "gcc", args);
	use(q, &gcc, 1500);
	run(s, q, &gcc, "/usr/lib/gcc/x86_64-linux-gnu/12/cc1", us,
	    "-quiet -I . -I ../include -I ../../include/%s -imultiarch x86_64-linux-gnu -MD "
	    "%s/obj%u.d -MF .deps/obj%u.Tpo -MP -MT %s/obj%u.o -D HAVE_CONFIG_H %s/obj%u.c -quiet "
	    "-dumpdir %s/ -dumpbase obj%u.c -dumpbase-ext .c -mtune=generic -march=x86-64 -g -O2 "
	    "-Wall -fasynchronous-unwind-tables -o /tmp/cc%06u.s",
	    f, f, n, n, f, n, f, n, f, n, pick(1000000));
	run(s, q, &gcc, "/usr/bin/x86_64-linux-gnu-as", us / 8 + 1,
	    "-I . -I ../include -I ../../include/%s --gdwarf-5 --64 -o %s/obj%u.o /tmp/cc%06u.s", f,
	    f, n, pick(1000000));
	end(q, &gcc, 0);
	reap(s, q, shell, &gcc, 0, 0, false);
	run(s, q, shell, "/usr/bin/mv", 300, "-f .deps/obj%u.Tpo .deps/obj%u.Po", n, n);
}

static void link_program(struct space *s, struct queue *q, struct process *shell)
{
	struct process gcc = child_of(s, q, shell), collect;
	char objects[2048], args[8192];
	size_t n = 0;

	for (int i = 0; i < 40; i++)
		n += (size_t)snprintf(objects + n, sizeof objects - n, " %s/obj%u.o",
				      folder[pick(6)], pick(100000));
	snprintf(args, sizeof args, "-O2 -g -o bin/program%u%s -lm", pick(1000), objects);
	start(q, &gcc, "/usr/bin/x86_64-linux-gnu-gcc-12", "gcc", args);
	use(q, &gcc, 1500);
	collect = child_of(s, q, &gcc);
	snprintf(args, sizeof args,
		 "-plugin /usr/lib/gcc/x86_64-linux-gnu/12/liblto_plugin.so "
		 "-plugin-opt=-pass-through=-lgcc -plugin-opt=-pass-through=-lc --build-id "
		 "--eh-frame-hdr -m elf_x86_64 --hash-style=gnu --as-needed -dynamic-linker "
		 "/lib64/ld-linux-x86-64.so.2 -pie -L/usr/lib/gcc/x86_64-linux-gnu/12%s -lm -lc",
		 objects);
	start(q, &collect, "/usr/lib/gcc/x86_64-linux-gnu/12/collect2", NULL, args);
	use(q, &collect, 800);
	run(s, q, &collect, "/usr/bin/x86_64-linux-gnu-ld.bfd", 20000, "%s", args);
	end(q, &collect, 0);
	reap(s, q, &gcc, &collect, 0, 0, false);
	end(q, &gcc, 0);
	reap(s, q, shell, &gcc, 0, 0, false);
}

/* A script: its shell forks, some children exec, one is a pipe's subshell, one is static. */
static void script(struct space *s, struct queue *q, struct process *shell)
{
	struct process fork = child_of(s, q, shell), unseen;

	start(q, &fork, "/usr/bin/bash", NULL, "./configure --prefix=/opt/model");
	use(q, &fork, 100);
	end(q, &fork, -1);
	command(s, q, shell, &fork, "/usr/bin/sed",
		"-e s/@prefix@/\\\\x2fopt\\\\x2fmodel/ config.h.in", 400 + pick(400));
	fork = child_of(s, q, shell);
	start(q, &fork, "/usr/bin/bash", NULL, "./configure --prefix=/opt/model");
	use(q, &fork, 200);
	run(s, q, &fork, "/usr/bin/grep", 500, "-c model_%u configure.log", pick(1000));
	end(q, &fork, 0);
	reap(s, q, shell, &fork, 0, 0, false);
	if (pick(4) != 0)
		return;
	unseen = child_of(s, q, shell);
	unseen.own.minflt = 40 + pick(50);
	use(q, &unseen, 900);
	unseen.rss_kb = 900;
	reap(s, q, shell, &unseen, 0, 0, true);
	job.images++;
	job.unseen++;
}

/* A chain of execs in one process, such as nice env program: asked.chains of them. */
static void chain(struct space *s, struct queue *q, struct process *shell)
{
	static const char *const wrapper[] = { "/usr/bin/nice", "/usr/bin/env", "/usr/bin/timeout",
					       "/usr/bin/setarch" };
	struct process p = child_of(s, q, shell);
	char args[128];

	snprintf(args, sizeof args, "-n 5 env LC_ALL=C /usr/bin/python3 tools/check%u.py",
		 pick(500));
	for (long i = 0; i < asked.chains; i++) {
		start(q, &p, wrapper[i % 4], NULL, args);
		use(q, &p, 150);
		end(q, &p, -1);
	}
	command(s, q, shell, &p, "/usr/bin/python3.11",
		"tools/check.py --all --report out/check.txt", 9000);
}

/* A command of make itself, where less is left to make than a recipe takes. */
static void single(struct space *s, struct queue *q)
{
	struct process fork = child_of(s, q, &s->init);

	if (s->left > 1) {
		start(q, &fork, "/usr/bin/make", NULL, "-j8 -C build --no-print-directory all");
		use(q, &fork, 100);
		end(q, &fork, -1);
	}
	command(s, q, &s->init, &fork, "/usr/bin/touch", "build/stamp", 300 + pick(300));
}

/* A shell of make and what it runs. */
static void step(struct space *s, struct queue *q)
{
	struct process shell = child_of(s, q, &s->init);
	unsigned kind = pick(20), n = pick(100000);
	const char *f = folder[pick(6)];
	char args[8192];

	snprintf(
		args, sizeof args,
		kind < 15
			? "-c mkdir\\x20-p\\x20%s/.deps\\x20&&\\x20gcc\\x20-DHAVE_CONFIG_H\\x20-I."
			  "\\x20-I../include\\x20-O2\\x20-g\\x20-Wall\\x20-MT\\x20obj%u.o\\x20-MD"
			  "\\x20-MP\\x20-c\\x20-o\\x20obj%u.o\\x20obj%u.c\\x20&&\\x20mv\\x20-f\\x20"
			  ".deps/obj%u.Tpo\\x20.deps/obj%u.Po"
			: "-c cd\\x20%s\\x20&&\\x20./step%u.sh\\x20%u\\x20%u\\x20%u\\x20%u",
		f, n, n, n, n, n);
	start(q, &shell, "/usr/bin/dash", "sh", args);
	use(q, &shell, 300);
	if (kind < 15)
		compile(s, q, &shell);
	else if (kind < 16)
		link_program(s, q, &shell);
	else if (kind < 19 || asked.chains == 0)
		script(s, q, &shell);
	else
		chain(s, q, &shell);
	end(q, &shell, 0);
	reap(s, q, &s->init, &shell, 0, 0, false);
}

void recipe(struct space *s, struct queue *q)
{
	/* Images of the largest steps: compile() and script(), chain(). */
	const long most = asked.chains > 4 ? 2 + asked.chains : 6, before = job.images;

	if (s->left < most)
		single(s, q);
	else
		step(s, q);
	s->left -= job.images - before;
}

/*
 * Two images of one moment, each of which names the other as its parent, as pids that came back can
 * make it look: perfmon-schema(5) says which one becomes a root.
 */
long cycle(struct space *s, struct queue *q, long *left)
{
	struct process a = child_of(s, q, &s->init), b = child_of(s, q, &s->init);

	a.waited = b.waited = false;
	b.starttime = a.starttime;
	a.ppid = b.pid;
	b.ppid = a.pid;
	start(q, &a, "/usr/bin/true", NULL, "");
	start(q, &b, "/usr/bin/true", NULL, "");
	a.parent_pid = a.pid < b.pid ? 0 : b.pid;
	b.parent_pid = b.pid < a.pid ? 0 : a.pid;
	a.parent_us = b.parent_us = q->now_us;
	use(q, &a, 100);
	end(q, &a, 0);
	end(q, &b, 0);
	s->free_us[a.pid] = s->free_us[b.pid] = q->now_us;
	--*left;
	return 2;
}
