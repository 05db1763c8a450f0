/* The job's processes as columns, decoded when first asked for, and what follows from those. */

const FIRST_COLUMNS = ["parent", "host", "program", "start_us", "duration_us", "cpu_time"];

class Model {
	/* blockText(id): the base64 text of a block, or null. */
	constructor(index, blockText) {
		this.index = index;
		this.blockText = blockText;
		this.n = index.processes.rows;
		this.span = Math.max(1, index.span_us);
		this.hosts = index.hosts;
		this.programs = index.programs;
		this.columns = new Map(index.processes.columns.map((column) => [column.name, column]));
		this.loaded = new Map();
		this.packed = new Map(); /* inflated, not decoded */
		this.values = {};
	}

	has(name) {
		return this.columns.has(name);
	}

	/* The values of a column: a promise; afterwards they are in this.values[name], too. */
	column(name) {
		if (!this.loaded.has(name))
			this.loaded.set(name, this.load(name));
		return this.loaded.get(name);
	}

	async load(name) {
		const column = this.columns.get(name);

		if (!column)
			throw new DamagedData(`the page has no column ${name}`);
		if (!this.packed.has(name))
			this.packed.set(name, this.block(column.id));
		const bytes = await this.packed.get(name);
		const decoded = decodeColumn(bytes, this.n, column.enc, column.wide);

		column.exactSum = decoded.sum;
		this.values[name] = decoded.values;
		if (!column.wide)
			this.packed.delete(name);
		return decoded.values;
	}

	/* One value: from the decoded column, or decoded up to there, without an array for the rest. */
	async valueAt(name, row) {
		const column = this.columns.get(name);

		if (this.values[name] && !column.wide)
			return this.values[name][row];
		if (!this.packed.has(name))
			this.packed.set(name, this.block(column.id));
		const bytes = await this.packed.get(name);

		if (column.enc === "t")
			return textAt(bytes, row);
		return columnAt(bytes, this.n, row, column.enc, column.wide);
	}

	async block(id) {
		const text = this.blockText(id);

		if (text === null)
			throw new DamagedData("its data are missing");
		const bytes = bytesOfBase64(text);

		return this.index.coding === "none" ? bytes : inflate(bytes);
	}

	async prepare() {
		await Promise.all(FIRST_COLUMNS.map((name) => this.column(name)));
		this.parent = parentsOf(this.values.parent);
		this.host = indexesOf(this.values.host, this.hosts.length);
		this.program = indexesOf(this.values.program, this.programs.length);
		this.start = this.values.start_us;
		this.subtree = subtreeEnds(this.parent);
		this.depth = depths(this.parent);
		this.end = endsOf(this);
		this.byStart = rowsByStart(this.start);
		this.busy = busyShares(this.values.cpu_time, this.values.duration_us);
		this.rankPrograms();
	}

	/* Programs by their CPU time: the largest get colours of their own. */
	rankPrograms() {
		const cpu = new Float64Array(this.programs.length + 1);
		const rows = new Float64Array(this.programs.length + 1);

		for (let row = 0; row < this.n; row++) {
			cpu[this.program[row]] += this.values.cpu_time[row] || 0;
			rows[this.program[row]]++;
		}
		const ranked = this.programs.map((_, i) => i).filter((i) => rows[i] > 0)
			.sort((a, b) => cpu[b] - cpu[a] || rows[b] - rows[a] || a - b);

		this.programCpu = cpu;
		this.programRows = rows;
		this.ranked = ranked;
		this.rank = new Int32Array(this.programs.length + 1).fill(this.programs.length);
		ranked.forEach((program, at) => { this.rank[program] = at; });
	}

	/* The rank of the program of each row. */
	ranksOf(program) {
		const ranks = new Int32Array(program.length);

		for (let i = 0; i < program.length; i++)
			ranks[i] = this.rank[program[i]];
		return ranks;
	}

	programName(row) {
		return this.programs[this.program[row]] ?? UNKNOWN;
	}

	hostName(row) {
		const host = this.hosts[this.host[row]];

		return host ? host.name : UNKNOWN;
	}
}

/* Small whole numbers; unknown ones and those out of bounds become limit. */
function indexesOf(values, limit) {
	const indexes = new Uint32Array(values.length);

	for (let i = 0; i < values.length; i++)
		indexes[i] = values[i] >= 0 && values[i] < limit ? values[i] : limit;
	return indexes;
}

/* How much of a row's time it used a CPU, 0 … 255; 255 if that is unknown. */
function busyShares(cpu, duration) {
	const busy = new Uint8ClampedArray(cpu.length);

	for (let i = 0; i < busy.length; i++)
		busy[i] = duration[i] > 0 && cpu[i] === cpu[i] ? (cpu[i] / duration[i]) * 255 : 255;
	return busy;
}

function parentsOf(values) {
	const parents = new Int32Array(values.length);

	for (let i = 0; i < values.length; i++) {
		if (values[i] >= i)
			throw new DamagedData("a process comes before its parent");
		parents[i] = values[i] >= 0 ? values[i] : -1;
	}
	return parents;
}

/* Signals that request the end, as from a pool to its workers, are no failures: SIGHUP, SIGINT, SIGPIPE, SIGALRM, SIGTERM. */
const ASKED_TO_END = new Set([1, 2, 13, 14, 15]);

/* Whether a process failed, by its exit status and signal; null or NaN where unknown. */
function isFailure(status, signal) {
	return status > 0 || (signal > 0 && !ASKED_TO_END.has(signal));
}

/* Ends of processes. One without a known end is drawn up to the end of its last descendant of
   which that is known, or of the job if that still runs. */
function endsOf(model) {
	const { n, parent, start, span } = model;
	const duration = model.values.duration_us;
	const end = new Float64Array(n);
	const open = model.index.job.open;

	model.endUnknown = new Uint8Array(n);
	for (let row = 0; row < n; row++) {
		model.endUnknown[row] = duration[row] !== duration[row] ? 1 : 0;
		end[row] = model.endUnknown[row] ? (open ? span : start[row]) : start[row] + duration[row];
	}
	for (let row = n - 1; row > 0; row--)
		if (parent[row] >= 0 && model.endUnknown[parent[row]] && end[row] > end[parent[row]])
			end[parent[row]] = end[row];
	return end;
}

/* Rows by start, then by number; those of unknown start are left out. Sorted as plain numbers, which
   is several times faster than by a function: start and row in one double. */
function rowsByStart(start) {
	const n = start.length;
	let low = Infinity;
	let high = -Infinity;
	let known = 0;

	for (let i = 0; i < n; i++) {
		if (start[i] !== start[i])
			continue;
		known++;
		low = Math.min(low, start[i]);
		high = Math.max(high, start[i]);
	}
	const keys = new Float64Array(known);
	const grain = Math.max(1, Math.ceil(((high - low + 1) * n) / 2 ** 53));

	for (let i = 0, k = 0; i < n; i++)
		if (start[i] === start[i])
			keys[k++] = Math.floor((start[i] - low) / grain) * n + i;
	keys.sort();
	const rows = new Int32Array(known);

	for (let k = 0; k < known; k++)
		rows[k] = keys[k] - Math.floor(keys[k] / n) * n;
	return rows;
}
