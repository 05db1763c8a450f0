/* Sampled series as charts: which share one, their values, their sums. */

const MOST_COLOURED = 7; /* lines of a chart; of more the largest */
const CPU_STATES = ["user", "nice", "system", "irq", "softirq", "steal", "iowait", "idle"];
const STACK_COLOURS = { user: 0, nice: 4, system: 1, irq: 6, softirq: 3, steal: 5, iowait: 2, idle: -1 };

/* Charts of the list of series: one per source and metric with a line per host and object; states of
   CPUs one per host and object, stacked. {key, title, group, unit, stacked, lines: [series numbers]} */
function chartsOf(list, hosts) {
	const charts = new Map();

	list.forEach((series, i) => {
		const stacked = series.source === "cpu" && CPU_STATES.includes(series.metric);
		const host = hosts[series.host]?.name ?? "";
		const where = [series.object, hosts.length > 1 ? host : ""].filter(Boolean).join(" on ");
		const key = stacked ? `${series.source}.states.${series.object ?? ""}.${host}` : `${series.source}.${series.metric}`;

		if (!charts.has(key))
			charts.set(key, {
				key, stacked, lines: [],
				title: stacked ? ["CPU states", where].filter(Boolean).join(", ") : `${series.source} ${series.metric}`.replace(/_/g, " "),
				group: series.group ?? series.source,
				unit: unitOf(series.unit_shown ?? series.unit, series.group),
				/* States of CPUs fill what there is: the axis shows all of it. */
				least: 0,
				constant: true,
			});
		const chart = charts.get(key);

		chart.lines.push(i);
		chart.constant = chart.constant && (series.id === null || series.id === undefined);
		if (stacked && chart.unit.unit === "CPUs")
			chart.least = (series.object ? 1 : hosts[series.host]?.cpus ?? 0) * chart.unit.divide;
	});
	for (const chart of charts.values()) {
		if (chart.stacked)
			chart.lines.sort((a, b) => CPU_STATES.indexOf(list[a].metric) - CPU_STATES.indexOf(list[b].metric));
		else if (chart.lines.length > MOST_COLOURED)
			chart.lines.sort((a, b) => (list[b].mean ?? 0) - (list[a].mean ?? 0));
	}
	return [...charts.values()];
}

/* Groups in the order in which people look for them; others follow as they come. */
const FIRST_GROUPS = ["cpu", "memory", "process", "disk", "filesystem", "network", "load", "pressure"];

function groupsOf(charts) {
	const groups = new Map();
	const place = (name) => {
		const at = FIRST_GROUPS.indexOf(name.toLowerCase());
		return at < 0 ? FIRST_GROUPS.length : at;
	};

	for (const chart of charts)
		groups.set(chart.group, [...(groups.get(chart.group) ?? []), chart]);
	return [...groups].sort(([a], [b]) => place(a) - place(b));
}

/* What tells a line of its chart apart. */
function lineName(series, hosts, stacked) {
	if (stacked)
		return series.metric;
	const host = hosts[series.host]?.name;

	return [series.object, hosts.length > 1 ? host : null].filter(Boolean).join(" · ") || host || series.title;
}

/* Values of a series in its unit: {mean, low, high}; low and high are null without a band. */
function seriesValues(series, steps, numbers) {
	const mean = new Float64Array(steps);
	let low = null;
	let high = null;

	if (numbers === null) {
		mean.fill(series.mean ?? NaN);
	} else {
		const part = (at) => numbers.slice(at * steps, (at + 1) * steps).map((v) => v * series.scale);

		mean.set(part(0));
		if (series.band) {
			low = part(1);
			high = part(2);
		}
	}
	if (numbers === null)
		for (const [from, count] of series.gaps ?? [])
			mean.fill(NaN, from, from + count);
	return { mean, low, high };
}

async function loadSeries(model, number) {
	const series = model.index.series.list[number];
	const { steps } = model.index.series;

	model.seriesCache ??= new Map();
	if (!model.seriesCache.has(number))
		model.seriesCache.set(number, (async () => {
			if (series.id === null || series.id === undefined)
				return seriesValues(series, steps, null);
			const bytes = await model.block(series.id);
			return seriesValues(series, steps, decodeNumbers(bytes, steps * (series.band ? 3 : 1), NUMBER_CODES.d));
		})());
	return model.seriesCache.get(number);
}

/* Why there is no value at a step, if the page knows. */
function gapReason(series, step) {
	const gap = (series.gaps ?? []).find(([from, count]) => step >= from && step < from + count);

	return gap ? gap[2] || "no reason recorded" : null;
}

/* Running sums of stacked lines: for each line its upper edge. Unknown values break the stack there. */
function stackValues(lines) {
	const edges = [];
	let below = null;

	for (const values of lines) {
		const edge = values.map((v, i) => v + (below ? below[i] : 0));
		edges.push(edge);
		below = edge;
	}
	return edges;
}

/* Steps averaged to at most count rows for a table: [[first step, steps, [value per line]]]. */
function thinned(lines, from, to, count) {
	const each = Math.max(1, Math.ceil((to - from) / count));
	const rows = [];

	for (let at = from; at < to; at += each) {
		const stop = Math.min(to, at + each);

		rows.push([at, stop - at, lines.map((values) => {
			let sum = 0;
			let known = 0;

			for (let i = at; i < stop; i++)
				if (values[i] === values[i]) {
					sum += values[i];
					known++;
				}
			return known > 0 ? sum / known : NaN;
		})]);
	}
	return rows;
}
