// What the page of report --html takes in headless Chromium: node bench/web.mjs [ROWS | PAGE.html…]  (180000 1000000)
// ROWS: made-up pages of tests/web/makepage.mjs. Times are of the page's own thread; under load look at the CPU time.
import { mkdtempSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { loadavg, tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { Browser } from "../tests/web/cdp.mjs";
import { makePage } from "../tests/web/makepage.mjs";

const directory = mkdtempSync(join(tmpdir(), "perfmon-web."));
const sizes = process.argv.length > 2 ? process.argv.slice(2) : ["180000", "1000000"];
const sorted = (list) => [...list].sort((a, b) => a - b);
const at = (list, share) => sorted(list)[Math.min(list.length - 1, Math.floor(list.length * share))];
const ms = (v) => `${v.toFixed(v < 10 ? 1 : 0)} ms`;
const spread = (list) => `least ${ms(at(list, 0))}, median ${ms(at(list, 0.5))}, p95 ${ms(at(list, 0.95))}, n ${list.length}`;

async function metrics(page) {
	const { metrics: list } = await page.send("Performance.getMetrics");

	return Object.fromEntries(list.map(({ name, value }) => [name, value]));
}

// Columns are in array buffers, which are beside the heap.
async function memory(page) {
	await page.send("HeapProfiler.collectGarbage");
	const usage = await page.send("Runtime.getHeapUsage");

	return `${(usage.usedSize / 1e6).toFixed(0)} MB in objects, ${((usage.backingStorageSize ?? 0) / 1e6).toFixed(0)} MB in array buffers`;
}

// Nanoseconds on a CPU: of the main threads of renderers, and of all threads of the browser.
async function onCpu(browser) {
	const { processInfo } = await browser.send("SystemInfo.getProcessInfo");
	const spent = (pid, task) => {
		try {
			return Number(readFileSync(`/proc/${pid}/task/${task}/schedstat`, "utf8").split(" ")[0]);
		} catch {
			return 0; // gone
		}
	};
	let main = 0;
	let all = 0;

	for (const { id, type } of processInfo) {
		if (type === "renderer")
			main += spent(id, id);
		for (const task of readdirSync(`/proc/${id}/task`))
			all += spent(id, task);
	}
	return { main, all };
}

// Real frames, 60 of them, with something to draw in each; CPU time, which other load does not lengthen.
async function frameCpu(browser, page, name, body) {
	const before = await onCpu(browser);

	await page.eval(`(async () => { for (let i = 0; i < 60; i++) { ${body} await new Promise((r) => requestAnimationFrame(r)); } return true })()`);
	const after = await onCpu(browser);

	console.log(`  a frame of ${name}: ${ms((after.main - before.main) / 6e7)} CPU of the page's thread, ${ms((after.all - before.all) / 6e7)} of the whole browser`);
}

// Calls to draw in the page, each timed there.
const frames = (page, body) => page.eval(`(async () => { const times = []; for (let i = 0; i < 60; i++) { const before = performance.now(); ${body}
	times.push(performance.now() - before); if (i % 10 === 9) await new Promise((r) => setTimeout(r, 0)); } return times })()`);

async function measure(browser, page, url) {
	const opened = [];
	let used;

	for (let round = 0; round < 3; round++) {
		await page.send("Page.navigate", { url: "about:blank" });
		const cpu = await onCpu(browser);
		const before = await metrics(page);
		await page.open(url);
		used = await metrics(page);
		opened.push({ ...(await page.eval("(() => { const t = perfmonTest.times; return { ready: t.readyAt, decoded: t.decoded, made: t.ready, painted: performance.getEntriesByType('paint')[0]?.startTime } })()")),
			tasks: (used.TaskDuration - before.TaskDuration) * 1000, cpu: ((await onCpu(browser)).main - cpu.main) / 1e6 });
	}
	for (const name of ["painted", "ready", "decoded", "made", "tasks", "cpu"])
		console.log(`  ${{ painted: "navigation to first paint", ready: "navigation to ready", decoded: "of it decoding and tree", made: "start of script to drawn", tasks: "tasks of the page's thread to ready", cpu: "CPU time of the page's thread to ready" }[name]}: ${spread(opened.map((o) => o[name]))}`);
	console.log(`  memory of JavaScript after ready: ${await memory(page)}`);
	const span = await page.eval("JSON.parse(document.getElementById('pm-index').textContent).span_us");

	await page.eval("document.getElementById('timeline').scrollIntoView(); true");
	console.log(`  pan: ${spread(await frames(page, `perfmonTest.draw(${span} * i / 120, ${span} * (i / 120 + 0.4));`))}`);
	console.log(`  zoom: ${spread(await frames(page, `perfmonTest.draw(${span} * 0.3, ${span} * (0.3 + 0.7 * Math.pow(0.85, i)));`))}`);
	console.log(`  whole: ${spread(await frames(page, `perfmonTest.draw(i, ${span});`))}`);
	const box = await page.eval("(() => { const b = document.getElementById('pm-timeline').getBoundingClientRect(); return { x: b.left, y: b.top, width: b.width, height: b.height } })()");
	console.log(`  hover: ${spread(await frames(page, `document.getElementById('pm-timeline').dispatchEvent(new PointerEvent('pointermove', { clientX: ${box.x} + 100 + i * ${(box.width - 120) / 60}, clientY: ${box.y + 140} + i * 5, bubbles: true }));`))}`);
	await frameCpu(browser, page, "panning", `perfmonTest.show(${span} * i / 120, ${span} * (i / 120 + 0.4));`);
	await frameCpu(browser, page, "zooming", `perfmonTest.show(${span} * 0.3, ${span} * (0.3 + 0.7 * Math.pow(0.85, i)));`);
	await frameCpu(browser, page, "the whole job", `perfmonTest.show(i, ${span});`);
	await frameCpu(browser, page, "hovering", `document.getElementById('pm-timeline').dispatchEvent(new PointerEvent('pointermove', { clientX: ${box.x} + 100 + i * ${(box.width - 120) / 60}, clientY: ${box.y + 140} + i * 5, bubbles: true }));`);
	console.log(`  filter by a program: ${spread((await page.eval(`(async () => { const times = []; for (let i = 0; i < 8; i++) { const before = performance.now(); perfmonTest.filter(i % 2 ? [] : ['cc1']); times.push(performance.now() - before); await new Promise((r) => setTimeout(r, 30)); } return times })()`)))}`);
	await page.eval("document.getElementById('view-tree').scrollIntoView(); true");
	await page.until("document.querySelector('#view-tree canvas') && document.querySelector('#view-tree canvas').width > 300", "the tree");
	await page.eval("new Promise((r) => setTimeout(() => r(true), 500))");
	const keys = await page.eval(`(async () => { const times = [], s = document.getElementById('pm-search'); for (const q of ['s', 'sr', 'src', 'src/', 'src/m', 'src/mo', 'module12', 'file1\\\\.c', '^cc1', '']) {
		const before = performance.now(); s.value = q; s.dispatchEvent(new Event('input')); times.push(performance.now() - before); await new Promise((r) => setTimeout(r, 400)); } return times })()`);
	console.log(`  search, per key: ${spread(keys)}`);
	console.log(`  tree, drawn anew: ${spread(await frames(page, "perfmonTest.drawTree();"))}`);
	console.log(`  memory of JavaScript at the end: ${await memory(page)}`);
	if (page.errors.length > 0)
		console.log(`  errors: ${page.errors.join("; ")}`);
}

try {
	for (const rows of sizes) {
		const made = /^\d+$/.test(rows);
		const file = made ? join(directory, `${rows}.html`) : resolve(rows);

		if (made)
			writeFileSync(file, makePage({ rows: Number(rows), hosts: 4, slots: 16 }).html);
		console.log(`${rows}${made ? " processes" : ""}, ${(statSync(file).size / 1e6).toFixed(1)} MB, load average ${loadavg()[0].toFixed(1)}`);
		const browser = await Browser.open();
		try {
			const page = await browser.page();
			await page.size(1280, 720);
			await measure(browser, page, pathToFileURL(file).href);
		} finally {
			await browser.close();
		}
	}
} finally {
	rmSync(directory, { recursive: true });
}
