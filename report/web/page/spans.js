/* Spans: rows as bars in lanes, painted into pixels. Bars of a lane are sorted by their begin and do
   not overlap, so that a lane is painted in as many steps as it has pixels, however many bars. */

/* Sort rows into lanes. order: the rows by begin; laneOf: the lane of each row, -1 for none. */
function buildSpans(laneOf, lanes, order, begin, end) {
	const offset = new Uint32Array(lanes + 1);

	for (let k = 0; k < order.length; k++)
		if (laneOf[order[k]] >= 0)
			offset[laneOf[order[k]] + 1]++;
	for (let lane = 0; lane < lanes; lane++)
		offset[lane + 1] += offset[lane];
	const total = offset[lanes];
	const next = offset.slice();
	const spans = {
		lanes, offset,
		row: new Int32Array(total),
		begin: new Float64Array(total),
		end: new Float64Array(total),
		cover: new Float64Array(total + 1),
		marks: null, /* of failed rows, as from countSpans() */
		found: null, /* of those that a filter or search lets through */
	};

	for (let k = 0; k < order.length; k++) {
		const row = order[k];

		if (laneOf[row] < 0)
			continue;
		const i = next[laneOf[row]]++;
		spans.row[i] = row;
		spans.begin[i] = begin[row];
		spans.end[i] = end[row];
	}
	for (let i = 0; i < total; i++)
		spans.cover[i + 1] = spans.cover[i] + Math.max(0, spans.end[i] - spans.begin[i]);
	return spans;
}

/* Counts of flagged rows up to each span, so that a pixel of many bars knows of those among them. */
function countSpans(spans, flags) {
	const counts = new Uint32Array(spans.row.length + 1);

	for (let i = 0; i < spans.row.length; i++)
		counts[i + 1] = counts[i] + flags[spans.row[i]];
	return counts;
}

/* The first span of lane that ends after x, or the end of the lane. */
function firstSpan(spans, lane, x) {
	const low = spans.offset[lane];
	const i = bisect(spans.begin, x, low, spans.offset[lane + 1], true);

	return i > low && spans.end[i - 1] > x ? i - 1 : i;
}

/* Among spans [i, j) the one that a pixel shows: the first that was searched for, or the longest of some. */
function shownSpan(spans, i, j) {
	const { found } = spans;

	if (found !== null && found[j] > found[i])
		return bisect(found, found[i], i, j, true) - 1;
	const stride = Math.max(1, (j - i) >> 2);
	let best = i;

	for (let k = i + 1; k < j; k += stride)
		if (spans.end[k] - spans.begin[k] > spans.end[best] - spans.begin[best])
			best = k;
	return best;
}

/* As bisect() for the first value of at least x, for places near low. */
function gallop(values, x, low, high) {
	let step = 1;

	while (low + step < high && values[low + step] < x) {
		low += step;
		step *= 2;
	}
	return bisect(values, x, low, Math.min(high, low + step), false);
}

const LEAST_COVER = 90; /* of 255: a lone short process stays visible, */
const FOUND_COVER = 210; /* and one that was searched for stands out */

/* Paint one lane into pixels, a row of width, for times from x0 in steps of perPixel. shade has the
   colour of each row. wide(i, from, to) is told of bars at least wideFrom pixels wide, and
   mark(from, to) of marked ones. Returns the number of bars drawn. */
function paintLane(spans, lane, x0, perPixel, pixels, shade, wideFrom, wide, mark) {
	const width = pixels.length;
	const stop = spans.offset[lane + 1];
	const x1 = x0 + width * perPixel;
	const { begin, end, cover, marks, found } = spans;
	let drawn = 0;
	let i = firstSpan(spans, lane, x0);

	while (i < stop && begin[i] < x1) {
		const left = (begin[i] - x0) / perPixel;
		const right = (end[i] - x0) / perPixel;

		drawn++;
		if (right - left >= 1) {
			const from = Math.max(0, Math.round(left));
			const to = Math.min(width, Math.max(from + 1, Math.round(right)));
			const gap = to - from > 3 && right < width ? 1 : 0;

			pixels.fill(shade[spans.row[i]], from, to - gap);
			if (to - from >= wideFrom)
				wide(i, from, to - gap);
			if (marks !== null && marks[i + 1] > marks[i])
				mark(from, to - gap);
			i++;
			continue;
		}
		const pixel = Math.max(0, Math.floor(left));
		const edge = x0 + (pixel + 1) * perPixel;
		let j = i + 1;

		if (j < stop && begin[j] < edge)
			j = gallop(begin, edge, j, stop);
		/* A long bar that begins here has pixels of its own. */
		if (j - 1 > i && end[j - 1] - begin[j - 1] >= perPixel)
			j--;
		const share = (cover[j] - cover[i]) / perPixel;
		const least = found !== null && found[j] > found[i] ? FOUND_COVER : LEAST_COVER;
		const alpha = share >= 1 ? 255 : Math.max(least, (share * 255) | 0);
		const colour = shade[spans.row[shownSpan(spans, i, j)]];

		if (pixel < width && pixels[pixel] === 0)
			pixels[pixel] = ((colour & 0xffffff) | (((((colour >>> 24) * alpha) / 255) | 0) << 24)) >>> 0;
		if (marks !== null && marks[j] > marks[i])
			mark(pixel, pixel + 1);
		i = j;
	}
	return drawn;
}

/* The span of lane at x, or the nearest within reach; -1 for none. */
function spanAt(spans, lane, x, reach) {
	const low = spans.offset[lane];
	const high = spans.offset[lane + 1];
	const i = bisect(spans.begin, x, low, high, true);
	const before = i > low ? Math.max(0, x - spans.end[i - 1]) : Infinity;
	const after = i < high ? spans.begin[i] - x : Infinity;

	if (Math.min(before, after) > reach)
		return -1;
	return before <= after ? i - 1 : i;
}

/* An empty image: that of the context's last painting, if it is as large. */
const images = new WeakMap();

function imageFor(context, width, height) {
	let known = images.get(context);

	if (known && known.image.width === width && known.image.height === height) {
		known.all.fill(0);
		return known;
	}
	const image = context.createImageData(width, height);

	known = { image, all: new Uint32Array(image.data.buffer) };
	images.set(context, known);
	return known;
}

/* Paint all lanes into a canvas. tops, bottoms: the edges of each lane in device pixels; from, to: the range over the width. Returns {drawn, wide: [span, x, y, width, height],
   marks: [x, y, width, height]}. */
function paintSpans(context, spans, { from, to, left, width, height, tops, bottoms, shade, wideFrom }) {
	const { image, all } = imageFor(context, width, height);
	const pixels = new Uint32Array(width);
	const result = { drawn: 0, wide: [], marks: [] };
	const perPixel = (to - from) / width;

	for (let lane = 0; lane < spans.lanes; lane++) {
		const y = Math.round(tops[lane]);
		const below = Math.max(y + 1, Math.round(bottoms[lane]));
		const rows = below - y > 3 ? below - y - 1 : below - y;

		if (below <= 0 || y >= height)
			continue;
		pixels.fill(0);
		result.drawn += paintLane(spans, lane, from, perPixel, pixels, shade, wideFrom,
			(i, a, b) => result.wide.push([i, left + a, y, b - a, rows]),
			(a, b) => result.marks.push([left + a, y, b - a, rows]));
		if (bottoms[lane] - tops[lane] < 1) {
			for (let x = 0; x < width; x++)
				if (pixels[x] >>> 24 > all[y * width + x] >>> 24)
					all[y * width + x] = pixels[x];
			continue;
		}
		for (let line = Math.max(0, y); line < Math.min(height, y + rows); line++)
			all.set(pixels, line * width);
	}
	context.putImageData(image, left, 0);
	return result;
}
