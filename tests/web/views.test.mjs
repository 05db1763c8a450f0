// Lanes, painting, curves, trees, series: against plain computations of the same.
import assert from "node:assert/strict";
import { test } from "node:test";
import { loadPage, modelOf } from "./load.mjs";
import { makeJob, randomOf } from "./makejob.mjs";

const page = loadPage();

async function build(options) {
	const job = makeJob(options);
	return { job, model: await modelOf(page, job.table, { programs: job.programs, hosts: job.hosts, span: job.span, open: job.open }) };
}

test("processes of a lane do not overlap, and children are below their parents", async () => {
	for (const mode of ["tree", "program"]) {
		const { model } = await build({ rows: 3000, hosts: 3, seed: 5 });
		const packed = page.packLanes(model, mode, -1);
		const spans = page.buildSpans(packed.laneOf, packed.lanes, model.byStart, model.start, model.end);

		assert.equal(spans.row.length, model.n);
		for (let lane = 0; lane < spans.lanes; lane++)
			for (let i = spans.offset[lane] + 1; i < spans.offset[lane + 1]; i++)
				assert.ok(spans.begin[i] >= spans.end[i - 1], `lane ${lane}`);
		const group = (row) => packed.groups.findIndex((g) => packed.laneOf[row] >= g.first && packed.laneOf[row] < g.first + g.count);
		for (let row = 0; row < model.n; row++) {
			if (mode === "tree") {
				assert.equal(packed.groups[group(row)].name, model.hostName(row));
				if (model.parent[row] >= 0 && model.host[row] === model.host[model.parent[row]])
					assert.ok(packed.laneOf[row] > packed.laneOf[model.parent[row]]);
			} else {
				assert.equal(packed.groups[group(row)].name, model.programName(row));
			}
		}
	}
});

test("lanes share the height, and small groups have room for a label", () => {
	const packed = { lanes: 103, groups: [{ first: 0, count: 1 }, { first: 1, count: 100 }, { first: 101, count: 2 }] };
	const { tops, bottoms, height } = page.laneTops(packed, 400, 0);
	assert.equal(height, 400);
	assert.deepEqual([tops[0], bottoms[0], tops[1], tops[101], bottoms[102]], [0, 11, 16, 384, 400].map((v, i) => (i === 3 ? 389 : v)));
	for (let lane = 1; lane < 101; lane++)
		assert.ok(Math.abs(bottoms[lane] - tops[lane] - 3.68) < 1e-9);
	assert.equal(page.laneTops(packed, 400, 15).height, 103 * 15 + 10);
});

test("one host's lanes hold its processes alone", async () => {
	const { model } = await build({ rows: 600, hosts: 3, seed: 2 });
	const packed = page.packLanes(model, "tree", 1);
	for (let row = 0; row < model.n; row++)
		assert.equal(packed.laneOf[row] >= 0, model.host[row] === 1);
	assert.deepEqual(packed.groups.map((g) => g.name), ["node02"]);
});

test("rows by start: sorted, stable, unknown starts left out", () => {
	const start = Float64Array.of(5, NaN, 3, 5, -2, 3);
	assert.deepEqual([...page.rowsByStart(start)], [4, 2, 5, 0, 3]);
	const random = randomOf(3);
	const large = Float64Array.from({ length: 5000 }, () => Math.floor(random() * 1e12));
	const rows = page.rowsByStart(large);
	const sorted = Array.from(large, (_, i) => i).sort((a, b) => large[a] - large[b] || a - b);
	assert.deepEqual([...rows], sorted);
});

test("painting shows every pixel's processes, few or many", async () => {
	const { model } = await build({ rows: 4000, hosts: 1, slots: 4, seed: 8 });
	const packed = page.packLanes(model, "tree", -1);
	const spans = page.buildSpans(packed.laneOf, packed.lanes, model.byStart, model.start, model.end);
	const shade = new Uint32Array(model.n).fill(0xff0000ff);

	for (const [from, to] of [[0, model.span], [model.span * 0.3, model.span * 0.35], [model.span * 0.5, model.span * 0.5 + 2000]]) {
		const width = 200;
		const perPixel = (to - from) / width;
		for (let lane = 0; lane < spans.lanes; lane++) {
			const pixels = new Uint32Array(width);
			page.paintLane(spans, lane, from, perPixel, pixels, shade, 1e9, () => {}, () => {});
			for (let x = 0; x < width; x++) {
				const [a, b] = [from + x * perPixel, from + (x + 1) * perPixel];
				let covered = 0;
				for (let i = spans.offset[lane]; i < spans.offset[lane + 1]; i++)
					covered += Math.max(0, Math.min(b, spans.end[i]) - Math.max(a, spans.begin[i]));
				// Edges are rounded to pixels and bars set apart by one.
				if (covered > 0.999 * perPixel && x > 1 && x < width - 2 && pixels[x - 1] && pixels[x + 1])
					assert.ok(pixels[x] !== 0 || covered < 1.001 * perPixel, `lane ${lane} pixel ${x}`);
				if (covered === 0 && x > 0 && x < width - 1 && pixels[x])
					assert.ok(nearby(spans, lane, a - perPixel, b + perPixel), `lane ${lane} pixel ${x} has nothing near`);
			}
		}
	}
});

function nearby(spans, lane, from, to) {
	for (let i = spans.offset[lane]; i < spans.offset[lane + 1]; i++)
		if (spans.begin[i] <= to && spans.end[i] >= from)
			return true;
	return false;
}

test("a lane is painted in as many steps as it has pixels", () => {
	const n = 200000;
	const begin = Float64Array.from({ length: n }, (_, i) => i * 10);
	const end = begin.map((b) => b + 6);
	const order = Int32Array.from({ length: n }, (_, i) => i);
	const spans = page.buildSpans(new Int32Array(n), 1, order, begin, end);
	const pixels = new Uint32Array(500);
	const drawn = page.paintLane(spans, 0, 0, (n * 10) / 500, pixels, new Uint32Array(n).fill(0xff112233), 1e9, () => {}, () => {});

	assert.equal(drawn, 500);
	assert.ok(pixels.every((p) => (p & 0xffffff) === 0x112233));
	// Six tenths of each pixel are covered.
	assert.equal(pixels[250] >>> 24, Math.floor(0.6 * 255));
	// A long bar that begins among short ones is seen.
	end[1000] = begin[1000] + 0.5;
	assert.equal(page.spanAt(spans, 0, 10003, 0), 1000);
	assert.equal(page.spanAt(spans, 0, 10007, 0), -1);
	assert.equal(page.spanAt(spans, 0, 10007, 2), 1000);
});

test("marked rows are marked in whichever pixel they share", () => {
	const n = 1000;
	const begin = Float64Array.from({ length: n }, (_, i) => i);
	const spans = page.buildSpans(new Int32Array(n), 1, Int32Array.from({ length: n }, (_, i) => i), begin, begin.map((b) => b + 0.5));
	const marked = new Uint8Array(n);
	const seen = [];

	marked[457] = 1;
	spans.marks = page.countSpans(spans, marked);
	page.paintLane(spans, 0, 0, 10, new Uint32Array(100), new Uint32Array(n).fill(1), 1e9, () => {}, (from, to) => seen.push([from, to]));
	assert.deepEqual(seen, [[45, 46]]);

	// What was searched for is seen, too, though others in its pixel are longer.
	const pixels = new Uint32Array(100);
	const shade = new Uint32Array(n).fill(0xff000001);
	shade[457] = 0xff000002;
	spans.end[457] = 457.1;
	spans.found = spans.marks;
	page.paintLane(spans, 0, 0, 10, pixels, shade, 1e9, () => {}, () => {});
	assert.deepEqual(Array.from(pixels, (p) => p & 0xff).map((p, i) => [p, i]).filter(([p]) => p === 2), [[2, 45]]);
});

test("running processes are counted exactly", async () => {
	const { model } = await build({ rows: 500, hosts: 2, seed: 4 });
	const c = page.makeConcurrency(model, model.byStart);
	const brute = (x) => Array.from(model.byStart).filter((row) => model.start[row] <= x && model.end[row] > x).length;

	for (let i = 1; i < 40; i++)
		assert.equal(page.runningAt(c, (model.span * i) / 40 + 0.5), brute((model.span * i) / 40 + 0.5));
	const means = page.meanRunning(c, 0, model.span, 50);
	const total = Array.from(model.byStart).reduce((sum, row) => sum + Math.min(model.span, model.end[row]) - Math.max(0, model.start[row]), 0);
	assert.ok(Math.abs(means.reduce((a, b) => a + b, 0) * (model.span / 50) - total) < total * 1e-6);
	const { most, when } = page.mostRunning(c);
	assert.equal(most, Math.max(...Array.from(model.byStart, (row) => brute(model.start[row]))));
	assert.equal(brute(when), most);
});

test("sums over subtrees are those of each process's descendants", () => {
	const parent = Int32Array.of(-1, 0, 1, 1, 0, -1, 5);
	const own = Float64Array.of(1, 2, 4, NaN, 16, 32, 64);
	assert.deepEqual([...page.subtreeEnds(parent)], [5, 4, 3, 4, 5, 7, 7]);
	assert.deepEqual([...page.depths(parent)], [0, 1, 2, 2, 1, 0, 1]);
	assert.deepEqual([...page.inclusive(parent, own, "sum")], [23, 6, 4, 0, 16, 96, 64]);
	assert.deepEqual([...page.inclusive(parent, own, "max")], [16, 4, 4, 0, 16, 64, 64]);
	assert.deepEqual([...page.inclusive(parent, own, "own")], [1, 2, 4, 0, 16, 32, 64]);
	const sums = page.matchedSums(Uint8Array.of(0, 1, 1, 0, 0, 0, 1), own, page.inclusive(parent, own, "sum"), page.subtreeEnds(parent));
	assert.deepEqual(sums, { rows: 3, sum: 70, withDescendants: 70 });
});

test("the layout of an icicle: children lie in their parents, by weight", async () => {
	const { model } = await build({ rows: 800, hosts: 2, seed: 6 });
	for (const [how, own] of [["sum", model.values.cpu_time], ["max", model.values.cpu_time], ["own", model.values.duration_us]]) {
		const weight = page.inclusive(model.parent, own, how);
		const { begin, end } = page.layoutForest(model.parent, weight);
		const last = new Map();
		for (let i = 0; i < model.n; i++) {
			const up = model.parent[i];
			if (up < 0)
				continue;
			assert.ok(begin[i] >= begin[up] - 1e-12 && end[i] <= end[up] + 1e-9);
			assert.ok(begin[i] >= (last.get(up) ?? 0) - 1e-12);
			last.set(up, end[i]);
			if (how === "sum" && weight[up] > 0)
				assert.ok(Math.abs((end[i] - begin[i]) / (end[up] - begin[up]) - weight[i] / weight[up]) < 1e-6);
		}
	}
	assert.deepEqual([...page.layoutForest(Int32Array.of(-1, 0), new Float64Array(2)).end], [0, 0]);
});

test("merged siblings have the sums of all, the heaviest first", async () => {
	const { model } = await build({ rows: 900, hosts: 2, seed: 7 });
	const merged = page.mergeForest(model.parent, model.program, model.values.cpu_time);
	const values = page.mergeValues(merged, model.values.cpu_time, "sum");
	const weight = page.inclusive(merged.parent, values, "sum");
	const all = model.values.cpu_time.reduce((sum, v) => sum + (v !== v ? 0 : v), 0);
	const roots = merged.parent.reduce((sum, up, i) => (up < 0 ? sum + weight[i] : sum), 0);

	assert.ok(Math.abs(roots - all) < 1);
	assert.equal(merged.rows.reduce((a, b) => a + b, 0), model.n);
	const siblings = new Map();
	for (let i = 0; i < merged.parent.length; i++) {
		assert.ok(merged.parent[i] < i);
		const key = `${merged.parent[i]}/${merged.program[i]}`;
		assert.ok(!siblings.has(key), "one node per program");
		siblings.set(key, i);
		const before = siblings.get(merged.parent[i]) ?? Infinity;
		assert.ok(weight[i] <= before + 1e-6, "the heaviest first");
		siblings.set(merged.parent[i], weight[i]);
	}
	for (let row = 0; row < model.n; row++) {
		assert.equal(merged.program[merged.nodeOf[row]], model.program[row]);
		if (model.parent[row] >= 0)
			assert.equal(merged.parent[merged.nodeOf[row]], merged.nodeOf[model.parent[row]]);
	}
});

test("an unknown end is that of the last descendant, or of an open job", async () => {
	const table = { parent: [null, 0, 1], host: [0, 0, 0], program: [0, 0, 0], start_us: [0, 10, 20], duration_us: [null, null, 30], cpu_time: [1, 1, 1] };
	const closed = await modelOf(page, table, { programs: ["a"], hosts: [{ name: "h" }], span: 100 });
	assert.deepEqual([...closed.end], [50, 50, 50]);
	const open = await modelOf(page, table, { programs: ["a"], hosts: [{ name: "h" }], span: 100, open: true });
	assert.deepEqual([...open.end], [100, 100, 50]);
	assert.deepEqual([...open.endUnknown], [1, 1, 0]);
	await assert.rejects(modelOf(page, { ...table, parent: [null, 2, 1] }, { programs: ["a"], hosts: [{ name: "h" }], span: 100 }), page.DamagedData);
});

test("phases of many nodes are one, nested ones have rows of their own", () => {
	const phase = (host, name, begin_us, end_us, ended = true) => ({ host, name, begin_us, end_us, ended });
	const all = [phase(0, "all", 0, 100), phase(1, "all", 2, 101), phase(0, "step", 10, 20), phase(1, "step", 12, 22), phase(0, "step", 30, 40), phase(1, "io", null, null, false)];
	const joined = page.joinPhases(all, 200, -1).map((p) => [p.name, p.begin, p.end, p.ended, p.hosts, p.row]);
	assert.deepEqual(joined, [["io", 0, 200, false, 1, 0], ["all", 0, 101, true, 2, 1], ["step", 10, 22, true, 2, 2], ["step", 30, 40, true, 1, 2]]);
	assert.deepEqual(page.joinPhases(all, 200, 0).map((p) => [p.name, p.begin]), [["all", 0], ["step", 10], ["step", 30]]);
	assert.equal(page.phaseRows(page.joinPhases([], 200, -1)), 0);
});

test("a job without processes has no lanes and no numbers", async () => {
	const model = await modelOf(page, { parent: [], host: [], program: [], start_us: [], duration_us: [], cpu_time: [] }, { programs: [], hosts: [], span: 1 });
	const packed = page.packLanes(model, "tree", -1);
	assert.equal(packed.lanes, 0);
	assert.equal(page.buildSpans(packed.laneOf, 0, model.byStart, model.start, model.end).row.length, 0);
	assert.deepEqual(page.mostRunning(page.makeConcurrency(model, model.byStart)), { most: 0, when: 0 });
	assert.equal(page.layoutForest(model.parent, page.inclusive(model.parent, model.start, "sum")).total, 0);
	assert.equal(page.mergeForest(model.parent, model.program, model.start).parent.length, 0);
	assert.equal(page.laneTops(packed, 100, 0).tops.length, 0);
});

test("series: gaps stay gaps, constants need no block, states stack", () => {
	const gaps = [[1, 2, "stopped"]];
	assert.deepEqual([...page.seriesValues({ mean: 4, gaps }, 4, null).mean], [4, NaN, NaN, 4]);
	const band = page.seriesValues({ scale: 0.5, band: true }, 2, Float64Array.of(2, NaN, 1, NaN, 4, NaN));
	assert.deepEqual([[...band.mean], [...band.low], [...band.high]], [[1, NaN], [0.5, NaN], [2, NaN]]);
	assert.equal(page.gapReason({ gaps }, 2), "stopped");
	assert.equal(page.gapReason({ gaps }, 3), null);
	assert.deepEqual(page.stackValues([[1, 2], [10, NaN]]), [[1, 2], [11, NaN]]);
	assert.deepEqual(page.thinned([[1, 3, NaN, NaN, 7]], 0, 5, 3), [[0, 2, [2]], [2, 2, [NaN]], [4, 1, [7]]]);
	const list = [["cpu", "user"], ["cpu", "idle"], ["cpu", "running"], ["disk", "read"]].flatMap(([source, metric]) =>
		[0, 1].map((host) => ({ source, metric, host, object: null, group: source, unit_shown: "n", mean: host })));
	const charts = page.chartsOf(list, [{ name: "a" }, { name: "b" }]);
	assert.deepEqual(charts.map((c) => [c.key, c.stacked, c.lines.length]), [["cpu.states..a", true, 2], ["cpu.states..b", true, 2], ["cpu.running", false, 2], ["disk.read", false, 2]]);
});

test("nodes that stand out are found, equal ones are not", () => {
	assert.equal(page.median([3, NaN, 1, 2]), 2);
	assert.deepEqual(page.outliersOf([10, 10.1, 9.9, 10, 4]).map((v) => v !== null), [false, false, false, false, true]);
	assert.deepEqual(page.outliersOf([10, 10, 10, 10.5]).map((v) => v !== null), [false, false, false, false]);
	assert.deepEqual(page.outliersOf([1, 5, 9]).map((v) => v !== null), [false, false, false]);
	assert.equal(page.outlierText(-0.44), "44 % below the median");
});

test("colours of the palette are told apart from the page and read with their ink", () => {
	for (const scheme of ["light", "dark"])
		for (const colour of [...page.PALETTE[scheme], page.OTHERS[scheme]])
			assert.ok(page.contrast(colour, page.inkOn(colour)) >= 4.5, `${colour} in ${scheme}`);
	assert.equal(Math.round(page.contrast("#000000", "#ffffff")), 21);
});
