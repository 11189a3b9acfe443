#define _GNU_SOURCE
#include <poll.h>

#include "CRealmSystem.h"

void realm_wait_readable(int descriptor, long microseconds) {
    struct pollfd set = {.fd = descriptor, .events = POLLIN};
    struct timespec time = {microseconds / 1000000, microseconds % 1000000 * 1000};
    ppoll(&set, 1, &time, 0);
}
