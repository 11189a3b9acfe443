#define _GNU_SOURCE
#include <gnu/libc-version.h>
#include <linux/futex.h>
#include <poll.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "CRealmSystem.h"

void realm_wait_readable(int descriptor, long microseconds) {
    struct pollfd set = {.fd = descriptor, .events = POLLIN};
    struct timespec time = {microseconds / 1000000, microseconds % 1000000 * 1000};
    ppoll(&set, 1, &time, 0);
}

const char *realm_c_library_version(void) { return gnu_get_libc_version(); }

void realm_wake_all(void *word) { syscall(SYS_futex, word, FUTEX_WAKE, 0x7FFFFFFF, 0, 0, 0); }
