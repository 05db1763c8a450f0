/* What the timeline draws: the curve of running processes, phases, bars, the critical path. */

function drawOverview(timeline, range) {
	const { app, frame } = timeline;
	const [from, to] = range;
	const { index } = app.model;
	const { phases } = timeline;
	const strip = phaseRows(phases) * PHASE_ROW;
	const top = strip > 0 ? strip + 4 : 8;
	const height = OVERVIEW_HEIGHT + top;
	const bottom = height - 18;
	const { context } = fitCanvas(timeline.overview, frame.width, height, app.printing);
	const pen = new CanvasPen(context);
	const means = meanRunning(timeline.concurrency, from, to, Math.floor(frame.plot));
	const steps = index.steps && index.steps.cpu ? index.steps : null;
	let most = 0;

	for (const mean of means)
		most = Math.max(most, mean);
	if (steps)
		steps.cpu.forEach((v, i) => {
			if (v !== null && (i + 1) * steps.step_us > from && i * steps.step_us < to)
				most = Math.max(most, v);
		});
	const high = niceTop(most * 1.02, 4);
	const y = (v) => bottom - (v / high) * (bottom - top);
	const x = (t) => frame.left + ((t - from) / (to - from)) * frame.plot;

	drawTimeAxis(pen, frame, range, bottom, top);
	for (const tick of valueTicks(0, high, 4).ticks) {
		pen.line(frame.left, y(tick), frame.left + frame.plot, y(tick), theme.colours.line, 1);
		if (tick > 0)
			pen.text(formatPlain(tick, ""), frame.left - 6, y(tick) + 4, { colour: theme.colours.muted, align: "right" });
	}
	const area = [frame.left, bottom];
	const edge = [];

	means.forEach((mean, i) => {
		edge.push(frame.left + i + 0.5, y(mean));
	});
	area.push(...edge, frame.left + frame.plot, bottom);
	pen.clip(frame.left, 0, frame.plot, bottom + 1, () => {
		drawPhases(pen, phases, frame, range, top, bottom);
		pen.shape(area, theme.colours.area, 0.45);
		pen.path(edge, theme.colours.area, 1);
		if (steps)
			pen.path(stepPoints(steps, x, y), theme.colours.text, 1.5);
		if (index.job.cpus > 0 && index.job.cpus <= high) {
			pen.path([frame.left, y(index.job.cpus), frame.left + frame.plot, y(index.job.cpus)], theme.colours.muted, 1, [4, 3]);
			pen.text(`${formatCount(index.job.cpus)} CPUs`, frame.left + frame.plot - 4, y(index.job.cpus) - 4, { colour: theme.colours.muted, align: "right" });
		}
	});
	pen.clip(frame.left, 0, frame.plot, strip, () => labelPhases(pen, phases, frame, range));
	keyOfOverview(pen, frame, top, steps);
}

function stepPoints(steps, x, y) {
	const points = [];

	steps.cpu.forEach((value, i) => {
		const v = value === null ? NaN : y(value);
		points.push(x(i * steps.step_us), v, x((i + 1) * steps.step_us), v);
	});
	return points;
}

/* What the area and the line are, in the gutter where there is room. */
function keyOfOverview(pen, frame, top, steps) {
	if (frame.left < 80)
		return;
	pen.rect(2, top + 2, 9, 9, theme.colours.area, 0.6);
	pen.text("running", 15, top + 10, { colour: theme.colours.muted });
	if (steps) {
		pen.line(2, top + 22, 11, top + 22, theme.colours.text, 2);
		pen.text("CPUs", 15, top + 26, { colour: theme.colours.muted });
	}
}

function drawGantt(timeline, range) {
	const { app, frame, lanes, height } = timeline;
	const { context, ratio } = fitCanvas(timeline.gantt, frame.width, height, app.printing);
	const scroll = timeline.scroller.scrollTop;
	const painted = paintSpans(context, timeline.spans, {
		from: range[0], to: range[1],
		left: Math.round(frame.left * ratio), width: Math.floor(frame.plot * ratio), height: Math.round(height * ratio),
		tops: lanes.tops.map((top) => (top - scroll) * ratio),
		bottoms: lanes.bottoms.map((bottom) => (bottom - scroll) * ratio),
		shade: timeline.shade, wideFrom: 26 * ratio,
	});
	const pen = new CanvasPen(context);

	timeline.drawn = painted.drawn;
	for (const [i, x, y, w, h] of painted.wide)
		decorateBar(context, timeline, i, x / ratio, y / ratio, w / ratio, h / ratio);
	for (const mark of painted.marks)
		drawFailure(context, ...mark.map((v) => v / ratio));
	/* Behind the bars: bands of phases. */
	context.globalCompositeOperation = "destination-over";
	drawPhases(pen, timeline.phases, frame, range, 0, height);
	context.globalCompositeOperation = "source-over";
	drawGroups(pen, timeline, scroll);
	if (app.state.critical)
		drawCritical(context, timeline, range, scroll);
	if (app.state.row !== null)
		drawChosen(context, timeline, range, scroll);
}

/* Inside of a wide bar: the program's name, and a pattern if its end is not known. */
function decorateBar(context, timeline, i, x, y, width, height) {
	const { app, spans } = timeline;
	const row = spans.row[i];
	const rank = timeline.ranks()[row];
	const faded = app.filter.matched && !app.filter.matched[row];

	if (app.model.endUnknown[row])
		hatch(context, x, y, width, height, theme.colours.surface);
	if (height < 11)
		return;
	context.font = `${Math.min(11, height - 1)}px ${theme.font}`;
	context.textAlign = "left";
	context.fillStyle = faded ? theme.colours.muted : inkOn(onSurface(theme.ofRank(rank), opacityOf(app.model.busy[row])));
	context.fillText(fitText(context, app.model.programName(row), width - 6), x + 3, y + height / 2 + 3.5);
}

function hatch(context, x, y, width, height, colour) {
	context.save();
	context.beginPath();
	context.rect(x, y, width, height);
	context.clip();
	context.strokeStyle = colour;
	context.globalAlpha = 0.6;
	context.lineWidth = 1.5;
	context.beginPath();
	for (let at = x - height; at < x + width; at += 6) {
		context.moveTo(at, y + height);
		context.lineTo(at + height, y);
	}
	context.stroke();
	context.restore();
}

/* A failed process: an outline with a corner, or a tick where it has a pixel or two. */
function drawFailure(context, x, y, width, height) {
	context.fillStyle = theme.colours.bad;
	context.strokeStyle = theme.colours.bad;
	if (width < 5 || height < 5) {
		context.fillRect(x, y, Math.max(1.5, width), Math.min(height, Math.max(2, height / 2)));
		return;
	}
	context.lineWidth = 1.5;
	context.strokeRect(x + 0.75, y + 0.75, width - 1.5, height - 1.5);
	const corner = Math.min(8, width, height);

	context.beginPath();
	context.moveTo(x + width - corner, y);
	context.lineTo(x + width, y);
	context.lineTo(x + width, y + corner);
	context.fill();
}

function drawGroups(pen, timeline, scroll) {
	const { packed, lanes, frame, height } = timeline;
	let free = -Infinity;
	let below = -Infinity; /* the upper edge of the group before */

	if (packed.lanes === 0)
		pen.text("no process was recorded", frame.left + 4, 20, { colour: theme.colours.muted });
	packed.groups.forEach((group, at) => {
		const top = lanes.tops[group.first] - scroll;
		const bottom = lanes.bottoms[group.first + group.count - 1] - scroll;

		if (bottom < 0 || top > height)
			return;
		if (at > 0 && (bottom - top > 8 || top - below > 8))
			pen.line(0, top - lanes.gap / 2, frame.left + frame.plot, top - lanes.gap / 2, theme.colours.line, 1);
		const label = Math.max(top, 0) + 10;

		below = top;
		if (label < free || label > height || bottom - top < 7)
			return;
		pen.text(group.name, 2, Math.min(label, height - 2), { colour: theme.colours.muted, fit: frame.left - 8 });
		free = label + 12;
	});
}

function barOf(timeline, row, range, scroll) {
	const lane = timeline.packed.laneOf[row];
	const { frame, lanes } = timeline;

	if (!(lane >= 0))
		return null;
	return {
		x: (t) => frame.left + ((t - range[0]) / (range[1] - range[0])) * frame.plot,
		top: lanes.tops[lane] - scroll,
		height: lanes.bottoms[lane] - lanes.tops[lane],
	};
}

/* The critical path: from bar to bar, a cased line over the time that each decided. */
function drawCritical(context, timeline, range, scroll) {
	const { app, frame, height } = timeline;
	const points = [];

	for (const piece of app.model.index.critical || []) {
		const bar = piece.end_us >= range[0] && piece.begin_us <= range[1] ? barOf(timeline, piece.row, range, scroll) : null;

		if (!bar)
			continue;
		const y = bar.top + bar.height / 2;
		const x = bar.x(piece.begin_us);

		/* Pieces that do not follow each other are not joined. */
		if (points.length > 0 && Math.abs(points[points.length - 2] - x) > 3)
			points.push(x, NaN);
		points.push(x, y, bar.x(piece.end_us), y);
	}
	context.save();
	context.beginPath();
	context.rect(frame.left, 0, frame.plot, height);
	context.clip();
	const pen = new CanvasPen(context);

	pen.path(points, theme.colours.surface, 5);
	pen.path(points, theme.colours.text, 2.5);
	context.restore();
}

function drawChosen(context, timeline, range, scroll) {
	const row = timeline.app.state.row;
	const bar = barOf(timeline, row, range, scroll);

	if (!bar)
		return;
	const { frame } = timeline;
	const { model } = timeline.app;
	const x = Math.max(frame.left, bar.x(model.start[row]));
	const end = Math.min(frame.left + frame.plot, bar.x(model.end[row]));

	if (end < frame.left || x > frame.left + frame.plot)
		return;
	context.strokeStyle = theme.colours.text;
	context.lineWidth = 2;
	context.strokeRect(x - 1, bar.top - 1, Math.max(3, end - x) + 2, Math.max(3, bar.height) + 1);
}
