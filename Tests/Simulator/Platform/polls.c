/// Polls (epoll) with edges of FIFOs and event descriptors.

#include "files.h"
#include "planted.h"

#include <sys/epoll.h>

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

int __wrap_epoll_ctl(int descriptor, int operation, int other, struct epoll_event *event) {
    begin_call("epoll_ctl", -1, operation, other);
    struct poll *poll = &world->polls[open_file(descriptor)->value];
    for (int i = 0; i < MAX_WATCHES; i++) {
        struct watch *watch = &poll->watches[i];
        if (operation == EPOLL_CTL_DEL && watch->descriptor == other) watch->descriptor = 0;
        if (operation != EPOLL_CTL_ADD || watch->descriptor != 0) continue;
        int index = index_of(other);
        *watch = (struct watch){index, other, event->data.u64, is_readable(index)};
        return 0;
    }
    return operation == EPOLL_CTL_DEL ? 0 : failing(ENOMEM);
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

int __wrap_epoll_wait(
    int descriptor, struct epoll_event *events, int capacity, int milliseconds) {
    begin_call("epoll_wait", -1, milliseconds, 0);
    int index = open_file(descriptor)->value;
    if (milliseconds < 0) wait_for_poll(index, FOREVER);
    int count = 0;
    for (int i = 0; i < MAX_WATCHES && count < capacity; i++) {
        struct watch *watch = &world->polls[index].watches[i];
        if (watch->descriptor == 0 || !watch->is_ready) continue;
        watch->is_ready = false;
        if (!is_readable(watch->open_file)) continue;
        events[count].events = EPOLLIN;
        events[count++].data.u64 = watch->data;
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
    if (!is_planted(PLANTED_EVENT_LOST)) set_polls_ready(index_of(descriptor), -1);
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
