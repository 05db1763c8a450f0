/* What is known of a GPU of a host: to JSON and back. */
#include "config.h"

#include "common/job/gpu.h"

#include <string.h>

static void init_text(char *text)
{
	text[0] = '\0';
}

static void init_int(int64_t *number)
{
	*number = -1;
}

static void put_text(json_t *o, const char *name, const char *text)
{
	if (*text)
		json_object_set_new(o, name, json_string(text));
}

static void put_int(json_t *o, const char *name, int64_t number)
{
	if (number >= 0)
		json_object_set_new(o, name, json_integer(number));
}

static void take_text(char *to, const json_t *value)
{
	const char *text = json_string_value(value);

	if (text && json_string_length(value) == strlen(text) && strlen(text) < PM_GPU_TEXT)
		memcpy(to, text, strlen(text) + 1);
}

static void take_int(int64_t *to, const json_t *value)
{
	if (json_is_integer(value) && json_integer_value(value) >= 0)
		*to = json_integer_value(value);
}

#define INIT_TEXT(name) init_text(g->name);
#define INIT_INT(name)  init_int(&g->name);
#define PUT_TEXT(name)  put_text(o, #name, g->name);
#define PUT_INT(name)   put_int(o, #name, g->name);
#define TAKE_TEXT(name) take_text(g->name, json_object_get(object, #name));
#define TAKE_INT(name)  take_int(&g->name, json_object_get(object, #name));

void pm_gpu_init(struct pm_gpu *g){
#define PM_GPU(name, type, help) INIT_##type(name)
#include "common/job/gpu.def"
#undef PM_GPU
}

json_t *pm_gpu_json(const struct pm_gpu *g)
{
	json_t *o = json_object();

#define PM_GPU(name, type, help) PUT_##type(name)
#include "common/job/gpu.def"
#undef PM_GPU
	return o;
}

void pm_gpu_take(struct pm_gpu *g, const json_t *object)
{
	pm_gpu_init(g);
#define PM_GPU(name, type, help) TAKE_##type(name)
#include "common/job/gpu.def"
#undef PM_GPU
}
