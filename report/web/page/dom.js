/* Small helpers around the document. Texts go in as text, never as markup. */

const SVG = "http://www.w3.org/2000/svg";

/* An element with properties (class, text, on: {event: listener}, others are attributes) and children. */
function element(tag, properties = {}, ...children) {
	const node = document.createElement(tag);

	for (const [name, value] of Object.entries(properties)) {
		if (value === null || value === undefined || value === false)
			continue;
		if (name === "class")
			node.className = value;
		else if (name === "text")
			node.textContent = value;
		else if (name === "on")
			for (const [event, listener] of Object.entries(value))
				node.addEventListener(event, listener);
		else
			node.setAttribute(name, value === true ? "" : value);
	}
	node.append(...children.filter((child) => child !== null));
	return node;
}

function button(text, listener, properties = {}) {
	return element("button", { type: "button", text, ...properties, on: { click: listener } });
}

/* A labelled select of [value, text] pairs. */
function selectBox(label, options, value, change) {
	const select = element("select", { on: { change: () => change(select.value) } },
		...options.map(([v, text]) => element("option", { value: v, text })));

	select.value = value;
	return element("label", { class: "field" }, element("span", { text: label }), select);
}

function checkBox(label, checked, change) {
	const input = element("input", { type: "checkbox", on: { change: () => change(input.checked) } });

	input.checked = checked;
	return element("label", { class: "field" }, input, element("span", { text: label }));
}

function saveFile(name, type, content) {
	const url = URL.createObjectURL(new Blob([content], { type }));
	const link = element("a", { href: url, download: name.replace(/[^\w.-]+/g, "_") });

	link.click();
	setTimeout(() => URL.revokeObjectURL(url), 10000);
}

async function copyText(text, what) {
	try {
		await navigator.clipboard.writeText(text);
	} catch {
		/* Without a clipboard interface, as some browsers have it for files. */
		const area = element("textarea", { class: "offscreen" });

		area.value = text;
		document.body.append(area);
		area.select();
		document.execCommand("copy");
		area.remove();
	}
	announce(`${what} copied`);
}

/* A short message, shown for a moment and read out. */
function announce(text) {
	const box = document.getElementById("pm-status");

	box.textContent = text;
	box.classList.add("shown");
	clearTimeout(announce.timer);
	announce.timer = setTimeout(() => box.classList.remove("shown"), 2500);
}

/* The tooltip: lines of text beside the pointer. */
const tip = {
	node: null,
	show(x, y, title, lines) {
		const node = this.node;

		node.replaceChildren(element("strong", { text: title }), ...lines.map((line) =>
			element("span", Array.isArray(line) ? { class: line[1], text: line[0] } : { text: line })));
		node.hidden = false;
		const box = node.getBoundingClientRect();
		const right = x + 14 + box.width < document.documentElement.clientWidth;
		const below = y + 16 + box.height < document.documentElement.clientHeight;

		node.style.left = `${Math.max(4, right ? x + 14 : x - 14 - box.width)}px`;
		node.style.top = `${Math.max(4, below ? y + 16 : y - 10 - box.height)}px`;
	},
	hide() {
		this.node.hidden = true;
	},
};

/* A sentence in place of what could not be drawn. */
function showFailure(view, what, error) {
	view.replaceChildren(element("p", { class: "failure", role: "alert",
		text: `${what} cannot be shown: ${error.message}. The tables of this page are complete.` }));
}

/* Run action when node comes near the visible part of the page, once. Returns a function that runs
   it at once if it has not run; both return what action returns. */
function whenVisible(node, action) {
	let result;
	let observer = null;
	const act = () => {
		observer?.disconnect();
		if (result === undefined)
			result = action() ?? null;
		return result;
	};

	if (typeof IntersectionObserver === "undefined") {
		act();
		return act;
	}
	observer = new IntersectionObserver((entries) => {
		if (entries.some((entry) => entry.isIntersecting))
			act();
	}, { rootMargin: "300px" });
	observer.observe(node);
	return act;
}

/* Calls action at most once a frame, with all that was asked for since. */
function perFrame(action) {
	let asked = false;

	return () => {
		if (asked)
			return;
		asked = true;
		requestAnimationFrame(() => {
			asked = false;
			action();
		});
	};
}
