/* All sampled series, by group; each chart is decoded and drawn when it comes into view. */

const OPEN_GROUPS = 2;
const MOST_PRINTED = 60;

class SeriesView {
	constructor(app, root) {
		this.app = app;
		this.charts = [];
		this.opened = 0;
		this.loads = []; /* each loads the chart of a place, if that has not happened */
		this.plans = chartsOf(app.model.index.series.list, app.model.hosts);
		/* Where each of many nodes has a chart of states, what all share comes first. */
		if (app.model.hosts.length > 4)
			this.plans.sort((a, b) => a.stacked - b.stacked);
		this.groups = groupsOf(this.plans).map(([name, plans]) => this.group(name, plans));
		root.replaceChildren(...this.groups);
	}

	/* Charts of what varied; those of what was constant throughout on demand. */
	group(name, plans) {
		const varied = plans.filter((plan) => !plan.constant);
		const constant = plans.filter((plan) => plan.constant);
		const grid = element("div", { class: "plots" });
		const open = varied.length > 0 && this.opened++ < OPEN_GROUPS;
		const count = varied.length === 0 ? "constant throughout" : `${varied.length === 1 ? "one chart" : `${varied.length} charts`}${constant.length > 0 ? `, ${constant.length} constant` : ""}`;
		const more = button(`Show what was constant: ${constant.length}`, () => {
			more.remove();
			grid.append(...constant.map((plan) => this.place(plan)));
		}, { class: "constant" });
		const details = element("details", { class: "group", open }, element("summary", {}, element("strong", { text: name }),
			element("span", { class: "count", text: count })), grid, constant.length > 0 ? more : null);
		let filled = false;
		const fill = () => {
			if (!details.open || filled)
				return;
			filled = true;
			grid.append(...varied.map((plan) => this.place(plan)));
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
