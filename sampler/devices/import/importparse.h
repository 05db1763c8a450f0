/*
 * The text of a command or a file that is imported, taken apart. Each line is one of:
 *
 *   NAME VALUE UNIT [counter|gauge]   anyone's
 *   NAME[{LABELS}] VALUE [TIME]       Prometheus', as in node_exporter's textfile collector
 *   KEY : VALUE Watts                 freeipmi's ipmi-dcmi and ipmi-oem, ipmitool dcmi
 *   NAME | VALUE | UNIT | ...         ipmitool sensor and sdr; of these, power alone
 *   _fs_io_s_ ..., _io_s_ ...         GPFS, mmpmon -p
 *   CLIENT N [sum] N [ops-rd] ...     BeeGFS, beegfs-ctl --clientstats
 *   KEY:.....VALUE                    counters of InfiniBand, perfquery
 *
 * or the whole is JSON as capmc prints it. A counter is what says so, or has a name that ends in
 * _total. A line that is none of these is refused, and changes nothing for the others.
 */
#ifndef PM_SAMPLER_DEVICES_IMPORT_IMPORTPARSE_H
#define PM_SAMPLER_DEVICES_IMPORT_IMPORTPARSE_H

#include "sampler/devices/import/importvalue.h"
#include "sampler/kernel/reason.h"

/* Longest name of a value, with labels, B. */
#define PM_IMPORT_NAME_MAX 200

/* The receiver of what a text has. */
struct pm_importtake {
	void *arg;
	void (*value)(void *arg, const char *name, enum pm_importmetric metric, int64_t value);
	void (*unknown)(void *arg, const char *name, enum pm_importmetric metric,
			enum pm_reason reason);
	/* why is a constant; what: the line, or its unit. */
	void (*refuse)(void *arg, const char *why, const char *what);
};

/* A text on its way. For the files of this folder. */
struct pm_importtext {
	const struct pm_importtake *take;
	bool power;                      /* a number alone is the node's power */
	char family[PM_IMPORT_NAME_MAX]; /* of the latest # TYPE, */
	bool counts;                     /* whose values are counters */
	/* Of DCMI's power reading, which tells at its end whether it was one: */
	int64_t dcmi[4];
	bool has[4], active, inactive;
	/* Of perfquery: the port whose counters follow, and whether they stop at their ends. */
	char port[32];
	bool saturates;
};

/* Take a text of n bytes apart; it is changed, and needs room for one more byte. power: it is that
 * of power_command, where a number alone, in W or with its unit, is the power of "node". */
void pm_importparse_text(char *text, size_t n, bool power, const struct pm_importtake *take);

/* The forms of importforms.c: each returns whether the line, without blanks at its ends, is of this
 * form. It may change the line. */
bool pm_importforms_mmpmon(struct pm_importtext *t, char *line);
bool pm_importforms_beegfs(struct pm_importtext *t, char *line);
bool pm_importforms_sensor(struct pm_importtext *t, char *line);
bool pm_importforms_key(struct pm_importtext *t, char *line);
bool pm_importforms_perfquery(struct pm_importtext *t, char *line);
/* The same for a line that begins with '#', before perfquery's counters. */
bool pm_importforms_port(struct pm_importtext *t, const char *line);
/* End of the text: DCMI's values, if it had them. 0 W while measuring is none. */
void pm_importforms_end(struct pm_importtext *t);
/* JSON of capmc's: energy of each node; other JSON is refused. */
void pm_importforms_capmc(struct pm_importtext *t, const char *text, size_t n);

/* Give a number in a unit to the receiver. */
void pm_importparse_put(const struct pm_importtext *t, const char *name, const char *number,
			const struct pm_importunit *unit, bool counter);

#endif
