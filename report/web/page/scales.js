/* Axes: positions of ticks and their labels. */

/* The step among 1, 2 and 5 times a power of ten that yields at most count intervals. */
function niceStep(range, count) {
	const raw = range / Math.max(count, 1);
	const power = 10 ** Math.floor(Math.log10(raw));
	const factor = raw / power;

	return power * (factor <= 1.0000001 ? 1 : factor <= 2.0000001 ? 2 : factor <= 5.0000001 ? 5 : 10);
}

function ticksBy(step, from, to) {
	const ticks = [];

	/* Multiplied, not added up, so that ticks stay round. */
	for (let i = Math.ceil(from / step - 1e-9); i * step <= to + step * 1e-9; i++)
		ticks.push(i * step + 0); /* not -0 */
	return ticks;
}

function valueTicks(from, to, count) {
	if (!(to > from))
		return { step: 1, ticks: [from] };
	const step = niceStep(to - from, count);

	return { step, ticks: ticksBy(step, from, to) };
}

/* The top of an axis from 0: the next tick above max. */
function niceTop(max, count) {
	if (!(max > 0))
		return 1;
	const step = niceStep(max, count);

	return Math.ceil(max / step - 1e-9) * step;
}

const SECOND = 1e6;
const TIME_STEPS = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10800, 21600,
	43200, 86400, 172800, 432000, 864000, 1728000, 4320000].map((s) => s * SECOND);

/* Ticks of a time axis in microseconds: below a second decimal, above as clocks divide time. */
function timeTicks(from, to, count) {
	const raw = (to - from) / Math.max(count, 1);
	let step;

	if (!(to > from))
		return { step: SECOND, ticks: [from] };
	if (raw <= SECOND / 2)
		step = Math.max(1, niceStep(to - from, count));
	else
		step = TIME_STEPS.find((s) => s >= raw) || TIME_STEPS[TIME_STEPS.length - 1] * Math.ceil(raw / TIME_STEPS[TIME_STEPS.length - 1]);
	return { step, ticks: ticksBy(step, from, to) };
}

/* A time on the axis as label: with as many decimals as the step needs; "1:02:03" beyond a minute. */
function timeLabel(us, step) {
	if (us < 0)
		return `−${timeLabel(-us, step)}`;
	const decimals = step >= SECOND ? 0 : Math.min(6, Math.ceil(-Math.log10(step / SECOND) - 1e-9));
	const seconds = us / SECOND;

	if (seconds < 60 && step < 60 * SECOND)
		return `${seconds.toFixed(decimals)} s`;
	const rounded = Number(seconds.toFixed(decimals));
	const rest = (rounded % 60).toFixed(decimals).padStart(decimals ? decimals + 3 : 2, "0");
	const minutes = Math.floor(rounded / 60);

	if (minutes < 60)
		return `${minutes}:${rest}`;
	const hours = Math.floor(minutes / 60);
	const mm = String(minutes % 60).padStart(2, "0");

	if (hours < 48)
		return step >= 60 * SECOND ? `${hours}:${mm} h` : `${hours}:${mm}:${rest}`;
	return `${Math.floor(hours / 24)} d ${hours % 24} h`;
}

/* A range of time moved and widened so that it lies within [0, span] and is at least 10 µs wide. */
function clampRange(from, to, span) {
	let width = Math.min(Math.max(to - from, Math.min(10, span)), span);

	if (!Number.isFinite(width))
		width = span;
	const start = Math.min(Math.max(Number.isFinite(from) ? from : 0, 0), span - width);

	return [start, start + width];
}

/* A range scaled by factor about the time at. */
function zoomRange(from, to, at, factor, span) {
	return clampRange(at - (at - from) * factor, at + (to - at) * factor, span);
}

/* The first index in [low, high) whose value is above x (after) or at least x (!after). */
function bisect(values, x, low, high, after) {
	while (low < high) {
		const middle = (low + high) >>> 1;

		if (after ? values[middle] <= x : values[middle] < x)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}
