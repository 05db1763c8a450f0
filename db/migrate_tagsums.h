/* Part of the step from version 8 of the schema to 9, as SQL; migrate.c says what holds for all
 * steps. */
#ifndef PM_DB_MIGRATE_TAGSUMS_H
#define PM_DB_MIGRATE_TAGSUMS_H

/* Totals of sets of tags; fill_tagsums() fills them. PostgreSQL has no reference, as other bulk
 * tables have none there. */
#define PM_MIGRATE_TAGSUMS(integer, blob, reference, narrow)                                       \
	"CREATE TABLE tag_summary (job_id " integer " NOT NULL, tag_set " integer                  \
	" NOT NULL, processes " integer " NOT NULL, timed " integer " NOT NULL, start_us " integer \
	", finish_us " integer ", cpu_time " integer ", cpu_time_known " integer                   \
	" NOT NULL, numtids " integer ", numtids_known " integer " NOT NULL, duration_us " integer \
	", duration_us_known " integer " NOT NULL, usertime " integer ", usertime_known " integer  \
	" NOT NULL, systemtime " integer ", systemtime_known " integer                             \
	" NOT NULL, rssmax " integer ", rssmax_known " integer " NOT NULL, vmpeak " integer        \
	", vmpeak_known " integer " NOT NULL, minflt " integer ", minflt_known " integer           \
	" NOT NULL, majflt " integer ", majflt_known " integer " NOT NULL, inblock " integer       \
	", inblock_known " integer " NOT NULL, outblock " integer ", outblock_known " integer      \
	" NOT NULL, vol_ctxsw " integer ", vol_ctxsw_known " integer                               \
	" NOT NULL, invol_ctxsw " integer ", invol_ctxsw_known " integer                           \
	" NOT NULL, delayacct_blkio_time " integer ", delayacct_blkio_time_known " integer         \
	" NOT NULL, guest_time " integer ", guest_time_known " integer " NOT NULL, rchar " integer \
	", rchar_known " integer " NOT NULL, wchar " integer ", wchar_known " integer              \
	" NOT NULL, syscr " integer ", syscr_known " integer " NOT NULL, syscw " integer           \
	", syscw_known " integer " NOT NULL, read_bytes " integer ", read_bytes_known " integer    \
	" NOT NULL, write_bytes " integer ", write_bytes_known " integer                           \
	" NOT NULL, cancelled_write_bytes " integer ", cancelled_write_bytes_known " integer       \
	" NOT NULL, time_oncpu " integer ", time_oncpu_known " integer                             \
	" NOT NULL, time_waiting " integer ", time_waiting_known " integer                         \
	" NOT NULL, timeslices " integer ", timeslices_known " integer                             \
	" NOT NULL, rdtsc_duration " integer ", rdtsc_duration_known " integer                     \
	" NOT NULL, own_overhead_us " integer ", own_overhead_us_known " integer                   \
	" NOT NULL, own_cpu_us " integer ", own_cpu_us_known " integer                             \
	" NOT NULL, own_minflt " integer ", own_minflt_known " integer                             \
	" NOT NULL, own_outblock " integer ", own_outblock_known " integer                         \
	" NOT NULL, own_rchar " integer ", own_rchar_known " integer                               \
	" NOT NULL, own_wchar " integer ", own_wchar_known " integer                               \
	" NOT NULL, own_syscr " integer ", own_syscr_known " integer                               \
	" NOT NULL, own_syscw " integer ", own_syscw_known " integer                               \
	" NOT NULL, gpu_time " integer ", gpu_time_known " integer                                 \
	" NOT NULL, gpu_cycles " integer ", gpu_cycles_known " integer                             \
	" NOT NULL, gpu_memory " integer ", gpu_memory_known " integer " NOT NULL, runs " blob     \
	", PRIMARY KEY (job_id, tag_set)" reference ")" narrow

#endif
