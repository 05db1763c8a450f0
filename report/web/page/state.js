/* What the page shows, as in its address: #timeline&from=1.5&to=3&program=cc1 */

const STATE_KEYS = {
	from: { parse: parseNumber, many: false },
	to: { parse: parseNumber, many: false },
	program: { parse: String, many: true },
	host: { parse: String, many: false },
	row: { parse: parseNumber, many: false },
	lanes: { parse: (s) => (s === "program" ? s : null), many: false },
	rows: { parse: (s) => (s === "tall" ? s : null), many: false },
	critical: { parse: (s) => (s === "1" ? true : null), many: false },
	measure: { parse: String, many: false },
	merge: { parse: (s) => (s === "1" ? true : null), many: false },
	tree: { parse: parseNumber, many: false },
	q: { parse: String, many: false },
	with: { parse: String, many: true },
	nodes: { parse: String, many: false },
};

function parseNumber(text) {
	const value = Number(text);

	return text !== "" && Number.isFinite(value) ? value : null;
}

function emptyState() {
	const state = { section: "" };

	for (const [key, { many }] of Object.entries(STATE_KEYS))
		state[key] = many ? [] : null;
	return state;
}

function decodePart(text) {
	try {
		return decodeURIComponent(text.replace(/\+/g, "%20"));
	} catch {
		return text;
	}
}

/* What is not understood is ignored. */
function parseHash(hash) {
	const state = emptyState();

	hash.replace(/^#/, "").split("&").forEach((part, at) => {
		const equals = part.indexOf("=");
		const name = decodePart(equals < 0 ? part : part.slice(0, equals));

		if (equals < 0) {
			if (at === 0)
				state.section = name;
			return;
		}
		const key = Object.hasOwn(STATE_KEYS, name) ? STATE_KEYS[name] : null;
		const value = key ? key.parse(decodePart(part.slice(equals + 1))) : null;

		if (value === null)
			return;
		if (key.many)
			state[name].push(value);
		else
			state[name] = value;
	});
	if (state.from !== null && state.to !== null && !(state.from < state.to))
		state.from = state.to = null;
	return state;
}

function formatHash(state) {
	const parts = state.section ? [encodeURIComponent(state.section)] : [];

	for (const key of Object.keys(STATE_KEYS)) {
		const values = STATE_KEYS[key].many ? state[key] : [state[key]];

		for (const value of values)
			if (value !== null && value !== "" && value !== false)
				parts.push(`${key}=${value === true ? 1 : encodeURIComponent(typeof value === "number" ? Number(value.toFixed(6)) : value)}`);
	}
	return parts.length > 0 ? `#${parts.join("&")}` : "";
}

/* The state, its listeners and the address. Listeners are called with the set of keys that changed. */
class State {
	constructor(hash) {
		Object.assign(this, parseHash(hash));
		this.listeners = [];
	}

	listen(listener) {
		this.listeners.push(listener);
	}

	set(changes) {
		const changed = new Set();

		for (const [key, value] of Object.entries(changes)) {
			if (JSON.stringify(this[key]) === JSON.stringify(value))
				continue;
			this[key] = value;
			changed.add(key);
		}
		if (changed.size > 0)
			for (const listener of this.listeners)
				listener(changed);
		return changed;
	}

	toggle(key, value) {
		const list = this[key];

		this.set({ [key]: list.includes(value) ? list.filter((v) => v !== value) : [...list, value] });
	}

	get hash() {
		return formatHash(this);
	}
}
