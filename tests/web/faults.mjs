// Pages with a planted fault: the check of that name must notice it. One browser for all:
//   node faults.mjs [NAME,…]
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { Browser } from "./cdp.mjs";
import { checks } from "./checks.mjs";
import { makePage } from "./makepage.mjs";

const replace = (from, to) => (text) => {
	assert.ok(text.includes(from), `the page has no ${from}`);
	return text.replace(from, () => to);
};
const before = (place, what) => replace(place, what + place);

const FAULTS = {
	quiet: { html: before("<footer>", "<img alt=\"\" src=\"http://127.0.0.1:9/x.png\">") },
	policy: { html: before("<footer>", "<p onclick=\"1\">x</p>") },
	sums: { index: (index) => { index.processes.columns[5].sum = String(BigInt(index.processes.columns[5].sum) + 1n); } },
	drawn: { script: replace("drawIcicle(this);", "") },
	hit: { script: replace("context.putImageData(image, left, 0);", "") },
	pointer: { script: replace("this.app.card.open(row, this.box);", "") },
	zoom: { script: replace("case \"+\": case \"=\":", "case \"?\":") },
	address: { html: before("<footer>", "<p><a href=\"#nowhere&amp;from=1\">see</a></p>") },
	tree: { script: replace("sum += own[i] === own[i] ? own[i] : 0;", "sum += 0;") },
	steps: { script: replace("state.set({ row });\n\t\t\tthis.app.card.back", "this.app.card.back") },
	exports: { script: replace("step < steps; step++)\n\t\t\tlines.push(", "step < steps; step += 2)\n\t\t\tlines.push(") },
	tables: { script: replace("(values[a] === null) - (values[b] === null)", "(values[b] === null) - (values[a] === null)") },
	names: { html: before("<footer>", "<button type=\"button\"></button>") },
	focus: { style: (text) => `${text}\n:focus-visible { outline: none !important; }` },
	contrast: { style: replace("--muted: #57606a", "--muted: #9aa0a6") },
	narrow: { html: before("<footer>", `<pre>${"wide ".repeat(80)}</pre>`) },
	calm: { script: replace("theme.read();\n\t\tthis.filter", "theme.read(); console.error(\"x\");\n\t\tthis.filter") },
	print: { style: (text) => `${text}\n@media print { table { display: none; } }` },
	unscripted: { html: (text) => text.replaceAll(/<noscript>.*?<\/noscript>/g, "") },
	fallback: { script: replace("typeof DecompressionStream === \"undefined\"", "false") },
};

const directory = mkdtempSync(join(tmpdir(), "perfmon-web."));
const wanted = process.argv[2] ? process.argv[2].split(",") : checks.filter(([, , special]) => !special).map(([name]) => name);
const browser = await Browser.open();
let failures = 0;

try {
	const page = await browser.page();

	page.patience = 4;
	await page.size(1280, 900);
	for (const [i, name] of wanted.entries()) {
		const file = join(directory, `${name}.html`);
		const [, check] = checks.find(([known]) => known === name);
		let noticed = null;

		writeFileSync(file, makePage({ rows: 500, hosts: 2, slots: 6, change: FAULTS[name] }).html);
		await page.send("Emulation.setScriptExecutionDisabled", { value: false });
		await page.open(pathToFileURL(file).href);
		try {
			await check({ page, url: pathToFileURL(file).href });
		} catch (error) {
			noticed = error;
		}
		failures += noticed === null ? 1 : 0;
		console.log(`${noticed === null ? "not ok" : "ok"} ${i + 1} - noticed: a fault in ${name}`);
		console.log(`# ${String(noticed?.message ?? "nothing was noticed").split("\n").filter(Boolean).slice(0, 3).join(" | ").slice(0, 200)}`);
	}
} finally {
	await browser.close();
	rmSync(directory, { recursive: true });
}
console.log(`1..${wanted.length}`);
process.exit(failures > 0 ? 1 : 0);
