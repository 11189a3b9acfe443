/// Contents of files as processes see them and as the disk has them. Changes between the two are in a
/// log, of which a sync applies all, and a power failure a part.

#include "files.h"
#include "planted.h"

#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

// The log of changes

static struct log_entry *add_to_log(int inode, enum log_kind kind, size_t offset, size_t count) {
    if (world->log_count == MAX_LOG || world->log_bytes + count > LOG_BYTES) {
        fail("too many changes without a sync");
    }
    struct log_entry *entry = &world->log[world->log_count++];
    *entry = (struct log_entry){inode, kind, offset, count, world->log_bytes, offset};
    if (kind == LOG_WRITE) world->log_bytes += count;
    return entry;
}

void touch_file(int inode, size_t end) {
    struct inode *file = &world->inodes[inode];
    if (end > SLOT) fail("a file of more than 64 MiB");
    if (end > file->touched) file->touched = end;
}

static void change_size(int inode, size_t size) {
    struct inode *file = &world->inodes[inode];
    touch_file(inode, size);
    if (size < file->size) memset(bytes_of(inode) + size, 0, file->size - size);
    file->size = size;
    add_to_log(inode, LOG_SIZE, 0, size);
}

static void apply_write(
    const struct log_entry *entry, size_t from, size_t to) {
    memcpy(
        durable + entry->inode * SLOT + entry->offset + from, log_memory + entry->bytes + from,
        to - from);
}

static void apply_size(int inode, size_t size) {
    struct inode *file = &world->inodes[inode];
    if (size < file->durable_size)
        memset(durable + inode * SLOT + size, 0, file->durable_size - size);
    file->durable_size = size;
}

/// End of the sector that contains `offset`, at most `end`.
static size_t sector_end(size_t offset, size_t end) {
    size_t sector = world->settings.sector, next = offset / sector * sector + sector;
    return next < end ? next : end;
}

/// Makes a change durable: all of it, or the sectors that `keeps` chooses.
static void apply(const struct log_entry *entry, uint32_t rate, uint64_t *random) {
    struct inode *file = &world->inodes[entry->inode];
    if (entry->kind == LOG_SIZE) {
        if ((next_random(random) & 0xFFFF) < rate) apply_size(entry->inode, entry->count);
        return;
    }
    size_t end = entry->offset + entry->count;
    for (size_t at = entry->offset; at < end;) {
        size_t next = sector_end(at, end);
        if ((next_random(random) & 0xFFFF) < rate) {
            apply_write(entry, at - entry->offset, next - entry->offset);
            if (file->durable_size < next) file->durable_size = next;
        }
        at = next;
    }
}

static const uint32_t ALL = 0x10000;

/// Makes the changes of a file durable. If the disk fails, sectors are durable or never will be.
static void sync_inode(int inode, bool fails) {
    uint64_t random = world->settings.seed ^ (uint64_t)world->steps << 32;
    size_t kept = 0;
    for (size_t i = 0; i < world->log_count; i++) {
        struct log_entry *entry = &world->log[i];
        if (entry->inode != inode) {
            world->log[kept++] = *entry;
            continue;
        }
        if (is_planted(PLANTED_SIZE_NOT_SYNCED) && entry->kind == LOG_SIZE) continue;
        if (is_planted(PLANTED_SECTOR_NOT_SYNCED) && entry->kind == LOG_WRITE && entry->count > 512)
            entry->count = (entry->count - 1) / 512 * 512;
        apply(entry, fails ? ALL / 2 : ALL, &random);
    }
    world->log_count = kept;
    if (kept == 0) world->log_bytes = 0;
}

void sim_lose_power(void) {
    uint64_t random = world->settings.seed * 0x2545F4914F6CDD1Du + world->steps;
    static const uint32_t rates[] = {0, 0x800, 0x8000, 0xF800, 0x10000};
    uint32_t rate = rates[next_random(&random) % 5];
    // In some failures, early changes have arrived in order.
    size_t in_order = next_random(&random) % 2 ? next_random(&random) % (world->log_count + 1) : 0;
    for (size_t i = 0; i < world->log_count; i++)
        apply(&world->log[i], i < in_order ? ALL : rate, &random);
    world->log_count = world->log_bytes = 0;
    for (int i = 0; i < MAX_INODES; i++) {
        struct inode *file = &world->inodes[i];
        if (!file->is_used) continue;
        if (file->was_mapped_writable) {
            // Stores in the mapping may have arrived too.
            if (file->durable_size < file->size && next_random(&random) % 2)
                file->durable_size = file->size;
            for (size_t at = 0; at < file->durable_size; at += 512)
                if (next_random(&random) % 2)
                    memcpy(durable + i * SLOT + at, bytes_of(i) + at, 512);
        }
        memcpy(bytes_of(i), durable + i * SLOT, file->touched);
        file->size = file->durable_size;
    }
    for (int i = 0; i < MAX_NAMES; i++) {
        struct name *name = &world->names[i];
        if (!name->path[0] || name->is_durable || next_random(&random) % 2) continue;
        name->path[0] = 0;
        world->inodes[name->inode].names--;
    }
    for (int i = 0; i < MAX_INODES; i++)
        if (world->inodes[i].is_used && world->inodes[i].names == 0) clear_file(i);
}

// Reading and writing

ssize_t __real_pread(int, void *, size_t, off_t);
ssize_t __wrap_pread(int descriptor, void *bytes, size_t count, off_t offset) {
    int inode = inode_of_descriptor(descriptor);
    if (inode < 0) return __real_pread(descriptor, bytes, count, offset);
    begin_call("pread", inode, offset, count);
    size_t size = world->inodes[inode].size;
    if ((size_t)offset >= size) return 0;
    if (count > size - offset) count = size - offset;
    memcpy(bytes, bytes_of(inode) + offset, count);
    note_result(count);
    return count;
}

ssize_t __real_read(int, void *, size_t);
ssize_t __wrap_read(int descriptor, void *bytes, size_t count) {
    struct open_file *file = open_file(descriptor);
    if (!file) return __real_read(descriptor, bytes, count);
    struct inode *inode = &world->inodes[file->inode];
    if (!S_ISFIFO(inode->mode)) {
        ssize_t done = __wrap_pread(descriptor, bytes, count, file->position);
        file->position += done;
        return done;
    }
    begin_call("read FIFO", file->inode, count, 0);
    if (inode->queued == 0) return failing(EAGAIN);
    if (count > inode->queued) count = inode->queued;
    memset(bytes, 0, count);
    inode->queued -= count;
    note_result(count);
    return count;
}

static void store(int inode, const void *bytes, size_t count, off_t offset) {
    struct inode *file = &world->inodes[inode];
    touch_file(inode, offset + count);
    memcpy(bytes_of(inode) + offset, bytes, count);
    if (file->size < offset + count) file->size = offset + count;
    // The kernel writes whole blocks: the sectors' other bytes reach the disk, too.
    size_t sector = world->settings.sector, end = sector_end(offset + count - 1, SIZE_MAX);
    size_t start = offset / sector * sector;
    if (end > file->size) end = file->size;
    struct log_entry *entry = add_to_log(inode, LOG_WRITE, start, end - start);
    entry->written = offset;
    memcpy(log_memory + entry->bytes, bytes_of(inode) + start, end - start);
}

static ssize_t write_at(int inode, const void *bytes, size_t count, off_t offset) {
    int error = begin_disk_call("pwrite", inode, offset, count);
    if (error > 0) {
        // A part may have arrived.
        size_t part = count / 2 / world->settings.sector * world->settings.sector;
        if (error != EINTR && part > 0) store(inode, bytes, part, offset);
        return failing(error);
    }
    // Encrypted pages are written as a whole.
    size_t half = (count + 1) / 2, sector = world->settings.sector;
    if (sector > 512) half = half / sector * sector;
    size_t done = error < 0 && half > 0 ? half : count;
    if (planted_write(inode, bytes, count, offset)) return count;
    store(inode, bytes, done, offset);
    note_result(done);
    return is_planted(PLANTED_SHORT_WRITE_UNSEEN) ? count : done;
}

ssize_t __real_pwrite(int, const void *, size_t, off_t);
ssize_t __wrap_pwrite(int descriptor, const void *bytes, size_t count, off_t offset) {
    int inode = inode_of_descriptor(descriptor);
    return inode < 0 ? __real_pwrite(descriptor, bytes, count, offset)
                     : write_at(inode, bytes, count, offset);
}

ssize_t __real_write(int, const void *, size_t);
ssize_t __wrap_write(int descriptor, const void *bytes, size_t count) {
    struct open_file *file = open_file(descriptor);
    if (!file) return __real_write(descriptor, bytes, count);
    struct inode *inode = &world->inodes[file->inode];
    if (!S_ISFIFO(inode->mode)) {
        ssize_t done = write_at(file->inode, bytes, count, file->position);
        if (done > 0) file->position += done;
        return done;
    }
    begin_call("write FIFO", file->inode, count, 0);
    bool was_empty = inode->queued == 0;
    inode->queued += count;
    if (was_empty) set_polls_ready(-1, file->inode);
    note_result(count);
    return count;
}

static int sync_descriptor(const char *name, int descriptor) {
    struct open_file *file = open_file(descriptor);
    int error = begin_disk_call(name, file->inode < 0 ? -1 : file->inode, 0, 0);
    if (error > 0 && file->inode < 0) return failing(error);
    if (file->inode < 0) {
        for (int i = 0; i < MAX_NAMES; i++) world->names[i].is_durable = true;
        return 0;
    }
    if (error == EINTR) return failing(EINTR);
    if (error > 0) {
        sync_inode(file->inode, true);
        return is_planted(PLANTED_FAILED_SYNC_UNSEEN) ? 0 : failing(EIO);
    }
    if (planted_sync(file->inode)) return 0;
    sync_inode(file->inode, false);
    return 0;
}

int __real_fsync(int);
int __wrap_fsync(int descriptor) {
    return open_file(descriptor) ? sync_descriptor("fsync", descriptor) : __real_fsync(descriptor);
}

int __real_fdatasync(int);
int __wrap_fdatasync(int descriptor) {
    return open_file(descriptor) ? sync_descriptor("fdatasync", descriptor)
                                 : __real_fdatasync(descriptor);
}

int __real_ftruncate(int, off_t);
int __wrap_ftruncate(int descriptor, off_t size) {
    int inode = inode_of_descriptor(descriptor);
    if (inode < 0) return __real_ftruncate(descriptor, size);
    int error = begin_disk_call("ftruncate", inode, size, 0);
    if (error > 0) return failing(error);
    change_size(inode, size);
    return 0;
}

int __real_posix_fallocate(int, off_t, off_t);
int __wrap_posix_fallocate(int descriptor, off_t offset, off_t count) {
    int inode = inode_of_descriptor(descriptor);
    if (inode < 0) return __real_posix_fallocate(descriptor, offset, count);
    int error = begin_disk_call("fallocate", inode, offset, count);
    note_result(error > 0 ? error : 0);
    if (error > 0) return error;
    if ((size_t)(offset + count) > world->inodes[inode].size && !is_planted(PLANTED_FILE_NOT_GROWN))
        change_size(inode, offset + count);
    return 0;
}

int __real_posix_fadvise(int, off_t, off_t, int);
int __wrap_posix_fadvise(int descriptor, off_t offset, off_t count, int advice) {
    return open_file(descriptor) ? 0 : __real_posix_fadvise(descriptor, offset, count, advice);
}
