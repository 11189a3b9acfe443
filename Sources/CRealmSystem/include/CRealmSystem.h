/// What Swift's view of the C library, of its own runtime and of the processor leaves out.

#ifndef C_REALM_SYSTEM_H
#define C_REALM_SYSTEM_H

#include <stddef.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>

/// The object, kept once more, or nothing when its end has begun: the runtime's own, of which it makes
/// weak references. Its memory must still be there.
void *swift_tryRetain(void *object);

/// Count that many references to an object of Swift at once, or let go of them: the runtime's own.
void *swift_retain_n(void *object, uint32_t count);
void swift_release_n(void *object, uint32_t count);

/// What counts the references to an object of Swift, of all kinds together: good for nothing but being
/// compared with another object's.
static inline size_t realm_reference_count(const void *object) {
    return __atomic_load_n((const size_t *)object + 1, __ATOMIC_ACQUIRE);
}

/// Moves the pages of `count` bytes of private memory to another place in one step, in place of what
/// is there; where they were, there is memory without pages. 0 unless the system refuses.
int realm_memory_move(void *from, size_t count, void *to);

/// What a file is, without its times.
struct realm_file_status {
    uint64_t device, inode;
    int64_t size;
    uint64_t names;
    uint32_t mode;
};

/// The status of the file behind `path`, or of an open one where the path is empty. 0 unless there is no
/// such file. Its times are not asked for: Linux since 6.13 makes the next write to a file whose times
/// somebody saw note a new one, which the next sync writes in a turn of its own.
int realm_file_status(int descriptor, const char *path, struct realm_file_status *status);

/// The number of the file behind `path` and when it was made; a time of 0 where the file system does not
/// keep that. 0 unless there is no such file.
int realm_file_birth(
    const char *path, uint64_t *inode, int64_t *seconds, uint32_t *nanoseconds);

/// Waits until there is something to read at `descriptor`, at most so long.
void realm_wait_readable(int descriptor, long microseconds);

/// The version of the C library that the process runs with.
const char *realm_c_library_version(void);

/// Wakes all threads of all processes that wait for the 32-bit word at `word` to change.
void realm_wake_all(void *word);

/// What tells the calling thread from all others that exist now: where its own variables are, which the
/// processor knows.
static inline size_t realm_current_thread(void) { return (size_t)__builtin_thread_pointer(); }

/// Has the processor fetch the line of memory that `address` is in; any address will do.
static inline void realm_prefetch(const void *address) { __builtin_prefetch(address); }

/// What the current queue, or one it works for, has under `key`: Dispatch's own, without the box that
/// Swift's view of it puts the value into.
void *dispatch_get_specific(const void *key);

/// The runtime's own: what the current task runs on, which for an actor with an executor of its own is
/// told by the actor.
struct realm_executor {
    const void *identity;
    const void *implementation;
};
__attribute__((swiftcall)) struct realm_executor swift_task_getCurrentExecutor(void);

/// What tells the executor of the calling task; none where no task runs.
static inline const void *realm_current_executor(void) {
    return swift_task_getCurrentExecutor().identity;
}

/// The runtime's own: the task of the calling thread. Weak, since programs that never use tasks are
/// linked without them.
__attribute__((swiftcall, weak)) void *swift_task_getCurrent(void);

/// Whether a Swift task runs on the calling thread.
static inline _Bool realm_is_in_task(void) {
    return swift_task_getCurrent && swift_task_getCurrent();
}

#endif
