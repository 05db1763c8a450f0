// Screenshots of a page at three widths, light and dark: node shots.mjs PAGE.html DIRECTORY
import { mkdirSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { Browser } from "./cdp.mjs";

export const WIDTHS = [[1280, 720], [800, 900], [390, 844]];

export async function shoot(page, url, directory) {
	const written = [];

	mkdirSync(directory, { recursive: true });
	for (const [width, height] of WIDTHS)
		for (const dark of [false, true]) {
			const file = `${directory}/${width}-${dark ? "dark" : "light"}.png`;

			await page.size(width, height, dark);
			await page.send("Page.navigate", { url: "about:blank" });
			await page.open(url);
			/* Everything comes into view once, so that all is drawn. */
			await page.eval("(async () => { for (let y = 0; y < document.body.scrollHeight; y += 500) { scrollTo(0, y); await new Promise((r) => setTimeout(r, 60)); } scrollTo(0, 0); return true })()");
			await page.settle();
			writeFileSync(file, await page.picture(true));
			written.push(file);
		}
	return written;
}

if (process.argv[1].endsWith("shots.mjs")) {
	const browser = await Browser.open();

	try {
		const page = await browser.page();
		for (const file of await shoot(page, pathToFileURL(resolve(process.argv[2])).href, process.argv[3]))
			console.log(file);
		for (const error of page.errors)
			console.log(`# ${error}`);
	} finally {
		await browser.close();
	}
}
