/* Source ethtool with drivers that the test stands for. */
#include "config.h"

#include "common/settings/readconfig.h"
#include "tests/unit/sampler/source.h"

#include <linux/ethtool.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/ioctl.h>

static struct {
	const char *names[8];
	uint64_t value[8];
	unsigned count;
	int error; /* of its counters */
} driver;

struct if_nameindex *if_nameindex(void)
{
	struct if_nameindex *list = calloc(3, sizeof *list);

	PM_SURE(list);
	list[0] = (struct if_nameindex){ 1, (char *)(uintptr_t) "lo" };
	list[1] = (struct if_nameindex){ 2, (char *)(uintptr_t) "eth0" };
	return list;
}

void if_freenameindex(struct if_nameindex *list)
{
	free(list);
}

/* Stands for the C library's: eth0 has a driver, lo none. */
int ioctl(int fd, unsigned long request, ...)
{
	const struct ifreq *r;
	va_list arguments;
	__u32 command;

	(void)fd;
	va_start(arguments, request);
	r = va_arg(arguments, const struct ifreq *);
	va_end(arguments);
	PM_SURE(request == SIOCETHTOOL);
	memcpy(&command, r->ifr_data, sizeof command);
	if (strcmp(r->ifr_name, "eth0") != 0) {
		errno = EOPNOTSUPP;
		return -1;
	}
	if (command == ETHTOOL_GSSET_INFO) {
		memcpy(r->ifr_data + sizeof(struct ethtool_sset_info), &driver.count,
		       sizeof driver.count);
	} else if (command == ETHTOOL_GSTRINGS) {
		struct ethtool_gstrings *strings = (void *)r->ifr_data;

		for (unsigned i = 0; i < driver.count; i++)
			snprintf((char *)strings->data + (size_t)i * ETH_GSTRING_LEN,
				 ETH_GSTRING_LEN, "%s", driver.names[i]);
	} else {
		struct ethtool_stats *stats = (void *)r->ifr_data;

		PM_SURE(command == ETHTOOL_GSTATS);
		errno = driver.error;
		if (driver.error)
			return -1;
		memcpy((char *)stats->data, driver.value, driver.count * sizeof driver.value[0]);
	}
	return 0;
}

static void set_list(const char *list)
{
	struct pm_err e;

	PM_SURE(pm_config_set(PM_SET_ethtool, list, &e) == 0);
}

static void set_up(void)
{
	root_make();
	memset(&driver, 0, sizeof driver);
	driver.names[0] = "rx_packets";
	driver.names[1] = "rx_discards_phy";
	driver.names[2] = "tx_errors";
	for (unsigned i = 0; i < 3; i++)
		driver.value[i] = 10 * (i + 1);
	driver.count = 3;
	set_list("rx_discards_phy,*_errors");
}

static int begin_here(void)
{
	const struct pm_target target = { .root = "" };

	return begin_on(&pm_source_ethtool, &target);
}

/* Only counters of the list. */
START_TEST(values)
{
	ck_assert_int_eq(begin_here(), 0);
	sample();
	check_known("count", "eth0/rx_discards_phy", 20);
	check_known("count", "eth0/tx_errors", 30);
	ck_assert_int_eq(objects("count"), 2);
	end();
}
END_TEST

/* A driver that has other counters by now has them at other places; a fall is a reset. */
START_TEST(changes)
{
	ck_assert_int_eq(begin_here(), 0);
	sample();
	driver.names[3] = driver.names[2];
	driver.names[2] = "rx9_packets";
	driver.value[2] = 5000;
	driver.value[3] = 31;
	driver.count = 4;
	sample();
	check_known("count", "eth0/tx_errors", 31);
	driver.value[3] = 1;
	sample();
	check_unknown("count", "eth0/tx_errors", PM_REASON_wrapped);
	check_known("count", "eth0/rx_discards_phy", 20);
	driver.error = ENODEV;
	sample();
	check_unknown("count", "eth0/tx_errors", PM_REASON_absent);
	driver.error = 0;
	driver.value[1] = UINT64_MAX;
	sample();
	check_unknown("count", "eth0/rx_discards_phy", PM_REASON_parse);
	end();
}
END_TEST

/* Without a list nobody is asked; nor is a driver of this machine for a recorded one. */
START_TEST(none)
{
	set_list("nothing_that_is_there");
	ck_assert_int_eq(begin_here(), -1);
	ck_assert_int_eq(why.reason, PM_REASON_absent);
	pm_sink_free(&sink);
	set_list("");
	ck_assert_int_eq(begin_here(), -1);
	ck_assert_int_eq(why.reason, PM_REASON_absent);
	pm_sink_free(&sink);
	set_list("*");
	ck_assert_int_eq(begin(&pm_source_ethtool), -1);
	ck_assert_int_eq(why.reason, PM_REASON_unsupported);
	pm_sink_free(&sink);
}
END_TEST

static Suite *ethtool_suite(void)
{
	Suite *s = suite_create("sampler_ethtool");
	TCase *t = tcase_create("ethtool");

	tcase_add_checked_fixture(t, set_up, root_remove);
	tcase_add_test(t, values);
	tcase_add_test(t, changes);
	tcase_add_test(t, none);
	suite_add_tcase(s, t);
	return s;
}

PM_UNIT_MAIN(ethtool_suite)
