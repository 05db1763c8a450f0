-- perfmon database schema, version 9, for SQLite; see perfmon-schema(5).
-- Generated from common/safe/columns.def and common/job/job.def by `perfmon schema`.
-- Times are microseconds UTC. NULL is unknown, never 0. Text is escaped as in
-- perfmon-tsv(5).

-- versions of the schema this database went through
CREATE TABLE schema_version (
	version INTEGER NOT NULL, -- schema version
	applied_us INTEGER, -- when this version was applied [us]
	PRIMARY KEY (version)
);

-- one row per job: its identity and its summary
CREATE TABLE job (
	id INTEGER PRIMARY KEY, -- number of the job in this database
	cluster TEXT NOT NULL, -- cluster name; empty if there is none
	"user" TEXT NOT NULL, -- login name of the job's user
	jobid TEXT NOT NULL, -- job id; without a batch system session id and sequence number
	array_task TEXT NOT NULL, -- array task; empty outside an array job
	restart_count INTEGER NOT NULL, -- how often the batch system restarted the job
	epoch_us INTEGER NOT NULL, -- job start according to the batch system, else the time of the first perfmon start [us]
	scheduler TEXT, -- slurm, pbs, ..., none
	name TEXT, -- job name; without one, the name of the command
	uid INTEGER, -- user id
	gid INTEGER, -- group id
	"groups" TEXT, -- names of the user's groups, the primary one first
	submit_us INTEGER, -- when the job was submitted; epoch_us less this is its time in the queue [us]
	queue TEXT, -- queue or partition
	account TEXT, -- account charged
	script TEXT, -- script that called perfmon start; unknown where the batch system runs a copy of it
	nodes INTEGER, -- nodes allocated
	tasks INTEGER, -- tasks allocated
	facts TEXT, -- other facts from the scheduler's environment
	tags TEXT, -- job tags
	annotations TEXT, -- notes about the job by people (perfmon annotate)
	start_us INTEGER, -- start of the job, else of its first process [us]
	end_us INTEGER, -- end of the job, else of its last process [us]
	duration_us INTEGER, -- elapsed time, by the monotonic clock where one host knows both ends [us]
	exit_status INTEGER, -- exit status of the job's command
	exit_signal INTEGER, -- signal that ended the job's command
	processes INTEGER, -- rows in process: one per program image and fork
	threads INTEGER, -- threads seen in them
	failed INTEGER, -- processes that ended with a status other than 0 or by a signal
	killed INTEGER, -- processes ended by a signal
	running INTEGER, -- processes without a recorded end on hosts where the job is not closed
	without_end INTEGER, -- images with a start record and no end record
	reaped_only INTEGER, -- rows known only from their parent's wait: static, set-uid and the like
	hosts INTEGER, -- hosts with records or metadata
	ranks INTEGER, -- different MPI ranks seen; NULL for none
	cpus INTEGER, -- CPUs allocated by the batch system, else allowed, summed over the hosts
	cpu_time INTEGER, -- CPU time of all processes, user and system [us]
	charged_cpu_us INTEGER, -- CPU time the kernel charged to the job: all of it where coverage is known, else a lower bound [us]
	excluded INTEGER, -- images of excluded programs, which have no row in process
	excluded_cpu_us INTEGER, -- their CPU time as far as it is known: see excluded_program [us]
	coverage REAL, -- share of the charged CPU time that was recorded, including the collector's and that of excluded and folded programs; NULL unless the kernel accounts for the whole job on every host
	efficiency REAL, -- cpu_time with excluded_cpu_us and folded_cpu_us / (duration_us * cpus); NULL while processes run, since what they use is not recorded yet
	folded INTEGER, -- short processes beyond max_bytes, which have no row in process
	folded_cpu_us INTEGER, -- their CPU time: see folded_program [us]
	lost INTEGER, -- record lines that could not be written, as far as they were counted: see lost
	rejected INTEGER, -- lines in reject
	late INTEGER, -- processes that ended after their host's stop
	problems TEXT, -- problems of the sources, separated by semicolons
	usertime INTEGER, -- sum over the processes: CPU time in user mode [us]
	systemtime INTEGER, -- sum over the processes: CPU time in the kernel [us]
	rssmax INTEGER, -- largest of a process: peak resident set size (in a reaped record ru_maxrss, which includes images before exec) [kB]
	vmpeak INTEGER, -- largest of a process: peak virtual memory size [kB]
	minflt INTEGER, -- sum over the processes: page faults served without I/O [n]
	majflt INTEGER, -- sum over the processes: page faults that needed I/O [n]
	inblock INTEGER, -- sum over the processes: blocks read from storage [512 B]
	outblock INTEGER, -- sum over the processes: blocks written to storage [512 B]
	vol_ctxsw INTEGER, -- sum over the processes: voluntary context switches: waited for something [n]
	invol_ctxsw INTEGER, -- sum over the processes: involuntary context switches: another task wanted the CPU [n]
	delayacct_blkio_time INTEGER, -- sum over the processes: time waiting for block I/O; unknown while kernel.task_delayacct is 0 [ticks]
	guest_time INTEGER, -- sum over the processes: time spent running a virtual CPU for a guest [ticks]
	rchar INTEGER, -- sum over the processes: bytes read by system calls, page cache included [B]
	wchar INTEGER, -- sum over the processes: bytes written by system calls, page cache included [B]
	syscr INTEGER, -- sum over the processes: read system calls [n]
	syscw INTEGER, -- sum over the processes: write system calls [n]
	read_bytes INTEGER, -- sum over the processes: bytes fetched from storage [B]
	write_bytes INTEGER, -- sum over the processes: bytes sent to storage [B]
	cancelled_write_bytes INTEGER, -- sum over the processes: bytes whose write to storage was spared by truncation [B]
	time_oncpu INTEGER, -- sum over the processes: time spent running on a CPU [ns]
	time_waiting INTEGER, -- sum over the processes: time runnable but waiting for a CPU [ns]
	timeslices INTEGER, -- sum over the processes: number of run periods on a CPU [n]
	own_overhead_us INTEGER, -- sum over the processes: elapsed time spent inside the collector [us]
	own_cpu_us INTEGER, -- sum over the processes: CPU time spent inside the collector before the counters were read [us]
	own_minflt INTEGER, -- sum over the processes: page faults the collector caused before minflt was read [n]
	own_outblock INTEGER, -- sum over the processes: blocks the collector wrote before outblock was read [512 B]
	own_rchar INTEGER, -- sum over the processes: bytes the collector read before rchar was read [B]
	own_wchar INTEGER, -- sum over the processes: bytes the collector wrote before wchar was read [B]
	own_syscr INTEGER, -- sum over the processes: read calls the collector made before syscr was read [n]
	own_syscw INTEGER, -- sum over the processes: write calls the collector made before syscw was read [n]
	gpu_time INTEGER, -- sum over the processes: time that engines of GPUs worked for DRM clients that the image opened and has open at its end, added up over engines; not of NVIDIA's own driver and of AMD's ROCm, which do not tell it [ns]
	gpu_cycles INTEGER, -- sum over the processes: as gpu_time, where the driver counts cycles, as Intel's xe does [cycles]
	gpu_memory INTEGER, -- largest of a process: memory that GPUs hold for these clients at the end, the largest of an image; drivers keep no peak, and a sampled one may be higher [kB]
	energy_uj INTEGER, -- energy of its hosts while it was there, that of other jobs there included: the sum of energy_uj over its hosts; see energy_hosts and energy_coverage for what is missing in it [uJ]
	energy_mean_uw INTEGER, -- sum of the hosts' mean powers [uW]
	energy_peak_uw INTEGER, -- sum of the hosts' largest powers, which need not have come at one time [uW]
	energy_method TEXT, -- counter: differences of counters; power: integral of a power; or both
	energy_hosts INTEGER, -- hosts with an energy; NULL where no host had a meter
	energy_coverage REAL, -- share of the hosts' time with the job in which all their meters were read
	analyzed_us INTEGER, -- when perfmon analyze judged the job; NULL: not since it was last loaded [us]
	UNIQUE (jobid, array_task, "user", cluster, restart_count, epoch_us)
);

-- one row per host of a job, and per boot of it
CREATE TABLE host (
	job_id INTEGER NOT NULL, -- the job
	id INTEGER NOT NULL, -- number of the host within the job, from 1
	hostname TEXT, -- host name
	boot_id TEXT, -- boot id of the host
	kernel TEXT, -- kernel release
	machine TEXT, -- hardware name, e.g. x86_64
	os TEXT, -- operating system
	cpu_model TEXT, -- processor model
	cpu_id TEXT, -- vendor, family, model and stepping of the processor, e.g. GenuineIntel-6-55-4
	cpus_online INTEGER, -- CPUs of the host
	cpus_allowed INTEGER, -- CPUs the job may use: affinity and cgroup limits
	cpus_allocated INTEGER, -- CPUs of the host allocated to the job, according to the batch system
	microarchitecture TEXT, -- processor microarchitecture, as named in formulas of derived metrics, e.g. skx
	sockets INTEGER, -- processor packages of the host
	cores INTEGER, -- processor cores of the host
	threads_per_core INTEGER, -- hardware threads per core
	cache_l1d_kb INTEGER, -- size of the first CPU's level 1 data cache, kB
	cache_l1i_kb INTEGER, -- size of the first CPU's level 1 instruction cache, kB
	cache_l2_kb INTEGER, -- size of the first CPU's level 2 cache, kB
	cache_l3_kb INTEGER, -- size of the first CPU's level 3 cache, possibly shared with other CPUs, kB
	numa_nodes INTEGER, -- NUMA nodes of the host
	system TEXT, -- manufacturer and product name of the machine
	hypervisor TEXT, -- hypervisor the host runs under, if the processor reports one
	memory_kb INTEGER, -- memory of the host, kB
	memory_limit_kb INTEGER, -- lowest memory limit of the control groups at start, if below the host's memory, kB
	swap_kb INTEGER, -- swap space of the host, kB
	page_size INTEGER, -- bytes per page
	clock_ticks INTEGER, -- clock ticks per second
	tasks_unrecorded INTEGER, -- Slurm tasks that ran unrecorded because perfmon failed or would have needed more than a second
	gpus TEXT, -- GPUs on the PCI bus, as far as known without waking them: what of each is known, of name, uuid, address, driver, driver_version, memory_bytes, power_limit_uw and state (suspended: it was not asked)
	start_time_us INTEGER, -- at start: when start ran [us]
	start_monotonic_us INTEGER, -- at start: CLOCK_MONOTONIC at that time
	start_cwd TEXT, -- at start: working directory
	start_command TEXT, -- at start: the command of -a run
	start_environment TEXT, -- at start: environment variables, as far as the setting environment permits
	start_modules TEXT, -- at start: modules loaded at that time, from LOADEDMODULES
	start_cgroup TEXT, -- at start: control group the job runs in
	start_cgroup_own TEXT, -- at start: how perfmon knows that the control group holds only this job: name (the batch system named it after the job), alone (it held nothing else at start); absent if other processes may be in it
	start_cgroup_memory TEXT, -- at start: control group in the memory controller's hierarchy (cgroup version 1)
	start_cgroup_cpu_us INTEGER, -- at start: CPU time used by the control group until then
	start_cgroup_oom_kills INTEGER, -- at start: processes killed by the kernel for lack of memory in the control group until then
	start_reopened INTEGER, -- at start: number of times the job was reopened after it was closed
	stop_time_us INTEGER, -- at stop: when stop ran [us]
	stop_monotonic_us INTEGER, -- at stop: CLOCK_MONOTONIC at that time
	stop_exit_status INTEGER, -- at stop: exit status of the command of -a run
	stop_exit_signal INTEGER, -- at stop: signal that ended the command
	stop_exit_reason TEXT, -- at stop: reason for the command's end: success, failure, memory (the kernel killed processes for lack of memory), cpu-limit, file-limit, crash, killed (SIGKILL), asked (SIGTERM, SIGINT, SIGHUP and the like), signal, not-started (command not found or not executable)
	stop_environment_changes TEXT, -- at stop: environment changes since start: each NAME with its new value, or null if removed
	stop_environment_added TEXT, -- at stop: names of variables added since start
	stop_environment_removed TEXT, -- at stop: names of variables removed since start
	stop_cgroup_oom_kills INTEGER, -- at stop: the same counter as at start, read at stop
	stop_cgroup_cpu_us INTEGER, -- at stop: CPU time used until stop by the control group recorded at start
	stop_charged_cpu_us INTEGER, -- at stop: CPU time the kernel charged to the command's tree, from wait4(2)
	stop_measured_cpu_us INTEGER, -- at stop: CPU time of the whole job on the host, without perfmon's own programs, from a kernel account that covers every process
	stop_measured_by TEXT, -- at stop: source of measured_cpu_us: cgroup (the control group recorded at start) or descendants (a kernel clock inherited by all descendants of the command; root only)
	stop_files INTEGER, -- at stop: record files
	stop_bytes INTEGER, -- at stop: bytes in the record files
	stop_records INTEGER, -- at stop: lines in the record files
	stop_without_end INTEGER, -- at stop: program images with a start record but no end record
	stop_lost INTEGER, -- at stop: record lines that could not be written, as far as counted
	stop_lost_reasons TEXT, -- at stop: number of unwritten lines by error name
	stop_folded INTEGER, -- at stop: short processes beyond max_bytes, recorded only as totals per program
	cpu_time INTEGER, -- CPU time of all processes on the host, user and system [us]
	charged_cpu_us INTEGER, -- CPU time the kernel charged to the job on this host, as in job [us]
	coverage REAL, -- coverage of this host alone, as in job
	energy_uj INTEGER, -- energy of the host while the job was there: the sum over its rows in energy with in_total 1 [uJ]
	energy_mean_uw INTEGER, -- sum of their mean powers [uW]
	energy_peak_uw INTEGER, -- sum of their largest powers [uW]
	energy_method TEXT, -- their methods, as in job
	energy_parts TEXT, -- what they measure: node, or package, dram and gpu as far as there are
	energy_covered_us INTEGER, -- the least time of any of them that is in its energy; 0 where one was never read [us]
	energy_time_us INTEGER, -- time of the job on the host [us]
	energy_reason TEXT, -- why energy_uj is not known: no meter, or as the samples say
	PRIMARY KEY (job_id, id),
	FOREIGN KEY (job_id) REFERENCES job (id) ON DELETE CASCADE
);

-- one row per program image (exec or fork), with totals over its life
CREATE TABLE process (
	job_id INTEGER NOT NULL, -- the job
	id INTEGER NOT NULL, -- number within the job, from 1, in depth-first order of the tree
	host_id INTEGER NOT NULL, -- the host
	parent_id INTEGER, -- the process that started it; NULL for a root
	depth INTEGER, -- levels below its root
	cpu_time INTEGER, -- usertime plus systemtime [us]
	inclusive_cpu_time INTEGER, -- cpu_time of the process and of its descendants [us]
	tag_set INTEGER, -- its tags by name, in the table tag_set; NULL for none
	pid_ns INTEGER, -- pid namespace: tells equal pids in different containers apart
	pid INTEGER, -- process id in the pid namespace of the writing process; unknown in reaped records of waits inside libc
	starttime INTEGER, -- start of the task, clock ticks after boot (sysconf(_SC_CLK_TCK) per second) [ticks]
	image_us INTEGER, -- start of the process image (by exec or fork) that the record belongs to [us]
	generation INTEGER, -- 0 for the first image of a pid, increased by one at every exec
	tid INTEGER, -- thread id; an unknown id is replaced by a distinct negative number
	exename TEXT, -- base name of the executable
	path TEXT, -- absolute path of the executable; in reaped records and in ends by exec, path of the program to be executed
	args TEXT, -- arguments without argv[0]; cut at args_max, with a marker appended
	tags TEXT, -- process tags, NAME:VALUE;...
	jobid TEXT, -- job id in the process's environment
	step TEXT, -- job step
	localid INTEGER, -- task number on this node within the step
	ppid INTEGER, -- parent process id at start; in a reaped record, the waiting process
	pgid INTEGER, -- process group id at start
	sid INTEGER, -- session id at start
	uid INTEGER, -- real user id at start
	mpirank INTEGER, -- MPI rank
	numranks INTEGER, -- number of MPI ranks
	cgroup TEXT, -- control group path at the end (unified hierarchy, else cpu controller); absent for images shorter than a millisecond
	container TEXT, -- container the process runs in
	thread_name TEXT, -- command name of the thread
	start_us INTEGER, -- start of the image or thread. For an image: when loading was finished; CPU time of exec and loading is included although earlier. In a reaped record: start of the call that created and awaited the child [us]
	end_us INTEGER, -- end of the image or thread; in a reaped record, the time of the wait [us]
	duration_us INTEGER, -- elapsed time from start to end, unaffected by clock steps [us]
	end_reason TEXT, -- exit or exec; signal in converted files without the signal number; set at load: signal, running, unknown
	exitcode INTEGER, -- exit status
	exitsignal INTEGER, -- number of the signal that ended the process
	numtids INTEGER, -- threads seen over the life of the image, the main thread included
	num_threads INTEGER, -- threads alive at the end
	usertime INTEGER, -- CPU time in user mode [us]
	systemtime INTEGER, -- CPU time in the kernel [us]
	rssmax INTEGER, -- peak resident set size (in a reaped record ru_maxrss, which includes images before exec) [kB]
	vmpeak INTEGER, -- peak virtual memory size [kB]
	minflt INTEGER, -- page faults served without I/O [n]
	majflt INTEGER, -- page faults that needed I/O [n]
	inblock INTEGER, -- blocks read from storage [512 B]
	outblock INTEGER, -- blocks written to storage [512 B]
	vol_ctxsw INTEGER, -- voluntary context switches: waited for something [n]
	invol_ctxsw INTEGER, -- involuntary context switches: another task wanted the CPU [n]
	cminflt INTEGER, -- minflt of waited-for children [n]
	cmajflt INTEGER, -- majflt of waited-for children [n]
	cutime INTEGER, -- usertime of waited-for children [us]
	cstime INTEGER, -- systemtime of waited-for children [us]
	processor INTEGER, -- CPU the thread last ran on
	delayacct_blkio_time INTEGER, -- time waiting for block I/O; unknown while kernel.task_delayacct is 0 [ticks]
	guest_time INTEGER, -- time spent running a virtual CPU for a guest [ticks]
	rchar INTEGER, -- bytes read by system calls, page cache included [B]
	wchar INTEGER, -- bytes written by system calls, page cache included [B]
	syscr INTEGER, -- read system calls [n]
	syscw INTEGER, -- write system calls [n]
	read_bytes INTEGER, -- bytes fetched from storage [B]
	write_bytes INTEGER, -- bytes sent to storage [B]
	cancelled_write_bytes INTEGER, -- bytes whose write to storage was spared by truncation [B]
	time_oncpu INTEGER, -- time spent running on a CPU [ns]
	time_waiting INTEGER, -- time runnable but waiting for a CPU [ns]
	timeslices INTEGER, -- number of run periods on a CPU [n]
	rdtsc_duration INTEGER, -- time stamp counter cycles between start and end [cycles]
	own_overhead_us INTEGER, -- elapsed time spent inside the collector [us]
	own_cpu_us INTEGER, -- CPU time spent inside the collector before the counters were read [us]
	own_minflt INTEGER, -- page faults the collector caused before minflt was read [n]
	own_outblock INTEGER, -- blocks the collector wrote before outblock was read [512 B]
	own_rchar INTEGER, -- bytes the collector read before rchar was read [B]
	own_wchar INTEGER, -- bytes the collector wrote before wchar was read [B]
	own_syscr INTEGER, -- read calls the collector made before syscr was read [n]
	own_syscw INTEGER, -- write calls the collector made before syscw was read [n]
	version TEXT, -- version of the collector
	last_call TEXT, -- call after which the process could not reach its record file: values are from before this call, except those from the parent's wait; or execve with the reason why a program could not be recorded
	gpu_time INTEGER, -- time that engines of GPUs worked for DRM clients that the image opened and has open at its end, added up over engines; not of NVIDIA's own driver and of AMD's ROCm, which do not tell it [ns]
	gpu_cycles INTEGER, -- as gpu_time, where the driver counts cycles, as Intel's xe does [cycles]
	gpu_memory INTEGER, -- memory that GPUs hold for these clients at the end, the largest of an image; drivers keep no peak, and a sampled one may be higher [kB]
	PRIMARY KEY (job_id, id),
	FOREIGN KEY (job_id, host_id) REFERENCES host (job_id, id) ON DELETE CASCADE
);

-- threads of processes that had several; the view thread has all
CREATE TABLE thread_row (
	job_id INTEGER NOT NULL, -- the job
	process_id INTEGER NOT NULL, -- the process
	id INTEGER NOT NULL, -- number of the thread within the process, from 1: a tid may occur twice
	starttime INTEGER, -- start of the task, clock ticks after boot (sysconf(_SC_CLK_TCK) per second) [ticks]
	tid INTEGER, -- thread id; an unknown id is replaced by a distinct negative number
	thread_name TEXT, -- command name of the thread
	start_us INTEGER, -- start of the image or thread. For an image: when loading was finished; CPU time of exec and loading is included although earlier. In a reaped record: start of the call that created and awaited the child [us]
	end_us INTEGER, -- end of the image or thread; in a reaped record, the time of the wait [us]
	duration_us INTEGER, -- elapsed time from start to end, unaffected by clock steps [us]
	usertime INTEGER, -- CPU time in user mode [us]
	systemtime INTEGER, -- CPU time in the kernel [us]
	minflt INTEGER, -- page faults served without I/O [n]
	majflt INTEGER, -- page faults that needed I/O [n]
	inblock INTEGER, -- blocks read from storage [512 B]
	outblock INTEGER, -- blocks written to storage [512 B]
	vol_ctxsw INTEGER, -- voluntary context switches: waited for something [n]
	invol_ctxsw INTEGER, -- involuntary context switches: another task wanted the CPU [n]
	processor INTEGER, -- CPU the thread last ran on
	delayacct_blkio_time INTEGER, -- time waiting for block I/O; unknown while kernel.task_delayacct is 0 [ticks]
	guest_time INTEGER, -- time spent running a virtual CPU for a guest [ticks]
	rchar INTEGER, -- bytes read by system calls, page cache included [B]
	wchar INTEGER, -- bytes written by system calls, page cache included [B]
	syscr INTEGER, -- read system calls [n]
	syscw INTEGER, -- write system calls [n]
	read_bytes INTEGER, -- bytes fetched from storage [B]
	write_bytes INTEGER, -- bytes sent to storage [B]
	cancelled_write_bytes INTEGER, -- bytes whose write to storage was spared by truncation [B]
	time_oncpu INTEGER, -- time spent running on a CPU [ns]
	time_waiting INTEGER, -- time runnable but waiting for a CPU [ns]
	timeslices INTEGER, -- number of run periods on a CPU [n]
	rdtsc_duration INTEGER, -- time stamp counter cycles between start and end [cycles]
	own_outblock INTEGER, -- blocks the collector wrote before outblock was read [512 B]
	own_rchar INTEGER, -- bytes the collector read before rchar was read [B]
	own_wchar INTEGER, -- bytes the collector wrote before wchar was read [B]
	own_syscr INTEGER, -- read calls the collector made before syscr was read [n]
	own_syscw INTEGER, -- write calls the collector made before syscw was read [n]
	PRIMARY KEY (job_id, process_id, id),
	FOREIGN KEY (job_id, process_id) REFERENCES process (job_id, id) ON DELETE CASCADE
);

-- programs that the settings exclude and include kept out of the records
CREATE TABLE excluded_program (
	job_id INTEGER NOT NULL, -- the job
	host_id INTEGER NOT NULL, -- the host
	exename TEXT NOT NULL, -- base name of the executable; empty where unknown
	images INTEGER NOT NULL, -- how often it was started, by exec or fork
	cpu_time INTEGER, -- CPU time of these images and of unrecorded children they waited for; NULL where no recorded process waited for any of them and none executed a recorded program [us]
	PRIMARY KEY (job_id, host_id, exename),
	FOREIGN KEY (job_id, host_id) REFERENCES host (job_id, id) ON DELETE CASCADE
) WITHOUT ROWID;

-- lines of records that were lost, as far as they could be counted
CREATE TABLE lost (
	job_id INTEGER NOT NULL, -- the job
	host_id INTEGER NOT NULL, -- the host
	reason TEXT NOT NULL, -- name of the error, such as ENOSPC
	lines INTEGER NOT NULL, -- record lines that could not be written
	bytes INTEGER NOT NULL, -- their length [B]
	PRIMARY KEY (job_id, host_id, reason),
	FOREIGN KEY (job_id, host_id) REFERENCES host (job_id, id) ON DELETE CASCADE
) WITHOUT ROWID;

-- totals of short processes that began when the record files had reached max_bytes
CREATE TABLE folded_program (
	job_id INTEGER NOT NULL, -- the job
	host_id INTEGER NOT NULL, -- the host
	exename TEXT NOT NULL, -- base name of the executable; empty for programs beyond the collector's table
	images INTEGER NOT NULL, -- how many images of it were folded
	usertime INTEGER, -- their CPU time in user mode [us]
	systemtime INTEGER, -- their CPU time in the kernel [us]
	duration_us INTEGER, -- their elapsed time [us]
	failed INTEGER, -- how many ended with a status other than 0
	rssmax INTEGER, -- largest peak resident set size [kB]
	PRIMARY KEY (job_id, host_id, exename),
	FOREIGN KEY (job_id, host_id) REFERENCES host (job_id, id) ON DELETE CASCADE
) WITHOUT ROWID;

-- waits that wrote no line since the record files had reached max_bytes
CREATE TABLE folded_wait (
	job_id INTEGER NOT NULL, -- the job
	host_id INTEGER NOT NULL, -- the host
	key TEXT NOT NULL, -- empty
	waits INTEGER NOT NULL, -- children without a line that a recorded or folded process waited for
	usertime INTEGER, -- CPU time in user mode of them and of the children they waited for [us]
	systemtime INTEGER, -- the same in the kernel [us]
	failed INTEGER, -- how many ended with a status other than 0
	killed INTEGER, -- how many were ended by a signal
	PRIMARY KEY (job_id, host_id, key),
	FOREIGN KEY (job_id, host_id) REFERENCES host (job_id, id) ON DELETE CASCADE
) WITHOUT ROWID;

-- hardware and software events counted per process and thread
CREATE TABLE counter (
	job_id INTEGER NOT NULL, -- the job
	process_id INTEGER NOT NULL, -- the process
	thread_id INTEGER NOT NULL, -- the thread, as in thread_row; 0 for the process as a whole
	name TEXT NOT NULL, -- name of the event
	value INTEGER, -- its count; NULL where it could not be counted
	ratio REAL, -- share of the time it was counted; value is already scaled by it
	reason TEXT, -- why it could not be counted, such as ENOENT or closed
	scope TEXT, -- node: counts the whole node; rate: computed by a division, not to be summed; NULL: may be summed over processes
	PRIMARY KEY (job_id, process_id, thread_id, name),
	FOREIGN KEY (job_id, process_id) REFERENCES process (job_id, id) ON DELETE CASCADE
) WITHOUT ROWID;

-- tags of the job, and each set of tags that processes share; the view tag lists them per process
CREATE TABLE tag_set (
	job_id INTEGER NOT NULL, -- the job
	id INTEGER NOT NULL, -- number of the set within the job; 0 for the tags of the job itself
	name TEXT NOT NULL, -- name of the tag
	value TEXT, -- its value; 1 for a bare name
	PRIMARY KEY (job_id, id, name),
	FOREIGN KEY (job_id) REFERENCES job (id) ON DELETE CASCADE
) WITHOUT ROWID;

-- notes that users attached to a job
CREATE TABLE annotation (
	job_id INTEGER NOT NULL, -- the job
	name TEXT NOT NULL, -- name of the annotation
	value TEXT, -- its value
	PRIMARY KEY (job_id, name),
	FOREIGN KEY (job_id) REFERENCES job (id) ON DELETE CASCADE
) WITHOUT ROWID;

-- the dictionary of a record's columns
CREATE TABLE metric (
	name TEXT NOT NULL, -- column of a record, and of the tables process and thread_row
	unit TEXT NOT NULL, -- its unit; empty for none
	kind TEXT NOT NULL, -- how values combine: COUNTER, SPAN, OWN and WORK sum, PEAK takes the largest
	scope TEXT NOT NULL, -- PROCESS or THREAD: the smallest unit a value describes
	source TEXT NOT NULL, -- where the collector reads it
	help TEXT NOT NULL, -- what it is
	PRIMARY KEY (name)
);

-- series that the sampler recorded, one row per metric and object
CREATE TABLE series (
	job_id INTEGER NOT NULL, -- the job
	id INTEGER NOT NULL, -- number of the series within the job, from 1
	host_id INTEGER NOT NULL, -- the host
	source TEXT NOT NULL, -- source of the sampler
	metric TEXT NOT NULL, -- what is sampled
	object TEXT NOT NULL, -- object measured, such as cpu0; empty for the node or job
	unit TEXT NOT NULL, -- unit of the values
	kind TEXT NOT NULL, -- gauge, or counter: take differences
	PRIMARY KEY (job_id, id),
	FOREIGN KEY (job_id, host_id) REFERENCES host (job_id, id) ON DELETE CASCADE
);

-- times at which series were read, shared by the series that were read together
CREATE TABLE tick_block (
	job_id INTEGER NOT NULL, -- the job
	id INTEGER NOT NULL, -- number of the block within the job, from 1
	host_id INTEGER NOT NULL, -- the host
	ticks INTEGER NOT NULL, -- number of ticks
	time_us INTEGER NOT NULL, -- the earliest of their times [us]
	digits INTEGER NOT NULL, -- characters of an offset in times
	times TEXT NOT NULL, -- of each tick, its time less time_us in microseconds, in decimal
	monotonic_us INTEGER, -- the earliest of their times by the monotonic clock; NULL where those are unknown [us]
	monotonic_digits INTEGER, -- characters of an offset in monotonics
	monotonics TEXT, -- of each tick, its monotonic time less monotonic_us, in the same way
	PRIMARY KEY (job_id, id),
	FOREIGN KEY (job_id, host_id) REFERENCES host (job_id, id) ON DELETE CASCADE
);

-- successive values of a series, coded; the view sample has a row for each
CREATE TABLE sample_block (
	job_id INTEGER NOT NULL, -- the job
	series_id INTEGER NOT NULL, -- the series
	id INTEGER NOT NULL, -- number of the block within the series, from 1, by begin_us
	tick_block_id INTEGER NOT NULL, -- the block of ticks that has the times
	tick INTEGER NOT NULL, -- tick of its first sample there, from 0; one tick per sample follows
	begin_us INTEGER NOT NULL, -- time of its earliest sample [us]
	end_us INTEGER NOT NULL, -- time of its latest sample [us]
	samples INTEGER NOT NULL, -- number of samples
	known INTEGER NOT NULL, -- samples whose value is known
	first INTEGER NOT NULL, -- the first value; before a known one, the first known one
	step INTEGER NOT NULL, -- unit of the differences between successive values
	base INTEGER NOT NULL, -- what is added to each deviation
	deviations BLOB NOT NULL, -- differences between successive values, divided by step, less base, as coded bytes
	unknown TEXT, -- runs of unknown values, as JSON: [[first, number, "reason"], ...]; each repeats the value before it
	minimum INTEGER, -- the least known value
	maximum INTEGER, -- the greatest known value
	mean REAL, -- the mean of the known values
	PRIMARY KEY (job_id, series_id, id),
	FOREIGN KEY (job_id, series_id) REFERENCES series (job_id, id) ON DELETE CASCADE
);

-- totals of each series that has samples, which stay when those are deleted
CREATE TABLE series_summary (
	job_id INTEGER NOT NULL, -- the job
	series_id INTEGER NOT NULL, -- the series
	samples INTEGER NOT NULL, -- number of its samples
	known INTEGER NOT NULL, -- samples whose value is known
	begin_us INTEGER NOT NULL, -- time of its earliest sample [us]
	end_us INTEGER NOT NULL, -- time of its latest sample [us]
	minimum INTEGER, -- the least known value
	maximum INTEGER, -- the greatest known value
	mean REAL, -- the mean of the known values
	PRIMARY KEY (job_id, series_id),
	FOREIGN KEY (job_id, series_id) REFERENCES series (job_id, id) ON DELETE CASCADE
) WITHOUT ROWID;

-- summaries of a node's samples, one row per host
CREATE TABLE node_summary (
	job_id INTEGER NOT NULL, -- the job
	host_id INTEGER NOT NULL, -- the host
	samples INTEGER NOT NULL, -- ticks of the sampler on the host
	unknown INTEGER NOT NULL, -- ticks in which the use of the CPUs should have been sampled but is unknown
	resets INTEGER NOT NULL, -- how often a counter decreased: totals are then lower bounds
	max_t_cpu_pct_per_cpu_avg REAL, -- highest mean use of all CPUs in any sample [%]
	max_t_cpu_pct_per_cpu_max REAL, -- highest use of the busiest CPU in any sample [%]
	max_t_cpu_pct_per_cpu_min REAL, -- highest use of the idlest CPU in any sample [%]
	cpu_avg_utilization_pct REAL, -- mean use of all CPUs over the run [%]
	cpu_avg_utilization_at100_pct REAL, -- share of time with mean CPU use of 100 % [%]
	cpu_avg_utilization_over80_pct REAL, -- share of time with mean CPU use of 80 % or more [%]
	cpu_avg_utilization_over40_pct REAL, -- share of time with mean CPU use of 40 % or more [%]
	cpu_avg_utilization_over20_pct REAL, -- share of time with mean CPU use of 20 % or more [%]
	node_cpu_hours REAL, -- time from the first to the last sample, multiplied by the online CPUs [h]
	node_unused_cpu_hours REAL, -- idle part of the available CPU time: available CPU time multiplied by (1 - mean use) [h]
	max_t_mem_percent REAL, -- largest share of memory in use (not available) [%]
	max_t_disk_usage_percent REAL, -- largest share of the root file system in use [%]
	total_disk_io_read_mb REAL, -- read from the node's disks between the first and the last sample [MiB]
	total_disk_io_write_mb REAL, -- written to the node's disks between the first and the last sample [MiB]
	total_net_io_lo_sent_mb REAL, -- sent through the loopback interface between the first and the last sample [MiB]
	total_net_io_lo_recv_mb REAL, -- received through the loopback interface between the first and the last sample [MiB]
	total_net_io_ext_sent_mb REAL, -- sent through external interfaces between the first and the last sample [MiB]
	total_net_io_ext_recv_mb REAL, -- received through external interfaces between the first and the last sample [MiB]
	PRIMARY KEY (job_id, host_id),
	FOREIGN KEY (job_id, host_id) REFERENCES host (job_id, id) ON DELETE CASCADE
);

-- energy of a host's meters while the job was there
CREATE TABLE energy (
	job_id INTEGER NOT NULL, -- the job
	host_id INTEGER NOT NULL, -- the host
	id INTEGER NOT NULL, -- number of the meter on the host, from 1, by part, source and meter
	part TEXT NOT NULL, -- what it measures: node, package, dram, gpu, or other where that is unknown
	source TEXT NOT NULL, -- who measures it: pm_counters, rapl, hwmon, nvidia, amdgpu or intelgpu
	meter TEXT NOT NULL, -- name of the device, as its series have it; empty for a source that has none
	method TEXT NOT NULL, -- counter: exact differences of an energy counter; power: the integral of a power, between two values their mean
	energy_uj INTEGER, -- its energy in covered_us [uJ]
	mean_uw INTEGER, -- energy_uj over covered_us [uW]
	peak_uw INTEGER, -- largest power of a sample; of a counter, over 0.9 s or more [uW]
	covered_us INTEGER NOT NULL, -- time of the intervals between samples that are in energy_uj [us]
	lost INTEGER NOT NULL, -- intervals that are not: the counter fell or wrapped, the power is unknown
	in_part INTEGER NOT NULL, -- 1 where it is to be added up for its part, else 0: another source has it
	in_total INTEGER NOT NULL, -- 1 where it is in the energy of the host, else 0: another meter contains it
	reason TEXT, -- why energy_uj is NULL
	PRIMARY KEY (job_id, host_id, id),
	FOREIGN KEY (job_id, host_id) REFERENCES host (job_id, id) ON DELETE CASCADE
);

-- phases of the application, as it marked them
CREATE TABLE phase (
	job_id INTEGER NOT NULL, -- the job
	host_id INTEGER NOT NULL, -- the host
	id INTEGER NOT NULL, -- number of the phase on the host, from 1, by its beginning
	name TEXT NOT NULL, -- its name
	pid INTEGER NOT NULL, -- the process that marked its beginning, else its end
	begin_us INTEGER, -- when it began; NULL where its beginning was not marked [us]
	end_us INTEGER, -- when it ended; the end of the job on the host where its end was not marked [us]
	duration_us INTEGER, -- elapsed time, by the monotonic clock [us]
	ended INTEGER NOT NULL, -- 1 where its end was marked, else 0
	PRIMARY KEY (job_id, host_id, id),
	FOREIGN KEY (job_id, host_id) REFERENCES host (job_id, id) ON DELETE CASCADE
);

-- totals of each program of a job; unknown sums are NULL, as are those beyond the range of an integer
CREATE TABLE program_summary (
	job_id INTEGER NOT NULL, -- the job
	program TEXT NOT NULL, -- label of its processes: the executable, with the script of an interpreter
	processes INTEGER NOT NULL, -- its rows in process
	runs INTEGER NOT NULL, -- those of them that are neither forks that only execute another program nor programs that could not be started
	threads_known INTEGER NOT NULL, -- runs whose number of threads is known
	failed INTEGER NOT NULL, -- its processes that ended with a status other than 0 or by a signal
	killed INTEGER NOT NULL, -- its processes ended by a signal
	cpu_time INTEGER, -- CPU time of its processes, user and system [us]
	systemtime INTEGER, -- the part of it in the kernel [us]
	duration_us INTEGER, -- longest elapsed time of a process [us]
	rssmax INTEGER, -- largest peak resident set size of a process [kB]
	threads INTEGER, -- largest number of threads of a process
	rchar INTEGER, -- bytes read by its processes with any call [B]
	wchar INTEGER, -- bytes written by its processes with any call [B]
	syscr INTEGER, -- their calls that read
	syscw INTEGER, -- their calls that write
	read_bytes INTEGER, -- bytes they read from storage [B]
	write_bytes INTEGER, -- bytes they wrote to storage [B]
	tiny_reads INTEGER, -- calls that read, of processes whose calls read less than 512 bytes on average
	tiny_read_bytes INTEGER, -- bytes that these calls read [B]
	tiny_writes INTEGER, -- calls that write, of processes whose calls write less than 512 bytes on average
	tiny_write_bytes INTEGER, -- bytes that these calls wrote [B]
	PRIMARY KEY (job_id, program),
	FOREIGN KEY (job_id) REFERENCES job (id) ON DELETE CASCADE
) WITHOUT ROWID;

-- totals of the processes of each set of tags, of jobs that have 512 to 1048576 processes with tags, at most 4096 sets as stored, and 8 processes of each on average
CREATE TABLE tag_summary (
	job_id INTEGER NOT NULL, -- the job
	tag_set INTEGER NOT NULL, -- the set of tags, as in tag_set
	processes INTEGER NOT NULL, -- processes that have it
	timed INTEGER NOT NULL, -- those of them whose start and end are known, in this order
	start_us INTEGER, -- the earliest start of a process [us]
	finish_us INTEGER, -- the latest end of a process [us]
	cpu_time INTEGER, -- sum of cpu_time in process; NULL if unknown [us]
	cpu_time_known INTEGER NOT NULL, -- processes whose cpu_time is known
	numtids INTEGER, -- sum of numtids in process; NULL if unknown
	numtids_known INTEGER NOT NULL, -- processes whose numtids is known
	duration_us INTEGER, -- sum of duration_us in process; NULL if unknown [us]
	duration_us_known INTEGER NOT NULL, -- processes whose duration_us is known
	usertime INTEGER, -- sum of usertime in process; NULL if unknown [us]
	usertime_known INTEGER NOT NULL, -- processes whose usertime is known
	systemtime INTEGER, -- sum of systemtime in process; NULL if unknown [us]
	systemtime_known INTEGER NOT NULL, -- processes whose systemtime is known
	rssmax INTEGER, -- largest rssmax in process; NULL if unknown [kB]
	rssmax_known INTEGER NOT NULL, -- processes whose rssmax is known
	vmpeak INTEGER, -- largest vmpeak in process; NULL if unknown [kB]
	vmpeak_known INTEGER NOT NULL, -- processes whose vmpeak is known
	minflt INTEGER, -- sum of minflt in process; NULL if unknown [n]
	minflt_known INTEGER NOT NULL, -- processes whose minflt is known
	majflt INTEGER, -- sum of majflt in process; NULL if unknown [n]
	majflt_known INTEGER NOT NULL, -- processes whose majflt is known
	inblock INTEGER, -- sum of inblock in process; NULL if unknown [512 B]
	inblock_known INTEGER NOT NULL, -- processes whose inblock is known
	outblock INTEGER, -- sum of outblock in process; NULL if unknown [512 B]
	outblock_known INTEGER NOT NULL, -- processes whose outblock is known
	vol_ctxsw INTEGER, -- sum of vol_ctxsw in process; NULL if unknown [n]
	vol_ctxsw_known INTEGER NOT NULL, -- processes whose vol_ctxsw is known
	invol_ctxsw INTEGER, -- sum of invol_ctxsw in process; NULL if unknown [n]
	invol_ctxsw_known INTEGER NOT NULL, -- processes whose invol_ctxsw is known
	delayacct_blkio_time INTEGER, -- sum of delayacct_blkio_time in process; NULL if unknown [ticks]
	delayacct_blkio_time_known INTEGER NOT NULL, -- processes whose delayacct_blkio_time is known
	guest_time INTEGER, -- sum of guest_time in process; NULL if unknown [ticks]
	guest_time_known INTEGER NOT NULL, -- processes whose guest_time is known
	rchar INTEGER, -- sum of rchar in process; NULL if unknown [B]
	rchar_known INTEGER NOT NULL, -- processes whose rchar is known
	wchar INTEGER, -- sum of wchar in process; NULL if unknown [B]
	wchar_known INTEGER NOT NULL, -- processes whose wchar is known
	syscr INTEGER, -- sum of syscr in process; NULL if unknown [n]
	syscr_known INTEGER NOT NULL, -- processes whose syscr is known
	syscw INTEGER, -- sum of syscw in process; NULL if unknown [n]
	syscw_known INTEGER NOT NULL, -- processes whose syscw is known
	read_bytes INTEGER, -- sum of read_bytes in process; NULL if unknown [B]
	read_bytes_known INTEGER NOT NULL, -- processes whose read_bytes is known
	write_bytes INTEGER, -- sum of write_bytes in process; NULL if unknown [B]
	write_bytes_known INTEGER NOT NULL, -- processes whose write_bytes is known
	cancelled_write_bytes INTEGER, -- sum of cancelled_write_bytes in process; NULL if unknown [B]
	cancelled_write_bytes_known INTEGER NOT NULL, -- processes whose cancelled_write_bytes is known
	time_oncpu INTEGER, -- sum of time_oncpu in process; NULL if unknown [ns]
	time_oncpu_known INTEGER NOT NULL, -- processes whose time_oncpu is known
	time_waiting INTEGER, -- sum of time_waiting in process; NULL if unknown [ns]
	time_waiting_known INTEGER NOT NULL, -- processes whose time_waiting is known
	timeslices INTEGER, -- sum of timeslices in process; NULL if unknown [n]
	timeslices_known INTEGER NOT NULL, -- processes whose timeslices is known
	rdtsc_duration INTEGER, -- sum of rdtsc_duration in process; NULL if unknown [cycles]
	rdtsc_duration_known INTEGER NOT NULL, -- processes whose rdtsc_duration is known
	own_overhead_us INTEGER, -- sum of own_overhead_us in process; NULL if unknown [us]
	own_overhead_us_known INTEGER NOT NULL, -- processes whose own_overhead_us is known
	own_cpu_us INTEGER, -- sum of own_cpu_us in process; NULL if unknown [us]
	own_cpu_us_known INTEGER NOT NULL, -- processes whose own_cpu_us is known
	own_minflt INTEGER, -- sum of own_minflt in process; NULL if unknown [n]
	own_minflt_known INTEGER NOT NULL, -- processes whose own_minflt is known
	own_outblock INTEGER, -- sum of own_outblock in process; NULL if unknown [512 B]
	own_outblock_known INTEGER NOT NULL, -- processes whose own_outblock is known
	own_rchar INTEGER, -- sum of own_rchar in process; NULL if unknown [B]
	own_rchar_known INTEGER NOT NULL, -- processes whose own_rchar is known
	own_wchar INTEGER, -- sum of own_wchar in process; NULL if unknown [B]
	own_wchar_known INTEGER NOT NULL, -- processes whose own_wchar is known
	own_syscr INTEGER, -- sum of own_syscr in process; NULL if unknown [n]
	own_syscr_known INTEGER NOT NULL, -- processes whose own_syscr is known
	own_syscw INTEGER, -- sum of own_syscw in process; NULL if unknown [n]
	own_syscw_known INTEGER NOT NULL, -- processes whose own_syscw is known
	gpu_time INTEGER, -- sum of gpu_time in process; NULL if unknown [ns]
	gpu_time_known INTEGER NOT NULL, -- processes whose gpu_time is known
	gpu_cycles INTEGER, -- sum of gpu_cycles in process; NULL if unknown [cycles]
	gpu_cycles_known INTEGER NOT NULL, -- processes whose gpu_cycles is known
	gpu_memory INTEGER, -- largest gpu_memory in process; NULL if unknown [kB]
	gpu_memory_known INTEGER NOT NULL, -- processes whose gpu_memory is known
	runs BLOB, -- times at which one of `timed` ran, as intervals in coded bytes; NULL for none
	PRIMARY KEY (job_id, tag_set),
	FOREIGN KEY (job_id) REFERENCES job (id) ON DELETE CASCADE
) WITHOUT ROWID;

-- totals of each user's jobs by the day of their start, retired ones with their summary; sums as in program_summary
CREATE TABLE user_day (
	cluster TEXT NOT NULL, -- cluster of the jobs, as in job
	"user" TEXT NOT NULL, -- user of the jobs, as in job
	day_us INTEGER NOT NULL, -- midnight UTC at which the day began [us]
	jobs INTEGER NOT NULL, -- jobs that started on the day; where the start is unknown, epoch_us counts
	failed INTEGER NOT NULL, -- those of them with an exit_status other than 0 or an exit_signal
	processes INTEGER NOT NULL, -- their processes
	cpu_time INTEGER, -- CPU time of the jobs' processes, user and system [us]
	cpu_time_jobs INTEGER NOT NULL, -- jobs whose part of cpu_time is known
	allocated_us INTEGER, -- elapsed time of the jobs, times their CPUs [us]
	allocated_us_jobs INTEGER NOT NULL, -- jobs whose part of allocated_us is known
	rchar INTEGER, -- bytes read with any call [B]
	rchar_jobs INTEGER NOT NULL, -- jobs whose part of rchar is known
	wchar INTEGER, -- bytes written with any call [B]
	wchar_jobs INTEGER NOT NULL, -- jobs whose part of wchar is known
	read_bytes INTEGER, -- bytes read from storage [B]
	read_bytes_jobs INTEGER NOT NULL, -- jobs whose part of read_bytes is known
	write_bytes INTEGER, -- bytes written to storage [B]
	write_bytes_jobs INTEGER NOT NULL, -- jobs whose part of write_bytes is known
	PRIMARY KEY (cluster, "user", day_us)
) WITHOUT ROWID;

-- files a job was loaded from
CREATE TABLE load (
	job_id INTEGER NOT NULL, -- the job
	id INTEGER NOT NULL, -- number of the file within the job, from 1
	host_id INTEGER, -- the host it describes; NULL where it names none or several
	file TEXT NOT NULL, -- name of the file
	source TEXT NOT NULL, -- directory or archive that held it
	digest TEXT NOT NULL, -- SHA-256 of its content
	loaded_us INTEGER, -- when it was loaded [us]
	bytes INTEGER NOT NULL, -- its size [B]
	lines INTEGER NOT NULL, -- its lines that are neither empty nor headers
	rejected INTEGER NOT NULL, -- those of them in reject
	uid INTEGER, -- owner of the file where it was read in a directory and belonged to neither the directory's owner nor root: it describes that user's processes alone
	PRIMARY KEY (job_id, id),
	FOREIGN KEY (job_id) REFERENCES job (id) ON DELETE CASCADE
);

-- contents of the files, which are merged with files of the same host that are loaded later; of a series file of one host without rejected lines, the samples are merged and the content is not stored
CREATE TABLE content (
	job_id INTEGER NOT NULL, -- the job
	load_id INTEGER NOT NULL, -- the file
	part INTEGER NOT NULL, -- number of the piece within the file, from 1
	coding TEXT NOT NULL, -- zstd: all pieces together are one frame of Zstandard; deflate: one zlib stream; empty: as it was
	bytes BLOB NOT NULL, -- the piece
	PRIMARY KEY (job_id, load_id, part),
	FOREIGN KEY (job_id, load_id) REFERENCES load (job_id, id) ON DELETE CASCADE
);

-- lines that could not be loaded
CREATE TABLE reject (
	job_id INTEGER NOT NULL, -- the job
	id INTEGER NOT NULL, -- number within the job, from 1
	load_id INTEGER NOT NULL, -- the file
	file TEXT NOT NULL, -- its name
	line INTEGER NOT NULL, -- number of the line, from 1
	reason TEXT NOT NULL, -- why it was not loaded
	bytes BLOB NOT NULL, -- the line's first 64 KiB, as they were
	PRIMARY KEY (job_id, id),
	FOREIGN KEY (job_id) REFERENCES job (id) ON DELETE CASCADE
);

-- reference models: values of jobs that are known to be good
CREATE TABLE model (
	name TEXT NOT NULL, -- name of the model
	enabled INTEGER NOT NULL, -- 1: perfmon analyze judges jobs by it; 0: not
	created_us INTEGER, -- when it was made [us]
	created_by TEXT, -- login name of the user who made it
	jobs INTEGER NOT NULL, -- number of jobs that it was made of
	job_group TEXT, -- what makes its jobs comparable, as JSON: [name] or [exp_name, exp_component]; NULL: they are not
	tags TEXT, -- tags that all its jobs have, as JSON; of a model of EPMT's, its tag
	methods TEXT NOT NULL, -- methods that judge by it, of iqr, madz and z, with commas between
	PRIMARY KEY (name)
);

-- jobs that a model was made of, as far as they are still here
CREATE TABLE model_job (
	job_id INTEGER NOT NULL, -- the job
	model TEXT NOT NULL, -- the model
	PRIMARY KEY (model, job_id),
	FOREIGN KEY (job_id) REFERENCES job (id) ON DELETE CASCADE,
	FOREIGN KEY (model) REFERENCES model (name) ON DELETE CASCADE
) WITHOUT ROWID;

-- what a model knows of each feature, by method
CREATE TABLE model_feature (
	model TEXT NOT NULL, -- the model
	operation TEXT NOT NULL, -- tags of the processes of an operation, as JSON; empty: of the jobs as a whole
	feature TEXT NOT NULL, -- column of table job; or a principal component, such as pca_01
	method TEXT NOT NULL, -- iqr, madz or z
	known INTEGER NOT NULL, -- number of jobs whose value is known
	share REAL, -- share of the variance that a component explains; NULL of columns
	least REAL, -- the least value
	greatest REAL, -- the greatest value
	low REAL, -- iqr: the pseudo-quartile (3 greatest + 5 least) / 8, below which 1.5 ranges lead to the least
	high REAL, -- iqr: the pseudo-quartile (5 greatest + 3 least) / 8
	score REAL, -- madz, z: the largest score of a value
	centre REAL, -- madz: the median; z: the mean
	spread REAL, -- madz: the median of the distances from the median, or their mean where that is 0; z: the standard deviation of the population
	PRIMARY KEY (model, operation, feature, method),
	FOREIGN KEY (model) REFERENCES model (name) ON DELETE CASCADE
);

-- principal components of a model
CREATE TABLE model_component (
	model TEXT NOT NULL, -- the model
	component INTEGER NOT NULL, -- number of the component, from 1
	feature TEXT NOT NULL, -- column of table job
	centre REAL, -- mean of the column
	deviation REAL, -- its standard deviation
	loading REAL, -- factor of the standardized value in the component
	PRIMARY KEY (model, component, feature),
	FOREIGN KEY (model) REFERENCES model (name) ON DELETE CASCADE
);

-- analyses of jobs, and what they found
CREATE TABLE analysis (
	job_id INTEGER NOT NULL, -- the job
	name TEXT NOT NULL, -- name of the analysis: outliers, or that of EPMT
	model TEXT NOT NULL, -- the model by which the job was judged; empty: its peers, or nothing
	analyzed_us INTEGER, -- when [us]
	found INTEGER, -- number of figures by which the job stands out; NULL: it could not be judged
	result TEXT, -- the result, as JSON
	told_us INTEGER, -- when perfmon analyze said it; NULL: not yet, or nothing was found [us]
	PRIMARY KEY (job_id, name, model),
	FOREIGN KEY (job_id) REFERENCES job (id) ON DELETE CASCADE
);

-- for questions about all jobs
CREATE INDEX job_by_shown_id ON job ((CASE WHEN array_task = '' THEN jobid ELSE jobid || '_' || array_task END));
CREATE INDEX job_by_start ON job (start_us DESC, id DESC, duration_us, cpu_time, rssmax, processes, efficiency);
CREATE INDEX job_by_end ON job ((coalesce(end_us, start_us, epoch_us)) DESC, id DESC);
CREATE INDEX job_by_user ON job ("user", start_us DESC, id DESC);
CREATE INDEX job_by_uid ON job (uid, start_us DESC, id DESC) WHERE "user" = '';
CREATE INDEX job_by_name ON job ((substr(name, 1, 100)), start_us DESC, id DESC);
CREATE INDEX job_by_account ON job ((substr(account, 1, 100)), start_us DESC, id DESC);
CREATE INDEX job_by_queue ON job ((substr(queue, 1, 100)), start_us DESC, id DESC);
CREATE INDEX job_by_exit ON job (exit_status DESC, exit_signal DESC, id DESC);
CREATE INDEX job_failed ON job (start_us DESC, id DESC) WHERE exit_status <> 0 OR exit_signal IS NOT NULL;
CREATE INDEX job_running ON job (start_us DESC, id DESC) WHERE running > 0;
CREATE INDEX job_unanalyzed ON job (id) WHERE analyzed_us IS NULL AND coalesce(running, 0) = 0;
CREATE INDEX analysis_untold ON analysis (job_id) WHERE found > 0 AND told_us IS NULL;
CREATE INDEX model_of_job ON model_job (job_id);
CREATE INDEX host_by_name ON host ((substr(hostname, 1, 100)), job_id);
CREATE INDEX annotation_by_name ON annotation (name, (substr(value, 1, 100)));
CREATE INDEX tag_of_job ON tag_set (name, (substr(value, 1, 100))) WHERE id = 0;

-- bounds of the figures of each 256 jobs, in place of an index per figure; NULL in least_: some are
-- unknown, in most_: all are
CREATE TABLE job_zone (
	zone INTEGER PRIMARY KEY, -- number of the job / 256
	least_duration_us, most_duration_us,
	least_cpu_time, most_cpu_time,
	least_rssmax, most_rssmax,
	least_processes, most_processes,
	least_efficiency, most_efficiency
);
CREATE TRIGGER job_zone_insert AFTER INSERT ON job WHEN NEW.processes IS NOT NULL BEGIN
	INSERT INTO job_zone VALUES (NEW.id / 256, NEW.duration_us, NEW.duration_us, NEW.cpu_time, NEW.cpu_time, NEW.rssmax, NEW.rssmax, NEW.processes, NEW.processes, NEW.efficiency, NEW.efficiency)
	ON CONFLICT (zone) DO UPDATE SET
		least_duration_us = min(least_duration_us, excluded.least_duration_us),
		most_duration_us = max(coalesce(most_duration_us, excluded.most_duration_us), coalesce(excluded.most_duration_us, most_duration_us)),
		least_cpu_time = min(least_cpu_time, excluded.least_cpu_time),
		most_cpu_time = max(coalesce(most_cpu_time, excluded.most_cpu_time), coalesce(excluded.most_cpu_time, most_cpu_time)),
		least_rssmax = min(least_rssmax, excluded.least_rssmax),
		most_rssmax = max(coalesce(most_rssmax, excluded.most_rssmax), coalesce(excluded.most_rssmax, most_rssmax)),
		least_processes = min(least_processes, excluded.least_processes),
		most_processes = max(coalesce(most_processes, excluded.most_processes), coalesce(excluded.most_processes, most_processes)),
		least_efficiency = min(least_efficiency, excluded.least_efficiency),
		most_efficiency = max(coalesce(most_efficiency, excluded.most_efficiency), coalesce(excluded.most_efficiency, most_efficiency));
END;
CREATE TRIGGER job_zone_update AFTER UPDATE OF duration_us, cpu_time, rssmax, processes, efficiency ON job BEGIN
	INSERT INTO job_zone VALUES (NEW.id / 256, NEW.duration_us, NEW.duration_us, NEW.cpu_time, NEW.cpu_time, NEW.rssmax, NEW.rssmax, NEW.processes, NEW.processes, NEW.efficiency, NEW.efficiency)
	ON CONFLICT (zone) DO UPDATE SET
		least_duration_us = min(least_duration_us, excluded.least_duration_us),
		most_duration_us = max(coalesce(most_duration_us, excluded.most_duration_us), coalesce(excluded.most_duration_us, most_duration_us)),
		least_cpu_time = min(least_cpu_time, excluded.least_cpu_time),
		most_cpu_time = max(coalesce(most_cpu_time, excluded.most_cpu_time), coalesce(excluded.most_cpu_time, most_cpu_time)),
		least_rssmax = min(least_rssmax, excluded.least_rssmax),
		most_rssmax = max(coalesce(most_rssmax, excluded.most_rssmax), coalesce(excluded.most_rssmax, most_rssmax)),
		least_processes = min(least_processes, excluded.least_processes),
		most_processes = max(coalesce(most_processes, excluded.most_processes), coalesce(excluded.most_processes, most_processes)),
		least_efficiency = min(least_efficiency, excluded.least_efficiency),
		most_efficiency = max(coalesce(most_efficiency, excluded.most_efficiency), coalesce(excluded.most_efficiency, most_efficiency));
END;

INSERT INTO metric (name, unit, kind, scope, source, help) VALUES
	('record', '', 'TEXT', 'PROCESS', 'collector', 'record kind: start, thread, end, last, reaped, resumed or excluded'),
	('boot_id', '', 'TEXT', 'PROCESS', '/proc/sys/kernel/random/boot_id', 'boot id of the host: tells equal pids on different hosts and boots apart'),
	('pid_ns', '', 'KEY', 'PROCESS', 'inode of /proc/self/ns/pid', 'pid namespace: tells equal pids in different containers apart'),
	('pid', '', 'KEY', 'PROCESS', 'getpid(2)', 'process id in the pid namespace of the writing process; unknown in reaped records of waits inside libc'),
	('starttime', 'ticks', 'KEY', 'THREAD', '/proc/PID/stat field 22', 'start of the task, clock ticks after boot (sysconf(_SC_CLK_TCK) per second)'),
	('image_us', 'us', 'KEY', 'PROCESS', 'CLOCK_REALTIME', 'start of the process image (by exec or fork) that the record belongs to'),
	('generation', '', 'GAUGE', 'PROCESS', 'rank of image_us among images of the process, set at load', '0 for the first image of a pid, increased by one at every exec'),
	('tid', '', 'GAUGE', 'THREAD', 'gettid(2)', 'thread id; an unknown id is replaced by a distinct negative number'),
	('hostname', '', 'TEXT', 'PROCESS', 'uname(2)', 'host name'),
	('exename', '', 'TEXT', 'PROCESS', '/proc/self/exe', 'base name of the executable'),
	('path', '', 'TEXT', 'PROCESS', '/proc/self/exe', 'absolute path of the executable; in reaped records and in ends by exec, path of the program to be executed'),
	('args', '', 'LIST', 'PROCESS', 'argv', 'arguments without argv[0]; cut at args_max, with a marker appended'),
	('tags', '', 'TEXT', 'PROCESS', 'PERFMON_TAGS', 'process tags, NAME:VALUE;...'),
	('jobid', '', 'TEXT', 'PROCESS', 'PERFMON_JOBID, SLURM_JOB_ID, PBS_JOBID, ...', 'job id in the process''s environment'),
	('step', '', 'TEXT', 'PROCESS', 'SLURM_STEP_ID', 'job step'),
	('localid', '', 'GAUGE', 'PROCESS', 'SLURM_LOCALID', 'task number on this node within the step'),
	('ppid', '', 'GAUGE', 'PROCESS', '/proc/PID/stat field 4', 'parent process id at start; in a reaped record, the waiting process'),
	('pgid', '', 'GAUGE', 'PROCESS', '/proc/PID/stat field 5', 'process group id at start'),
	('sid', '', 'GAUGE', 'PROCESS', '/proc/PID/stat field 6', 'session id at start'),
	('uid', '', 'GAUGE', 'PROCESS', 'AT_UID of the auxiliary vector', 'real user id at start'),
	('mpirank', '', 'GAUGE', 'PROCESS', 'OMPI_COMM_WORLD_RANK, MV2_COMM_WORLD_RANK, PMI_RANK, PMIX_RANK, SLURM_PROCID of a task of srun', 'MPI rank'),
	('numranks', '', 'GAUGE', 'PROCESS', 'OMPI_COMM_WORLD_SIZE, MV2_COMM_WORLD_SIZE, PMI_SIZE, SLURM_STEP_NUM_TASKS', 'number of MPI ranks'),
	('cgroup', '', 'TEXT', 'PROCESS', '/proc/self/cgroup', 'control group path at the end (unified hierarchy, else cpu controller); absent for images shorter than a millisecond'),
	('container', '', 'TEXT', 'PROCESS', 'APPTAINER_NAME, SINGULARITY_NAME, container', 'container the process runs in'),
	('thread_name', '', 'TEXT', 'THREAD', '/proc/PID/stat field 2', 'command name of the thread'),
	('start_us', 'us', 'TIME', 'THREAD', 'CLOCK_REALTIME', 'start of the image or thread. For an image: when loading was finished; CPU time of exec and loading is included although earlier. In a reaped record: start of the call that created and awaited the child'),
	('end_us', 'us', 'TIME', 'THREAD', 'CLOCK_REALTIME', 'end of the image or thread; in a reaped record, the time of the wait'),
	('duration_us', 'us', 'SPAN', 'THREAD', 'CLOCK_MONOTONIC', 'elapsed time from start to end, unaffected by clock steps'),
	('end_reason', '', 'TEXT', 'PROCESS', 'collector, completed at load', 'exit or exec; signal in converted files without the signal number; set at load: signal, running, unknown'),
	('exitcode', '', 'GAUGE', 'PROCESS', 'exit(3) argument, wait4(2)', 'exit status'),
	('exitsignal', '', 'GAUGE', 'PROCESS', 'wait4(2)', 'number of the signal that ended the process'),
	('numtids', '', 'GAUGE', 'PROCESS', 'pthread_create(3) calls seen', 'threads seen over the life of the image, the main thread included'),
	('num_threads', '', 'GAUGE', 'PROCESS', '/proc/PID/stat field 20', 'threads alive at the end'),
	('usertime', 'us', 'COUNTER', 'THREAD', 'getrusage(2), wait4(2)', 'CPU time in user mode'),
	('systemtime', 'us', 'COUNTER', 'THREAD', 'getrusage(2), wait4(2)', 'CPU time in the kernel'),
	('rssmax', 'kB', 'PEAK', 'PROCESS', '/proc/self/status VmHWM', 'peak resident set size (in a reaped record ru_maxrss, which includes images before exec)'),
	('vmpeak', 'kB', 'PEAK', 'PROCESS', '/proc/self/status VmPeak', 'peak virtual memory size'),
	('minflt', 'n', 'COUNTER', 'THREAD', 'getrusage(2)', 'page faults served without I/O'),
	('majflt', 'n', 'COUNTER', 'THREAD', 'getrusage(2)', 'page faults that needed I/O'),
	('inblock', '512 B', 'COUNTER', 'THREAD', 'getrusage(2)', 'blocks read from storage'),
	('outblock', '512 B', 'COUNTER', 'THREAD', 'getrusage(2)', 'blocks written to storage'),
	('vol_ctxsw', 'n', 'COUNTER', 'THREAD', 'getrusage(2)', 'voluntary context switches: waited for something'),
	('invol_ctxsw', 'n', 'COUNTER', 'THREAD', 'getrusage(2)', 'involuntary context switches: another task wanted the CPU'),
	('cminflt', 'n', 'CHILDREN', 'PROCESS', 'getrusage(2) RUSAGE_CHILDREN', 'minflt of waited-for children'),
	('cmajflt', 'n', 'CHILDREN', 'PROCESS', 'getrusage(2) RUSAGE_CHILDREN', 'majflt of waited-for children'),
	('cutime', 'us', 'CHILDREN', 'PROCESS', 'getrusage(2) RUSAGE_CHILDREN', 'usertime of waited-for children'),
	('cstime', 'us', 'CHILDREN', 'PROCESS', 'getrusage(2) RUSAGE_CHILDREN', 'systemtime of waited-for children'),
	('processor', '', 'GAUGE', 'THREAD', '/proc/PID/stat field 39', 'CPU the thread last ran on'),
	('delayacct_blkio_time', 'ticks', 'COUNTER', 'THREAD', '/proc/PID/stat field 42', 'time waiting for block I/O; unknown while kernel.task_delayacct is 0'),
	('guest_time', 'ticks', 'COUNTER', 'THREAD', '/proc/PID/stat field 43', 'time spent running a virtual CPU for a guest'),
	('rchar', 'B', 'COUNTER', 'THREAD', '/proc/PID/task/TID/io', 'bytes read by system calls, page cache included'),
	('wchar', 'B', 'COUNTER', 'THREAD', '/proc/PID/task/TID/io', 'bytes written by system calls, page cache included'),
	('syscr', 'n', 'COUNTER', 'THREAD', '/proc/PID/task/TID/io', 'read system calls'),
	('syscw', 'n', 'COUNTER', 'THREAD', '/proc/PID/task/TID/io', 'write system calls'),
	('read_bytes', 'B', 'COUNTER', 'THREAD', '/proc/PID/task/TID/io', 'bytes fetched from storage'),
	('write_bytes', 'B', 'COUNTER', 'THREAD', '/proc/PID/task/TID/io', 'bytes sent to storage'),
	('cancelled_write_bytes', 'B', 'COUNTER', 'THREAD', '/proc/PID/task/TID/io', 'bytes whose write to storage was spared by truncation'),
	('time_oncpu', 'ns', 'COUNTER', 'THREAD', '/proc/PID/task/TID/schedstat', 'time spent running on a CPU'),
	('time_waiting', 'ns', 'COUNTER', 'THREAD', '/proc/PID/task/TID/schedstat', 'time runnable but waiting for a CPU'),
	('timeslices', 'n', 'COUNTER', 'THREAD', '/proc/PID/task/TID/schedstat', 'number of run periods on a CPU'),
	('rdtsc_duration', 'cycles', 'SPAN', 'THREAD', 'time stamp counter', 'time stamp counter cycles between start and end'),
	('counters', '', 'LIST', 'THREAD', 'perf_event_open(2)', 'per counter NAME=value, NAME=value@ratio (ratio: share of time counted), NAME=value@node (counted for the whole node) or NAME=?reason'),
	('own_overhead_us', 'us', 'OWN', 'PROCESS', 'CLOCK_MONOTONIC', 'elapsed time spent inside the collector'),
	('own_cpu_us', 'us', 'OWN', 'PROCESS', 'getrusage(2)', 'CPU time spent inside the collector before the counters were read'),
	('own_minflt', 'n', 'OWN', 'PROCESS', 'getrusage(2)', 'page faults the collector caused before minflt was read'),
	('own_outblock', '512 B', 'OWN', 'THREAD', 'getrusage(2)', 'blocks the collector wrote before outblock was read'),
	('own_rchar', 'B', 'OWN', 'THREAD', 'collector', 'bytes the collector read before rchar was read'),
	('own_wchar', 'B', 'OWN', 'THREAD', 'collector', 'bytes the collector wrote before wchar was read'),
	('own_syscr', 'n', 'OWN', 'THREAD', 'collector', 'read calls the collector made before syscr was read'),
	('own_syscw', 'n', 'OWN', 'THREAD', 'collector', 'write calls the collector made before syscw was read'),
	('version', '', 'TEXT', 'PROCESS', 'collector', 'version of the collector'),
	('last_call', '', 'TEXT', 'PROCESS', 'collector', 'call after which the process could not reach its record file: values are from before this call, except those from the parent''s wait; or execve with the reason why a program could not be recorded'),
	('gpu_time', 'ns', 'WORK', 'PROCESS', '/proc/self/fdinfo drm-engine-*', 'time that engines of GPUs worked for DRM clients that the image opened and has open at its end, added up over engines; not of NVIDIA''s own driver and of AMD''s ROCm, which do not tell it'),
	('gpu_cycles', 'cycles', 'WORK', 'PROCESS', '/proc/self/fdinfo drm-cycles-*', 'as gpu_time, where the driver counts cycles, as Intel''s xe does'),
	('gpu_memory', 'kB', 'PEAK', 'PROCESS', '/proc/self/fdinfo drm-resident-*', 'memory that GPUs hold for these clients at the end, the largest of an image; drivers keep no peak, and a sampled one may be higher');

-- one readable line per job: seconds, MB (1e6 bytes), percent
CREATE VIEW job_summary AS
SELECT id, jobid AS job, "user", name, scheduler,
	CAST(duration_us / 1000 + duration_us % 1000 / 500 AS double precision) / 1000 AS wall_s,
	CAST(cpu_time / 1000 + cpu_time % 1000 / 500 AS double precision) / 1000 AS cpu_s,
	cpus, CAST(1000 * efficiency + 0.5 AS bigint) / 10.0 AS efficiency_pct,
	CAST(CAST(rssmax AS double precision) / 97.65625 + 0.5 AS bigint) / 10.0 AS peak_mb,
	CAST(CAST(read_bytes AS double precision) / 100000 + 0.5 AS bigint) / 10.0 AS read_mb,
	CAST(CAST(write_bytes AS double precision) / 100000 + 0.5 AS bigint) / 10.0 AS written_mb,
	hosts, processes, threads, failed, killed, rejected,
	CAST(1000 * coverage + 0.5 AS bigint) / 10.0 AS coverage_pct,
	exit_status, exit_signal, start_us, end_us,
	energy_uj, CAST(energy_uj AS double precision) / 1000000 AS energy_j,
	CAST(energy_mean_uw AS double precision) / 1000000 AS mean_w,
	CAST(energy_peak_uw AS double precision) / 1000000 AS peak_w, energy_method, energy_hosts,
	CAST(1000 * energy_coverage + 0.5 AS bigint) / 10.0 AS energy_pct
FROM job;

-- the processes of a job in depth-first order, names indented; ORDER BY job_id, id
CREATE VIEW process_tree AS
SELECT p.job_id, p.id, p.parent_id, p.depth,
	substr('                                        ', 1, CAST(2 * p.depth AS integer)) ||
	coalesce(p.exename, '?') AS process, p.pid, h.hostname,
	CAST(p.duration_us / 1000 + p.duration_us % 1000 / 500 AS double precision) / 1000 AS wall_s,
	CAST(p.cpu_time / 1000 + p.cpu_time % 1000 / 500 AS double precision) / 1000 AS cpu_s,
	CAST(p.inclusive_cpu_time / 1000 + p.inclusive_cpu_time % 1000 / 500 AS double precision) / 1000 AS tree_cpu_s,
	p.rssmax, p.end_reason, p.exitcode, p.exitsignal, p.args,
	CASE WHEN h.cpu_time > 0 THEN CAST(h.energy_uj AS double precision) * p.cpu_time / h.cpu_time /
	1000000 END AS energy_estimate_j
FROM process p JOIN host h ON h.job_id = p.job_id AND h.id = p.host_id;

-- every tag of the job itself, process_id 0, and of every process
CREATE VIEW tag AS
SELECT job_id, 0 AS process_id, name, value FROM tag_set WHERE id = 0
UNION ALL SELECT p.job_id, p.id, s.name, s.value FROM process p
	JOIN tag_set s ON s.job_id = p.job_id AND s.id = p.tag_set;

-- sum of each event over all processes of a job: NULL for rates, the largest value where scope
-- is node; unknown: processes in which it could not be counted; unrecorded: those without a row
CREATE VIEW counter_summary AS
SELECT c.job_id, c.name,
	CASE max(c.scope) WHEN 'node' THEN max(c.value) WHEN 'rate' THEN NULL ELSE sum(c.value) END
	AS value, count(c.value) AS processes, count(*) - count(c.value) AS unknown,
	(SELECT count(*) FROM process p WHERE p.job_id = c.job_id) - count(*) AS unrecorded,
	min(c.ratio) AS least_ratio, min(c.reason) AS reason, max(c.scope) AS scope
FROM counter c WHERE c.thread_id = 0 GROUP BY c.job_id, c.name;

-- the processes of a job that have a tag: sums of what is known, with the number of processes
-- that know it; perfmon ops has the union of their times
CREATE VIEW operation AS
SELECT t.job_id, s.name, s.value, CAST(sum(t.processes) AS bigint) AS processes,
	CASE WHEN max(CASE WHEN t.numtids IS NULL AND t.numtids_known > 0 THEN 1 ELSE 0 END) = 0 THEN
		sum(t.numtids) END AS threads, CAST(sum(t.numtids_known) AS bigint) AS threads_known,
	min(t.start_us) AS start_us, max(t.finish_us) AS finish_us,
	CASE WHEN max(CASE WHEN t.duration_us IS NULL AND t.duration_us_known > 0 THEN 1 ELSE 0 END) = 0 THEN
		sum(t.duration_us) END AS duration_sum_us,
	CAST(sum(t.duration_us_known) AS bigint) AS duration_known,
	CASE WHEN max(CASE WHEN t.cpu_time IS NULL AND t.cpu_time_known > 0 THEN 1 ELSE 0 END) = 0 THEN
		sum(t.cpu_time) END AS cpu_time, CAST(sum(t.cpu_time_known) AS bigint) AS cpu_time_known
FROM tag_summary t JOIN tag_set s ON s.job_id = t.job_id AND s.id = t.tag_set
GROUP BY t.job_id, s.name, s.value
UNION ALL SELECT j.id, s.name, s.value, count(*), sum(p.numtids), count(p.numtids),
	min(p.start_us), max(p.end_us), sum(p.duration_us), count(p.duration_us),
	sum(p.cpu_time), count(p.cpu_time)
FROM job j CROSS JOIN process p JOIN tag_set s ON s.job_id = p.job_id AND s.id = p.tag_set
WHERE p.job_id = j.id AND NOT EXISTS (SELECT 1 FROM tag_summary t WHERE t.job_id = j.id)
GROUP BY j.id, s.name, s.value;

-- every thread of every process
CREATE VIEW thread AS
SELECT job_id, process_id, id, starttime, tid, thread_name, start_us, end_us, duration_us, usertime, systemtime, minflt, majflt, inblock, outblock, vol_ctxsw, invol_ctxsw, processor, delayacct_blkio_time, guest_time, rchar, wchar, syscr, syscw, read_bytes, write_bytes, cancelled_write_bytes, time_oncpu, time_waiting, timeslices, rdtsc_duration, own_outblock, own_rchar, own_wchar, own_syscr, own_syscw
FROM thread_row UNION ALL SELECT job_id, id, 1, starttime, coalesce(tid, pid), thread_name, start_us, end_us, duration_us, usertime, systemtime, minflt, majflt, inblock, outblock, vol_ctxsw, invol_ctxsw, processor, delayacct_blkio_time, guest_time, rchar, wchar, syscr, syscw, read_bytes, write_bytes, cancelled_write_bytes, time_oncpu, time_waiting, timeslices, rdtsc_duration, own_outblock, own_rchar, own_wchar, own_syscr, own_syscw
FROM process p WHERE NOT EXISTS (SELECT 1 FROM thread_row t
	WHERE t.job_id = p.job_id AND t.process_id = p.id);

-- the samples of every series; ORDER BY job_id, series_id, time_us. A condition on block_begin_us
-- and block_end_us beside one on time_us spares decoding the other blocks
CREATE VIEW sample AS
SELECT b.job_id, b.series_id, t.time_us + CAST(substr(t.times, 1 + t.digits * (b.tick + v.key), t.digits) AS INTEGER) AS time_us,
	v.atom AS value, CASE v.type WHEN 'array' THEN (SELECT value FROM json_each(v.value) WHERE key = 2) END AS reason,
	t.monotonic_us + CAST(substr(t.monotonics, 1 + t.monotonic_digits * (b.tick + v.key), t.monotonic_digits) AS INTEGER) AS monotonic_us,
	b.id AS block_id, b.begin_us AS block_begin_us, b.end_us AS block_end_us
FROM sample_block b JOIN tick_block t ON t.job_id = b.job_id AND t.id = b.tick_block_id,
	json_each((
	WITH RECURSIVE c(i, value, byte, position, number, shift, counts, run, whole) AS (
	SELECT 0, b.first, CASE WHEN 1 <= length(b.deviations) THEN instr(x'000102030405060708090A0B0C0D0E0F101112131415161718191A1B1C1D1E1F202122232425262728292A2B2C2D2E2F303132333435363738393A3B3C3D3E3F404142434445464748494A4B4C4D4E4F505152535455565758595A5B5C5D5E5F606162636465666768696A6B6C6D6E6F707172737475767778797A7B7C7D7E7F808182838485868788898A8B8C8D8E8F909192939495969798999A9B9C9D9E9FA0A1A2A3A4A5A6A7A8A9AAABACADAEAFB0B1B2B3B4B5B6B7B8B9BABBBCBDBEBFC0C1C2C3C4C5C6C7C8C9CACBCCCDCECFD0D1D2D3D4D5D6D7D8D9DADBDCDDDEDFE0E1E2E3E4E5E6E7E8E9EAEBECEDEEEFF0F1F2F3F4F5F6F7F8F9FAFBFCFDFEFF', substr(b.deviations, 1, 1)) - 1 END,
		1, 0, 0, 0, 0, 1
	UNION ALL SELECT i + (run > 0 OR (byte < 128 AND NOT counts AND (number + (byte << shift)) > 0)),
		value + CASE WHEN run > 0 THEN b.base * b.step WHEN (byte < 128 AND NOT counts AND (number + (byte << shift)) > 0) THEN
		b.step * (b.base + CASE WHEN ((number + (byte << shift)) - 1) & 1 THEN -(((number + (byte << shift)) - 1) >> 1) - 1 ELSE ((number + (byte << shift)) - 1) >> 1 END) ELSE 0 END,
		CASE WHEN (run > 1 OR (run = 0 AND counts AND byte < 128)) THEN byte ELSE CASE WHEN position + 1 <= length(b.deviations) THEN instr(x'000102030405060708090A0B0C0D0E0F101112131415161718191A1B1C1D1E1F202122232425262728292A2B2C2D2E2F303132333435363738393A3B3C3D3E3F404142434445464748494A4B4C4D4E4F505152535455565758595A5B5C5D5E5F606162636465666768696A6B6C6D6E6F707172737475767778797A7B7C7D7E7F808182838485868788898A8B8C8D8E8F909192939495969798999A9B9C9D9E9FA0A1A2A3A4A5A6A7A8A9AAABACADAEAFB0B1B2B3B4B5B6B7B8B9BABBBCBDBEBFC0C1C2C3C4C5C6C7C8C9CACBCCCDCECFD0D1D2D3D4D5D6D7D8D9DADBDCDDDEDFE0E1E2E3E4E5E6E7E8E9EAEBECEDEEEFF0F1F2F3F4F5F6F7F8F9FAFBFCFDFEFF', substr(b.deviations, position + 1, 1)) - 1 END END,
		position + NOT (run > 1 OR (run = 0 AND counts AND byte < 128)),
		CASE WHEN run = 0 AND byte >= 128 THEN number + ((byte & 127) << shift) ELSE 0 END,
		CASE WHEN run = 0 AND byte >= 128 THEN shift + 7 ELSE 0 END,
		CASE WHEN run > 0 THEN 0 WHEN byte >= 128 THEN counts ELSE NOT counts AND (number + (byte << shift)) = 0 END,
		CASE WHEN run > 0 THEN run - 1 WHEN counts AND byte < 128 THEN (number + (byte << shift)) ELSE 0 END,
		run > 0 OR (byte < 128 AND NOT counts AND (number + (byte << shift)) > 0)
	FROM c WHERE i < b.samples - 1),
	g(i, more, run) AS (SELECT (SELECT value FROM json_each(u.value) WHERE key = 0),
		(SELECT value FROM json_each(u.value) WHERE key = 1) - 1, u.value FROM json_each(b.unknown) u
	UNION ALL SELECT i + 1, more - 1, run FROM g WHERE more > 0)
	SELECT '[' || group_concat(coalesce(run, value)) || ']' FROM (
	SELECT max(value) AS value, max(run) AS run FROM (
	SELECT i, value, NULL AS run FROM c WHERE whole
	UNION ALL SELECT i, NULL, run FROM g)
	GROUP BY i ORDER BY i)
)) v;

INSERT INTO schema_version (version, applied_us) VALUES (9, CAST(strftime('%s', 'now') * 1000000 AS INTEGER));
