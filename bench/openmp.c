/* A program with OpenMP threads and a serial part, for bench/collector.sh. */
#include <stdio.h>

int main(void)
{
	static double v[1 << 20];
	double sum = 0;

	for (int round = 0; round < 20; round++) {
#pragma omp parallel for num_threads(4) reduction(+ : sum)
		for (int i = 0; i < 1 << 20; i++)
			sum += v[i] += round + i;
	}
	printf("%g\n", sum);
	return 0;
}
