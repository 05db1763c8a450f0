/* Rows of a table as values: sorting, filtering, copying. */

const LONG_TABLE = 200;
const FIRST_ROWS = 50;

/* A cell's value by its column's type; null for unknown. */
function cellValue(cell, type) {
	if (!cell || cell.classList.contains("unknown"))
		return null;
	if (type === "text" || type === undefined)
		return cell.textContent;
	const value = cell.dataset.value ?? cell.textContent.replace(/\s/g, "");

	return value !== "" && Number.isFinite(Number(value)) ? Number(value) : null;
}

/* The order of values: places in it; unknown ones last in both directions, equal ones as they were. */
function sortedPlaces(values, descending) {
	const sign = descending ? -1 : 1;
	const collator = new Intl.Collator(undefined, { numeric: true });
	const compare = (a, b) => {
		if (values[a] === null || values[b] === null)
			return (values[a] === null) - (values[b] === null) || a - b;
		const order = typeof values[a] === "string" ? collator.compare(values[a], values[b]) : values[a] - values[b];
		return sign * order || a - b;
	};

	return values.map((_, i) => i).sort(compare);
}

/* One line of TSV: what would end the cell or the line becomes a space. */
function tsvLine(texts) {
	return texts.map((text) => text.replace(/[\t\r\n]+/g, " ").trim()).join("\t");
}
