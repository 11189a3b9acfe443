#define _GNU_SOURCE
#include <fcntl.h>
#include <stdint.h>
#include <sys/stat.h>

#include "CRealmSystem.h"

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
