/* Thrift's compact protocol as the reader of tests has it: any struct becomes a tree. */
#include "config.h"

#include "tests/unit/export/thriftread.h"

#include "tests/unit/main.h"

struct kept {
	struct kept *next;
	max_align_t memory[];
};

void *reader_memory(struct reader *r, size_t n)
{
	struct kept *k = calloc(1, sizeof *k + n);

	ck_assert_ptr_nonnull(k);
	k->next = r->kept;
	r->kept = k;
	return k->memory;
}

void reader_forget(struct reader *r)
{
	for (struct kept *k = r->kept, *next; k; k = next) {
		next = k->next;
		free(k);
	}
	r->kept = NULL;
}

uint64_t reader_varint(const unsigned char **p, const unsigned char *end)
{
	uint64_t v = 0;

	for (unsigned shift = 0; shift < 64; shift += 7) {
		PM_SURE(*p < end);
		v |= (uint64_t)(**p & 0x7f) << shift;
		if (*(*p)++ < 0x80)
			return v;
	}
	ck_abort_msg("a number of more than ten bytes");
}

int64_t reader_zigzag(const unsigned char **p, const unsigned char *end)
{
	uint64_t v = reader_varint(p, end);

	return (int64_t)(v >> 1) ^ -(int64_t)(v & 1);
}

static void read_value(struct reader *r, struct reader_node *node, int type,
		       const unsigned char **p, const unsigned char *end);

static struct reader_node *add_child(struct reader *r, struct reader_node *node)
{
	struct reader_node *child = reader_memory(r, sizeof *child);

	*(node->child ? &node->last->next : &node->child) = child;
	node->last = child;
	node->children++;
	return child;
}

static void read_list(struct reader *r, struct reader_node *node, const unsigned char **p,
		      const unsigned char *end)
{
	uint64_t n;
	int type;

	PM_SURE(*p < end);
	n = **p >> 4;
	type = *(*p)++ & 15;
	if (n == 15)
		n = reader_varint(p, end);
	while (n-- > 0)
		read_value(r, add_child(r, node), type, p, end);
}

void reader_struct(struct reader *r, struct reader_node *node, const unsigned char **p,
		   const unsigned char *end)
{
	int id = 0, byte;

	for (;;) {
		struct reader_node *field;

		PM_SURE(*p < end);
		byte = *(*p)++;
		if (byte == 0)
			return;
		id = byte >> 4 ? id + (byte >> 4) : (int)reader_zigzag(p, end);
		field = add_child(r, node);
		field->id = id;
		read_value(r, field, byte & 15, p, end);
	}
}

static void read_value(struct reader *r, struct reader_node *node, int type,
		       const unsigned char **p, const unsigned char *end)
{
	switch (type) {
	case 1:
	case 2:
		node->number = type == 1;
		break;
	case 5:
	case 6:
		node->number = reader_zigzag(p, end);
		PM_SURE(type == 6 || (node->number <= INT32_MAX && node->number >= INT32_MIN));
		break;
	case 8:
		node->n = reader_varint(p, end);
		PM_SURE(node->n <= (size_t)(end - *p));
		node->p = *p;
		*p += node->n;
		break;
	case 9:
		read_list(r, node, p, end);
		break;
	case 12:
		reader_struct(r, node, p, end);
		break;
	default:
		ck_abort_msg("a field of type %d", type);
	}
}

struct reader_node *reader_field(const struct reader_node *node, int id)
{
	for (struct reader_node *f = node->child; f; f = f->next)
		if (f->id == id)
			return f;
	return NULL;
}

int64_t reader_number(const struct reader_node *node, int id)
{
	struct reader_node *field = reader_field(node, id);

	ck_assert_msg(field != NULL, "field %d is missing", id);
	return field->number;
}
