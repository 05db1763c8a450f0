/* How a chart of series is drawn, by either pen. */

function drawChart(pen, chart, frame, range, height) {
	const { app, plan } = chart;
	const { step_us, steps } = app.model.index.series;
	const [from, to] = range;
	const first = chart.stepAt(from);
	const last = Math.min(steps, chart.stepAt(to) + 1);
	const top = 8;
	const bottom = height - 18;
	const shown = chart.shown();
	const edges = plan.stacked ? stackValues(shown.map((i) => chart.values[i].mean)) : null;
	const bands = !plan.stacked && shown.length <= MOST_BANDS;
	const [low, high] = extent(chart, shown, edges, bands, first, last);
	const place = {
		x: (step) => frame.left + ((step * step_us - from) / (to - from)) * frame.plot,
		y: (v) => bottom - ((v - low) / (high - low)) * (bottom - top),
		first, last,
	};
	const format = plan.unit.axis ?? plan.unit.format;

	drawTimeAxis(pen, frame, range, bottom, top);
	for (const tick of valueTicks(low / plan.unit.divide, high / plan.unit.divide, 3).ticks) {
		const y = place.y(tick * plan.unit.divide);

		pen.line(frame.left, y, frame.left + frame.plot, y, theme.colours.line, 1);
		pen.text(format(tick * plan.unit.divide), frame.left - 6, y + 4, { colour: theme.colours.muted, align: "right", fit: frame.left - 8 });
	}
	pen.clip(frame.left, 0, frame.plot, bottom + 1, () => {
		if (shown.length <= MOST_BANDS || plan.stacked)
			drawGaps(pen, chart, shown, place, top, bottom);
		if (plan.stacked)
			drawStack(pen, chart, shown, edges, place);
		else
			drawLines(pen, chart, shown, bands, place);
	});
}

/* The axis holds all that is shown, and 0. */
function extent(chart, shown, edges, bands, first, last) {
	let low = 0;
	let high = chart.plan.least;

	shown.forEach((i, at) => {
		const { mean, low: least, high: most } = chart.values[i];
		const upper = edges ? edges[at] : bands && most ? most : mean;
		const lower = bands && least ? least : mean;

		for (let step = first; step < last; step++) {
			if (upper[step] > high)
				high = upper[step];
			if (lower[step] < low)
				low = lower[step];
		}
	});
	const { divide } = chart.plan.unit;

	return [low < 0 ? -niceTop(-low / divide, 3) * divide : 0, high > 0 ? niceTop(high / divide, 3) * divide : low < 0 ? 0 : divide];
}

/* Grey where nothing is known. */
function drawGaps(pen, chart, shown, place, top, bottom) {
	const unknown = (step) => shown.length > 0 && shown.some((i) => chart.values[i].mean[step] !== chart.values[i].mean[step]);

	for (let step = place.first; step < place.last; step++) {
		if (!unknown(step))
			continue;
		let stop = step + 1;

		while (stop < place.last && unknown(stop))
			stop++;
		pen.rect(place.x(step), top, place.x(stop) - place.x(step), bottom - top, theme.colours.band, 1);
		step = stop;
	}
}

/* Points in the middle of their steps; a lone known step is a dash as long as the step. */
function linePoints(values, place) {
	const points = [];
	const known = (step) => step >= 0 && values[step] === values[step];

	for (let step = Math.max(0, place.first - 1); step < Math.min(values.length, place.last + 1); step++) {
		const y = known(step) ? place.y(values[step]) : NaN;

		if (known(step) && !known(step - 1))
			points.push(place.x(step), y);
		points.push(place.x(step + 0.5), y);
		if (known(step) && (step + 1 >= values.length || !known(step + 1)))
			points.push(place.x(step + 1), y);
	}
	return points;
}

/* Pieces without gaps of the area between two edges, as closed shapes. */
function areaShapes(lower, upper, place) {
	const shapes = [];
	const stop = Math.min(upper.length, place.last + 1);

	for (let step = Math.max(0, place.first - 1); step < stop; step++) {
		if (upper[step] !== upper[step])
			continue;
		const begin = step;

		while (step < stop && upper[step] === upper[step])
			step++;
		const shape = [place.x(begin), place.y(upper[begin])];

		for (let i = begin; i < step; i++)
			shape.push(place.x(i + 0.5), place.y(upper[i]));
		shape.push(place.x(step), place.y(upper[step - 1]), place.x(step), place.y(lower ? lower[step - 1] : 0));
		for (let i = step - 1; i >= begin; i--)
			shape.push(place.x(i + 0.5), place.y(lower ? lower[i] : 0));
		shape.push(place.x(begin), place.y(lower ? lower[begin] : 0));
		shapes.push(shape);
	}
	return shapes;
}

function drawStack(pen, chart, shown, edges, place) {
	edges.forEach((edge, at) => {
		for (const shape of areaShapes(at > 0 ? edges[at - 1] : null, edge, place))
			pen.shape(shape, chart.colour(shown[at]), 0.85);
	});
}

function drawLines(pen, chart, shown, bands, place) {
	const dashes = [[], [6, 3], [2, 2]];

	if (bands)
		for (const i of shown)
			if (chart.values[i].low)
				for (const shape of areaShapes(chart.values[i].low, chart.values[i].high, place))
					pen.shape(shape, chart.colour(i), 0.2);
	/* The largest on top; lines beyond the palette are grey and thin. */
	for (const i of [...shown].reverse())
		pen.path(linePoints(chart.values[i].mean, place), chart.colour(i), i < MOST_COLOURED ? 1.5 : 1, shown.length <= 3 ? dashes[shown.indexOf(i)] : []);
}
