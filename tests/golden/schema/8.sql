PRAGMA foreign_keys=OFF;
BEGIN TRANSACTION;
CREATE TABLE schema_version (
	version INTEGER NOT NULL, -- schema version
	applied_us INTEGER, -- when this version was applied [us]
	PRIMARY KEY (version)
);
INSERT INTO schema_version VALUES(8,1795763667000000);
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
	efficiency REAL, -- cpu_time with excluded_cpu_us and folded_cpu_us / (duration_us * cpus)
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
	UNIQUE (jobid, array_task, "user", cluster, restart_count, epoch_us)
);
INSERT INTO job VALUES(1,'','alice','11174-1','',0,1795303369223705,'none','sh',1042,1042,'["alice"]',NULL,NULL,NULL,NULL,NULL,NULL,'{"session_id":"11174","session_start":"77336"}','{"exp":"winter","model":"m1"}','{"campaign":"winter","note":"two words; and more"}',1795303369223705,1795303371325669,2101964,3,NULL,10,14,2,1,0,1,0,1,NULL,2,1700268,1701446,0,NULL,NULL,0.40444745961396105782,0,NULL,0,0,0,NULL,1458475,241793,140668,1534200,135820,0,0,8,51,535,NULL,0,4106087,3128509,599,386,0,4096,0,1681470183,2259377683,592,1242,1174,21,0,21349,6734,55,18,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO job VALUES(2,'c1','someone','77','3',1,1699999999000000,'slurm','golden',1000,1000,'["users","staff"]',NULL,'short',NULL,NULL,1,2,'{"SLURM_JOB_NUM_NODES":"1"}','{"exp":"a:b=c","bare":"1"}',NULL,1699999999990000,1700000000029000,39000,0,NULL,6,7,2,1,0,2,1,1,2,2,18598,NULL,0,NULL,NULL,0.23843589743589743701,0,NULL,NULL,2,1,NULL,16108,2490,123456,9000,5228,2,20,8,12,4,NULL,0,18000,200,30,10,8192,16384,0,8480000,10000,8,180,120,18,NULL,3000,600,15,3,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
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
INSERT INTO host VALUES(1,1,'node17','01f7e299-0c84-4bd2-8daf-05f6c77713ed','6.1.0-18-amd64','x86_64','Debian GNU/Linux 12 (bookworm)','Intel(R) Xeon(R) Processor','GenuineIntel-6-CF-2',2,2,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,24684084,NULL,NULL,4096,100,NULL,1795303369223705,1343555644,'/home/alice','["sh","work.sh"]','{"PERFMON_OUTPUT_PREFIX":"/home/alice/out","PERFMON_OPTIONS":"page-faults,task-clock,cycles","PATH":"/usr/bin:/bin","PERFMON_LIBRARY":"/home/rec/libperfmon.so","PERFMON_JOB_TAGS":"exp:winter;model:m1","LC_ALL":"C","TZ":"UTC"}',NULL,'/',NULL,NULL,NULL,NULL,NULL,1795303371325669,1345657608,3,NULL,'failure','{}','[]','[]',NULL,NULL,1701446,NULL,NULL,1,13286,35,1,0,NULL,0,1700268,1701446,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO host VALUES(2,1,'n0','6f0a4c1e-3c5b-4a55-9c0e-0123456789ab','6.1.0','x86_64','Linux','A CPU',NULL,8,2,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,16000000,NULL,NULL,4096,100,NULL,1699999999990000,1000000,'/home/u','["sh","-c","make all"]','{"PATH":"/usr/bin:/bin"}',NULL,'/user.slice',NULL,NULL,5000,NULL,NULL,1700000000029000,1039000,0,NULL,NULL,'{"OMP_NUM_THREADS":"4","GONE":null}',NULL,NULL,NULL,25000,NULL,NULL,NULL,1,100,16,2,NULL,NULL,NULL,18598,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
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
INSERT INTO process VALUES(1,1,1,NULL,0,1807,1700268,NULL,4026531836,32233,134356,1795303369238229,0,32233,'dash','/usr/bin/dash','work.sh',NULL,'11174-1',NULL,NULL,32232,32210,11174,1042,NULL,NULL,'/',NULL,'sh',1795303369238229,1795303371315053,2076823,'exit',3,NULL,1,1,1807,0,1864,6108,103,0,0,0,8,1,135736,0,1457096,242415,0,NULL,0,5125,7,11,1,0,0,0,1651871,1931571,10,4776710372,154,128,2,0,2226,2178,5,5,'0.1.0',NULL,NULL,NULL,NULL);
INSERT INTO process VALUES(1,2,1,1,1,1275,4574,1,4026531836,32235,134357,1795303369239349,0,32235,'dash','/usr/bin/dash','-c seq\x201000\x20>list;\x20sort\x20-r\x20list\x20>sorted;\x20wc\x20-l\x20sorted','op:prepare;step:1','11174-1',NULL,NULL,32233,32210,11174,1042,NULL,NULL,'/',NULL,'sh',1795303369239349,1795303369243175,3826,'exit',0,NULL,1,1,1275,0,1864,6108,70,0,0,0,6,1,227,0,3514,0,0,NULL,0,4844,0,10,0,0,0,0,1081281,11246,8,8811642,155,139,2,0,2216,1292,5,4,'0.1.0',NULL,NULL,NULL,NULL);
INSERT INTO process VALUES(1,3,1,2,2,1066,1066,1,4026531836,32236,134357,1795303369240409,0,32236,'seq','/usr/bin/seq','1000','op:prepare;step:1','11174-1',NULL,NULL,32235,32210,11174,1042,NULL,NULL,NULL,NULL,'seq',1795303369240409,1795303369240531,122,'exit',0,NULL,1,1,1066,0,1628,6036,68,0,0,0,0,1,0,0,0,0,0,NULL,0,4844,3893,10,1,0,0,0,968551,8283,2,290762,76,75,2,0,2061,351,4,1,'0.1.0',NULL,NULL,NULL,NULL);
INSERT INTO process VALUES(1,4,1,2,2,1105,1105,1,4026531836,32237,134357,1795303369241552,0,32237,'sort','/usr/bin/sort','-r list','op:prepare;step:1','11174-1',NULL,NULL,32235,32210,11174,1042,NULL,NULL,NULL,NULL,'sort',1795303369241552,1795303369241791,238,'exit',0,NULL,1,1,1105,0,1632,6336,80,0,0,0,0,1,0,0,0,0,0,NULL,0,8737,3893,12,1,0,0,0,1027143,6101,2,559924,67,66,2,0,2072,357,4,1,'0.1.0',NULL,NULL,NULL,NULL);
INSERT INTO process VALUES(1,5,1,2,2,1128,1128,1,4026531836,32238,134357,1795303369242782,0,32238,'wc','/usr/bin/wc','-l sorted','op:prepare;step:1','11174-1',NULL,NULL,32235,32210,11174,1042,NULL,NULL,NULL,NULL,'wc',1795303369242782,1795303369243002,220,'exit',0,NULL,1,1,1128,0,1764,6028,73,0,0,8,0,1,0,0,0,0,0,NULL,0,8737,12,12,1,0,4096,0,1007234,6406,2,517452,75,73,2,0,2058,353,4,1,'0.1.0',NULL,NULL,NULL,NULL);
INSERT INTO process VALUES(1,6,1,1,1,2937,1691489,2,4026531836,32239,134357,1795303369244418,0,32239,'dash','/usr/bin/dash','-c for\x20i\x20in\x201\x202;\x20do\x20xz\x20-T2\x20--block-size=300KiB\x20-k\x20-f\x20-9\x20data;\x20done','op:compute;step:2;fast','11174-1',NULL,NULL,32233,32210,11174,1042,NULL,NULL,'/',NULL,'sh',1795303369244418,1795303371312163,2067745,'exit',0,NULL,1,1,1105,1832,1816,6108,70,0,0,0,4,2,135219,0,1448591,240363,0,NULL,0,4844,0,10,0,0,0,0,2789827,991417,7,4755821158,236,220,3,0,2223,1064,5,3,'0.1.0',NULL,NULL,NULL,NULL);
INSERT INTO process VALUES(1,7,1,6,2,831895,831895,2,4026531836,32240,134357,1795303369245600,0,32240,'xz','/usr/bin/xz','-T2 --block-size=300KiB -k -f -9 data','op:compute;step:2;fast','11174-1',NULL,NULL,32239,32210,11174,1042,NULL,NULL,'/',NULL,'xz',1795303369245600,1795303370084227,838627,'exit',0,NULL,3,3,711670,120225,140668,1534200,67607,0,0,0,15,229,0,0,0,0,1,NULL,0,2032056,1560352,262,191,0,0,0,825607262,789069653,245,1928851583,193,190,3,0,3215,387,12,1,'0.1.0',NULL,NULL,NULL,NULL);
INSERT INTO process VALUES(1,8,1,6,2,856657,856657,2,4026531836,32271,134442,1795303370093203,0,32271,'xz','/usr/bin/xz','-T2 --block-size=300KiB -k -f -9 data','op:compute;step:2;fast','11174-1',NULL,NULL,32239,32210,11174,1042,NULL,NULL,'/',NULL,'xz',1795303370093203,1795303371284425,1191221,'exit',0,NULL,3,3,736921,119736,140664,1534200,67606,0,0,0,17,296,0,0,0,0,0,NULL,0,2032056,1560352,262,191,0,0,0,846304722,1467345726,314,2739821484,213,211,3,0,3216,387,12,1,'0.1.0',NULL,NULL,NULL,NULL);
INSERT INTO process VALUES(1,9,1,1,1,1114,1114,3,4026531836,32336,134564,1795303371313422,0,32336,'dash','/usr/bin/dash','-c false;\x20true','op:compute;step:3','11174-1',NULL,NULL,32233,32210,11174,1042,NULL,NULL,NULL,NULL,'sh',1795303371313422,1795303371313545,122,'exit',0,NULL,1,1,1114,0,1816,6108,70,0,0,0,0,1,0,0,0,0,0,NULL,0,4844,0,10,0,0,0,0,1032292,7280,2,295526,73,72,2,0,2062,365,4,1,'0.1.0',NULL,NULL,NULL,NULL);
INSERT INTO process VALUES(1,10,1,1,1,1284,1284,NULL,4026531836,32337,134564,1795303371314731,0,32337,'dash','/usr/bin/dash','-c kill\x20-9\x20$$',NULL,'11174-1',NULL,NULL,32233,32210,11174,1042,NULL,NULL,NULL,NULL,'sh',1795303371314731,1795303371315022,291,'signal',NULL,9,NULL,NULL,1284,0,NULL,NULL,73,0,0,0,1,2,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,'0.1.0',NULL,NULL,NULL,NULL);
INSERT INTO process VALUES(2,1,1,NULL,0,1360,18598,1,4026531836,1000,100,1700000000000000,0,1000,'dash','/usr/bin/dash','-c make\x20all;\x20./sim\x20\\$HOME \e caf\xffé','op:build;rank zero=x;bare','77','0',0,1,1000,900,1000,NULL,NULL,'/user.slice',NULL,'dash',1700000000000000,1700000000030000,30000,'exit',0,NULL,1,1,900,460,2048,9000,94,0,4,0,3,1,0,0,0,0,1,NULL,0,4000,100,15,5,4096,8192,0,1360000,5000,4,90000000,60,40,6,NULL,1000,200,5,1,'0.1.0',NULL,NULL,NULL,NULL);
INSERT INTO process VALUES(2,2,1,1,1,550,550,1,4026531836,1001,110,1700000000001000,0,1001,'dash','/usr/bin/dash','-c make\x20all','op:build;rank zero=x;bare','77','0',0,1000,1001,900,1000,0,2,'/user.slice',NULL,'dash',1700000000001000,1700000000001600,600,'exec',NULL,NULL,1,1,350,200,2048,9000,94,0,0,0,3,1,0,0,0,0,1,NULL,0,5000,100,15,5,4096,8192,0,550000,5000,4,1800000,60,40,6,NULL,1000,200,5,1,'0.1.0',NULL,NULL,NULL,NULL);
INSERT INTO process VALUES(2,3,1,1,1,6688,6688,1,4026531836,1001,110,1700000000001700,1,1001,'make','/usr/bin/make','all','op:build;rank zero=x;bare','77','0',0,1000,1001,900,1000,NULL,NULL,'/user.slice',NULL,'make',1700000000001700,1700000000009100,7400,'exit',2,NULL,2,1,5788,900,2048,9000,0,0,0,0,0,0,0,0,12,0,1,NULL,0,9000,0,0,0,0,0,0,6570000,0,0,22200000,60,40,6,NULL,1000,200,5,1,'0.1.0',NULL,NULL,NULL,NULL);
INSERT INTO process VALUES(2,4,1,1,1,100,100,NULL,4026531836,1003,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,1000,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,1700000000009500,NULL,'exit',0,NULL,NULL,NULL,70,30,NULL,NULL,40,0,0,0,3,1,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO process VALUES(2,5,1,1,1,9900,9900,1,4026531836,1004,150,1700000000009600,0,1004,'sim','/home/u/sim (deleted)','\+40000:0123456789abcdef','op:build;rank zero=x;bare','77','0',0,1000,1004,900,1000,1,2,'/user.slice','box','sim',1700000000009600,1700000000020000,10400,'signal',NULL,9,NULL,NULL,9000,900,123456,NULL,5000,2,16,8,3,1,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,'0.1.0',NULL,NULL,NULL,NULL);
INSERT INTO process VALUES(2,6,1,5,2,NULL,NULL,1,4026531836,1005,160,1700000000015000,0,1005,'child','/home/u/child','','op:build;rank zero=x;bare','77','0',0,1004,1005,900,1000,NULL,NULL,'/user.slice',NULL,'child',1700000000015000,NULL,NULL,'unknown',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,'0.1.0',NULL,NULL,NULL,NULL);
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
INSERT INTO thread_row VALUES(1,7,1,134357,32240,'xz',1795303369245600,1795303370084296,838696,3728,0,244,0,0,0,8,1,1,NULL,NULL,2031992,1560352,260,191,0,0,0,3781019,10904250,10,1929011315,0,2231,387,5,1);
INSERT INTO thread_row VALUES(1,7,2,134357,32241,'xz',1795303369246325,1795303370084332,838006,409528,51191,NULL,NULL,NULL,NULL,NULL,NULL,0,NULL,0,0,0,0,0,0,0,0,460719594,373419750,134,1927412789,NULL,NULL,NULL,NULL,NULL);
INSERT INTO thread_row VALUES(1,7,3,134357,32242,'xz',1795303369248112,1795303370084353,836240,309683,51613,NULL,NULL,NULL,NULL,NULL,NULL,0,NULL,0,0,0,0,0,0,0,0,361296649,404745653,101,1923352637,NULL,NULL,NULL,NULL,NULL);
INSERT INTO thread_row VALUES(1,8,1,134442,32271,'xz',1795303370093203,1795303371284492,1191288,3485,0,243,0,0,0,13,2,0,NULL,NULL,2031992,1560352,260,191,0,0,0,3532947,30063825,16,2739975218,0,2232,387,5,1);
INSERT INTO thread_row VALUES(1,8,2,134442,32272,'xz',1795303370094113,1795303371284534,1190420,396177,60950,NULL,NULL,NULL,NULL,NULL,NULL,0,NULL,0,0,0,0,0,0,0,0,457127898,731963505,168,2737964144,NULL,NULL,NULL,NULL,NULL);
INSERT INTO thread_row VALUES(1,8,3,134442,32275,'xz',1795303370096243,1795303371284554,1188310,335084,50770,NULL,NULL,NULL,NULL,NULL,NULL,1,NULL,0,0,0,0,0,0,0,0,385854877,705318396,130,2733112776,NULL,NULL,NULL,NULL,NULL);
INSERT INTO thread_row VALUES(2,3,1,110,1001,'make',1700000000001700,1700000000009000,7300,1650,660,100,0,0,0,0,0,0,NULL,NULL,500,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,500,NULL,NULL,NULL);
INSERT INTO thread_row VALUES(2,3,2,111,1002,'worker\x20)',1700000000002000,1700000000008000,6000,4000,100,50,0,0,0,3,1,1,NULL,NULL,70,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
CREATE TABLE excluded_program (
	job_id INTEGER NOT NULL, -- the job
	host_id INTEGER NOT NULL, -- the host
	exename TEXT NOT NULL, -- base name of the executable; empty where unknown
	images INTEGER NOT NULL, -- how often it was started, by exec or fork
	cpu_time INTEGER, -- CPU time of these images and of unrecorded children they waited for; NULL where no recorded process waited for any of them and none executed a recorded program [us]
	PRIMARY KEY (job_id, host_id, exename),
	FOREIGN KEY (job_id, host_id) REFERENCES host (job_id, id) ON DELETE CASCADE
) WITHOUT ROWID;
CREATE TABLE lost (
	job_id INTEGER NOT NULL, -- the job
	host_id INTEGER NOT NULL, -- the host
	reason TEXT NOT NULL, -- name of the error, such as ENOSPC
	lines INTEGER NOT NULL, -- record lines that could not be written
	bytes INTEGER NOT NULL, -- their length [B]
	PRIMARY KEY (job_id, host_id, reason),
	FOREIGN KEY (job_id, host_id) REFERENCES host (job_id, id) ON DELETE CASCADE
) WITHOUT ROWID;
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
INSERT INTO counter VALUES(1,1,0,'cycles',NULL,NULL,'ENOENT',NULL);
INSERT INTO counter VALUES(1,1,0,'page-faults',14,NULL,NULL,NULL);
INSERT INTO counter VALUES(1,1,0,'task-clock',475537,NULL,NULL,NULL);
INSERT INTO counter VALUES(1,2,0,'cycles',NULL,NULL,'ENOENT',NULL);
INSERT INTO counter VALUES(1,2,0,'page-faults',14,NULL,NULL,NULL);
INSERT INTO counter VALUES(1,2,0,'task-clock',257304,NULL,NULL,NULL);
INSERT INTO counter VALUES(1,3,0,'cycles',NULL,NULL,'ENOENT',NULL);
INSERT INTO counter VALUES(1,3,0,'page-faults',12,NULL,NULL,NULL);
INSERT INTO counter VALUES(1,3,0,'task-clock',65425,NULL,NULL,NULL);
INSERT INTO counter VALUES(1,4,0,'cycles',NULL,NULL,'ENOENT',NULL);
INSERT INTO counter VALUES(1,4,0,'page-faults',23,NULL,NULL,NULL);
INSERT INTO counter VALUES(1,4,0,'task-clock',188202,NULL,NULL,NULL);
INSERT INTO counter VALUES(1,5,0,'cycles',NULL,NULL,'ENOENT',NULL);
INSERT INTO counter VALUES(1,5,0,'page-faults',16,NULL,NULL,NULL);
INSERT INTO counter VALUES(1,5,0,'task-clock',164447,NULL,NULL,NULL);
INSERT INTO counter VALUES(1,6,0,'cycles',NULL,NULL,'ENOENT',NULL);
INSERT INTO counter VALUES(1,6,0,'page-faults',12,NULL,NULL,NULL);
INSERT INTO counter VALUES(1,6,0,'task-clock',1964486,NULL,NULL,NULL);
INSERT INTO counter VALUES(1,7,0,'cycles',NULL,NULL,'ENOENT',NULL);
INSERT INTO counter VALUES(1,7,0,'page-faults',67542,NULL,NULL,NULL);
INSERT INTO counter VALUES(1,7,0,'task-clock',824666093,NULL,NULL,NULL);
INSERT INTO counter VALUES(1,7,1,'cycles',NULL,NULL,'ENOENT',NULL);
INSERT INTO counter VALUES(1,7,1,'page-faults',179,NULL,NULL,NULL);
INSERT INTO counter VALUES(1,7,1,'task-clock',2701324,NULL,NULL,NULL);
INSERT INTO counter VALUES(1,7,2,'cycles',NULL,NULL,'ENOENT',NULL);
INSERT INTO counter VALUES(1,7,2,'page-faults',33708,NULL,NULL,NULL);
INSERT INTO counter VALUES(1,7,2,'task-clock',460700531,NULL,NULL,NULL);
INSERT INTO counter VALUES(1,7,3,'cycles',NULL,NULL,'ENOENT',NULL);
INSERT INTO counter VALUES(1,7,3,'page-faults',33655,NULL,NULL,NULL);
INSERT INTO counter VALUES(1,7,3,'task-clock',361264238,NULL,NULL,NULL);
INSERT INTO counter VALUES(1,8,0,'cycles',NULL,NULL,'ENOENT',NULL);
INSERT INTO counter VALUES(1,8,0,'page-faults',67542,NULL,NULL,NULL);
INSERT INTO counter VALUES(1,8,0,'task-clock',845354687,NULL,NULL,NULL);
INSERT INTO counter VALUES(1,8,1,'cycles',NULL,NULL,'ENOENT',NULL);
INSERT INTO counter VALUES(1,8,1,'page-faults',179,NULL,NULL,NULL);
INSERT INTO counter VALUES(1,8,1,'task-clock',2418862,NULL,NULL,NULL);
INSERT INTO counter VALUES(1,8,2,'cycles',NULL,NULL,'ENOENT',NULL);
INSERT INTO counter VALUES(1,8,2,'page-faults',33708,NULL,NULL,NULL);
INSERT INTO counter VALUES(1,8,2,'task-clock',457104655,NULL,NULL,NULL);
INSERT INTO counter VALUES(1,8,3,'cycles',NULL,NULL,'ENOENT',NULL);
INSERT INTO counter VALUES(1,8,3,'page-faults',33655,NULL,NULL,NULL);
INSERT INTO counter VALUES(1,8,3,'task-clock',385831170,NULL,NULL,NULL);
INSERT INTO counter VALUES(1,9,0,'cycles',NULL,NULL,'ENOENT',NULL);
INSERT INTO counter VALUES(1,9,0,'page-faults',13,NULL,NULL,NULL);
INSERT INTO counter VALUES(1,9,0,'task-clock',55684,NULL,NULL,NULL);
INSERT INTO counter VALUES(2,3,0,'broken',NULL,NULL,NULL,NULL);
INSERT INTO counter VALUES(2,3,0,'perf::CYCLES:u=1',9,NULL,NULL,NULL);
INSERT INTO counter VALUES(2,3,0,'perf::TASK-CLOCK',7000000,0.75,NULL,NULL);
INSERT INTO counter VALUES(2,3,1,'perf::TASK-CLOCK',2000000,NULL,NULL,NULL);
INSERT INTO counter VALUES(2,3,2,'perf::CYCLES:u=1',9,NULL,NULL,NULL);
INSERT INTO counter VALUES(2,3,2,'perf::TASK-CLOCK',5000000,0.5,NULL,NULL);
CREATE TABLE tag_set (
	job_id INTEGER NOT NULL, -- the job
	id INTEGER NOT NULL, -- number of the set within the job; 0 for the tags of the job itself
	name TEXT NOT NULL, -- name of the tag
	value TEXT, -- its value; 1 for a bare name
	PRIMARY KEY (job_id, id, name),
	FOREIGN KEY (job_id) REFERENCES job (id) ON DELETE CASCADE
) WITHOUT ROWID;
INSERT INTO tag_set VALUES(1,0,'exp','winter');
INSERT INTO tag_set VALUES(1,0,'model','m1');
INSERT INTO tag_set VALUES(1,1,'op','prepare');
INSERT INTO tag_set VALUES(1,1,'step','1');
INSERT INTO tag_set VALUES(1,2,'fast','1');
INSERT INTO tag_set VALUES(1,2,'op','compute');
INSERT INTO tag_set VALUES(1,2,'step','2');
INSERT INTO tag_set VALUES(1,3,'op','compute');
INSERT INTO tag_set VALUES(1,3,'step','3');
INSERT INTO tag_set VALUES(2,0,'bare','1');
INSERT INTO tag_set VALUES(2,0,'exp','a:b=c');
INSERT INTO tag_set VALUES(2,1,'bare','1');
INSERT INTO tag_set VALUES(2,1,'op','build');
INSERT INTO tag_set VALUES(2,1,'rank zero=x','1');
CREATE TABLE annotation (
	job_id INTEGER NOT NULL, -- the job
	name TEXT NOT NULL, -- name of the annotation
	value TEXT, -- its value
	PRIMARY KEY (job_id, name),
	FOREIGN KEY (job_id) REFERENCES job (id) ON DELETE CASCADE
) WITHOUT ROWID;
INSERT INTO annotation VALUES(1,'campaign','winter');
INSERT INTO annotation VALUES(1,'note','two words; and more');
CREATE TABLE metric (
	name TEXT NOT NULL, -- column of a record, and of the tables process and thread_row
	unit TEXT NOT NULL, -- its unit; empty for none
	kind TEXT NOT NULL, -- how values combine: COUNTER, SPAN, OWN and WORK sum, PEAK takes the largest
	scope TEXT NOT NULL, -- PROCESS or THREAD: the smallest unit a value describes
	source TEXT NOT NULL, -- where the collector reads it
	help TEXT NOT NULL, -- what it is
	PRIMARY KEY (name)
);
INSERT INTO metric VALUES('record','','TEXT','PROCESS','collector','record kind: start, thread, end, last, reaped, resumed or excluded');
INSERT INTO metric VALUES('boot_id','','TEXT','PROCESS','/proc/sys/kernel/random/boot_id','boot id of the host: tells equal pids on different hosts and boots apart');
INSERT INTO metric VALUES('pid_ns','','KEY','PROCESS','inode of /proc/self/ns/pid','pid namespace: tells equal pids in different containers apart');
INSERT INTO metric VALUES('pid','','KEY','PROCESS','getpid(2)','process id in the pid namespace of the writing process; unknown in reaped records of waits inside libc');
INSERT INTO metric VALUES('starttime','ticks','KEY','THREAD','/proc/PID/stat field 22','start of the task, clock ticks after boot (sysconf(_SC_CLK_TCK) per second)');
INSERT INTO metric VALUES('image_us','us','KEY','PROCESS','CLOCK_REALTIME','start of the process image (by exec or fork) that the record belongs to');
INSERT INTO metric VALUES('generation','','GAUGE','PROCESS','rank of image_us among images of the process, set at load','0 for the first image of a pid, increased by one at every exec');
INSERT INTO metric VALUES('tid','','GAUGE','THREAD','gettid(2)','thread id; an unknown id is replaced by a distinct negative number');
INSERT INTO metric VALUES('hostname','','TEXT','PROCESS','uname(2)','host name');
INSERT INTO metric VALUES('exename','','TEXT','PROCESS','/proc/self/exe','base name of the executable');
INSERT INTO metric VALUES('path','','TEXT','PROCESS','/proc/self/exe','absolute path of the executable; in reaped records and in ends by exec, path of the program to be executed');
INSERT INTO metric VALUES('args','','LIST','PROCESS','argv','arguments without argv[0]; cut at args_max, with a marker appended');
INSERT INTO metric VALUES('tags','','TEXT','PROCESS','PERFMON_TAGS','process tags, NAME:VALUE;...');
INSERT INTO metric VALUES('jobid','','TEXT','PROCESS','PERFMON_JOBID, SLURM_JOB_ID, PBS_JOBID, ...','job id in the process''s environment');
INSERT INTO metric VALUES('step','','TEXT','PROCESS','SLURM_STEP_ID','job step');
INSERT INTO metric VALUES('localid','','GAUGE','PROCESS','SLURM_LOCALID','task number on this node within the step');
INSERT INTO metric VALUES('ppid','','GAUGE','PROCESS','/proc/PID/stat field 4','parent process id at start; in a reaped record, the waiting process');
INSERT INTO metric VALUES('pgid','','GAUGE','PROCESS','/proc/PID/stat field 5','process group id at start');
INSERT INTO metric VALUES('sid','','GAUGE','PROCESS','/proc/PID/stat field 6','session id at start');
INSERT INTO metric VALUES('uid','','GAUGE','PROCESS','AT_UID of the auxiliary vector','real user id at start');
INSERT INTO metric VALUES('mpirank','','GAUGE','PROCESS','OMPI_COMM_WORLD_RANK, MV2_COMM_WORLD_RANK, PMI_RANK, PMIX_RANK, SLURM_PROCID of a task of srun','MPI rank');
INSERT INTO metric VALUES('numranks','','GAUGE','PROCESS','OMPI_COMM_WORLD_SIZE, MV2_COMM_WORLD_SIZE, PMI_SIZE, SLURM_STEP_NUM_TASKS','number of MPI ranks');
INSERT INTO metric VALUES('cgroup','','TEXT','PROCESS','/proc/self/cgroup','control group path at the end (unified hierarchy, else cpu controller); absent for images shorter than a millisecond');
INSERT INTO metric VALUES('container','','TEXT','PROCESS','APPTAINER_NAME, SINGULARITY_NAME, container','container the process runs in');
INSERT INTO metric VALUES('thread_name','','TEXT','THREAD','/proc/PID/stat field 2','command name of the thread');
INSERT INTO metric VALUES('start_us','us','TIME','THREAD','CLOCK_REALTIME','start of the image or thread. For an image: when loading was finished; CPU time of exec and loading is included although earlier. In a reaped record: start of the call that created and awaited the child');
INSERT INTO metric VALUES('end_us','us','TIME','THREAD','CLOCK_REALTIME','end of the image or thread; in a reaped record, the time of the wait');
INSERT INTO metric VALUES('duration_us','us','SPAN','THREAD','CLOCK_MONOTONIC','elapsed time from start to end, unaffected by clock steps');
INSERT INTO metric VALUES('end_reason','','TEXT','PROCESS','collector, completed at load','exit or exec; signal in converted files without the signal number; set at load: signal, running, unknown');
INSERT INTO metric VALUES('exitcode','','GAUGE','PROCESS','exit(3) argument, wait4(2)','exit status');
INSERT INTO metric VALUES('exitsignal','','GAUGE','PROCESS','wait4(2)','number of the signal that ended the process');
INSERT INTO metric VALUES('numtids','','GAUGE','PROCESS','pthread_create(3) calls seen','threads seen over the life of the image, the main thread included');
INSERT INTO metric VALUES('num_threads','','GAUGE','PROCESS','/proc/PID/stat field 20','threads alive at the end');
INSERT INTO metric VALUES('usertime','us','COUNTER','THREAD','getrusage(2), wait4(2)','CPU time in user mode');
INSERT INTO metric VALUES('systemtime','us','COUNTER','THREAD','getrusage(2), wait4(2)','CPU time in the kernel');
INSERT INTO metric VALUES('rssmax','kB','PEAK','PROCESS','/proc/self/status VmHWM','peak resident set size (in a reaped record ru_maxrss, which includes images before exec)');
INSERT INTO metric VALUES('vmpeak','kB','PEAK','PROCESS','/proc/self/status VmPeak','peak virtual memory size');
INSERT INTO metric VALUES('minflt','n','COUNTER','THREAD','getrusage(2)','page faults served without I/O');
INSERT INTO metric VALUES('majflt','n','COUNTER','THREAD','getrusage(2)','page faults that needed I/O');
INSERT INTO metric VALUES('inblock','512 B','COUNTER','THREAD','getrusage(2)','blocks read from storage');
INSERT INTO metric VALUES('outblock','512 B','COUNTER','THREAD','getrusage(2)','blocks written to storage');
INSERT INTO metric VALUES('vol_ctxsw','n','COUNTER','THREAD','getrusage(2)','voluntary context switches: waited for something');
INSERT INTO metric VALUES('invol_ctxsw','n','COUNTER','THREAD','getrusage(2)','involuntary context switches: another task wanted the CPU');
INSERT INTO metric VALUES('cminflt','n','CHILDREN','PROCESS','getrusage(2) RUSAGE_CHILDREN','minflt of waited-for children');
INSERT INTO metric VALUES('cmajflt','n','CHILDREN','PROCESS','getrusage(2) RUSAGE_CHILDREN','majflt of waited-for children');
INSERT INTO metric VALUES('cutime','us','CHILDREN','PROCESS','getrusage(2) RUSAGE_CHILDREN','usertime of waited-for children');
INSERT INTO metric VALUES('cstime','us','CHILDREN','PROCESS','getrusage(2) RUSAGE_CHILDREN','systemtime of waited-for children');
INSERT INTO metric VALUES('processor','','GAUGE','THREAD','/proc/PID/stat field 39','CPU the thread last ran on');
INSERT INTO metric VALUES('delayacct_blkio_time','ticks','COUNTER','THREAD','/proc/PID/stat field 42','time waiting for block I/O; unknown while kernel.task_delayacct is 0');
INSERT INTO metric VALUES('guest_time','ticks','COUNTER','THREAD','/proc/PID/stat field 43','time spent running a virtual CPU for a guest');
INSERT INTO metric VALUES('rchar','B','COUNTER','THREAD','/proc/PID/task/TID/io','bytes read by system calls, page cache included');
INSERT INTO metric VALUES('wchar','B','COUNTER','THREAD','/proc/PID/task/TID/io','bytes written by system calls, page cache included');
INSERT INTO metric VALUES('syscr','n','COUNTER','THREAD','/proc/PID/task/TID/io','read system calls');
INSERT INTO metric VALUES('syscw','n','COUNTER','THREAD','/proc/PID/task/TID/io','write system calls');
INSERT INTO metric VALUES('read_bytes','B','COUNTER','THREAD','/proc/PID/task/TID/io','bytes fetched from storage');
INSERT INTO metric VALUES('write_bytes','B','COUNTER','THREAD','/proc/PID/task/TID/io','bytes sent to storage');
INSERT INTO metric VALUES('cancelled_write_bytes','B','COUNTER','THREAD','/proc/PID/task/TID/io','bytes whose write to storage was spared by truncation');
INSERT INTO metric VALUES('time_oncpu','ns','COUNTER','THREAD','/proc/PID/task/TID/schedstat','time spent running on a CPU');
INSERT INTO metric VALUES('time_waiting','ns','COUNTER','THREAD','/proc/PID/task/TID/schedstat','time runnable but waiting for a CPU');
INSERT INTO metric VALUES('timeslices','n','COUNTER','THREAD','/proc/PID/task/TID/schedstat','number of run periods on a CPU');
INSERT INTO metric VALUES('rdtsc_duration','cycles','SPAN','THREAD','time stamp counter','time stamp counter cycles between start and end');
INSERT INTO metric VALUES('counters','','LIST','THREAD','perf_event_open(2)','per counter NAME=value, NAME=value@ratio (ratio: share of time counted), NAME=value@node (counted for the whole node) or NAME=?reason');
INSERT INTO metric VALUES('own_overhead_us','us','OWN','PROCESS','CLOCK_MONOTONIC','elapsed time spent inside the collector');
INSERT INTO metric VALUES('own_cpu_us','us','OWN','PROCESS','getrusage(2)','CPU time spent inside the collector before the counters were read');
INSERT INTO metric VALUES('own_minflt','n','OWN','PROCESS','getrusage(2)','page faults the collector caused before minflt was read');
INSERT INTO metric VALUES('own_outblock','512 B','OWN','THREAD','getrusage(2)','blocks the collector wrote before outblock was read');
INSERT INTO metric VALUES('own_rchar','B','OWN','THREAD','collector','bytes the collector read before rchar was read');
INSERT INTO metric VALUES('own_wchar','B','OWN','THREAD','collector','bytes the collector wrote before wchar was read');
INSERT INTO metric VALUES('own_syscr','n','OWN','THREAD','collector','read calls the collector made before syscr was read');
INSERT INTO metric VALUES('own_syscw','n','OWN','THREAD','collector','write calls the collector made before syscw was read');
INSERT INTO metric VALUES('version','','TEXT','PROCESS','collector','version of the collector');
INSERT INTO metric VALUES('last_call','','TEXT','PROCESS','collector','call after which the process could not reach its record file: values are from before this call, except those from the parent''s wait; or execve with the reason why a program could not be recorded');
INSERT INTO metric VALUES('gpu_time','ns','WORK','PROCESS','/proc/self/fdinfo drm-engine-*','time that engines of GPUs worked for DRM clients that the image opened and has open at its end, added up over engines; not of NVIDIA''s own driver and of AMD''s ROCm, which do not tell it');
INSERT INTO metric VALUES('gpu_cycles','cycles','WORK','PROCESS','/proc/self/fdinfo drm-cycles-*','as gpu_time, where the driver counts cycles, as Intel''s xe does');
INSERT INTO metric VALUES('gpu_memory','kB','PEAK','PROCESS','/proc/self/fdinfo drm-resident-*','memory that GPUs hold for these clients at the end, the largest of an image; drivers keep no peak, and a sampled one may be higher');
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
INSERT INTO series VALUES(1,1,1,'process','usertime','','us','counter');
INSERT INTO series VALUES(1,2,1,'process','systemtime','','us','counter');
INSERT INTO series VALUES(1,3,1,'process','rss','','B','gauge');
INSERT INTO series VALUES(1,4,1,'process','vms','','B','gauge');
INSERT INTO series VALUES(1,5,1,'process','processes','','n','gauge');
INSERT INTO series VALUES(1,6,1,'process','threads','','n','gauge');
INSERT INTO series VALUES(1,7,1,'process','rchar','','B','counter');
INSERT INTO series VALUES(1,8,1,'process','wchar','','B','counter');
INSERT INTO series VALUES(1,9,1,'process','syscr','','n','counter');
INSERT INTO series VALUES(1,10,1,'process','syscw','','n','counter');
INSERT INTO series VALUES(1,11,1,'process','read_bytes','','B','counter');
INSERT INTO series VALUES(1,12,1,'process','write_bytes','','B','counter');
INSERT INTO series VALUES(1,13,1,'process','cancelled_write_bytes','','B','counter');
INSERT INTO series VALUES(1,14,1,'cpu','user','','us','counter');
INSERT INTO series VALUES(1,15,1,'cpu','nice','','us','counter');
INSERT INTO series VALUES(1,16,1,'cpu','system','','us','counter');
INSERT INTO series VALUES(1,17,1,'cpu','idle','','us','counter');
INSERT INTO series VALUES(1,18,1,'cpu','iowait','','us','counter');
INSERT INTO series VALUES(1,19,1,'cpu','irq','','us','counter');
INSERT INTO series VALUES(1,20,1,'cpu','softirq','','us','counter');
INSERT INTO series VALUES(1,21,1,'cpu','steal','','us','counter');
INSERT INTO series VALUES(1,22,1,'cpu','guest','','us','counter');
INSERT INTO series VALUES(1,23,1,'cpu','guest_nice','','us','counter');
INSERT INTO series VALUES(1,24,1,'cpu','cpus','','n','gauge');
INSERT INTO series VALUES(1,25,1,'cpu','user','cpu0','us','counter');
INSERT INTO series VALUES(1,26,1,'cpu','nice','cpu0','us','counter');
INSERT INTO series VALUES(1,27,1,'cpu','system','cpu0','us','counter');
INSERT INTO series VALUES(1,28,1,'cpu','idle','cpu0','us','counter');
INSERT INTO series VALUES(1,29,1,'cpu','iowait','cpu0','us','counter');
INSERT INTO series VALUES(1,30,1,'cpu','irq','cpu0','us','counter');
INSERT INTO series VALUES(1,31,1,'cpu','softirq','cpu0','us','counter');
INSERT INTO series VALUES(1,32,1,'cpu','steal','cpu0','us','counter');
INSERT INTO series VALUES(1,33,1,'cpu','guest','cpu0','us','counter');
INSERT INTO series VALUES(1,34,1,'cpu','guest_nice','cpu0','us','counter');
INSERT INTO series VALUES(1,35,1,'cpu','user','cpu1','us','counter');
INSERT INTO series VALUES(1,36,1,'cpu','nice','cpu1','us','counter');
INSERT INTO series VALUES(1,37,1,'cpu','system','cpu1','us','counter');
INSERT INTO series VALUES(1,38,1,'cpu','idle','cpu1','us','counter');
INSERT INTO series VALUES(1,39,1,'cpu','iowait','cpu1','us','counter');
INSERT INTO series VALUES(1,40,1,'cpu','irq','cpu1','us','counter');
INSERT INTO series VALUES(1,41,1,'cpu','softirq','cpu1','us','counter');
INSERT INTO series VALUES(1,42,1,'cpu','steal','cpu1','us','counter');
INSERT INTO series VALUES(1,43,1,'cpu','guest','cpu1','us','counter');
INSERT INTO series VALUES(1,44,1,'cpu','guest_nice','cpu1','us','counter');
INSERT INTO series VALUES(1,45,1,'memory','total','','B','gauge');
INSERT INTO series VALUES(1,46,1,'memory','free','','B','gauge');
INSERT INTO series VALUES(1,47,1,'memory','available','','B','gauge');
INSERT INTO series VALUES(1,48,1,'memory','buffers','','B','gauge');
INSERT INTO series VALUES(1,49,1,'memory','cached','','B','gauge');
INSERT INTO series VALUES(1,50,1,'memory','swap_total','','B','gauge');
INSERT INTO series VALUES(1,51,1,'memory','swap_free','','B','gauge');
INSERT INTO series VALUES(1,52,1,'memory','used','','B','gauge');
INSERT INTO series VALUES(1,53,1,'memory','swap_used','','B','gauge');
INSERT INTO series VALUES(1,54,1,'sampler','usertime','','us','counter');
INSERT INTO series VALUES(1,55,1,'sampler','systemtime','','us','counter');
INSERT INTO series VALUES(1,56,1,'sampler','rssmax','','B','gauge');
INSERT INTO series VALUES(1,57,1,'sampler','late','','us','gauge');
INSERT INTO series VALUES(1,58,1,'sampler','missed','','n','counter');
INSERT INTO series VALUES(1,59,1,'sampler','lost','','n','counter');
INSERT INTO series VALUES(1,60,1,'sampler','cost','process','ns','counter');
INSERT INTO series VALUES(1,61,1,'sampler','cost','cpu','ns','counter');
INSERT INTO series VALUES(1,62,1,'sampler','cost','memory','ns','counter');
INSERT INTO series VALUES(1,63,1,'sampler','cost','sampler','ns','counter');
INSERT INTO series VALUES(2,1,1,'cpu','user','cpu0','us','counter');
INSERT INTO series VALUES(2,2,1,'memory','free','','kB','gauge');
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
INSERT INTO tick_block VALUES(1,1,1,8,1795303369242095,6,'000000074015157958257960357962458014558000657960',1343574032,6,'000000074016157959257961357963458014558000657961');
INSERT INTO tick_block VALUES(2,1,1,3,1700000000000000,5,'000001000030000',5000000,5,'000001000030000');
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
INSERT INTO sample_block VALUES(1,1,1,1,0,1795303369242095,1795303369900055,8,8,0,10000,0,X'030b1315151515',NULL,0,550000,227500.0);
INSERT INTO sample_block VALUES(1,2,1,1,0,1795303369242095,1795303369900055,8,8,0,10000,0,X'0f090005',NULL,0,110000,91250.0);
INSERT INTO sample_block VALUES(1,3,1,1,0,1795303369242095,1795303369900055,8,8,4587520,4096,0,X'81d601ffd701c167e70ab1013701',NULL,4587520,147738624,114673664.0);
INSERT INTO sample_block VALUES(1,4,1,1,0,1795303369242095,1795303369900055,8,8,15114240,1568415744,0,X'030006',NULL,15114240,1583529984,1387478016.0);
INSERT INTO sample_block VALUES(1,5,1,1,0,1795303369242095,1795303369900055,8,8,3,1,0,X'0007',NULL,3,3,3.0);
INSERT INTO sample_block VALUES(1,6,1,1,0,1795303369242095,1795303369900055,8,8,3,2,0,X'030006',NULL,3,5,4.75);
INSERT INTO sample_block VALUES(1,7,1,1,0,1795303369242095,1795303369900055,8,8,33226,16,0,X'dff204010181a80281b00281a80281b002',NULL,33226,1903802,977756.0);
INSERT INTO sample_block VALUES(1,8,1,1,0,1795303369242095,1795303369900055,8,8,11247,1,0,X'd727010181801c81801d81801d81801d',NULL,11247,955866,306332.62499999999999);
INSERT INTO sample_block VALUES(1,9,1,1,0,1795303369242095,1795303369900055,8,8,62,1,0,X'df0101014b4d4b4d',NULL,62,323,205.87499999999999999);
INSERT INTO sample_block VALUES(1,10,1,1,0,1795303369242095,1795303369900055,8,8,10,1,0,X'110101393b3b3b',NULL,10,133,52.75);
INSERT INTO sample_block VALUES(1,11,1,1,0,1795303369242095,1795303369900055,8,8,0,1,0,X'0007',NULL,0,0,0.0);
INSERT INTO sample_block VALUES(1,12,1,1,0,1795303369242095,1795303369900055,8,8,0,4096,0,X'030006',NULL,0,4096,3584.0);
INSERT INTO sample_block VALUES(1,13,1,1,0,1795303369242095,1795303369900055,8,8,0,1,0,X'0007',NULL,0,0,0.0);
INSERT INTO sample_block VALUES(1,14,1,1,0,1795303369242095,1795303369900055,8,8,653000000,10000,0,X'050b1515151515',NULL,653000000,653570000,653242500.0);
INSERT INTO sample_block VALUES(1,15,1,1,0,1795303369242095,1795303369900055,8,8,258990000,10000,0,X'0d111315131515',NULL,258990000,259610000,259280000.0);
INSERT INTO sample_block VALUES(1,16,1,1,0,1795303369242095,1795303369900055,8,8,212820000,10000,0,X'11070301030101',NULL,212820000,212950000,212922500.0);
INSERT INTO sample_block VALUES(1,17,1,1,0,1795303369242095,1795303369900055,8,8,1542000000,1,0,X'0007',NULL,1542000000,1542000000,1542000000.0);
INSERT INTO sample_block VALUES(1,18,1,1,0,1795303369242095,1795303369900055,8,8,7460000,1,0,X'0007',NULL,7460000,7460000,7460000.0);
INSERT INTO sample_block VALUES(1,19,1,1,0,1795303369242095,1795303369900055,8,8,0,1,0,X'0007',NULL,0,0,0.0);
INSERT INTO sample_block VALUES(1,20,1,1,0,1795303369242095,1795303369900055,8,8,2520000,1,0,X'0007',NULL,2520000,2520000,2520000.0);
INSERT INTO sample_block VALUES(1,21,1,1,0,1795303369242095,1795303369900055,8,8,3080000,1,0,X'0007',NULL,3080000,3080000,3080000.0);
INSERT INTO sample_block VALUES(1,22,1,1,0,1795303369242095,1795303369900055,8,8,0,1,0,X'0007',NULL,0,0,0.0);
INSERT INTO sample_block VALUES(1,23,1,1,0,1795303369242095,1795303369900055,8,8,0,1,0,X'0007',NULL,0,0,0.0);
INSERT INTO sample_block VALUES(1,24,1,1,0,1795303369242095,1795303369900055,8,8,2,1,0,X'0007',NULL,2,2,2.0);
INSERT INTO sample_block VALUES(1,25,1,1,0,1795303369242095,1795303369900055,8,8,307240000,10000,0,X'050b1315151515',NULL,307240000,307800000,307476250.0);
INSERT INTO sample_block VALUES(1,26,1,1,0,1795303369242095,1795303369900055,8,8,129800000,1,0,X'0007',NULL,129800000,129800000,129800000.0);
INSERT INTO sample_block VALUES(1,27,1,1,0,1795303369242095,1795303369900055,8,8,101120000,10000,0,X'0d07030004',NULL,101120000,101220000,101201250.0);
INSERT INTO sample_block VALUES(1,28,1,1,0,1795303369242095,1795303369900055,8,8,799350000,1,0,X'0007',NULL,799350000,799350000,799350000.0);
INSERT INTO sample_block VALUES(1,29,1,1,0,1795303369242095,1795303369900055,8,8,850000,1,0,X'0007',NULL,850000,850000,850000.0);
INSERT INTO sample_block VALUES(1,30,1,1,0,1795303369242095,1795303369900055,8,8,0,1,0,X'0007',NULL,0,0,0.0);
INSERT INTO sample_block VALUES(1,31,1,1,0,1795303369242095,1795303369900055,8,8,150000,1,0,X'0007',NULL,150000,150000,150000.0);
INSERT INTO sample_block VALUES(1,32,1,1,0,1795303369242095,1795303369900055,8,8,1330000,1,0,X'0007',NULL,1330000,1330000,1330000.0);
INSERT INTO sample_block VALUES(1,33,1,1,0,1795303369242095,1795303369900055,8,8,0,1,0,X'0007',NULL,0,0,0.0);
INSERT INTO sample_block VALUES(1,34,1,1,0,1795303369242095,1795303369900055,8,8,0,1,0,X'0007',NULL,0,0,0.0);
INSERT INTO sample_block VALUES(1,35,1,1,0,1795303369242095,1795303369900055,8,8,345760000,10000,0,X'0003030003',NULL,345760000,345770000,345765000.0);
INSERT INTO sample_block VALUES(1,36,1,1,0,1795303369242095,1795303369900055,8,8,129190000,10000,0,X'0b111513151513',NULL,129190000,129800000,129475000.0);
INSERT INTO sample_block VALUES(1,37,1,1,0,1795303369242095,1795303369900055,8,8,111690000,10000,0,X'050103000303',NULL,111690000,111730000,111715000.0);
INSERT INTO sample_block VALUES(1,38,1,1,0,1795303369242095,1795303369900055,8,8,742640000,1,0,X'0007',NULL,742640000,742640000,742640000.0);
INSERT INTO sample_block VALUES(1,39,1,1,0,1795303369242095,1795303369900055,8,8,6600000,1,0,X'0007',NULL,6600000,6600000,6600000.0);
INSERT INTO sample_block VALUES(1,40,1,1,0,1795303369242095,1795303369900055,8,8,0,1,0,X'0007',NULL,0,0,0.0);
INSERT INTO sample_block VALUES(1,41,1,1,0,1795303369242095,1795303369900055,8,8,2370000,1,0,X'0007',NULL,2370000,2370000,2370000.0);
INSERT INTO sample_block VALUES(1,42,1,1,0,1795303369242095,1795303369900055,8,8,1740000,1,0,X'0007',NULL,1740000,1740000,1740000.0);
INSERT INTO sample_block VALUES(1,43,1,1,0,1795303369242095,1795303369900055,8,8,0,1,0,X'0007',NULL,0,0,0.0);
INSERT INTO sample_block VALUES(1,44,1,1,0,1795303369242095,1795303369900055,8,8,0,1,0,X'0007',NULL,0,0,0.0);
INSERT INTO sample_block VALUES(1,45,1,1,0,1795303369242095,1795303369900055,8,8,25276502016,1,0,X'0007',NULL,25276502016,25276502016,25276502016.0);
INSERT INTO sample_block VALUES(1,46,1,1,0,1795303369242095,1795303369900055,8,8,23811035136,4096,0,X'82bc01c0dc01c05e01040101',NULL,23679164416,23811035136,23709070848.0);
INSERT INTO sample_block VALUES(1,47,1,1,0,1795303369242095,1795303369900055,8,8,24494166016,4096,0,X'82bc01c0dc01c05e01020101',NULL,24362299392,24494166016,24392203264.0);
INSERT INTO sample_block VALUES(1,48,1,1,0,1795303369242095,1795303369900055,8,8,9064448,1,0,X'0007',NULL,9064448,9064448,9064448.0);
INSERT INTO sample_block VALUES(1,49,1,1,0,1795303369242095,1795303369900055,8,8,850862080,8192,0,X'000333353333',NULL,850862080,851689472,851121152.0);
INSERT INTO sample_block VALUES(1,50,1,1,0,1795303369242095,1795303369900055,8,8,0,1,0,X'0007',NULL,0,0,0.0);
INSERT INTO sample_block VALUES(1,51,1,1,0,1795303369242095,1795303369900055,8,8,0,1,0,X'0007',NULL,0,0,0.0);
INSERT INTO sample_block VALUES(1,52,1,1,0,1795303369242095,1795303369900055,8,8,782336000,4096,0,X'83bc01c1dc01c15e01030101',NULL,782336000,914202624,884298752.0);
INSERT INTO sample_block VALUES(1,53,1,1,0,1795303369242095,1795303369900055,8,8,0,1,0,X'0007',NULL,0,0,0.0);
INSERT INTO sample_block VALUES(1,54,1,1,0,1795303369242095,1795303369900055,8,8,2682,6,0,X'9d024f0005',NULL,2682,3768,3603.0);
INSERT INTO sample_block VALUES(1,55,1,1,0,1795303369242095,1795303369900055,8,8,0,1,140,X'98029802675f93017b6b',NULL,0,985,367.125);
INSERT INTO sample_block VALUES(1,56,1,1,0,1795303369242095,1795303369900055,8,8,2969600,1,0,X'0007',NULL,2969600,2969600,2969600.0);
INSERT INTO sample_block VALUES(1,57,1,1,0,1795303369242095,1795303369900055,8,7,16111,1,0,X'01f2fa010505671c4e','[[0,1,"absent"]]',54,16111,2362.7142857142857791);
INSERT INTO sample_block VALUES(1,58,1,1,0,1795303369242095,1795303369900055,8,8,0,1,0,X'0007',NULL,0,0,0.0);
INSERT INTO sample_block VALUES(1,59,1,1,0,1795303369242095,1795303369900055,8,8,0,1,0,X'0007',NULL,0,0,0.0);
INSERT INTO sample_block VALUES(1,60,1,1,0,1795303369242095,1795303369900055,8,8,656232,1,0,X'83fa5da7d711fddb0affbe0ab1880899db07b3ef0a',NULL,656232,1962806,1587884.4999999999999);
INSERT INTO sample_block VALUES(1,61,1,1,0,1795303369242095,1795303369900055,8,8,15506,1,18422,X'fe2fae099c0ec614d54959e311',NULL,15506,144460,77541.250000000000001);
INSERT INTO sample_block VALUES(1,62,1,1,0,1795303369242095,1795303369900055,8,8,10660,1,17783,X'e826ac2e9607f202e533ff07c323',NULL,10660,135145,69777.75);
INSERT INTO sample_block VALUES(1,63,1,1,0,1795303369242095,1795303369900055,8,8,0,1,2398,X'90037b3af805468d088301',NULL,0,16786,8180.1250000000000003);
INSERT INTO sample_block VALUES(2,1,1,1,0,1700000000000000,1700000000010000,2,2,100,100,0,X'03',NULL,100,200,150.0);
INSERT INTO sample_block VALUES(2,2,1,1,0,1700000000000000,1700000000030000,3,1,4000,1,0,X'0101','[[1,1,"permission"],[2,1,""]]',4000,4000,4000.0);
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
INSERT INTO series_summary VALUES(1,1,8,8,1795303369242095,1795303369900055,0,550000,227500.0);
INSERT INTO series_summary VALUES(1,2,8,8,1795303369242095,1795303369900055,0,110000,91250.0);
INSERT INTO series_summary VALUES(1,3,8,8,1795303369242095,1795303369900055,4587520,147738624,114673664.0);
INSERT INTO series_summary VALUES(1,4,8,8,1795303369242095,1795303369900055,15114240,1583529984,1387478016.0);
INSERT INTO series_summary VALUES(1,5,8,8,1795303369242095,1795303369900055,3,3,3.0);
INSERT INTO series_summary VALUES(1,6,8,8,1795303369242095,1795303369900055,3,5,4.75);
INSERT INTO series_summary VALUES(1,7,8,8,1795303369242095,1795303369900055,33226,1903802,977756.0);
INSERT INTO series_summary VALUES(1,8,8,8,1795303369242095,1795303369900055,11247,955866,306332.62499999999999);
INSERT INTO series_summary VALUES(1,9,8,8,1795303369242095,1795303369900055,62,323,205.87499999999999999);
INSERT INTO series_summary VALUES(1,10,8,8,1795303369242095,1795303369900055,10,133,52.75);
INSERT INTO series_summary VALUES(1,11,8,8,1795303369242095,1795303369900055,0,0,0.0);
INSERT INTO series_summary VALUES(1,12,8,8,1795303369242095,1795303369900055,0,4096,3584.0);
INSERT INTO series_summary VALUES(1,13,8,8,1795303369242095,1795303369900055,0,0,0.0);
INSERT INTO series_summary VALUES(1,14,8,8,1795303369242095,1795303369900055,653000000,653570000,653242500.0);
INSERT INTO series_summary VALUES(1,15,8,8,1795303369242095,1795303369900055,258990000,259610000,259280000.0);
INSERT INTO series_summary VALUES(1,16,8,8,1795303369242095,1795303369900055,212820000,212950000,212922500.0);
INSERT INTO series_summary VALUES(1,17,8,8,1795303369242095,1795303369900055,1542000000,1542000000,1542000000.0);
INSERT INTO series_summary VALUES(1,18,8,8,1795303369242095,1795303369900055,7460000,7460000,7460000.0);
INSERT INTO series_summary VALUES(1,19,8,8,1795303369242095,1795303369900055,0,0,0.0);
INSERT INTO series_summary VALUES(1,20,8,8,1795303369242095,1795303369900055,2520000,2520000,2520000.0);
INSERT INTO series_summary VALUES(1,21,8,8,1795303369242095,1795303369900055,3080000,3080000,3080000.0);
INSERT INTO series_summary VALUES(1,22,8,8,1795303369242095,1795303369900055,0,0,0.0);
INSERT INTO series_summary VALUES(1,23,8,8,1795303369242095,1795303369900055,0,0,0.0);
INSERT INTO series_summary VALUES(1,24,8,8,1795303369242095,1795303369900055,2,2,2.0);
INSERT INTO series_summary VALUES(1,25,8,8,1795303369242095,1795303369900055,307240000,307800000,307476250.0);
INSERT INTO series_summary VALUES(1,26,8,8,1795303369242095,1795303369900055,129800000,129800000,129800000.0);
INSERT INTO series_summary VALUES(1,27,8,8,1795303369242095,1795303369900055,101120000,101220000,101201250.0);
INSERT INTO series_summary VALUES(1,28,8,8,1795303369242095,1795303369900055,799350000,799350000,799350000.0);
INSERT INTO series_summary VALUES(1,29,8,8,1795303369242095,1795303369900055,850000,850000,850000.0);
INSERT INTO series_summary VALUES(1,30,8,8,1795303369242095,1795303369900055,0,0,0.0);
INSERT INTO series_summary VALUES(1,31,8,8,1795303369242095,1795303369900055,150000,150000,150000.0);
INSERT INTO series_summary VALUES(1,32,8,8,1795303369242095,1795303369900055,1330000,1330000,1330000.0);
INSERT INTO series_summary VALUES(1,33,8,8,1795303369242095,1795303369900055,0,0,0.0);
INSERT INTO series_summary VALUES(1,34,8,8,1795303369242095,1795303369900055,0,0,0.0);
INSERT INTO series_summary VALUES(1,35,8,8,1795303369242095,1795303369900055,345760000,345770000,345765000.0);
INSERT INTO series_summary VALUES(1,36,8,8,1795303369242095,1795303369900055,129190000,129800000,129475000.0);
INSERT INTO series_summary VALUES(1,37,8,8,1795303369242095,1795303369900055,111690000,111730000,111715000.0);
INSERT INTO series_summary VALUES(1,38,8,8,1795303369242095,1795303369900055,742640000,742640000,742640000.0);
INSERT INTO series_summary VALUES(1,39,8,8,1795303369242095,1795303369900055,6600000,6600000,6600000.0);
INSERT INTO series_summary VALUES(1,40,8,8,1795303369242095,1795303369900055,0,0,0.0);
INSERT INTO series_summary VALUES(1,41,8,8,1795303369242095,1795303369900055,2370000,2370000,2370000.0);
INSERT INTO series_summary VALUES(1,42,8,8,1795303369242095,1795303369900055,1740000,1740000,1740000.0);
INSERT INTO series_summary VALUES(1,43,8,8,1795303369242095,1795303369900055,0,0,0.0);
INSERT INTO series_summary VALUES(1,44,8,8,1795303369242095,1795303369900055,0,0,0.0);
INSERT INTO series_summary VALUES(1,45,8,8,1795303369242095,1795303369900055,25276502016,25276502016,25276502016.0);
INSERT INTO series_summary VALUES(1,46,8,8,1795303369242095,1795303369900055,23679164416,23811035136,23709070848.0);
INSERT INTO series_summary VALUES(1,47,8,8,1795303369242095,1795303369900055,24362299392,24494166016,24392203264.0);
INSERT INTO series_summary VALUES(1,48,8,8,1795303369242095,1795303369900055,9064448,9064448,9064448.0);
INSERT INTO series_summary VALUES(1,49,8,8,1795303369242095,1795303369900055,850862080,851689472,851121152.0);
INSERT INTO series_summary VALUES(1,50,8,8,1795303369242095,1795303369900055,0,0,0.0);
INSERT INTO series_summary VALUES(1,51,8,8,1795303369242095,1795303369900055,0,0,0.0);
INSERT INTO series_summary VALUES(1,52,8,8,1795303369242095,1795303369900055,782336000,914202624,884298752.0);
INSERT INTO series_summary VALUES(1,53,8,8,1795303369242095,1795303369900055,0,0,0.0);
INSERT INTO series_summary VALUES(1,54,8,8,1795303369242095,1795303369900055,2682,3768,3603.0);
INSERT INTO series_summary VALUES(1,55,8,8,1795303369242095,1795303369900055,0,985,367.125);
INSERT INTO series_summary VALUES(1,56,8,8,1795303369242095,1795303369900055,2969600,2969600,2969600.0);
INSERT INTO series_summary VALUES(1,57,8,7,1795303369242095,1795303369900055,54,16111,2362.7142857142857791);
INSERT INTO series_summary VALUES(1,58,8,8,1795303369242095,1795303369900055,0,0,0.0);
INSERT INTO series_summary VALUES(1,59,8,8,1795303369242095,1795303369900055,0,0,0.0);
INSERT INTO series_summary VALUES(1,60,8,8,1795303369242095,1795303369900055,656232,1962806,1587884.4999999999999);
INSERT INTO series_summary VALUES(1,61,8,8,1795303369242095,1795303369900055,15506,144460,77541.250000000000001);
INSERT INTO series_summary VALUES(1,62,8,8,1795303369242095,1795303369900055,10660,135145,69777.75);
INSERT INTO series_summary VALUES(1,63,8,8,1795303369242095,1795303369900055,0,16786,8180.1250000000000003);
INSERT INTO series_summary VALUES(2,1,2,2,1700000000000000,1700000000010000,100,200,150.0);
INSERT INTO series_summary VALUES(2,2,3,1,1700000000000000,1700000000030000,4000,4000,4000.0);
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
INSERT INTO node_summary VALUES(1,1,8,0,0,100.0,100.0,100.0,100.0,100.0,100.0,100.0,100.0,0.0003655338888888888982,0.0,3.6168083044928871494,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO node_summary VALUES(2,1,3,0,0,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
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
INSERT INTO program_summary VALUES(1,'dash -c ''false; …''',1,1,1,0,0,1114,0,122,1816,1,4844,0,10,0,0,0,10,4844,NULL,NULL);
INSERT INTO program_summary VALUES(1,'dash -c ''for …''',1,1,1,0,0,2937,1832,2067745,1816,1,4844,0,10,0,0,0,10,4844,NULL,NULL);
INSERT INTO program_summary VALUES(1,'dash -c ''kill …''',1,1,0,1,1,1284,0,291,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO program_summary VALUES(1,'dash -c ''seq …''',1,1,1,0,0,1275,0,3826,1864,1,4844,0,10,0,0,0,10,4844,NULL,NULL);
INSERT INTO program_summary VALUES(1,'dash work.sh',1,1,1,1,0,1807,0,2076823,1864,1,5125,7,11,1,0,0,11,5125,1,7);
INSERT INTO program_summary VALUES(1,'seq',1,1,1,0,0,1066,0,122,1628,1,4844,3893,10,1,0,0,10,4844,NULL,NULL);
INSERT INTO program_summary VALUES(1,'sort',1,1,1,0,0,1105,0,238,1632,1,8737,3893,12,1,0,0,NULL,NULL,NULL,NULL);
INSERT INTO program_summary VALUES(1,'wc',1,1,1,0,0,1128,0,220,1764,1,8737,12,12,1,0,4096,NULL,NULL,1,12);
INSERT INTO program_summary VALUES(1,'xz',2,2,2,0,0,1688552,239961,1191221,140668,3,4064112,3120704,524,382,0,0,NULL,NULL,NULL,NULL);
INSERT INTO program_summary VALUES(2,'(unknown program)',1,1,0,0,0,100,30,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO program_summary VALUES(2,'child',1,1,0,0,0,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO program_summary VALUES(2,'dash -c ''make …''',2,2,2,0,0,1910,660,30000,2048,1,9000,200,30,10,8192,16384,30,9000,10,200);
INSERT INTO program_summary VALUES(2,'make',1,1,1,1,0,6688,900,7400,2048,2,9000,0,0,0,0,0,NULL,NULL,NULL,NULL);
INSERT INTO program_summary VALUES(2,'sim',1,1,0,1,1,9900,900,10400,123456,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
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
INSERT INTO user_day VALUES('','alice',1795219200000000,1,1,10,1700268,1,4203928,1,4106087,1,3128509,1,0,1,4096,1);
INSERT INTO user_day VALUES('c1','someone',1699920000000000,1,0,6,18598,1,78000,1,18000,1,200,1,8192,1,16384,1);
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
INSERT INTO load VALUES(1,1,1,'job-node17.json','real','38f02e7d3d281e148221af8a1fd97e1a05120432f9c3c21edbeb21a727088fe9',1795763667057050,2379,0,0,NULL);
INSERT INTO load VALUES(1,2,1,'node17-1042.tsv','real','70bb0b1bfdad56227e6d5551918ef4a8c6f2392b8a6cac47a801b73784f9dab4',1795763667057050,13286,35,0,NULL);
INSERT INTO load VALUES(1,3,1,'node17.series','real','6d9037fec1749a922684a5d1a422cafc8b11f22580d67548a63b55a0d5ab22c9',1795763667057050,7338,72,0,NULL);
INSERT INTO load VALUES(2,1,1,'job-n0.json','v1','b1538f71ee6aa4e86f3ad5d15de8bc650ff7f04d969adb2bddc405d8b3097517',1795763667068600,1164,0,0,NULL);
INSERT INTO load VALUES(2,2,1,'n0-1000.tsv','v1','fb4e3f4cd40f6cab583ad4ffd329a740ebf6070e1540bc8bb5abbd338ca81fe4',1795763667068600,5679,16,1,NULL);
INSERT INTO load VALUES(2,3,1,'n0.series','v1','22ba8de9d3a0a1cd1e504a05463ed0f065738da56b4f91c15a2efcf71b36a2c2',1795763667068600,314,7,1,NULL);
CREATE TABLE content (
	job_id INTEGER NOT NULL, -- the job
	load_id INTEGER NOT NULL, -- the file
	part INTEGER NOT NULL, -- number of the piece within the file, from 1
	coding TEXT NOT NULL, -- zstd: all pieces together are one frame of Zstandard; deflate: one zlib stream; empty: as it was
	bytes BLOB NOT NULL, -- the piece
	PRIMARY KEY (job_id, load_id, part),
	FOREIGN KEY (job_id, load_id) REFERENCES load (job_id, id) ON DELETE CASCADE
);
INSERT INTO content VALUES(1,1,1,'zstd',X'28b52ffd604b08f5230066beb928f0b0ba01f8bf2371f9b31e254626e5bc1f97d6f871b1fe1d43a4dcf2732befbe482c2c0e030e2f04a400b100b70013e9a224928a45511235a95c13c3b61fb6c9f77cea9a61739e7d57fdd2e96986ed7d9c136f0733d416455d57336c8cfeb4d66db3bd326a9b6d86ed5da4f429f765be492b31ec4bbf97d8adf15aaf1d1b2fa6116b8dcdd5354d536ffec2821962862a18b6f5beaf1c49254d0c3b9b2e2717edd7ccd0a39b6157bff6e36433431c0c7bf31712648248cdb0e94f5b3da3197af4146dfe22a2df69d5bd66d83776f5b5668823ed1bd362ce895e45912a8a554918f6a68369d4efbccbdcf31c1731fb7992a38f5949846089acc8e9fca8277c9eecb7d6e5d70b076000e8bb0407600038bf7401fb3c19d0d5f774fe37002c99f8f3d1d910d13c24308d73e306cdb0ed674e4dd775494b9b489116334a24c936555451a414552a12bfb449baff1bcca27ce8dc64ec2a2beb624499220932412c5abdd3d7e4d9d36b7f6ba8a37ec7198d2c60b3fa1e7ecfbd4f39337a5d94f4e78df7298d01f35ee97566cdb03dbfb9acdfdb19bb67e744ef7ab34aeb59e7e3b50c5550cff08e7c5f39968ca6193645c6d20cbba18100b334347750007a1f4f20c86005100c6f219bc945a4d7090c01a660a181ce4d04d2b98954fb296408ac7352433ea28e8df7612ff7452d724e8c788058c85ceef71189058403cc05cb682e190d04f600e1808039b8707847bfce0cea9b8574ea7b9a331abbee23defd16f1c8ca9a4c265445c949ff3efdcebb7925a923e7c53af2396955a48a615007d4c190c4bdc63976bfdfeef44cb2fad22b45425d8dcdc44dadaa26e9fa3c8965cea97193d48dd77edc8c1a76e727e33baf1559163b9c43e326318a645d136b52b1ac89849a2eefaf85030c2d284d706268495002a7f73ededfcdd0c3424352ff30bc6aecdb65eb798e7b8db7cba1ce719dbe5d1660cdc5527de33bb9bec6b63a7b8d9eacc68d9fb2d7c85e7dd3d83c9987038887031bbd36dffa9ef759fa7191f24373b17064faec5d80ada8f194624e29253432529814d21820024214b22af31120408e325423928214949432ac01cf235ec884f3269de7295d3417b2325e0d305a2f472893d8355140ad3c22fd06a88f2d301d40cef6c9e22f7b150904a75a5da6134403eb8874483406a5c416003e5492d8dc7a6a15248c6ec62786e5faa44cf246d59d2d0342c31666027e163b4cf767f8020f421b411a14088c61df3f9ee0c8d6595eea4b012f979f17fc64e3aa171bc79a05fb1dc300abe68b3bb9c58f501848964b5462c7514120368a12ffb34826946d794af9da465cc952a0be69f3d68b2a2610e57d03f73faa4b64874a961ef6c1c8cdd81e01c4d0b44f519f7356158bd07e32e6bafe8303c523162f0b2ed6dfd5e6a8b73323fa6b8139ec5105aec839f17171ac3b7fae943e09280e1ee8e85193cd30302a5e120a9602a309b72638fdec0060729d44aa69b6a4125fdac3884a78d51dde8d2c7647c5b03b81f4babe416bb9f7d6b26fa79680d37ea6a0f21111ae280459b46eafe6542dd1d376cd61a8b538bff87198235e62cc41790c7175879151280dac668cfe030ea50a');
INSERT INTO content VALUES(1,2,1,'zstd',X'28b52ffd60e6325d53007a916416282069b669038338a8a907bbb1e1a65ac95a639bc56e1a080d9ef29548647777979110e00a80d60ad3a2015501450176b743cc2342c2efa07d77474838c332d0e0348c038c92e080b31607ceb08ee47d2a691884842744949838d37253df7953f39e8998e74497cb68fa44e57537c20a6b07852341074c12e8411162879450b5c2d90f00000c7c590e04f1ac6339d328cb510bce40308c06c1301a04c368160a04c1309a4331386a41836018cd97a31e66d1204720eb499c2f8528cb5a60944739180b05c2340895501e44a2964521cc81a84771185fea6190e00c6431588c3b0703e23c4b2d16108dd2b024403c087230381695dc69d65248e32816b240108451ce588d07412ccd8267d1bc016996048cf2675158e048fc59141825f1864329120bde38126b3909f52c06cb516bf185482c98af4479120be6cbc12c284b250df2280d75a659877216c9d7029130ea6b8140248772189e3b8a518e8769902b168db3807c3530879358306f600e4751249e288b27ca7aa22c289e280ac51365399066b942256816f85a389eaf05e738c3732854435d250ee6590dc313e539d328cfe128462d7c2d106ae148285709e5799ce3594f14c517834814c51305f1344d82274e8328e77758b09e03d324141ca5088baa7c87d0d159f1ee87d010eff6bd63c2bbb1f56df3f646fc9d6fd847767c6574c988f2db7760176d9b1a225fa2dc3cdaec6fb7aaf2f16adf1ecfa67c4d34c4c97439bfa9edb68fd0f8ca6d8847b344180869421807cbe108036120d48810752774dd9bc7667e331a2274898a29ed1e7f76fcd4cb647cb7457d326487e89cc9c7447728f197ba6df70809ade8719a6729cb8173789c6635ee9e765f9ede316f22a6521ccab9fe367f6cb87dee2b807040020807148060a90561801c2cea328206a4599043c33a9e033c04eb591687c2412d1c8a23b7253c3e11a2df6eaa1d5eefaaa85f4b7cbbdbadcf697c847cb763dbfd7e88f7cb55a01637278cd253a0d6ccee0ad452a0169b9ab2ae59ca1340a19e3580720e85721402289a276a4118897a9c6611b094c5b091e01c0c1b098fd32cc346c200cf5216020c1b096676868d04056a1d2087d54cbd06ce80d91bd911ba6358a801e8703ba56c44c966f9d684b9fabc545ca489f0d2dd31a922bc6b64799d8699cc1a55af39d3f4bea786776bbe6b354c669d4cf1f6306fcf5bba67ba4cc6cc8a08759b13ed2d428acfe5c496501f193bf522d2bec64dc31be2f78e9b6f869a7b47cca677c34c77d75db67e3e1b1b1b341a344c51a2321ee72e77326e26a6fbd93d97575b4d9f9439e171e6f1ed1371b2444ef45cbc4378b9666dacc83a33a1c6d3c674df4ea7d9794d9bae8d35dded116e323543898e998bc96760df287f898879d6a9f7f2ce12a6bb59b27b3a3bd489e9be8c4fd9c67b4f444d43a4d89918253a275464d6970eed1a34d2f11cc9413a1c281c0e1a0e0707a8c0e10d1a0d1aa666bca6c6bccf3a1406c067a1483488008ae68a399e23293418a0206096085403651d0ea8c0a141a34990511a8503e490d0a926bba394d014615236cd5cfdf261cafbeea965070018d81b1fddd0a5a5d5cb947431af31f77bd487674478d7ceddd64ebbe6eeebbd4cf76b94ba0f1dfe36fb66bd9abd69a78c883211711b3ed7f6f2181626c274840444dbceb40b20804569b86c4d44c79c89d84f45bc9b8cbb86b08f09d5ee942d31deeade6ae7c279d45a0e8503e490889a97d7ca9bfb849b878ae7c449f550a6ef950d0df19c8c5439ddde21da6d7dbf4f2fa537a26496b7dbde95edde6c7d4b4e53fca545aa777b3adcbce335f9d01d6dbaabdd6a371b3e39254a78944c595b53bafb61e2543cbcbc6bbec3e76123d6cd55457a88f4f28cbd9acd7a47ecbd6545c377324d6478f7bcd53c5cbc6bebbb448bb81bef321b6f79e764fd6ea48b1665b7ed15d9665e22a4c87bbdcb6ad7aba79c3a1b8ff8beb6c9e9b28f7a7593f1bb8f53a25aee9de2352223741a8234a802ab1c840a293432249224491a03120b188ec3280e28ade4031280407990262904a30842062144082184100944c21111919aa203a7600507c834c368aadfa12862d254c762bdc5a5126221693e441e7e31f6e991ded03e5805a74cb1ab7f76a09fcb1e5ccce63c5b17218bda44a16ddaedcea9e028e4817717ddfb51b44ded9220d4b49b173508bf238a25f592d345b9c307a61ef907046ee37ca55ff443a40284a7f20b43d638007cb19cb86d941b88bc450445b2aa19558c2dc44e79d8c442403f62853cda28f701c611d37e92e9112cd18264ef8fef1c4533fad66a04bda77a3e66cf8b6eed3603b6babfb6933b1ebe5035865714d6b180819332ad2273ec2009178a1d1790f2f8b5b1384fabafd3f491634731633f79d070ef020bdd66bddbf921c4a0856f6239808e38e607d6721b62fa565e1380853f6867ecef6b77526e9bb390dec145acd9125073499b415b6933e7d7929316c98560d0993d20a35de6975e907087e13c3e10f7e04142d834fe6585cda059e6b03b6f9a8ec620cd0dceca533678e9512926c5dc59900cc1925bab7638563845af6f2bde667e87e30a2860af17677ba4b264394d39c991205ac38471fba08ee46dd62d54820c9aff0f171d67c13d6777f76395259763a2eca6950e84d6588291f01a740f3710988c422ce417487e49654a1bea74cea574c98d4d67eff038a742e96a5e27a98a0a01d138a2be827ff2b21ac9c42d7e38af2ffe0383a94985bafdc2aa8a7c45ce83e1c800e3570c6206469d38d95078f27acb00d2a017d47e44fca50e7f5161be36b139542a1f71704441cc3186168679a946d83b212d0acfb749ea7211d91f576db49835ebc8e67de49f1b277d7a9a4bc33f40bc519cafe70cd47b1c7761f40c899ef0aca849364eea0be80f01064901706f8092db3eb70ae4ea5bad86239e035f2235e6d64ca6e1f37393f478a42a87ae0ebf35cdec89ce632d86a6554914f2f365c1425f4fd3427de1582fc99cb168440958311bb5df24406c1081e34178fbc2056303ba3bc1718b7e6fe44303b8e562037ee0a11760177756a35e288266fa8f022c11d71c2591f292ea8f98c926de22ee09d8aa6814535b36d9ef0a59d1f364269be1d3c0c934bc99640e83f3b7bae181179828bd446d95567f5da05ddab642da02139a6c653404d794353c6dee73101819f2f3fd47c2e8e027a13d04f45bda973878b55660d42e5196b3fa4589869949a7931b292b380ac49febfcd4dfac77b01cf9470122cb6220fbed8021903e0f5a18a43e3881cb109bfb9f223287ff37cefba79ee7404566ec073b11e9263b44b9758cf42230c3aae7e6b76482dd8a7a2fd3b6b1ea5cb6f80fd5b8e04f09130795e36d41d4e9c51e192a46ca32a294889483f018a542b2c88889947257494448cbf9220d3ec4948cf00b0deaddf71fae52323554b1125b7eb304c1aacc3d71b1919466b1ffd452c3081c4c257ec1c981902d8e5a0735857124f20fb170028bdc6281c009611063a02062e8721162cbeb4892ce20b30aeca766f9b168dc0095458d6bf891ff67c4b810abde5a61305c7a73a9a0dcb8458480d980fd2b7208309e8d56ce47bbe1781711c51678a0b57a8585f3edb90e86229ddb745c62591e87de3d7d1cce4a2ca6ca83ea7598e052a3704acb410ad3500a3b8e69c365b0b88b8dcef7b8d23097665a0c34bf34aac18480c1b41a6576cb22475bc3705b01');
INSERT INTO content VALUES(2,1,1,'zstd',X'28b52ffd608c03f51400f6e87826e0925607ac4a247c681af53f46686e0d6cbbc885baa126bec793e0aa3178620c638cc788090166006c006f00376ae9d5b35a4fc561f67a9bf466a695c3ec56def99aa5ced6a6677581333ba63adb3c1ca5eeac3e3070668f26f596b3e3acf59ed59d7766a76deb85efcccc100db3433363013800ebcc2ee754696f9c19a2ee44a0991191335a6867ceecd6453a2d678668026fe296a5f266e75cd2d629d93aa50d336473873ae8acfe0a20e6ceec998ebe6cee9cd92914122220da8305443b8868680f13160e14d7307bb5cf5924cc5e31d5d9b3ea685a3aa5dab7afc65961dc6271b69ed5eb05b3d7cc9df47271ee595d7604e7e5ccded1c9b37aa417c267b5de24a79d72c6e7e938d9b59c37d9867913beb3aa3c6bc2ecfd31d5d6179739ab05619a079db163d41c13424700e56cd54202810d604733b69b7967f58e2b2787337b9d67f549a555083ae4243d17cf0c5bd2c69cd521f7100c5428130189b322bdde13a150dc2402519e40a49d900d64c30c9174b3774a76e238ab4a44e76b6a3da0b372e064598b22d9407825b32b40442c2418284c3054483c445c73914e7acd3a5b9b9d3afa1178246bad3590998b7233afbd095600da4f4e500093131440eb65a83090b8a6a39c74da908d71081d37c6c5c8595daa917431ce1bd0714a011c2f4ca8b19c420c3926300a484a5250a00340024210b2bb031140780bd1d082429a036e78339f867c2a20c6bd4de78a82fe4fb11240958a99487a1bdd318aad332a469bb40167558c6ac7673704bc5c51a40f7d41ae1b3f43575da32b5c5619348e4d6a705ae4f2ff219bd07705e4a28c142a4156323faaab49f27eaa5090fb0c5099088e6a97f6151ffb7db72ddb602e23f76398d8c98a7aa5990565726c5610fd189c0a002918df0367e6b600055546d88b5a47e849329c6a');
INSERT INTO content VALUES(2,2,1,'zstd',X'28b52ffd602f15bd2800d67fb5305049db1c303399cccccc6434acc5ee7da36dc3214428b4d79df8a0afe4350bc6c24df4b7b5e126c1a8470864269823f4a100a800a7004eba8d1c324a8fb89e2487574eaa954a6deb43a55defeb235df90aa395ae7ce4e423d686f3d958f5e5acaee985aff781b25feff340d714624f5b4667e57c9feea48ff71a918e4a573e221d8d937418ef61ac87f1311dc6693a8c917b33fad4d084f0fa70f6f541dd21d64d5df55b72d2d609398cf67246eb68cb7ebcdea71f4e8a6f295a4b9dad87717a950f8cd3617cec9cd0219dafe957c2a1da849c9283f61477714875f02c9d7666d699d799797d61341643591827875cd360162561b0c589e6d72414c5250948798c44af9738762c5f0a8acb192b6d87538fa4e623a9f9486adee93d929aae21b41de623a9f94adbca3bdf9f572da4affd62541f32dae8a83b3d399f96a27d6047513fe95edb48a9d7b60fd0a9571f2a75ea208fdadaf7f1cc1889a0c7bee71e5cd4f074d6da6fd2a9befbde93f154adec7ba2e960ef7ce4cd0892f1367240080edad39dc630c66098a5b0f3c2603ae224a6d12c093b2bcb999725efb4966e6dfaa5a050cecc9673725eeeb4f5e4cc9ad5f8d270f2e5ccdcbc91b03333bebe5e577d66e5ccca82b2bfd662e7b5d65a5f0a8ab36229789d71e6b3d3aea05defe24ebbd3cecd3a9fcf306fea200215c3a41d0111918e128051bcd0c2342f6182c35135877b886e88030b182000d01ab3aa49b12e14ccaa46208a1cb3aa75c449889758c8082d680dcce76425ca1783993b82304a888658848c087b9fc2bc9ec02842de595e59d695c69775766eeeb46469aa09adc4d1f02d30332703da05c0b61d350c8090625ddc454b13b2b814eb593e599aa471669c1956184e731a37d63a2b6b618dd3584eae31c88e4c0a21180517601863cc3adf696cade5ebec4e3bbb8d0973e6d5304cc3b018ee4283030a1a1e3420140517509cb694e44ee386006655a31da193624b610c091a18286848246860c0c1c24280fba891b123342222229224291486037002a199192337126090c12486518cc31012180121022330c488139119a14088aa0e76f36388312890247d82dee5092c626f4c3d041707b357c1983aacfabc2b082e2d29ff07842184c62f3b996508806a079fda899cb2cfd216b1d7059339d1686c4d029eeb74553a804841d378ac19d99d75157ac59463cfce12189292cdd52042d1c93a501cffedde2cf1809fe4da3954d99c7e5fe7bd1679a643a74484e6792586874515f11ae2cefca0df4327f2f64cd2b497668508ef6868158e8df1db8c77ac776c63228a4c7b4c498b80b5c30918cee875a1e22cc8c58771f27ca6790ac92296b6e4c33c23e74da466a2141697eda0f2c7f34790dfbb6091a21104223ae0751c16ae7067969ed01af0f9a6b605cf9ffe41a222a6ba85a54383bcd9a9986b9cfc133b38e36c0ceca36616ba899c091a2a0c343f3999a053429dbe9fa32eaa5f82cef77096f920e5887f91128a43a417f0d1cf309506093542fed783e8433bcb84c812852a3d755b5eb83e53b3da7ceb966a742469531f530101478795dc38257984a346b19a125d9bfdee0b4dac224d80147c4a9be9e4be7946130ccacc89228c0157898d8c904b92cb78c7eee1c54cb69c99787b05c65880f1e49ce8a4907c0cbaa9f631131d1913179795eb261a6b2cf33b0178939c56a33f010a6323a86d9e69c48477f79d44374061604de957c23f34ee499f9412b490e344e98d7e7862b62583870e1ec54ae1d765a60999092d8fe779fc464b33b46ce53e0361766172c19cac510a2b8bf4ad755f15');
INSERT INTO content VALUES(2,3,1,'zstd',X'28b52ffd603a007d0500920a211c70a5d501708c69b3692d2a3b588f8bf545faf5dff6268bc7555783e143f1445907215e8858750e8c8e52f766cb804439cc691d6297177f57fde0139a2b0cc57b50d9e00284bf7b2e1f98f1f5fb995d8035b6d3faadb27d36adafb29d3f145fbe80210087a1123abca6b7214629968c4035649a5b62bb185f7836b4dd6c6a607ccb6c1911004008c86e53a9003990b159e583cb4016901d5414ea300804ca0be40af77dd41e5e8ddb0bec01');
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
INSERT INTO reject VALUES(2,1,2,'n0-1000.tsv',19,'too few fields: the line is cut',X'310973746172740963757420696e20746865206d6964646c65');
INSERT INTO reject VALUES(2,2,3,'n0.series',6,'tick: a series that was not declared',X'7469636b0931373030303030303030303230303030093530323030303009313d32353020333d31092e');
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
CREATE INDEX host_by_name ON host ((substr(hostname, 1, 100)), job_id);
CREATE INDEX annotation_by_name ON annotation (name, (substr(value, 1, 100)));
CREATE INDEX tag_of_job ON tag_set (name, (substr(value, 1, 100))) WHERE id = 0;
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
CREATE VIEW tag AS
SELECT job_id, 0 AS process_id, name, value FROM tag_set WHERE id = 0
UNION ALL SELECT p.job_id, p.id, s.name, s.value FROM process p
	JOIN tag_set s ON s.job_id = p.job_id AND s.id = p.tag_set;
CREATE VIEW counter_summary AS
SELECT c.job_id, c.name,
	CASE max(c.scope) WHEN 'node' THEN max(c.value) WHEN 'rate' THEN NULL ELSE sum(c.value) END
	AS value, count(c.value) AS processes, count(*) - count(c.value) AS unknown,
	(SELECT count(*) FROM process p WHERE p.job_id = c.job_id) - count(*) AS unrecorded,
	min(c.ratio) AS least_ratio, min(c.reason) AS reason, max(c.scope) AS scope
FROM counter c WHERE c.thread_id = 0 GROUP BY c.job_id, c.name;
CREATE VIEW thread AS
SELECT job_id, process_id, id, starttime, tid, thread_name, start_us, end_us, duration_us, usertime, systemtime, minflt, majflt, inblock, outblock, vol_ctxsw, invol_ctxsw, processor, delayacct_blkio_time, guest_time, rchar, wchar, syscr, syscw, read_bytes, write_bytes, cancelled_write_bytes, time_oncpu, time_waiting, timeslices, rdtsc_duration, own_outblock, own_rchar, own_wchar, own_syscr, own_syscw
FROM thread_row UNION ALL SELECT job_id, id, 1, starttime, coalesce(tid, pid), thread_name, start_us, end_us, duration_us, usertime, systemtime, minflt, majflt, inblock, outblock, vol_ctxsw, invol_ctxsw, processor, delayacct_blkio_time, guest_time, rchar, wchar, syscr, syscw, read_bytes, write_bytes, cancelled_write_bytes, time_oncpu, time_waiting, timeslices, rdtsc_duration, own_outblock, own_rchar, own_wchar, own_syscr, own_syscw
FROM process p WHERE NOT EXISTS (SELECT 1 FROM thread_row t
	WHERE t.job_id = p.job_id AND t.process_id = p.id);
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
COMMIT;
