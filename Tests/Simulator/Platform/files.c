/// Files below /sim: names, descriptors, reading and writing, syncs, and what a power failure
/// leaves. Other paths are the real ones. A file has its content as processes see it and as the disk
/// has it; changes between the two are in a log.

#include "internal.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "planted.h"

static bool is_simulated(const char *path) { return self >= 0 && strncmp(path, "/sim", 4) == 0; }

static int failing(int error) {
    errno = error;
    note_result(-error);
    return -1;
}

static char *bytes_of(int inode) { return content + inode * SLOT; }

// Names and inodes

static struct name *find_name(const char *path) {
    for (int i = 0; i < MAX_NAMES; i++)
        if (world->names[i].path[0] && strcmp(world->names[i].path, path) == 0)
            return &world->names[i];
    return NULL;
}

static bool is_open(int inode) {
    for (int i = 0; i < MAX_OPEN_FILES; i++)
        if (world->open_files[i].kind == OPEN_FILE && world->open_files[i].inode == inode)
            return true;
    return false;
}

static void clear(int inode) {
    struct inode *file = &world->inodes[inode];
    memset(bytes_of(inode), 0, file->touched);
    memset(durable + inode * SLOT, 0, file->touched);
    size_t kept = 0;
    for (size_t i = 0; i < world->log_count; i++)
        if (world->log[i].inode != inode) world->log[kept++] = world->log[i];
    world->log_count = kept;
    if (kept == 0) world->log_bytes = 0;
    memset(file, 0, sizeof *file);
}

static void release_inode(int inode) {
    if (world->inodes[inode].names == 0 && !is_open(inode)) clear(inode);
}

void reset_files(void) {
    memset(world->names, 0, sizeof world->names);
    for (int i = 0; i < MAX_INODES; i++)
        if (world->inodes[i].is_used) clear(i);
    world->last_inode = 100;
    world->log_count = world->log_bytes = 0;
}

static int make_inode(mode_t mode) {
    for (int i = 0; i < MAX_INODES; i++) {
        if (world->inodes[i].is_used) continue;
        world->inodes[i] =
            (struct inode){.is_used = true, .mode = mode, .number = ++world->last_inode};
        return i;
    }
    fail("too many files");
    return -1;
}

static int make_file(const char *path, mode_t mode) {
    for (int i = 0; i < MAX_NAMES; i++) {
        struct name *name = &world->names[i];
        if (name->path[0]) continue;
        snprintf(name->path, sizeof name->path, "%s", path);
        name->inode = make_inode(mode);
        name->is_durable = false;
        world->inodes[name->inode].names = 1;
        return name->inode;
    }
    fail("too many names");
    return -1;
}

// Descriptors

static int new_open_file(enum open_kind kind, int inode, int flags) {
    for (int i = 0; i < MAX_OPEN_FILES; i++) {
        struct open_file *file = &world->open_files[i];
        if (file->kind != OPEN_FREE) continue;
        *file = (struct open_file){
            .kind = kind, .inode = inode, .flags = flags, .process = sim_process()};
        return i;
    }
    fail("too many open files");
    return -1;
}

static int new_descriptor(int open_file) {
    int16_t *descriptors = own_process()->descriptors;
    for (int i = 0; i < MAX_DESCRIPTORS; i++) {
        if (descriptors[i] >= 0) continue;
        descriptors[i] = open_file;
        world->open_files[open_file].references++;
        note_result(FIRST_DESCRIPTOR + i);
        return FIRST_DESCRIPTOR + i;
    }
    fail("too many descriptors");
    return -1;
}

static int index_of(int descriptor) {
    if (self < 0 || descriptor < FIRST_DESCRIPTOR) return -1;
    int i = descriptor - FIRST_DESCRIPTOR;
    return i < MAX_DESCRIPTORS ? own_process()->descriptors[i] : -1;
}

static struct open_file *open_file(int descriptor) {
    int i = index_of(descriptor);
    return i < 0 ? NULL : &world->open_files[i];
}

int inode_of_descriptor(int descriptor) {
    const struct open_file *file = open_file(descriptor);
    return file && file->kind == OPEN_FILE ? file->inode : -1;
}

static void release_open_file(int index) {
    struct open_file *file = &world->open_files[index];
    if (--file->references > 0) return;
    int inode = file->kind == OPEN_FILE ? file->inode : -1;
    if (file->kind == OPEN_POLL) world->polls[file->value].is_used = false;
    file->kind = OPEN_FREE;
    if (inode < 0) return;
    if (!is_open(inode)) world->inodes[inode].queued = 0;
    release_inode(inode);
}

void release_files(int process) {
    for (int i = 0; i < MAX_DESCRIPTORS; i++) {
        int16_t *descriptor = &world->processes[process].descriptors[i];
        if (*descriptor < 0) continue;
        release_open_file(*descriptor);
        *descriptor = -1;
    }
}

static int open_path(const char *path, int flags, mode_t mode) {
    begin_call("open", -1, flags, 0);
    struct name *name = find_name(path);
    int inode;
    if (name) {
        if (flags & O_CREAT && flags & O_EXCL) return failing(EEXIST);
        inode = name->inode;
    } else if (strcmp(path, "/sim") == 0) {
        inode = -2;
    } else {
        if (!(flags & O_CREAT)) return failing(ENOENT);
        inode = make_file(path, S_IFREG | (mode & 0777));
    }
    if (flags & O_DIRECTORY && inode >= 0 && !S_ISDIR(world->inodes[inode].mode))
        return failing(ENOTDIR);
    return new_descriptor(new_open_file(OPEN_FILE, inode, flags));
}

int wrap_open(const char *, int) __asm__("__wrap_$s5Glibc4openys5Int32VSPys4Int8VG_ADtF");
int wrap_open(const char *path, int flags) {
    if (is_simulated(path)) return open_path(path, flags, 0);
    // The state of other processes; the caller then asks whether they exist.
    if (self >= 0 && strncmp(path, "/proc", 5) == 0) return failing(ENOENT);
    return open(path, flags);
}

int wrap_open_mode(const char *, int, mode_t) __asm__(
    "__wrap_$s5Glibc4openys5Int32VSPys4Int8VG_ADs6UInt32VtF");
int wrap_open_mode(const char *path, int flags, mode_t mode) {
    return is_simulated(path) ? open_path(path, flags, mode) : open(path, flags, mode);
}

/// The path of a name in a directory that is open.
static const char *path_at(int directory, const char *name, char *path) {
    int inode = inode_of_descriptor(directory);
    if (inode < 0) return name;
    for (int i = 0; i < MAX_NAMES; i++) {
        if (!world->names[i].path[0] || world->names[i].inode != inode) continue;
        snprintf(path, PATH_MAX, "%s/%s", world->names[i].path, name);
        return path;
    }
    return name;
}

int wrap_openat(int, const char *, int) __asm__(
    "__wrap_$s5Glibc6openatys5Int32VAD_SPys4Int8VGADtF");
int wrap_openat(int directory, const char *name, int flags) {
    char room[PATH_MAX];
    const char *path = path_at(directory, name, room);
    return is_simulated(path) ? open_path(path, flags, 0) : openat(directory, name, flags);
}

int wrap_openat_mode(int, const char *, int, mode_t) __asm__(
    "__wrap_$s5Glibc6openatys5Int32VAD_SPys4Int8VGADs6UInt32VtF");
int wrap_openat_mode(int directory, const char *name, int flags, mode_t mode) {
    char room[PATH_MAX];
    const char *path = path_at(directory, name, room);
    return is_simulated(path) ? open_path(path, flags, mode)
                              : openat(directory, name, flags, mode);
}

int wrap_fcntl(int, int, int) __asm__("__wrap_$s5Glibc5fcntlys5Int32VAD_A2DtF");
int wrap_fcntl(int descriptor, int command, int argument) {
    int index = index_of(descriptor);
    if (index < 0) return fcntl(descriptor, command, argument);
    if (command != F_DUPFD_CLOEXEC) return 0;
    begin_call("dup", inode_of_descriptor(descriptor), descriptor, 0);
    return new_descriptor(index);
}

int __real_close(int);
int __wrap_close(int descriptor) {
    int index = index_of(descriptor);
    if (index < 0) return __real_close(descriptor);
    begin_call("close", inode_of_descriptor(descriptor), descriptor, 0);
    own_process()->descriptors[descriptor - FIRST_DESCRIPTOR] = -1;
    release_open_file(index);
    return 0;
}

int __real_flock(int, int);
int __wrap_flock(int descriptor, int operation) {
    struct open_file *file = open_file(descriptor);
    if (!file) return __real_flock(descriptor, operation);
    begin_call("flock", file->inode, operation, 0);
    int wanted = operation & (LOCK_SH | LOCK_EX);
    file->lock = 0;
    if (wanted == 0) return 0;
    for (int i = 0; i < MAX_OPEN_FILES; i++) {
        const struct open_file *other = &world->open_files[i];
        if (other == file || other->kind != OPEN_FILE || other->inode != file->inode) continue;
        if (other->lock == LOCK_EX || (other->lock == LOCK_SH && wanted == LOCK_EX))
            return failing(EWOULDBLOCK);
    }
    file->lock = is_planted(PLANTED_SESSION_LOCK_LOST) && wanted == LOCK_SH ? 0 : wanted;
    return 0;
}

// Status

static void fill_status(int inode, struct stat *status) {
    memset(status, 0, sizeof *status);
    status->st_dev = makedev(0, 42);
    if (inode == -2) {
        status->st_mode = S_IFDIR | 0755;
        return;
    }
    const struct inode *file = &world->inodes[inode];
    status->st_ino = file->number;
    status->st_mode = file->mode;
    status->st_size = file->size;
    status->st_nlink = file->names;
}

static int path_status(const char *path, struct stat *status) {
    begin_call("stat", -1, 0, 0);
    const struct name *name = find_name(path);
    bool is_root = strcmp(path, "/sim") == 0 || strcmp(path, "/sim/") == 0;
    if (!name && !is_root) return failing(ENOENT);
    fill_status(is_root ? -2 : name->inode, status);
    return 0;
}

int __real_stat(const char *, struct stat *);
int __wrap_stat(const char *path, struct stat *status) {
    return is_simulated(path) ? path_status(path, status) : __real_stat(path, status);
}

int __real_lstat(const char *, struct stat *);
int __wrap_lstat(const char *path, struct stat *status) {
    return is_simulated(path) ? path_status(path, status) : __real_lstat(path, status);
}

int __real_fstat(int, struct stat *);
int __wrap_fstat(int descriptor, struct stat *status) {
    if (!open_file(descriptor)) return __real_fstat(descriptor, status);
    begin_call("fstat", inode_of_descriptor(descriptor), descriptor, 0);
    fill_status(open_file(descriptor)->inode, status);
    return 0;
}

struct realm_file_status {
    uint64_t device, inode;
    int64_t size;
    uint64_t names;
    uint32_t mode;
};

int __real_realm_file_status(int, const char *, struct realm_file_status *);
int __wrap_realm_file_status(int descriptor, const char *path, struct realm_file_status *found) {
    struct stat status;
    if (*path ? !is_simulated(path) : !open_file(descriptor))
        return __real_realm_file_status(descriptor, path, found);
    if ((*path ? __wrap_stat(path, &status) : __wrap_fstat(descriptor, &status)) != 0) return -1;
    found->device = status.st_dev;
    found->inode = status.st_ino;
    found->size = status.st_size;
    found->names = status.st_nlink;
    found->mode = status.st_mode;
    return 0;
}

int __real_access(const char *, int);
int __wrap_access(const char *path, int mode) {
    struct stat status;
    return is_simulated(path) ? path_status(path, &status) : __real_access(path, mode);
}

int __real_fchmod(int, mode_t);
int __wrap_fchmod(int descriptor, mode_t mode) {
    int inode = inode_of_descriptor(descriptor);
    if (inode < 0) return __real_fchmod(descriptor, mode);
    begin_call("fchmod", inode, mode, 0);
    world->inodes[inode].mode = (world->inodes[inode].mode & S_IFMT) | (mode & 0777);
    return 0;
}

int __real_fchown(int, uid_t, gid_t);
int __wrap_fchown(int descriptor, uid_t user, gid_t group) {
    return open_file(descriptor) ? 0 : __real_fchown(descriptor, user, group);
}

// Directories

int __real_mkdir(const char *, mode_t);
int __wrap_mkdir(const char *path, mode_t mode) {
    if (!is_simulated(path)) return __real_mkdir(path, mode);
    begin_call("mkdir", -1, mode, 0);
    if (find_name(path)) return failing(EEXIST);
    make_file(path, S_IFDIR | (mode & 0777));
    return 0;
}

int __real_mkfifo(const char *, mode_t);
int __wrap_mkfifo(const char *path, mode_t mode) {
    if (!is_simulated(path)) return __real_mkfifo(path, mode);
    begin_call("mkfifo", -1, mode, 0);
    if (find_name(path)) return failing(EEXIST);
    make_file(path, S_IFIFO | (mode & 0777));
    return 0;
}

static int remove_name(const char *path, bool is_directory) {
    struct name *name = find_name(path);
    begin_call(is_directory ? "rmdir" : "unlink", name ? name->inode : -1, 0, 0);
    name = find_name(path);
    if (!name) return failing(ENOENT);
    if (S_ISDIR(world->inodes[name->inode].mode) != is_directory)
        return failing(is_directory ? ENOTDIR : EISDIR);
    name->path[0] = 0;
    world->inodes[name->inode].names--;
    release_inode(name->inode);
    return 0;
}

int __real_unlink(const char *);
int __wrap_unlink(const char *path) {
    return is_simulated(path) ? remove_name(path, false) : __real_unlink(path);
}

int __real_rmdir(const char *);
int __wrap_rmdir(const char *path) {
    return is_simulated(path) ? remove_name(path, true) : __real_rmdir(path);
}

char *__real_realpath(const char *, char *);
char *__wrap_realpath(const char *path, char *resolved) {
    if (!is_simulated(path)) return __real_realpath(path, resolved);
    size_t count = strlen(path);
    while (count > 1 && path[count - 1] == '/') count--;
    return strndup(path, count);
}

ssize_t __real_readlink(const char *, char *, size_t);
ssize_t __wrap_readlink(const char *path, char *target, size_t count) {
    if (self >= 0 && strcmp(path, "/proc/thread-self") == 0)
        return snprintf(target, count, "%d/task/%d", 1000 + sim_process(), 2000 + self);
    if (!is_simulated(path)) return __real_readlink(path, target, count);
    begin_call("readlink", -1, 0, 0);
    return failing(EINVAL);
}

/// Other processes are not listed; their names are only for messages.
DIR *__real_opendir(const char *);
DIR *__wrap_opendir(const char *path) {
    if (self < 0) return __real_opendir(path);
    errno = ENOENT;
    return NULL;
}

FILE *__real_fopen(const char *, const char *);
FILE *__wrap_fopen(const char *path, const char *mode) {
    if (self < 0 || strncmp(path, "/proc", 5) != 0) return __real_fopen(path, mode);
    if (strcmp(path, "/proc/locks") != 0) {
        errno = ENOENT;
        return NULL;
    }
    begin_call("read locks", -1, 0, 0);
    char *text = malloc(MAX_OPEN_FILES * 80), *end = text;
    *end++ = '\n';
    for (int i = 0; i < MAX_OPEN_FILES; i++) {
        const struct open_file *file = &world->open_files[i];
        if (file->kind != OPEN_FILE || file->lock == 0) continue;
        end += sprintf(
            end, "%d: FLOCK  ADVISORY  %s %d 00:2a:%llu 0 EOF\n", i,
            file->lock == LOCK_EX ? "WRITE" : "READ", 1000 + file->process,
            (unsigned long long)world->inodes[file->inode].number);
    }
    return fmemopen(text, end - text, "r");
}

// The log of changes

static struct log_entry *add_to_log(int inode, enum log_kind kind, size_t offset, size_t count) {
    if (world->log_count == MAX_LOG || world->log_bytes + count > LOG_BYTES) {
        fail("too many changes without a sync");
    }
    struct log_entry *entry = &world->log[world->log_count++];
    *entry = (struct log_entry){inode, kind, offset, count, world->log_bytes};
    if (kind == LOG_WRITE) world->log_bytes += count;
    return entry;
}

static void touch(int inode, size_t end) {
    struct inode *file = &world->inodes[inode];
    if (end > SLOT) fail("a file of more than 64 MiB");
    if (end > file->touched) file->touched = end;
}

static void change_size(int inode, size_t size) {
    struct inode *file = &world->inodes[inode];
    touch(inode, size);
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
    size_t next = offset / SECTOR * SECTOR + SECTOR;
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
        if (is_planted(PLANTED_SECTOR_NOT_SYNCED) && entry->kind == LOG_WRITE && entry->count > SECTOR)
            entry->count = (entry->count - 1) / SECTOR * SECTOR;
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
            for (size_t at = 0; at < file->durable_size; at += SECTOR)
                if (next_random(&random) % 2)
                    memcpy(durable + i * SLOT + at, bytes_of(i) + at, SECTOR);
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
        if (world->inodes[i].is_used && world->inodes[i].names == 0) clear(i);
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
    touch(inode, offset + count);
    memcpy(bytes_of(inode) + offset, bytes, count);
    if (file->size < offset + count) file->size = offset + count;
    struct log_entry *entry = add_to_log(inode, LOG_WRITE, offset, count);
    memcpy(log_memory + entry->bytes, bytes, count);
}

static ssize_t write_at(int inode, const void *bytes, size_t count, off_t offset) {
    int error = begin_disk_call("pwrite", inode, offset, count);
    if (error > 0) {
        // A part may have arrived.
        if (error != EINTR && count > SECTOR)
            store(inode, bytes, count / 2 / SECTOR * SECTOR, offset);
        return failing(error);
    }
    size_t done = error < 0 && count > 1 ? (count + 1) / 2 : count;
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

// Mappings

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
    touch(inode, count < 1 << 20 ? count : 1 << 20);
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

// Events and polls

static bool is_readable(int index) {
    const struct open_file *file = &world->open_files[index];
    if (file->kind == OPEN_EVENT) return file->value > 0;
    return file->kind == OPEN_FILE && file->inode >= 0 && world->inodes[file->inode].queued > 0;
}

static uint64_t poll_key(int poll) { return 1ull << 62 | (uint64_t)poll; }

void set_polls_ready(int index, int inode) {
    for (int i = 0; i < MAX_POLLS; i++) {
        struct poll *poll = &world->polls[i];
        for (int k = 0; poll->is_used && k < MAX_WATCHES; k++) {
            struct watch *watch = &poll->watches[k];
            if (watch->descriptor == 0) continue;
            const struct open_file *file = &world->open_files[watch->open_file];
            bool is_meant = inode >= 0 ? file->kind == OPEN_FILE && file->inode == inode
                                       : watch->open_file == index;
            if (!is_meant) continue;
            watch->is_ready = true;
            wake_key(poll_key(i));
        }
    }
}

int __real_epoll_create1(int);
int __wrap_epoll_create1(int flags) {
    if (self < 0) return __real_epoll_create1(flags);
    begin_call("epoll_create", -1, 0, 0);
    for (int i = 0; i < MAX_POLLS; i++) {
        if (world->polls[i].is_used) continue;
        world->polls[i] = (struct poll){.is_used = true};
        int open = new_open_file(OPEN_POLL, -1, 0);
        world->open_files[open].value = i;
        return new_descriptor(open);
    }
    fail("too many polls");
    return -1;
}

struct event {
    uint32_t events;
    uint64_t data;
} __attribute__((packed));

enum { ADD = 1, REMOVE = 2 };

int __wrap_epoll_ctl(int descriptor, int operation, int other, struct event *event) {
    begin_call("epoll_ctl", -1, operation, other);
    struct poll *poll = &world->polls[open_file(descriptor)->value];
    for (int i = 0; i < MAX_WATCHES; i++) {
        struct watch *watch = &poll->watches[i];
        if (operation == REMOVE && watch->descriptor == other) watch->descriptor = 0;
        if (operation != ADD || watch->descriptor != 0) continue;
        *watch = (struct watch){index_of(other), other, event->data, is_readable(index_of(other))};
        return 0;
    }
    return operation == REMOVE ? 0 : failing(ENOMEM);
}

static bool is_poll_ready(const struct poll *poll) {
    for (int i = 0; i < MAX_WATCHES; i++) {
        const struct watch *watch = &poll->watches[i];
        if (watch->descriptor != 0 && watch->is_ready && is_readable(watch->open_file)) return true;
    }
    return false;
}

static void wait_for_poll(int index, int64_t deadline) {
    while (!is_poll_ready(&world->polls[index]) && world->now < deadline)
        block("poll", poll_key(index), deadline);
}

int __wrap_epoll_wait(int descriptor, struct event *events, int capacity, int milliseconds) {
    begin_call("epoll_wait", -1, milliseconds, 0);
    int index = open_file(descriptor)->value;
    if (milliseconds < 0) wait_for_poll(index, FOREVER);
    int count = 0;
    for (int i = 0; i < MAX_WATCHES && count < capacity; i++) {
        struct watch *watch = &world->polls[index].watches[i];
        if (watch->descriptor == 0 || !watch->is_ready) continue;
        watch->is_ready = false;
        if (!is_readable(watch->open_file)) continue;
        events[count].events = 1;
        events[count++].data = watch->data;
    }
    note_result(count);
    return count;
}

void __real_realm_wait_readable(int, long);
void __wrap_realm_wait_readable(int descriptor, long microseconds) {
    const struct open_file *file = open_file(descriptor);
    if (!file) return __real_realm_wait_readable(descriptor, microseconds);
    begin_call("poll", -1, microseconds, 0);
    wait_for_poll(file->value, world->now + microseconds * 1000);
}

int __real_eventfd(unsigned, int);
int __wrap_eventfd(unsigned value, int flags) {
    if (self < 0) return __real_eventfd(value, flags);
    int open = new_open_file(OPEN_EVENT, -1, 0);
    return new_descriptor(open);
}

int __wrap_eventfd_write(int descriptor, uint64_t value) {
    begin_call("eventfd_write", -1, value, 0);
    struct open_file *file = open_file(descriptor);
    file->value += value;
    set_polls_ready(index_of(descriptor), -1);
    return 0;
}

int __wrap_eventfd_read(int descriptor, uint64_t *value) {
    begin_call("eventfd_read", -1, 0, 0);
    struct open_file *file = open_file(descriptor);
    if (file->value == 0) return failing(EAGAIN);
    *value = file->value;
    file->value = 0;
    return 0;
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
    FILE *file = name ? __real_fopen(real_path, "w") : NULL;
    if (!file) return false;
    fwrite(bytes_of(name->inode), 1, world->inodes[name->inode].size, file);
    return fclose(file) == 0;
}
