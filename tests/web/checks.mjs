// What must hold for a page in a browser: [name, function of {page, url}]; a check throws when it does not.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

// Everything comes into view once, so that all is drawn.
export const visitAll = (page) => page.eval(`(async () => {
	document.querySelectorAll("main details:not(.group)").forEach((d) => { d.open = true; });
	for (let y = 0; y < document.body.scrollHeight; y += 500) { scrollTo(0, y); await new Promise((r) => requestAnimationFrame(() => setTimeout(r, 5))); }
	scrollTo(0, 0);
	return true })()`);

const index = (page) => page.eval("JSON.parse(document.getElementById('pm-index').textContent)");
const centre = (page, selector) => page.eval(`(() => { const e = document.querySelector(${JSON.stringify(selector)}); e.scrollIntoView({ block: "center", behavior: "instant" });
	const b = e.getBoundingClientRect(); return { x: b.left + b.width / 2, y: b.top + b.height / 2, width: b.width, height: b.height, left: b.left, top: b.top } })()`);

// Rows whose bars are wide enough to point at: [{row, x, y}].
const bars = (page, count) => page.eval(`(() => {
	document.getElementById("pm-timeline").scrollIntoView({ block: "center", behavior: "instant" });
	const found = [];
	for (let row = 0; row < perfmonTest.rows && found.length < ${count}; row += Math.max(1, Math.floor(perfmonTest.rows / 400))) {
		const at = perfmonTest.place(row);
		if (at && at.width >= 6 && at.height >= 1.5) found.push({ row, ...at });
	}
	return found })()`);

async function reset(page, url) {
	await page.eval("document.activeElement && document.activeElement.blur(); true");
	await page.eval(`location.hash = "#timeline&from=0&to=1e9"; true`);
	for (let i = 0; i < 4; i++)
		await page.key("Escape");
	await page.settle();
}

export const checks = [
	["quiet", async ({ page }) => {
		await visitAll(page);
		await page.settle();
		assert.deepEqual(page.errors, [], "errors in the console");
		const requests = page.requests.filter((url) => !/^(file:|blob:|data:|about:)/.test(url));
		assert.deepEqual(requests, [], "requests to elsewhere");
		assert.ok(page.requests.filter((url) => url.startsWith("file:")).length <= 1, `files read: ${page.requests}`);
	}],

	["policy", async ({ page }) => {
		const policy = await page.eval("document.querySelector('meta[http-equiv=Content-Security-Policy]').content");
		assert.match(policy, /default-src 'none'/);
		assert.doesNotMatch(policy, /unsafe/);
		assert.equal(await page.eval("[...document.querySelectorAll('*')].filter((e) => e.tagName === 'IMG' || e.tagName === 'IFRAME' || e.tagName === 'LINK' || [...e.attributes].some((a) => /^on/.test(a.name))).length"), 0);
		assert.doesNotMatch(await page.eval("document.title"), /owned/);
	}],

	["sums", async ({ page }) => {
		const sums = await page.eval("perfmonTest.sums()");
		for (const column of (await index(page)).processes.columns)
			if (column.sum !== null && column.sum !== undefined)
				assert.equal(sums[column.name], String(column.sum), `sum of ${column.name}`);
		assert.ok(Object.keys(sums).length >= 6);
	}],

	["drawn", async ({ page }) => {
		await visitAll(page);
		const canvases = await page.eval(`[...document.querySelectorAll("main canvas")].filter((c) => c.offsetParent).map((c) => {
			const p = new Uint32Array(c.getContext("2d").getImageData(0, 0, c.width, c.height).data.buffer);
			const seen = new Set(); for (let i = 0; i < p.length; i += 7) seen.add(p[i]); return [c.getAttribute("aria-label"), c.width, seen.size] })`);
		assert.ok(canvases.length >= 2);
		for (const [label, width, colours] of canvases)
			assert.ok(width > 50 && colours >= 3, `blank: ${label}`);
		assert.ok((await page.eval("perfmonTest.shapes()")) > 0);
	}],

	["hit", async ({ page, url }) => {
		await reset(page, url);
		const found = await bars(page, 25);
		assert.ok(found.length > 0, "no bar is wide enough");
		const band = await page.eval("getComputedStyle(document.documentElement).getPropertyValue('--band').trim().slice(1).match(/../g).map((v) => parseInt(v, 16))");
		for (const { row, x, left, y, shade, plain } of found) {
			assert.equal(await page.eval(`perfmonTest.hit(${x}, ${y})`), row);
			if (!plain)
				continue;
			/* Left of where its name begins; behind a pale bar there may be the band of a phase. */
			const seen = await page.eval(`perfmonTest.pixel(${left + 2.4}, ${y})`);
			const want = [shade & 255, (shade >> 8) & 255, (shade >> 16) & 255, shade >>> 24];
			const over = (under) => [...want.slice(0, 3).map((v, i) => v * (want[3] / 255) + under[i] * (1 - want[3] / 255)), 255];
			/* Pixels are stored with their opacity multiplied in: a step or two are lost. */
			const like = (colour) => colour.every((v, i) => Math.abs(v - seen[i]) <= 5);
			assert.ok(like(want) || like(over(band)), `pixel of row ${row}: ${seen}, not ${want}`);
		}
	}],

	["pointer", async ({ page, url }) => {
		await reset(page, url);
		const [{ x, y, row }] = await bars(page, 1);
		await page.mouse("mouseMoved", x, y);
		await page.settle();
		const tip = await page.eval("document.getElementById('pm-tip').innerText");
		assert.match(tip, /CPU/);
		assert.equal(await page.eval("document.querySelector('#pm-timeline > .cursor').hidden"), false);
		await page.click(x, y);
		await page.until("document.querySelector('#pm-card h2') && !document.getElementById('pm-card').hidden", "the card");
		const card = await page.eval("document.getElementById('pm-card').innerText");
		assert.match(card, /Parents/);
		assert.equal(await page.eval(`perfmonTest.state().includes("row=${row}")`), true);
		assert.equal(await page.eval("document.activeElement.id"), "pm-card");
		await page.key("Escape");
		assert.equal(await page.eval("document.getElementById('pm-card').hidden"), true);
		assert.equal(await page.eval("document.activeElement.id"), "pm-timeline");
	}],

	["zoom", async ({ page, url }) => {
		await reset(page, url);
		const at = await centre(page, "#pm-timeline");
		const state = () => page.eval("perfmonTest.state()");
		await page.drag(at.left + at.width * 0.4, at.left + at.width * 0.6, at.top + 60);
		await page.settle();
		const dragged = await state();
		assert.match(dragged, /from=[\d.]+&to=[\d.]+/);
		await page.until("location.hash.includes('from=')", "the address");
		await page.eval("document.getElementById('pm-timeline').focus(); true");
		await page.key("ArrowRight");
		const panned = await state();
		assert.notEqual(panned, dragged);
		await page.key("+");
		assert.notEqual(await state(), panned);
		await page.key("0");
		assert.doesNotMatch(await state(), /from=/);
		await page.mouse("mouseWheel", at.x, at.top + 60, { deltaX: 0, deltaY: -300, button: "none" });
		await page.until("/from=/.test(perfmonTest.state())", "the wheel to zoom");
		await page.key("Escape");
		assert.doesNotMatch(await state(), /from=/);
	}],

	["address", async ({ page }) => {
		const program = (await index(page)).programs[0];
		/* It changes while the page is about to write it. */
		await page.eval(`(() => {
			const due = performance.now() + 200;
			document.getElementById("pm-timeline").dispatchEvent(new KeyboardEvent("keydown", { key: "+", bubbles: true }));
			location.hash = "#timeline&from=0.001&to=0.002&program=" + encodeURIComponent(${JSON.stringify(program)});
			while (performance.now() < due);
			return true;
		})()`);
		await page.until("document.querySelectorAll('.chip').length === 2", "two filters");
		assert.equal(await page.eval("document.querySelectorAll('.chip')[0].textContent.slice(0, 20)"), `program ${program} ×`.slice(0, 20));
		for (let i = 0; i < 3; i++)
			await page.key("Escape");
		assert.equal(await page.eval("document.querySelectorAll('.chip').length"), 0);
		/* Each link of the page leads to a section that is there. */
		const bad = await page.eval(`[...document.querySelectorAll("a[href^='#']")].map((a) => a.getAttribute("href")).filter((h) => !document.getElementById(decodeURIComponent(h.slice(1).split("&")[0])))`);
		assert.deepEqual(bad, []);
	}],

	["tree", async ({ page, url }) => {
		await reset(page, url);
		await page.eval("document.getElementById('view-tree').scrollIntoView({ block: 'center', behavior: 'instant' }); true");
		await page.until("document.getElementById('pm-tree') && document.querySelector('#view-tree canvas').width > 300", "the tree");
		await page.key("/");
		await page.until("document.activeElement.id === 'pm-search'", "/ to search");
		await page.eval("(() => { const s = document.getElementById('pm-search'); s.value = '.'; s.dispatchEvent(new Event('input')); return true })()");
		await page.until("/matched 100 %/.test(document.getElementById('pm-found').textContent)", "all to match");
		await page.eval("(() => { const s = document.getElementById('pm-search'); s.value = '('; s.dispatchEvent(new Event('input')); return true })()");
		assert.match(await page.eval("document.getElementById('pm-found').textContent"), /not a regular expression/);
		await page.key("Escape");
		assert.equal(await page.eval("document.getElementById('pm-search').value"), "");
		await page.eval("document.getElementById('pm-tree').focus(); true");
		await page.key("ArrowDown");
		await page.key("ArrowDown");
		await page.key("Enter");
		assert.match(await page.eval("perfmonTest.state()"), /tree=\d+/);
		await page.settle();
		assert.ok((await page.eval("document.querySelectorAll('.path button').length")) >= 1);
		await page.key("Escape");
		await page.settle();
		const at = await centre(page, "#view-tree canvas");
		assert.ok((await page.eval(`perfmonTest.treeHit(${at.x}, ${at.top + 5})`)) >= 0);
		await page.key("Escape");
	}],

	["steps", async ({ page, url }) => {
		await reset(page, url);
		await page.eval("document.getElementById('pm-timeline').focus(); true");
		const row = async (key) => {
			await page.key(key);
			return page.eval("Number(/row=(\\d+)/.exec(perfmonTest.state())?.[1] ?? -1)");
		};
		const [first, second, third, back] = [await row("n"), await row("n"), await row("n"), await row("p")];
		assert.ok(first >= 0 && new Set([first, second, third]).size === 3 && back === second, `${[first, second, third, back]}`);
		await page.until("document.querySelector('#pm-card h2') !== null", "the card");
		assert.equal(await page.eval("document.activeElement.id"), "pm-timeline");
		assert.match(await page.eval("document.getElementById('pm-status').textContent"), /CPU/);
		await page.key("Escape");
	}],

	["exports", async ({ page, url }) => {
		await reset(page, url);
		await visitAll(page);
		await page.eval("window.pmSaved = []; URL.createObjectURL = (blob) => { pmSaved.push(blob); return '#'; }; URL.revokeObjectURL = () => {}; navigator.clipboard.writeText = async (t) => { window.pmCopied = t; }; true");
		const { series, hosts } = await index(page);
		if (series && series.list.length > 0) {
			await page.until("document.querySelector('#view-series figure .legend') !== null", "a chart");
			await page.settle();
			const saved = await page.eval(`(async () => { const f = document.querySelector("#view-series figure");
				for (const b of f.querySelectorAll("figcaption button")) if (["SVG", "TSV"].includes(b.textContent)) b.click();
				return Promise.all(pmSaved.map((blob) => blob.text())) })()`);
			assert.equal(saved.length, 2);
			const [svg, tsv] = saved;
			assert.equal(await page.eval(`new DOMParser().parseFromString(${JSON.stringify(svg)}, "image/svg+xml").querySelector("parsererror") === null`), true);
			assert.match(svg, /<path d="M/);
			assert.equal(tsv.trim().split("\n").length, series.steps + 1);
			await page.eval("document.querySelector('#view-series figure figcaption button[aria-pressed]').click(); true");
			await page.until("document.querySelector('.pinned figure canvas') !== null", "the pinned chart");
			assert.match(await page.eval("perfmonTest.state()"), /with=/);
			await page.eval("document.querySelector('.pinned figcaption button[aria-pressed]').click(); true");
			assert.equal(await page.eval("document.querySelector('.pinned figure') === null"), true);
		}
		const copied = await page.eval(`(async () => { [...document.querySelectorAll("#programs .tools.table button")].find((b) => b.textContent === "Copy").click();
			await new Promise((r) => setTimeout(r)); return pmCopied })()`);
		const rows = await page.eval("document.querySelector('#programs .tools.table').nextElementSibling.querySelectorAll('tbody tr').length");
		assert.equal(copied.split("\n").length, rows + 1);
		const times = "[...document.querySelectorAll('time[datetime]')].map((t) => t.textContent)";
		if ((await page.eval(`${times}.length`)) > 0 && hosts) {
			const change = (value) => page.eval(`(() => { const s = document.querySelector(".tools.page select"); s.value = "${value}"; s.dispatchEvent(new Event("change")); return true })()`);
			const written = await page.eval(times);
			await change("utc");
			assert.ok((await page.eval(times)).every((t) => / UTC$/.test(t)));
			await change("written");
			assert.deepEqual(await page.eval(times), written);
		}
	}],

	["tables", async ({ page, url }) => {
		await reset(page, url);
		const sorted = await page.eval(`(() => {
			const out = [];
			for (const table of document.querySelectorAll("table.data:not([data-plain])")) {
				const heads = [...table.tHead.rows[table.tHead.rows.length - 1].cells];
				const columns = heads.map((th, i) => th.dataset.type && th.dataset.type !== "text" && th.querySelector("button") ? i : -1).filter((i) => i >= 0);
				if (!table.tBodies[0] || table.tBodies[0].rows.length === 0) continue;
				for (const column of columns.flatMap((i) => [i, i])) {
					heads[column].querySelector("button").click();
					const cells = [...table.tBodies[0].rows].map((r) => r.cells[column]);
					out.push([heads[column].getAttribute("aria-sort"), cells.map((c) => c.classList.contains("unknown") ? null : Number(c.dataset.value))]);
				}
			}
			return out })()`);
		assert.ok(sorted.length >= 2);
		for (const [order, values] of sorted) {
			const known = values.filter((v) => v !== null);
			const sign = order === "descending" ? -1 : 1;
			assert.ok(["ascending", "descending"].includes(order));
			assert.deepEqual(known, [...known].sort((a, b) => sign * (a - b)));
			assert.ok(values.slice(known.length).every((v) => v === null), "unknown values are not last");
		}
		const programs = await page.eval("document.querySelectorAll('#programs button.program').length");
		if (programs > 0) {
			await page.eval("document.querySelector('#programs button.program').click(); true");
			await page.settle();
			assert.match(await page.eval("perfmonTest.state()"), /program=/);
			assert.equal(await page.eval("document.querySelector('#programs button.program[aria-pressed=true]') !== null"), true);
			await reset(page, url);
		}
	}],

	["names", async ({ page }) => {
		await visitAll(page);
		const { nodes } = await page.send("Accessibility.getFullAXTree");
		const property = (node, name) => node.properties?.find((p) => p.name === name)?.value.value;
		const nameless = nodes.filter((node) => !node.ignored && (property(node, "focusable") || ["button", "link", "img", "image", "textbox", "searchbox", "combobox", "checkbox"].includes(node.role.value)))
			.filter((node) => !["RootWebArea", "StaticText", "InlineTextBox"].includes(node.role.value) && !(node.name?.value ?? "").trim())
			.map((node) => `${node.role.value} ${node.backendDOMNodeId}`);
		assert.deepEqual(nameless, []);
		assert.equal(await page.eval("document.documentElement.lang.length > 0 && document.querySelectorAll('h1').length === 1"), true);
		assert.equal(await page.eval("[...document.querySelectorAll('main canvas')].every((c) => c.getAttribute('role') === 'img' && c.getAttribute('aria-label'))"), true);
		assert.equal(await page.eval("(() => { const ids = [...document.querySelectorAll('[id]')].map((e) => e.id); return ids.length - new Set(ids).size })()"), 0, "ids used twice");
	}],

	["focus", async ({ page }) => {
		await page.eval("scrollTo(0, 0); document.activeElement.blur(); true");
		let last = null;
		for (let i = 0; i < 40; i++) {
			await page.key("Tab");
			const seen = await page.eval(`(() => {
				const e = document.activeElement, before = window.pmBefore; window.pmBefore = e;
				if (e === document.body) return null;
				const style = getComputedStyle(e), box = e.getBoundingClientRect();
				return { tag: e.tagName + "#" + e.id + "." + e.className, forward: !before || !before.isConnected || Boolean(before.compareDocumentPosition(e) & 4),
					ring: style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 1, size: box.width > 0 && box.height > 0,
					inside: box.bottom > 0 && box.top < innerHeight } })()`);
			if (seen === null)
				break;
			assert.ok(seen.forward || i === 0, `${seen.tag} comes before ${last}`);
			assert.ok(seen.ring, `no ring around ${seen.tag}`);
			assert.ok(seen.size && seen.inside, `${seen.tag} is not to be seen`);
			last = seen.tag;
		}
		assert.notEqual(last, null);
	}],

	["contrast", async ({ page, url }) => {
		for (const dark of [false, true]) {
			await page.size(1280, 900, dark);
			if (!dark)
				await visitAll(page);
			await page.settle();
			assert.deepEqual(await page.eval(lowContrast), [], dark ? "in the dark scheme" : "in the light scheme");
		}
		await page.size(1280, 900, false);
	}],

	["narrow", async ({ page }) => {
		await visitAll(page);
		for (const width of [390, 800, 1280]) {
			await page.size(width, 800);
			await page.settle();
			const wide = await page.eval(`document.documentElement.scrollWidth > document.documentElement.clientWidth
				? [...document.querySelectorAll("body *")].filter((e) => e.getBoundingClientRect().right > innerWidth + 1 && !e.closest(".scroll, [hidden], .offscreen")).slice(0, 5).map((e) => e.tagName + "." + e.className).concat(document.documentElement.scrollWidth + " pixels") : []`);
			assert.deepEqual(wide, [], `wider than ${width} pixels`);
		}
		await page.size(1280, 900);
	}],

	["calm", async ({ page }) => {
		assert.deepEqual(page.errors, [], "errors in the console by now");
	}],

	["print", async ({ page }) => {
		const texts = await page.eval(`[...document.querySelectorAll("h1, h2, table.data td")].filter((e) => !e.closest(".twin") && (e.offsetParent || e.closest("details"))).map((e) => e.textContent).filter((t) => t.length < 40 && /^[\\x20-\\x7e\\u00a0]+$/.test(t)).slice(0, 400)`);
		const pdf = await page.pdf();
		const directory = mkdtempSync(join(tmpdir(), "perfmon-web."));
		try {
			writeFileSync(join(directory, "page.pdf"), pdf);
			const printed = execFileSync("pdftotext", ["-raw", join(directory, "page.pdf"), "-"]).toString().replace(/\s+/g, "");
			const missing = texts.filter((text) => !printed.includes(text.replace(/\s+/g, "")));
			assert.deepEqual(missing.slice(0, 5), [], "not in print");
		} finally {
			rmSync(directory, { recursive: true });
		}
		assert.equal(await page.eval("document.documentElement.hasAttribute('data-print')"), false);
	}],

	["unscripted", async ({ page, url }) => {
		await page.send("Emulation.setScriptExecutionDisabled", { value: true });
		await page.send("Page.navigate", { url: "about:blank" });
		await page.send("Page.navigate", { url });
		await page.until("document.readyState === 'complete' && document.querySelector('main') !== null", "the page without its script");
		const text = await page.eval("document.body.innerText").finally(() => page.send("Emulation.setScriptExecutionDisabled", { value: false }));
		assert.equal(await page.eval("document.documentElement.dataset.ready === undefined"), true);
		for (const word of ["Advice", "Programs", "JavaScript"])
			assert.ok(text.includes(word), `${word} is not there without JavaScript`);
		assert.ok((await page.eval("document.querySelectorAll('ul.figures li').length")) >= 1);
		assert.ok((await page.eval("document.querySelectorAll('table.data td').length")) > 0);
		await page.send("Emulation.setScriptExecutionDisabled", { value: false });
		await page.open(url);
	}],

	/* Not among those of a good page: asked for by name. */
	["damaged", async ({ page }) => {
		assert.match(await page.eval("document.querySelector('#view-timeline .failure').textContent"), /cannot be shown: its data are (damaged|missing)/);
		assert.ok((await page.eval("document.querySelectorAll('table.data td').length")) > 0);
	}, "special"],

	["fallback", async ({ page, url }) => {
		/* A browser that cannot decompress says so, and keeps its tables. */
		const { identifier } = await page.send("Page.addScriptToEvaluateOnNewDocument", { source: "delete window.DecompressionStream" });
		await page.send("Page.navigate", { url: "about:blank" });
		await page.open(url);
		assert.match(await page.eval("document.querySelector('#view-timeline .failure').textContent"), /cannot be shown: this browser cannot decompress/);
		assert.ok((await page.eval("document.querySelectorAll('th .sort').length")) > 0);
		await page.send("Page.removeScriptToEvaluateOnNewDocument", { identifier });
		await page.send("Page.navigate", { url: "about:blank" });
		await page.open(url);
	}],
];

// Visible texts whose contrast with what is behind them is below 4.5 (3 for large ones).
const lowContrast = `(() => {
	const parse = (c) => (c.match(/[\\d.]+/g) ?? []).map(Number);
	const hex = (rgb) => "#" + rgb.slice(0, 3).map((v) => Math.round(v).toString(16).padStart(2, "0")).join("");
	const known = new Map();
	const behind = (e) => { if (!known.has(e)) known.set(e, layersOf(e)); return known.get(e); };
	const layersOf = (e) => {
		const layers = [];
		for (; e; e = e.parentElement) {
			const [r, g, b, a = 1] = parse(getComputedStyle(e).backgroundColor);
			if (a > 0) layers.push([r, g, b, a]);
			if (a === 1) break;
		}
		return layers.reverse().reduce((under, [r, g, b, a]) => [r, g, b].map((v, i) => v * a + under[i] * (1 - a)), [255, 255, 255]);
	};
	const bad = new Set();
	const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
	for (let n = walk.nextNode(); n; n = walk.nextNode()) {
		const e = n.parentElement;
		if (!n.textContent.trim() || !e.getClientRects().length || e.closest("noscript, script, [hidden]")) continue;
		const style = getComputedStyle(e);
		if (style.visibility === "hidden" || Number(style.opacity) === 0 || getComputedStyle(e.closest("#pm-status") ?? e).opacity === "0") continue;
		const size = parseFloat(style.fontSize), large = size >= 24 || (size >= 18.6 && Number(style.fontWeight) >= 700);
		const ratio = perfmonTest.contrast(hex(parse(style.color)), hex(behind(e)));
		if (ratio < (large ? 3 : 4.5)) bad.add(e.tagName + "." + e.className + " " + ratio.toFixed(2) + " " + n.textContent.trim().slice(0, 30));
	}
	return [...bad].slice(0, 8) })()`;
