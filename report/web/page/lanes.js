/* Lanes of the timeline: each host (or program) has as many as its processes need not to overlap. */

const MOST_LANES = 400; /* of a group; beyond, processes may cover each other */
const MOST_PROGRAMS = 24; /* with lanes of their own */

/* The lane of each row, and the groups of lanes from top to bottom: {laneOf, lanes, groups:
   [{name, first, count, key}]}. By "tree" a process is below its parent, by "program" programs are
   apart, those with the most CPU time first. host: that one alone, or -1. */
function packLanes(model, mode, host) {
	const { start, end, parent, byStart } = model;
	const byProgram = mode === "program";
	const groups = byProgram ? programGroups(model)
		: [...model.hosts, { name: "unknown host" }].map((h, i) => ({ name: h.name, key: i }));
	const groupOf = byProgram ? (row) => Math.min(model.rank[model.program[row]], groups.length - 1)
		: (row) => model.host[row];
	const laneOf = new Int32Array(model.n).fill(-1);
	const free = groups.map(() => []);

	for (let k = 0; k < byStart.length; k++) {
		const row = byStart[k];

		if (host >= 0 && model.host[row] !== host)
			continue;
		const group = groupOf(row);
		const ends = free[group];
		let lane = 0;

		if (!byProgram && parent[row] >= 0 && model.host[parent[row]] === model.host[row])
			lane = laneOf[parent[row]] + 1;
		while (lane < ends.length && ends[lane] > start[row])
			lane++;
		lane = Math.min(lane, MOST_LANES - 1);
		while (ends.length < lane)
			ends.push(-Infinity);
		ends[lane] = Math.max(ends[lane] ?? -Infinity, end[row]);
		laneOf[row] = lane;
	}
	return stackGroups(groups, free, laneOf, groupOf);
}

function programGroups(model) {
	const own = model.ranked.slice(0, MOST_PROGRAMS).map((program) => ({ name: model.programs[program], key: program }));

	/* Those of unknown program, too, have the last rank. */
	own.push({ name: "other programs", key: -1 });
	return own;
}

function stackGroups(groups, free, laneOf, groupOf) {
	let lanes = 0;

	groups.forEach((group, i) => {
		group.first = lanes;
		group.count = free[i].length;
		lanes += group.count;
	});
	for (let row = 0; row < laneOf.length; row++)
		if (laneOf[row] >= 0)
			laneOf[row] += groups[groupOf(row)].first;
	return { laneOf, lanes, groups: groups.filter((group) => group.count > 0) };
}

const LEAST_GROUP = 11; /* pixels: room for a label */

/* Places of lanes for a height in pixels: {tops, bottoms, gap, height}. Lanes are of one height, but a
   group of few gets room for its label where there are not too many. laneHeight: that of each lane, or
   0 to fit all. */
function laneTops(packed, height, laneHeight) {
	const { groups } = packed;
	const roomy = groups.length > 1 && groups.length * 16 < height;
	const gap = roomy ? 5 : 0;
	const room = height - gap * Math.max(0, groups.length - 1);
	const least = roomy && !laneHeight ? LEAST_GROUP : 0;
	const heights = laneHeight ? groups.map((group) => group.count * laneHeight) : shareHeight(groups, room, least);
	const tops = new Float64Array(packed.lanes);
	const bottoms = new Float64Array(packed.lanes);
	let y = 0;

	groups.forEach((group, at) => {
		y += at > 0 ? gap : 0;
		for (let i = 0; i < group.count; i++) {
			tops[group.first + i] = y + (heights[at] * i) / group.count;
			bottoms[group.first + i] = y + (heights[at] * (i + 1)) / group.count;
		}
		y += heights[at];
	});
	return { tops, bottoms, gap, height: y };
}

/* room shared among groups by their lanes, at least `least` each. */
function shareHeight(groups, room, least) {
	const small = new Set();
	let each = 0;

	for (let changed = true; changed;) {
		const others = groups.filter((group) => !small.has(group));
		const lanes = others.reduce((sum, group) => sum + group.count, 0);

		each = (room - small.size * least) / Math.max(1, lanes);
		changed = false;
		for (const group of others)
			if (group.count * each < least) {
				small.add(group);
				changed = true;
			}
	}
	return groups.map((group) => (small.has(group) ? least : group.count * each));
}
