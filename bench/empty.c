/* A preload that does nothing: what loading a library costs. Built as the collector is. */
#include "config.h"

__attribute__((constructor)) static void init(void)
{
}
