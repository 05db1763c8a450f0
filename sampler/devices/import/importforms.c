/* Lines and texts of known programs that are imported. */
#include "config.h"

#include "sampler/devices/import/importparse.h"

#include <ctype.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

/* A key of a program, the name of its value and the unit. */
struct key {
	const char *key, *name, *unit;
	bool counter;
};

static const struct key *find_key(const struct key *keys, size_t count, const char *key)
{
	for (size_t i = 0; i < count; i++)
		if (strcmp(keys[i].key, key) == 0)
			return &keys[i];
	return NULL;
}

/* Put a value of a key as KIND/DEVICE/NAME. */
static void put_key(const struct pm_importtext *t, const char *kind, const char *device,
		    const struct key *key, const char *number)
{
	char name[PM_IMPORT_NAME_MAX + 64];

	snprintf(name, sizeof name, "%s/%.*s/%s", kind, PM_IMPORT_NAME_MAX, device, key->name);
	pm_importparse_put(t, name, number, pm_importvalue_unit(key->unit), key->counter);
}

/* --- GPFS: _fs_io_s_ _n_ IP _nn_ NODE _rc_ 0 _t_ S _tu_ US _cl_ CLUSTER _fs_ NAME _d_ DISKS ... -
 */

bool pm_importforms_mmpmon(struct pm_importtext *t, char *line)
{
	static const struct key keys[] = {
		{ "_d_", "disks", "n", false },         { "_br_", "bytes_read", "B", true },
		{ "_bw_", "bytes_written", "B", true }, { "_oc_", "opens", "n", true },
		{ "_cc_", "closes", "n", true },        { "_rdc_", "reads", "n", true },
		{ "_wc_", "writes", "n", true },        { "_dir_", "readdir", "n", true },
		{ "_iu_", "inode_updates", "n", true },
	};
	static const struct key stamp = { "", "stamp", "us", false };
	const char *number[sizeof keys / sizeof keys[0]] = { NULL };
	const char *fs = "all", *rc = "", *s = NULL, *us = NULL;
	char *save, *word;

	if (strncmp(line, "_fs_io_s_ ", 10) != 0 && strncmp(line, "_io_s_ ", 7) != 0)
		return false;
	strtok_r(line, " \t", &save);
	while ((word = strtok_r(NULL, " \t", &save)) != NULL) {
		const struct key *key = find_key(keys, sizeof keys / sizeof keys[0], word);
		char *value = strtok_r(NULL, " \t", &save);

		if (!value)
			break;
		if (key)
			number[key - keys] = value;
		else if (strcmp(word, "_fs_") == 0)
			fs = value;
		else if (strcmp(word, "_rc_") == 0)
			rc = value;
		else if (strcmp(word, "_t_") == 0)
			s = value;
		else if (strcmp(word, "_tu_") == 0)
			us = value;
	}
	if (strcmp(rc, "0") != 0) {
		t->take->refuse(t->take->arg, "mmpmon says that it failed: _rc_", rc);
		return true;
	}
	for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++)
		if (number[i])
			put_key(t, "gpfs", fs, &keys[i], number[i]);
	if (s && us && strlen(us) <= 6 && strlen(s) <= 12) {
		char whole[32];

		/* Microseconds come without leading zeros. */
		snprintf(whole, sizeof whole, "%.12s%.*s%.6s", s, (int)(6 - strlen(us)), "000000",
			 us);
		put_key(t, "gpfs", fs, &stamp, whole);
	}
	return true;
}

/* --- BeeGFS: CLIENT N [sum] N [ops-rd] N [MiB-rd] ... ----------------------------------------- */

bool pm_importforms_beegfs(struct pm_importtext *t, char *line)
{
	static const struct key volumes[] = {
		{ "[MiB-rd]", "bytes_read", "MiB", true },
		{ "[MiB-wr]", "bytes_written", "MiB", true },
		{ "[B-rd]", "bytes_read", "B", true },
		{ "[B-wr]", "bytes_written", "B", true },
	};
	char *save, *client, *number, *word;

	if (!strstr(line, " [sum]"))
		return false;
	client = strtok_r(line, " \t", &save);
	/* "Sum:" are all clients. */
	if (client[strlen(client) - 1] == ':')
		client[strlen(client) - 1] = '\0';
	while ((number = strtok_r(NULL, " \t", &save)) && (word = strtok_r(NULL, " \t", &save))) {
		const struct key *key = find_key(volumes, sizeof volumes / sizeof volumes[0], word);
		struct key operations = { word, word, "n", true };
		const size_t n = strlen(word);

		if (n < 3 || word[0] != '[' || word[n - 1] != ']') {
			t->take->refuse(t->take->arg, "not N [OPERATION]", word);
			break;
		}
		word[n - 1] = '\0';
		operations.name = word + 1;
		put_key(t, "beegfs", client, key ? key : &operations, number);
	}
	return true;
}

/* --- IPMI ------------------------------------------------------------------------------------- */

/* Cut blanks at the ends of a field. */
static char *cut_blanks(char *p)
{
	char *end;

	p += strspn(p, " \t");
	end = p + strlen(p);
	while (end > p && (end[-1] == ' ' || end[-1] == '\t' || end[-1] == '.'))
		*--end = '\0';
	return p;
}

/* The name of a sensor or key: letters and digits as they are, anything else an underscore. */
static void make_name(char *name, size_t size, const char *text)
{
	size_t n = (size_t)snprintf(name, size, "ipmi/%.100s", text);

	for (size_t i = 5; i < n && name[i]; i++)
		if (!isalnum((unsigned char)name[i]))
			name[i] = '_';
}

/* Split "332 Watts", with the number of 63 characters at most. Returns the unit where it is one of
 * power, or NULL. */
static const struct pm_importunit *split_power(const char *text, char number[64])
{
	const struct pm_importunit *unit;
	char word[16], more;

	if (sscanf(text, "%63s %15s %c", number, word, &more) != 2)
		return NULL;
	unit = pm_importvalue_unit(word);
	return unit && unit->gauge == PM_IMPORT_POWER ? unit : NULL;
}

/* "NAME | 220.000 | Watts | ok ...", "NAME | 77h | ok | 7.1 | 220 Watts", "NAME | 220 Watts | ok".
 */
bool pm_importforms_sensor(struct pm_importtext *t, char *line)
{
	char *field[12], *save, name[PM_IMPORT_NAME_MAX], number[64];
	const struct pm_importunit *unit = NULL;
	size_t n = 0;

	if (!strchr(line, '|') || strchr(line, '{'))
		return false;
	for (char *p = strtok_r(line, "|", &save); p && n < 12; p = strtok_r(NULL, "|", &save))
		field[n++] = cut_blanks(p);
	if (n < 3)
		return true;
	make_name(name, sizeof name, field[0]);
	for (size_t i = 1; i < n && !unit; i++)
		unit = split_power(field[i], number);
	if (!unit && strcmp(field[2], "Watts") == 0) {
		unit = pm_importvalue_unit("Watts");
		snprintf(number, sizeof number, "%.60s", field[1]);
	}
	if (unit)
		pm_importparse_put(t, name, number, unit, false);
	return true;
}

static const char *const dcmi_names[4] = { "ipmi/current", "ipmi/minimum", "ipmi/maximum",
					   "ipmi/average" };

static const struct {
	const char *key;
	int which;
} dcmi_keys[] = {
	{ "current power", 0 },
	{ "instantaneous power reading", 0 },
	{ "minimum power over sampling duration", 1 },
	{ "minimum during sampling period", 1 },
	{ "maximum power over sampling duration", 2 },
	{ "maximum during sampling period", 2 },
	{ "average power over sampling duration", 3 },
	{ "average power reading over sample period", 3 },
};

static bool take_dcmi(struct pm_importtext *t, const char *key, const char *number,
		      const struct pm_importunit *unit)
{
	for (size_t i = 0; i < sizeof dcmi_keys / sizeof dcmi_keys[0]; i++) {
		const int which = dcmi_keys[i].which;

		if (strcasecmp(dcmi_keys[i].key, key) != 0)
			continue;
		t->has[which] = pm_importvalue_number(number, unit, &t->dcmi[which]) ==
				PM_IMPORTNUMBER_KNOWN;
		return true;
	}
	return false;
}

bool pm_importforms_key(struct pm_importtext *t, char *line)
{
	char *colon = strchr(line, ':'), *key, *value, name[PM_IMPORT_NAME_MAX], number[64];
	const struct pm_importunit *unit;

	/* Names of Prometheus' may have colons, but no blank behind them. */
	if (!colon || (colon[1] != ' ' && colon[1] != '\t') ||
	    memchr(line, '{', (size_t)(colon - line)))
		return false;
	*colon = '\0';
	key = cut_blanks(line);
	value = cut_blanks(colon + 1);
	unit = split_power(value, number);
	if (unit && !take_dcmi(t, key, number, unit)) {
		make_name(name, sizeof name, key);
		pm_importparse_put(t, name, number, unit, false);
	}
	if (strcasecmp(key, "Power Measurement") == 0 ||
	    strcasecmp(key, "Power reading state is") == 0) {
		t->active = strcasecmp(value, "Active") == 0 || strcasecmp(value, "activated") == 0;
		t->inactive = !t->active;
	}
	return true;
}

void pm_importforms_end(struct pm_importtext *t)
{
	for (int i = 0; i < 4; i++) {
		if (!t->has[i])
			continue;
		/* A node that runs takes power. */
		if (t->inactive || t->dcmi[i] == 0)
			t->take->unknown(t->take->arg, dcmi_names[i], PM_IMPORT_POWER,
					 PM_REASON_unsupported);
		else
			t->take->value(t->take->arg, dcmi_names[i], PM_IMPORT_POWER, t->dcmi[i]);
	}
}

/* --- capmc get_node_energy, get_node_energy_counter ------------------------------------------- */

static void put_capmc(const struct pm_importtext *t, json_int_t nid, const json_t *node)
{
	static const struct {
		const char *field, *name;
		bool counter;
	} fields[] = {
		{ "energy", "energy", false },
		{ "energy_ctr", "energy", true },
	};

	for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++) {
		const json_t *value = json_object_get(node, fields[i].field);
		char name[64], number[32];

		if (!json_is_integer(value))
			continue;
		snprintf(name, sizeof name, "capmc/nid%lld/%s", (long long)nid, fields[i].name);
		snprintf(number, sizeof number, "%lld", (long long)json_integer_value(value));
		pm_importparse_put(t, name, number, pm_importvalue_unit("J"), fields[i].counter);
	}
}

void pm_importforms_capmc(struct pm_importtext *t, const char *text, size_t n)
{
	json_t *doc = json_loadb(text, n, JSON_REJECT_DUPLICATES, NULL), *node;
	const json_t *nodes = json_object_get(doc, "nodes"), *e = json_object_get(doc, "e");
	size_t i;

	if (!json_is_array(nodes))
		t->take->refuse(t->take->arg, "JSON that is not capmc's", "");
	else if (e && json_integer_value(e) != 0)
		t->take->refuse(t->take->arg, "capmc says that it failed", "");
	else
		json_array_foreach (nodes, i, node) {
			const json_t *nid = json_object_get(node, "nid");

			if (json_is_integer(nid))
				put_capmc(t, json_integer_value(nid), node);
		}
	json_decref(doc);
}
