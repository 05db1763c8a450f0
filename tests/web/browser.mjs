// Checks of a page in headless Chromium, as TAP:
//   node browser.mjs [--only NAME,…] [--shots DIRECTORY] [--fails] PAGE.html
// --fails turns the answers round: each of the checks named must fail, for pages with a planted fault.
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { Browser } from "./cdp.mjs";
import { checks } from "./checks.mjs";
import { shoot } from "./shots.mjs";

const { values, positionals } = parseArgs({ allowPositionals: true, options: { only: { type: "string" }, shots: { type: "string" }, fails: { type: "boolean" } } });
const url = pathToFileURL(resolve(positionals[0])).href;
const wanted = values.only ? values.only.split(",") : checks.filter(([, , special]) => !special).map(([name]) => name);
let count = 0;
let failures = 0;

function report(good, name, error) {
	count++;
	console.log(`${good ? "ok" : "not ok"} ${count} - ${name}`);
	if (good)
		return;
	failures++;
	for (const line of String(error?.stack ?? error ?? "it passed").split("\n").slice(0, 30))
		console.log(`# ${line}`);
}

const browser = await Browser.open();
try {
	const page = await browser.page();

	await page.size(1280, 900);
	await page.open(url);
	for (const name of wanted) {
		const began = performance.now();
		let error = null;

		try {
			const [, check] = checks.find(([known]) => known === name);
			await check({ page, url });
		} catch (thrown) {
			error = thrown;
		}
		if (values.fails)
			report(error !== null, `notices: ${name}`);
		else
			report(error === null, `${name} (${Math.round(performance.now() - began)} ms)`, error);
	}
	if (values.shots) {
		const files = await shoot(page, url, values.shots);
		report(files.length === 6 && page.errors.length === 0, "screenshots at three widths, light and dark", page.errors.join("\n"));
	}
} catch (error) {
	report(false, "the page opens", error);
} finally {
	await browser.close();
}
console.log(`1..${count}`);
process.exit(failures > 0 ? 1 : 0);
