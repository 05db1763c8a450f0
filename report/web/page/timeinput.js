/* The axis of time that charts share: its place in a chart, and what pointer and keys do to it. */

/* Columns of a chart of a given width: labels at the left, then the plot. */
function frameOf(width) {
	const left = width < 560 ? 52 : 92;

	return { left, right: 10, width, plot: Math.max(10, width - left - 10) };
}

/* The range of time that is shown, in microseconds. */
function shownRange(app) {
	const { from, to } = app.state;
	const span = app.model.span;

	return clampRange(from === null ? 0 : from * 1e6, to === null ? span : to * 1e6, span);
}

function showRange(app, from, to) {
	const span = app.model.span;
	const [a, b] = clampRange(from, to, span);
	const all = a <= 0 && b >= span;

	app.state.set({ from: all ? null : a / 1e6, to: all ? null : b / 1e6 });
}

function zoomBy(app, factor, at) {
	const [from, to] = shownRange(app);

	showRange(app, ...zoomRange(from, to, at ?? (from + to) / 2, factor, app.model.span));
}

function panBy(app, share) {
	const [from, to] = shownRange(app);

	showRange(app, from + (to - from) * share, to + (to - from) * share);
}

/* One cursor for all charts: a line in each, moved without drawing anything anew. */
const cursor = {
	lines: new Map(), /* box of a chart -> its line */
	at: null,
	add(box) {
		const line = element("div", { class: "cursor", "aria-hidden": "true" });

		box.append(line);
		line.hidden = true;
		this.lines.set(box, line);
	},
	remove(box) {
		this.lines.delete(box);
	},
	move(app, time) {
		this.at = time;
		const [from, to] = shownRange(app);

		for (const [box, line] of this.lines) {
			const frame = box.pmFrame;

			line.hidden = time === null || !frame || time < from || time > to;
			if (!line.hidden)
				line.style.transform = `translateX(${frame.left + ((time - from) / (to - from)) * frame.plot}px)`;
		}
	},
};

/* Let pointer and keys in box pan and zoom. box.pmFrame is its frame, as last drawn. does may have
   hover(x, y, time, event), leave(), click(x, y, time), key(event). Coordinates are the box's. */
function listenTime(app, box, does = {}) {
	const selection = element("div", { class: "selection", "aria-hidden": "true" });
	let down = null;

	selection.hidden = true;
	box.append(selection);
	cursor.add(box);

	const place = (event) => {
		const bounds = box.getBoundingClientRect();
		const x = event.clientX - bounds.left;
		const [from, to] = shownRange(app);
		const share = Math.min(1, Math.max(0, (x - box.pmFrame.left) / box.pmFrame.plot));

		return { x, y: event.clientY - bounds.top, time: from + share * (to - from) };
	};
	const endDrag = () => {
		down = null;
		selection.hidden = true;
	};

	box.addEventListener("pointerdown", (event) => {
		if (event.button !== 0 || event.target.closest("button, a, select, input"))
			return;
		down = place(event);
	});
	box.addEventListener("pointermove", (event) => {
		const at = place(event);

		cursor.move(app, at.time);
		if (down && Math.abs(at.x - down.x) > 4) {
			const edges = [at.x, down.x].map((x) => Math.min(Math.max(x, box.pmFrame.left), box.pmFrame.left + box.pmFrame.plot));

			if (selection.hidden)
				box.setPointerCapture(event.pointerId);
			selection.hidden = false;
			selection.style.left = `${Math.min(...edges)}px`;
			selection.style.width = `${Math.abs(edges[0] - edges[1])}px`;
			tip.show(event.clientX, event.clientY, formatDuration(Math.abs(at.time - down.time)), []);
			return;
		}
		if (does.hover)
			does.hover(at.x, at.y, at.time, event);
	});
	box.addEventListener("pointerup", (event) => {
		if (!down)
			return;
		const at = place(event);
		const dragged = !selection.hidden;
		const from = Math.min(down.time, at.time);
		const to = Math.max(down.time, at.time);

		endDrag();
		if (dragged)
			showRange(app, from, to);
		else if (does.click)
			does.click(at.x, at.y, at.time);
	});
	box.addEventListener("pointercancel", endDrag);
	box.addEventListener("pointerleave", () => {
		if (down)
			return;
		cursor.move(app, null);
		tip.hide();
		if (does.leave)
			does.leave();
	});
	box.addEventListener("dblclick", () => app.state.set({ from: null, to: null }));
	/* The wheel zooms where it was asked for: with Ctrl, or in the chart that has the focus. The page
	   scrolls otherwise. */
	box.addEventListener("wheel", (event) => {
		const sideways = Math.abs(event.deltaX) > Math.abs(event.deltaY) || event.shiftKey;

		if (!event.ctrlKey && !event.metaKey && !sideways && !box.contains(document.activeElement))
			return;
		event.preventDefault();
		const delta = event.deltaX && sideways ? event.deltaX : event.deltaY;

		if (sideways)
			panBy(app, delta / 1000);
		else
			zoomBy(app, Math.exp(Math.max(-1, Math.min(1, delta / 400))), place(event).time);
		cursor.move(app, place(event).time);
	}, { passive: false });
	box.addEventListener("keydown", (event) => {
		if (event.target !== box || event.ctrlKey || event.metaKey || event.altKey)
			return;
		if (timeKey(app, event) || (does.key && does.key(event)))
			event.preventDefault();
	});
	/* Escape while dragging gives the drag up. */
	app.escapes.push(() => {
		if (!down)
			return false;
		endDrag();
		tip.hide();
		return true;
	});
}

function timeKey(app, event) {
	const step = event.shiftKey ? 0.5 : 0.1;

	switch (event.key) {
	case "ArrowLeft": panBy(app, -step); return true;
	case "ArrowRight": panBy(app, step); return true;
	case "+": case "=": zoomBy(app, 1 / 1.5, cursor.at); return true;
	case "-": case "_": zoomBy(app, 1.5, cursor.at); return true;
	case "0": case "Home": app.state.set({ from: null, to: null }); return true;
	default: return false;
	}
}

/* The axis of time along y, with lines up to top. */
function drawTimeAxis(pen, frame, [from, to], y, top) {
	const { step, ticks } = timeTicks(from, to, Math.max(2, Math.floor(frame.plot / 90)));

	for (const tick of ticks) {
		const x = frame.left + ((tick - from) / (to - from)) * frame.plot;

		pen.line(x, top, x, y, theme.colours.line, 1);
		if (x < frame.left + frame.plot - 4 || frame.width > 500)
			pen.text(timeLabel(tick, step), x, y + 13, { colour: theme.colours.muted, align: "middle", within: [2, frame.width - 2] });
	}
	pen.line(frame.left, y, frame.left + frame.plot, y, theme.colours.muted, 1);
}
