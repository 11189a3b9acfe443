/// Mappings of simulated files: pages of the memory that has their contents. Saved files.

#include "files.h"

#include <stdio.h>
#include <sys/mman.h>

void *__real_mmap(void *, size_t, int, int, int, off_t);
void *__wrap_mmap(
    void *start, size_t count, int protection, int flags, int descriptor, off_t offset) {
    int inode = descriptor < 0 ? -1 : inode_of_descriptor(descriptor);
    if (inode < 0) return __real_mmap(start, count, protection, flags, descriptor, offset);
    begin_call("mmap", inode, offset, count);
    if (offset + count > SLOT) fail("a mapping of more than 64 MiB");
    char *placed = __real_mmap(
        start, count, protection, flags, content_descriptor, inode * SLOT + offset);
    if (placed == MAP_FAILED || !(protection & PROT_WRITE) || !(flags & MAP_SHARED)) return placed;
    world->inodes[inode].was_mapped_writable = true;
    for (int i = 0; i < MAX_MAPS; i++) {
        struct map *map = &own_process()->maps[i];
        if (map->start) continue;
        *map = (struct map){placed, inode};
        return placed;
    }
    fail("too many mappings");
    return MAP_FAILED;
}

int __real_munmap(void *, size_t);
int __wrap_munmap(void *start, size_t count) {
    if (self >= 0)
        for (int i = 0; i < MAX_MAPS; i++)
            if (own_process()->maps[i].start == start) own_process()->maps[i].start = NULL;
    return __real_munmap(start, count);
}

// Saved files

static struct {
    struct inode inodes[MAX_INODES];
    struct name names[MAX_NAMES];
    char *bytes[MAX_INODES];
    uint64_t last_inode;
} saved;

void sim_save_files(void) {
    memcpy(saved.inodes, world->inodes, sizeof saved.inodes);
    memcpy(saved.names, world->names, sizeof saved.names);
    saved.last_inode = world->last_inode;
    for (int i = 0; i < MAX_NAMES; i++) saved.names[i].is_durable = true;
    for (int i = 0; i < MAX_INODES; i++) {
        if (!saved.inodes[i].is_used) continue;
        saved.inodes[i].durable_size = saved.inodes[i].size;
        saved.bytes[i] = malloc(saved.inodes[i].touched + 1);
        memcpy(saved.bytes[i], bytes_of(i), saved.inodes[i].touched);
    }
}

void sim_restore_files(void) {
    memcpy(world->inodes, saved.inodes, sizeof saved.inodes);
    memcpy(world->names, saved.names, sizeof saved.names);
    world->last_inode = saved.last_inode;
    for (int i = 0; i < MAX_INODES; i++) {
        if (!saved.inodes[i].is_used) continue;
        memcpy(bytes_of(i), saved.bytes[i], saved.inodes[i].touched);
        memcpy(durable + i * SLOT, saved.bytes[i], saved.inodes[i].touched);
    }
}

bool sim_export(const char *path, const char *real_path) {
    const struct name *name = find_name(path);
    FILE *file = name ? fopen(real_path, "w") : NULL;
    if (!file) return false;
    fwrite(bytes_of(name->inode), 1, world->inodes[name->inode].size, file);
    return fclose(file) == 0;
}
