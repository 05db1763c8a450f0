// Decoding, numbers for people, axes, the address, searching, tables: known answers.
import assert from "node:assert/strict";
import { deflateSync } from "node:zlib";
import { test } from "node:test";
import { encodeNumbers, encodeTexts } from "./encode.mjs";
import { loadPage } from "./load.mjs";

const page = loadPage();
const plain = (values) => Array.from(values, (v) => (v !== v ? null : v));
const code = (name) => page.NUMBER_CODES[name];
const EDGES = [0, 1, 126, 127, 128, 16382, 16383, 16384, 2 ** 31, 2 ** 32 + 1, 2 ** 52, null, 5, null, 3];

test("numbers come back as they were, unknown ones unknown", () => {
	assert.deepEqual(plain(page.decodeNumbers(encodeNumbers(EDGES, false), EDGES.length, code("u"))), EDGES);
	const steps = [5, 3, null, 3, -7, 2 ** 40, -(2 ** 40), null, 0];
	assert.deepEqual(plain(page.decodeNumbers(encodeNumbers(steps, true), steps.length, code("d"))), steps);
});

test("the bytes of an encoding are those of the contract", () => {
	assert.deepEqual([...encodeNumbers([0, null, 127, 300], false)], [1, 0, 128, 1, 173, 2]);
	assert.deepEqual([...encodeNumbers([5, 3, null, 4], true)], [11, 4, 0, 3]);
	assert.deepEqual(plain(page.decodeNumbers(new Uint8Array([11, 4, 0, 3]), 4, code("d"))), [5, 3, null, 4]);
});

test("bytes of one weight may stand together", () => {
	// Two groups: 16384 numbers of one byte, and 3 of two bytes.
	const bytes = new Uint8Array(1 + 16384 + 1 + 6);
	bytes.set([1, 7, 0, 255], 0);
	bytes.set([2, 1, 44, 0, 0, 1, 1], 1 + 16384);
	const values = page.decodeNumbers(bytes, 16387, code("up"));
	assert.deepEqual(plain([...values.subarray(0, 4), ...values.subarray(16384)]), [6, null, 254, null, 0, 299, 255]);
	assert.deepEqual(page.decodeExact(bytes, 16387, code("up")).slice(16384), [0n, 299n, 255n]);
	assert.equal(page.columnAt(bytes, 16387, 16385, "up", false), 299);
	assert.equal(page.columnAt(bytes, 16387, 16385, "up", true), 299n);
	// Differences: 5, then -2, unknown, 1.
	assert.deepEqual(plain(page.decodeNumbers(new Uint8Array([1, 11, 4, 0, 3]), 4, code("dp"))), [5, 3, null, 4]);
	assert.throws(() => page.decodeNumbers(bytes.subarray(0, 16388), 16387, code("up")), page.DamagedData);
	assert.throws(() => page.decodeNumbers(bytes, 16386, code("up")), page.DamagedData);
});

test("values beyond 2^53 are exact in sums and cells", () => {
	const values = [2n ** 63n - 2n, null, 9007199254740993n, 0n];
	const bytes = encodeNumbers(values, true);
	assert.deepEqual(page.decodeExact(bytes, 4, code("d")), values);
	assert.equal(page.decodeColumn(bytes, 4, "d", true).sum, 2n ** 63n - 2n + 9007199254740993n);
	assert.equal(page.exactAt(bytes, 2, true), 9007199254740993n);
	assert.equal(page.exactAt(bytes, 1, true), null);
	const many = new Float64Array(5000).fill(2 ** 52 - 1);
	assert.equal(page.exactSum(many), 5000n * (2n ** 52n - 1n));
	assert.equal(page.exactSum(Float64Array.of(NaN, 1, NaN)), 1n);
});

test("single values are those of the whole column", () => {
	for (const delta of [false, true]) {
		const bytes = encodeNumbers(EDGES, delta);
		assert.deepEqual(EDGES.map((_, i) => plain([page.numberAt(bytes, i, delta)])[0]), EDGES);
	}
	const texts = ["", "a", null, "ü\u2028", "x".repeat(1000)];
	assert.deepEqual(page.decodeTexts(encodeTexts(texts), 5), texts);
	assert.deepEqual(texts.map((_, i) => page.textAt(encodeTexts(texts), i)), texts);
});

test("damaged blocks are said to be damaged", async () => {
	const bytes = encodeNumbers(EDGES, false);
	assert.throws(() => page.decodeNumbers(bytes.subarray(0, bytes.length - 1), EDGES.length, code("u")), page.DamagedData);
	assert.throws(() => page.decodeNumbers(bytes, EDGES.length - 1, code("u")), page.DamagedData);
	assert.throws(() => page.decodeExact(bytes, EDGES.length + 1, code("u")), page.DamagedData);
	assert.throws(() => page.decodeTexts(encodeTexts(["a"]), 2), page.DamagedData);
	assert.throws(() => page.decodeColumn(bytes, 1, "z", false), page.DamagedData);
	const block = deflateSync(Buffer.from("hello"));
	assert.equal(Buffer.from(await page.inflate(block)).toString(), "hello");
	await assert.rejects(page.inflate(block.subarray(0, 7)), page.DamagedData);
	assert.deepEqual([...page.bytesOfBase64("AP8=")], [0, 255]);
});

test("numbers read as in the text report", () => {
	const durations = [[0, "0 s"], [999, "999 µs"], [1000, "1.00 ms"], [999499, "999 ms"], [999500, "1.00 s"], [59949999, "59.9 s"], [59950000, "1 min 00 s"],
		[3599.7e6, "1 h 00 min"], [3600e6 * 47.999, "2 d 00 h"], [NaN, "unknown"]];
	for (const [us, text] of durations)
		assert.equal(page.formatDuration(us), text);
	for (const [bytes, text] of [[0, "0 B"], [999, "999 B"], [1000, "1.00 kB"], [999499, "999 kB"], [999500, "1.00 MB"], [15.4e6, "15.4 MB"], [NaN, "unknown"]])
		assert.equal(page.formatBytes(bytes), text);
	assert.equal(page.formatCount(1234567), "1\u202f234\u202f567");
	assert.equal(page.formatCount(9007199254740993n), "9\u202f007\u202f199\u202f254\u202f740\u202f993");
	assert.equal(page.formatPercent(0.0004), "< 0.1 %");
	assert.equal(page.formatPercent(0.37), "37 %");
	assert.equal(page.formatPlain(12345678, "/s"), "12.3 M/s");
	assert.equal(page.unitOf("us/s", "CPU").format(15.5e6), "15.5 CPUs");
	assert.equal(page.unitOf("B/s").format(2e6), "2.00 MB/s");
	assert.equal(page.unitOf("0.01%").format(4550), "45.5 %");
	assert.equal(page.formatCell(11, { type: "signal" }), "SIGSEGV (11)");
	assert.equal(page.formatCell(1000, { type: "bytes", factor: 1024 }), "1.02 MB");
	assert.equal(page.formatCell(NaN, { type: "bytes" }), "unknown");
	assert.equal(page.formatCell(null, { type: "text" }), "unknown");
});

test("ticks are round and within the axis", () => {
	assert.deepEqual(page.valueTicks(0, 10, 4), { step: 5, ticks: [0, 5, 10] });
	assert.deepEqual(page.valueTicks(0, 0.3, 3).ticks.map((t) => Number(t.toFixed(6))), [0, 0.1, 0.2, 0.3]);
	assert.equal(page.niceTop(210, 4), 300);
	assert.equal(page.niceTop(0, 4), 1);
	assert.deepEqual(page.timeTicks(0, 18e6, 9).ticks.map((t) => t / 1e6), [0, 2, 4, 6, 8, 10, 12, 14, 16, 18]);
	assert.equal(page.timeTicks(0, 3600e6, 8).step, 600e6);
	assert.equal(page.timeTicks(0, 2.3e6, 8).step, 5e5);
	assert.equal(page.timeTicks(100, 180, 8).step, 10);
	for (const [us, step, text] of [[0, 1e6, "0 s"], [2.5e6, 5e5, "2.5 s"], [61e6, 1e6, "1:01"], [3723e6, 1e6, "1:02:03"], [7200e6, 600e6, "2:00 h"],
		[200 * 3600e6, 86400e6, "8 d 8 h"], [59.96e6, 1e5, "60.0 s"], [61.25e6, 1e4, "1:01.25"]])
		assert.equal(page.timeLabel(us, step), text);
	assert.deepEqual(page.clampRange(-5, 5, 100), [0, 10]);
	assert.deepEqual(page.clampRange(95, 115, 100), [80, 100]);
	assert.deepEqual(page.clampRange(50, 50, 100), [50, 60]);
	assert.deepEqual(page.clampRange(NaN, 50, 100), [0, 100]);
	assert.deepEqual(page.zoomRange(0, 100, 25, 0.5, 100), [12.5, 62.5]);
	assert.equal(page.bisect([1, 3, 3, 5], 3, 0, 4, true), 3);
	assert.equal(page.bisect([1, 3, 3, 5], 3, 0, 4, false), 1);
});

test("the address keeps the state, and ignores what it does not know", () => {
	const hash = "#timeline&from=1.5&to=3&program=cc1&program=a%26b%3D%22c&row=17&merge=1&q=%5Ecc%7Cld";
	const state = page.parseHash(hash);
	assert.deepEqual([state.section, state.from, state.to, state.program, state.row, state.merge, state.q], ["timeline", 1.5, 3, ["cc1", "a&b=\"c"], 17, true, "^cc|ld"]);
	assert.equal(page.formatHash(state), hash);
	assert.equal(page.formatHash(page.emptyState()), "");
	const odd = page.parseHash("#timeline&from=5&to=2&row=x&__proto__=1&constructor=2&lanes=%ZZ&nonsense");
	assert.deepEqual([odd.from, odd.to, odd.row, odd.lanes], [null, null, null, null]);
	assert.equal({}.polluted, undefined);
	const kept = new page.State("#tree&q=x");
	const seen = [];
	kept.listen((changed) => seen.push([...changed]));
	kept.set({ q: "x" });
	kept.toggle("program", "cc1");
	kept.set({ from: 1, to: 2 });
	assert.deepEqual(seen, [["program"], ["from", "to"]]);
	assert.equal(kept.hash, "#tree&from=1&to=2&program=cc1&q=x");
});

test("words search as parts, slashes as regular expressions", () => {
	assert.equal(page.textMatcher("CC1").test("the cc1plus"), true);
	assert.equal(page.textMatcher("a.c").test("abc"), false);
	assert.equal(page.textMatcher("/^cc\\d$/").test("cc1"), true);
	assert.equal(page.textMatcher("/(/").test, null);
	assert.notEqual(page.textMatcher("/(/").error, null);
	assert.equal(page.textMatcher("  ").test, null);
	assert.equal(page.regexpMatcher("cc1").test("CC1"), true);
	assert.equal(page.regexpMatcher("CC1").test("cc1"), false);
	const global = page.textMatcher("/x/g").test;
	assert.deepEqual([global("x"), global("x")], [true, true]);
	assert.deepEqual([...page.matchRows(page.regexpMatcher("^cc|secret").test, ["cc1", "ld"], [0, 1, 1], ["", "a secret", null])], [1, 1, 0]);
});

test("tables sort with unknown values last in both directions", () => {
	const cell = (text, data, unknown) => ({ textContent: text, dataset: data === undefined ? {} : { value: data }, classList: { contains: () => unknown === true } });
	assert.equal(page.cellValue(cell("123 ms", "123456"), "number"), 123456);
	assert.equal(page.cellValue(cell("1 234"), "number"), 1234);
	assert.equal(page.cellValue(cell("unknown", undefined, true), "number"), null);
	assert.equal(page.cellValue(cell(""), "number"), null);
	assert.equal(page.cellValue(cell("12 %"), "number"), null);
	assert.equal(page.cellValue(cell("cc1"), "text"), "cc1");
	const values = [3, null, 1, 2, null];
	assert.deepEqual(page.sortedPlaces(values, false), [2, 3, 0, 1, 4]);
	assert.deepEqual(page.sortedPlaces(values, true), [0, 3, 2, 1, 4]);
	assert.deepEqual(page.sortedPlaces(["node10", "node9", "node1"], false), [2, 1, 0]);
	assert.deepEqual(page.sortedPlaces([1, 1, 1], true), [0, 1, 2]);
	assert.equal(page.tsvLine(["a\tb", " c\nd "]), "a b\tc d");
});

test("times of day in UTC and as recorded", () => {
	assert.equal(page.timeText("2026-11-21T02:13:04Z", "utc"), "2026-11-21 02:13:04 UTC");
	assert.equal(page.timeText("2026-11-21T02:13:04Z", "written"), null);
	assert.match(page.timeText("2026-11-21T02:13:04Z", "local"), /^2026-11-2\d \d\d:\d\d:04 [+−]\d\d:\d\d$/);
	assert.equal(page.timeText("never", "utc"), null);
});

test("a worker that was asked to end did not fail", () => {
	assert.deepEqual([[0, null], [null, null], [NaN, NaN], [null, 15], [NaN, 13], [1, null], [null, 9], [NaN, 11], [3, 15]].map(([status, signal]) => page.isFailure(status, signal)),
		[false, false, false, false, false, true, true, true, true]);
});
