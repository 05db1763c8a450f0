/* Columns as the page carries them: base64 of a zlib stream of LEB128 numbers or NUL-ended texts. */

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

/* n numbers as doubles, NaN for unknown. With delta each is the difference from the last known
   one, zigzag. Exact below 2^53; decodeExact() is for columns that go beyond. */
function decodeNumbers(bytes, n, delta) {
	const values = new Float64Array(n);
	let at = 0;
	let previous = 0;

	for (let i = 0; i < n; i++) {
		let byte = bytes[at++];
		let raw = byte & 127;

		for (let scale = 128; byte > 127; scale *= 128) {
			byte = bytes[at++];
			raw += (byte & 127) * scale;
		}
		if (raw === 0) {
			values[i] = NaN;
		} else if (delta) {
			raw -= 1;
			previous += raw % 2 === 0 ? raw / 2 : -(raw + 1) / 2;
			values[i] = previous;
		} else {
			values[i] = raw - 1;
		}
	}
	if (at !== bytes.length)
		throw new DamagedData("its data are damaged");
	return values;
}

/* The same as BigInts, null for unknown: slow, and exact up to 2^63. */
function decodeExact(bytes, n, delta) {
	const values = new Array(n);
	let at = 0;
	let previous = 0n;

	for (let i = 0; i < n; i++) {
		let raw = 0n;

		for (let shift = 0n; ; shift += 7n) {
			if (at >= bytes.length)
				throw new DamagedData("its data are damaged");
			const byte = bytes[at++];
			raw |= BigInt(byte & 127) << shift;
			if (byte < 128)
				break;
		}
		if (raw === 0n) {
			values[i] = null;
		} else if (delta) {
			raw -= 1n;
			previous += raw & 1n ? -((raw + 1n) >> 1n) : raw >> 1n;
			values[i] = previous;
		} else {
			values[i] = raw - 1n;
		}
	}
	if (at !== bytes.length)
		throw new DamagedData("its data are damaged");
	return values;
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

/* One number of a column without an array for all: NaN for unknown. */
function numberAt(bytes, row, delta) {
	let at = 0;
	let previous = 0;
	let value = NaN;

	for (let i = 0; i <= row && at < bytes.length; i++) {
		let byte = bytes[at++];
		let raw = byte & 127;

		for (let scale = 128; byte > 127; scale *= 128) {
			byte = bytes[at++];
			raw += (byte & 127) * scale;
		}
		value = raw === 0 ? NaN : raw - 1;
		if (raw !== 0 && delta) {
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
	return decodeExact(bytes.subarray(0, end), row + 1, delta)[row];
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
	if (enc !== "u" && enc !== "d")
		throw new DamagedData("it is in a form that this page does not know");
	if (wide) {
		const exact = decodeExact(bytes, n, enc === "d");
		const values = Float64Array.from(exact, (v) => (v === null ? NaN : Number(v)));
		return { values, sum: exactSumOfBig(exact) };
	}
	const values = decodeNumbers(bytes, n, enc === "d");
	return { values, sum: exactSum(values) };
}
