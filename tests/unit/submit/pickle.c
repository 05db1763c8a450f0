/* Pickles: what each opcode and constructor makes, and what is refused. */
#include "config.h"

#include "submit/foreign/pickle.h"
#include "submit/foreign/pickle_parts.h"
#include "tests/unit/main.h"

#include <stdio.h>
#include <string.h>

/* Append what a value is. */
static void show(const struct pm_pickle *p, const struct pm_pickle_value *v, char *to, size_t room)
{
	size_t n = strlen(to);

	switch ((enum pm_pickle_type)v->type) {
	case PM_PICKLE_NULL:
		snprintf(to + n, room - n, "None");
		return;
	case PM_PICKLE_BOOL:
		snprintf(to + n, room - n, v->u.truth ? "True" : "False");
		return;
	case PM_PICKLE_INT:
		snprintf(to + n, room - n, "%lld", (long long)v->u.number);
		return;
	case PM_PICKLE_FLOAT:
		snprintf(to + n, room - n, "%.1f", v->u.real);
		return;
	case PM_PICKLE_TEXT:
	case PM_PICKLE_BYTES:
		snprintf(to + n, room - n, "%s'%.*s'", v->type == PM_PICKLE_BYTES ? "b" : "",
			 (int)v->u.text.n, v->u.text.p);
		return;
	case PM_PICKLE_LIST:
	case PM_PICKLE_DICT:
		snprintf(to + n, room - n, v->type == PM_PICKLE_LIST ? "[" : "{");
		for (uint32_t k = v->first; k != PM_PICKLE_NONE; k = p->item[k].next) {
			if (v->type == PM_PICKLE_DICT) {
				show(p, &p->value[p->item[k].key], to, room);
				strcat(to, ":");
			}
			show(p, &p->value[p->item[k].value], to, room);
			strcat(to, " ");
		}
		strcat(to, v->type == PM_PICKLE_LIST ? "]" : "}");
		return;
	case PM_PICKLE_DELTA:
		snprintf(to + n, room - n, "delta %lld", (long long)v->u.number);
		return;
	case PM_PICKLE_TIME:
	case PM_PICKLE_ZONE:
		if (v->type == PM_PICKLE_TIME)
			n += (size_t)snprintf(to + n, room - n, "time %lld ",
					      (long long)v->u.number);
		if (v->status == PM_PICKLE_OFFSET)
			snprintf(to + n, room - n, "zone %lld", (long long)v->offset_us);
		else if (v->status == PM_PICKLE_NAMED)
			show(p, &p->value[v->first], to, room);
		else
			snprintf(to + n, room - n, "naive");
		return;
	case PM_PICKLE_NAME:
		snprintf(to + n, room - n, "name");
		return;
	}
}

#define P(text)         text, sizeof text - 1
#define DATETIME        "cdatetime\ndatetime\n("
#define TIME(bytes)     DATETIME "C\012" bytes "tR."
#define OK              "\007\347\013\016\026\015\024\000\000\001" /* 2023-11-14 22:13:20.000001 */
#define DELTA(d, s, us) "cdatetime\ntimedelta\n(I" d "\nI" s "\nI" us "\ntR"
#define ZONE(d, s, us)  "cdatetime\ntimezone\n(" DELTA(d, s, us) "tR"

/* What each opcode makes; NULL: an error. */
START_TEST(pickles)
{
	static const struct {
		const char *text;
		size_t n;
		const char *want;
	} c[] = {
		{ P("N."), "None" },
		{ P("\210."), "True" },
		{ P("\211."), "False" },
		{ P("I01\n."), "True" },
		{ P("I00\n."), "False" },
		{ P("I02\n."), "2" },
		{ P("I-5\n."), "-5" },
		{ P("I\n."), NULL },
		{ P("I5x\n."), NULL },
		{ P("I5"), NULL },
		{ P("L5L\n."), "5" },
		{ P("L9223372036854775807L\n."), "9223372036854775807" },
		{ P("L9223372036854775808L\n."), "9223372036854775808.0" },
		{ P("F1.5\n."), "1.5" },
		{ P("F1.5L\n."), NULL },
		{ P("K\377."), "255" },
		{ P("M\001\002."), "513" },
		{ P("J\001\002\000\000."), "513" },
		{ P("J\377\377\377\377."), "-1" },
		{ P("J\377\377\377"), NULL },
		{ P("G\277\370\000\000\000\000\000\000."), "-1.5" },
		{ P("\212\000."), "0" },
		{ P("\212\001\377."), "-1" },
		{ P("\212\002\377\000."), "255" },
		{ P("\212\010\000\000\000\000\000\000\000\200."), "-9223372036854775808" },
		{ P("\212\011\000\000\000\000\000\000\000\000\001."), "inf" },
		{ P("\212\011\000\000\000\000\000\000\000\000\377."), "-inf" },
		{ P("\213\001\000\000\000\005."), "5" },
		{ P("S'a'\n."), "'a'" },
		{ P("S\"a\"\n."), "'a'" },
		{ P("S'a\n."), NULL },
		{ P("Vab\n."), "'ab'" },
		{ P("U\001a."), "'a'" },
		{ P("T\001\000\000\000a."), "'a'" },
		{ P("X\001\000\000\000a."), "'a'" },
		{ P("X\003\000\000\000a."), NULL },
		{ P("\214\001a."), "'a'" },
		{ P("\215\001\000\000\000\000\000\000\000a."), "'a'" },
		{ P("C\001a."), "b'a'" },
		{ P("B\001\000\000\000a."), "b'a'" },
		{ P("\216\001\000\000\000\000\000\000\000a."), "b'a'" },
		{ P("]."), "[]" },
		{ P(")."), "[]" },
		{ P("}."), "{}" },
		{ P("(K\001K\002l."), "[1 2 ]" },
		{ P("(K\001K\002t."), "[1 2 ]" },
		{ P("(K\001K\002d."), "{1:2 }" },
		{ P("(K\001d."), NULL },
		{ P("K\001\205."), "[1 ]" },
		{ P("K\001K\002\206."), "[1 2 ]" },
		{ P("K\001K\002K\003\207."), "[1 2 3 ]" },
		{ P("K\001\206."), NULL },
		{ P("](K\001K\002e."), "[1 2 ]" },
		{ P("}(K\001K\002K\003K\004u."), "{1:2 3:4 }" },
		{ P("]K\001a."), "[1 ]" },
		{ P("}K\001K\002s."), "{1:2 }" },
		{ P("}K\001a."), NULL },
		{ P("]K\001K\002s."), NULL },
		{ P("K\001"
		    "2\206."),
		  "[1 1 ]" },
		{ P("K\001K\002"
		    "0."),
		  "1" },
		{ P("K\001(K\002K\003"
		    "1."),
		  "1" },
		{ P("K\001p7\ng7\n\206."), "[1 1 ]" },
		{ P("K\001q\007h\007\206."), "[1 1 ]" },
		{ P("K\001r\007\000\000\000j\007\000\000\000\206."), "[1 1 ]" },
		{ P("K\005\224K\001\224h\001h\000\207."), NULL },
		{ P("K\005\224K\001\224h\000\207."), "[5 1 5 ]" },
		{ P("h\000."), NULL },
		{ P("K\001q\000h\001."), NULL },
		{ P("\200\005K\001."), "1" },
		{ P("\200\006K\001."), NULL },
		{ P("\225\000\000\000\000\000\000\000\000K\001."), "1" },
		{ P(""), NULL },
		{ P("."), NULL },
		{ P("K\001"), NULL },
		{ P("K\001K\002."), NULL },
		{ P("K\001(."), NULL },
		{ P("\001."), NULL },
		/* numbers as texts */
		{ P("F\n."), NULL },
		{ P("LL\n."), NULL },
		{ P("I99999999999999999999\n."), "100000000000000000000.0" },
		{ P("I000000000000000000000000000000000000000000000000000000000000005\n."), "5" },
		{ P("I0000000000000000000000000000000000000000000000000000000000000005\n."), NULL },
		/* texts with escapes */
		{ P("S'\\x41\\n\\t\\\\\\'\\\"\\a'\n."), "'A\n\t\\'\"\a'" },
		{ P("S'\\x4A\\x4f'\n."), "'JO'" },
		{ P("S'\\x4'\n."), NULL },
		{ P("S'\\xg1'\n."), NULL },
		{ P("S'\\q'\n."), NULL },
		{ P("S'a\\'\n."), NULL },
		{ P("S'\n."), NULL },
		{ P("S''\n."), "''" },
		{ P("Sa'\n."), NULL },
		{ P("V\\u0041\\u00e9\\u20ac\\U0001f600\n."),
		  "'A\303\251\342\202\254\360\237\230\200'" },
		{ P("V\\u007f\\u0080\\u07ff\\u0800\\uffff\\U00010000\\U0010ffff\n."),
		  "'\177\302\200\337\277\340\240\200\357\277\277\360\220\200\200\364\217\277\277'" },
		{ P("V\351\\q\\\n."), "'\303\251\\q\\'" },
		{ P("V\\u20a\n."), NULL },
		{ P("V\\U00110000\n."), NULL },
		/* what is not there */
		{ P("l."), NULL },
		{ P("1."), NULL },
		{ P("0."), NULL },
		{ P("2."), NULL },
		{ P("p0\n."), NULL },
		{ P("g0\n."), NULL },
		{ P("K\001p0\ngx\n."), NULL },
		{ P("K\001p-1\n."), NULL },
		{ P("K\001p1.0\n."), NULL },
		{ P("K\001p4000000000\n."), NULL },
		{ P("K\001("
		    "0."),
		  "1" },
		{ P("K\001(2."), NULL },
		{ P("K\001K\002(\205."), NULL },
		{ P("(e."), NULL },
		{ P("K\001(K\002e."), NULL },
		{ P("}(K\001u."), NULL },
		{ P("}(u."), "{}" },
		{ P("](e."), "[]" },
		{ P("](K\001a."), NULL },
		{ P("](](K\001ee."), "[[1 ] ]" },
		{ P("K\001K\002\223."), NULL },
		{ P("X\003\000\000\000dayX\010\000\000\000datetime\223."), NULL },
		{ P("X\010\000\000\000datetimeX\010\000\000\000datetime\223."), "name" },
		{ P("\223."), NULL },
		{ P("N)R."), NULL },
		{ P("cpytz\n_UTC\nNR."), NULL },
		{ P("R."), NULL },
		{ P("cpytz\n_UTC"), NULL },
		{ P("G\277\370\000\000\000\000\000"), NULL },
		{ P("\200"), NULL },
		{ P("\225\000\000\000\000\000\000\000"), NULL },
		{ P("\212\005abc."), NULL },
		{ P("\213\377\377\377\377a."), NULL },
		{ P("\215\001\000\000\000\000\000\000\001a."), NULL },
		/* constructors */
		{ P(DELTA("1", "2", "3") "."), "delta 86402000003" },
		{ P(DELTA("-1000000", "0", "0") "."), "delta -86400000000000000" },
		{ P(DELTA("1000001", "0", "0") "."), NULL },
		{ P(DELTA("-1000001", "0", "0") "."), NULL },
		{ P("cdatetime\ntimedelta\n(I1\nI1\nI1\nI1\ntR."), NULL },
		{ P(ZONE("-1", "68400", "0") "."), "zone -18000000000" },
		{ P(ZONE("0", "86399", "999999") "."), "zone 86399999999" },
		{ P(ZONE("1", "0", "0") "."), NULL },
		{ P(ZONE("-1", "0", "0") "."), NULL },
		{ P("cdatetime\ntimezone\n(I5\ntR."), NULL },
		{ P(TIME(OK)), "time 1700000000000001 naive" },
		{ P(DATETIME "C\012" OK ZONE("0", "3600", "0") "tR."),
		  "time 1700000000000001 zone 3600000000" },
		{ P(DATETIME "C\012" OK "K\001tR."), NULL },
		{ P(DATETIME "C\011"
			     "\007\347\013\016\026\015\023\000\000"
			     "tR."),
		  NULL },
		{ P(TIME("\000\001\001\001\000\000\000\000\000\000")),
		  "time -62135596800000000 naive" },
		{ P(TIME("\000\000\001\001\000\000\000\000\000\000")), NULL },
		{ P(TIME("\047\017\014\037\027\073\073\017\102\077")),
		  "time 253402300799999999 naive" },
		{ P(TIME("\047\020\014\037\027\073\073\017\102\077")), NULL },
		{ P(TIME("\007\347\000\016\026\015\024\000\000\001")), NULL },
		{ P(TIME("\007\347\015\016\026\015\024\000\000\001")), NULL },
		{ P(TIME("\007\347\213\016\026\015\024\000\000\001")),
		  "time 1700000000000001 naive" },
		{ P(TIME("\007\347\013\000\026\015\024\000\000\001")), NULL },
		{ P(TIME("\007\347\013\040\026\015\024\000\000\001")), NULL },
		{ P(TIME("\007\347\013\016\030\015\024\000\000\001")), NULL },
		{ P(TIME("\007\347\013\016\026\074\023\000\000\001")), NULL },
		{ P(TIME("\007\347\013\016\026\015\074\000\000\001")), NULL },
		{ P(TIME("\007\347\013\016\026\015\023\017\102\100")), NULL },
		{ P("c_codecs\nencode\n(X\003\000\000\000a\303\277X\006\000\000\000latin1tR."),
		  "b'a\377'" },
		{ P("c_codecs\nencode\n(X\003\000\000\000a\304\200X\006\000\000\000latin1tR."),
		  NULL },
		{ P("c_codecs\nencode\n(X\001\000\000\000aX\006\000\000\000latin2tR."), NULL },
		{ P("cpytz\n_p\n(S'Asia/Tokyo'\ntR."), "'Asia/Tokyo'" },
		{ P("cpytz\n_p\n(S'X'\nI-18000\nI0\nS'EST'\ntR."), "zone -18000000000" },
		{ P("cpytz\n_p\n(S'X'\nI86399\nI0\nS'EST'\ntR."), "zone 86399000000" },
		{ P("cpytz\n_p\n(S'X'\nI86400\nI0\nS'EST'\ntR."), NULL },
		{ P("cpytz\n_p\n(S'X'\nI-86400\nI0\nS'EST'\ntR."), NULL },
		{ P("cpytz\n_UTC\n(tR."), "zone 0" },
		{ P("cpytz\n_UTC\n(I1\ntR."), NULL },
		{ P("\214\010zoneinfo\214\022ZoneInfo._unpickle\223(S'Asia/Tokyo'\nI1\ntR."),
		  "'Asia/Tokyo'" },
		{ P(TIME("\007\262\001\001\000\000\000\000\000\000")), "time 0 naive" },
		{ P(TIME("\007\261\014\037\027\073\073\017\102\077")), "time -1 naive" },
		{ P(TIME("\007\320\002\035\000\000\000\000\000\000")),
		  "time 951782400000000 naive" },
		{ P(TIME("\007\154\003\001\000\000\000\000\000\000")),
		  "time -2203891200000000 naive" },
		{ P(TIME("\007\350\014\037\027\073\073\017\102\077")),
		  "time 1735689599999999 naive" },
		{ P(DATETIME "S'abcdefghi'\ntR."), NULL },
		{ P(DATETIME "C\012" OK ZONE("0", "3600", "0") "NtR."), NULL },
		{ P(DATETIME "tR."), NULL },
		{ P(DATETIME "I5\ntR."), NULL },
		{ P("cdatetime\ntimedelta\n(tR."), "delta 0" },
		{ P("cdatetime\ntimedelta\n(I1\ntR."), "delta 86400000000" },
		{ P("cdatetime\ntimedelta\n(F1.0\ntR."), NULL },
		{ P("cdatetime\ntimezone\n(" DELTA("0", "60", "0") "S'X'\ntR."), "zone 60000000" },
		{ P("cdatetime\ntimezone\n(" DELTA("0", "60", "0") "S'X'\nS'Y'\ntR."), NULL },
		{ P("cdatetime\ntimezone\n(tR."), NULL },
		{ P("c_codecs\nencode\n(S'a'\ntR."), NULL },
		{ P("c_codecs\nencode\n(S'a'\nS'latin1'\nNtR."), NULL },
		{ P("c_codecs\nencode\n(X\001\000\000\000\303S'latin1'\ntR."), NULL },
		{ P("cpytz\n_p\n(I5\ntR."), NULL },
		{ P("cpytz\n_p\n(tR."), NULL },
		{ P("cpytz\n_p\n(S'X'\nF1.0\nI0\nS'EST'\ntR."), NULL },
		{ P("cpytz\n_p\n(S'X'\nI1\nI2\nI3\nI4\ntR."), NULL },
		{ P("\214\010zoneinfo\214\022ZoneInfo._unpickle\223(I1\ntR."), NULL },
		{ P("cos\nsystem\n(S'id'\ntR."), NULL },
	};

	for (size_t i = 0; i < sizeof c / sizeof c[0]; i++) {
		char got[128] = "";
		struct pm_pickle p;
		struct pm_err e;
		int rc = pm_pickle_read(&p, c[i].text, c[i].n, &e);

		if (rc == 0)
			show(&p, &p.value[p.root], got, sizeof got);
		ck_assert_msg(c[i].want ? rc == 0 && strcmp(got, c[i].want) == 0 : rc == -1,
			      "pickle %zu: %s", i, rc ? e.text : got);
		pm_pickle_free(&p);
	}
}
END_TEST

/* Nothing else is a constructor, however near its name is. */
START_TEST(constructors)
{
	static const struct {
		const char *module, *name;
		int rc;
	} c[] = {
		{ "datetime", "datetime", 0 },
		{ "datetime", "timedelta", 0 },
		{ "datetime", "timezone", 0 },
		{ "_codecs", "encode", 0 },
		{ "pytz", "_p", 0 },
		{ "pytz", "_UTC", 0 },
		{ "zoneinfo", "ZoneInfo._unpickle", 0 },
		{ "datetimf", "datetime", -1 },
		{ "datetime", "datetimf", -1 },
		{ "datetim", "datetime", -1 },
		{ "datetime", "datetim", -1 },
		{ "datetimes", "datetime", -1 },
		{ "datetime", "datetimes", -1 },
		{ "evil", "_p", -1 },
		{ "shlib", "encode", -1 },
		{ "posix", "system", -1 },
		{ "", "", -1 },
	};

	for (size_t i = 0; i < sizeof c / sizeof c[0]; i++) {
		struct pm_pickle_value v;

		ck_assert_msg(pm_pickle_name(&v, c[i].module, strlen(c[i].module), c[i].name,
					     strlen(c[i].name)) == c[i].rc,
			      "%s.%s", c[i].module, c[i].name);
	}
}
END_TEST

/* Of a key that comes twice the last value counts, as in Python. */
START_TEST(values_of_a_dict)
{
	static const char text[] = "}(X\001\000\000\000aK\001X\002\000\000\000abK\002K\005K\004"
				   "X\001\000\000\000aK\003u.";
	const struct pm_pickle_value *dict, *a;
	struct pm_pickle p;
	struct pm_err e;

	ck_assert_int_eq(pm_pickle_read(&p, text, sizeof text - 1, &e), 0);
	dict = &p.value[p.root];
	a = pm_pickle_get(&p, dict, "a");
	ck_assert_ptr_nonnull(a);
	ck_assert_int_eq(a->u.number, 3);
	ck_assert_int_eq(pm_pickle_get(&p, dict, "ab")->u.number, 2);
	ck_assert_ptr_null(pm_pickle_get(&p, dict, "b"));
	ck_assert_ptr_null(pm_pickle_get(&p, dict, ""));
	ck_assert_ptr_null(pm_pickle_get(&p, a, "a"));
	ck_assert_ptr_null(pm_pickle_get(&p, NULL, "a"));
	pm_pickle_free(&p);
}
END_TEST

static Suite *suite(void)
{
	Suite *s = suite_create("pickles");
	TCase *t = tcase_create("pickles");

	tcase_add_test(t, pickles);
	tcase_add_test(t, constructors);
	tcase_add_test(t, values_of_a_dict);
	suite_add_tcase(s, t);
	return s;
}

PM_UNIT_MAIN(suite)
