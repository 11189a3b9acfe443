/// Descriptors of simulated files, numbered from FIRST_DESCRIPTOR on, and their file locks.

#include "files.h"
#include "planted.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/file.h>
#include <unistd.h>

int new_open_file(enum open_kind kind, int inode, int flags) {
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

int new_descriptor(int open_file) {
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

int index_of(int descriptor) {
    if (self < 0 || descriptor < FIRST_DESCRIPTOR) return -1;
    int i = descriptor - FIRST_DESCRIPTOR;
    return i < MAX_DESCRIPTORS ? own_process()->descriptors[i] : -1;
}

struct open_file *open_file(int descriptor) {
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
