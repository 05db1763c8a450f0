/* Nodes side by side: how each compares with the others. */

function median(values) {
	const sorted = values.filter((v) => v === v).sort((a, b) => a - b);
	const half = sorted.length >> 1;

	if (sorted.length === 0)
		return NaN;
	return sorted.length % 2 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
}

function meanOf(values) {
	let sum = 0;
	let known = 0;

	for (const v of values)
		if (v === v) {
			sum += v;
			known++;
		}
	return known > 0 ? sum / known : NaN;
}

/* Which means stand out: 3.5 scaled median deviations away (Iglewicz and Hoaglin), and a tenth of the
   median, among at least four. For each its difference as share of the median, or null. */
function outliersOf(means) {
	const middle = median(means);
	const deviation = median(means.map((v) => Math.abs(v - middle)));

	return means.map((v) => {
		const away = Math.abs(v - middle);
		const enough = means.filter((m) => m === m).length >= 4;

		if (!enough || v !== v || !(away > Math.abs(middle) * 0.1) || !(0.6745 * away > 3.5 * deviation))
			return null;
		return middle !== 0 ? (v - middle) / Math.abs(middle) : Infinity;
	});
}

function outlierText(share) {
	if (!Number.isFinite(share))
		return "unlike the others";
	const percent = Math.round(Math.abs(share) * 100);

	return percent > 1000 ? "more than ten times the median" : `${percent} % ${share > 0 ? "above" : "below"} the median`;
}
