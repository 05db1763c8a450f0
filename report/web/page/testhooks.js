/* What tests ask the page: window.perfmonTest. */

function makeHooks(app) {
	const { model } = app;

	return {
		rows: model.n,
		/* Exact sums of all columns of numbers, as decimals. */
		async sums() {
			const sums = {};

			for (const [name, column] of model.columns) {
				if (column.exactSum === undefined)
					await model.column(name);
				if (column.exactSum !== null)
					sums[name] = String(column.exactSum);
			}
			return sums;
		},
		shapes: () => app.timeline.drawn,
		hit(x, y) {
			const bounds = app.timeline.box.getBoundingClientRect();

			return app.timeline.hit(x - bounds.left, y - bounds.top);
		},
		/* A point of the page on the bar of a row, if that is shown. */
		place(row) {
			const { box, scroller, lanes, packed, frame } = app.timeline;
			const [from, to] = shownRange(app);
			const bounds = box.getBoundingClientRect();
			const lane = packed.laneOf[row];
			const time = (Math.max(from, model.start[row]) + Math.min(to, model.end[row])) / 2;

			if (!(lane >= 0) || !(time >= from && time <= to))
				return null;
			return { x: bounds.left + frame.left + ((time - from) / (to - from)) * frame.plot,
				y: bounds.top + scroller.offsetTop - scroller.scrollTop + (lanes.tops[lane] + lanes.bottoms[lane]) / 2,
				width: ((Math.min(to, model.end[row]) - Math.max(from, model.start[row])) / (to - from)) * frame.plot,
				left: bounds.left + frame.left + ((Math.max(from, model.start[row]) - from) / (to - from)) * frame.plot,
				height: lanes.bottoms[lane] - lanes.tops[lane],
				plain: !model.endUnknown[row] && !app.failed?.[row],
				shade: app.timeline.shade[row] };
		},
		/* What the canvas of bars has at a point of the page: [red, green, blue, opacity]. */
		pixel(x, y) {
			const bounds = app.timeline.gantt.getBoundingClientRect();
			const ratio = app.timeline.gantt.width / bounds.width;

			return [...app.timeline.gantt.getContext("2d").getImageData(Math.floor((x - bounds.left) * ratio), Math.floor((y - bounds.top) * ratio), 1, 1).data];
		},
		treeHit(x, y) {
			const bounds = app.tree.canvas.getBoundingClientRect();
			const node = app.tree.hit(x - bounds.left, y - bounds.top);

			return node < 0 ? -1 : app.tree.rowOf(node);
		},
		async card(row) {
			app.card.back = document.body;
			app.state.set({ row });
			for (let i = 0; i < 200 && app.card.body.querySelector("h2") === null; i++)
				await new Promise((resolve) => setTimeout(resolve, 10));
			return app.card.node.innerText;
		},
		/* Show a range (in microseconds) and say how long drawing took, in milliseconds. */
		draw(from, to) {
			showRange(app, from, to);
			const before = performance.now();

			app.timeline.draw();
			return performance.now() - before;
		},
		/* Show a range in the next frame. */
		show: (from, to) => showRange(app, from, to),
		/* Both work at once, not in the next frame. */
		filter(names) {
			app.state.set({ program: names });
			app.drawDirty();
		},
		drawTree: () => app.tree.draw(),
		state: () => app.state.hash,
		times: app.times,
		contrast,
	};
}
