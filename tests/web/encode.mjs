// Columns in the forms that the page reads, as the C writer makes them.
import { deflateSync } from "node:zlib";

export class Bytes {
	constructor() {
		this.bytes = new Uint8Array(1 << 16);
		this.length = 0;
	}

	push(byte) {
		if (this.length === this.bytes.length) {
			const larger = new Uint8Array(this.bytes.length * 2);
			larger.set(this.bytes);
			this.bytes = larger;
		}
		this.bytes[this.length++] = byte;
	}

	// A whole number below 2^53, or a BigInt.
	varint(value) {
		if (typeof value === "bigint") {
			for (; value > 127n; value >>= 7n)
				this.push(Number(value & 127n) | 128);
			this.push(Number(value));
			return;
		}
		while (value > 127) {
			this.push((value % 128) | 128);
			value = Math.floor(value / 128);
		}
		this.push(value);
	}

	get used() {
		return this.bytes.subarray(0, this.length);
	}
}

// null is unknown. Values are numbers, or BigInts throughout.
export function encodeNumbers(values, delta) {
	const out = new Bytes();
	const big = values.some((v) => typeof v === "bigint");
	const [zero, one, two] = big ? [0n, 1n, 2n] : [0, 1, 2];
	let previous = zero;

	for (const value of values) {
		if (value === null) {
			out.varint(0);
		} else if (delta) {
			const x = value - previous;
			out.varint((x >= zero ? two * x : -two * x - one) + one);
			previous = value;
		} else {
			out.varint(value + one);
		}
	}
	return out.used;
}

export function encodeTexts(texts) {
	return Buffer.from(texts.map((text) => `${text === null ? "\x01" : text}\0`).join(""));
}

export function block(id, bytes) {
	return `<script type="application/octet-stream" id="${id}">${deflateSync(bytes, { level: 6 }).toString("base64")}</script>\n`;
}
