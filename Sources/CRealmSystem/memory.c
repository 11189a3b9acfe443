#define _GNU_SOURCE
#include <sys/mman.h>

#include "CRealmSystem.h"

#ifndef MREMAP_DONTUNMAP
#define MREMAP_DONTUNMAP 4
#endif

int realm_memory_move(void *from, size_t count, void *to) {
    int how = MREMAP_MAYMOVE | MREMAP_FIXED | MREMAP_DONTUNMAP;
    return mremap(from, count, count, how, to) == to ? 0 : -1;
}
