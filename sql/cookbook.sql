-- Questions to a perfmon database, with the SQL that answers them: perfmon-cookbook(7) is made of this file.
-- A section begins with "--- ", a question with "-- NAME: ", and what else is to be known of it follows in comments.
-- Every statement is the same for SQLite and PostgreSQL; :NAME is a parameter.

--- FINDING JOBS

-- job-number: Which number has a job in this database?
-- A batch system may use a job id again; the latest job comes first.
SELECT id, cluster, "user", array_task, name, start_us
FROM job WHERE jobid = :jobid
ORDER BY start_us DESC NULLS LAST, id DESC;

-- user-jobs: Which jobs did a user run lately, and how did they do?
SELECT id, job, name, wall_s, cpu_s, efficiency_pct, peak_mb,
    exit_status
FROM job_summary WHERE "user" = :user
ORDER BY start_us DESC NULLS LAST, id DESC LIMIT 20;

-- host-jobs: Which jobs were on a host between two times?
SELECT j.id, j.jobid, j."user", j.name, j.start_us, j.end_us
FROM host h JOIN job j ON j.id = h.job_id
WHERE substr(h.hostname, 1, 100) = substr(:host, 1, 100)
    AND h.hostname || '' = :host AND j.start_us < :to
    AND (j.end_us > :from OR j.end_us IS NULL)
ORDER BY j.start_us, j.id;

-- tagged-jobs: Which jobs have a tag?
SELECT j.id, j.jobid, j."user", j.name, j.start_us
FROM tag_set t JOIN job j ON j.id = t.job_id
WHERE t.id = 0 AND t.name = :tag AND t.value || '' = :value
    AND substr(t.value, 1, 100) = substr(:value, 1, 100)
ORDER BY j.start_us, j.id;

-- annotated-jobs: Which jobs have an annotation, and what does it say?
SELECT j.id, j.jobid, j."user", a.value
FROM annotation a JOIN job j ON j.id = a.job_id
WHERE a.name = :annotation ORDER BY j.id;

-- running-jobs: Which jobs had processes running when they were loaded?
SELECT id, jobid, "user", name, start_us, running
FROM job WHERE running > 0
ORDER BY start_us DESC NULLS LAST, id DESC LIMIT 100;

-- name-trend: How did jobs of a name change over time?
SELECT id, start_us, round(duration_us / 1e6, 1) AS wall_s,
    round(cpu_time / 1e6, 1) AS cpu_s, rssmax AS peak_kb
FROM job WHERE substr(name, 1, 100) = substr(:name, 1, 100)
    AND name || '' = :name AND duration_us IS NOT NULL
ORDER BY start_us DESC NULLS LAST, id DESC LIMIT 100;

-- array-tasks: How do the tasks of an array job differ?
SELECT array_task, round(duration_us / 1e6, 1) AS wall_s,
    round(duration_us / (avg(duration_us) OVER ()), 2) AS of_mean,
    rssmax AS peak_kb, exit_status
FROM job WHERE jobid = :jobid AND "user" = :user
    AND array_task <> '' ORDER BY duration_us DESC NULLS LAST, id;

--- PROGRAMS AND PROCESSES OF A JOB

-- programs-cpu: Which programs of a job took the CPU time?
SELECT program, runs, round(cpu_time / 1e6, 1) AS cpu_s,
    round(100.0 * cpu_time / sum(cpu_time) OVER (), 1) AS pct
FROM program_summary
WHERE job_id = :job AND cpu_time IS NOT NULL
ORDER BY cpu_time DESC, program LIMIT 10;

-- programs-memory: Which programs of a job needed most memory?
-- It is the peak of one process of the program; several may run at a time.
SELECT program, processes, round(rssmax / 1000.0, 1) AS peak_mb
FROM program_summary
WHERE job_id = :job AND rssmax IS NOT NULL
ORDER BY rssmax DESC, program LIMIT 10;

-- programs-io: Which programs of a job read and wrote most?
-- Calls count what the page cache answered; storage is what came from and went to devices.
SELECT program, round((rchar + wchar) / 1e6, 1) AS calls_mb,
    round((read_bytes + write_bytes) / 1e6, 1) AS storage_mb
FROM program_summary
WHERE job_id = :job AND rchar + wchar > 0
ORDER BY rchar + wchar DESC, program LIMIT 10;

-- programs-small-io: Which programs of a job read or write a few bytes at a time?
-- Tiny calls are those of processes whose calls move less than 512 bytes on average.
SELECT program, tiny_reads, tiny_read_bytes, tiny_writes,
    tiny_write_bytes
FROM program_summary WHERE job_id = :job
    AND coalesce(tiny_reads, 0) + coalesce(tiny_writes, 0) > 0
ORDER BY coalesce(tiny_reads, 0) + coalesce(tiny_writes, 0) DESC,
    program;

-- programs-often: Which programs of a job are started again and again?
SELECT program, runs,
    round(cpu_time / 1000.0 / runs, 1) AS cpu_ms_each
FROM program_summary WHERE job_id = :job AND runs > 10
ORDER BY runs DESC, program;

-- programs-kernel: Which programs of a job spend their time in the kernel?
SELECT program, round(systemtime / 1e6, 2) AS kernel_s,
    round(100.0 * systemtime / cpu_time, 1) AS pct
FROM program_summary WHERE job_id = :job AND cpu_time > 0
ORDER BY systemtime DESC, program LIMIT 10;

-- processes-longest: Which processes of a job took longest?
SELECT id, exename, args, round(duration_us / 1e6, 1) AS wall_s,
    round(cpu_time / 1e6, 1) AS cpu_s
FROM process WHERE job_id = :job AND duration_us IS NOT NULL
ORDER BY duration_us DESC, id LIMIT 10;

-- processes-failed: Which processes of a job failed, and how?
SELECT p.id, h.hostname, p.exename, p.args, p.exitcode, p.exitsignal
FROM process p
JOIN host h ON h.job_id = p.job_id AND h.id = p.host_id
WHERE p.job_id = :job AND (p.exitcode <> 0 OR p.exitsignal > 0)
ORDER BY p.id LIMIT 1000;

-- process-subtree: What ran below a process?
-- Processes are numbered in depth-first order: those below one follow it, up to the next that is as high.
SELECT id, process, args, cpu_s, tree_cpu_s FROM process_tree
WHERE job_id = :job AND id >= :process
    AND id < coalesce((SELECT min(n.id) FROM process n
        WHERE n.job_id = :job AND n.id > :process AND n.depth <=
            (SELECT depth FROM process
            WHERE job_id = :job AND id = :process)),
        9223372036854775807)
ORDER BY id;

-- threads-busy: Which threads of a process worked, and which were idle?
SELECT tid, thread_name,
    round((usertime + systemtime) / 1e6, 1) AS cpu_s,
    round(100.0 * (usertime + systemtime) / duration_us, 1) AS pct
FROM thread
WHERE job_id = :job AND process_id = :process AND duration_us > 0
ORDER BY usertime + systemtime DESC NULLS LAST, tid;

-- processes-waiting: Which processes of a job waited for a CPU?
-- More than a few percent say that the job has fewer CPUs than threads that want to run.
SELECT id, exename, round(time_oncpu / 1e9, 1) AS ran_s,
    round(time_waiting / 1e9, 1) AS waited_s
FROM process WHERE job_id = :job AND time_waiting > 0
ORDER BY time_waiting DESC, id LIMIT 10;

-- processes-gpu: Which processes of a job used GPUs, and for how long?
SELECT id, exename, mpirank, round(gpu_time / 1e9, 1) AS gpu_s
FROM process WHERE job_id = :job AND gpu_time > 0
ORDER BY gpu_time DESC, id;

--- OPERATIONS, RANKS AND HOSTS OF A JOB

-- operations-cpu: Which operations of a job, by the values of a tag, took the CPU time?
SELECT value, processes, round(cpu_time / 1e6, 1) AS cpu_s,
    round((finish_us - start_us) / 1e6, 1) AS span_s
FROM operation WHERE job_id = :job AND name = :tag
ORDER BY cpu_time DESC NULLS LAST, value;

-- phases: How long did the marked phases of a job take?
SELECT h.hostname, f.name, count(*) AS times,
    round(sum(f.duration_us) / 1e6, 1) AS wall_s
FROM phase f JOIN host h ON h.job_id = f.job_id AND h.id = f.host_id
WHERE f.job_id = :job GROUP BY h.hostname, f.name
ORDER BY h.hostname, sum(f.duration_us) DESC NULLS LAST, f.name;

-- rank-imbalance: How unequal is the work of the MPI ranks of a job?
-- 1 is perfect; 2 says that ranks wait half of the time for the one that has most to do.
SELECT count(*) AS ranks, round(min(cpu) / 1e6, 1) AS least_s,
    round(max(cpu) / 1e6, 1) AS most_s,
    round(max(cpu) / avg(cpu), 2) AS most_of_mean
FROM (SELECT mpirank, sum(cpu_time) AS cpu FROM process
    WHERE job_id = :job AND mpirank IS NOT NULL
    GROUP BY mpirank) r;

-- host-imbalance: How unequal is the work of the hosts of a job?
SELECT hostname, round(cpu_time / 1e6, 1) AS cpu_s,
    round(cpu_time / (avg(cpu_time) OVER ()), 2) AS of_mean
FROM host WHERE job_id = :job AND cpu_time IS NOT NULL
ORDER BY cpu_time DESC NULLS LAST, id;

-- host-coverage: How much of the CPU time that the kernel charged is in the records?
SELECT hostname, round(charged_cpu_us / 1e6, 1) AS charged_s,
    round(CAST(100 * coverage AS numeric), 1) AS recorded_pct
FROM host WHERE job_id = :job AND coverage IS NOT NULL
ORDER BY coverage, id;

-- instructions-per-cycle: How many instructions per cycle did the programs of a job reach?
-- The names are those of the events that the job counted.
SELECT p.exename, count(*) AS processes,
    round(sum(i.value) * 1.0 / sum(c.value), 2) AS ipc
FROM process p
JOIN counter i ON i.job_id = p.job_id AND i.process_id = p.id
    AND i.thread_id = 0 AND i.name = 'PAPI_TOT_INS'
JOIN counter c ON c.job_id = p.job_id AND c.process_id = p.id
    AND c.thread_id = 0 AND c.name = 'PAPI_TOT_CYC'
WHERE p.job_id = :job AND c.value > 0 AND i.value IS NOT NULL
GROUP BY p.exename ORDER BY p.exename;

-- energy-meters: What energy did the hosts of a job use, and by which meters?
-- Meters whose in_total is 0 are part of another one.
SELECT h.hostname, e.part, e.meter,
    round(e.energy_uj / 1e6, 1) AS energy_j,
    round(e.mean_uw / 1e6, 1) AS mean_w, e.in_total
FROM energy e JOIN host h ON h.job_id = e.job_id AND h.id = e.host_id
WHERE e.job_id = :job ORDER BY h.hostname, e.id;

-- hosts-memory: How much memory of each host of a job was in use at most?
SELECT h.hostname,
    round(CAST(n.max_t_mem_percent AS numeric), 1) AS peak_pct,
    round(CAST(n.node_unused_cpu_hours AS numeric), 2) AS idle_cpu_h
FROM node_summary n
JOIN host h ON h.job_id = n.job_id AND h.id = n.host_id
WHERE n.job_id = :job AND n.samples > 0 ORDER BY h.hostname;

--- SAMPLES OF A JOB

-- series-list: What was sampled of a job, and between which values?
-- The mean of a counter says nothing: its differences are what happened.
SELECT s.id, h.hostname, s.metric, s.object, s.unit, s.kind,
    t.minimum, t.maximum
FROM series s JOIN host h ON h.job_id = s.job_id AND h.id = s.host_id
JOIN series_summary t ON t.job_id = s.job_id AND t.series_id = s.id
WHERE s.job_id = :job AND s.source = :source ORDER BY s.id;

-- samples-between: Which values has a series between two times?
-- The conditions on block_begin_us and block_end_us spare reading what lies outside.
SELECT time_us, value, reason FROM sample
WHERE job_id = :job AND series_id = :series
    AND time_us >= :from AND block_end_us >= :from
    AND time_us < :to AND block_begin_us < :to
ORDER BY time_us;

-- cpus-by-minute: How many CPUs of each host worked for users, minute by minute?
-- Rates of a counter: the difference of values over that of the monotonic times, both in microseconds here.
SELECT h.hostname, s.time_us / 60000000 * 60000000 AS minute_us,
    round((max(s.value) - min(s.value)) * 1.0 /
        (max(s.monotonic_us) - min(s.monotonic_us)), 2) AS cpus
FROM series e
JOIN sample s ON s.job_id = e.job_id AND s.series_id = e.id
JOIN host h ON h.job_id = e.job_id AND h.id = e.host_id
WHERE e.job_id = :job AND e.source = 'cpu' AND e.metric = 'user'
    AND e.object = '' AND s.value IS NOT NULL
GROUP BY h.hostname, s.time_us / 60000000
HAVING max(s.monotonic_us) > min(s.monotonic_us)
ORDER BY h.hostname, minute_us;

-- samples-unknown: Which values could not be sampled, and why?
SELECT h.hostname, e.source, e.metric, s.reason, count(*) AS samples
FROM series e
JOIN series_summary t ON t.job_id = e.job_id AND t.series_id = e.id
    AND t.known < t.samples
JOIN sample s ON s.job_id = e.job_id AND s.series_id = e.id
JOIN host h ON h.job_id = e.job_id AND h.id = e.host_id
WHERE e.job_id = :job AND s.reason IS NOT NULL
GROUP BY h.hostname, e.source, e.metric, s.reason
ORDER BY h.hostname, e.source, e.metric, s.reason;

--- USERS, ACCOUNTS AND QUEUES

-- user-days: How much did a user compute each day?
SELECT day_us, jobs, failed, round(cpu_time / 3.6e9, 2) AS cpu_h
FROM user_day WHERE cluster = :cluster AND "user" = :user
ORDER BY day_us;

-- users-waste: Which users leave CPUs idle that their jobs were given?
-- Jobs of which CPUs, time or use are not known do not count.
SELECT "user", count(*) AS jobs,
    round(sum(cpus * duration_us) / 3.6e9, 2) AS given_h,
    round(sum(cpu_time) / 3.6e9, 2) AS used_h,
    round(sum(cpus * duration_us - cpu_time) / 3.6e9, 2) AS idle_h
FROM job WHERE start_us >= :from AND start_us < :to
    AND cpus IS NOT NULL AND duration_us IS NOT NULL
    AND cpu_time IS NOT NULL
GROUP BY "user"
ORDER BY sum(cpus * duration_us - cpu_time) DESC, "user" LIMIT 20;

-- jobs-oversized: Which jobs asked for many more CPUs than they used?
SELECT id, jobid, "user", name, cpus,
    round(cpu_time * 1.0 / duration_us, 1) AS used
FROM job WHERE start_us >= :from AND start_us < :to
    AND duration_us > 60000000 AND cpus > 1 AND efficiency < 0.5
ORDER BY cpus * duration_us - cpu_time DESC, id LIMIT 20;

-- accounts-energy: What did the jobs of each account use, in CPU time and energy?
-- Unknown energies are left out; the last column says of how many jobs it is known.
SELECT coalesce(account, '-') AS charged, count(*) AS jobs,
    round(sum(cpu_time) / 3.6e9, 2) AS cpu_h,
    round(sum(energy_uj) / 3.6e12, 4) AS energy_kwh,
    count(energy_uj) AS jobs_with_energy
FROM job WHERE start_us >= :from AND start_us < :to
GROUP BY coalesce(account, '-') ORDER BY charged;

-- users-io: How much did users read from and write to storage in a time?
SELECT "user", round(sum(read_bytes) / 1e9, 2) AS read_gb,
    round(sum(write_bytes) / 1e9, 2) AS written_gb
FROM job WHERE start_us >= :from AND start_us < :to
    AND read_bytes + write_bytes > 0
GROUP BY "user"
ORDER BY sum(read_bytes) + sum(write_bytes) DESC, "user" LIMIT 20;

-- queue-wait: How long did jobs wait in each queue?
SELECT queue, count(*) AS jobs,
    round(avg(epoch_us - submit_us) / 1e6, 1) AS mean_s,
    round(max(epoch_us - submit_us) / 1e6, 1) AS longest_s
FROM job WHERE start_us >= :from AND start_us < :to
    AND submit_us IS NOT NULL AND queue IS NOT NULL
GROUP BY queue ORDER BY queue;

-- site-programs: Which programs take the CPU time of the site?
SELECT p.program, count(*) AS jobs, sum(p.runs) AS runs,
    round(sum(p.cpu_time) / 3.6e9, 2) AS cpu_h
FROM job j JOIN program_summary p ON p.job_id = j.id
WHERE j.start_us >= :from AND j.start_us < :to AND p.cpu_time > 0
GROUP BY p.program ORDER BY sum(p.cpu_time) DESC, p.program LIMIT 20;

--- FAILURES, SLOW HOSTS AND MISSING RECORDS

-- hosts-failures: On which hosts do jobs fail?
SELECT h.hostname, count(DISTINCT j.id) AS jobs,
    count(DISTINCT CASE WHEN j.exit_status <> 0
        OR j.exit_signal IS NOT NULL THEN j.id END) AS failed
FROM job j JOIN host h ON h.job_id = j.id
WHERE j.start_us >= :from AND j.start_us < :to
GROUP BY h.hostname ORDER BY failed DESC, h.hostname;

-- failures-reasons: Why did jobs fail?
-- Where the reason is memory, the kernel killed a process for lack of it.
SELECT coalesce(h.stop_exit_reason, 'unknown') AS why, j.exit_status,
    count(DISTINCT j.id) AS jobs, max(j.rssmax) AS peak_kb,
    min(h.memory_limit_kb) AS least_limit_kb
FROM job j JOIN host h ON h.job_id = j.id
WHERE (j.exit_status <> 0 OR j.exit_signal IS NOT NULL)
    AND j.start_us >= :from AND j.start_us < :to
GROUP BY coalesce(h.stop_exit_reason, 'unknown'), j.exit_status
ORDER BY jobs DESC, why;

-- hosts-slow: On which hosts does the same program take longer?
SELECT h.hostname, count(*) AS processes,
    round(avg(p.duration_us) / 1e6, 1) AS mean_s,
    round(max(p.duration_us) / 1e6, 1) AS longest_s
FROM job j JOIN process p ON p.job_id = j.id
JOIN host h ON h.job_id = p.job_id AND h.id = p.host_id
WHERE substr(j.name, 1, 100) = substr(:name, 1, 100)
    AND j.name || '' = :name AND j.start_us >= :from AND j.start_us < :to
    AND p.exename = :program AND p.duration_us IS NOT NULL
GROUP BY h.hostname ORDER BY avg(p.duration_us) DESC, h.hostname;

-- records-missing: Of which jobs are records missing or damaged?
SELECT j.id, j.jobid, j."user", j.lost, j.rejected, j.without_end,
    round(CAST(100 * j.coverage AS numeric), 1) AS recorded_pct
FROM job j WHERE j.start_us >= :from AND j.start_us < :to
    AND (j.lost > 0 OR j.rejected > 0 OR j.coverage < 0.9)
ORDER BY j.start_us, j.id;

-- lines-rejected: Which lines of a job's files were not loaded, and why?
SELECT r.file, r.line, r.reason
FROM reject r WHERE r.job_id = :job ORDER BY r.id;
