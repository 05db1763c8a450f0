/* Words that a user typed, as a test of texts. */

/* "cc1" is a part of the text in any case, "/^cc1$/" a regular expression. Returns {test, error}. */
function textMatcher(query) {
	const text = query.trim();
	const slashed = /^\/(.*)\/([a-z]*)$/s.exec(text);

	if (text === "")
		return { test: null, error: null };
	if (!slashed) {
		const part = text.toLowerCase();
		return { test: (s) => s.toLowerCase().includes(part), error: null };
	}
	return regexpMatcher(slashed[1], slashed[2].replace(/[gy]/g, ""));
}

/* The whole query is a regular expression, case-insensitive unless it has capitals. */
function regexpMatcher(source, flags = /[A-Z]/.test(source) ? "" : "i") {
	try {
		const regexp = new RegExp(source, flags);
		return { test: (s) => regexp.test(s), error: null };
	} catch (error) {
		return { test: null, error: error.message };
	}
}

/* Which rows match: by the name of the program, and by arguments where those are given. */
function matchRows(test, programs, program, args) {
	const named = programs.map((name) => (test(name) ? 1 : 0));
	const matched = new Uint8Array(program.length);

	for (let i = 0; i < program.length; i++)
		matched[i] = named[program[i]] || (args && args[i] && test(args[i])) ? 1 : 0;
	return matched;
}
