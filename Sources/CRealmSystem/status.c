#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "CRealmSystem.h"

static int plain_status(int descriptor, const char *path, struct realm_file_status *status) {
    struct stat found;
    if (fstatat(descriptor, path, &found, *path ? 0 : AT_EMPTY_PATH) != 0) return -1;
    status->device = found.st_dev;
    status->inode = found.st_ino;
    status->size = found.st_size;
    status->names = found.st_nlink;
    status->mode = found.st_mode;
    return 0;
}

int realm_file_status(int descriptor, const char *path, struct realm_file_status *status) {
    struct statx found;
    const unsigned wanted = STATX_TYPE | STATX_MODE | STATX_NLINK | STATX_INO | STATX_SIZE;
    if (statx(descriptor, path, *path ? 0 : AT_EMPTY_PATH, wanted, &found) != 0)
        return errno == ENOSYS || errno == EPERM ? plain_status(descriptor, path, status) : -1;
    if ((found.stx_mask & wanted) != wanted) return plain_status(descriptor, path, status);
    status->device = makedev(found.stx_dev_major, found.stx_dev_minor);
    status->inode = found.stx_ino;
    status->size = (int64_t)found.stx_size;
    status->names = found.stx_nlink;
    status->mode = found.stx_mode;
    return 0;
}

int realm_file_birth(
    const char *path, uint64_t *inode, int64_t *seconds, uint32_t *nanoseconds) {
    struct statx found;
    if (statx(AT_FDCWD, path, 0, STATX_INO | STATX_BTIME, &found) == 0) {
        int is_known = (found.stx_mask & STATX_BTIME) != 0;
        *inode = found.stx_ino;
        *seconds = is_known ? found.stx_btime.tv_sec : 0;
        *nanoseconds = is_known ? found.stx_btime.tv_nsec : 0;
        return 0;
    }
    struct stat plain;
    if (stat(path, &plain) != 0) return -1;
    *inode = plain.st_ino;
    *seconds = 0;
    *nanoseconds = 0;
    return 0;
}
