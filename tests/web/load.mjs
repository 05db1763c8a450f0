// The page's functions without a page: the files that need no document, as one object.
import { readFileSync } from "node:fs";

const page = new URL("../../report/web/page/", import.meta.url);
const PURE = ["decode.js", "format.js", "scales.js", "spans.js", "model.js", "lanes.js", "concurrency.js", "forest.js", "search.js", "state.js", "seriesdata.js", "nodesdata.js", "tabledata.js", "theme.js", "times.js", "pens.js", "phases.js"];

export function loadPage() {
	const source = PURE.map((name) => readFileSync(new URL(name, page), "utf8")).join("");
	const names = [...source.matchAll(/^(?:async )?(?:function|class|const) (\w+)/gm)].map((match) => match[1]);

	return new Function(`"use strict";\n${source}\nreturn { ${names.join(", ")} };`)();
}

// A model of rows given as columns, without blocks.
export async function modelOf(page, table, { programs, hosts, span, open = false }) {
	const columns = Object.keys(table).map((name) => ({ name, enc: "u", id: name }));
	const model = new page.Model({ span_us: span, hosts, programs, job: { open }, processes: { rows: table.parent.length, columns } }, () => null);

	model.column = async (name) => {
		model.values[name] ??= name === "command" ? table[name] : Float64Array.from(table[name], (v) => (v === null ? NaN : Number(v)));
		return model.values[name];
	};
	await model.prepare();
	return model;
}
