/* How many processes ran at a time, exactly, from their sorted starts and ends. */

/* rows: those that count, by start. The integral up to x is x × running − (sum of starts − sum of ends). */
function makeConcurrency(model, rows) {
	const starts = new Float64Array(rows.length);
	const ends = new Float64Array(rows.length);
	const startSum = new Float64Array(rows.length + 1);
	const endSum = new Float64Array(rows.length + 1);

	for (let k = 0; k < rows.length; k++) {
		starts[k] = model.start[rows[k]];
		ends[k] = model.end[rows[k]];
	}
	ends.sort();
	for (let k = 0; k < rows.length; k++) {
		startSum[k + 1] = startSum[k] + starts[k];
		endSum[k + 1] = endSum[k] + ends[k];
	}
	return { starts, ends, startSum, endSum };
}

function runningAt(c, x) {
	const n = c.starts.length;

	return bisect(c.starts, x, 0, n, true) - bisect(c.ends, x, 0, n, true);
}

/* The mean number of running processes in each of width pixels of [from, to]. */
function meanRunning(c, from, to, width) {
	const means = new Float64Array(width);
	const step = (to - from) / width;
	const n = c.starts.length;
	let s = bisect(c.starts, from, 0, n, true);
	let e = bisect(c.ends, from, 0, n, true);
	let before = from * (s - e) - (c.startSum[s] - c.endSum[e]);

	for (let pixel = 0; pixel < width; pixel++) {
		const x = from + (pixel + 1) * step;

		s = bisect(c.starts, x, s, n, true);
		e = bisect(c.ends, x, e, n, true);
		const here = x * (s - e) - (c.startSum[s] - c.endSum[e]);
		/* Where a pixel is a few microseconds the difference is below the sums' precision. */
		means[pixel] = step >= 500 ? Math.max(0, (here - before) / step) : s - e;
		before = here;
	}
	return means;
}

/* The largest number that ran at once, and when. */
function mostRunning(c) {
	let running = 0;
	let most = 0;
	let when = 0;

	for (let s = 0, e = 0; s < c.starts.length; s++) {
		while (e < c.ends.length && c.ends[e] <= c.starts[s])
			e++;
		running = s + 1 - e;
		if (running > most) {
			most = running;
			when = c.starts[s];
		}
	}
	return { most, when };
}
