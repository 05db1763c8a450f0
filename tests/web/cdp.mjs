// A small client of Chromium's debugging protocol over pipes: messages are JSON, each followed by NUL.
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export class Browser {
	static async open(command = process.env.CHROMIUM || "chromium") {
		const profile = mkdtempSync(join(tmpdir(), "perfmon-web."));
		const child = spawn(command, ["--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars", "--mute-audio",
			"--no-first-run", "--disable-background-networking", "--disable-extensions", "--host-resolver-rules=MAP * ~NOTFOUND",
			"--proxy-server=127.0.0.1:1", `--user-data-dir=${profile}`, "--remote-debugging-pipe", "about:blank"],
		{ stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"] });
		const browser = new Browser(child, profile);

		return browser;
	}

	constructor(child, profile) {
		this.child = child;
		this.profile = profile;
		this.next = 1;
		this.waiting = new Map();
		this.listeners = [];
		this.gone = null;
		let parts = [];

		child.on("error", (error) => this.end(error));
		child.on("exit", () => this.end(new Error("the browser ended")));
		child.stdio[3].on("error", () => {});
		child.stdio[4].on("data", (data) => {
			for (let from = 0; from < data.length;) {
				const end = data.indexOf(0, from);

				if (end < 0) {
					parts.push(data.subarray(from));
					break;
				}
				parts.push(data.subarray(from, end));
				this.receive(JSON.parse(Buffer.concat(parts).toString()));
				parts = [];
				from = end + 1;
			}
		});
	}

	end(error) {
		this.gone = error;
		for (const { reject } of this.waiting.values())
			reject(error);
		this.waiting.clear();
	}

	receive(message) {
		if (message.id) {
			const { resolve, reject, method } = this.waiting.get(message.id);

			this.waiting.delete(message.id);
			if (message.error)
				reject(new Error(`${method}: ${message.error.message}`));
			else
				resolve(message.result);
			return;
		}
		for (const listener of this.listeners)
			listener(message);
	}

	send(method, params = {}, sessionId = undefined) {
		const id = this.next++;

		if (this.gone)
			return Promise.reject(this.gone);
		this.child.stdio[3].write(`${JSON.stringify({ id, method, params, sessionId })}\0`);
		return new Promise((resolve, reject) => this.waiting.set(id, { resolve, reject, method }));
	}

	async page() {
		const { targetId } = await this.send("Target.createTarget", { url: "about:blank" });
		const { sessionId } = await this.send("Target.attachToTarget", { targetId, flatten: true });
		const page = new Page(this, sessionId);

		await Promise.all(["Page", "Runtime", "Network", "Log", "Performance"].map((domain) => page.send(`${domain}.enable`)));
		return page;
	}

	async close() {
		const ended = new Promise((resolve) => this.child.once("exit", resolve));

		if (!this.gone) {
			await this.send("Browser.close").catch(() => {});
			await Promise.race([ended, new Promise((resolve) => setTimeout(resolve, 5000))]);
		}
		this.child.kill("SIGKILL");
		rmSync(this.profile, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
	}
}

export class Page {
	constructor(browser, session) {
		this.browser = browser;
		this.session = session;
		this.errors = [];
		this.requests = [];
		this.patience = 60; /* seconds until what is waited for is missing */
		browser.listeners.push((message) => {
			if (message.sessionId === session)
				this.event(message.method, message.params);
		});
	}

	event(method, params) {
		if (method === "Runtime.exceptionThrown")
			this.errors.push(params.exceptionDetails.exception?.description ?? params.exceptionDetails.text);
		else if (method === "Runtime.consoleAPICalled" && ["error", "warning", "assert"].includes(params.type))
			this.errors.push(params.args.map((arg) => arg.value ?? arg.description).join(" "));
		else if (method === "Log.entryAdded" && !/willReadFrequently/.test(params.entry.text) && // of tests that look at pixels
			["error", "warning"].includes(params.entry.level))
			this.errors.push(params.entry.text);
		else if (method === "Network.requestWillBeSent")
			this.requests.push(params.request.url);
	}

	send(method, params) {
		return this.browser.send(method, params, this.session);
	}

	// The value of an expression, awaited.
	async eval(expression) {
		const { result, exceptionDetails } = await this.send("Runtime.evaluate", { expression, awaitPromise: true, returnByValue: true });

		if (exceptionDetails)
			throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
		return result.value;
	}

	async until(expression, what = expression, seconds = this.patience) {
		const end = Date.now() + seconds * 1000;

		while (!(await this.eval(expression))) {
			if (Date.now() > end)
				throw new Error(`waited in vain for ${what}`);
			await new Promise((resolve) => setTimeout(resolve, 20));
		}
	}

	async open(url) {
		this.requests.length = 0;
		this.errors.length = 0;
		await this.send("Page.navigate", { url });
		await this.until("document.documentElement?.dataset.ready === '1'", "the page to be ready", 120);
	}

	size(width, height, dark = false, ratio = 1) {
		return Promise.all([
			this.send("Emulation.setDeviceMetricsOverride", { width, height, deviceScaleFactor: ratio, mobile: false }),
			this.send("Emulation.setEmulatedMedia", { features: [{ name: "prefers-color-scheme", value: dark ? "dark" : "light" }, { name: "prefers-reduced-motion", value: "reduce" }] }),
		]);
	}

	mouse(type, x, y, more = {}) {
		return this.send("Input.dispatchMouseEvent", { type, x, y, button: type === "mouseMoved" ? "none" : "left", clickCount: 1, ...more });
	}

	async click(x, y) {
		await this.mouse("mouseMoved", x, y);
		await this.mouse("mousePressed", x, y, { buttons: 1 });
		await this.mouse("mouseReleased", x, y);
	}

	async drag(x1, x2, y) {
		await this.mouse("mouseMoved", x1, y);
		await this.mouse("mousePressed", x1, y, { buttons: 1 });
		for (let i = 1; i <= 4; i++)
			await this.mouse("mouseMoved", x1 + ((x2 - x1) * i) / 4, y, { button: "left", buttons: 1 });
		await this.mouse("mouseReleased", x2, y);
	}

	async key(key, code = key) {
		const text = key.length === 1 ? key : key === "Enter" ? "\r" : undefined;
		const windowsVirtualKeyCode = { Enter: 13, Escape: 27, Tab: 9, ArrowLeft: 37, ArrowUp: 38, ArrowRight: 39, ArrowDown: 40 }[key];

		await this.send("Input.dispatchKeyEvent", { type: "keyDown", key, code, text, windowsVirtualKeyCode });
		await this.send("Input.dispatchKeyEvent", { type: "keyUp", key, code, windowsVirtualKeyCode });
	}

	// Two frames, so that what was asked for is drawn.
	settle() {
		return this.eval("new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(() => resolve(true)))))");
	}

	async picture(full = false) {
		const { cssContentSize } = await this.send("Page.getLayoutMetrics");
		const clip = full ? { x: 0, y: 0, width: cssContentSize.width, height: Math.min(9000, cssContentSize.height), scale: 1 } : undefined;
		const { data } = await this.send("Page.captureScreenshot", { format: "png", captureBeyondViewport: full, clip });

		return Buffer.from(data, "base64");
	}

	async pdf() {
		const { data } = await this.send("Page.printToPDF", { preferCSSPageSize: true, printBackground: true });

		return Buffer.from(data, "base64");
	}
}
