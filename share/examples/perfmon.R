#!/usr/bin/Rscript
# perfmon's database in R: an example to copy from, and to source().
#
#     perfmon.R DATABASE [JOB]    tables of the jobs in it, or of one of them by its number there
#
# DATABASE is an SQLite file or the URL of a PostgreSQL database. What is not known is NA, never 0. The SQL is that of
# perfmon-cookbook(7), by the names in cookbook.sql, which is installed beside this file.
suppressMessages(library(DBI))

# Where this file is, by Rscript or by source().
perfmon_file <- function() {
	for (i in rev(seq_len(sys.nframe())))
		if (!is.null(sys.frame(i)$ofile))
			return(sys.frame(i)$ofile)
	sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE)[1])
}
perfmon_cookbook <- file.path(dirname(normalizePath(perfmon_file())), "cookbook.sql")

# Open a database, only to read. Numbers beyond 2^53 are not exact in R.
perfmon_connect <- function(database) {
	if (grepl("^postgres(ql)?://", database)) {
		db <- dbConnect(RPostgreSQL::PostgreSQL(), dbname = database)
		dbExecute(db, "SET default_transaction_read_only = on")
		return(db)
	}
	dbConnect(RSQLite::SQLite(), database, flags = RSQLite::SQLITE_RO, bigint = "numeric")
}

# The rows of a statement, whose parameters are written as :name; times since 1970 become times of R, UTC.
perfmon_query <- function(db, sql, ...) {
	sql <- gsub("(?<!:):([a-z_]+)", "?\\1", sql, perl = TRUE)
	table <- dbGetQuery(db, if (...length()) sqlInterpolate(db, sql, ...) else sql)
	for (name in intersect(names(table), c("start_us", "end_us", "time_us", "minute_us", "day_us", "submit_us", "epoch_us")))
		table[[name]] <- as.POSIXct(as.numeric(table[[name]]) / 1e6, origin = "1970-01-01", tz = "UTC")
	table
}

# The answer to a question of the cookbook.
perfmon_ask <- function(db, name, ...) {
	lines <- readLines(perfmon_cookbook)
	first <- grep(paste0("^-- ", name, ": "), lines)
	if (length(first) != 1)
		stop(perfmon_cookbook, " has no ", name)
	last <- first + grep(";$", lines[-seq_len(first)])[1]
	sql <- grep("^--", lines[first:last], value = TRUE, invert = TRUE)
	perfmon_query(db, sub(";$", "", paste(sql, collapse = "\n")), ...)
}

# What was sampled of all hosts of a job: a row for each host and time. A counter comes as its rate, per second; where
# it fell, as after a reset, the rate is not known.
perfmon_samples <- function(db, job, source, metric, object = "") {
	table <- perfmon_query(db, "SELECT h.hostname, s.time_us, s.value, s.monotonic_us, e.kind, e.unit
		FROM series e JOIN sample s ON s.job_id = e.job_id AND s.series_id = e.id
		JOIN host h ON h.job_id = e.job_id AND h.id = e.host_id
		WHERE e.job_id = :job AND e.source = :source AND e.metric = :metric AND e.object = :object
		ORDER BY h.hostname, s.time_us", job = job, source = source, metric = metric, object = object)
	if (nrow(table) > 0 && table$kind[1] == "counter") {
		change <- function(x) ave(x, table$hostname, FUN = function(v) c(NA, diff(v)))
		rate <- change(table$value) / (change(table$monotonic_us) / 1e6)
		table$value <- ifelse(!is.na(rate) & rate >= 0, rate, NA)
	}
	table[c("hostname", "time_us", "value", "unit")]
}

# A table that `perfmon export` wrote as CSV: an empty cell is NA, and so is one with "", which R does not tell apart.
perfmon_export <- function(path) {
	read.csv(path, na.strings = "", check.names = FALSE, encoding = "UTF-8")
}

# Jobs and users of the thirty days before the latest job.
show_site <- function(db) {
	jobs <- perfmon_query(db, "SELECT id, jobid, \"user\", name, start_us, duration_us, cpus, cpu_time, efficiency,
		exit_status FROM job WHERE start_us >= (SELECT max(start_us) FROM job) - 30 * 86400000000 ORDER BY start_us, id")
	print(jobs[c("id", "jobid", "user", "name", "start_us", "efficiency", "exit_status")], row.names = FALSE)
	jobs$given_h <- jobs$cpus * jobs$duration_us / 3.6e9
	jobs$used_h <- jobs$cpu_time / 3.6e9
	# The formula leaves out jobs of which one of the two is not known.
	users <- aggregate(cbind(given_h, used_h) ~ user, jobs, sum)
	users$idle_h <- users$given_h - users$used_h
	cat("\nCPU hours that were given and used\n")
	print(format(users[order(-users$idle_h), ], digits = 1, nsmall = 2), row.names = FALSE)
}

# Programs of a job, and the use of CPUs and memory of its hosts.
show_job <- function(db, job) {
	print(perfmon_ask(db, "programs-cpu", job = job), row.names = FALSE)
	cpus <- perfmon_samples(db, job, "cpu", "user")
	memory <- perfmon_samples(db, job, "memory", "used")
	if (nrow(cpus) == 0)
		return(invisible())
	by_host <- function(table, f) tapply(table$value, table$hostname, f)
	# A rate of microseconds per second: 1e6 is one CPU.
	cat("\n")
	print(data.frame(mean_cpus = by_host(cpus, function(v) mean(v, na.rm = TRUE)) / 1e6,
		most_cpus = by_host(cpus, function(v) max(v, na.rm = TRUE)) / 1e6,
		most_gb = by_host(memory, function(v) max(v, na.rm = TRUE)) / 1e9,
		unknown = by_host(memory, function(v) sum(is.na(v)))))
}

# Run by Rscript, not by source().
if (sys.nframe() == 0) {
	arguments <- commandArgs(trailingOnly = TRUE)
	if (!length(arguments) %in% 1:2)
		stop("perfmon.R DATABASE [JOB]")
	db <- perfmon_connect(arguments[1])
	if (length(arguments) == 2) show_job(db, as.numeric(arguments[2])) else show_site(db)
	invisible(dbDisconnect(db))
}
