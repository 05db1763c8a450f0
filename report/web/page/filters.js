/* The filter by program, which all views obey, and the chips that say what is filtered. */

function makeFilter(model, names) {
	const programs = new Set();

	model.programs.forEach((name, i) => {
		if (names.includes(name))
			programs.add(i);
	});
	if (programs.size === 0)
		return { programs, matched: null };
	const matched = new Uint8Array(model.n);

	for (let row = 0; row < model.n; row++)
		matched[row] = programs.has(model.program[row]) ? 1 : 0;
	return { programs, matched };
}

/* What stands between the user and the whole picture: [text, changes that undo it]. */
function activeFilters(app) {
	const { state } = app;
	const list = state.program.map((name) => [`program ${name}`, { program: state.program.filter((other) => other !== name) }]);

	if (state.host !== null)
		list.push([`host ${state.host}`, { host: null }]);
	if (state.from !== null || state.to !== null) {
		const [from, to] = shownRange(app);
		const step = (to - from) / 50;

		list.push([`${timeLabel(from, step)} – ${timeLabel(to, step)}`, { from: null, to: null }]);
	}
	return list;
}

function showChips(app, box) {
	const list = activeFilters(app);

	box.hidden = list.length === 0;
	box.replaceChildren(...list.map(([text, undo]) =>
		button(`${text} ×`, () => app.state.set(undo), { class: "chip", "aria-label": `Remove filter: ${text}` })));
}

/* Take all filters back; false if there were none. */
function clearFilters(app) {
	if (activeFilters(app).length === 0)
		return false;
	app.state.set({ program: [], host: null, from: null, to: null });
	return true;
}
