/* Columns as the page carries them: base64 of a zlib stream of coded numbers or NUL-ended texts. */

const UNKNOWN_TEXT = "\x01";

class DamagedData extends Error {}

function bytesOfBase64(text) {
	if (Uint8Array.fromBase64)
		return Uint8Array.fromBase64(text);
	const binary = atob(text);
	const bytes = new Uint8Array(binary.length);

	for (let i = 0; i < binary.length; i++)
		bytes[i] = binary.charCodeAt(i);
	return bytes;
}

async function inflate(bytes) {
	if (typeof DecompressionStream === "undefined")
		throw new Error("this browser cannot decompress it (no DecompressionStream)");
	try {
		const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
		return new Uint8Array(await new Response(stream).arrayBuffer());
	} catch {
		throw new DamagedData("its data are damaged");
	}
}

/* Numbers whose bytes stand together in a coding by planes. */
const GROUP = 16384;

/* The codings of numbers: whether each is the difference from the one before, zigzag, and whether
   bytes of one weight stand together. 0 is unknown, others are one more than what they code. */
const NUMBER_CODES = {
	u: { delta: false, planes: false },
	d: { delta: true, planes: false },
	up: { delta: false, planes: true },
	dp: { delta: true, planes: true },
};

function damagedUnless(condition) {
	if (!condition)
		throw new DamagedData("its data are damaged");
}

/* n coded numbers of seven bits a byte: exact below 2^53. */
function readSevenBits(bytes, n) {
	const codes = new Float64Array(n);
	let at = 0;

	for (let i = 0; i < n; i++) {
		let byte = bytes[at++];
		let code = byte & 127;

		for (let scale = 128; byte > 127; scale *= 128) {
			byte = bytes[at++];
			code += (byte & 127) * scale;
		}
		codes[i] = code;
	}
	damagedUnless(at === bytes.length);
	return codes;
}

/* Call each(first, count, at, planes) for the groups of n numbers; bytes begin at `at`. */
function eachGroup(bytes, n, each) {
	let at = 0;

	for (let first = 0; first < n; first += GROUP) {
		const count = Math.min(GROUP, n - first);
		const planes = bytes[at++];

		damagedUnless(planes <= 8);
		each(first, count, at, planes);
		at += planes * count;
	}
	damagedUnless(at === bytes.length);
}

/* n coded numbers by planes: exact below 2^53. */
function readPlanes(bytes, n) {
	const codes = new Float64Array(n);

	eachGroup(bytes, n, (first, count, at, planes) => {
		let scale = 1;

		for (let plane = 0; plane < planes; plane++, scale *= 256, at += count)
			for (let i = 0; i < count; i++)
				codes[first + i] += bytes[at + i] * scale;
	});
	return codes;
}

/* n numbers as doubles, NaN for unknown. Exact below 2^53; decodeExact() is for columns that go
   beyond. */
function decodeNumbers(bytes, n, { delta, planes }) {
	const values = planes ? readPlanes(bytes, n) : readSevenBits(bytes, n);
	let previous = 0;

	for (let i = 0; i < n; i++) {
		const code = values[i] - 1;

		if (code < 0) {
			values[i] = NaN;
		} else if (delta) {
			previous += code % 2 === 0 ? code / 2 : -(code + 1) / 2;
			values[i] = previous;
		} else {
			values[i] = code;
		}
	}
	return values;
}

function exactSevenBits(bytes, n) {
	const codes = new Array(n);
	let at = 0;

	for (let i = 0; i < n; i++) {
		let code = 0n;

		for (let shift = 0n; ; shift += 7n) {
			damagedUnless(at < bytes.length);
			const byte = bytes[at++];
			code |= BigInt(byte & 127) << shift;
			if (byte < 128)
				break;
		}
		codes[i] = code;
	}
	damagedUnless(at === bytes.length);
	return codes;
}

function exactPlanes(bytes, n) {
	const codes = new Array(n).fill(0n);

	eachGroup(bytes, n, (first, count, at, planes) => {
		for (let plane = 0; plane < planes; plane++, at += count)
			for (let i = 0; i < count; i++)
				codes[first + i] |= BigInt(bytes[at + i]) << BigInt(8 * plane);
	});
	return codes;
}

/* The same as BigInts, null for unknown: slow, and exact up to 2^63. */
function decodeExact(bytes, n, { delta, planes }) {
	let previous = 0n;

	return (planes ? exactPlanes(bytes, n) : exactSevenBits(bytes, n)).map((code) => {
		if (code === 0n)
			return null;
		code -= 1n;
		if (!delta)
			return code;
		previous += code & 1n ? -((code + 1n) >> 1n) : code >> 1n;
		return previous;
	});
}

/* n texts, null for unknown. */
function decodeTexts(bytes, n) {
	const texts = new TextDecoder().decode(bytes).split("\0");

	if (texts.length !== n + 1 || texts[n] !== "")
		throw new DamagedData("its data are damaged");
	texts.length = n;
	for (let i = 0; i < n; i++)
		if (texts[i] === UNKNOWN_TEXT)
			texts[i] = null;
	return texts;
}

/* One number of n in seven bits a byte, without an array for all: NaN for unknown. */
function numberAt(bytes, row, delta) {
	let at = 0;
	let previous = 0;
	let value = NaN;

	for (let i = 0; i <= row && at < bytes.length; i++) {
		let byte = bytes[at++];
		let code = byte & 127;

		for (let scale = 128; byte > 127; scale *= 128) {
			byte = bytes[at++];
			code += (byte & 127) * scale;
		}
		value = code === 0 ? NaN : code - 1;
		if (code !== 0 && delta) {
			previous += value % 2 === 0 ? value / 2 : -(value + 1) / 2;
			value = previous;
		}
	}
	return value;
}

/* The same for a column beyond 2^53: a BigInt, or null. */
function exactAt(bytes, row, delta) {
	let end = 0;

	for (let i = 0; i <= row; i++) {
		while (bytes[end] > 127)
			end++;
		end++;
	}
	return decodeExact(bytes.subarray(0, end), row + 1, { delta, planes: false })[row];
}

/* One number of a column of n in any coding. */
function columnAt(bytes, n, row, enc, wide) {
	const code = NUMBER_CODES[enc];

	if (code.planes)
		return wide ? decodeExact(bytes, n, code)[row] : decodeNumbers(bytes, n, code)[row];
	return wide ? exactAt(bytes, row, code.delta) : numberAt(bytes, row, code.delta);
}

/* One text of a column; null for unknown. */
function textAt(bytes, row) {
	let from = 0;

	for (let i = 0; i < row && from >= 0; i++)
		from = bytes.indexOf(0, from) + 1;
	const text = new TextDecoder().decode(bytes.subarray(from, bytes.indexOf(0, from)));

	return text === UNKNOWN_TEXT ? null : text;
}

/* The exact sum of what is known: doubles are added while the sum is below 2^53, then BigInts. */
function exactSum(values) {
	let total = 0n;
	let part = 0;

	for (let i = 0; i < values.length; i++) {
		const value = values[i];

		if (value !== value)
			continue;
		part += value;
		if (part > 2 ** 52 || part < -(2 ** 52)) {
			total += BigInt(part);
			part = 0;
		}
	}
	return total + BigInt(part);
}

function exactSumOfBig(values) {
	return values.reduce((sum, value) => (value === null ? sum : sum + value), 0n);
}

/* One column: {values, sum}; sum is a BigInt, or null for texts. */
function decodeColumn(bytes, n, enc, wide) {
	if (enc === "t")
		return { values: decodeTexts(bytes, n), sum: null };
	const code = NUMBER_CODES[enc];

	if (!code)
		throw new DamagedData("it is in a form that this page does not know");
	if (wide) {
		const exact = decodeExact(bytes, n, code);
		const values = Float64Array.from(exact, (v) => (v === null ? NaN : Number(v)));
		return { values, sum: exactSumOfBig(exact) };
	}
	const values = decodeNumbers(bytes, n, code);
	return { values, sum: exactSum(values) };
}
