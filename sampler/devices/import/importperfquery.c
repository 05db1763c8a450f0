/*
 * Counters of a port of InfiniBand as perfquery of infiniband-diags prints them, for machines whose
 * kernel has none: "# Port extended counters: Lid 7 port 1 (CapMask: ...)" and lines
 * "PortXmitData:....................1234". Without -x they stop at their ends: those of their
 * widths, which are in the InfiniBand specification, volume 1, 16.1.3.5 (PortCounters).
 */
#include "config.h"

#include "sampler/devices/import/importparse.h"

#include <stdio.h>
#include <string.h>

/* Data are counted in words of four bytes. */
static const struct pm_importunit word = { "words", PM_IMPORT_SIZE, PM_IMPORT_BYTES, 4, 1 };

/* Names as source infiniband and infiniband_errors have them. */
static const struct {
	const char *key, *name;
	bool words;
	int bits; /* without -x */
} keys[] = {
	{ "PortXmitData", "tx_bytes", true, 32 },
	{ "PortRcvData", "rx_bytes", true, 32 },
	{ "PortXmitPkts", "tx_packets", false, 32 },
	{ "PortRcvPkts", "rx_packets", false, 32 },
	{ "PortXmitWait", "tx_wait", false, 32 },
	{ "SymbolErrorCounter", "symbol_error", false, 16 },
	{ "LinkErrorRecoveryCounter", "link_error_recovery", false, 8 },
	{ "LinkDownedCounter", "link_downed", false, 8 },
	{ "PortRcvErrors", "rx_errors", false, 16 },
	{ "PortRcvRemotePhysicalErrors", "rx_remote_physical_errors", false, 16 },
	{ "PortRcvSwitchRelayErrors", "rx_switch_relay_errors", false, 16 },
	{ "PortXmitDiscards", "tx_discards", false, 16 },
	{ "PortXmitConstraintErrors", "tx_constraint_errors", false, 8 },
	{ "PortRcvConstraintErrors", "rx_constraint_errors", false, 8 },
	{ "VL15Dropped", "vl15_dropped", false, 16 },
	{ "LocalLinkIntegrityErrors", "local_link_integrity_errors", false, 4 },
	{ "ExcessiveBufferOverrunErrors", "excessive_buffer_overrun_errors", false, 4 },
};

bool pm_importforms_port(struct pm_importtext *t, const char *line)
{
	static const char narrow[] = "# Port counters:", wide[] = "# Port extended counters:";
	const bool is_wide = strncmp(line, wide, sizeof wide - 1) == 0;
	unsigned lid, port;

	if (!is_wide && strncmp(line, narrow, sizeof narrow - 1) != 0)
		return false;
	t->saturates = !is_wide;
	if (sscanf(line + (is_wide ? sizeof wide : sizeof narrow) - 1, " Lid %u port %u", &lid,
		   &port) == 2)
		snprintf(t->port, sizeof t->port, "lid%u/%u", lid, port);
	else
		t->port[0] = '\0';
	return true;
}

bool pm_importforms_perfquery(struct pm_importtext *t, char *line)
{
	char *colon = strchr(line, ':'), name[PM_IMPORT_NAME_MAX];
	const char *number;

	/* At least one dot before the number, and nothing but digits and letters before the colon.
	 */
	if (!t->port[0] || !colon || colon[1] != '.')
		return false;
	*colon = '\0';
	number = colon + 1 + strspn(colon + 1, ".");
	for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
		const struct pm_importunit *unit = keys[i].words ? &word : pm_importvalue_unit("n");
		int64_t value;

		if (strcmp(line, keys[i].key) != 0)
			continue;
		snprintf(name, sizeof name, "infiniband/%s/%s", t->port, keys[i].name);
		if (t->saturates &&
		    pm_importvalue_number(number, unit, &value) == PM_IMPORTNUMBER_KNOWN &&
		    value / unit->times >= (INT64_C(1) << keys[i].bits) - 1)
			t->take->unknown(t->take->arg, name, unit->counter, PM_REASON_wrapped);
		else
			pm_importparse_put(t, name, number, unit, true);
		break;
	}
	return true;
}
