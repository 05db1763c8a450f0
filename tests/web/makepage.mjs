// A page of a made-up job, as `perfmon report --html` writes it, for tests and development:
//   node makepage.mjs [--rows N] [--hosts N] [--seed N] [--hostile] [--open] [--damaged] [--empty] FILE
import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { block, encodeNumbers, encodeTexts } from "./encode.mjs";
import { makeJob, makeSeries } from "./makejob.mjs";

const page = new URL("../../report/web/page/", import.meta.url);

export function pageScript() {
	return readFileSync(new URL("order", page), "utf8").split("\n").filter(Boolean)
		.map((name) => readFileSync(new URL(name, page), "utf8")).join("");
}

export const pageStyle = () => readFileSync(new URL("page.css", page), "utf8");

export const escape = (text) => String(text).replace(/[&<>"']/g, (c) => `&#${c.charCodeAt(0)};`);
const hash = (text) => `sha256-${createHash("sha256").update(text).digest("base64")}`;

// name: [title, unit, type, encoding, wide]
const COLUMNS = {
	parent: ["Parent", "", "index", "d"], host: ["Host", "", "index", "u"], program: ["Program", "", "index", "u"],
	start_us: ["Start", "us", "time", "d"], duration_us: ["Duration", "us", "duration", "u"], cpu_time: ["CPU time", "us", "duration", "u"],
	usertime: ["User CPU time", "us", "duration", "u"], systemtime: ["System CPU time", "us", "duration", "u"], pid: ["Process id", "", "id", "d"],
	exitcode: ["Exit status", "", "status", "u"], exitsignal: ["Signal", "", "signal", "u"], end_reason: ["Ended by", "", "index", "u"],
	rssmax: ["Peak memory", "B", "bytes", "u"], rchar: ["Read", "B", "bytes", "u"], wchar: ["Written", "B", "bytes", "u"],
	read_bytes: ["Read from storage", "B", "bytes", "u"], write_bytes: ["Written to storage", "B", "bytes", "u"],
	time_waiting: ["Waited for a CPU", "us", "duration", "u"], numtids: ["Threads", "", "count", "u"], command: ["Command", "", "text", "t"],
	inode: ["Inode", "", "id", "d", true],
};

// options.change plants a fault: {script, style, html} are functions from text to text, index from an object.
export function makePage(options = {}) {
	const job = options.empty ? withoutRows(makeJob({ hosts: 1 })) : makeJob(options);
	const series = makeSeries(job);
	const sums = {};
	let blocks = "";
	const columns = Object.entries(COLUMNS).map(([name, [title, unit, type, enc, wide = false]]) => {
		const values = job.table[name];
		const id = `pm-p-${name}`;
		const known = values.filter((v) => v !== null);
		const sum = enc === "t" ? null : String(known.reduce((total, v) => total + BigInt(v), 0n));

		blocks += block(id, enc === "t" ? encodeTexts(values) : encodeNumbers(values, enc === "d"));
		if (sum !== null)
			sums[name] = sum;
		return { name, title, unit, type, enc, id, sum, unknown: values.length - known.length, wide, help: title };
	});
	const list = series.list.map(({ mean, ...rest }, i) => {
		const known = mean.filter((v) => v !== null);
		const integers = mean.map((v) => (v === null ? null : Math.round(v / rest.scale)));
		const all = rest.band ? [...integers, ...integers.map((v) => (v === null ? null : Math.round(v * 0.8))), ...integers.map((v) => (v === null ? null : Math.round(v * 1.25)))] : integers;
		const constant = known.every((v) => v === known[0]);
		const id = constant ? null : `pm-s-${i}`;

		if (!constant)
			blocks += block(id, encodeNumbers(all, true));
		return { ...rest, id, min: Math.min(...known), max: Math.max(...known), mean: known.reduce((a, b) => a + b, 0) / known.length };
	});
	const index = {
		format: 1, perfmon: "0.2.0", job: { title: "ada/4711 build of the solver", open: job.open, cpus: job.slots * job.hosts.length, wall_us: job.span },
		origin_us: 1763690400000000, span_us: job.span, hosts: job.hosts, programs: job.programs, phases: job.phases, critical: job.critical,
		processes: { rows: job.rows, processes: job.rows, folded: null, columns }, ends: ["exit", "exec"],
		series: { steps: series.steps, step_us: series.step_us, list }, nodes: { metrics: series.nodes },
		steps: stepsOf(job),
	};

	if (options.damaged)
		blocks = blocks.replace(/(id="pm-p-cpu_time">.{20})..../, "$1AAAA");
	if (options.empty)
		Object.assign(index, { series: { steps: 0, step_us: 1, list: [] }, nodes: { metrics: [] }, phases: [], critical: [], steps: null });
	const { change = {} } = options;

	if (change.index)
		change.index(index);
	const html = document_(job, index, blocks, change);

	return { html: change.html ? change.html(html) : html, job, index, sums };
}

function withoutRows(job) {
	for (const values of Object.values(job.table))
		values.length = 0;
	return { ...job, rows: 0, programs: [] };
}

function stepsOf(job) {
	const step_us = job.span / 48;
	const cpu = new Array(48).fill(0);

	for (let row = 0; row < job.rows; row++) {
		const length = job.table.duration_us[row];
		const start = job.table.start_us[row];

		for (let i = Math.floor(start / step_us); length && i < 48 && i * step_us < start + length; i++)
			cpu[i] += ((job.table.cpu_time[row] ?? 0) / length) * (Math.min(start + length, (i + 1) * step_us) - Math.max(start, i * step_us)) / step_us;
	}
	return { step_us, cpu: cpu.map((v, i) => (i === 20 ? null : v)), active: cpu, rss: cpu.map((v) => v * 1e8) };
}

function programsTable(job) {
	const by = new Map();

	for (let row = 0; row < job.rows; row++) {
		const name = job.programs[job.table.program[row]];
		const sum = by.get(name) ?? { calls: 0, cpu: 0, rss: null };

		sum.calls++;
		sum.cpu += job.table.cpu_time[row] ?? 0;
		if (job.table.rssmax[row] !== null)
			sum.rss = Math.max(sum.rss ?? 0, job.table.rssmax[row]);
		by.set(name, sum);
	}
	const number = (value, text) => (value === null ? "<td class=\"number unknown\">unknown</td>" : `<td class="number" data-value="${value}">${escape(text)}</td>`);
	const rows = [...by].sort((a, b) => b[1].cpu - a[1].cpu).map(([name, { calls, cpu, rss }]) =>
		`<tr><td>${escape(name)}</td>${number(calls, calls)}${number(cpu, `${(cpu / 1e6).toFixed(2)} s`)}${number(rss, rss === null ? "" : `${(rss / 1e6).toFixed(1)} MB`)}</tr>`).join("\n");

	return `<table class="data" id="programs-table"><thead><tr><th scope="col" data-type="text">Program</th><th scope="col" data-type="number">Calls</th>
<th scope="col" data-type="number" data-unit="us">CPU time</th><th scope="col" data-type="number" data-unit="B">Peak memory</th></tr></thead><tbody>${rows}</tbody></table>`;
}

function seriesTable(index) {
	return `<table class="data"><thead><tr><th scope="col" data-type="text">Host</th><th scope="col" data-type="text">Series</th><th scope="col" data-type="number">Mean</th></tr></thead><tbody>
${index.series.list.map((s) => `<tr><td>${escape(index.hosts[s.host].name)}</td><td>${escape(s.title)}</td><td class="number" data-value="${s.mean}">${s.mean.toPrecision(4)} ${escape(s.unit_shown)}</td></tr>`).join("\n")}</tbody></table>`;
}

const figure = (name, value, verdict, word, why) => `<li class="${verdict}"><span class="name">${name}</span> <strong>${value}</strong> <em>${word}</em> <small>${why}</small></li>`;

function document_(job, index, blocks, change) {
	const script = change.script ? change.script(pageScript()) : pageScript();
	const style = change.style ? change.style(pageStyle()) : pageStyle();
	const seconds = (us) => (us / 1e6).toFixed(2);

	return `<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src '${hash(script)}'; style-src '${hash(style)}'; img-src data: blob:">
<meta name="viewport" content="width=device-width, initial-scale=1"><title>${escape(index.job.title)}</title>
<style>${style}</style></head>
<body>
<header id="top"><h1>${escape(index.job.title)}</h1>
<dl class="facts"><div><dt>User</dt><dd>ada</dd></div><div><dt>Scheduler</dt><dd>Slurm, job 4711</dd></div><div><dt>Nodes</dt><dd>${job.hosts.length} × ${job.slots} CPUs</dd></div>
<div><dt>Started</dt><dd><time datetime="2026-11-21T02:13:04Z">2026-11-21 03:13:04 +01:00</time></dd></div><div><dt>Exit status</dt><dd>0</dd></div></dl>
<ul class="figures">${figure("CPU efficiency", "48 %", "bad", "poor", "of 64 CPUs allocated, 31 were used")}
${figure("Peak memory", "12.4 GB", "good", "fine", "of 64.0 GB allowed on a node")}${figure("Read and written", "5.41 GB", "good", "little", "2.1 GB of it from and to storage")}
${figure("Waiting", "31 %", "fair", "some", "of process time waited for children")}${figure("GPU busy", "unknown", "unknown", "no GPU", "no device was sampled")}
${figure("Energy", "0.42 kWh", "unknown", "measured", "RAPL, whole nodes")}</ul>
<p class="completeness">Records of ${job.hosts.length} of ${job.hosts.length} hosts; ${index.processes.columns[4].unknown} processes were killed before they could write their end.</p></header>
<nav id="sections"><a href="#advice">Advice</a><a href="#timeline">Timeline</a><a href="#tree">Process tree</a><a href="#programs">Programs</a><a href="#nodes">Nodes</a><a href="#series">Series</a></nav>
<main>
<section id="advice"><h2>Advice</h2><ol>
<li class="advice" data-rule="serial"><p>The link step ran alone for 3.40 s on one of ${index.job.cpus} CPUs; linking parts in parallel could save up to 3.10 s.</p><p class="see"><a href="#timeline&amp;from=${seconds(job.last)}&amp;to=${seconds(job.span)}">see the timeline</a></p></li>
<li class="advice" data-rule="imbalance"><p>${job.hosts[job.hosts.length - 1].name} finished last: its processes took 30 % longer than those of other nodes.</p><p class="see"><a href="#timeline&amp;program=cc1">see cc1 in the timeline</a></p></li></ol></section>
<section id="timeline"><h2>Timeline</h2><p class="finding">CPUs were busy from ${seconds(job.built)} s on; the last ${seconds(job.span - job.last)} s were serial.</p><div class="view" id="view-timeline"></div><noscript><p>The timeline needs JavaScript; the table has its numbers.</p></noscript>
<details><summary>show data</summary><table class="data"><thead><tr><th scope="col" data-type="number">From</th><th scope="col" data-type="number">CPUs used</th></tr></thead><tbody>
${(index.steps?.cpu ?? []).map((v, i) => `<tr><td class="number" data-value="${i * index.steps.step_us}">${seconds(i * index.steps.step_us)} s</td>${v === null ? "<td class=\"number unknown\">unknown</td>" : `<td class="number" data-value="${v}">${v.toFixed(2)}</td>`}</tr>`).join("")}</tbody></table></details></section>
<section id="tree"><h2>Process tree</h2><p class="finding">cc1 used most of the CPU time.</p><div class="view" id="view-tree"></div><noscript><p>The tree needs JavaScript.</p></noscript></section>
<section id="programs"><h2>Programs</h2>${programsTable(job)}</section>
<section id="nodes"><h2>Nodes</h2><div class="view" id="view-nodes"></div></section>
<section id="series"><h2>Series</h2><div class="view" id="view-series"></div>${seriesTable(index)}</section>
</main>
<footer><p>perfmon ${index.perfmon}</p></footer>
<script type="application/json" id="pm-index">${JSON.stringify(index).replace(/</g, "\\u003c").replace(/[\u2028\u2029]/g, (c) => `\\u${c.charCodeAt(0).toString(16)}`)}</script>
${blocks}<script>${script}</script>
</body></html>
`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
	const options = {};
	let file = null;

	for (let i = 2; i < process.argv.length; i++) {
		const name = process.argv[i].replace(/^--/, "");

		if (name === process.argv[i])
			file = name;
		else if (["rows", "hosts", "seed", "slots"].includes(name))
			options[name] = Number(process.argv[++i]);
		else
			options[name] = true;
	}
	if (!file)
		throw new Error("usage: makepage.mjs [--rows N] [--hosts N] [--slots N] [--seed N] [--hostile] [--open] [--damaged] [--empty] FILE");
	writeFileSync(file, makePage(options).html);
}
