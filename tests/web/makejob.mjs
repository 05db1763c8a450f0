// A made-up build as rows of processes and series: make, sh, gcc, cc1, as on several hosts, from a seed.

export function randomOf(seed) {
	let a = seed >>> 0;

	return () => { // mulberry32
		a = (a + 0x6d2b79f5) >>> 0;
		let t = Math.imul(a ^ (a >>> 15), a | 1);
		t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
		return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
	};
}

export const HOSTILE = [
	"</script><img src=x onerror=\"document.title='owned'\">",
	"<!--<script>",
	"line\u2028separator",
	"right\\u202eto left",
	"ünïcödé 漢字 مرحبا",
	"x".repeat(10240),
	"' \" & < > ` ${1}",
	"__proto__",
];

const PROGRAMS = ["bash", "make", "sh", "gcc", "cc1", "as", "collect2", "ld", "configure", "conftest", "sed", "awk", "rm", "install", "python3", "ar"];

export function makeJob({ rows = 2000, hosts = 4, slots = 16, seed = 1, hostile = false, open = false } = {}) {
	const random = randomOf(seed);
	const programs = [...PROGRAMS, ...(hostile ? HOSTILE : [])];
	const table = {
		parent: [], host: [], program: [], start_us: [], duration_us: [], cpu_time: [], usertime: [], systemtime: [], pid: [],
		exitcode: [], exitsignal: [], end_reason: [], rssmax: [], rchar: [], wchar: [], read_bytes: [], write_bytes: [],
		time_waiting: [], numtids: [], command: [], inode: [],
	};
	const index = (name) => programs.indexOf(name);
	const pids = Array.from({ length: hosts }, () => 1000);

	function add(parent, host, program, start, length, { load = 0.9, args = "", code = 0 } = {}) {
		const row = table.parent.length;
		const cpu = Math.round(length * load * (0.7 + 0.3 * random()));
		const lost = random() < 0.002;
		const system = Math.round(cpu * 0.2 * random());

		table.parent.push(parent);
		table.host.push(host);
		table.program.push(index(program));
		table.start_us.push(Math.round(start));
		table.duration_us.push(lost ? null : Math.max(1, Math.round(length)));
		table.cpu_time.push(lost ? null : cpu);
		table.usertime.push(lost ? null : cpu - system);
		table.systemtime.push(lost ? null : system);
		table.pid.push(pids[host]++);
		table.exitcode.push(lost ? null : code);
		table.exitsignal.push(lost ? null : code === 0 && random() < 0.0008 ? 11 : 0);
		table.end_reason.push(lost ? null : 0);
		table.rssmax.push(lost ? null : Math.round((program === "cc1" ? 8e7 : 4e6) * (0.5 + random() * 2)));
		table.rchar.push(random() < 0.01 ? null : Math.round(random() ** 4 * 3e7));
		table.wchar.push(Math.round(random() ** 4 * 5e6));
		table.read_bytes.push(Math.round(random() ** 6 * 5e6));
		table.write_bytes.push(Math.round(random() ** 6 * 2e6));
		table.time_waiting.push(Math.round(length * random() * 0.1));
		table.numtids.push(1);
		table.command.push(args);
		table.inode.push(9007199254740993n + BigInt(row)); // beyond 2^53
		return row;
	}
	function finish(row, end, load) {
		if (table.duration_us[row] === null)
			return;
		table.duration_us[row] = Math.max(1, Math.round(end - table.start_us[row]));
		table.cpu_time[row] = Math.round(Math.min(20000, table.duration_us[row]) * load);
		table.usertime[row] = table.cpu_time[row];
		table.systemtime[row] = 0;
	}

	const root = add(-1, 0, "bash", 0, 1, { args: "/bin/bash job.sh" });
	const perFile = 6;
	const files = Math.max(4, Math.floor((rows - 30 - hosts) / perFile));
	const configure = add(root, 0, "configure", 50000, 1, { args: "./configure --prefix=/opt/app" });
	let clock = 80000;

	for (let i = 0; i < 24; i++) {
		const length = 20000 + random() * 160000;
		add(configure, 0, ["sed", "awk", "rm", "conftest"][i % 4], clock, length, { load: 0.6, args: `step ${i}`, code: i % 11 === 7 ? 1 : 0 });
		clock += length + 15000;
	}
	finish(configure, clock, 0.3);
	const built = clock + 100000;
	let last = built;

	for (let host = 0; host < hosts; host++) {
		const free = new Float64Array(slots).fill(built + host * 150000);
		const top = add(root, host, "make", built + host * 120000, 1, { args: `make -j${slots}` });
		const mine = Math.floor(files / hosts) + (host < files % hosts ? 1 : 0);
		let end = built;

		for (let done = 0; done < mine;) {
			const directory = add(top, host, "make", free[0], 1, { args: `make -C src/module${done}` });
			const count = Math.min(mine - done, 4 + Math.floor(random() * 40));
			let begin = Infinity;
			let until = 0;

			for (let i = 0; i < count; i++) {
				let slot = 0;

				for (let s = 1; s < slots; s++)
					if (free[s] < free[slot])
						slot = s;
				const start = Math.max(free[slot], built) + 2000 + random() * 3000;
				const length = (60000 + random() ** 5 * 4e6) * (host === hosts - 1 ? 1.3 : 1);
				const name = `src/module${done}/file${i}.c`;
				const sh = add(directory, host, "sh", start, length + 9000, { load: 0.02, args: `sh -c 'gcc -O2 -c ${name}'` });
				const gcc = add(sh, host, "gcc", start + 2000, length + 6000, { load: 0.02, args: `gcc -O2 -c ${name}` });
				const failing = random() < 0.0015;

				add(gcc, host, "cc1", start + 4000, length * 0.9, { args: `cc1 -quiet ${name}`, code: failing ? 1 : 0 });
				add(gcc, host, "as", start + 4000 + length * 0.9, length * 0.1, { args: `as -o ${name.replace(".c", ".o")}`, load: 0.7 });
				add(directory, host, hostile && i < HOSTILE.length ? HOSTILE[i] : "rm", start + length + 9500, 3000, { load: 0.5, args: hostile ? HOSTILE[(i + 3) % HOSTILE.length] : "rm -f tmp" });
				begin = Math.min(begin, start);
				until = Math.max(until, start + length + 13000);
				free[slot] = start + length + 13500;
			}
			table.start_us[directory] = Math.round(begin - 1500);
			finish(directory, until + 1000, 0.1);
			end = Math.max(end, until + 2000);
			done += count;
		}
		finish(top, end, 0.05);
		last = Math.max(last, end);
	}
	const link = add(root, 0, "collect2", last + 50000, 3.1e6, { load: 0.05 });
	add(link, 0, "ld", last + 80000, 3e6, { args: "ld -o app" });
	const span = Math.round(last + 3.4e6);

	finish(root, span - 1000, 0.02);
	if (open)
		table.duration_us[root] = null;
	table.parent = table.parent.map((p) => (p < 0 ? null : p));
	return {
		table, programs, span, open, slots, rows: table.parent.length,
		hosts: Array.from({ length: hosts }, (_, i) => ({ name: `node${String(i + 1).padStart(2, "0")}`, cpus: slots })),
		phases: [
			{ host: 0, name: "configure", begin_us: 0, end_us: Math.round(built), ended: true },
			{ host: 0, name: "build", begin_us: Math.round(built), end_us: Math.round(last), ended: true },
			{ host: 0, name: "link", begin_us: Math.round(last), end_us: null, ended: false },
		],
		critical: criticalOf(table, root, configure, link, built, last, span),
		random, built, last,
	};
}

// Not computed: a chain that looks like one.
function criticalOf(table, root, configure, link, built, last, span) {
	const slowest = table.duration_us.reduce((best, d, i) => (i > 30 && table.program[i] === 4 && d > (table.duration_us[best] ?? 0) && table.start_us[i] > (built + last) / 2 ? i : best), 31);

	return [
		{ row: configure, begin_us: 50000, end_us: Math.round(built), cpu: 0.8, what: "cpu" },
		{ row: slowest, begin_us: table.start_us[slowest], end_us: table.start_us[slowest] + table.duration_us[slowest], cpu: 0.9, what: "cpu" },
		{ row: link + 1, begin_us: Math.round(last + 80000), end_us: span - 300000, cpu: 0.95, what: "cpu" },
		{ row: root, begin_us: span - 300000, end_us: span - 1000, cpu: 0.1, what: "waiting" },
	];
}

// Series of the job: CPU states, memory, disk, network, power of each host, with gaps.
export function makeSeries(job, steps = 480) {
	const { random, hosts, span } = job;
	const step_us = span / steps;
	const list = [];

	hosts.forEach((host, h) => {
		const busy = Array.from({ length: steps }, (_, i) => {
			const t = (i + 0.5) * step_us;
			const level = t < job.built ? (h === 0 ? 0.06 : 0.002) : t < job.last ? 0.93 * (h === hosts.length - 1 ? 0.55 : 1) : (h === 0 ? 0.07 : 0.002);
			return Math.min(1, level * (0.85 + random() * 0.2));
		});
		const gap = h === 1 ? [[200, 24, "the sampler was stopped"]] : [];
		const lost = (i) => gap.some(([from, n]) => i >= from && i < from + n);
		const put = (source, metric, unit_shown, group, type, kind, value, scale, band) => {
			const mean = busy.map((b, i) => (lost(i) ? null : Math.max(0, value(b, i))));
			list.push({ host: h, source, metric, object: null, unit: unit_shown.replace("/s", ""), unit_shown, kind, title: `${source} ${metric}`, group, type, scale, band, gaps: gap, mean });
		};
		const cpus = host.cpus * 1e6;

		put("cpu", "user", "us/s", "CPU", "rate", "counter", (b) => b * 0.8 * cpus, 100, false);
		put("cpu", "system", "us/s", "CPU", "rate", "counter", (b) => b * 0.15 * cpus, 100, false);
		put("cpu", "iowait", "us/s", "CPU", "rate", "counter", (b) => b * 0.05 * cpus * random(), 100, false);
		put("cpu", "idle", "us/s", "CPU", "rate", "counter", (b) => (1 - b) * cpus, 100, false);
		put("cpu", "running", "n", "CPU", "count", "gauge", (b) => Math.round(b * host.cpus * 1.1), 0.01, true);
		put("memory", "used", "B", "Memory", "bytes", "gauge", (b, i) => 3e9 + b * 9e9 + i * 4e6, 4096, false);
		put("memory", "cached", "B", "Memory", "bytes", "gauge", (b, i) => 1e9 + i * 2e7, 4096, false);
		put("disk", "read", "B/s", "Disk", "bytes", "counter", (b) => b * 4e7 * random() ** 3, 1, true);
		put("disk", "written", "B/s", "Disk", "bytes", "counter", (b) => b * 9e7 * random() ** 2, 1, true);
		put("network", "received", "B/s", "Network", "bytes", "counter", (b) => b * 2e7 * random(), 1, true);
		put("rapl", "power", "W", "Power", "power", "gauge", (b) => 60 + b * 180, 0.01, true);
		put("memory", "total", "B", "Memory", "bytes", "gauge", () => 6.4e10, 4096, false);
	});
	const at = (h, metric, source) => {
		const i = list.findIndex((s) => s.host === h && s.source === source && s.metric === metric);
		return i < 0 ? null : i;
	};
	const nodes = [["CPU used", "us/s", job.slots * 1e6, "user", "cpu"], ["Memory used", "B", 6.4e10, "used", "memory"], ["Network received", "B/s", null, "received", "network"],
		["Disk written", "B/s", null, "written", "disk"], ["Power", "W", null, "power", "rapl"]]
		.map(([title, unit, max, metric, source]) => ({ title, type: "rate", unit, max, series: hosts.map((_, h) => at(h, metric, source)) }));

	return { steps, step_us, list, nodes };
}
