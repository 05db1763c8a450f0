/* All sampled series, by group; each chart is decoded and drawn when it comes into view. */

const OPEN_GROUPS = 2;
const MOST_PRINTED = 60;

class SeriesView {
	constructor(app, root) {
		this.app = app;
		this.charts = [];
		this.loads = []; /* each loads the chart of a place, if that has not happened */
		this.plans = chartsOf(app.model.index.series.list, app.model.hosts);
		const groups = new Map();

		/* Where each of many nodes has a chart of states, what all share comes first. */
		if (app.model.hosts.length > 4)
			this.plans.sort((a, b) => a.stacked - b.stacked);
		for (const plan of this.plans)
			groups.set(plan.group, [...(groups.get(plan.group) ?? []), plan]);
		this.groups = [...groups].map(([name, plans], at) => this.group(name, plans, at < OPEN_GROUPS));
		root.replaceChildren(...this.groups);
	}

	group(name, plans, open) {
		const grid = element("div", { class: "plots" });
		const details = element("details", { class: "group", open }, element("summary", {}, element("strong", { text: name }),
			element("span", { class: "count", text: plans.length === 1 ? "one chart" : `${plans.length} charts` })), grid);
		const fill = () => {
			if (!details.open || grid.childElementCount > 0)
				return;
			for (const plan of plans)
				grid.append(this.place(plan));
		};

		details.addEventListener("toggle", fill);
		fill();
		return details;
	}

	place(plan) {
		const slot = element("div", { class: "slot" });

		this.loads.push(whenVisible(slot, () => {
			const chart = new Chart(this.app, plan);

			slot.replaceChildren(chart.node);
			this.charts.push(chart);
			return chart.load().catch((error) => showFailure(slot, plan.title, error));
		}));
		return slot;
	}

	/* Load all charts, for print; if there are very many, those of open groups. */
	async loadAll() {
		if (this.plans.length <= MOST_PRINTED)
			for (const details of this.groups)
				details.open = true;
		this.groups.forEach((details) => details.dispatchEvent(new Event("toggle")));
		await Promise.all(this.loads.map((load) => load()));
	}

	plan(key) {
		return this.plans.find((plan) => plan.key === key);
	}

	draw() {
		const height = window.innerHeight;

		for (const chart of this.charts) {
			const { top, bottom } = chart.box.getBoundingClientRect();

			/* Others are drawn when they are scrolled to. */
			chart.stale = !this.app.printing && (bottom < -200 || top > height + 200);
			if (!chart.stale)
				chart.draw();
		}
	}

	scrolled() {
		if (this.charts.some((chart) => chart.stale))
			this.draw();
	}
}

/* Charts that the user pinned below the timeline. */
class PinnedCharts {
	constructor(app, box) {
		this.app = app;
		this.box = box;
		this.charts = new Map();
	}

	update() {
		const { state } = this.app;

		for (const [key, chart] of this.charts)
			if (!state.with.includes(key)) {
				cursor.remove(chart.box);
				chart.node.remove();
				this.charts.delete(key);
			}
		for (const key of state.with) {
			const plan = this.charts.has(key) ? null : this.app.series?.plan(key);

			if (!plan)
				continue;
			const chart = new Chart(this.app, plan);

			this.charts.set(key, chart);
			this.box.append(chart.node);
			chart.load().catch((error) => showFailure(chart.node, plan.title, error));
		}
	}

	draw() {
		for (const chart of this.charts.values())
			chart.draw();
	}
}
