/* The GPUs of a host, on recorded trees. */
#include "config.h"

#include "wrapper/node/gpus.h"

#include "tests/unit/sampler/root.h"

static struct pm_gpu gpu[PM_GPU_MAX];

#define UUID "GPU-6f2a4b5c-0000-1111-2222-333344445555"

/* What NVIDIA's driver tells of a GPU. */
static void put_nvidia(const char *address, const char *model, const char *uuid)
{
	char path[128], text[512];

	snprintf(path, sizeof path, "proc/driver/nvidia/gpus/%s/information", address);
	snprintf(text, sizeof text,
		 "Model: \t\t %s\nIRQ:   \t\t 131\nGPU UUID: \t %s\nVideo BIOS: \t 92.00.45.00.06\n"
		 "Bus Type: \t PCIe\nBus Location: \t %s\nDevice Minor: \t 0\nGPU Excluded:\t No\n",
		 model, uuid, address);
	root_put(path, text);
}

static void put_device(int card, const char *name, const char *text)
{
	char path[128];

	snprintf(path, sizeof path, "sys/class/drm/card%d/device/%s", card, name);
	root_put(path, text);
}

static void put_card(int card, const char *driver, const char *address)
{
	char text[256];

	snprintf(text, sizeof text, "DRIVER=%s\nPCI_CLASS=38000\nPCI_ID=1002:740F\nPCI_SLOT_NAME=%s\n", driver,
		 address);
	put_device(card, "uevent", text);
	snprintf(text, sizeof text, "drm/renderD%d/dev", 128 + card);
	put_device(card, text, "226:128\n");
}

static void put_amd(int card, const char *address, const char *id)
{
	put_card(card, "amdgpu", address);
	put_device(card, "vendor", "0x1002\n");
	put_device(card, "device", "0x740f\n");
	put_device(card, "unique_id", id);
	put_device(card, "mem_info_vram_total", "68702699520\n");
	put_device(card, "hwmon/hwmon4/power1_cap", "560000000\n");
}

/* One text of all that is known. */
static const char *told(void)
{
	static char text[8192];
	size_t n = pm_gpus_read(root, gpu), len = 0;

	text[0] = '\0';
	for (size_t i = 0; i < n; i++) {
		json_t *o = pm_gpu_json(&gpu[i]);
		char *one = json_dumps(o, JSON_COMPACT | JSON_SORT_KEYS);
		struct pm_gpu back;

		/* And back. */
		pm_gpu_take(&back, o);
		ck_assert_str_eq(back.name, gpu[i].name);
		ck_assert_str_eq(back.address, gpu[i].address);
		ck_assert_int_eq(back.memory_bytes, gpu[i].memory_bytes);
		ck_assert_int_eq(back.power_limit_uw, gpu[i].power_limit_uw);
		len += (size_t)snprintf(text + len, sizeof text - len, "%s\n", one);
		free(one);
		json_decref(o);
	}
	return text;
}

#define NVIDIA(address, model, uuid)                                                                                 \
	"{\"address\":\"" address "\",\"driver\":\"nvidia\",\"driver_version\":\"535.104.05\",\"name\":\"" model     \
	"\"" uuid "}\n"

START_TEST(nvidia)
{
	put_nvidia("0000:c1:00.0", "NVIDIA A100-SXM4-40GB", UUID);
	put_nvidia("0000:07:00.0", "NVIDIA A100-SXM4-40GB", "GPU-?\?\?\?\?\?\?\?-?\?\?\?");
	root_put("proc/driver/nvidia/gpus/other/information", "Model: none\n");
	root_put("proc/driver/nvidia/version",
		 "NVRM version: NVIDIA UNIX x86_64 Kernel Module  535.104.05  Sat Aug 19 01:15:15 UTC 2023\n"
		 "GCC version:  gcc version 12.2.0\n");
	/* Its card is the same GPU. */
	put_card(0, "nvidia", "0000:c1:00.0");
	ck_assert_str_eq(told(), NVIDIA("0000:07:00.0", "NVIDIA A100-SXM4-40GB", "")
			 NVIDIA("0000:c1:00.0", "NVIDIA A100-SXM4-40GB", ",\"uuid\":\"" UUID "\""));
}
END_TEST

START_TEST(versions)
{
	static const struct {
		const char *line, *version;
	} of[] = {
		{ "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  570.86.15  Release Build  (x@y)  Thu\n",
		  "570.86.15" },
		{ "NVRM version: NVIDIA UNIX x86_64 Kernel Module  470.57  Tue\n", "470.57" },
		{ "NVRM version: NVIDIA UNIX\nGCC version: 12.2.0\n", "" },
		{ "something 1.2.3\n", "" },
		{ "", "" },
	};

	put_nvidia("0000:07:00.0", "A", UUID);
	for (size_t i = 0; i < sizeof of / sizeof of[0]; i++) {
		root_put("proc/driver/nvidia/version", of[i].line);
		ck_assert_int_eq(pm_gpus_read(root, gpu), 1);
		ck_assert_str_eq(gpu[0].driver_version, of[i].version);
	}
}
END_TEST

START_TEST(others)
{
	put_amd(1, "0000:c5:00.0", "0xff\n"); /* no id of hexadecimal digits alone */
	put_amd(2, "0000:c9:00.0", "6a1b2c3d4e5f6071\n");
	put_device(2, "product_name", "AMD INSTINCT MI250X\n");
	root_put("sys/module/amdgpu/version", "6.7.0\n");
	/* A service processor's graphics, an output, a device that is not on the PCI bus. */
	put_device(0, "uevent", "DRIVER=ast\nPCI_SLOT_NAME=0000:01:00.0\n");
	root_put("sys/class/drm/card2-DP-1/status", "connected\n");
	put_card(3, "amdgpu_xcp_drv", "");
	put_card(4, "xe", "0000:4d:00.0");
	put_device(4, "vendor", "0x8086\n");
	put_device(4, "device", "0x0bd5\n");
	put_device(4, "hwmon/hwmon9/power1_cap", "0\n");
	put_device(4, "hwmon/hwmon9/power1_max", "600000000\n");
	put_device(4, "mem_info_vram_total", "many\n");
	ck_assert_str_eq(told(),
			 "{\"address\":\"0000:4d:00.0\",\"driver\":\"xe\",\"name\":\"Intel 8086:0bd5\","
			 "\"power_limit_uw\":600000000}\n"
			 "{\"address\":\"0000:c5:00.0\",\"driver\":\"amdgpu\",\"driver_version\":\"6.7.0\","
			 "\"memory_bytes\":68702699520,\"name\":\"AMD 1002:740f\",\"power_limit_uw\":560000000}\n"
			 "{\"address\":\"0000:c9:00.0\",\"driver\":\"amdgpu\",\"driver_version\":\"6.7.0\","
			 "\"memory_bytes\":68702699520,\"name\":\"AMD INSTINCT MI250X\","
			 "\"power_limit_uw\":560000000,\"uuid\":\"6a1b2c3d4e5f6071\"}\n");
}
END_TEST

/* Further functions of a device are partitions of it; other devices with the id are not. */
START_TEST(partitions)
{
	put_amd(1, "0000:c9:00.1", "6a1b\n");
	put_amd(2, "0000:c9:00.0", "6a1b\n");
	put_amd(3, "0000:ca:00.0", "6a1b\n");
	ck_assert_int_eq(pm_gpus_read(root, gpu), 2);
	ck_assert_str_eq(gpu[0].address, "0000:c9:00.0");
	ck_assert_str_eq(gpu[1].address, "0000:ca:00.0");
}
END_TEST

/* Of a GPU that sleeps nothing is opened that would wake it. */
START_TEST(suspended)
{
	put_nvidia("0000:07:00.0", "NVIDIA A100", UUID);
	root_put("sys/bus/pci/devices/0000:07:00.0/power/runtime_status", "suspended\n");
	put_amd(2, "0000:c9:00.0", "6a1b\n");
	put_device(2, "power/runtime_status", "suspended\n");
	ck_assert_str_eq(told(), "{\"address\":\"0000:07:00.0\",\"driver\":\"nvidia\",\"name\":\"NVIDIA\","
				 "\"state\":\"suspended\"}\n"
				 "{\"address\":\"0000:c9:00.0\",\"driver\":\"amdgpu\",\"name\":\"AMD 1002:740f\","
				 "\"state\":\"suspended\"}\n");
	/* Noticed: one that is awake. */
	root_put("sys/bus/pci/devices/0000:07:00.0/power/runtime_status", "active\n");
	put_device(2, "power/runtime_status", "active\n");
	ck_assert_int_eq(pm_gpus_read(root, gpu), 2);
	ck_assert_str_eq(gpu[0].uuid, UUID);
	ck_assert_int_eq(gpu[1].memory_bytes, 68702699520);
}
END_TEST

/* Texts that no driver writes are unknown, and there are no more GPUs than fit. */
START_TEST(hostile)
{
	char address[32], long_text[256];

	memset(long_text, 'x', sizeof long_text - 1);
	long_text[sizeof long_text - 1] = '\0';
	put_nvidia("0000:07:00.0", "\033[31mred", "GPU-../../etc");
	put_nvidia("0000:08:00.0", long_text, long_text);
	put_nvidia("0000:09:00.8", "no function", UUID);
	put_amd(2, "0000:c9:00.0", "6a1b\n");
	put_device(2, "product_name", "\xff\xfe");
	put_device(2, "mem_info_vram_total", "-5\n");
	put_device(2, "hwmon/hwmon4/power1_cap", "99999999999999999999\n");
	put_card(5, "../../../etc", "0000:ca:00.0");
	root_put("sys/module/version", "1\n");
	ck_assert_str_eq(told(),
			 "{\"address\":\"0000:07:00.0\",\"driver\":\"nvidia\"}\n"
			 "{\"address\":\"0000:08:00.0\",\"driver\":\"nvidia\"}\n"
			 "{\"address\":\"0000:c9:00.0\",\"driver\":\"amdgpu\",\"name\":\"AMD 1002:740f\",\"uuid\":\"6a1b\"}\n"
			 "{\"address\":\"0000:ca:00.0\",\"driver\":\"../../../etc\"}\n");
	for (int i = 0; i < 80; i++) {
		snprintf(address, sizeof address, "0001:%02x:00.0", i);
		put_nvidia(address, "A", UUID);
	}
	ck_assert_int_eq(pm_gpus_read(root, gpu), PM_GPU_MAX);
}
END_TEST

START_TEST(none)
{
	ck_assert_int_eq(pm_gpus_read(root, gpu), 0);
}
END_TEST

static Suite *suite(void)
{
	Suite *s = suite_create("gpus");
	TCase *t = tcase_create("gpus");

	tcase_add_checked_fixture(t, root_make, root_remove);
	tcase_add_test(t, nvidia);
	tcase_add_test(t, versions);
	tcase_add_test(t, others);
	tcase_add_test(t, partitions);
	tcase_add_test(t, suspended);
	tcase_add_test(t, hostile);
	tcase_add_test(t, none);
	suite_add_tcase(s, t);
	return s;
}

PM_UNIT_MAIN(suite)
