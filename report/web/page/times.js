/* Times of day in the text: as written, in UTC, or in the zone of this browser. */

function zoneControl() {
	const times = [...document.querySelectorAll("time[datetime]")];

	if (times.length === 0)
		return null;
	for (const time of times)
		time.dataset.written = time.textContent;
	return selectBox("Times", [["written", "as recorded"], ["utc", "UTC"], ["local", "here"]], "written", (zone) => {
		for (const time of times)
			time.textContent = timeText(time.dateTime, zone) ?? time.dataset.written;
	});
}

function timeText(datetime, zone) {
	const date = new Date(datetime);

	if (zone === "written" || Number.isNaN(date.getTime()))
		return null;
	if (zone === "utc")
		return `${date.toISOString().slice(0, 19).replace("T", " ")} UTC`;
	const pad = (n) => String(n).padStart(2, "0");
	const minutes = -date.getTimezoneOffset();
	const offset = `${minutes < 0 ? "−" : "+"}${pad(Math.floor(Math.abs(minutes) / 60))}:${pad(Math.abs(minutes) % 60)}`;

	return `${date.getFullYear()}-${pad(date.getMonth() + 1)}-${pad(date.getDate())} ${pad(date.getHours())}:${pad(date.getMinutes())}:${pad(date.getSeconds())} ${offset}`;
}
