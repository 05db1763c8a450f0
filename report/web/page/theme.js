/* Colours: those of the style sheet for canvases, and one for each program. */

/* Okabe and Ito's palette, which people with any colour vision can tell apart, without black;
   slightly lighter where the page is dark. Yellow comes last: it is faint on white. */
const PALETTE = {
	light: ["#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#dbc91f"],
	dark: ["#3d9bd6", "#e9ab2e", "#20b28a", "#d48fb5", "#74c3ef", "#e5762b", "#e8dc5a"],
};
const OTHERS = { light: "#8a9097", dark: "#848b94" };

const theme = {
	name: "light",
	colours: {},
	/* Read the colours in force; after a change of the scheme and around printing. */
	read() {
		const style = getComputedStyle(document.documentElement);
		const of = (name) => style.getPropertyValue(`--${name}`).trim();

		this.name = of("scheme") || "light";
		for (const name of ["text", "muted", "line", "faint", "surface", "raised", "accent", "bad", "band", "area"])
			this.colours[name] = of(name);
		this.palette = PALETTE[this.name];
		this.others = OTHERS[this.name];
		this.font = style.getPropertyValue("--canvas-font").trim() || "sans-serif";
	},
	/* The colour of the program of a rank. */
	ofRank(rank) {
		return rank < this.palette.length ? this.palette[rank] : this.others;
	},
	nth(i) {
		return this.palette[i % this.palette.length];
	},
};

/* "#rrggbb" as a pixel of ImageData, opaque, in the order of bytes of this machine. */
function pixelOf(colour) {
	const rgb = parseInt(colour.slice(1), 16);
	const bytes = new Uint8Array([rgb >> 16, (rgb >> 8) & 255, rgb & 255, 255]);

	return new Uint32Array(bytes.buffer)[0];
}

/* Relative luminance and contrast of WCAG 2. */
function luminance(colour) {
	const rgb = parseInt(colour.slice(1), 16);
	const [r, g, b] = [rgb >> 16, (rgb >> 8) & 255, rgb & 255].map((v) => {
		const c = v / 255;
		return c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
	});

	return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

function contrast(a, b) {
	const [low, high] = [luminance(a), luminance(b)].sort((x, y) => x - y);

	return (high + 0.05) / (low + 0.05);
}

/* Black or white, whichever reads better on colour. */
function inkOn(colour) {
	return contrast(colour, "#ffffff") >= contrast(colour, "#111111") ? "#ffffff" : "#111111";
}

const PALEST = { light: 0.35, dark: 0.45 }; /* opacity of a process that used no CPU */

function opacityOf(busy) {
	const palest = PALEST[theme.name];

	return palest + (1 - palest) * (busy / 255);
}

/* The pixel of each row: by the rank of its program; faint where it is filtered out. busy: the share of
   its time that a row used a CPU, as 0 … 255; those that waited are paler. */
function shadesOf(ranks, matched, busy) {
	const table = [...theme.palette, theme.others].map(pixelOf);
	const last = table.length - 1;
	const faint = pixelOf(theme.colours.faint);
	const shades = new Uint32Array(ranks.length);

	for (let i = 0; i < ranks.length; i++) {
		const colour = matched && !matched[i] ? faint : table[ranks[i] < last ? ranks[i] : last];
		const opacity = busy ? opacityOf(busy[i]) : 1;

		shades[i] = ((colour & 0xffffff) | ((opacity * 255) << 24)) >>> 0;
	}
	return shades;
}

/* What a colour looks like at an opacity on the page's surface. */
function onSurface(colour, opacity) {
	const part = (c, at) => parseInt(c.slice(at, at + 2), 16);
	const mix = [1, 3, 5].map((at) => Math.round(part(colour, at) * opacity + part(theme.colours.surface, at) * (1 - opacity)));

	return `#${mix.map((v) => v.toString(16).padStart(2, "0")).join("")}`;
}

/* Make a canvas as sharp as the screen (or twice, for print) and clear it. */
function fitCanvas(canvas, width, height, printing) {
	const ratio = printing ? 2 : Math.min(2, Math.max(1, window.devicePixelRatio || 1));
	const w = Math.round(width * ratio);
	const h = Math.round(height * ratio);

	if (canvas.width !== w || canvas.height !== h) {
		canvas.width = w;
		canvas.height = h;
		canvas.style.width = `${width}px`;
		canvas.style.height = `${height}px`;
	}
	const context = canvas.getContext("2d");

	context.setTransform(ratio, 0, 0, ratio, 0, 0);
	context.clearRect(0, 0, width, height);
	context.font = `11px ${theme.font}`;
	context.textBaseline = "alphabetic";
	return { context, ratio };
}

/* Text cut to a width, with an ellipsis. Measured, since names come in any script. */
function fitText(context, text, width) {
	if (text.length * 3 < width && context.measureText(text).width <= width)
		return text;
	if (text.length > 200)
		text = text.slice(0, 200);
	if (context.measureText(text).width <= width)
		return text;
	let low = 0;
	let high = text.length;

	while (low < high) {
		const middle = (low + high + 1) >> 1;

		if (context.measureText(`${text.slice(0, middle)}…`).width <= width)
			low = middle;
		else
			high = middle - 1;
	}
	return low > 0 ? `${text.slice(0, low)}…` : "";
}
