/// Names of files below /sim, their status, and directories. Other paths are the real ones.

#include "files.h"

#include <dirent.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/sysmacros.h>
#include <unistd.h>

bool is_simulated(const char *path) { return self >= 0 && strncmp(path, "/sim", 4) == 0; }

int failing(int error) {
    errno = error;
    note_result(-error);
    return -1;
}

char *bytes_of(int inode) { return content + inode * SLOT; }

// Names and inodes

struct name *find_name(const char *path) {
    for (int i = 0; i < MAX_NAMES; i++)
        if (world->names[i].path[0] && strcmp(world->names[i].path, path) == 0)
            return &world->names[i];
    return NULL;
}

bool is_open(int inode) {
    for (int i = 0; i < MAX_OPEN_FILES; i++)
        if (world->open_files[i].kind == OPEN_FILE && world->open_files[i].inode == inode)
            return true;
    return false;
}

void clear_file(int inode) {
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

void release_inode(int inode) {
    if (world->inodes[inode].names == 0 && !is_open(inode)) clear_file(inode);
}

void reset_files(void) {
    memset(world->names, 0, sizeof world->names);
    for (int i = 0; i < MAX_INODES; i++)
        if (world->inodes[i].is_used) clear_file(i);
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

int make_file(const char *path, mode_t mode) {
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

