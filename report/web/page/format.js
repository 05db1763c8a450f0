/* Numbers for people, in the forms of report/print/format.c. */

const THIN = "\u202f";
const UNKNOWN = "unknown";

function threeDigits(value, unit) {
	const size = Math.abs(value);
	const decimals = size < 9.995 ? 2 : size < 99.95 ? 1 : 0;

	return `${value.toFixed(decimals)} ${unit}`;
}

function prefixed(value, units) {
	let i = 0;

	for (; Math.abs(value) >= 999.5 && i + 1 < units.length; i++)
		value /= 1000;
	return threeDigits(value, units[i]);
}

/* n may be a BigInt. */
function formatCount(n) {
	if (typeof n !== "bigint" && !Number.isFinite(n))
		return UNKNOWN;
	const [whole, decimals] = String(n).replace("-", "").split(".");
	const text = whole.replace(/\B(?=(\d{3})+$)/g, THIN);

	return (n < 0 ? "−" : "") + text + (decimals ? `.${decimals}` : "");
}

function formatBytes(bytes) {
	if (!Number.isFinite(bytes))
		return UNKNOWN;
	if (Math.abs(bytes) < 1000)
		return `${Math.round(bytes)} B`;
	return prefixed(bytes / 1000, ["kB", "MB", "GB", "TB", "PB", "EB"]);
}

function formatDuration(us) {
	if (!Number.isFinite(us))
		return UNKNOWN;
	if (us < 0)
		return `−${formatDuration(-us)}`;
	if (us < 1000)
		return us === 0 ? "0 s" : `${Math.round(us)} µs`;
	if (us < 999500)
		return threeDigits(us / 1e3, "ms");
	if (us < 59950000)
		return threeDigits(us / 1e6, "s");
	const pairs = [
		[3600, 60, 1, "min", "s"],
		[2 * 86400, 3600, 60, "h", "min"],
		[Infinity, 86400, 3600, "d", "h"],
	];
	let s = Math.round(us / 1e6);
	let i = pairs.findIndex(([limit]) => s < limit);

	/* Rounded to the smaller unit first, so that 59 min 59.7 s does not become 59 min 60 s. */
	s = Math.floor((s + pairs[i][2] / 2) / pairs[i][2]) * pairs[i][2];
	if (s >= pairs[i][0])
		i++;
	const [, big, small, bigName, smallName] = pairs[i];
	const rest = String(Math.floor((s % big) / small)).padStart(2, "0");

	return `${Math.floor(s / big)} ${bigName} ${rest} ${smallName}`;
}

function formatPercent(share) {
	if (!Number.isFinite(share))
		return UNKNOWN;
	const percent = share * 100;
	const size = Math.abs(percent);

	if (percent !== 0 && size < 0.1)
		return "< 0.1 %";
	return `${percent.toFixed(size < 9.95 ? 1 : 0)} %`;
}

/* A number with a k, M or G before its unit where it is large; an empty unit is left out. */
function formatPlain(value, unit) {
	if (!Number.isFinite(value))
		return UNKNOWN;
	const size = Math.abs(value);
	const text = size >= 9999.5 ? prefixed(value / 1000, ["k", "M", "G", "T", "P"])
		: size >= 99.95 || Number.isInteger(value) ? String(Math.round(value))
		: size >= 0.01 || size === 0 ? String(Number(value.toPrecision(3)))
		: value.toExponential(1);

	return unit ? (/[a-zA-Z]$/.test(text) && / /.test(text) ? text + unit : `${text} ${unit}`) : text.trimEnd();
}

/* How values of a series are shown: {divide, unit, format, axis} by its unit; axis, where there is one,
   leaves out the unit, which the chart's title has. */
function unitOf(unitShown, group) {
	const simple = (divide, unit) => ({ divide, unit, format: (v) => formatPlain(v / divide, unit), axis: (v) => formatPlain(v / divide, "") });

	switch (unitShown) {
	case "B": case "bytes":
		return { divide: 1, unit: "B", format: formatBytes };
	case "B/s": case "bytes/s":
		return { divide: 1, unit: "B/s", format: (v) => (Number.isFinite(v) ? `${formatBytes(v)}/s` : UNKNOWN) };
	case "us": case "ns": {
		const divide = unitShown === "ns" ? 1000 : 1;
		return { divide, unit: "s", format: (v) => formatDuration(v / divide), time: true };
	}
	case "us/s":
		return simple(1e6, group === "CPU" ? "CPUs" : "s/s");
	case "ns/s":
		return simple(1e9, "s/s");
	case "0.01%":
		return simple(100, "%");
	case "uW": case "uJ/s":
		return simple(1e6, "W");
	case "uJ":
		return simple(1e6, "J");
	case "n": case "":
		return simple(1, "");
	case "n/s":
		return simple(1, "/s");
	default:
		return simple(1, unitShown);
	}
}

const SIGNALS = [, "HUP", "INT", "QUIT", "ILL", "TRAP", "ABRT", "BUS", "FPE", "KILL", "USR1", "SEGV",
	"USR2", "PIPE", "ALRM", "TERM", "STKFLT", "CHLD", "CONT", "STOP", "TSTP", "TTIN", "TTOU", "URG",
	"XCPU", "XFSZ", "VTALRM", "PROF", "WINCH", "IO", "PWR", "SYS"];

/* What the integers of a column are multiplied by to be in its unit. */
function unitFactor(column) {
	return column.factor ?? 1;
}

/* One value of a column of processes. */
function formatCell(value, column) {
	if (value === null || value === undefined || value !== value)
		return UNKNOWN;
	if (typeof value === "bigint" && value <= BigInt(Number.MAX_SAFE_INTEGER))
		value = Number(value);
	if (unitFactor(column) !== 1 && typeof value !== "string")
		value = Number(value) * unitFactor(column);
	switch (column.type) {
	case "time":
		return `${formatDuration(value)} after the start`;
	case "duration":
		return formatDuration(value);
	case "bytes":
		return formatBytes(Number(value));
	case "signal":
		return value === 0 ? "none" : `SIG${SIGNALS[value] || value} (${value})`;
	case "text":
		return value === "" ? "none" : value;
	case "status": case "id":
		return String(value);
	default:
		return formatCount(value);
	}
}
