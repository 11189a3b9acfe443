/// Mutexes, condition variables, file locks' waiters and polls. The first word of a mutex is the
/// number of its owner plus 1, with bit 30 for an owner that died, as the C library has it.

#include "internal.h"

#include <time.h>

#include "planted.h"

static const uint32_t OWNER_DIED = 0x40000000, NOT_RECOVERABLE = 0x3FFFFFFF;

uint64_t key_of(const void *address) {
    if (self < 0) return 0;
    const char *at = address;
    const struct process *process = own_process();
    for (int i = 0; i < MAX_MAPS; i++) {
        const struct map *map = &process->maps[i];
        if (map->start && at >= map->start && at < map->start + SLOT)
            return 1ull << 63 | (uint64_t)map->inode << 32 | (uint64_t)(at - map->start);
    }
    if (at >= (char *)world && at < (char *)(world + 1)) return (uint64_t)(uintptr_t)at;
    return (uint64_t)(uintptr_t)at ^ (uint64_t)world->threads[self].process << 56;
}

static int inode_of(uint64_t key) { return key >> 32 & 0xFFFF; }
static size_t offset_of(uint64_t key) { return key & 0xFFFFFFFF; }

static uint32_t *word(pthread_mutex_t *mutex) { return (uint32_t *)mutex; }

static bool is_robust(const pthread_mutex_t *mutex) { return ((const int *)mutex)[4] & 16; }

static void add_held(pthread_mutex_t *mutex) {
    uint64_t key = key_of(mutex);
    for (int i = 0; i < MAX_HELD; i++) {
        if (world->held[i].thread != 0) continue;
        world->held[i] = (struct held){self + 1, inode_of(key), offset_of(key)};
        return;
    }
    fail("too many mutexes are held");
}

static void remove_held(pthread_mutex_t *mutex) {
    uint64_t key = key_of(mutex);
    for (int i = 0; i < MAX_HELD; i++) {
        struct held *held = &world->held[i];
        if (held->thread == self + 1 && held->inode == inode_of(key) &&
            held->offset == offset_of(key))
            held->thread = 0;
    }
}

void release_mutexes(int thread) {
    for (int i = 0; i < MAX_HELD; i++) {
        struct held *held = &world->held[i];
        if (held->thread != thread + 1) continue;
        held->thread = 0;
        if (is_planted(PLANTED_OWNER_DEATH_UNSEEN)) continue;
        uint32_t *owner = (uint32_t *)(content + held->inode * SLOT + held->offset);
        *owner = OWNER_DIED;
        wake_key(1ull << 63 | (uint64_t)held->inode << 32 | held->offset);
    }
}

/// Whether a planted defect makes a mutex of the lock file useless.
static bool is_ignored(const pthread_mutex_t *mutex) {
    if (!is_robust(mutex)) return false;
    size_t offset = offset_of(key_of(mutex));
    return (is_planted(PLANTED_CONTROL_UNLOCKED) && offset == 88) ||
           (is_planted(PLANTED_WRITER_UNLOCKED) && offset == 48);
}

/// Takes the lock if it is free; returns 0, EOWNERDEAD, ENOTRECOVERABLE or EBUSY.
static int take(pthread_mutex_t *mutex) {
    uint32_t *owner = word(mutex);
    if (*owner == NOT_RECOVERABLE) return ENOTRECOVERABLE;
    bool is_held = *owner != 0 && *owner != OWNER_DIED;
    if (is_held && !is_ignored(mutex)) return EBUSY;
    bool died = *owner == OWNER_DIED;
    *owner = (self + 1) | (died ? OWNER_DIED : 0);
    uint64_t key = is_robust(mutex) ? key_of(mutex) : 0;
    // Databases in memory have such mutexes too, which end with their process.
    if (key >> 63) {
        add_held(mutex);
        planted_at_lock(inode_of(key), offset_of(key));
    }
    return died ? EOWNERDEAD : 0;
}

static int lock_until(pthread_mutex_t *mutex, int64_t deadline) {
    while (true) {
        int code = take(mutex);
        if (code != EBUSY) return code;
        if (self < 0) abort();
        if (*word(mutex) == (uint32_t)self + 1) fail("a thread locks a mutex that it holds");
        if (block("pthread_mutex_lock", key_of(mutex), deadline)) {
            code = take(mutex);
            return code == EBUSY ? ETIMEDOUT : code;
        }
    }
}

static void begin_lock(const char *name, pthread_mutex_t *mutex) {
    if (is_robust(mutex)) begin_lock_call(name, -1, offset_of(key_of(mutex)), 0);
    else begin_local_call();
}

int __wrap_pthread_mutex_lock(pthread_mutex_t *mutex) {
    begin_lock("lock", mutex);
    int code = lock_until(mutex, FOREVER);
    if (is_robust(mutex)) note_result(code);
    return code;
}

int __wrap_pthread_mutex_trylock(pthread_mutex_t *mutex) {
    begin_lock("trylock", mutex);
    int code = take(mutex);
    if (is_robust(mutex)) note_result(code);
    return code;
}

static int64_t nanoseconds(const struct timespec *time) {
    return time->tv_sec * 1000000000ll + time->tv_nsec;
}

int __wrap_pthread_mutex_timedlock(pthread_mutex_t *mutex, const struct timespec *time) {
    begin_lock("timedlock", mutex);
    int code = lock_until(mutex, nanoseconds(time));
    if (is_robust(mutex)) note_result(code);
    return code;
}

int __wrap_pthread_mutex_unlock(pthread_mutex_t *mutex) {
    if (is_robust(mutex)) {
        begin_lock_call("unlock", -1, offset_of(key_of(mutex)), 0);
        uint64_t key = key_of(mutex);
        if (key >> 63) planted_at_unlock(inode_of(key), offset_of(key));
        remove_held(mutex);
    }
    uint32_t *owner = word(mutex);
    // With bit 30 still set, what the mutex guards was not made consistent.
    *owner = *owner & OWNER_DIED ? NOT_RECOVERABLE : 0;
    if (self >= 0) wake_key(key_of(mutex));
    return 0;
}

int __wrap_pthread_mutex_consistent(pthread_mutex_t *mutex) {
    if (!is_planted(PLANTED_NOT_CONSISTENT)) *word(mutex) &= ~OWNER_DIED;
    return 0;
}

int __wrap_pthread_mutex_destroy(pthread_mutex_t *mutex) { return 0; }
int __wrap_pthread_cond_destroy(pthread_cond_t *condition) { return 0; }

static int wait_until(pthread_cond_t *condition, pthread_mutex_t *mutex, int64_t deadline) {
    begin_call("cond_wait", -1, 0, 0);
    *word(mutex) = 0;
    wake_key(key_of(mutex));
    bool has_timed_out = block("pthread_cond_wait", key_of(condition), deadline);
    lock_until(mutex, FOREVER);
    return has_timed_out ? ETIMEDOUT : 0;
}

int __wrap_pthread_cond_wait(pthread_cond_t *condition, pthread_mutex_t *mutex) {
    return wait_until(condition, mutex, FOREVER);
}

int __wrap_pthread_cond_timedwait(
    pthread_cond_t *condition, pthread_mutex_t *mutex, const struct timespec *time) {
    return wait_until(condition, mutex, nanoseconds(time));
}

int __wrap_pthread_cond_broadcast(pthread_cond_t *condition) {
    begin_local_call();
    if (self >= 0 && !is_planted(PLANTED_BROADCAST_LOST)) wake_key(key_of(condition));
    return 0;
}
