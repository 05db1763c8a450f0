/* Phases as bands: those of many nodes that are one, and the rows of their labels. */

const PHASE_ROW = 15; /* height of a row of labels, in pixels */
const MOST_PHASE_ROWS = 3;

/* The nth phase of a name on each node is taken for one phase of the job: [{name, begin, end, ended,
   hosts}]. host: that one's alone, or -1. */
function joinPhases(phases, span, host) {
	const seen = new Map();
	const joined = new Map();

	for (const phase of phases) {
		if (host >= 0 && typeof phase.host === "number" && phase.host !== host)
			continue;
		const count = (seen.get(`${phase.host} ${phase.name}`) ?? 0) + 1;
		const key = `${count} ${phase.name}`;
		const one = joined.get(key) ?? { name: phase.name, begin: Infinity, end: -Infinity, ended: true, hosts: 0 };

		seen.set(`${phase.host} ${phase.name}`, count);
		one.begin = Math.min(one.begin, phase.begin_us ?? 0);
		one.end = Math.max(one.end, phase.end_us ?? span);
		one.ended = one.ended && phase.ended !== false;
		one.hosts++;
		joined.set(key, one);
	}
	return placePhases([...joined.values()].sort((a, b) => a.begin - b.begin || b.end - a.end));
}

/* Each gets the first row of labels that is free where it begins; beyond the last row, none (-1). */
function placePhases(phases) {
	const ends = [];

	phases.forEach((phase, number) => {
		const row = ends.findIndex((end) => end <= phase.begin);

		phase.number = number;
		phase.row = row >= 0 ? row : ends.length < MOST_PHASE_ROWS ? ends.length : -1;
		if (phase.row >= 0)
			ends[phase.row] = phase.end;
	});
	return phases;
}

function phaseRows(phases) {
	return phases.reduce((rows, phase) => Math.max(rows, phase.row + 1), 0);
}

/* Every other phase tinted, and a line where each begins. */
function drawPhases(pen, phases, frame, range, top, bottom) {
	const x = (t) => frame.left + ((t - range[0]) / (range[1] - range[0])) * frame.plot;

	for (const phase of phases) {
		if (phase.end <= range[0] || phase.begin >= range[1])
			continue;
		const begin = Math.max(frame.left, x(phase.begin));

		if (phase.number % 2 === 0)
			pen.rect(begin, top, Math.min(frame.left + frame.plot, x(phase.end)) - begin, bottom - top, theme.colours.band, 1);
		if (x(phase.begin) >= frame.left)
			pen.path([begin, top, begin, bottom], theme.colours.muted, 1, [2, 3]);
	}
}

function labelPhases(pen, phases, frame, range) {
	const x = (t) => frame.left + ((t - range[0]) / (range[1] - range[0])) * frame.plot;

	for (const phase of phases) {
		if (phase.end <= range[0] || phase.begin >= range[1] || phase.row < 0)
			continue;
		const begin = Math.max(frame.left, x(phase.begin));
		const width = Math.min(frame.left + frame.plot, x(phase.end)) - begin;
		const top = phase.row * PHASE_ROW;

		pen.rect(begin + 1, top, Math.max(1, width - 2), PHASE_ROW - 2, theme.colours.band, 1);
		pen.rect(begin + 1, top + PHASE_ROW - 3, Math.max(1, width - 2), 1.5, theme.colours.muted, 1);
		if (width > 18)
			pen.text(phase.name + (phase.ended ? "" : " (not ended)"), begin + 5, top + 10, { colour: theme.colours.text, fit: width - 10 });
	}
}
