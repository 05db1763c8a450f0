-- perfmon database schema, version 9, for PostgreSQL; see perfmon-schema(5).
-- Generated from common/safe/columns.def and common/job/job.def by `perfmon schema`.
-- Times are microseconds UTC. NULL is unknown, never 0. Text is escaped as in
-- perfmon-tsv(5).

-- versions of the schema this database went through
CREATE TABLE schema_version (
	version bigint NOT NULL, -- schema version
	applied_us bigint, -- when this version was applied [us]
	PRIMARY KEY (version)
);

-- one row per job: its identity and its summary
CREATE TABLE job (
	id bigint PRIMARY KEY, -- number of the job in this database
	cluster text COLLATE "C" NOT NULL, -- cluster name; empty if there is none
	"user" text COLLATE "C" NOT NULL, -- login name of the job's user
	jobid text COLLATE "C" NOT NULL, -- job id; without a batch system session id and sequence number
	array_task text COLLATE "C" NOT NULL, -- array task; empty outside an array job
	restart_count bigint NOT NULL, -- how often the batch system restarted the job
	epoch_us bigint NOT NULL, -- job start according to the batch system, else the time of the first perfmon start [us]
	scheduler text COLLATE "C", -- slurm, pbs, ..., none
	name text COLLATE "C", -- job name; without one, the name of the command
	uid bigint, -- user id
	gid bigint, -- group id
	"groups" text COLLATE "C", -- names of the user's groups, the primary one first
	submit_us bigint, -- when the job was submitted; epoch_us less this is its time in the queue [us]
	queue text COLLATE "C", -- queue or partition
	account text COLLATE "C", -- account charged
	script text COLLATE "C", -- script that called perfmon start; unknown where the batch system runs a copy of it
	nodes bigint, -- nodes allocated
	tasks bigint, -- tasks allocated
	facts text COLLATE "C", -- other facts from the scheduler's environment
	tags text COLLATE "C", -- job tags
	annotations text COLLATE "C", -- notes about the job by people (perfmon annotate)
	start_us bigint, -- start of the job, else of its first process [us]
	end_us bigint, -- end of the job, else of its last process [us]
	duration_us bigint, -- elapsed time, by the monotonic clock where one host knows both ends [us]
	exit_status bigint, -- exit status of the job's command
	exit_signal bigint, -- signal that ended the job's command
	processes bigint, -- rows in process: one per program image and fork
	threads bigint, -- threads seen in them
	failed bigint, -- processes that ended with a status other than 0 or by a signal
	killed bigint, -- processes ended by a signal
	running bigint, -- processes without a recorded end on hosts where the job is not closed
	without_end bigint, -- images with a start record and no end record
	reaped_only bigint, -- rows known only from their parent's wait: static, set-uid and the like
	hosts bigint, -- hosts with records or metadata
	ranks bigint, -- different MPI ranks seen; NULL for none
	cpus bigint, -- CPUs allocated by the batch system, else allowed, summed over the hosts
	cpu_time bigint, -- CPU time of all processes, user and system [us]
	charged_cpu_us bigint, -- CPU time the kernel charged to the job: all of it where coverage is known, else a lower bound [us]
	excluded bigint, -- images of excluded programs, which have no row in process
	excluded_cpu_us bigint, -- their CPU time as far as it is known: see excluded_program [us]
	coverage double precision, -- share of the charged CPU time that was recorded, including the collector's and that of excluded and folded programs; NULL unless the kernel accounts for the whole job on every host
	efficiency double precision, -- cpu_time with excluded_cpu_us and folded_cpu_us / (duration_us * cpus); NULL while processes run, since what they use is not recorded yet
	folded bigint, -- short processes beyond max_bytes, which have no row in process
	folded_cpu_us bigint, -- their CPU time: see folded_program [us]
	lost bigint, -- record lines that could not be written, as far as they were counted: see lost
	rejected bigint, -- lines in reject
	late bigint, -- processes that ended after their host's stop
	problems text COLLATE "C", -- problems of the sources, separated by semicolons
	usertime bigint, -- sum over the processes: CPU time in user mode [us]
	systemtime bigint, -- sum over the processes: CPU time in the kernel [us]
	rssmax bigint, -- largest of a process: peak resident set size (in a reaped record ru_maxrss, which includes images before exec) [kB]
	vmpeak bigint, -- largest of a process: peak virtual memory size [kB]
	minflt bigint, -- sum over the processes: page faults served without I/O [n]
	majflt bigint, -- sum over the processes: page faults that needed I/O [n]
	inblock bigint, -- sum over the processes: blocks read from storage [512 B]
	outblock bigint, -- sum over the processes: blocks written to storage [512 B]
	vol_ctxsw bigint, -- sum over the processes: voluntary context switches: waited for something [n]
	invol_ctxsw bigint, -- sum over the processes: involuntary context switches: another task wanted the CPU [n]
	delayacct_blkio_time bigint, -- sum over the processes: time waiting for block I/O; unknown while kernel.task_delayacct is 0 [ticks]
	guest_time bigint, -- sum over the processes: time spent running a virtual CPU for a guest [ticks]
	rchar bigint, -- sum over the processes: bytes read by system calls, page cache included [B]
	wchar bigint, -- sum over the processes: bytes written by system calls, page cache included [B]
	syscr bigint, -- sum over the processes: read system calls [n]
	syscw bigint, -- sum over the processes: write system calls [n]
	read_bytes bigint, -- sum over the processes: bytes fetched from storage [B]
	write_bytes bigint, -- sum over the processes: bytes sent to storage [B]
	cancelled_write_bytes bigint, -- sum over the processes: bytes whose write to storage was spared by truncation [B]
	time_oncpu bigint, -- sum over the processes: time spent running on a CPU [ns]
	time_waiting bigint, -- sum over the processes: time runnable but waiting for a CPU [ns]
	timeslices bigint, -- sum over the processes: number of run periods on a CPU [n]
	own_overhead_us bigint, -- sum over the processes: elapsed time spent inside the collector [us]
	own_cpu_us bigint, -- sum over the processes: CPU time spent inside the collector before the counters were read [us]
	own_minflt bigint, -- sum over the processes: page faults the collector caused before minflt was read [n]
	own_outblock bigint, -- sum over the processes: blocks the collector wrote before outblock was read [512 B]
	own_rchar bigint, -- sum over the processes: bytes the collector read before rchar was read [B]
	own_wchar bigint, -- sum over the processes: bytes the collector wrote before wchar was read [B]
	own_syscr bigint, -- sum over the processes: read calls the collector made before syscr was read [n]
	own_syscw bigint, -- sum over the processes: write calls the collector made before syscw was read [n]
	gpu_time bigint, -- sum over the processes: time that engines of GPUs worked for DRM clients that the image opened and has open at its end, added up over engines; not of NVIDIA's own driver and of AMD's ROCm, which do not tell it [ns]
	gpu_cycles bigint, -- sum over the processes: as gpu_time, where the driver counts cycles, as Intel's xe does [cycles]
	gpu_memory bigint, -- largest of a process: memory that GPUs hold for these clients at the end, the largest of an image; drivers keep no peak, and a sampled one may be higher [kB]
	energy_uj bigint, -- energy of its hosts while it was there, that of other jobs there included: the sum of energy_uj over its hosts; see energy_hosts and energy_coverage for what is missing in it [uJ]
	energy_mean_uw bigint, -- sum of the hosts' mean powers [uW]
	energy_peak_uw bigint, -- sum of the hosts' largest powers, which need not have come at one time [uW]
	energy_method text COLLATE "C", -- counter: differences of counters; power: integral of a power; or both
	energy_hosts bigint, -- hosts with an energy; NULL where no host had a meter
	energy_coverage double precision, -- share of the hosts' time with the job in which all their meters were read
	analyzed_us bigint, -- when perfmon analyze judged the job; NULL: not since it was last loaded [us]
	UNIQUE (jobid, array_task, "user", cluster, restart_count, epoch_us)
);

-- one row per host of a job, and per boot of it
CREATE TABLE host (
	job_id bigint NOT NULL, -- the job
	id bigint NOT NULL, -- number of the host within the job, from 1
	hostname text COLLATE "C", -- host name
	boot_id text COLLATE "C", -- boot id of the host
	kernel text COLLATE "C", -- kernel release
	machine text COLLATE "C", -- hardware name, e.g. x86_64
	os text COLLATE "C", -- operating system
	cpu_model text COLLATE "C", -- processor model
	cpu_id text COLLATE "C", -- vendor, family, model and stepping of the processor, e.g. GenuineIntel-6-55-4
	cpus_online bigint, -- CPUs of the host
	cpus_allowed bigint, -- CPUs the job may use: affinity and cgroup limits
	cpus_allocated bigint, -- CPUs of the host allocated to the job, according to the batch system
	microarchitecture text COLLATE "C", -- processor microarchitecture, as named in formulas of derived metrics, e.g. skx
	sockets bigint, -- processor packages of the host
	cores bigint, -- processor cores of the host
	threads_per_core bigint, -- hardware threads per core
	cache_l1d_kb bigint, -- size of the first CPU's level 1 data cache, kB
	cache_l1i_kb bigint, -- size of the first CPU's level 1 instruction cache, kB
	cache_l2_kb bigint, -- size of the first CPU's level 2 cache, kB
	cache_l3_kb bigint, -- size of the first CPU's level 3 cache, possibly shared with other CPUs, kB
	numa_nodes bigint, -- NUMA nodes of the host
	system text COLLATE "C", -- manufacturer and product name of the machine
	hypervisor text COLLATE "C", -- hypervisor the host runs under, if the processor reports one
	memory_kb bigint, -- memory of the host, kB
	memory_limit_kb bigint, -- lowest memory limit of the control groups at start, if below the host's memory, kB
	swap_kb bigint, -- swap space of the host, kB
	page_size bigint, -- bytes per page
	clock_ticks bigint, -- clock ticks per second
	tasks_unrecorded bigint, -- Slurm tasks that ran unrecorded because perfmon failed or would have needed more than a second
	gpus text COLLATE "C", -- GPUs on the PCI bus, as far as known without waking them: what of each is known, of name, uuid, address, driver, driver_version, memory_bytes, power_limit_uw and state (suspended: it was not asked)
	start_time_us bigint, -- at start: when start ran [us]
	start_monotonic_us bigint, -- at start: CLOCK_MONOTONIC at that time
	start_cwd text COLLATE "C", -- at start: working directory
	start_command text COLLATE "C", -- at start: the command of -a run
	start_environment text COLLATE "C", -- at start: environment variables, as far as the setting environment permits
	start_modules text COLLATE "C", -- at start: modules loaded at that time, from LOADEDMODULES
	start_cgroup text COLLATE "C", -- at start: control group the job runs in
	start_cgroup_own text COLLATE "C", -- at start: how perfmon knows that the control group holds only this job: name (the batch system named it after the job), alone (it held nothing else at start); absent if other processes may be in it
	start_cgroup_memory text COLLATE "C", -- at start: control group in the memory controller's hierarchy (cgroup version 1)
	start_cgroup_cpu_us bigint, -- at start: CPU time used by the control group until then
	start_cgroup_oom_kills bigint, -- at start: processes killed by the kernel for lack of memory in the control group until then
	start_reopened bigint, -- at start: number of times the job was reopened after it was closed
	stop_time_us bigint, -- at stop: when stop ran [us]
	stop_monotonic_us bigint, -- at stop: CLOCK_MONOTONIC at that time
	stop_exit_status bigint, -- at stop: exit status of the command of -a run
	stop_exit_signal bigint, -- at stop: signal that ended the command
	stop_exit_reason text COLLATE "C", -- at stop: reason for the command's end: success, failure, memory (the kernel killed processes for lack of memory), cpu-limit, file-limit, crash, killed (SIGKILL), asked (SIGTERM, SIGINT, SIGHUP and the like), signal, not-started (command not found or not executable)
	stop_environment_changes text COLLATE "C", -- at stop: environment changes since start: each NAME with its new value, or null if removed
	stop_environment_added text COLLATE "C", -- at stop: names of variables added since start
	stop_environment_removed text COLLATE "C", -- at stop: names of variables removed since start
	stop_cgroup_oom_kills bigint, -- at stop: the same counter as at start, read at stop
	stop_cgroup_cpu_us bigint, -- at stop: CPU time used until stop by the control group recorded at start
	stop_charged_cpu_us bigint, -- at stop: CPU time the kernel charged to the command's tree, from wait4(2)
	stop_measured_cpu_us bigint, -- at stop: CPU time of the whole job on the host, without perfmon's own programs, from a kernel account that covers every process
	stop_measured_by text COLLATE "C", -- at stop: source of measured_cpu_us: cgroup (the control group recorded at start) or descendants (a kernel clock inherited by all descendants of the command; root only)
	stop_files bigint, -- at stop: record files
	stop_bytes bigint, -- at stop: bytes in the record files
	stop_records bigint, -- at stop: lines in the record files
	stop_without_end bigint, -- at stop: program images with a start record but no end record
	stop_lost bigint, -- at stop: record lines that could not be written, as far as counted
	stop_lost_reasons text COLLATE "C", -- at stop: number of unwritten lines by error name
	stop_folded bigint, -- at stop: short processes beyond max_bytes, recorded only as totals per program
	cpu_time bigint, -- CPU time of all processes on the host, user and system [us]
	charged_cpu_us bigint, -- CPU time the kernel charged to the job on this host, as in job [us]
	coverage double precision, -- coverage of this host alone, as in job
	energy_uj bigint, -- energy of the host while the job was there: the sum over its rows in energy with in_total 1 [uJ]
	energy_mean_uw bigint, -- sum of their mean powers [uW]
	energy_peak_uw bigint, -- sum of their largest powers [uW]
	energy_method text COLLATE "C", -- their methods, as in job
	energy_parts text COLLATE "C", -- what they measure: node, or package, dram and gpu as far as there are
	energy_covered_us bigint, -- the least time of any of them that is in its energy; 0 where one was never read [us]
	energy_time_us bigint, -- time of the job on the host [us]
	energy_reason text COLLATE "C", -- why energy_uj is not known: no meter, or as the samples say
	PRIMARY KEY (job_id, id),
	FOREIGN KEY (job_id) REFERENCES job (id) ON DELETE CASCADE
);

-- one row per program image (exec or fork), with totals over its life
CREATE TABLE process (
	job_id bigint NOT NULL, -- the job
	id bigint NOT NULL, -- number within the job, from 1, in depth-first order of the tree
	host_id bigint NOT NULL, -- the host
	parent_id bigint, -- the process that started it; NULL for a root
	depth bigint, -- levels below its root
	cpu_time bigint, -- usertime plus systemtime [us]
	inclusive_cpu_time bigint, -- cpu_time of the process and of its descendants [us]
	tag_set bigint, -- its tags by name, in the table tag_set; NULL for none
	pid_ns bigint, -- pid namespace: tells equal pids in different containers apart
	pid bigint, -- process id in the pid namespace of the writing process; unknown in reaped records of waits inside libc
	starttime bigint, -- start of the task, clock ticks after boot (sysconf(_SC_CLK_TCK) per second) [ticks]
	image_us bigint, -- start of the process image (by exec or fork) that the record belongs to [us]
	generation bigint, -- 0 for the first image of a pid, increased by one at every exec
	tid bigint, -- thread id; an unknown id is replaced by a distinct negative number
	exename text COLLATE "C", -- base name of the executable
	path text COLLATE "C", -- absolute path of the executable; in reaped records and in ends by exec, path of the program to be executed
	args text COLLATE "C", -- arguments without argv[0]; cut at args_max, with a marker appended
	tags text COLLATE "C", -- process tags, NAME:VALUE;...
	jobid text COLLATE "C", -- job id in the process's environment
	step text COLLATE "C", -- job step
	localid bigint, -- task number on this node within the step
	ppid bigint, -- parent process id at start; in a reaped record, the waiting process
	pgid bigint, -- process group id at start
	sid bigint, -- session id at start
	uid bigint, -- real user id at start
	mpirank bigint, -- MPI rank
	numranks bigint, -- number of MPI ranks
	cgroup text COLLATE "C", -- control group path at the end (unified hierarchy, else cpu controller); absent for images shorter than a millisecond
	container text COLLATE "C", -- container the process runs in
	thread_name text COLLATE "C", -- command name of the thread
	start_us bigint, -- start of the image or thread. For an image: when loading was finished; CPU time of exec and loading is included although earlier. In a reaped record: start of the call that created and awaited the child [us]
	end_us bigint, -- end of the image or thread; in a reaped record, the time of the wait [us]
	duration_us bigint, -- elapsed time from start to end, unaffected by clock steps [us]
	end_reason text COLLATE "C", -- exit or exec; signal in converted files without the signal number; set at load: signal, running, unknown
	exitcode bigint, -- exit status
	exitsignal bigint, -- number of the signal that ended the process
	numtids bigint, -- threads seen over the life of the image, the main thread included
	num_threads bigint, -- threads alive at the end
	usertime bigint, -- CPU time in user mode [us]
	systemtime bigint, -- CPU time in the kernel [us]
	rssmax bigint, -- peak resident set size (in a reaped record ru_maxrss, which includes images before exec) [kB]
	vmpeak bigint, -- peak virtual memory size [kB]
	minflt bigint, -- page faults served without I/O [n]
	majflt bigint, -- page faults that needed I/O [n]
	inblock bigint, -- blocks read from storage [512 B]
	outblock bigint, -- blocks written to storage [512 B]
	vol_ctxsw bigint, -- voluntary context switches: waited for something [n]
	invol_ctxsw bigint, -- involuntary context switches: another task wanted the CPU [n]
	cminflt bigint, -- minflt of waited-for children [n]
	cmajflt bigint, -- majflt of waited-for children [n]
	cutime bigint, -- usertime of waited-for children [us]
	cstime bigint, -- systemtime of waited-for children [us]
	processor bigint, -- CPU the thread last ran on
	delayacct_blkio_time bigint, -- time waiting for block I/O; unknown while kernel.task_delayacct is 0 [ticks]
	guest_time bigint, -- time spent running a virtual CPU for a guest [ticks]
	rchar bigint, -- bytes read by system calls, page cache included [B]
	wchar bigint, -- bytes written by system calls, page cache included [B]
	syscr bigint, -- read system calls [n]
	syscw bigint, -- write system calls [n]
	read_bytes bigint, -- bytes fetched from storage [B]
	write_bytes bigint, -- bytes sent to storage [B]
	cancelled_write_bytes bigint, -- bytes whose write to storage was spared by truncation [B]
	time_oncpu bigint, -- time spent running on a CPU [ns]
	time_waiting bigint, -- time runnable but waiting for a CPU [ns]
	timeslices bigint, -- number of run periods on a CPU [n]
	rdtsc_duration bigint, -- time stamp counter cycles between start and end [cycles]
	own_overhead_us bigint, -- elapsed time spent inside the collector [us]
	own_cpu_us bigint, -- CPU time spent inside the collector before the counters were read [us]
	own_minflt bigint, -- page faults the collector caused before minflt was read [n]
	own_outblock bigint, -- blocks the collector wrote before outblock was read [512 B]
	own_rchar bigint, -- bytes the collector read before rchar was read [B]
	own_wchar bigint, -- bytes the collector wrote before wchar was read [B]
	own_syscr bigint, -- read calls the collector made before syscr was read [n]
	own_syscw bigint, -- write calls the collector made before syscw was read [n]
	version text COLLATE "C", -- version of the collector
	last_call text COLLATE "C", -- call after which the process could not reach its record file: values are from before this call, except those from the parent's wait; or execve with the reason why a program could not be recorded
	gpu_time bigint, -- time that engines of GPUs worked for DRM clients that the image opened and has open at its end, added up over engines; not of NVIDIA's own driver and of AMD's ROCm, which do not tell it [ns]
	gpu_cycles bigint, -- as gpu_time, where the driver counts cycles, as Intel's xe does [cycles]
	gpu_memory bigint, -- memory that GPUs hold for these clients at the end, the largest of an image; drivers keep no peak, and a sampled one may be higher [kB]
	PRIMARY KEY (job_id, id)
) PARTITION BY RANGE (job_id);

-- threads of processes that had several; the view thread has all
CREATE TABLE thread_row (
	job_id bigint NOT NULL, -- the job
	process_id bigint NOT NULL, -- the process
	id bigint NOT NULL, -- number of the thread within the process, from 1: a tid may occur twice
	starttime bigint, -- start of the task, clock ticks after boot (sysconf(_SC_CLK_TCK) per second) [ticks]
	tid bigint, -- thread id; an unknown id is replaced by a distinct negative number
	thread_name text COLLATE "C", -- command name of the thread
	start_us bigint, -- start of the image or thread. For an image: when loading was finished; CPU time of exec and loading is included although earlier. In a reaped record: start of the call that created and awaited the child [us]
	end_us bigint, -- end of the image or thread; in a reaped record, the time of the wait [us]
	duration_us bigint, -- elapsed time from start to end, unaffected by clock steps [us]
	usertime bigint, -- CPU time in user mode [us]
	systemtime bigint, -- CPU time in the kernel [us]
	minflt bigint, -- page faults served without I/O [n]
	majflt bigint, -- page faults that needed I/O [n]
	inblock bigint, -- blocks read from storage [512 B]
	outblock bigint, -- blocks written to storage [512 B]
	vol_ctxsw bigint, -- voluntary context switches: waited for something [n]
	invol_ctxsw bigint, -- involuntary context switches: another task wanted the CPU [n]
	processor bigint, -- CPU the thread last ran on
	delayacct_blkio_time bigint, -- time waiting for block I/O; unknown while kernel.task_delayacct is 0 [ticks]
	guest_time bigint, -- time spent running a virtual CPU for a guest [ticks]
	rchar bigint, -- bytes read by system calls, page cache included [B]
	wchar bigint, -- bytes written by system calls, page cache included [B]
	syscr bigint, -- read system calls [n]
	syscw bigint, -- write system calls [n]
	read_bytes bigint, -- bytes fetched from storage [B]
	write_bytes bigint, -- bytes sent to storage [B]
	cancelled_write_bytes bigint, -- bytes whose write to storage was spared by truncation [B]
	time_oncpu bigint, -- time spent running on a CPU [ns]
	time_waiting bigint, -- time runnable but waiting for a CPU [ns]
	timeslices bigint, -- number of run periods on a CPU [n]
	rdtsc_duration bigint, -- time stamp counter cycles between start and end [cycles]
	own_outblock bigint, -- blocks the collector wrote before outblock was read [512 B]
	own_rchar bigint, -- bytes the collector read before rchar was read [B]
	own_wchar bigint, -- bytes the collector wrote before wchar was read [B]
	own_syscr bigint, -- read calls the collector made before syscr was read [n]
	own_syscw bigint, -- write calls the collector made before syscw was read [n]
	PRIMARY KEY (job_id, process_id, id)
) PARTITION BY RANGE (job_id);

-- programs that the settings exclude and include kept out of the records
CREATE TABLE excluded_program (
	job_id bigint NOT NULL, -- the job
	host_id bigint NOT NULL, -- the host
	exename text COLLATE "C" NOT NULL, -- base name of the executable; empty where unknown
	images bigint NOT NULL, -- how often it was started, by exec or fork
	cpu_time bigint, -- CPU time of these images and of unrecorded children they waited for; NULL where no recorded process waited for any of them and none executed a recorded program [us]
	PRIMARY KEY (job_id, host_id, exename),
	FOREIGN KEY (job_id, host_id) REFERENCES host (job_id, id) ON DELETE CASCADE
);

-- lines of records that were lost, as far as they could be counted
CREATE TABLE lost (
	job_id bigint NOT NULL, -- the job
	host_id bigint NOT NULL, -- the host
	reason text COLLATE "C" NOT NULL, -- name of the error, such as ENOSPC
	lines bigint NOT NULL, -- record lines that could not be written
	bytes bigint NOT NULL, -- their length [B]
	PRIMARY KEY (job_id, host_id, reason),
	FOREIGN KEY (job_id, host_id) REFERENCES host (job_id, id) ON DELETE CASCADE
);

-- totals of short processes that began when the record files had reached max_bytes
CREATE TABLE folded_program (
	job_id bigint NOT NULL, -- the job
	host_id bigint NOT NULL, -- the host
	exename text COLLATE "C" NOT NULL, -- base name of the executable; empty for programs beyond the collector's table
	images bigint NOT NULL, -- how many images of it were folded
	usertime bigint, -- their CPU time in user mode [us]
	systemtime bigint, -- their CPU time in the kernel [us]
	duration_us bigint, -- their elapsed time [us]
	failed bigint, -- how many ended with a status other than 0
	rssmax bigint, -- largest peak resident set size [kB]
	PRIMARY KEY (job_id, host_id, exename),
	FOREIGN KEY (job_id, host_id) REFERENCES host (job_id, id) ON DELETE CASCADE
);

-- waits that wrote no line since the record files had reached max_bytes
CREATE TABLE folded_wait (
	job_id bigint NOT NULL, -- the job
	host_id bigint NOT NULL, -- the host
	key text COLLATE "C" NOT NULL, -- empty
	waits bigint NOT NULL, -- children without a line that a recorded or folded process waited for
	usertime bigint, -- CPU time in user mode of them and of the children they waited for [us]
	systemtime bigint, -- the same in the kernel [us]
	failed bigint, -- how many ended with a status other than 0
	killed bigint, -- how many were ended by a signal
	PRIMARY KEY (job_id, host_id, key),
	FOREIGN KEY (job_id, host_id) REFERENCES host (job_id, id) ON DELETE CASCADE
);

-- hardware and software events counted per process and thread
CREATE TABLE counter (
	job_id bigint NOT NULL, -- the job
	process_id bigint NOT NULL, -- the process
	thread_id bigint NOT NULL, -- the thread, as in thread_row; 0 for the process as a whole
	name text COLLATE "C" NOT NULL, -- name of the event
	value bigint, -- its count; NULL where it could not be counted
	ratio double precision, -- share of the time it was counted; value is already scaled by it
	reason text COLLATE "C", -- why it could not be counted, such as ENOENT or closed
	scope text COLLATE "C", -- node: counts the whole node; rate: computed by a division, not to be summed; NULL: may be summed over processes
	PRIMARY KEY (job_id, process_id, thread_id, name)
) PARTITION BY RANGE (job_id);

-- tags of the job, and each set of tags that processes share; the view tag lists them per process
CREATE TABLE tag_set (
	job_id bigint NOT NULL, -- the job
	id bigint NOT NULL, -- number of the set within the job; 0 for the tags of the job itself
	name text COLLATE "C" NOT NULL, -- name of the tag
	value text COLLATE "C", -- its value; 1 for a bare name
	PRIMARY KEY (job_id, id, name)
) PARTITION BY RANGE (job_id);

-- notes that users attached to a job
CREATE TABLE annotation (
	job_id bigint NOT NULL, -- the job
	name text COLLATE "C" NOT NULL, -- name of the annotation
	value text COLLATE "C", -- its value
	PRIMARY KEY (job_id, name),
	FOREIGN KEY (job_id) REFERENCES job (id) ON DELETE CASCADE
);

-- the dictionary of a record's columns
CREATE TABLE metric (
	name text COLLATE "C" NOT NULL, -- column of a record, and of the tables process and thread_row
	unit text COLLATE "C" NOT NULL, -- its unit; empty for none
	kind text COLLATE "C" NOT NULL, -- how values combine: COUNTER, SPAN, OWN and WORK sum, PEAK takes the largest
	scope text COLLATE "C" NOT NULL, -- PROCESS or THREAD: the smallest unit a value describes
	source text COLLATE "C" NOT NULL, -- where the collector reads it
	help text COLLATE "C" NOT NULL, -- what it is
	PRIMARY KEY (name)
);

-- series that the sampler recorded, one row per metric and object
CREATE TABLE series (
	job_id bigint NOT NULL, -- the job
	id bigint NOT NULL, -- number of the series within the job, from 1
	host_id bigint NOT NULL, -- the host
	source text COLLATE "C" NOT NULL, -- source of the sampler
	metric text COLLATE "C" NOT NULL, -- what is sampled
	object text COLLATE "C" NOT NULL, -- object measured, such as cpu0; empty for the node or job
	unit text COLLATE "C" NOT NULL, -- unit of the values
	kind text COLLATE "C" NOT NULL, -- gauge, or counter: take differences
	PRIMARY KEY (job_id, id)
) PARTITION BY RANGE (job_id);

-- times at which series were read, shared by the series that were read together
CREATE TABLE tick_block (
	job_id bigint NOT NULL, -- the job
	id bigint NOT NULL, -- number of the block within the job, from 1
	host_id bigint NOT NULL, -- the host
	ticks bigint NOT NULL, -- number of ticks
	time_us bigint NOT NULL, -- the earliest of their times [us]
	digits bigint NOT NULL, -- characters of an offset in times
	times text COLLATE "C" NOT NULL, -- of each tick, its time less time_us in microseconds, in decimal
	monotonic_us bigint, -- the earliest of their times by the monotonic clock; NULL where those are unknown [us]
	monotonic_digits bigint, -- characters of an offset in monotonics
	monotonics text COLLATE "C", -- of each tick, its monotonic time less monotonic_us, in the same way
	PRIMARY KEY (job_id, id)
) PARTITION BY RANGE (job_id);

-- successive values of a series, coded; the view sample has a row for each
CREATE TABLE sample_block (
	job_id bigint NOT NULL, -- the job
	series_id bigint NOT NULL, -- the series
	id bigint NOT NULL, -- number of the block within the series, from 1, by begin_us
	tick_block_id bigint NOT NULL, -- the block of ticks that has the times
	tick bigint NOT NULL, -- tick of its first sample there, from 0; one tick per sample follows
	begin_us bigint NOT NULL, -- time of its earliest sample [us]
	end_us bigint NOT NULL, -- time of its latest sample [us]
	samples bigint NOT NULL, -- number of samples
	known bigint NOT NULL, -- samples whose value is known
	first bigint NOT NULL, -- the first value; before a known one, the first known one
	step bigint NOT NULL, -- unit of the differences between successive values
	base bigint NOT NULL, -- what is added to each deviation
	deviations bytea NOT NULL, -- differences between successive values, divided by step, less base, as coded bytes
	unknown text COLLATE "C", -- runs of unknown values, as JSON: [[first, number, "reason"], ...]; each repeats the value before it
	minimum bigint, -- the least known value
	maximum bigint, -- the greatest known value
	mean double precision, -- the mean of the known values
	PRIMARY KEY (job_id, series_id, id)
) PARTITION BY RANGE (job_id);

-- totals of each series that has samples, which stay when those are deleted
CREATE TABLE series_summary (
	job_id bigint NOT NULL, -- the job
	series_id bigint NOT NULL, -- the series
	samples bigint NOT NULL, -- number of its samples
	known bigint NOT NULL, -- samples whose value is known
	begin_us bigint NOT NULL, -- time of its earliest sample [us]
	end_us bigint NOT NULL, -- time of its latest sample [us]
	minimum bigint, -- the least known value
	maximum bigint, -- the greatest known value
	mean double precision, -- the mean of the known values
	PRIMARY KEY (job_id, series_id)
) PARTITION BY RANGE (job_id);

-- summaries of a node's samples, one row per host
CREATE TABLE node_summary (
	job_id bigint NOT NULL, -- the job
	host_id bigint NOT NULL, -- the host
	samples bigint NOT NULL, -- ticks of the sampler on the host
	unknown bigint NOT NULL, -- ticks in which the use of the CPUs should have been sampled but is unknown
	resets bigint NOT NULL, -- how often a counter decreased: totals are then lower bounds
	max_t_cpu_pct_per_cpu_avg double precision, -- highest mean use of all CPUs in any sample [%]
	max_t_cpu_pct_per_cpu_max double precision, -- highest use of the busiest CPU in any sample [%]
	max_t_cpu_pct_per_cpu_min double precision, -- highest use of the idlest CPU in any sample [%]
	cpu_avg_utilization_pct double precision, -- mean use of all CPUs over the run [%]
	cpu_avg_utilization_at100_pct double precision, -- share of time with mean CPU use of 100 % [%]
	cpu_avg_utilization_over80_pct double precision, -- share of time with mean CPU use of 80 % or more [%]
	cpu_avg_utilization_over40_pct double precision, -- share of time with mean CPU use of 40 % or more [%]
	cpu_avg_utilization_over20_pct double precision, -- share of time with mean CPU use of 20 % or more [%]
	node_cpu_hours double precision, -- time from the first to the last sample, multiplied by the online CPUs [h]
	node_unused_cpu_hours double precision, -- idle part of the available CPU time: available CPU time multiplied by (1 - mean use) [h]
	max_t_mem_percent double precision, -- largest share of memory in use (not available) [%]
	max_t_disk_usage_percent double precision, -- largest share of the root file system in use [%]
	total_disk_io_read_mb double precision, -- read from the node's disks between the first and the last sample [MiB]
	total_disk_io_write_mb double precision, -- written to the node's disks between the first and the last sample [MiB]
	total_net_io_lo_sent_mb double precision, -- sent through the loopback interface between the first and the last sample [MiB]
	total_net_io_lo_recv_mb double precision, -- received through the loopback interface between the first and the last sample [MiB]
	total_net_io_ext_sent_mb double precision, -- sent through external interfaces between the first and the last sample [MiB]
	total_net_io_ext_recv_mb double precision, -- received through external interfaces between the first and the last sample [MiB]
	PRIMARY KEY (job_id, host_id),
	FOREIGN KEY (job_id, host_id) REFERENCES host (job_id, id) ON DELETE CASCADE
);

-- energy of a host's meters while the job was there
CREATE TABLE energy (
	job_id bigint NOT NULL, -- the job
	host_id bigint NOT NULL, -- the host
	id bigint NOT NULL, -- number of the meter on the host, from 1, by part, source and meter
	part text COLLATE "C" NOT NULL, -- what it measures: node, package, dram, gpu, or other where that is unknown
	source text COLLATE "C" NOT NULL, -- who measures it: pm_counters, rapl, hwmon, nvidia, amdgpu or intelgpu
	meter text COLLATE "C" NOT NULL, -- name of the device, as its series have it; empty for a source that has none
	method text COLLATE "C" NOT NULL, -- counter: exact differences of an energy counter; power: the integral of a power, between two values their mean
	energy_uj bigint, -- its energy in covered_us [uJ]
	mean_uw bigint, -- energy_uj over covered_us [uW]
	peak_uw bigint, -- largest power of a sample; of a counter, over 0.9 s or more [uW]
	covered_us bigint NOT NULL, -- time of the intervals between samples that are in energy_uj [us]
	lost bigint NOT NULL, -- intervals that are not: the counter fell or wrapped, the power is unknown
	in_part bigint NOT NULL, -- 1 where it is to be added up for its part, else 0: another source has it
	in_total bigint NOT NULL, -- 1 where it is in the energy of the host, else 0: another meter contains it
	reason text COLLATE "C", -- why energy_uj is NULL
	PRIMARY KEY (job_id, host_id, id),
	FOREIGN KEY (job_id, host_id) REFERENCES host (job_id, id) ON DELETE CASCADE
);

-- phases of the application, as it marked them
CREATE TABLE phase (
	job_id bigint NOT NULL, -- the job
	host_id bigint NOT NULL, -- the host
	id bigint NOT NULL, -- number of the phase on the host, from 1, by its beginning
	name text COLLATE "C" NOT NULL, -- its name
	pid bigint NOT NULL, -- the process that marked its beginning, else its end
	begin_us bigint, -- when it began; NULL where its beginning was not marked [us]
	end_us bigint, -- when it ended; the end of the job on the host where its end was not marked [us]
	duration_us bigint, -- elapsed time, by the monotonic clock [us]
	ended bigint NOT NULL, -- 1 where its end was marked, else 0
	PRIMARY KEY (job_id, host_id, id),
	FOREIGN KEY (job_id, host_id) REFERENCES host (job_id, id) ON DELETE CASCADE
);

-- totals of each program of a job; unknown sums are NULL, as are those beyond the range of an integer
CREATE TABLE program_summary (
	job_id bigint NOT NULL, -- the job
	program text COLLATE "C" NOT NULL, -- label of its processes: the executable, with the script of an interpreter
	processes bigint NOT NULL, -- its rows in process
	runs bigint NOT NULL, -- those of them that are neither forks that only execute another program nor programs that could not be started
	threads_known bigint NOT NULL, -- runs whose number of threads is known
	failed bigint NOT NULL, -- its processes that ended with a status other than 0 or by a signal
	killed bigint NOT NULL, -- its processes ended by a signal
	cpu_time bigint, -- CPU time of its processes, user and system [us]
	systemtime bigint, -- the part of it in the kernel [us]
	duration_us bigint, -- longest elapsed time of a process [us]
	rssmax bigint, -- largest peak resident set size of a process [kB]
	threads bigint, -- largest number of threads of a process
	rchar bigint, -- bytes read by its processes with any call [B]
	wchar bigint, -- bytes written by its processes with any call [B]
	syscr bigint, -- their calls that read
	syscw bigint, -- their calls that write
	read_bytes bigint, -- bytes they read from storage [B]
	write_bytes bigint, -- bytes they wrote to storage [B]
	tiny_reads bigint, -- calls that read, of processes whose calls read less than 512 bytes on average
	tiny_read_bytes bigint, -- bytes that these calls read [B]
	tiny_writes bigint, -- calls that write, of processes whose calls write less than 512 bytes on average
	tiny_write_bytes bigint, -- bytes that these calls wrote [B]
	PRIMARY KEY (job_id, program)
) PARTITION BY RANGE (job_id);

-- totals of the processes of each set of tags, of jobs that have 512 to 1048576 processes with tags, at most 4096 sets as stored, and 8 processes of each on average
CREATE TABLE tag_summary (
	job_id bigint NOT NULL, -- the job
	tag_set bigint NOT NULL, -- the set of tags, as in tag_set
	processes bigint NOT NULL, -- processes that have it
	timed bigint NOT NULL, -- those of them whose start and end are known, in this order
	start_us bigint, -- the earliest start of a process [us]
	finish_us bigint, -- the latest end of a process [us]
	cpu_time bigint, -- sum of cpu_time in process; NULL if unknown [us]
	cpu_time_known bigint NOT NULL, -- processes whose cpu_time is known
	numtids bigint, -- sum of numtids in process; NULL if unknown
	numtids_known bigint NOT NULL, -- processes whose numtids is known
	duration_us bigint, -- sum of duration_us in process; NULL if unknown [us]
	duration_us_known bigint NOT NULL, -- processes whose duration_us is known
	usertime bigint, -- sum of usertime in process; NULL if unknown [us]
	usertime_known bigint NOT NULL, -- processes whose usertime is known
	systemtime bigint, -- sum of systemtime in process; NULL if unknown [us]
	systemtime_known bigint NOT NULL, -- processes whose systemtime is known
	rssmax bigint, -- largest rssmax in process; NULL if unknown [kB]
	rssmax_known bigint NOT NULL, -- processes whose rssmax is known
	vmpeak bigint, -- largest vmpeak in process; NULL if unknown [kB]
	vmpeak_known bigint NOT NULL, -- processes whose vmpeak is known
	minflt bigint, -- sum of minflt in process; NULL if unknown [n]
	minflt_known bigint NOT NULL, -- processes whose minflt is known
	majflt bigint, -- sum of majflt in process; NULL if unknown [n]
	majflt_known bigint NOT NULL, -- processes whose majflt is known
	inblock bigint, -- sum of inblock in process; NULL if unknown [512 B]
	inblock_known bigint NOT NULL, -- processes whose inblock is known
	outblock bigint, -- sum of outblock in process; NULL if unknown [512 B]
	outblock_known bigint NOT NULL, -- processes whose outblock is known
	vol_ctxsw bigint, -- sum of vol_ctxsw in process; NULL if unknown [n]
	vol_ctxsw_known bigint NOT NULL, -- processes whose vol_ctxsw is known
	invol_ctxsw bigint, -- sum of invol_ctxsw in process; NULL if unknown [n]
	invol_ctxsw_known bigint NOT NULL, -- processes whose invol_ctxsw is known
	delayacct_blkio_time bigint, -- sum of delayacct_blkio_time in process; NULL if unknown [ticks]
	delayacct_blkio_time_known bigint NOT NULL, -- processes whose delayacct_blkio_time is known
	guest_time bigint, -- sum of guest_time in process; NULL if unknown [ticks]
	guest_time_known bigint NOT NULL, -- processes whose guest_time is known
	rchar bigint, -- sum of rchar in process; NULL if unknown [B]
	rchar_known bigint NOT NULL, -- processes whose rchar is known
	wchar bigint, -- sum of wchar in process; NULL if unknown [B]
	wchar_known bigint NOT NULL, -- processes whose wchar is known
	syscr bigint, -- sum of syscr in process; NULL if unknown [n]
	syscr_known bigint NOT NULL, -- processes whose syscr is known
	syscw bigint, -- sum of syscw in process; NULL if unknown [n]
	syscw_known bigint NOT NULL, -- processes whose syscw is known
	read_bytes bigint, -- sum of read_bytes in process; NULL if unknown [B]
	read_bytes_known bigint NOT NULL, -- processes whose read_bytes is known
	write_bytes bigint, -- sum of write_bytes in process; NULL if unknown [B]
	write_bytes_known bigint NOT NULL, -- processes whose write_bytes is known
	cancelled_write_bytes bigint, -- sum of cancelled_write_bytes in process; NULL if unknown [B]
	cancelled_write_bytes_known bigint NOT NULL, -- processes whose cancelled_write_bytes is known
	time_oncpu bigint, -- sum of time_oncpu in process; NULL if unknown [ns]
	time_oncpu_known bigint NOT NULL, -- processes whose time_oncpu is known
	time_waiting bigint, -- sum of time_waiting in process; NULL if unknown [ns]
	time_waiting_known bigint NOT NULL, -- processes whose time_waiting is known
	timeslices bigint, -- sum of timeslices in process; NULL if unknown [n]
	timeslices_known bigint NOT NULL, -- processes whose timeslices is known
	rdtsc_duration bigint, -- sum of rdtsc_duration in process; NULL if unknown [cycles]
	rdtsc_duration_known bigint NOT NULL, -- processes whose rdtsc_duration is known
	own_overhead_us bigint, -- sum of own_overhead_us in process; NULL if unknown [us]
	own_overhead_us_known bigint NOT NULL, -- processes whose own_overhead_us is known
	own_cpu_us bigint, -- sum of own_cpu_us in process; NULL if unknown [us]
	own_cpu_us_known bigint NOT NULL, -- processes whose own_cpu_us is known
	own_minflt bigint, -- sum of own_minflt in process; NULL if unknown [n]
	own_minflt_known bigint NOT NULL, -- processes whose own_minflt is known
	own_outblock bigint, -- sum of own_outblock in process; NULL if unknown [512 B]
	own_outblock_known bigint NOT NULL, -- processes whose own_outblock is known
	own_rchar bigint, -- sum of own_rchar in process; NULL if unknown [B]
	own_rchar_known bigint NOT NULL, -- processes whose own_rchar is known
	own_wchar bigint, -- sum of own_wchar in process; NULL if unknown [B]
	own_wchar_known bigint NOT NULL, -- processes whose own_wchar is known
	own_syscr bigint, -- sum of own_syscr in process; NULL if unknown [n]
	own_syscr_known bigint NOT NULL, -- processes whose own_syscr is known
	own_syscw bigint, -- sum of own_syscw in process; NULL if unknown [n]
	own_syscw_known bigint NOT NULL, -- processes whose own_syscw is known
	gpu_time bigint, -- sum of gpu_time in process; NULL if unknown [ns]
	gpu_time_known bigint NOT NULL, -- processes whose gpu_time is known
	gpu_cycles bigint, -- sum of gpu_cycles in process; NULL if unknown [cycles]
	gpu_cycles_known bigint NOT NULL, -- processes whose gpu_cycles is known
	gpu_memory bigint, -- largest gpu_memory in process; NULL if unknown [kB]
	gpu_memory_known bigint NOT NULL, -- processes whose gpu_memory is known
	runs bytea, -- times at which one of `timed` ran, as intervals in coded bytes; NULL for none
	PRIMARY KEY (job_id, tag_set)
) PARTITION BY RANGE (job_id);

-- totals of each user's jobs by the day of their start, retired ones with their summary; sums as in program_summary
CREATE TABLE user_day (
	cluster text COLLATE "C" NOT NULL, -- cluster of the jobs, as in job
	"user" text COLLATE "C" NOT NULL, -- user of the jobs, as in job
	day_us bigint NOT NULL, -- midnight UTC at which the day began [us]
	jobs bigint NOT NULL, -- jobs that started on the day; where the start is unknown, epoch_us counts
	failed bigint NOT NULL, -- those of them with an exit_status other than 0 or an exit_signal
	processes bigint NOT NULL, -- their processes
	cpu_time bigint, -- CPU time of the jobs' processes, user and system [us]
	cpu_time_jobs bigint NOT NULL, -- jobs whose part of cpu_time is known
	allocated_us bigint, -- elapsed time of the jobs, times their CPUs [us]
	allocated_us_jobs bigint NOT NULL, -- jobs whose part of allocated_us is known
	rchar bigint, -- bytes read with any call [B]
	rchar_jobs bigint NOT NULL, -- jobs whose part of rchar is known
	wchar bigint, -- bytes written with any call [B]
	wchar_jobs bigint NOT NULL, -- jobs whose part of wchar is known
	read_bytes bigint, -- bytes read from storage [B]
	read_bytes_jobs bigint NOT NULL, -- jobs whose part of read_bytes is known
	write_bytes bigint, -- bytes written to storage [B]
	write_bytes_jobs bigint NOT NULL, -- jobs whose part of write_bytes is known
	PRIMARY KEY (cluster, "user", day_us)
);

-- files a job was loaded from
CREATE TABLE load (
	job_id bigint NOT NULL, -- the job
	id bigint NOT NULL, -- number of the file within the job, from 1
	host_id bigint, -- the host it describes; NULL where it names none or several
	file text COLLATE "C" NOT NULL, -- name of the file
	source text COLLATE "C" NOT NULL, -- directory or archive that held it
	digest text COLLATE "C" NOT NULL, -- SHA-256 of its content
	loaded_us bigint, -- when it was loaded [us]
	bytes bigint NOT NULL, -- its size [B]
	lines bigint NOT NULL, -- its lines that are neither empty nor headers
	rejected bigint NOT NULL, -- those of them in reject
	uid bigint, -- owner of the file where it was read in a directory and belonged to neither the directory's owner nor root: it describes that user's processes alone
	PRIMARY KEY (job_id, id),
	FOREIGN KEY (job_id) REFERENCES job (id) ON DELETE CASCADE
);

-- contents of the files, which are merged with files of the same host that are loaded later; of a series file of one host without rejected lines, the samples are merged and the content is not stored
CREATE TABLE content (
	job_id bigint NOT NULL, -- the job
	load_id bigint NOT NULL, -- the file
	part bigint NOT NULL, -- number of the piece within the file, from 1
	coding text COLLATE "C" NOT NULL, -- zstd: all pieces together are one frame of Zstandard; deflate: one zlib stream; empty: as it was
	bytes bytea NOT NULL, -- the piece
	PRIMARY KEY (job_id, load_id, part)
) PARTITION BY RANGE (job_id);

-- lines that could not be loaded
CREATE TABLE reject (
	job_id bigint NOT NULL, -- the job
	id bigint NOT NULL, -- number within the job, from 1
	load_id bigint NOT NULL, -- the file
	file text COLLATE "C" NOT NULL, -- its name
	line bigint NOT NULL, -- number of the line, from 1
	reason text COLLATE "C" NOT NULL, -- why it was not loaded
	bytes bytea NOT NULL, -- the line's first 64 KiB, as they were
	PRIMARY KEY (job_id, id),
	FOREIGN KEY (job_id) REFERENCES job (id) ON DELETE CASCADE
);

-- reference models: values of jobs that are known to be good
CREATE TABLE model (
	name text COLLATE "C" NOT NULL, -- name of the model
	enabled bigint NOT NULL, -- 1: perfmon analyze judges jobs by it; 0: not
	created_us bigint, -- when it was made [us]
	created_by text COLLATE "C", -- login name of the user who made it
	jobs bigint NOT NULL, -- number of jobs that it was made of
	job_group text COLLATE "C", -- what makes its jobs comparable, as JSON: [name] or [exp_name, exp_component]; NULL: they are not
	tags text COLLATE "C", -- tags that all its jobs have, as JSON; of a model of EPMT's, its tag
	methods text COLLATE "C" NOT NULL, -- methods that judge by it, of iqr, madz and z, with commas between
	PRIMARY KEY (name)
);

-- jobs that a model was made of, as far as they are still here
CREATE TABLE model_job (
	job_id bigint NOT NULL, -- the job
	model text COLLATE "C" NOT NULL, -- the model
	PRIMARY KEY (model, job_id),
	FOREIGN KEY (job_id) REFERENCES job (id) ON DELETE CASCADE,
	FOREIGN KEY (model) REFERENCES model (name) ON DELETE CASCADE
);

-- what a model knows of each feature, by method
CREATE TABLE model_feature (
	model text COLLATE "C" NOT NULL, -- the model
	operation text COLLATE "C" NOT NULL, -- tags of the processes of an operation, as JSON; empty: of the jobs as a whole
	feature text COLLATE "C" NOT NULL, -- column of table job; or a principal component, such as pca_01
	method text COLLATE "C" NOT NULL, -- iqr, madz or z
	known bigint NOT NULL, -- number of jobs whose value is known
	share double precision, -- share of the variance that a component explains; NULL of columns
	least double precision, -- the least value
	greatest double precision, -- the greatest value
	low double precision, -- iqr: the pseudo-quartile (3 greatest + 5 least) / 8, below which 1.5 ranges lead to the least
	high double precision, -- iqr: the pseudo-quartile (5 greatest + 3 least) / 8
	score double precision, -- madz, z: the largest score of a value
	centre double precision, -- madz: the median; z: the mean
	spread double precision, -- madz: the median of the distances from the median, or their mean where that is 0; z: the standard deviation of the population
	PRIMARY KEY (model, operation, feature, method),
	FOREIGN KEY (model) REFERENCES model (name) ON DELETE CASCADE
);

-- principal components of a model
CREATE TABLE model_component (
	model text COLLATE "C" NOT NULL, -- the model
	component bigint NOT NULL, -- number of the component, from 1
	feature text COLLATE "C" NOT NULL, -- column of table job
	centre double precision, -- mean of the column
	deviation double precision, -- its standard deviation
	loading double precision, -- factor of the standardized value in the component
	PRIMARY KEY (model, component, feature),
	FOREIGN KEY (model) REFERENCES model (name) ON DELETE CASCADE
);

-- analyses of jobs, and what they found
CREATE TABLE analysis (
	job_id bigint NOT NULL, -- the job
	name text COLLATE "C" NOT NULL, -- name of the analysis: outliers, or that of EPMT
	model text COLLATE "C" NOT NULL, -- the model by which the job was judged; empty: its peers, or nothing
	analyzed_us bigint, -- when [us]
	found bigint, -- number of figures by which the job stands out; NULL: it could not be judged
	result text COLLATE "C", -- the result, as JSON
	told_us bigint, -- when perfmon analyze said it; NULL: not yet, or nothing was found [us]
	PRIMARY KEY (job_id, name, model),
	FOREIGN KEY (job_id) REFERENCES job (id) ON DELETE CASCADE
);

-- for questions about all jobs
CREATE INDEX job_by_shown_id ON job ((CASE WHEN array_task = '' THEN jobid ELSE jobid || '_' || array_task END));
CREATE INDEX job_by_start ON job (start_us DESC NULLS LAST, id DESC, duration_us, cpu_time, rssmax, processes, efficiency);
CREATE INDEX job_by_end ON job ((coalesce(end_us, start_us, epoch_us)) DESC NULLS LAST, id DESC);
CREATE INDEX job_by_user ON job ("user", start_us DESC NULLS LAST, id DESC);
CREATE INDEX job_by_uid ON job (uid, start_us DESC NULLS LAST, id DESC) WHERE "user" = '';
CREATE INDEX job_by_name ON job ((substr(name, 1, 100)) NULLS FIRST, start_us DESC NULLS LAST, id DESC);
CREATE INDEX job_by_account ON job ((substr(account, 1, 100)) NULLS FIRST, start_us DESC NULLS LAST, id DESC);
CREATE INDEX job_by_queue ON job ((substr(queue, 1, 100)) NULLS FIRST, start_us DESC NULLS LAST, id DESC);
CREATE INDEX job_by_exit ON job (exit_status DESC NULLS LAST, exit_signal DESC NULLS LAST, id DESC);
CREATE INDEX job_failed ON job (start_us DESC NULLS LAST, id DESC) WHERE exit_status <> 0 OR exit_signal IS NOT NULL;
CREATE INDEX job_running ON job (start_us DESC NULLS LAST, id DESC) WHERE running > 0;
CREATE INDEX job_unanalyzed ON job (id) WHERE analyzed_us IS NULL AND coalesce(running, 0) = 0;
CREATE INDEX analysis_untold ON analysis (job_id) WHERE found > 0 AND told_us IS NULL;
CREATE INDEX model_of_job ON model_job (job_id);
CREATE INDEX host_by_name ON host ((substr(hostname, 1, 100)), job_id);
CREATE INDEX annotation_by_name ON annotation (name, (substr(value, 1, 100)));
CREATE INDEX tag_of_job ON tag_set (name, (substr(value, 1, 100))) WHERE id = 0;
CREATE INDEX job_by_duration_us ON job (duration_us DESC NULLS LAST, id DESC);
CREATE INDEX job_by_cpu_time ON job (cpu_time DESC NULLS LAST, id DESC);
CREATE INDEX job_by_rssmax ON job (rssmax DESC NULLS LAST, id DESC);
CREATE INDEX job_by_processes ON job (processes DESC NULLS LAST, id DESC);
CREATE INDEX job_by_efficiency ON job (efficiency DESC NULLS LAST, id DESC);

-- ranges of job numbers, one for each day of jobs: every partitioned table has a partition TABLE_NAME
-- for them, until the jobs of the day are retired
CREATE TABLE job_range (
	first_id bigint PRIMARY KEY,
	last_id bigint NOT NULL,
	name text COLLATE "C" NOT NULL UNIQUE -- such as 2026_11_26
);

-- the pieces are already compressed
ALTER TABLE content ALTER COLUMN bytes SET STORAGE EXTERNAL;

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

-- Make a range of numbers with its sequence, unless it is there, and the partitions that it lacks. A range
-- of schema version 5 has partitions of six tables; of the others, TABLE_old has the rows.
CREATE OR REPLACE FUNCTION perfmon_make_range(first bigint, last bigint, label text) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
	t text;
	part text;
BEGIN
	INSERT INTO job_range (first_id, last_id, name) VALUES (first, last, label) ON CONFLICT DO NOTHING;
	IF FOUND THEN
		EXECUTE format('CREATE SEQUENCE job_id_%s MINVALUE %s MAXVALUE %s', first, first, last);
	END IF;
	FOR t IN SELECT c.relname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
		WHERE n.nspname = current_schema() AND c.relkind = 'p' ORDER BY 1 LOOP
		part := format('%s_%s', t, label);
		CONTINUE WHEN to_regclass(part) IS NOT NULL
			OR (last - first > 9999999 AND to_regclass(t || '_old') IS NOT NULL);
		EXECUTE format('CREATE TABLE %I (LIKE %I INCLUDING ALL)', part, t);
		EXECUTE format('ALTER TABLE %I ATTACH PARTITION %I FOR VALUES FROM (%s) TO (%s)', t, part, first, last + 1);
	END LOOP;
END $$;

-- The first number of the range that has a number, which gets its partitions where they are dropped. A range
-- that is not there is made, for the day.
CREATE OR REPLACE FUNCTION perfmon_range_of(number bigint, day text) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
	first bigint;
	last bigint;
	label text;
BEGIN
	FOR attempt IN 1 .. 2 LOOP
		SELECT r.first_id, r.last_id, r.name INTO first, last, label FROM job_range r
			WHERE r.first_id <= number ORDER BY r.first_id DESC LIMIT 1;
		IF last >= number AND to_regclass('process_' || label) IS NOT NULL THEN
			RETURN first;
		END IF;
		LOCK TABLE job_range IN SHARE ROW EXCLUSIVE MODE;
	END LOOP;
	IF last IS NULL OR last < number THEN
		first := (number - 1) / 10000000 * 10000000 + 1;
		last := first + 9999999;
		label := CASE WHEN EXISTS (SELECT FROM job_range r WHERE r.name = day) THEN day || '_' || first ELSE day END;
	END IF;
	PERFORM perfmon_make_range(first, last, label);
	RETURN first;
END $$;

-- The first number of the range of a day, other than a range that is used up, or NULL. The first loader that
-- needs it makes it.
CREATE OR REPLACE FUNCTION perfmon_range_on(day text, used_up bigint) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
	first bigint;
	last bigint;
	label text;
BEGIN
	FOR attempt IN 1 .. 2 LOOP
		SELECT r.first_id, r.last_id, r.name INTO first, last, label FROM job_range r
			WHERE r.name = day OR r.name BETWEEN day || '_' AND day || '_~' ORDER BY r.first_id DESC LIMIT 1;
		IF first IS DISTINCT FROM used_up AND to_regclass('process_' || label) IS NOT NULL THEN
			RETURN first;
		END IF;
		LOCK TABLE job_range IN SHARE ROW EXCLUSIVE MODE;
	END LOOP;
	IF first IS NOT DISTINCT FROM used_up THEN
		label := CASE WHEN first IS NULL THEN day END;
		SELECT coalesce(max(r.last_id), 0) + 1 INTO first FROM job_range r;
		last := first + 9999999;
	END IF;
	PERFORM perfmon_make_range(first, last, coalesce(label, day || '_' || first));
	RETURN first;
END $$;

-- The number of a new job, from the range of the UTC day of its epoch_us. Days more than 40 days ago, as of old
-- jobs and wrong clocks, count as the first of their month, which bounds the number of ranges; days before 2000
-- and after tomorrow count as today.
-- It runs with the rights of the tables' owner, and only as a trigger of table job. The locks are those of a
-- table, which only loaders may take; an advisory lock would be open to every user. Whoever drops partitions
-- takes this lock EXCLUSIVE.
CREATE OR REPLACE FUNCTION perfmon_new_job() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
DECLARE
	today date := coalesce(to_date(substring(current_setting('perfmon.today', true) FROM '^\d{4}_\d\d_\d\d$'),
		'YYYY_MM_DD'), (now() AT TIME ZONE 'UTC')::date);
	number bigint;
	at date := today;
	day text;
	first bigint;
BEGIN
	IF TG_RELID <> 'job'::regclass THEN
		RAISE EXCEPTION 'perfmon_new_job() is for the table job alone, not %.%', TG_TABLE_SCHEMA,
			TG_TABLE_NAME USING ERRCODE = 'insufficient_privilege';
	END IF;
	number := NEW.epoch_us / 86400000000;
	IF number BETWEEN date '2000-01-01' - date '1970-01-01' AND today + 1 - date '1970-01-01' THEN
		at := date '1970-01-01' + number::int;
		IF at < today - 40 THEN
			at := date_trunc('month', at::timestamp)::date;
		END IF;
	END IF;
	day := to_char(at, 'YYYY_MM_DD');
	LOCK TABLE job_range IN ROW SHARE MODE;
	IF NEW.id IS NOT NULL THEN
		first := perfmon_range_of(NEW.id, day);
		EXECUTE format('SELECT setval(''job_id_%s'', greatest(last_value, $1)) FROM job_id_%s', first,
			first) USING NEW.id;
		RETURN NEW;
	END IF;
	LOOP
		first := perfmon_range_on(day, first);
		BEGIN
			NEW.id := nextval(format('job_id_%s', first)::regclass);
			RETURN NEW;
		EXCEPTION
			WHEN sequence_generator_limit_exceeded THEN NULL; -- the day needs another range
		END;
	END LOOP;
END $$;

-- Make the partitions of a job again whose rows are loaded anew after they were retired.
CREATE OR REPLACE FUNCTION perfmon_renew_job() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
BEGIN
	IF TG_RELID <> 'job'::regclass THEN
		RAISE EXCEPTION 'perfmon_renew_job() is for the table job alone, not %.%', TG_TABLE_SCHEMA,
			TG_TABLE_NAME USING ERRCODE = 'insufficient_privilege';
	END IF;
	LOCK TABLE job_range IN ROW SHARE MODE;
	PERFORM perfmon_range_of(NEW.id, to_char(now() AT TIME ZONE 'UTC', 'YYYY_MM_DD'));
	RETURN NEW;
END $$;

-- Delete the rows of a host, file or job from partitioned tables: a foreign key would slow every row of
-- a load. Where a whole range of jobs is deleted (perfmon.whole), its partitions are dropped instead. A plan
-- for any job would lock every partition.
CREATE OR REPLACE FUNCTION perfmon_gone_host() RETURNS trigger LANGUAGE plpgsql
SET plan_cache_mode = force_custom_plan AS $$
BEGIN
	IF current_setting('perfmon.whole', true) = 'on' THEN
		RETURN OLD;
	END IF;
	DELETE FROM counter c USING process p WHERE p.job_id = OLD.job_id AND p.host_id = OLD.id
		AND c.job_id = OLD.job_id AND c.process_id = p.id;
	DELETE FROM thread_row t USING process p WHERE p.job_id = OLD.job_id AND p.host_id = OLD.id
		AND t.job_id = OLD.job_id AND t.process_id = p.id;
	DELETE FROM process p WHERE p.job_id = OLD.job_id AND p.host_id = OLD.id;
	DELETE FROM sample_block b USING series s WHERE s.job_id = OLD.job_id AND s.host_id = OLD.id
		AND b.job_id = OLD.job_id AND b.series_id = s.id;
	DELETE FROM series_summary t USING series s WHERE s.job_id = OLD.job_id AND s.host_id = OLD.id
		AND t.job_id = OLD.job_id AND t.series_id = s.id;
	DELETE FROM series s WHERE s.job_id = OLD.job_id AND s.host_id = OLD.id;
	DELETE FROM tick_block t WHERE t.job_id = OLD.job_id AND t.host_id = OLD.id;
	RETURN OLD;
END $$;
CREATE OR REPLACE FUNCTION perfmon_gone_load() RETURNS trigger LANGUAGE plpgsql
SET plan_cache_mode = force_custom_plan AS $$
BEGIN
	IF current_setting('perfmon.whole', true) = 'on' THEN
		RETURN OLD;
	END IF;
	DELETE FROM content WHERE job_id = OLD.job_id AND load_id = OLD.id;
	RETURN OLD;
END $$;
CREATE OR REPLACE FUNCTION perfmon_gone_job() RETURNS trigger LANGUAGE plpgsql
SET plan_cache_mode = force_custom_plan AS $$
BEGIN
	IF current_setting('perfmon.whole', true) = 'on' THEN
		RETURN OLD;
	END IF;
	DELETE FROM counter WHERE job_id = OLD.id;
	DELETE FROM thread_row WHERE job_id = OLD.id;
	DELETE FROM process WHERE job_id = OLD.id;
	DELETE FROM sample_block WHERE job_id = OLD.id;
	DELETE FROM tick_block WHERE job_id = OLD.id;
	DELETE FROM series_summary WHERE job_id = OLD.id;
	DELETE FROM series WHERE job_id = OLD.id;
	DELETE FROM program_summary WHERE job_id = OLD.id;
	DELETE FROM tag_summary WHERE job_id = OLD.id;
	DELETE FROM content WHERE job_id = OLD.id;
	DELETE FROM tag_set WHERE job_id = OLD.id;
	RETURN OLD;
END $$;

-- The values of a block of samples, and the times of its ticks: see perfmon-schema(5).
CREATE OR REPLACE FUNCTION perfmon_sample_values(first bigint, step bigint, base bigint, deviations bytea)
RETURNS bigint[] LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
DECLARE
	data bytea := deviations || ''::bytea; -- read once
	value bigint := first;
	values bigint[] := ARRAY[first];
	n int := 1;
	byte int;
	number bigint := 0;
	shift int := 0;
	counting boolean := false;
BEGIN
	FOR i IN 0 .. length(data) - 1 LOOP
		byte := get_byte(data, i);
		number := number | ((byte & 127)::bigint << shift);
		shift := shift + 7;
		CONTINUE WHEN byte > 127;
		IF counting THEN
			FOR k IN 1 .. number LOOP
				value := value + step * base;
				n := n + 1;
				values[n] := value;
			END LOOP;
			counting := false;
		ELSIF number = 0 THEN
			counting := true;
		ELSE
			value := value + step * (base + CASE (number - 1) & 1 WHEN 1 THEN -((number - 1) >> 1) - 1
				ELSE (number - 1) >> 1 END);
			n := n + 1;
			values[n] := value;
		END IF;
		number := 0;
		shift := 0;
	END LOOP;
	RETURN values;
END $$;
CREATE OR REPLACE FUNCTION perfmon_tick_times(earliest bigint, digits bigint, times text, tick bigint, n bigint)
RETURNS bigint[] LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
DECLARE
	data bytea := convert_to(times, 'UTF8'); -- its substr() does not count characters
	values bigint[];
BEGIN
	FOR i IN 0 .. n - 1 LOOP
		values[i + 1] := earliest + convert_from(substr(data, (1 + (tick + i) * digits)::int, digits::int),
			'UTF8')::bigint;
	END LOOP;
	RETURN values;
END $$;
CREATE OR REPLACE FUNCTION perfmon_sample_reasons(unknown text, n bigint)
RETURNS text[] LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
DECLARE
	run jsonb;
	reason text;
	reasons text[] := array_fill(NULL::text, ARRAY[n::int]);
BEGIN
	FOR run IN SELECT jsonb_array_elements(unknown::jsonb) LOOP
		reason := run->>2;
		FOR i IN (run->>0)::int + 1 .. (run->>0)::int + (run->>1)::int LOOP
			reasons[i] := reason;
		END LOOP;
	END LOOP;
	RETURN reasons;
END $$;

-- Roles: perfmon_loader owns the tables and loads for all users, perfmon_reader sees and annotates the
-- jobs of its own user, perfmon_admin sees all. Where roles cannot be created, everything belongs to the
-- user who created the schema; once the roles exist, an administrator calls this function again.
CREATE OR REPLACE FUNCTION perfmon_secure() RETURNS void LANGUAGE plpgsql AS $$
DECLARE
	r text;
	k "char";
	own text;
	before name := (SELECT pg_get_userbyid(c.relowner) FROM pg_class c WHERE c.oid = 'job'::regclass);
	views boolean := current_setting('server_version_num')::int >= 150000;
BEGIN
	FOREACH r IN ARRAY ARRAY['perfmon_loader', 'perfmon_reader', 'perfmon_admin'] LOOP
		IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = r) THEN
			BEGIN
				EXECUTE format('CREATE ROLE %I NOLOGIN', r);
			EXCEPTION
				WHEN duplicate_object OR unique_violation THEN NULL;
				WHEN insufficient_privilege THEN
					RAISE NOTICE 'no role %: the tables are for % alone', r, current_user;
					RETURN;
			END;
		END IF;
	END LOOP;
	BEGIN
		IF NOT pg_has_role(current_user, 'perfmon_loader', 'USAGE') THEN
			EXECUTE format('GRANT perfmon_loader TO %I', current_user);
		END IF;
		EXECUTE format('GRANT USAGE ON SCHEMA %I TO perfmon_loader, perfmon_reader, perfmon_admin',
			current_schema());
		EXECUTE format('GRANT CREATE ON SCHEMA %I TO perfmon_loader', current_schema());
		-- Before version 15 every user may create functions in public, which are then called instead of others.
		IF has_schema_privilege('public', current_schema(), 'CREATE') THEN
			EXECUTE format('REVOKE CREATE ON SCHEMA %I FROM PUBLIC', current_schema());
		END IF;
		FOR r, k IN SELECT c.relname, c.relkind FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
			WHERE n.nspname = current_schema() AND c.relkind IN ('r', 'p', 'v') AND NOT c.relispartition
			AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.classid = 'pg_class'::regclass
				AND d.objid = c.oid AND d.deptype = 'e') LOOP
			IF k = 'v' THEN
				-- Before version 15 a view shows its owner's rows to all.
				IF views THEN
					EXECUTE format('ALTER VIEW %I SET (security_invoker = true)', r);
					EXECUTE format('GRANT SELECT ON %I TO perfmon_reader', r);
				END IF;
			ELSE
				EXECUTE format('GRANT SELECT ON %I TO perfmon_reader', r);
				EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', r);
				IF NOT EXISTS (SELECT FROM pg_policies p WHERE p.schemaname = current_schema()
					AND p.tablename = r) THEN
					EXECUTE format('CREATE POLICY perfmon_admin ON %I FOR SELECT '
						'TO perfmon_admin USING (true)', r);
					own := CASE
						WHEN r IN ('job', 'user_day') THEN '"user" = current_user'
						WHEN EXISTS (SELECT FROM information_schema.columns i
							WHERE i.table_schema = current_schema() AND i.table_name = r
							AND i.column_name = 'job_id')
						THEN 'job_id IN (SELECT id FROM job WHERE "user" = current_user)'
						ELSE 'true' END;
					EXECUTE format('CREATE POLICY perfmon_reader ON %I FOR SELECT '
						'TO perfmon_reader USING (%s)', r, own);
					-- Users may write annotations of their own jobs.
					IF r IN ('job', 'annotation') THEN
						EXECUTE format('CREATE POLICY perfmon_note ON %I FOR %s '
							'TO perfmon_reader USING (%s) WITH CHECK (%3$s)', r,
							CASE r WHEN 'job' THEN 'UPDATE' ELSE 'ALL' END, own);
						EXECUTE format('GRANT %s ON %I TO perfmon_reader', CASE r
							WHEN 'job' THEN 'UPDATE (annotations)' ELSE 'INSERT, UPDATE, DELETE' END, r);
					END IF;
				END IF;
			END IF;
			EXECUTE format('GRANT SELECT ON %I TO perfmon_admin', r);
			EXECUTE format('ALTER TABLE %I OWNER TO perfmon_loader', r);
		END LOOP;
		FOR r IN SELECT c.relname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
			WHERE n.nspname = current_schema() AND c.relispartition AND c.relkind = 'r' LOOP
			EXECUTE format('ALTER TABLE %I OWNER TO perfmon_loader', r);
		END LOOP;
		FOR r IN SELECT m.first_id FROM job_range m LOOP
			EXECUTE format('ALTER SEQUENCE job_id_%s OWNER TO perfmon_loader', r);
		END LOOP;
		FOR r IN SELECT p.oid::regprocedure::text FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace
			WHERE n.nspname = current_schema() AND p.proname LIKE 'perfmon\_%' LOOP
			EXECUTE format('ALTER FUNCTION %s OWNER TO perfmon_loader', r);
		END LOOP;
		IF NOT pg_has_role(before, 'perfmon_loader', 'USAGE') THEN
			RAISE NOTICE 'the tables are no longer those of %: GRANT perfmon_loader TO % where it is to load',
				before, quote_ident(before);
		END IF;
	EXCEPTION
		WHEN insufficient_privilege THEN
			RAISE NOTICE '%: the tables are for % alone', SQLERRM, current_user;
	END;
END $$;
-- Functions look up names in this schema only, and only the owner may call those that
-- read tables.
DO $$
DECLARE
	f text;
BEGIN
	FOR f IN SELECT p.oid::regprocedure::text FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace
		WHERE n.nspname = current_schema() AND p.proname LIKE 'perfmon\_%' LOOP
		EXECUTE format('ALTER FUNCTION %s SET search_path = %I, pg_temp', f, current_schema());
		EXECUTE format('REVOKE ALL ON FUNCTION %s FROM PUBLIC', f);
	END LOOP;
	-- These read no table: the view sample calls them for whoever may read the blocks.
	GRANT EXECUTE ON FUNCTION perfmon_sample_values(bigint, bigint, bigint, bytea) TO PUBLIC;
	GRANT EXECUTE ON FUNCTION perfmon_tick_times(bigint, bigint, text, bigint, bigint) TO PUBLIC;
	GRANT EXECUTE ON FUNCTION perfmon_sample_reasons(text, bigint) TO PUBLIC;
END $$;

-- one readable line per job: seconds, MB (1e6 bytes), percent
CREATE VIEW job_summary AS
SELECT id, jobid AS job, "user", name, scheduler,
	CAST(duration_us / 1000 + duration_us % 1000 / 500 AS double precision) / 1000 AS wall_s,
	CAST(cpu_time / 1000 + cpu_time % 1000 / 500 AS double precision) / 1000 AS cpu_s,
	cpus, floor(1000 * efficiency + 0.5) / 10.0 AS efficiency_pct,
	floor(CAST(rssmax AS double precision) / 97.65625 + 0.5) / 10.0 AS peak_mb,
	floor(CAST(read_bytes AS double precision) / 100000 + 0.5) / 10.0 AS read_mb,
	floor(CAST(write_bytes AS double precision) / 100000 + 0.5) / 10.0 AS written_mb,
	hosts, processes, threads, failed, killed, rejected,
	floor(1000 * coverage + 0.5) / 10.0 AS coverage_pct,
	exit_status, exit_signal, start_us, end_us,
	energy_uj, CAST(energy_uj AS double precision) / 1000000 AS energy_j,
	CAST(energy_mean_uw AS double precision) / 1000000 AS mean_w,
	CAST(energy_peak_uw AS double precision) / 1000000 AS peak_w, energy_method, energy_hosts,
	floor(1000 * energy_coverage + 0.5) / 10.0 AS energy_pct
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
SELECT b.job_id, b.series_id, v.time_us,
	CASE WHEN v.reason IS NULL THEN v.value END AS value, v.reason,
	v.monotonic_us, b.id AS block_id, b.begin_us AS block_begin_us, b.end_us AS block_end_us
FROM sample_block b JOIN tick_block t ON t.job_id = b.job_id AND t.id = b.tick_block_id
CROSS JOIN LATERAL unnest(perfmon_sample_values(b.first, b.step, b.base, b.deviations),
	perfmon_tick_times(t.time_us, t.digits, t.times, b.tick, b.samples),
	perfmon_tick_times(t.monotonic_us, t.monotonic_digits, t.monotonics, b.tick, b.samples),
	perfmon_sample_reasons(b.unknown, b.samples)) v(value, time_us, monotonic_us, reason);

DO $$ BEGIN PERFORM perfmon_secure(); END $$;

CREATE TRIGGER perfmon_new_job BEFORE INSERT ON job FOR EACH ROW EXECUTE FUNCTION perfmon_new_job();
CREATE TRIGGER perfmon_renew_job BEFORE UPDATE OF problems ON job FOR EACH ROW
	WHEN (OLD.problems LIKE '%retired: its processes%' AND coalesce(NEW.problems, '') NOT LIKE '%retired: its processes%')
	EXECUTE FUNCTION perfmon_renew_job();
CREATE TRIGGER perfmon_gone_host BEFORE DELETE ON host FOR EACH ROW EXECUTE FUNCTION perfmon_gone_host();
CREATE TRIGGER perfmon_gone_load BEFORE DELETE ON load FOR EACH ROW EXECUTE FUNCTION perfmon_gone_load();
CREATE TRIGGER perfmon_gone_job BEFORE DELETE ON job FOR EACH ROW EXECUTE FUNCTION perfmon_gone_job();

INSERT INTO schema_version (version, applied_us) VALUES (9, CAST(extract(epoch FROM now()) * 1000000 AS bigint));
