PRAGMA foreign_keys=OFF;
BEGIN TRANSACTION;
CREATE TABLE schema_version (
	version INTEGER NOT NULL, -- schema version
	applied_us INTEGER, -- when this version was put in place [us]
	PRIMARY KEY (version)
) STRICT;
INSERT INTO schema_version VALUES(1,1795303525000000);
CREATE TABLE job (
	id INTEGER PRIMARY KEY, -- number of the job in this database
	cluster TEXT NOT NULL, -- cluster name; empty where there is none
	"user" TEXT NOT NULL, -- login name of the job's user
	jobid TEXT NOT NULL, -- job id; without a batch system session id and sequence number
	array_task TEXT NOT NULL, -- task of an array job; empty for none
	restart_count INTEGER NOT NULL, -- how often the batch system restarted the job
	epoch_us INTEGER NOT NULL, -- start by the batch system where known, else by the first start [us]
	scheduler TEXT, -- slurm, pbs, ..., none
	name TEXT, -- job name; without one, the name of the command
	uid INTEGER, -- user id
	gid INTEGER, -- group id
	"groups" TEXT, -- names of the user's groups, the primary one first
	submit_us INTEGER, -- when the job was submitted; epoch_us less this is its time in the queue [us]
	queue TEXT, -- queue or partition
	account TEXT, -- account charged
	script TEXT, -- the script that called start; not where a batch system runs a copy of it
	nodes INTEGER, -- nodes allocated
	tasks INTEGER, -- tasks allocated
	facts TEXT, -- what else the scheduler's environment says
	tags TEXT, -- job tags
	annotations TEXT, -- what people noted about the job: perfmon annotate
	start_us INTEGER, -- start of the job, else of its first process [us]
	end_us INTEGER, -- end of the job, else of its last process [us]
	duration_us INTEGER, -- elapsed time, by the monotonic clock where one host knows both ends [us]
	exit_status INTEGER, -- exit status of the job's command
	exit_signal INTEGER, -- signal that ended the job's command
	processes INTEGER, -- rows in process: one per program image and fork
	threads INTEGER, -- threads seen in them
	failed INTEGER, -- processes that ended with a status other than 0 or by a signal
	killed INTEGER, -- processes ended by a signal
	running INTEGER, -- processes whose end is not known while their host has no stop
	without_end INTEGER, -- images with a start and no end record
	reaped_only INTEGER, -- rows known only from their parent's wait: static, set-uid and the like
	hosts INTEGER, -- hosts with records or metadata
	ranks INTEGER, -- different MPI ranks seen; NULL for none
	cpus INTEGER, -- CPUs allocated by the batch system, else allowed, summed over the hosts
	cpu_time INTEGER, -- CPU time of all processes, user and system [us]
	charged_cpu_us INTEGER, -- CPU time the kernel charged to the job [us]
	excluded INTEGER, -- images of excluded programs, which have no row in process
	excluded_cpu_us INTEGER, -- their CPU time as far as it is known: see excluded_program [us]
	coverage REAL, -- CPU time recorded, the collector's and that of excluded and folded programs included, per CPU time charged
	efficiency REAL, -- cpu_time with excluded_cpu_us and folded_cpu_us / (duration_us * cpus)
	folded INTEGER, -- short processes beyond max_bytes, which have no row in process
	folded_cpu_us INTEGER, -- their CPU time: see folded_program [us]
	lost INTEGER, -- lines of records that could not be written, as far as was counted: see lost
	rejected INTEGER, -- lines in reject
	late INTEGER, -- processes that ended after their host's stop
	problems TEXT, -- what was wrong with the sources, separated by semicolons
	usertime INTEGER, -- sum over the processes: CPU time in user mode [us]
	systemtime INTEGER, -- sum over the processes: CPU time in the kernel [us]
	rssmax INTEGER, -- largest of a process: peak resident set size (of a reaped line ru_maxrss, which survives exec) [kB]
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
	UNIQUE (cluster, "user", jobid, array_task, restart_count, epoch_us)
) STRICT;
INSERT INTO job VALUES(1,'','alice','11174-1','',0,1795303369223705,'none','sh',1042,1042,'["alice"]',NULL,NULL,NULL,NULL,NULL,NULL,'{"session_id":"11174","session_start":"77336"}','{"exp":"winter","model":"m1"}','{"campaign":"winter","note":"two words; and more"}',1795303369223705,1795303371325669,2101964,3,NULL,10,14,2,1,0,1,0,1,NULL,2,1700268,1701446,0,NULL,0.99999764905850674345,0.40444745961396105782,0,NULL,0,0,0,NULL,1458475,241793,140668,1534200,135820,0,0,8,51,535,NULL,0,4106087,3128509,599,386,0,4096,0,1681470183,2259377683,592,1242,1174,21,0,21349,6734,55,18);
INSERT INTO job VALUES(2,'c1','someone','77','3',1,1699999999000000,'slurm','golden',1000,1000,'["users","staff"]',NULL,'short',NULL,NULL,1,2,'{"SLURM_JOB_NUM_NODES":"1"}','{"exp":"a:b=c","bare":"1"}',NULL,1699999999990000,1700000000029000,39000,0,NULL,6,7,2,1,0,2,1,1,2,2,18598,20000,0,NULL,0.93589999999999995416,0.23843589743589743701,0,NULL,NULL,2,1,NULL,16108,2490,123456,9000,5228,2,20,8,12,4,NULL,0,18000,200,30,10,8192,16384,0,8480000,10000,8,180,120,18,NULL,3000,600,15,3);
CREATE TABLE host (
	job_id INTEGER NOT NULL, -- the job
	id INTEGER NOT NULL, -- number of the host within the job, from 1
	hostname TEXT, -- host name
	boot_id TEXT, -- boot of the host
	kernel TEXT, -- kernel release
	machine TEXT, -- hardware name, e.g. x86_64
	os TEXT, -- operating system
	cpu_model TEXT, -- processor model
	cpu_id TEXT, -- vendor, family, model and stepping of the processor, e.g. GenuineIntel-6-55-4
	cpus_online INTEGER, -- CPUs of the host
	cpus_allowed INTEGER, -- CPUs the job may use: affinity and cgroup limits
	cpus_allocated INTEGER, -- CPUs of the host that the batch system says it gave the job
	microarchitecture TEXT, -- of the processor, as in the formulas of derived metrics, e.g. skx
	sockets INTEGER, -- processor packages of the host
	cores INTEGER, -- processor cores of the host
	threads_per_core INTEGER, -- CPUs of a core, hyper-threads
	cache_l1d_kb INTEGER, -- size of the first CPU's level 1 data cache, kB
	cache_l1i_kb INTEGER, -- size of its level 1 instruction cache, kB
	cache_l2_kb INTEGER, -- size of its level 2 cache, kB
	cache_l3_kb INTEGER, -- size of its level 3 cache, which others may share, kB
	numa_nodes INTEGER, -- NUMA nodes of the host
	system TEXT, -- maker and product of the machine
	hypervisor TEXT, -- what the host is a virtual machine of, where the processor tells
	memory_kb INTEGER, -- memory of the host, kB
	swap_kb INTEGER, -- swap space of the host, kB
	page_size INTEGER, -- bytes per page
	clock_ticks INTEGER, -- clock ticks per second
	start_time_us INTEGER, -- at start: when start ran [us]
	start_monotonic_us INTEGER, -- at start: CLOCK_MONOTONIC then
	start_cwd TEXT, -- at start: working directory
	start_command TEXT, -- at start: the command of -a run
	start_environment TEXT, -- at start: environment, as the setting environment allows
	start_modules TEXT, -- at start: modules loaded then, from LOADEDMODULES
	start_cgroup TEXT, -- at start: control group the job runs in
	start_cgroup_cpu_us INTEGER, -- at start: CPU time that group had used then
	start_cgroup_oom_kills INTEGER, -- at start: processes that the kernel had killed in that group for want of memory
	stop_time_us INTEGER, -- at stop: when stop ran [us]
	stop_monotonic_us INTEGER, -- at stop: CLOCK_MONOTONIC then
	stop_exit_status INTEGER, -- at stop: exit status of the command of -a run
	stop_exit_signal INTEGER, -- at stop: signal that ended it
	stop_exit_reason TEXT, -- at stop: why it ended so: success, failure, memory (the kernel killed processes for want of it), cpu-limit, file-limit, crash, killed (SIGKILL), asked (SIGTERM, SIGINT, SIGHUP and the like), signal
	stop_environment_changes TEXT, -- at stop: what changed since start: NAME to its new value, or to null
	stop_environment_added TEXT, -- at stop: names of those that were not there at start
	stop_environment_removed TEXT, -- at stop: names of those that are gone; the others changed their value
	stop_cgroup_oom_kills INTEGER, -- at stop: as that of start
	stop_cgroup_cpu_us INTEGER, -- at stop: CPU time the group of start had used then
	stop_charged_cpu_us INTEGER, -- at stop: CPU time the kernel charged to the command's tree, from wait4(2)
	stop_files INTEGER, -- at stop: record files
	stop_bytes INTEGER, -- at stop: bytes in them
	stop_records INTEGER, -- at stop: lines in them
	stop_without_end INTEGER, -- at stop: images with a start and no end record
	stop_lost INTEGER, -- at stop: lines of records that could not be written, as far as they were counted
	stop_lost_reasons TEXT, -- at stop: why: number of lines by the name of the error
	stop_folded INTEGER, -- at stop: short processes beyond max_bytes: in totals per program alone
	cpu_time INTEGER, -- CPU time of all processes on the host, user and system [us]
	charged_cpu_us INTEGER, -- CPU time the kernel charged to the job on the host [us]
	coverage REAL, -- as that of the job, of the host alone
	PRIMARY KEY (job_id, id),
	FOREIGN KEY (job_id) REFERENCES job (id) ON DELETE CASCADE
) STRICT;
INSERT INTO host VALUES(1,1,'node17','01f7e299-0c84-4bd2-8daf-05f6c77713ed','6.1.0-18-amd64','x86_64','Debian GNU/Linux 12 (bookworm)','Intel(R) Xeon(R) Processor','GenuineIntel-6-CF-2',2,2,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,24684084,NULL,4096,100,1795303369223705,1343555644,'/home/alice','["sh","work.sh"]','{"PERFMON_OUTPUT_PREFIX":"/home/alice/out","PERFMON_OPTIONS":"page-faults,task-clock,cycles","PATH":"/usr/bin:/bin","PERFMON_LIBRARY":"/home/rec/libperfmon.so","PERFMON_JOB_TAGS":"exp:winter;model:m1","LC_ALL":"C","TZ":"UTC"}',NULL,'/',NULL,NULL,1795303371325669,1345657608,3,NULL,'failure','{}','[]','[]',NULL,NULL,1701446,1,13286,35,1,0,NULL,0,1700268,1701446,0.99999764905850674345);
INSERT INTO host VALUES(2,1,'n0','6f0a4c1e-3c5b-4a55-9c0e-0123456789ab','6.1.0','x86_64','Linux','A CPU',NULL,8,2,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,16000000,NULL,4096,100,1699999999990000,1000000,'/home/u','["sh","-c","make all"]','{"PATH":"/usr/bin:/bin"}',NULL,'/user.slice',5000,NULL,1700000000029000,1039000,0,NULL,NULL,'{"OMP_NUM_THREADS":"4","GONE":null}',NULL,NULL,NULL,25000,NULL,1,100,16,2,NULL,NULL,NULL,18598,20000,0.93589999999999995416);
CREATE TABLE process (
	job_id INTEGER NOT NULL, -- the job
	id INTEGER NOT NULL, -- number within the job, from 1, in depth-first order of the tree
	host_id INTEGER NOT NULL, -- the host
	parent_id INTEGER, -- the process that started it; NULL for a root
	depth INTEGER, -- levels below its root
	cpu_time INTEGER, -- usertime plus systemtime [us]
	inclusive_cpu_time INTEGER, -- cpu_time of the process and of its descendants [us]
	tag_set INTEGER, -- its tags by name, in the table tag_set; NULL for none
	pid_ns INTEGER, -- pid namespace: separates equal pids of containers
	pid INTEGER, -- process id, in the namespace of the process that wrote the line; unknown in a reaped line of what libc waited for itself
	starttime INTEGER, -- start of the task, clock ticks after boot (sysconf(_SC_CLK_TCK) per second) [ticks]
	image_us INTEGER, -- start of the process image (exec or fork) the line belongs to [us]
	generation INTEGER, -- 0 for the first image of a pid, one more for every exec
	tid INTEGER, -- thread id; negative in lines of threads whose id is unknown, to tell them apart
	exename TEXT, -- base name of the executable
	path TEXT, -- absolute path of the executable
	args TEXT, -- arguments without argv[0]; cut at args_max with a marker item
	tags TEXT, -- process tags, NAME:VALUE;...
	jobid TEXT, -- job id as the process saw it
	step TEXT, -- job step
	localid INTEGER, -- task number on this node within the step
	ppid INTEGER, -- parent process id at start; of a reaped line, the process that waited
	pgid INTEGER, -- process group id at start
	sid INTEGER, -- session id at start
	uid INTEGER, -- real user id at start
	mpirank INTEGER, -- MPI rank
	numranks INTEGER, -- number of MPI ranks
	cgroup TEXT, -- control group path at the end (the unified one, else that of cpu) of an image that lived a millisecond
	container TEXT, -- container the process runs in
	thread_name TEXT, -- command name of the thread
	start_us INTEGER, -- start of the image or thread; of an image, when its loading was done: the CPU time of exec and loading, which counts, lies before; of a reaped line, of the call that made the child, where that waited for it, too [us]
	end_us INTEGER, -- end of the image or thread; of a reaped line, when it was waited for [us]
	duration_us INTEGER, -- elapsed time from start to end, unaffected by clock steps [us]
	end_reason TEXT, -- exit or exec, of converted files signal where its number is unknown; set at load: signal, running, unknown
	exitcode INTEGER, -- exit status
	exitsignal INTEGER, -- number of the signal that ended the process
	numtids INTEGER, -- threads seen over the life of the image, the main thread included
	num_threads INTEGER, -- threads alive at the end
	usertime INTEGER, -- CPU time in user mode [us]
	systemtime INTEGER, -- CPU time in the kernel [us]
	rssmax INTEGER, -- peak resident set size (of a reaped line ru_maxrss, which survives exec) [kB]
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
	last_call TEXT, -- call that took the process out of reach of its record file: the values, but for what its parent's wait says, are those before it
	PRIMARY KEY (job_id, id),
	FOREIGN KEY (job_id, host_id) REFERENCES host (job_id, id) ON DELETE CASCADE
) STRICT;
INSERT INTO process VALUES(1,3,1,2,2,1066,1066,1,4026531836,32236,134357,1795303369240409,0,32236,'seq','/usr/bin/seq','1000','op:prepare;step:1','11174-1',NULL,NULL,32235,32210,11174,1042,NULL,NULL,NULL,NULL,'seq',1795303369240409,1795303369240531,122,'exit',0,NULL,1,1,1066,0,1628,6036,68,0,0,0,0,1,0,0,0,0,0,NULL,0,4844,3893,10,1,0,0,0,968551,8283,2,290762,76,75,2,0,2061,351,4,1,'0.1.0',NULL);
INSERT INTO process VALUES(1,4,1,2,2,1105,1105,1,4026531836,32237,134357,1795303369241552,0,32237,'sort','/usr/bin/sort','-r list','op:prepare;step:1','11174-1',NULL,NULL,32235,32210,11174,1042,NULL,NULL,NULL,NULL,'sort',1795303369241552,1795303369241791,238,'exit',0,NULL,1,1,1105,0,1632,6336,80,0,0,0,0,1,0,0,0,0,0,NULL,0,8737,3893,12,1,0,0,0,1027143,6101,2,559924,67,66,2,0,2072,357,4,1,'0.1.0',NULL);
INSERT INTO process VALUES(1,5,1,2,2,1128,1128,1,4026531836,32238,134357,1795303369242782,0,32238,'wc','/usr/bin/wc','-l sorted','op:prepare;step:1','11174-1',NULL,NULL,32235,32210,11174,1042,NULL,NULL,NULL,NULL,'wc',1795303369242782,1795303369243002,220,'exit',0,NULL,1,1,1128,0,1764,6028,73,0,0,8,0,1,0,0,0,0,0,NULL,0,8737,12,12,1,0,4096,0,1007234,6406,2,517452,75,73,2,0,2058,353,4,1,'0.1.0',NULL);
INSERT INTO process VALUES(1,2,1,1,1,1275,4574,1,4026531836,32235,134357,1795303369239349,0,32235,'dash','/usr/bin/dash','-c seq\x201000\x20>list;\x20sort\x20-r\x20list\x20>sorted;\x20wc\x20-l\x20sorted','op:prepare;step:1','11174-1',NULL,NULL,32233,32210,11174,1042,NULL,NULL,'/',NULL,'sh',1795303369239349,1795303369243175,3826,'exit',0,NULL,1,1,1275,0,1864,6108,70,0,0,0,6,1,227,0,3514,0,0,NULL,0,4844,0,10,0,0,0,0,1081281,11246,8,8811642,155,139,2,0,2216,1292,5,4,'0.1.0',NULL);
INSERT INTO process VALUES(1,7,1,6,2,831895,831895,2,4026531836,32240,134357,1795303369245600,0,32240,'xz','/usr/bin/xz','-T2 --block-size=300KiB -k -f -9 data','op:compute;step:2;fast','11174-1',NULL,NULL,32239,32210,11174,1042,NULL,NULL,'/',NULL,'xz',1795303369245600,1795303370084227,838627,'exit',0,NULL,3,3,711670,120225,140668,1534200,67607,0,0,0,15,229,0,0,0,0,1,NULL,0,2032056,1560352,262,191,0,0,0,825607262,789069653,245,1928851583,193,190,3,0,3215,387,12,1,'0.1.0',NULL);
INSERT INTO process VALUES(1,8,1,6,2,856657,856657,2,4026531836,32271,134442,1795303370093203,0,32271,'xz','/usr/bin/xz','-T2 --block-size=300KiB -k -f -9 data','op:compute;step:2;fast','11174-1',NULL,NULL,32239,32210,11174,1042,NULL,NULL,'/',NULL,'xz',1795303370093203,1795303371284425,1191221,'exit',0,NULL,3,3,736921,119736,140664,1534200,67606,0,0,0,17,296,0,0,0,0,0,NULL,0,2032056,1560352,262,191,0,0,0,846304722,1467345726,314,2739821484,213,211,3,0,3216,387,12,1,'0.1.0',NULL);
INSERT INTO process VALUES(1,6,1,1,1,2937,1691489,2,4026531836,32239,134357,1795303369244418,0,32239,'dash','/usr/bin/dash','-c for\x20i\x20in\x201\x202;\x20do\x20xz\x20-T2\x20--block-size=300KiB\x20-k\x20-f\x20-9\x20data;\x20done','op:compute;step:2;fast','11174-1',NULL,NULL,32233,32210,11174,1042,NULL,NULL,'/',NULL,'sh',1795303369244418,1795303371312163,2067745,'exit',0,NULL,1,1,1105,1832,1816,6108,70,0,0,0,4,2,135219,0,1448591,240363,0,NULL,0,4844,0,10,0,0,0,0,2789827,991417,7,4755821158,236,220,3,0,2223,1064,5,3,'0.1.0',NULL);
INSERT INTO process VALUES(1,9,1,1,1,1114,1114,3,4026531836,32336,134564,1795303371313422,0,32336,'dash','/usr/bin/dash','-c false;\x20true','op:compute;step:3','11174-1',NULL,NULL,32233,32210,11174,1042,NULL,NULL,NULL,NULL,'sh',1795303371313422,1795303371313545,122,'exit',0,NULL,1,1,1114,0,1816,6108,70,0,0,0,0,1,0,0,0,0,0,NULL,0,4844,0,10,0,0,0,0,1032292,7280,2,295526,73,72,2,0,2062,365,4,1,'0.1.0',NULL);
INSERT INTO process VALUES(1,10,1,1,1,1284,1284,NULL,4026531836,32337,134564,1795303371314731,0,32337,'dash','/usr/bin/dash','-c kill\x20-9\x20$$',NULL,'11174-1',NULL,NULL,32233,32210,11174,1042,NULL,NULL,NULL,NULL,'sh',1795303371314731,1795303371315022,291,'signal',NULL,9,NULL,NULL,1284,0,NULL,NULL,73,0,0,0,1,2,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,'0.1.0',NULL);
INSERT INTO process VALUES(1,1,1,NULL,0,1807,1700268,NULL,4026531836,32233,134356,1795303369238229,0,32233,'dash','/usr/bin/dash','work.sh',NULL,'11174-1',NULL,NULL,32232,32210,11174,1042,NULL,NULL,'/',NULL,'sh',1795303369238229,1795303371315053,2076823,'exit',3,NULL,1,1,1807,0,1864,6108,103,0,0,0,8,1,135736,0,1457096,242415,0,NULL,0,5125,7,11,1,0,0,0,1651871,1931571,10,4776710372,154,128,2,0,2226,2178,5,5,'0.1.0',NULL);
INSERT INTO process VALUES(2,2,1,1,1,550,550,1,4026531836,1001,110,1700000000001000,0,1001,'dash','/usr/bin/dash','-c make\x20all','op:build;rank zero=x;bare','77','0',0,1000,1001,900,1000,0,2,'/user.slice',NULL,'dash',1700000000001000,1700000000001600,600,'exec',NULL,NULL,1,1,350,200,2048,9000,94,0,0,0,3,1,0,0,0,0,1,NULL,0,5000,100,15,5,4096,8192,0,550000,5000,4,1800000,60,40,6,NULL,1000,200,5,1,'0.1.0',NULL);
INSERT INTO process VALUES(2,3,1,1,1,6688,6688,1,4026531836,1001,110,1700000000001700,1,1001,'make','/usr/bin/make','all','op:build;rank zero=x;bare','77','0',0,1000,1001,900,1000,NULL,NULL,'/user.slice',NULL,'make',1700000000001700,1700000000009100,7400,'exit',2,NULL,2,1,5788,900,2048,9000,0,0,0,0,0,0,0,0,12,0,1,NULL,0,9000,0,0,0,0,0,0,6570000,0,0,22200000,60,40,6,NULL,1000,200,5,1,'0.1.0',NULL);
INSERT INTO process VALUES(2,4,1,1,1,100,100,NULL,4026531836,1003,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,1000,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,1700000000009500,NULL,'exit',0,NULL,NULL,NULL,70,30,NULL,NULL,40,0,0,0,3,1,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO process VALUES(2,6,1,5,2,NULL,NULL,1,4026531836,1005,160,1700000000015000,0,1005,'child','/home/u/child','','op:build;rank zero=x;bare','77','0',0,1004,1005,900,1000,NULL,NULL,'/user.slice',NULL,'child',1700000000015000,NULL,NULL,'unknown',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,'0.1.0',NULL);
INSERT INTO process VALUES(2,5,1,1,1,9900,9900,1,4026531836,1004,150,1700000000009600,0,1004,'sim','/home/u/sim (deleted)','\+40000:0123456789abcdef','op:build;rank zero=x;bare','77','0',0,1000,1004,900,1000,1,2,'/user.slice','box','sim',1700000000009600,1700000000020000,10400,'signal',NULL,9,NULL,NULL,9000,900,123456,NULL,5000,2,16,8,3,1,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,'0.1.0',NULL);
INSERT INTO process VALUES(2,1,1,NULL,0,1360,18598,1,4026531836,1000,100,1700000000000000,0,1000,'dash','/usr/bin/dash','-c make\x20all;\x20./sim\x20\\$HOME \e caf\xffé','op:build;rank zero=x;bare','77','0',0,1,1000,900,1000,NULL,NULL,'/user.slice',NULL,'dash',1700000000000000,1700000000030000,30000,'exit',0,NULL,1,1,900,460,2048,9000,94,0,4,0,3,1,0,0,0,0,1,NULL,0,4000,100,15,5,4096,8192,0,1360000,5000,4,90000000,60,40,6,NULL,1000,200,5,1,'0.1.0',NULL);
CREATE TABLE thread_row (
	job_id INTEGER NOT NULL, -- the job
	process_id INTEGER NOT NULL, -- the process
	id INTEGER NOT NULL, -- number of the thread within the process, from 1: a tid may come twice
	starttime INTEGER, -- start of the task, clock ticks after boot (sysconf(_SC_CLK_TCK) per second) [ticks]
	tid INTEGER, -- thread id; negative in lines of threads whose id is unknown, to tell them apart
	thread_name TEXT, -- command name of the thread
	start_us INTEGER, -- start of the image or thread; of an image, when its loading was done: the CPU time of exec and loading, which counts, lies before; of a reaped line, of the call that made the child, where that waited for it, too [us]
	end_us INTEGER, -- end of the image or thread; of a reaped line, when it was waited for [us]
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
) STRICT;
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
	cpu_time INTEGER, -- CPU time of these images and of what they waited for that left no record; NULL where nobody recorded waited for any of them, nor did any exec a recorded program [us]
	PRIMARY KEY (job_id, host_id, exename),
	FOREIGN KEY (job_id, host_id) REFERENCES host (job_id, id) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;
CREATE TABLE lost (
	job_id INTEGER NOT NULL, -- the job
	host_id INTEGER NOT NULL, -- the host
	reason TEXT NOT NULL, -- name of the error, such as ENOSPC
	lines INTEGER NOT NULL, -- lines of records that could not be written
	bytes INTEGER NOT NULL, -- their length [B]
	PRIMARY KEY (job_id, host_id, reason),
	FOREIGN KEY (job_id, host_id) REFERENCES host (job_id, id) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;
CREATE TABLE folded_program (
	job_id INTEGER NOT NULL, -- the job
	host_id INTEGER NOT NULL, -- the host
	exename TEXT NOT NULL, -- base name of the executable; empty for programs beyond the room there is
	images INTEGER NOT NULL, -- how many images of it were folded
	usertime INTEGER, -- their CPU time in user mode [us]
	systemtime INTEGER, -- their CPU time in the kernel [us]
	duration_us INTEGER, -- their elapsed time [us]
	failed INTEGER, -- how many ended with a status other than 0
	rssmax INTEGER, -- largest peak resident set size [kB]
	PRIMARY KEY (job_id, host_id, exename),
	FOREIGN KEY (job_id, host_id) REFERENCES host (job_id, id) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;
CREATE TABLE folded_wait (
	job_id INTEGER NOT NULL, -- the job
	host_id INTEGER NOT NULL, -- the host
	key TEXT NOT NULL, -- empty
	waits INTEGER NOT NULL, -- children waited for by a recorded or folded process, without a line
	usertime INTEGER, -- CPU time in user mode of them and of what they waited for [us]
	systemtime INTEGER, -- the same in the kernel [us]
	failed INTEGER, -- how many ended with a status other than 0
	killed INTEGER, -- how many were ended by a signal
	PRIMARY KEY (job_id, host_id, key),
	FOREIGN KEY (job_id, host_id) REFERENCES host (job_id, id) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;
CREATE TABLE counter (
	job_id INTEGER NOT NULL, -- the job
	process_id INTEGER NOT NULL, -- the process
	thread_id INTEGER NOT NULL, -- the thread, as in thread_row; 0 for the process as a whole
	name TEXT NOT NULL, -- name of the event
	value INTEGER, -- its count; NULL where it could not be counted
	ratio REAL, -- share of the time it was counted; value is scaled by it already
	reason TEXT, -- why it could not be counted, such as ENOENT or closed
	scope TEXT, -- node: counted for everything on the node; rate: made by a formula that divides; else NULL: adds up over processes
	PRIMARY KEY (job_id, process_id, thread_id, name),
	FOREIGN KEY (job_id, process_id) REFERENCES process (job_id, id) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;
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
) STRICT, WITHOUT ROWID;
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
) STRICT, WITHOUT ROWID;
INSERT INTO annotation VALUES(1,'campaign','winter');
INSERT INTO annotation VALUES(1,'note','two words; and more');
CREATE TABLE metric (
	name TEXT NOT NULL, -- column of a record, and of the tables process and thread_row
	unit TEXT NOT NULL, -- its unit; empty for none
	kind TEXT NOT NULL, -- how values combine: COUNTER, SPAN and OWN sum, PEAK takes the largest
	scope TEXT NOT NULL, -- PROCESS or THREAD: the smallest thing a value describes
	source TEXT NOT NULL, -- where the collector reads it
	help TEXT NOT NULL, -- what it is
	PRIMARY KEY (name)
) STRICT;
INSERT INTO metric VALUES('record','','TEXT','PROCESS','collector','record kind: start, thread, end, last, reaped, resumed or excluded');
INSERT INTO metric VALUES('boot_id','','TEXT','PROCESS','/proc/sys/kernel/random/boot_id','boot of the host: separates equal pids of different hosts and boots');
INSERT INTO metric VALUES('pid_ns','','KEY','PROCESS','inode of /proc/self/ns/pid','pid namespace: separates equal pids of containers');
INSERT INTO metric VALUES('pid','','KEY','PROCESS','getpid(2)','process id, in the namespace of the process that wrote the line; unknown in a reaped line of what libc waited for itself');
INSERT INTO metric VALUES('starttime','ticks','KEY','THREAD','/proc/PID/stat field 22','start of the task, clock ticks after boot (sysconf(_SC_CLK_TCK) per second)');
INSERT INTO metric VALUES('image_us','us','KEY','PROCESS','CLOCK_REALTIME','start of the process image (exec or fork) the line belongs to');
INSERT INTO metric VALUES('generation','','GAUGE','PROCESS','order of image_us, set at load','0 for the first image of a pid, one more for every exec');
INSERT INTO metric VALUES('tid','','GAUGE','THREAD','gettid(2)','thread id; negative in lines of threads whose id is unknown, to tell them apart');
INSERT INTO metric VALUES('hostname','','TEXT','PROCESS','uname(2)','host name');
INSERT INTO metric VALUES('exename','','TEXT','PROCESS','/proc/self/exe','base name of the executable');
INSERT INTO metric VALUES('path','','TEXT','PROCESS','/proc/self/exe','absolute path of the executable');
INSERT INTO metric VALUES('args','','LIST','PROCESS','argv','arguments without argv[0]; cut at args_max with a marker item');
INSERT INTO metric VALUES('tags','','TEXT','PROCESS','PERFMON_TAGS','process tags, NAME:VALUE;...');
INSERT INTO metric VALUES('jobid','','TEXT','PROCESS','PERFMON_JOBID, SLURM_JOB_ID, PBS_JOBID, ...','job id as the process saw it');
INSERT INTO metric VALUES('step','','TEXT','PROCESS','SLURM_STEP_ID','job step');
INSERT INTO metric VALUES('localid','','GAUGE','PROCESS','SLURM_LOCALID','task number on this node within the step');
INSERT INTO metric VALUES('ppid','','GAUGE','PROCESS','/proc/PID/stat field 4','parent process id at start; of a reaped line, the process that waited');
INSERT INTO metric VALUES('pgid','','GAUGE','PROCESS','/proc/PID/stat field 5','process group id at start');
INSERT INTO metric VALUES('sid','','GAUGE','PROCESS','/proc/PID/stat field 6','session id at start');
INSERT INTO metric VALUES('uid','','GAUGE','PROCESS','AT_UID of the auxiliary vector','real user id at start');
INSERT INTO metric VALUES('mpirank','','GAUGE','PROCESS','OMPI_COMM_WORLD_RANK, MV2_COMM_WORLD_RANK, PMI_RANK, PMIX_RANK, SLURM_PROCID of a task of srun','MPI rank');
INSERT INTO metric VALUES('numranks','','GAUGE','PROCESS','OMPI_COMM_WORLD_SIZE, MV2_COMM_WORLD_SIZE, PMI_SIZE, SLURM_STEP_NUM_TASKS','number of MPI ranks');
INSERT INTO metric VALUES('cgroup','','TEXT','PROCESS','/proc/self/cgroup','control group path at the end (the unified one, else that of cpu) of an image that lived a millisecond');
INSERT INTO metric VALUES('container','','TEXT','PROCESS','APPTAINER_NAME, SINGULARITY_NAME, container','container the process runs in');
INSERT INTO metric VALUES('thread_name','','TEXT','THREAD','/proc/PID/stat field 2','command name of the thread');
INSERT INTO metric VALUES('start_us','us','TIME','THREAD','CLOCK_REALTIME','start of the image or thread; of an image, when its loading was done: the CPU time of exec and loading, which counts, lies before; of a reaped line, of the call that made the child, where that waited for it, too');
INSERT INTO metric VALUES('end_us','us','TIME','THREAD','CLOCK_REALTIME','end of the image or thread; of a reaped line, when it was waited for');
INSERT INTO metric VALUES('duration_us','us','SPAN','THREAD','CLOCK_MONOTONIC','elapsed time from start to end, unaffected by clock steps');
INSERT INTO metric VALUES('end_reason','','TEXT','PROCESS','collector; completed at load','exit or exec, of converted files signal where its number is unknown; set at load: signal, running, unknown');
INSERT INTO metric VALUES('exitcode','','GAUGE','PROCESS','exit(3) argument, wait4(2)','exit status');
INSERT INTO metric VALUES('exitsignal','','GAUGE','PROCESS','wait4(2)','number of the signal that ended the process');
INSERT INTO metric VALUES('numtids','','GAUGE','PROCESS','pthread_create(3) calls seen','threads seen over the life of the image, the main thread included');
INSERT INTO metric VALUES('num_threads','','GAUGE','PROCESS','/proc/PID/stat field 20','threads alive at the end');
INSERT INTO metric VALUES('usertime','us','COUNTER','THREAD','getrusage(2), wait4(2)','CPU time in user mode');
INSERT INTO metric VALUES('systemtime','us','COUNTER','THREAD','getrusage(2), wait4(2)','CPU time in the kernel');
INSERT INTO metric VALUES('rssmax','kB','PEAK','PROCESS','/proc/self/status VmHWM','peak resident set size (of a reaped line ru_maxrss, which survives exec)');
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
INSERT INTO metric VALUES('counters','','LIST','THREAD','perf_event_open(2)','NAME=value, NAME=value@ratio (share of the time it was counted), NAME=value@node (of all that happened on the node) or NAME=?reason per counter');
INSERT INTO metric VALUES('own_overhead_us','us','OWN','PROCESS','CLOCK_MONOTONIC','elapsed time spent inside the collector');
INSERT INTO metric VALUES('own_cpu_us','us','OWN','PROCESS','getrusage(2)','CPU time spent inside the collector before the counters were read');
INSERT INTO metric VALUES('own_minflt','n','OWN','PROCESS','getrusage(2)','page faults the collector caused before minflt was read');
INSERT INTO metric VALUES('own_outblock','512 B','OWN','THREAD','getrusage(2)','blocks the collector wrote before outblock was read');
INSERT INTO metric VALUES('own_rchar','B','OWN','THREAD','collector','bytes the collector read before rchar was read');
INSERT INTO metric VALUES('own_wchar','B','OWN','THREAD','collector','bytes the collector wrote before wchar was read');
INSERT INTO metric VALUES('own_syscr','n','OWN','THREAD','collector','read calls the collector made before syscr was read');
INSERT INTO metric VALUES('own_syscw','n','OWN','THREAD','collector','write calls the collector made before syscw was read');
INSERT INTO metric VALUES('version','','TEXT','PROCESS','collector','version of the collector');
INSERT INTO metric VALUES('last_call','','TEXT','PROCESS','collector','call that took the process out of reach of its record file: the values, but for what its parent''s wait says, are those before it');
CREATE TABLE series (
	job_id INTEGER NOT NULL, -- the job
	id INTEGER NOT NULL, -- number of the series within the job, from 1
	host_id INTEGER NOT NULL, -- the host
	source TEXT NOT NULL, -- source of the sampler
	metric TEXT NOT NULL, -- what is sampled
	object TEXT NOT NULL, -- what it belongs to, such as cpu0; empty for the node or job
	unit TEXT NOT NULL, -- unit of the values
	kind TEXT NOT NULL, -- gauge, or counter: take differences
	PRIMARY KEY (job_id, id),
	FOREIGN KEY (job_id, host_id) REFERENCES host (job_id, id) ON DELETE CASCADE
) STRICT;
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
CREATE TABLE sample (
	job_id INTEGER NOT NULL, -- the job
	series_id INTEGER NOT NULL, -- the series
	time_us INTEGER NOT NULL, -- when it was read [us]
	value REAL, -- the value; NULL where it is unknown
	reason TEXT, -- why it is unknown
	PRIMARY KEY (job_id, series_id, time_us),
	FOREIGN KEY (job_id, series_id) REFERENCES series (job_id, id) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;
INSERT INTO sample VALUES(1,1,1795303369242095,0.0,NULL);
INSERT INTO sample VALUES(1,1,1795303369316110,10000.0,NULL);
INSERT INTO sample VALUES(1,1,1795303369400053,60000.0,NULL);
INSERT INTO sample VALUES(1,1,1795303369500055,150000.0,NULL);
INSERT INTO sample VALUES(1,1,1795303369600057,250000.0,NULL);
INSERT INTO sample VALUES(1,1,1795303369700109,350000.0,NULL);
INSERT INTO sample VALUES(1,1,1795303369800095,450000.0,NULL);
INSERT INTO sample VALUES(1,1,1795303369900055,550000.0,NULL);
INSERT INTO sample VALUES(1,2,1795303369242095,0.0,NULL);
INSERT INTO sample VALUES(1,2,1795303369316110,70000.0,NULL);
INSERT INTO sample VALUES(1,2,1795303369400053,110000.0,NULL);
INSERT INTO sample VALUES(1,2,1795303369500055,110000.0,NULL);
INSERT INTO sample VALUES(1,2,1795303369600057,110000.0,NULL);
INSERT INTO sample VALUES(1,2,1795303369700109,110000.0,NULL);
INSERT INTO sample VALUES(1,2,1795303369800095,110000.0,NULL);
INSERT INTO sample VALUES(1,2,1795303369900055,110000.0,NULL);
INSERT INTO sample VALUES(1,3,1795303369242095,4587520.0,NULL);
INSERT INTO sample VALUES(1,3,1795303369316110,60686336.0,NULL);
INSERT INTO sample VALUES(1,3,1795303369400053,117305344.0,NULL);
INSERT INTO sample VALUES(1,3,1795303369500055,144437248.0,NULL);
INSERT INTO sample VALUES(1,3,1795303369600057,147267584.0,NULL);
INSERT INTO sample VALUES(1,3,1795303369700109,147628032.0,NULL);
INSERT INTO sample VALUES(1,3,1795303369800095,147738624.0,NULL);
INSERT INTO sample VALUES(1,3,1795303369900055,147738624.0,NULL);
INSERT INTO sample VALUES(1,4,1795303369242095,15114240.0,NULL);
INSERT INTO sample VALUES(1,4,1795303369316110,1583529984.0,NULL);
INSERT INTO sample VALUES(1,4,1795303369400053,1583529984.0,NULL);
INSERT INTO sample VALUES(1,4,1795303369500055,1583529984.0,NULL);
INSERT INTO sample VALUES(1,4,1795303369600057,1583529984.0,NULL);
INSERT INTO sample VALUES(1,4,1795303369700109,1583529984.0,NULL);
INSERT INTO sample VALUES(1,4,1795303369800095,1583529984.0,NULL);
INSERT INTO sample VALUES(1,4,1795303369900055,1583529984.0,NULL);
INSERT INTO sample VALUES(1,5,1795303369242095,3.0,NULL);
INSERT INTO sample VALUES(1,5,1795303369316110,3.0,NULL);
INSERT INTO sample VALUES(1,5,1795303369400053,3.0,NULL);
INSERT INTO sample VALUES(1,5,1795303369500055,3.0,NULL);
INSERT INTO sample VALUES(1,5,1795303369600057,3.0,NULL);
INSERT INTO sample VALUES(1,5,1795303369700109,3.0,NULL);
INSERT INTO sample VALUES(1,5,1795303369800095,3.0,NULL);
INSERT INTO sample VALUES(1,5,1795303369900055,3.0,NULL);
INSERT INTO sample VALUES(1,6,1795303369242095,3.0,NULL);
INSERT INTO sample VALUES(1,6,1795303369316110,5.0,NULL);
INSERT INTO sample VALUES(1,6,1795303369400053,5.0,NULL);
INSERT INTO sample VALUES(1,6,1795303369500055,5.0,NULL);
INSERT INTO sample VALUES(1,6,1795303369600057,5.0,NULL);
INSERT INTO sample VALUES(1,6,1795303369700109,5.0,NULL);
INSERT INTO sample VALUES(1,6,1795303369800095,5.0,NULL);
INSERT INTO sample VALUES(1,6,1795303369900055,5.0,NULL);
INSERT INTO sample VALUES(1,7,1795303369242095,33226.0,NULL);
INSERT INTO sample VALUES(1,7,1795303369316110,675002.0,NULL);
INSERT INTO sample VALUES(1,7,1795303369400053,675002.0,NULL);
INSERT INTO sample VALUES(1,7,1795303369500055,675002.0,NULL);
INSERT INTO sample VALUES(1,7,1795303369600057,978106.0,NULL);
INSERT INTO sample VALUES(1,7,1795303369700109,1289402.0,NULL);
INSERT INTO sample VALUES(1,7,1795303369800095,1592506.0,NULL);
INSERT INTO sample VALUES(1,7,1795303369900055,1903802.0,NULL);
INSERT INTO sample VALUES(1,8,1795303369242095,11247.0,NULL);
INSERT INTO sample VALUES(1,8,1795303369316110,13786.0,NULL);
INSERT INTO sample VALUES(1,8,1795303369400053,13786.0,NULL);
INSERT INTO sample VALUES(1,8,1795303369500055,13786.0,NULL);
INSERT INTO sample VALUES(1,8,1795303369600057,243162.0,NULL);
INSERT INTO sample VALUES(1,8,1795303369700109,480730.0,NULL);
INSERT INTO sample VALUES(1,8,1795303369800095,718298.0,NULL);
INSERT INTO sample VALUES(1,8,1795303369900055,955866.0,NULL);
INSERT INTO sample VALUES(1,9,1795303369242095,62.0,NULL);
INSERT INTO sample VALUES(1,9,1795303369316110,173.0,NULL);
INSERT INTO sample VALUES(1,9,1795303369400053,173.0,NULL);
INSERT INTO sample VALUES(1,9,1795303369500055,173.0,NULL);
INSERT INTO sample VALUES(1,9,1795303369600057,210.0,NULL);
INSERT INTO sample VALUES(1,9,1795303369700109,248.0,NULL);
INSERT INTO sample VALUES(1,9,1795303369800095,285.0,NULL);
INSERT INTO sample VALUES(1,9,1795303369900055,323.0,NULL);
INSERT INTO sample VALUES(1,10,1795303369242095,10.0,NULL);
INSERT INTO sample VALUES(1,10,1795303369316110,18.0,NULL);
INSERT INTO sample VALUES(1,10,1795303369400053,18.0,NULL);
INSERT INTO sample VALUES(1,10,1795303369500055,18.0,NULL);
INSERT INTO sample VALUES(1,10,1795303369600057,46.0,NULL);
INSERT INTO sample VALUES(1,10,1795303369700109,75.0,NULL);
INSERT INTO sample VALUES(1,10,1795303369800095,104.0,NULL);
INSERT INTO sample VALUES(1,10,1795303369900055,133.0,NULL);
INSERT INTO sample VALUES(1,11,1795303369242095,0.0,NULL);
INSERT INTO sample VALUES(1,11,1795303369316110,0.0,NULL);
INSERT INTO sample VALUES(1,11,1795303369400053,0.0,NULL);
INSERT INTO sample VALUES(1,11,1795303369500055,0.0,NULL);
INSERT INTO sample VALUES(1,11,1795303369600057,0.0,NULL);
INSERT INTO sample VALUES(1,11,1795303369700109,0.0,NULL);
INSERT INTO sample VALUES(1,11,1795303369800095,0.0,NULL);
INSERT INTO sample VALUES(1,11,1795303369900055,0.0,NULL);
INSERT INTO sample VALUES(1,12,1795303369242095,0.0,NULL);
INSERT INTO sample VALUES(1,12,1795303369316110,4096.0,NULL);
INSERT INTO sample VALUES(1,12,1795303369400053,4096.0,NULL);
INSERT INTO sample VALUES(1,12,1795303369500055,4096.0,NULL);
INSERT INTO sample VALUES(1,12,1795303369600057,4096.0,NULL);
INSERT INTO sample VALUES(1,12,1795303369700109,4096.0,NULL);
INSERT INTO sample VALUES(1,12,1795303369800095,4096.0,NULL);
INSERT INTO sample VALUES(1,12,1795303369900055,4096.0,NULL);
INSERT INTO sample VALUES(1,13,1795303369242095,0.0,NULL);
INSERT INTO sample VALUES(1,13,1795303369316110,0.0,NULL);
INSERT INTO sample VALUES(1,13,1795303369400053,0.0,NULL);
INSERT INTO sample VALUES(1,13,1795303369500055,0.0,NULL);
INSERT INTO sample VALUES(1,13,1795303369600057,0.0,NULL);
INSERT INTO sample VALUES(1,13,1795303369700109,0.0,NULL);
INSERT INTO sample VALUES(1,13,1795303369800095,0.0,NULL);
INSERT INTO sample VALUES(1,13,1795303369900055,0.0,NULL);
INSERT INTO sample VALUES(1,14,1795303369242095,653000000.0,NULL);
INSERT INTO sample VALUES(1,14,1795303369316110,653020000.0,NULL);
INSERT INTO sample VALUES(1,14,1795303369400053,653070000.0,NULL);
INSERT INTO sample VALUES(1,14,1795303369500055,653170000.0,NULL);
INSERT INTO sample VALUES(1,14,1795303369600057,653270000.0,NULL);
INSERT INTO sample VALUES(1,14,1795303369700109,653370000.0,NULL);
INSERT INTO sample VALUES(1,14,1795303369800095,653470000.0,NULL);
INSERT INTO sample VALUES(1,14,1795303369900055,653570000.0,NULL);
INSERT INTO sample VALUES(1,15,1795303369242095,258990000.0,NULL);
INSERT INTO sample VALUES(1,15,1795303369316110,259050000.0,NULL);
INSERT INTO sample VALUES(1,15,1795303369400053,259130000.0,NULL);
INSERT INTO sample VALUES(1,15,1795303369500055,259220000.0,NULL);
INSERT INTO sample VALUES(1,15,1795303369600057,259320000.0,NULL);
INSERT INTO sample VALUES(1,15,1795303369700109,259410000.0,NULL);
INSERT INTO sample VALUES(1,15,1795303369800095,259510000.0,NULL);
INSERT INTO sample VALUES(1,15,1795303369900055,259610000.0,NULL);
INSERT INTO sample VALUES(1,16,1795303369242095,212820000.0,NULL);
INSERT INTO sample VALUES(1,16,1795303369316110,212900000.0,NULL);
INSERT INTO sample VALUES(1,16,1795303369400053,212930000.0,NULL);
INSERT INTO sample VALUES(1,16,1795303369500055,212940000.0,NULL);
INSERT INTO sample VALUES(1,16,1795303369600057,212940000.0,NULL);
INSERT INTO sample VALUES(1,16,1795303369700109,212950000.0,NULL);
INSERT INTO sample VALUES(1,16,1795303369800095,212950000.0,NULL);
INSERT INTO sample VALUES(1,16,1795303369900055,212950000.0,NULL);
INSERT INTO sample VALUES(1,17,1795303369242095,1542000000.0,NULL);
INSERT INTO sample VALUES(1,17,1795303369316110,1542000000.0,NULL);
INSERT INTO sample VALUES(1,17,1795303369400053,1542000000.0,NULL);
INSERT INTO sample VALUES(1,17,1795303369500055,1542000000.0,NULL);
INSERT INTO sample VALUES(1,17,1795303369600057,1542000000.0,NULL);
INSERT INTO sample VALUES(1,17,1795303369700109,1542000000.0,NULL);
INSERT INTO sample VALUES(1,17,1795303369800095,1542000000.0,NULL);
INSERT INTO sample VALUES(1,17,1795303369900055,1542000000.0,NULL);
INSERT INTO sample VALUES(1,18,1795303369242095,7460000.0,NULL);
INSERT INTO sample VALUES(1,18,1795303369316110,7460000.0,NULL);
INSERT INTO sample VALUES(1,18,1795303369400053,7460000.0,NULL);
INSERT INTO sample VALUES(1,18,1795303369500055,7460000.0,NULL);
INSERT INTO sample VALUES(1,18,1795303369600057,7460000.0,NULL);
INSERT INTO sample VALUES(1,18,1795303369700109,7460000.0,NULL);
INSERT INTO sample VALUES(1,18,1795303369800095,7460000.0,NULL);
INSERT INTO sample VALUES(1,18,1795303369900055,7460000.0,NULL);
INSERT INTO sample VALUES(1,19,1795303369242095,0.0,NULL);
INSERT INTO sample VALUES(1,19,1795303369316110,0.0,NULL);
INSERT INTO sample VALUES(1,19,1795303369400053,0.0,NULL);
INSERT INTO sample VALUES(1,19,1795303369500055,0.0,NULL);
INSERT INTO sample VALUES(1,19,1795303369600057,0.0,NULL);
INSERT INTO sample VALUES(1,19,1795303369700109,0.0,NULL);
INSERT INTO sample VALUES(1,19,1795303369800095,0.0,NULL);
INSERT INTO sample VALUES(1,19,1795303369900055,0.0,NULL);
INSERT INTO sample VALUES(1,20,1795303369242095,2520000.0,NULL);
INSERT INTO sample VALUES(1,20,1795303369316110,2520000.0,NULL);
INSERT INTO sample VALUES(1,20,1795303369400053,2520000.0,NULL);
INSERT INTO sample VALUES(1,20,1795303369500055,2520000.0,NULL);
INSERT INTO sample VALUES(1,20,1795303369600057,2520000.0,NULL);
INSERT INTO sample VALUES(1,20,1795303369700109,2520000.0,NULL);
INSERT INTO sample VALUES(1,20,1795303369800095,2520000.0,NULL);
INSERT INTO sample VALUES(1,20,1795303369900055,2520000.0,NULL);
INSERT INTO sample VALUES(1,21,1795303369242095,3080000.0,NULL);
INSERT INTO sample VALUES(1,21,1795303369316110,3080000.0,NULL);
INSERT INTO sample VALUES(1,21,1795303369400053,3080000.0,NULL);
INSERT INTO sample VALUES(1,21,1795303369500055,3080000.0,NULL);
INSERT INTO sample VALUES(1,21,1795303369600057,3080000.0,NULL);
INSERT INTO sample VALUES(1,21,1795303369700109,3080000.0,NULL);
INSERT INTO sample VALUES(1,21,1795303369800095,3080000.0,NULL);
INSERT INTO sample VALUES(1,21,1795303369900055,3080000.0,NULL);
INSERT INTO sample VALUES(1,22,1795303369242095,0.0,NULL);
INSERT INTO sample VALUES(1,22,1795303369316110,0.0,NULL);
INSERT INTO sample VALUES(1,22,1795303369400053,0.0,NULL);
INSERT INTO sample VALUES(1,22,1795303369500055,0.0,NULL);
INSERT INTO sample VALUES(1,22,1795303369600057,0.0,NULL);
INSERT INTO sample VALUES(1,22,1795303369700109,0.0,NULL);
INSERT INTO sample VALUES(1,22,1795303369800095,0.0,NULL);
INSERT INTO sample VALUES(1,22,1795303369900055,0.0,NULL);
INSERT INTO sample VALUES(1,23,1795303369242095,0.0,NULL);
INSERT INTO sample VALUES(1,23,1795303369316110,0.0,NULL);
INSERT INTO sample VALUES(1,23,1795303369400053,0.0,NULL);
INSERT INTO sample VALUES(1,23,1795303369500055,0.0,NULL);
INSERT INTO sample VALUES(1,23,1795303369600057,0.0,NULL);
INSERT INTO sample VALUES(1,23,1795303369700109,0.0,NULL);
INSERT INTO sample VALUES(1,23,1795303369800095,0.0,NULL);
INSERT INTO sample VALUES(1,23,1795303369900055,0.0,NULL);
INSERT INTO sample VALUES(1,24,1795303369242095,2.0,NULL);
INSERT INTO sample VALUES(1,24,1795303369316110,2.0,NULL);
INSERT INTO sample VALUES(1,24,1795303369400053,2.0,NULL);
INSERT INTO sample VALUES(1,24,1795303369500055,2.0,NULL);
INSERT INTO sample VALUES(1,24,1795303369600057,2.0,NULL);
INSERT INTO sample VALUES(1,24,1795303369700109,2.0,NULL);
INSERT INTO sample VALUES(1,24,1795303369800095,2.0,NULL);
INSERT INTO sample VALUES(1,24,1795303369900055,2.0,NULL);
INSERT INTO sample VALUES(1,25,1795303369242095,307240000.0,NULL);
INSERT INTO sample VALUES(1,25,1795303369316110,307260000.0,NULL);
INSERT INTO sample VALUES(1,25,1795303369400053,307310000.0,NULL);
INSERT INTO sample VALUES(1,25,1795303369500055,307400000.0,NULL);
INSERT INTO sample VALUES(1,25,1795303369600057,307500000.0,NULL);
INSERT INTO sample VALUES(1,25,1795303369700109,307600000.0,NULL);
INSERT INTO sample VALUES(1,25,1795303369800095,307700000.0,NULL);
INSERT INTO sample VALUES(1,25,1795303369900055,307800000.0,NULL);
INSERT INTO sample VALUES(1,26,1795303369242095,129800000.0,NULL);
INSERT INTO sample VALUES(1,26,1795303369316110,129800000.0,NULL);
INSERT INTO sample VALUES(1,26,1795303369400053,129800000.0,NULL);
INSERT INTO sample VALUES(1,26,1795303369500055,129800000.0,NULL);
INSERT INTO sample VALUES(1,26,1795303369600057,129800000.0,NULL);
INSERT INTO sample VALUES(1,26,1795303369700109,129800000.0,NULL);
INSERT INTO sample VALUES(1,26,1795303369800095,129800000.0,NULL);
INSERT INTO sample VALUES(1,26,1795303369900055,129800000.0,NULL);
INSERT INTO sample VALUES(1,27,1795303369242095,101120000.0,NULL);
INSERT INTO sample VALUES(1,27,1795303369316110,101180000.0,NULL);
INSERT INTO sample VALUES(1,27,1795303369400053,101210000.0,NULL);
INSERT INTO sample VALUES(1,27,1795303369500055,101220000.0,NULL);
INSERT INTO sample VALUES(1,27,1795303369600057,101220000.0,NULL);
INSERT INTO sample VALUES(1,27,1795303369700109,101220000.0,NULL);
INSERT INTO sample VALUES(1,27,1795303369800095,101220000.0,NULL);
INSERT INTO sample VALUES(1,27,1795303369900055,101220000.0,NULL);
INSERT INTO sample VALUES(1,28,1795303369242095,799350000.0,NULL);
INSERT INTO sample VALUES(1,28,1795303369316110,799350000.0,NULL);
INSERT INTO sample VALUES(1,28,1795303369400053,799350000.0,NULL);
INSERT INTO sample VALUES(1,28,1795303369500055,799350000.0,NULL);
INSERT INTO sample VALUES(1,28,1795303369600057,799350000.0,NULL);
INSERT INTO sample VALUES(1,28,1795303369700109,799350000.0,NULL);
INSERT INTO sample VALUES(1,28,1795303369800095,799350000.0,NULL);
INSERT INTO sample VALUES(1,28,1795303369900055,799350000.0,NULL);
INSERT INTO sample VALUES(1,29,1795303369242095,850000.0,NULL);
INSERT INTO sample VALUES(1,29,1795303369316110,850000.0,NULL);
INSERT INTO sample VALUES(1,29,1795303369400053,850000.0,NULL);
INSERT INTO sample VALUES(1,29,1795303369500055,850000.0,NULL);
INSERT INTO sample VALUES(1,29,1795303369600057,850000.0,NULL);
INSERT INTO sample VALUES(1,29,1795303369700109,850000.0,NULL);
INSERT INTO sample VALUES(1,29,1795303369800095,850000.0,NULL);
INSERT INTO sample VALUES(1,29,1795303369900055,850000.0,NULL);
INSERT INTO sample VALUES(1,30,1795303369242095,0.0,NULL);
INSERT INTO sample VALUES(1,30,1795303369316110,0.0,NULL);
INSERT INTO sample VALUES(1,30,1795303369400053,0.0,NULL);
INSERT INTO sample VALUES(1,30,1795303369500055,0.0,NULL);
INSERT INTO sample VALUES(1,30,1795303369600057,0.0,NULL);
INSERT INTO sample VALUES(1,30,1795303369700109,0.0,NULL);
INSERT INTO sample VALUES(1,30,1795303369800095,0.0,NULL);
INSERT INTO sample VALUES(1,30,1795303369900055,0.0,NULL);
INSERT INTO sample VALUES(1,31,1795303369242095,150000.0,NULL);
INSERT INTO sample VALUES(1,31,1795303369316110,150000.0,NULL);
INSERT INTO sample VALUES(1,31,1795303369400053,150000.0,NULL);
INSERT INTO sample VALUES(1,31,1795303369500055,150000.0,NULL);
INSERT INTO sample VALUES(1,31,1795303369600057,150000.0,NULL);
INSERT INTO sample VALUES(1,31,1795303369700109,150000.0,NULL);
INSERT INTO sample VALUES(1,31,1795303369800095,150000.0,NULL);
INSERT INTO sample VALUES(1,31,1795303369900055,150000.0,NULL);
INSERT INTO sample VALUES(1,32,1795303369242095,1330000.0,NULL);
INSERT INTO sample VALUES(1,32,1795303369316110,1330000.0,NULL);
INSERT INTO sample VALUES(1,32,1795303369400053,1330000.0,NULL);
INSERT INTO sample VALUES(1,32,1795303369500055,1330000.0,NULL);
INSERT INTO sample VALUES(1,32,1795303369600057,1330000.0,NULL);
INSERT INTO sample VALUES(1,32,1795303369700109,1330000.0,NULL);
INSERT INTO sample VALUES(1,32,1795303369800095,1330000.0,NULL);
INSERT INTO sample VALUES(1,32,1795303369900055,1330000.0,NULL);
INSERT INTO sample VALUES(1,33,1795303369242095,0.0,NULL);
INSERT INTO sample VALUES(1,33,1795303369316110,0.0,NULL);
INSERT INTO sample VALUES(1,33,1795303369400053,0.0,NULL);
INSERT INTO sample VALUES(1,33,1795303369500055,0.0,NULL);
INSERT INTO sample VALUES(1,33,1795303369600057,0.0,NULL);
INSERT INTO sample VALUES(1,33,1795303369700109,0.0,NULL);
INSERT INTO sample VALUES(1,33,1795303369800095,0.0,NULL);
INSERT INTO sample VALUES(1,33,1795303369900055,0.0,NULL);
INSERT INTO sample VALUES(1,34,1795303369242095,0.0,NULL);
INSERT INTO sample VALUES(1,34,1795303369316110,0.0,NULL);
INSERT INTO sample VALUES(1,34,1795303369400053,0.0,NULL);
INSERT INTO sample VALUES(1,34,1795303369500055,0.0,NULL);
INSERT INTO sample VALUES(1,34,1795303369600057,0.0,NULL);
INSERT INTO sample VALUES(1,34,1795303369700109,0.0,NULL);
INSERT INTO sample VALUES(1,34,1795303369800095,0.0,NULL);
INSERT INTO sample VALUES(1,34,1795303369900055,0.0,NULL);
INSERT INTO sample VALUES(1,35,1795303369242095,345760000.0,NULL);
INSERT INTO sample VALUES(1,35,1795303369316110,345760000.0,NULL);
INSERT INTO sample VALUES(1,35,1795303369400053,345760000.0,NULL);
INSERT INTO sample VALUES(1,35,1795303369500055,345760000.0,NULL);
INSERT INTO sample VALUES(1,35,1795303369600057,345770000.0,NULL);
INSERT INTO sample VALUES(1,35,1795303369700109,345770000.0,NULL);
INSERT INTO sample VALUES(1,35,1795303369800095,345770000.0,NULL);
INSERT INTO sample VALUES(1,35,1795303369900055,345770000.0,NULL);
INSERT INTO sample VALUES(1,36,1795303369242095,129190000.0,NULL);
INSERT INTO sample VALUES(1,36,1795303369316110,129240000.0,NULL);
INSERT INTO sample VALUES(1,36,1795303369400053,129320000.0,NULL);
INSERT INTO sample VALUES(1,36,1795303369500055,129420000.0,NULL);
INSERT INTO sample VALUES(1,36,1795303369600057,129510000.0,NULL);
INSERT INTO sample VALUES(1,36,1795303369700109,129610000.0,NULL);
INSERT INTO sample VALUES(1,36,1795303369800095,129710000.0,NULL);
INSERT INTO sample VALUES(1,36,1795303369900055,129800000.0,NULL);
INSERT INTO sample VALUES(1,37,1795303369242095,111690000.0,NULL);
INSERT INTO sample VALUES(1,37,1795303369316110,111710000.0,NULL);
INSERT INTO sample VALUES(1,37,1795303369400053,111710000.0,NULL);
INSERT INTO sample VALUES(1,37,1795303369500055,111720000.0,NULL);
INSERT INTO sample VALUES(1,37,1795303369600057,111720000.0,NULL);
INSERT INTO sample VALUES(1,37,1795303369700109,111720000.0,NULL);
INSERT INTO sample VALUES(1,37,1795303369800095,111720000.0,NULL);
INSERT INTO sample VALUES(1,37,1795303369900055,111730000.0,NULL);
INSERT INTO sample VALUES(1,38,1795303369242095,742640000.0,NULL);
INSERT INTO sample VALUES(1,38,1795303369316110,742640000.0,NULL);
INSERT INTO sample VALUES(1,38,1795303369400053,742640000.0,NULL);
INSERT INTO sample VALUES(1,38,1795303369500055,742640000.0,NULL);
INSERT INTO sample VALUES(1,38,1795303369600057,742640000.0,NULL);
INSERT INTO sample VALUES(1,38,1795303369700109,742640000.0,NULL);
INSERT INTO sample VALUES(1,38,1795303369800095,742640000.0,NULL);
INSERT INTO sample VALUES(1,38,1795303369900055,742640000.0,NULL);
INSERT INTO sample VALUES(1,39,1795303369242095,6600000.0,NULL);
INSERT INTO sample VALUES(1,39,1795303369316110,6600000.0,NULL);
INSERT INTO sample VALUES(1,39,1795303369400053,6600000.0,NULL);
INSERT INTO sample VALUES(1,39,1795303369500055,6600000.0,NULL);
INSERT INTO sample VALUES(1,39,1795303369600057,6600000.0,NULL);
INSERT INTO sample VALUES(1,39,1795303369700109,6600000.0,NULL);
INSERT INTO sample VALUES(1,39,1795303369800095,6600000.0,NULL);
INSERT INTO sample VALUES(1,39,1795303369900055,6600000.0,NULL);
INSERT INTO sample VALUES(1,40,1795303369242095,0.0,NULL);
INSERT INTO sample VALUES(1,40,1795303369316110,0.0,NULL);
INSERT INTO sample VALUES(1,40,1795303369400053,0.0,NULL);
INSERT INTO sample VALUES(1,40,1795303369500055,0.0,NULL);
INSERT INTO sample VALUES(1,40,1795303369600057,0.0,NULL);
INSERT INTO sample VALUES(1,40,1795303369700109,0.0,NULL);
INSERT INTO sample VALUES(1,40,1795303369800095,0.0,NULL);
INSERT INTO sample VALUES(1,40,1795303369900055,0.0,NULL);
INSERT INTO sample VALUES(1,41,1795303369242095,2370000.0,NULL);
INSERT INTO sample VALUES(1,41,1795303369316110,2370000.0,NULL);
INSERT INTO sample VALUES(1,41,1795303369400053,2370000.0,NULL);
INSERT INTO sample VALUES(1,41,1795303369500055,2370000.0,NULL);
INSERT INTO sample VALUES(1,41,1795303369600057,2370000.0,NULL);
INSERT INTO sample VALUES(1,41,1795303369700109,2370000.0,NULL);
INSERT INTO sample VALUES(1,41,1795303369800095,2370000.0,NULL);
INSERT INTO sample VALUES(1,41,1795303369900055,2370000.0,NULL);
INSERT INTO sample VALUES(1,42,1795303369242095,1740000.0,NULL);
INSERT INTO sample VALUES(1,42,1795303369316110,1740000.0,NULL);
INSERT INTO sample VALUES(1,42,1795303369400053,1740000.0,NULL);
INSERT INTO sample VALUES(1,42,1795303369500055,1740000.0,NULL);
INSERT INTO sample VALUES(1,42,1795303369600057,1740000.0,NULL);
INSERT INTO sample VALUES(1,42,1795303369700109,1740000.0,NULL);
INSERT INTO sample VALUES(1,42,1795303369800095,1740000.0,NULL);
INSERT INTO sample VALUES(1,42,1795303369900055,1740000.0,NULL);
INSERT INTO sample VALUES(1,43,1795303369242095,0.0,NULL);
INSERT INTO sample VALUES(1,43,1795303369316110,0.0,NULL);
INSERT INTO sample VALUES(1,43,1795303369400053,0.0,NULL);
INSERT INTO sample VALUES(1,43,1795303369500055,0.0,NULL);
INSERT INTO sample VALUES(1,43,1795303369600057,0.0,NULL);
INSERT INTO sample VALUES(1,43,1795303369700109,0.0,NULL);
INSERT INTO sample VALUES(1,43,1795303369800095,0.0,NULL);
INSERT INTO sample VALUES(1,43,1795303369900055,0.0,NULL);
INSERT INTO sample VALUES(1,44,1795303369242095,0.0,NULL);
INSERT INTO sample VALUES(1,44,1795303369316110,0.0,NULL);
INSERT INTO sample VALUES(1,44,1795303369400053,0.0,NULL);
INSERT INTO sample VALUES(1,44,1795303369500055,0.0,NULL);
INSERT INTO sample VALUES(1,44,1795303369600057,0.0,NULL);
INSERT INTO sample VALUES(1,44,1795303369700109,0.0,NULL);
INSERT INTO sample VALUES(1,44,1795303369800095,0.0,NULL);
INSERT INTO sample VALUES(1,44,1795303369900055,0.0,NULL);
INSERT INTO sample VALUES(1,45,1795303369242095,25276502016.0,NULL);
INSERT INTO sample VALUES(1,45,1795303369316110,25276502016.0,NULL);
INSERT INTO sample VALUES(1,45,1795303369400053,25276502016.0,NULL);
INSERT INTO sample VALUES(1,45,1795303369500055,25276502016.0,NULL);
INSERT INTO sample VALUES(1,45,1795303369600057,25276502016.0,NULL);
INSERT INTO sample VALUES(1,45,1795303369700109,25276502016.0,NULL);
INSERT INTO sample VALUES(1,45,1795303369800095,25276502016.0,NULL);
INSERT INTO sample VALUES(1,45,1795303369900055,25276502016.0,NULL);
INSERT INTO sample VALUES(1,46,1795303369242095,23811035136.0,NULL);
INSERT INTO sample VALUES(1,46,1795303369316110,23761747968.0,NULL);
INSERT INTO sample VALUES(1,46,1795303369400053,23703945216.0,NULL);
INSERT INTO sample VALUES(1,46,1795303369500055,23679172608.0,NULL);
INSERT INTO sample VALUES(1,46,1795303369600057,23679172608.0,NULL);
INSERT INTO sample VALUES(1,46,1795303369700109,23679164416.0,NULL);
INSERT INTO sample VALUES(1,46,1795303369800095,23679164416.0,NULL);
INSERT INTO sample VALUES(1,46,1795303369900055,23679164416.0,NULL);
INSERT INTO sample VALUES(1,47,1795303369242095,24494166016.0,NULL);
INSERT INTO sample VALUES(1,47,1795303369316110,24444878848.0,NULL);
INSERT INTO sample VALUES(1,47,1795303369400053,24387076096.0,NULL);
INSERT INTO sample VALUES(1,47,1795303369500055,24362303488.0,NULL);
INSERT INTO sample VALUES(1,47,1795303369600057,24362303488.0,NULL);
INSERT INTO sample VALUES(1,47,1795303369700109,24362299392.0,NULL);
INSERT INTO sample VALUES(1,47,1795303369800095,24362299392.0,NULL);
INSERT INTO sample VALUES(1,47,1795303369900055,24362299392.0,NULL);
INSERT INTO sample VALUES(1,48,1795303369242095,9064448.0,NULL);
INSERT INTO sample VALUES(1,48,1795303369316110,9064448.0,NULL);
INSERT INTO sample VALUES(1,48,1795303369400053,9064448.0,NULL);
INSERT INTO sample VALUES(1,48,1795303369500055,9064448.0,NULL);
INSERT INTO sample VALUES(1,48,1795303369600057,9064448.0,NULL);
INSERT INTO sample VALUES(1,48,1795303369700109,9064448.0,NULL);
INSERT INTO sample VALUES(1,48,1795303369800095,9064448.0,NULL);
INSERT INTO sample VALUES(1,48,1795303369900055,9064448.0,NULL);
INSERT INTO sample VALUES(1,49,1795303369242095,850862080.0,NULL);
INSERT INTO sample VALUES(1,49,1795303369316110,850862080.0,NULL);
INSERT INTO sample VALUES(1,49,1795303369400053,850862080.0,NULL);
INSERT INTO sample VALUES(1,49,1795303369500055,850862080.0,NULL);
INSERT INTO sample VALUES(1,49,1795303369600057,851066880.0,NULL);
INSERT INTO sample VALUES(1,49,1795303369700109,851279872.0,NULL);
INSERT INTO sample VALUES(1,49,1795303369800095,851484672.0,NULL);
INSERT INTO sample VALUES(1,49,1795303369900055,851689472.0,NULL);
INSERT INTO sample VALUES(1,50,1795303369242095,0.0,NULL);
INSERT INTO sample VALUES(1,50,1795303369316110,0.0,NULL);
INSERT INTO sample VALUES(1,50,1795303369400053,0.0,NULL);
INSERT INTO sample VALUES(1,50,1795303369500055,0.0,NULL);
INSERT INTO sample VALUES(1,50,1795303369600057,0.0,NULL);
INSERT INTO sample VALUES(1,50,1795303369700109,0.0,NULL);
INSERT INTO sample VALUES(1,50,1795303369800095,0.0,NULL);
INSERT INTO sample VALUES(1,50,1795303369900055,0.0,NULL);
INSERT INTO sample VALUES(1,51,1795303369242095,0.0,NULL);
INSERT INTO sample VALUES(1,51,1795303369316110,0.0,NULL);
INSERT INTO sample VALUES(1,51,1795303369400053,0.0,NULL);
INSERT INTO sample VALUES(1,51,1795303369500055,0.0,NULL);
INSERT INTO sample VALUES(1,51,1795303369600057,0.0,NULL);
INSERT INTO sample VALUES(1,51,1795303369700109,0.0,NULL);
INSERT INTO sample VALUES(1,51,1795303369800095,0.0,NULL);
INSERT INTO sample VALUES(1,51,1795303369900055,0.0,NULL);
INSERT INTO sample VALUES(1,52,1795303369242095,782336000.0,NULL);
INSERT INTO sample VALUES(1,52,1795303369316110,831623168.0,NULL);
INSERT INTO sample VALUES(1,52,1795303369400053,889425920.0,NULL);
INSERT INTO sample VALUES(1,52,1795303369500055,914198528.0,NULL);
INSERT INTO sample VALUES(1,52,1795303369600057,914198528.0,NULL);
INSERT INTO sample VALUES(1,52,1795303369700109,914202624.0,NULL);
INSERT INTO sample VALUES(1,52,1795303369800095,914202624.0,NULL);
INSERT INTO sample VALUES(1,52,1795303369900055,914202624.0,NULL);
INSERT INTO sample VALUES(1,53,1795303369242095,0.0,NULL);
INSERT INTO sample VALUES(1,53,1795303369316110,0.0,NULL);
INSERT INTO sample VALUES(1,53,1795303369400053,0.0,NULL);
INSERT INTO sample VALUES(1,53,1795303369500055,0.0,NULL);
INSERT INTO sample VALUES(1,53,1795303369600057,0.0,NULL);
INSERT INTO sample VALUES(1,53,1795303369700109,0.0,NULL);
INSERT INTO sample VALUES(1,53,1795303369800095,0.0,NULL);
INSERT INTO sample VALUES(1,53,1795303369900055,0.0,NULL);
INSERT INTO sample VALUES(1,54,1795303369242095,2682.0,NULL);
INSERT INTO sample VALUES(1,54,1795303369316110,3534.0,NULL);
INSERT INTO sample VALUES(1,54,1795303369400053,3768.0,NULL);
INSERT INTO sample VALUES(1,54,1795303369500055,3768.0,NULL);
INSERT INTO sample VALUES(1,54,1795303369600057,3768.0,NULL);
INSERT INTO sample VALUES(1,54,1795303369700109,3768.0,NULL);
INSERT INTO sample VALUES(1,54,1795303369800095,3768.0,NULL);
INSERT INTO sample VALUES(1,54,1795303369900055,3768.0,NULL);
INSERT INTO sample VALUES(1,55,1795303369242095,0.0,NULL);
INSERT INTO sample VALUES(1,55,1795303369316110,0.0,NULL);
INSERT INTO sample VALUES(1,55,1795303369400053,0.0,NULL);
INSERT INTO sample VALUES(1,55,1795303369500055,191.0,NULL);
INSERT INTO sample VALUES(1,55,1795303369600057,378.0,NULL);
INSERT INTO sample VALUES(1,55,1795303369700109,591.0,NULL);
INSERT INTO sample VALUES(1,55,1795303369800095,792.0,NULL);
INSERT INTO sample VALUES(1,55,1795303369900055,985.0,NULL);
INSERT INTO sample VALUES(1,56,1795303369242095,2969600.0,NULL);
INSERT INTO sample VALUES(1,56,1795303369316110,2969600.0,NULL);
INSERT INTO sample VALUES(1,56,1795303369400053,2969600.0,NULL);
INSERT INTO sample VALUES(1,56,1795303369500055,2969600.0,NULL);
INSERT INTO sample VALUES(1,56,1795303369600057,2969600.0,NULL);
INSERT INTO sample VALUES(1,56,1795303369700109,2969600.0,NULL);
INSERT INTO sample VALUES(1,56,1795303369800095,2969600.0,NULL);
INSERT INTO sample VALUES(1,56,1795303369900055,2969600.0,NULL);
INSERT INTO sample VALUES(1,57,1795303369242095,NULL,'absent');
INSERT INTO sample VALUES(1,57,1795303369316110,16111.0,NULL);
INSERT INTO sample VALUES(1,57,1795303369400053,54.0,NULL);
INSERT INTO sample VALUES(1,57,1795303369500055,56.0,NULL);
INSERT INTO sample VALUES(1,57,1795303369600057,58.0,NULL);
INSERT INTO sample VALUES(1,57,1795303369700109,109.0,NULL);
INSERT INTO sample VALUES(1,57,1795303369800095,95.0,NULL);
INSERT INTO sample VALUES(1,57,1795303369900055,56.0,NULL);
INSERT INTO sample VALUES(1,58,1795303369242095,0.0,NULL);
INSERT INTO sample VALUES(1,58,1795303369316110,0.0,NULL);
INSERT INTO sample VALUES(1,58,1795303369400053,0.0,NULL);
INSERT INTO sample VALUES(1,58,1795303369500055,0.0,NULL);
INSERT INTO sample VALUES(1,58,1795303369600057,0.0,NULL);
INSERT INTO sample VALUES(1,58,1795303369700109,0.0,NULL);
INSERT INTO sample VALUES(1,58,1795303369800095,0.0,NULL);
INSERT INTO sample VALUES(1,58,1795303369900055,0.0,NULL);
INSERT INTO sample VALUES(1,59,1795303369242095,0.0,NULL);
INSERT INTO sample VALUES(1,59,1795303369316110,0.0,NULL);
INSERT INTO sample VALUES(1,59,1795303369400053,0.0,NULL);
INSERT INTO sample VALUES(1,59,1795303369500055,0.0,NULL);
INSERT INTO sample VALUES(1,59,1795303369600057,0.0,NULL);
INSERT INTO sample VALUES(1,59,1795303369700109,0.0,NULL);
INSERT INTO sample VALUES(1,59,1795303369800095,0.0,NULL);
INSERT INTO sample VALUES(1,59,1795303369900055,0.0,NULL);
INSERT INTO sample VALUES(1,60,1795303369242095,656232.0,NULL);
INSERT INTO sample VALUES(1,60,1795303369316110,1425897.0,NULL);
INSERT INTO sample VALUES(1,60,1795303369400053,1570748.0,NULL);
INSERT INTO sample VALUES(1,60,1795303369500055,1658554.0,NULL);
INSERT INTO sample VALUES(1,60,1795303369600057,1744505.0,NULL);
INSERT INTO sample VALUES(1,60,1795303369700109,1810577.0,NULL);
INSERT INTO sample VALUES(1,60,1795303369800095,1873757.0,NULL);
INSERT INTO sample VALUES(1,60,1795303369900055,1962806.0,NULL);
INSERT INTO sample VALUES(1,61,1795303369242095,15506.0,NULL);
INSERT INTO sample VALUES(1,61,1795303369316110,30857.0,NULL);
INSERT INTO sample VALUES(1,61,1795303369400053,48680.0,NULL);
INSERT INTO sample VALUES(1,61,1795303369500055,66192.0,NULL);
INSERT INTO sample VALUES(1,61,1795303369600057,83299.0,NULL);
INSERT INTO sample VALUES(1,61,1795303369700109,106435.0,NULL);
INSERT INTO sample VALUES(1,61,1795303369800095,124901.0,NULL);
INSERT INTO sample VALUES(1,61,1795303369900055,144460.0,NULL);
INSERT INTO sample VALUES(1,62,1795303369242095,10660.0,NULL);
INSERT INTO sample VALUES(1,62,1795303369316110,25959.0,NULL);
INSERT INTO sample VALUES(1,62,1795303369400053,40776.0,NULL);
INSERT INTO sample VALUES(1,62,1795303369500055,58100.0,NULL);
INSERT INTO sample VALUES(1,62,1795303369600057,75698.0,NULL);
INSERT INTO sample VALUES(1,62,1795303369700109,96795.0,NULL);
INSERT INTO sample VALUES(1,62,1795303369800095,115089.0,NULL);
INSERT INTO sample VALUES(1,62,1795303369900055,135145.0,NULL);
INSERT INTO sample VALUES(1,63,1795303369242095,0.0,NULL);
INSERT INTO sample VALUES(1,63,1795303369316110,2198.0,NULL);
INSERT INTO sample VALUES(1,63,1795303369400053,4657.0,NULL);
INSERT INTO sample VALUES(1,63,1795303369500055,7026.0,NULL);
INSERT INTO sample VALUES(1,63,1795303369600057,9044.0,NULL);
INSERT INTO sample VALUES(1,63,1795303369700109,11407.0,NULL);
INSERT INTO sample VALUES(1,63,1795303369800095,14323.0,NULL);
INSERT INTO sample VALUES(1,63,1795303369900055,16786.0,NULL);
INSERT INTO sample VALUES(2,1,1700000000000000,100.0,NULL);
INSERT INTO sample VALUES(2,1,1700000000010000,200.0,NULL);
INSERT INTO sample VALUES(2,2,1700000000000000,4000.0,NULL);
INSERT INTO sample VALUES(2,2,1700000000010000,NULL,'permission');
INSERT INTO sample VALUES(2,2,1700000000030000,NULL,'');
CREATE TABLE node_summary (
	job_id INTEGER NOT NULL, -- the job
	host_id INTEGER NOT NULL, -- the host
	samples INTEGER NOT NULL, -- ticks of the sampler on the host
	unknown INTEGER NOT NULL, -- those in which use of the CPUs was to be sampled, and is not known
	resets INTEGER NOT NULL, -- how often a counter fell: totals are at least what is said
	max_t_cpu_pct_per_cpu_avg REAL, -- largest use of all CPUs, of any sample [%]
	max_t_cpu_pct_per_cpu_max REAL, -- largest use of the busiest CPU, of any sample [%]
	max_t_cpu_pct_per_cpu_min REAL, -- largest use of the idlest CPU, of any sample [%]
	cpu_avg_utilization_pct REAL, -- mean use of all CPUs [%]
	cpu_avg_utilization_at100_pct REAL, -- share of the time in which use of all CPUs was 100 % [%]
	cpu_avg_utilization_over80_pct REAL, -- share of the time in which it was 80 % or more [%]
	cpu_avg_utilization_over40_pct REAL, -- share of the time in which it was 40 % or more [%]
	cpu_avg_utilization_over20_pct REAL, -- share of the time in which it was 20 % or more [%]
	node_cpu_hours REAL, -- time from the first to the last sample times CPUs online [h]
	node_unused_cpu_hours REAL, -- the part of it that the CPUs were idle: that times (1 - mean use) [h]
	max_t_mem_percent REAL, -- largest share of the memory that was not available [%]
	max_t_disk_usage_percent REAL, -- largest share of the root file system that was used [%]
	total_disk_io_read_mb REAL, -- read from the node's disks between the first and the last sample [MiB]
	total_disk_io_write_mb REAL, -- written to the node's disks meanwhile [MiB]
	total_net_io_lo_sent_mb REAL, -- sent through the loopback interface meanwhile [MiB]
	total_net_io_lo_recv_mb REAL, -- received through the loopback interface meanwhile [MiB]
	total_net_io_ext_sent_mb REAL, -- sent through interfaces that lead outside meanwhile [MiB]
	total_net_io_ext_recv_mb REAL, -- received through interfaces that lead outside meanwhile [MiB]
	PRIMARY KEY (job_id, host_id),
	FOREIGN KEY (job_id, host_id) REFERENCES host (job_id, id) ON DELETE CASCADE
) STRICT;
INSERT INTO node_summary VALUES(1,1,8,0,0,100.0,100.0,100.0,100.0,100.0,100.0,100.0,100.0,0.0003655338888888888982,0.0,3.6168083044928871494,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO node_summary VALUES(2,1,3,0,0,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
CREATE TABLE phase (
	job_id INTEGER NOT NULL, -- the job
	host_id INTEGER NOT NULL, -- the host
	id INTEGER NOT NULL, -- number of the phase on the host, from 1, by its beginning
	name TEXT NOT NULL, -- its name
	pid INTEGER NOT NULL, -- the process that marked its beginning, else its end
	begin_us INTEGER, -- when it began; NULL where that was not marked [us]
	end_us INTEGER, -- when it ended; where that was not marked the end of the job on the host [us]
	duration_us INTEGER, -- elapsed time, by the monotonic clock [us]
	ended INTEGER NOT NULL, -- 1 where its end was marked, else 0
	PRIMARY KEY (job_id, host_id, id),
	FOREIGN KEY (job_id, host_id) REFERENCES host (job_id, id) ON DELETE CASCADE
) STRICT;
CREATE TABLE load (
	job_id INTEGER NOT NULL, -- the job
	id INTEGER NOT NULL, -- number of the file within the job, from 1
	host_id INTEGER, -- the host it is about; NULL where nothing in it says
	file TEXT NOT NULL, -- name of the file
	source TEXT NOT NULL, -- directory or archive it was in
	digest TEXT NOT NULL, -- SHA-256 of its content
	loaded_us INTEGER, -- when it was loaded [us]
	bytes INTEGER NOT NULL, -- its size [B]
	lines INTEGER NOT NULL, -- lines in it that are neither empty nor headers
	rejected INTEGER NOT NULL, -- those of them in reject
	PRIMARY KEY (job_id, id),
	FOREIGN KEY (job_id) REFERENCES job (id) ON DELETE CASCADE
) STRICT;
INSERT INTO load VALUES(1,1,1,'job-node17.json','real','38f02e7d3d281e148221af8a1fd97e1a05120432f9c3c21edbeb21a727088fe9',1795303525079152,2379,0,0);
INSERT INTO load VALUES(1,2,1,'node17-1042.tsv','real','70bb0b1bfdad56227e6d5551918ef4a8c6f2392b8a6cac47a801b73784f9dab4',1795303525079152,13286,35,0);
INSERT INTO load VALUES(1,3,1,'node17.series','real','6d9037fec1749a922684a5d1a422cafc8b11f22580d67548a63b55a0d5ab22c9',1795303525079152,7338,72,0);
INSERT INTO load VALUES(2,1,1,'job-n0.json','v1','b1538f71ee6aa4e86f3ad5d15de8bc650ff7f04d969adb2bddc405d8b3097517',1795303525090243,1164,0,0);
INSERT INTO load VALUES(2,2,1,'n0-1000.tsv','v1','fb4e3f4cd40f6cab583ad4ffd329a740ebf6070e1540bc8bb5abbd338ca81fe4',1795303525090243,5679,16,1);
INSERT INTO load VALUES(2,3,1,'n0.series','v1','22ba8de9d3a0a1cd1e504a05463ed0f065738da56b4f91c15a2efcf71b36a2c2',1795303525090243,314,7,1);
CREATE TABLE content (
	job_id INTEGER NOT NULL, -- the job
	load_id INTEGER NOT NULL, -- the file
	part INTEGER NOT NULL, -- number of the piece within the file, from 1
	coding TEXT NOT NULL, -- zstd: all pieces together are one frame of Zstandard; deflate: one zlib stream; empty: as it was
	bytes BLOB NOT NULL, -- the piece
	PRIMARY KEY (job_id, load_id, part),
	FOREIGN KEY (job_id, load_id) REFERENCES load (job_id, id) ON DELETE CASCADE
) STRICT;
INSERT INTO content VALUES(1,1,1,'deflate',X'78018d565b6fe246147ee7578cfcb42bc5c106630379a8b26992a64a13941269db55650de3014fb167d89971085ded7fef3933c640aa462b14b0cffd7ce7966f3d122c95aea90da624d870bdac950cff568b300ece80f7c2b5114a22333a8fcf2347043610bef5080958d518cb35f2914582c6f8375a09c65b9228801f47c9c049acdebc6ad56c0c087c017512783d78fccb09832b271ec4719c253e2810d29aee724bcdfae0587363a9b639538dc46422a76f58c98ba6f2314925db9024ad39aa9ad287b8a4cc620c981350b9c1a4f323cf4eecc071aed040960d8769005adf9d3b4b570733fc7583225b211121e493a05605af905ac7072dbe51accc1bd48cb3c9681881cdc96030cca291b34aa554965a08e9609cd17a43c5ca55e6c40388bad4ec5691add285b9205416a4569a3b8f3d176a502a8328b922e2f31e110901c6994765cdb5f4d1a658fb301e87b42ed2c4736bca4a01804232afe334df93174ad916b9285e667c309984111b2761b22806e1b8a0cb301a2d539665593ce485b7a530b1e067be105492db87e7febd90cd2b8907e403d85b431ef5472fc9364dde817807c8561f9e3e92cf5c49fc9d69c5a078cac31da0b02fe22d970d04eb14c234bcba09079d3d932b59f94c7c87829ac96955a92dc437259e5873807097afb1f507493a4ea271e2aab3a12b9e1bf10f22914493d41159a5d83ab782ad5d55a3a8857ddf380e772b6afe4ed96112955552b05666980c47a3519a78b76c8bb105fd52d5bc7f346d4cd535141c787ea0da16873e547a7d0e6fdd6c71f922b4923577f3e25b7f76fd74f3dbe343fef83c9f3dcff3d9d3f5cddde7377efaaab10e3c1274e2b3f9dde3c3ef288870844bda54d69ce184860e8a33b66315377bb5cbf92fce6863747f21e414bff6bc3682fbbb4f4f974f7f1c7c6bcefa9558b43beadca8370abf3e7ecae797b72e0818bda99f8a0bd72c5318373f80f757f9e5fd3d5abd6a29f33ff1ed797e751848b6c2a5e45c0311473be02f0013d61251f558ed47e628e3d62454d90fa15ab794821ba6c5066718cda20af120ed05544d0103e0b90dea8335aad1b04581d88ea227976a8bb4420024b68bfa34a803f43f1a13762351925072357b3e23b06bbcb7a28b0c46626fecddc05cc5ff27ae933ee8706aa469361ba56dbb1048a039351eabeb87c7eb8779eb785bee30755b72cd09853fa9484975b1c567b7fae16011b86844588242fb244ef1870c898fe482802da149c5e5ca96a089636f9048969a7f6db864bbbd8d0e88f74a84b7a0e7ae57b08f0722c6e204cad51f9be807a62438e0deb90ba0af012434104f07d3c87dd2e9510392781a77f4430f909f3c8ad316fe6e1b29ec7217dc7f9711ece7c1284d27d80670b8de2ea3513acad268ecb847ab246725952b1875b0eb8fe231931685dba95ffc793f666958b02f27cc5761f3431f2ca9a89ab6a00004f0b07ddcd51cba20c0b15ef122c7addf1ed3284e12bf909702d70f1c5827bad859ff361c8c3d1f46098f25480cfdd1dd0a5bc2a2cbb9dba55eadf247d3ff6b01ade273c1dddefbdefb17622396fa');
INSERT INTO content VALUES(1,2,1,'deflate',X'7801d55b496fdc38163e33bfc287be96c39d5407990106e8d300994b1f1b3064956cab5daeaa9154b1935f3fdf2345594b79a9254106154b14457179ebf71e996d59df3c6cd68bb6f9ba10ac2e8b4dbd64d79b4d7b552dd9b65a5ead1bbab1a6cdebb6ad1e4a563de4b7e5d5ae61b7e5baacf3b6daac598b16779ba65de768503e95e1becddb3b96d7b70d6b735cfede5c877eca2d5b6d8a7c45fd53cfdb5baac6df0e7f0fdbaaced7f76cbd7ba07bc38adb7ab3dbb262b36ef30ae3b1f6ae2e734c8b460a93a2a994eb25dd96bb389f5485960d66573e556db159d2ccaab6a96ed7f98a06c0a41bba5fc52e1bb66bca3a2cb1f9d6b425de6388ba691ef227f6f5615be6f7eca15adfac5af690ff4db76a7d8d95dcb3cdae8d85af9bd555d13e358f78f55c2ebaaf8aeeb362177a2e9a70dbd69ba26c9a4dcd96e52aff9617457b75bdbaaf3657e1f5edae6cda58ac8bbbbc668fe18a191635a3eb2398067a5c7f6bcb863dd6555b76e5225f17e56a552eaf86b5d4e9d5665d6c77601a8a8f79d556ebdbf0d0ac2a4c85d5cbb629ae122d41faddba2deb866d1ed7579baf657d47e381daf48c7e52b15b65689508420f71da548a53a7529c7e2a3d32f4da901cad722c16b2b162971f3e88c85fc6c58d2b65962d78e1f5425f2fe5c22ff39b053737b670ce09552e99e6d21a25bcb24c49a914134a2b63997099515c299b49e5a5ccd85f5fba066b4884706c993777ece3aea93f5e57eb8fe1e97153df5fa2164d85104e433150ec3e94f4b9e0f10d135ccbee656c82cff60d195f0eaf4278cf78f7ad7728c65f1a6bd8f6c432bf149761a413896a2251dd688599d23d510d7b99a88be2a229fffbd793e482734ef77facaaa6fd4425487f4bf7454d57aa0eefa9ba5c86168f4578bfa26bac669bedefdbbadce675f909dabafd5dec61963a885969297372679c9813eb8dfe7fe015249f1460c42bcd35ef796513afc09567f9a707e2cfbba86bdea02ef5f5ac7efde87bc82b88a63f9fbc701b475997c3883b5fef4b3581fa538a8d480813c78494c1934592e1191c73124fc24acf2c870974c99aa0b297d64061ce6cc60dd3526b06aad367f4831d53c608e6a557a894197756b22d3cfde226dfaddae6b390176ddedc2f0a72799fadd1d25c14df8a55d97cfee71f5ffef3c7973f99c3c0267429b9154ca13f0cd2f135d81eb8aa2d8cf53116dd76fd44da7576662f21c9fe9b51eb49b311452d661adf2709c493109ae826ac0ad6bd2727117bd2d9b91e4fb4cd50f4b9be0b63c2fc8922aed77758d581c2d3d3a2be20a37b16a5a7fe86044e7398d3c96bf27ab1de9820864114cf4fe1b1033c56eb0f24f17cc12fd590439bd36c44449709060033d57b808824a6161807ea3b20e3b30dc0c0a4e21ed61f6a4b723d50fc4c09ad98151c233063b24cea91e24b35547ca016c9e554f3ad6336f629c91491df399fe6bb91409c4df385cf52cf490a4127e0bda1e6f704fd7535dfefd37ce930732c8734df27cd7f2c9ef51ee5c5eae20028f586b3477f43814de3cf45de032e267aff4c2875acd61f44def9725faad947af210115e770c392cf353e88a7b31a9e1eee1e0e97f43c9881508a5a8f6149e3812598b2c0ed513901ff6ca8f75c2a74a039d51b8438f01323676f473a6fb5d66eaaf318d91156e04c72e3a1f3ea8c3aef7f8cce2b40a4aee72483a094404c4264013de8654fd21fadf3c78ae48171d84b2238acff480b9fc4ae211c1ac9a400691045dba950c28310fd3c0925dc0c0b689404114019424c6e1e6030c64d1887039f5ab497996402581415f403ae854483e8426ab832e6bd004b2682a98782298d535c4f0513880326318ba22921fa61201a27aef854243ac6966ff923d58d3aa4765f1e5197b431be19c8a6cea0e4cfb2893448a015ac12ef17d47777aec2895834dbe791b40656c104c92365c923ed49be204f70b30979808a82fd6a4d574117193201cb0d959fbed375f1a70cb74548bf2d9aea7bf91986f3dfd5bf42f57db8de846b46d765dee65d27eb92d06eb179d8eeda2e81203fdd20fd746a1601a6322e74ce8c0cf9a8c4da508c729faae61f1c5d3306bc214d7a4cd0057bb827aa3016f981c84934e8e4ffe9fb33b640199cb958ccd972b1b8bf58dc5c2cb20b62c5fb3990bd9e69c080434d4a139c934f7049963ebe30519582e9e9aae65f1c5d3366414c31ff601e1c34d77d344b44749c7b2d8115bcf216b749c7ca059b146b299110e5183669d4323d49ae34941ea6de7247769900094c7ffc4a398fd003268367c8a55270827f19121042283887112a71d9c8fa3b2e949c99ff7eb2002612e91285e42a06eca67689b4f28f6486480ad14fe33d8509339076c08cbb44506086422202cce0bd8be87b05a6336087110221625ffb4a21887fb23ce9aec11a91994c33e59416992346002282134e0ba0f96cc409a51cf7435ed0f79c233b3575c6af4c04af7e3437e439b80118029c32e206b02e761a64c48bc3252a206c64d08cb0e255c7df7fb3971bca02b2588b480949538073ec6c402d808cb089a18cb448e60cf50291bf31436ed0f7404eca1fce8d2331e9619ea25ffd2b858048277a110cfb8813042ec948e1469b7bd1b623eb4f08d320bc845628045102d8cac23e195822382feb00533bfb031b43db42fd23e9108534a0333201bdcd724117ba661ec0337312b1041483c342823f5207abe6bd11061230e48f75c8960ef9e30170ade5999af207b305938196319092981a192f92bede7ac17c1d9f449dc8eb5bd035ec15bcc4a2011b32c901d863c3e45cf1e400df91394574a5b112b0803254a81f511f0168dc947b699c53ea4fc3b1c47e053837527e12a7a0d9c0b168f08ba11fd8e07e8273c209ae48cce30b84ec23999f373fa5e65ce8e7001e1c34dd8161e969d64bb4905e23ee22e381e23815815194f6947489e349e44e231d61f0536e21beea9b04fc03fbb11fff18253364c211b758c4d65014a80460125cb0442031b42398e0d08a48041ab07c531bd2d321e01f2463cf887fde66c7c91e97d8a181fd9e3d2eb103869bd8018498a8da2f53655638e49f818366effa46c3426895643fddb57101e62079a1446695c1269980cb002b5c66b500ca1db2620e80f03dac20fcf064536c38f2bc7c1a007a9b1dfd8efc7ce8576a26da01a033654770adde2bb8d1493f0028081e98e10eb67ff26eef63f06d890de9aebcf1467bf0d511aaf460328c3124da290538e6b0d53866c71401e17b3474fc70761c8980dee6c5d05beca5c4a4728a805e30546432c85021b29d4020a50de9111c300049804064847a0884dda0486e9c82a1602fd1bed38f0881600593d91a4320c8ba300e5bd1425b840c28e2e40d727c64bbbc141a3230e4d01c0341a78db67e965796644805e2364c081808bd9e1503814f433a9f0703215495c85a763d0fe4ded1c1234a696664e3c1038d1c29c607067a263fac4c36f332c3499e520e18e8489946b0be27ff93125cf34cde7be6b927d31c5366cfee9788692104dc3a043f03a90621414a4e501cf045780847cc37271f4c071a04903bf20904fae1a869df14c813dd75628dc0008ce06003c1eb4ee8e17c21b48e651936fe61739876c6408a01e547523c3e04013f8121ecd4c448c05cdab9a1ce65487cd0683458a4cfa9f9e7312c7f4b80d3a87b7933a2396cee5c8041c48c5240122746228aef2498c8fc9cc4c9189ebaaff78e744ae549309e820e08b12186a7181eea4a29299aaf4244dd1f857a211d9daf9a32a48ddb7a374f1b93859d1e127cffb9339c5eece732a751069b9bacc9af7f44e26052cf17fc52cd606baaa7d8889d86c2eff9c128e45140c081a54869475476ba4f6e0fc38683517036949c84a8742fc9da909823e30965869dc6899a31f410a3e311c6583fcb48629b143b6271a71439031a8246886b3dcd1a7421754fb6b3590365612663b74900f184f3266103399d8b4ad424c3dccfe1bc8513953f1cda992abf06c6a7f992f2f7e7a2f62bff7db50a874e176103e9b7dfe8b353f53d0d3f2714927c1496c7173f53e18fce29110187eb389b001a1e0d74ec3cf9168a0541a0fe605e72e0747669388d339683001e0ba0e01c0e3987fe9e69ef0150f164fbd01e227c2500e5acc7c64b080b020e08000ac7e08984fd6ebd40a81bb13fede0c0af03b45203607a3a2fd279fece483a3ad589c40445c7d8de4f0184cb3c0540384b863898b67034423444c4d82a1a03a8d1fe3da12c350b00040597d8d2080653c2dc4ae1b0c1815f24cf691693fe6fc090cc6f09ecab723520b9341a7bf3b1e7c108a062c6616df6e1271f0e99d2e11d9c86002146f31acef1c4f2e587ff0181970300');
INSERT INTO content VALUES(1,3,1,'deflate',X'7801c598eb6ee33610857fab4fa11748c119de0be84f1fa04f5060a138f2ae515f52dbd974dfbe67485ab12c719ba2ce5640122b3c26a9e1c733433d0fc7f5eeb07f380dc7cd707aa0667f781ac8378ad67ee0181fd42a9807f3f8c40fe1a95f3f28bb762bef3de9e1a9212557f3f34ff9db0d35cfc7c36a389d9a17fce7bcd90d0d3e35abc3cbfe3c1cdf743cea4edf4ee7615757ea517944afcdafcde7fee5f3f0d69319dbbfee96daedd85e663640b5bfedc58daaf397e3d03f2d69fca839aebef44799cbecb9c2a879ad6ae2a8c1b3afd0cf7ede0fa989e87559f4166d99f3a7c76f6779b88569d15bbc5f8f9bf3f03de95bc057fd7e356cb7c3d3a77ffc926956cf2f69cd97d79b6c12ec37ab0a10e49220d350e9c327c9e6695beb2364c1e1b5df9c2b7dc42c39feb9dcce2a4fe3b03e6faa1aca9af3d06f2bbd70527c7e194e9579b07e537caa4785735c11db2520390755769af4a696775a0e6c1aa32ecaa12dd1afcb4a806505eaa212e2bc0a5599ce919628d73525d26535eaba1c6f180956a4aeba8af9775439e469edf2cad43b9cc69f16e3afa7f1af886ee35f914de35f11ddc67f596626f1af6866f1afe86ee25f51ddc4bfa25a8a7f456a9bddb03b1cbf35e7c359f6e23c39b88b627d1ce01a7381bf08faaffd66db3f8ab7cc55e1a27a7c59af876332d9db3c142f9a55bffa82d438efc6aa8be4f4da3f7faa4ddad2445699b9e58b0afb7f71347d11a4d16a2ad39cfaddf31616f2fd8c6ded28fca7946ddd2845cedef57f2dc5c28f9a6d7fce867e13511b46c96e734a0fb990296d1c55db83d8ed82c6a951b312cda546d92f54268ea65aecfe6651c7535d217151aaa7d24bc027daf366f547433e5aadb476910dab681bd2465b6f94e6863ad5327e74676cf096556b3ab244868d6a6da75b871fdf69cdecdad011b1f16dec1cb7a43a522d4907243d90965fa673182b5d2dd98e6d8851ee5a721d1307ce371e83602ee96a2974deb8dc10d1092b7c2f0b993aad426a6219846510361db78cc9298f59e26ad975c431e97083ce15269a5bd0778cdae69bd885fc492bf4a309b3480d9a3bd269daad9611b4915f18c1589f27a6d308949f45630422576e64f6ecf244344293be8038ca10863ad63e8d613006628eab35328691318c8488bdb38a15b9d620483a10296d49e3d6776c4c34843ea535745139634c684d7a92e018c169ad8c6465212c773e30565a46b1328a45ac5ce0d65ab941f7d145b4b6d677bffff64bff781af6e7d6066994d03b85f573acb975121cab5ceb306f8509b40efda142be414a93c37c1352ce046502904af53bb0ca0fae3ba75c709855622b688bfa3f984297055dce631958f0d23e38e0455e27bec2c89751d14d102b2049fca2caab98114bab02deee8658066009b102e65d112b4467c47c8ea4be3762de01451f1d404a8801291f8270f51ec402d69cf11346c4b4d558cf3962c2064df182b3c013bcf0859d6df18165096d14be98629823269bc6ea8498d7142301b1b228d8876947697cf01a2a63ee09590638f958a4ec0f05b272732fc874d932731fe3d27257c874de3d1f0c99d2d15816e312c874f00a668a6dfc3ec84204291109e9e263da0b7173c82cd0bb3630b218082c8330131cfc118419e53dac0c59ce593f274cfc03a588e445c08d7c2126964d05ee372206ebd54839d82668bd8f8fd135625c4c2da5ca9873c5dd7c2c75b7982acbb07c57c472766f0b6285b77bfb98f3913c3b557c4cc3969436e19d3e16c9c06f2c5ff958418c225c6b922cadbb81ccd960411e20738e22f2257736801481cc2b7673c8c4b2009f40160532f006e74bf635810c0fe42df26305b2e8318cd462d852f061644b5884644b830459aab1db6cc9d79495cd5f8cecce94a5e7f958ca4a5591acd296bd990a32ff7f53267552b82dc8ea94a1d8b9a50cff98589937c62a2b94058daa4928f3d645989b462d68cc9c3244875414caa4be57c681b24bf97b6d65de7180a046194a751890d46428ea90590533181f30f3b68a59a97473be3479690a6699f3bb99594aff3f0e33f7a33043753fe64bc758710d6bb9cd97c43e068f9afebaee07660cdb6124c352f75ff2a59d991900b9e10c96627d2acac0300e87025a84bbe2839456489f73d2a4facd874943202d1d26412b2e94fe5749d37b8d834ad5cf08495ece19c80d14708813d2021893e3a5a9a266ae1dadb8c0c7a09606fa71a85d4afe0f77b4f7a1668271ef47cd83d669de044153470b5e7ba9fa5160b1898a843442ad15d201808cc64becd92153ce74b93e333878e4fa0c87d37f8d5a543a24538bd60627274d0c9750d3f853499e282765a0ec6ac5093e06b5cb0b8c8553404e6dffbd44cbcf92df6694e14a89565e7f7c4489f63ed41c32cefb5143e17683daac448b92e250f5033554eef20603a8e1cd8ac9aee6f0ae01a8fd0d3f5dd105');
INSERT INTO content VALUES(2,1,1,'deflate',X'78016d53db4edb40107de72b223f37c4cec521487da005155540222e4fa85aad379b781bef4eba17088df8f7ce8c4d5a41fd6079cedccecc1cef8f7abd6c05deca989df6b2adf62b0baeff13aa7e917d22e793f6c180236f7e5c1ce72d8a0188ec310043549342d49e421466f5b2145a2b80d5e0344198609614319d9229bd972f22cab0216c4490d7214a1f8582e4884c41edb1bade82aa450a0495b3eec9f9c1aca06abd4c4dd7af49de522d27ada6c26b6896da1192b87b816968acff1a6d8fb587b4a50e8fcc3d5006b259adb21ff8f52be9c4e5420d3e727d586a26845e1a82be871ddf955491ec7d7677f5707b2dbecfbf889b876b71333fbfb8235245f6ca69eb364aefb684cad3eab3a2da95f4dc0cc390dc2b1fa186402be9f64dd6db840e0f82390051b4fb2d57b91cab42f7476a52f5c77232e9cf54aefb79311c8d27e5f464262b4ad968ef74439dcbc35971db56aadae0c910df9d94a21c532c10d3eccab8b423536d93b0b801ce3eeb7d5d3c746810e09a36fba48d0b42360d3c6b3afddb82acb6e05fc486145494874b6ee55a8b607e53ef713e2ba940036a23a251bc603cde61212c150cec36128dd5ef25329b5169ac82828608cea82ee2d0513db3220735ca74907806b0563a421fb35013d2e79b58b9d13d9c04e5d089d23d190fce6a96ea3e5b9cdd5f62563648c10f2ae34ee9c57756acadcea7fd71688ce23fa275085a268b7b82bcfe990f48151fc79bb6ecf13da4f9fe37dea873e89d89021715b97cfe91b950b5746b16f23e9b5f2f58a6f797b71767e72c54befdb7f9cd053271a96948b6ef590f89f69bf24d73f82baa97d87e3347af15f825a9a8a0bb3e9b58438a42f3aa8734f5d1ebd11fe47c40cd');
INSERT INTO content VALUES(2,2,1,'deflate',X'7801d558db6ee336107d66bfc20f7de8a2b023f91a2708d02258a0c06ebb0fdb9702060c9aa26dad255120a9d8e91fed77f4c77a86946259761cd77102d489c48ba899e1e1e10c47b9d4f354656d6b1eda21d352281db19952761a472c8fa36966a860c6726d6d9c4a16a77c21a785610b9949cd6dac32663162a98ccd3806c88d7465ceed9271bd30cc72dcbea9999323739628c113924f92f30575e32a70a579ac79b6625991526998586855e44ca8ccf218fa985d6ac961166972469129328ba8880a6f4fd5859106d6c94d6c858ac8b2d89a7891f18414c06843e5d48b34ac3052bb299a4763259e43853626e51bf690e692af581a67f3c4b2947fa322ce6698c98aa9c2faca834aa6c26ecc1a8fb67551be25cad744e1240be38a5c2b218d519a4532e18f5c083b9d25ab584ddde345218df5552d965cb3b5bbc342a119ddd75834e0317bb4d2b0b58ead2ceb82674226898ca6f55e123a5599c80b2c1aaa6b1edb385bb886496298c274648d98565802fa22b3521ba6d6d9543d48bd247d409bda905355cb59ba511520d4f06653cd9b4e356f7e555b334835c4a3ce0fa15f54369c07bc2f42d9ee89c1acdde783417b2c02d90ec26eaf3f188eaec77cc6fa417738e885d7bd210b8320a01b0b47a8d57e6cf2877f98052ce266c9ae0aa3af667176e55a6dd14af94a4e36dd8027c92d959d2b13a754994c7efcedcbef1f5b13d9127c3ed9cce7ff7c672abf99157112dd123f5b7f4badee36b733ae251b8d5880bfd0ab1b7b7b02d28f7f6895bae310a6a6d37dc8543fba7e2799be4d35faeb41477dc445ea4127ec045880d7ac00a61eeeae805b16d8873264a7acc009f86271bdbc278803d67d11e0ca927db0b600c3f87740382477750ec14f84777f86cff5ecb1d08154a7653800d874c1a98b92743083f5d0d57557ff9a611ddc8ad4c0ab8074447512405b379e0db16dc743761d8ebb7801b2e96d2a589f913aaac1e021da0106a3eaac226d034f7cf2125a9a2295178611bac0d1e7d03ad2bf0b19687464ecbb3d2298fe474c1b6281e96a326d00a68109dde024a641c2734c239a6e99764dad979976617788e05432dab9430a3ddb80e45a884267f9404fab4698711277c8591ab04fc21e365c1758fb27e4c7dfc515fab3d785bc6103ddfd491ee9390c551d3be7e646e4c51a62e09a027282653f79aac3d85523e888d214d29099e35c7e73f3e7af5f3fb5ef3f7fb9ff74474a9aaf9163aebf473bfe7580c2b79371e58feaa4000eb8fb9f3de35ae995d4748efab023d4a155d7423b9176feee5ca0b64f7dd05dce11e43c0c6b751a1a5523eb98d4eb7ba0fa7013fc1274062dfff0feaffbcf1fbfde1477e1dd7807dbba1cd42feb5cb7386fdd4243e191e609d4251447c0d3a540382d415a17c17448fdd8ebc7dd6b4881ba8ce4e1f30e76e4295ac5f26eb76cefa15e320ca88f0ec1de9a69b592d9dd0446be780ae0f9b987803aa0cf457d20739453751a8f31dd92310e5f2f7f88230d10bea6d38c7f4e0ee4308feb16bda6ee0ef1c80acf84a6b7c3fb8b40b375541544981fb66b2f60d8fda40f11fead4179456ae94ea63b5e6c4c4715d80d86f4c935226564574b95caab82d2c7d64fc8e6a595d10736f999563eb8a967ae2292f3d3a37cdf0517c7c5b091e9ccd4c6a9de216269da3e850861dffba66857a9249dd2cf2561ffd22474ce682bb472ee2ea853ecf6df1568000505f28ec851de26d5860e0a1feeebd539271fa441f08bb525776913990e8e0c888d62892f144f7cf4ad93f806a293080748e9af20b671aaf4f20ee9c7d8c6ffbb53cea38a6f6cad386bd9a56ca5711425f2fc5c0848133d6ac722dace25da01a1edd2e8c6bc8f34f7b26e27afa60011020afc9d3e59fa5d4b6937ad0bf9d26632d4c710fa2a546deb17d3eed0f9a4a76c887601fd68564743eebfff714df9');
INSERT INTO content VALUES(2,3,1,'deflate',X'78016d8e4b0e83300c44d7ee29b840aa381f2895b2e90138011b880c42888f1258f4f67509ed0a2f3c1ee98ded9542372db38814068a0261969077b2311e49686f5b611a6b45e92509894a1b9b178fb26901e55170bfa52820f875879ddd77903c815ff67963ff67144c342de10d5d2002185fd0377b4f0c6c831f018bb4f4d7c19e47d0f1b94c39c3fe023e7e6138293a75c075f55c294c438cc3325fa498e26d5626e5949599767841ea934caa5c5d31f40136994cdc');
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
) STRICT;
INSERT INTO reject VALUES(2,1,2,'n0-1000.tsv',19,'too few fields: the line is cut',X'310973746172740963757420696e20746865206d6964646c65');
INSERT INTO reject VALUES(2,2,3,'n0.series',6,'tick: a series that was not declared',X'7469636b0931373030303030303030303230303030093530323030303009313d32353020333d31092e');
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
	exit_status, exit_signal, start_us, end_us
FROM job;
CREATE VIEW process_tree AS
SELECT p.job_id, p.id, p.parent_id, p.depth,
	substr('                                        ', 1, CAST(2 * p.depth AS integer)) ||
	coalesce(p.exename, '?') AS process, p.pid, h.hostname,
	CAST(p.duration_us / 1000 + p.duration_us % 1000 / 500 AS double precision) / 1000 AS wall_s,
	CAST(p.cpu_time / 1000 + p.cpu_time % 1000 / 500 AS double precision) / 1000 AS cpu_s,
	CAST(p.inclusive_cpu_time / 1000 + p.inclusive_cpu_time % 1000 / 500 AS double precision) / 1000 AS tree_cpu_s,
	p.rssmax, p.end_reason, p.exitcode, p.exitsignal, p.args
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
COMMIT;
