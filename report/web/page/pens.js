/* Two pens of the same strokes: one draws on a canvas, one writes SVG. */

class CanvasPen {
	constructor(context) {
		this.context = context;
	}

	line(x1, y1, x2, y2, colour, width = 1) {
		const c = this.context;
		const half = width % 2 ? 0.5 : 0;

		c.strokeStyle = colour;
		c.lineWidth = width;
		c.beginPath();
		c.moveTo(Math.round(x1) + (x1 === x2 ? half : 0), Math.round(y1) + (y1 === y2 ? half : 0));
		c.lineTo(Math.round(x2) + (x1 === x2 ? half : 0), Math.round(y2) + (y1 === y2 ? half : 0));
		c.stroke();
	}

	/* points: [x, y, x, y …]; NaN ends a piece. */
	path(points, colour, width, dash) {
		const c = this.context;
		let broken = true;

		c.strokeStyle = colour;
		c.lineWidth = width;
		c.lineJoin = "round";
		c.setLineDash(dash || []);
		c.beginPath();
		for (let i = 0; i < points.length; i += 2) {
			if (points[i + 1] !== points[i + 1]) {
				broken = true;
				continue;
			}
			if (broken)
				c.moveTo(points[i], points[i + 1]);
			else
				c.lineTo(points[i], points[i + 1]);
			broken = false;
		}
		c.stroke();
		c.setLineDash([]);
	}

	/* The closed shape of points. */
	shape(points, colour, opacity) {
		const c = this.context;

		c.fillStyle = colour;
		c.globalAlpha = opacity;
		c.beginPath();
		for (let i = 0; i < points.length; i += 2)
			c.lineTo(points[i], points[i + 1]);
		c.closePath();
		c.fill();
		c.globalAlpha = 1;
	}

	rect(x, y, width, height, colour, opacity = 1) {
		const c = this.context;

		c.fillStyle = colour;
		c.globalAlpha = opacity;
		c.fillRect(x, y, width, height);
		c.globalAlpha = 1;
	}

	text(text, x, y, { colour, align = "start", size = 11, bold = false, fit = 0, within = null }) {
		const c = this.context;

		c.font = `${bold ? "600 " : ""}${size}px ${theme.font}`;
		if (fit)
			text = fitText(c, text, fit);
		c.fillStyle = colour;
		c.textAlign = align === "middle" ? "center" : align;
		if (within && align === "middle") {
			const half = c.measureText(text).width / 2;
			x = Math.min(Math.max(x, within[0] + half), within[1] - half);
		}
		c.fillText(text, x, y);
	}

	clip(x, y, width, height, draw) {
		this.context.save();
		this.context.beginPath();
		this.context.rect(x, y, width, height);
		this.context.clip();
		draw();
		this.context.restore();
	}
}

function round2(x) {
	return Math.round(x * 100) / 100;
}

class SvgPen {
	constructor(width, height) {
		this.root = document.createElementNS(SVG, "svg");
		this.at = this.root;
		this.clips = 0;
		this.set(this.root, { xmlns: SVG, width, height, viewBox: `0 0 ${width} ${height}`, "font-family": theme.font });
		this.rect(0, 0, width, height, theme.colours.surface);
	}

	set(node, attributes) {
		for (const [name, value] of Object.entries(attributes))
			if (value !== undefined && value !== null)
				node.setAttribute(name, value);
		return node;
	}

	add(tag, attributes) {
		const node = this.set(document.createElementNS(SVG, tag), attributes);

		this.at.append(node);
		return node;
	}

	line(x1, y1, x2, y2, colour, width = 1) {
		this.add("line", { x1: round2(x1), y1: round2(y1), x2: round2(x2), y2: round2(y2), stroke: colour, "stroke-width": width });
	}

	path(points, colour, width, dash) {
		let d = "";
		let broken = true;

		for (let i = 0; i < points.length; i += 2) {
			if (points[i + 1] !== points[i + 1]) {
				broken = true;
				continue;
			}
			d += `${broken ? "M" : "L"}${round2(points[i])} ${round2(points[i + 1])}`;
			broken = false;
		}
		if (d)
			this.add("path", { d, fill: "none", stroke: colour, "stroke-width": width, "stroke-linejoin": "round", "stroke-dasharray": dash && dash.length ? dash.join(" ") : null });
	}

	shape(points, colour, opacity) {
		const pairs = [];

		for (let i = 0; i < points.length; i += 2)
			pairs.push(`${round2(points[i])} ${round2(points[i + 1])}`);
		this.add("path", { d: `M${pairs.join("L")}Z`, fill: colour, "fill-opacity": opacity });
	}

	rect(x, y, width, height, colour, opacity = 1) {
		this.add("rect", { x: round2(x), y: round2(y), width: round2(width), height: round2(height), fill: colour, "fill-opacity": opacity === 1 ? null : opacity });
	}

	text(text, x, y, { colour, align = "start", size = 11, bold = false }) {
		const anchor = { start: null, left: null, middle: "middle", end: "end", right: "end" }[align];

		this.add("text", { x: round2(x), y: round2(y), fill: colour, "font-size": size, "font-weight": bold ? 600 : null, "text-anchor": anchor }).textContent = text;
	}

	clip(x, y, width, height, draw) {
		const id = `clip${this.clips++}`;
		const outer = this.at;
		const clip = this.add("clipPath", { id });

		this.at = clip;
		this.rect(x, y, width, height, "#000000");
		this.at = this.set(document.createElementNS(SVG, "g"), { "clip-path": `url(#${id})` });
		outer.append(this.at);
		draw();
		this.at = outer;
	}

	toString() {
		return new XMLSerializer().serializeToString(this.root);
	}
}
