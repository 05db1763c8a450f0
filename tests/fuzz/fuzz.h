/*
 * A fuzz target is one file: tests/fuzz/NAME.c defines LLVMFuzzerTestOneInput and checks with
 * FUZZ_SURE what must hold for every input. `make check` runs it through driver.c over its corpus,
 * tests/fuzz/corpus/NAME/, and over a bounded number of mutations; `make fuzz` under libFuzzer.
 */
#ifndef PM_TESTS_FUZZ_H
#define PM_TESTS_FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/* Check one input of n bytes. Returns 0. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

#define FUZZ_SURE(condition)                                                                       \
	do {                                                                                       \
		if (!(condition)) {                                                                \
			fprintf(stderr, "%s:%d: not true: %s\n", __FILE__, __LINE__, #condition);  \
			abort();                                                                   \
		}                                                                                  \
	} while (0)

#endif
