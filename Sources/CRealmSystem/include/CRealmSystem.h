/// Functions of the C library, the Swift runtime and the processor that Swift does not import.

#ifndef C_REALM_SYSTEM_H
#define C_REALM_SYSTEM_H

#include <stddef.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>

/// Retains an object and returns it, or returns null if its deinitialisation has begun. The Swift
/// runtime implements weak references with it. The object's memory must still exist.
void *swift_tryRetain(void *object);

/// Adds or releases `count` strong references. Functions of the Swift runtime.
void *swift_retain_n(void *object, uint32_t count);
void swift_release_n(void *object, uint32_t count);

/// Returns the word with all reference counts of an object. Its layout is the runtime's own; it can
/// only be compared with another object's word.
static inline size_t realm_reference_count(const void *object) {
    return __atomic_load_n((const size_t *)object + 1, __ATOMIC_ACQUIRE);
}

/// Moves the pages of `count` bytes of private memory to `to` in one step, replacing what is mapped
/// there; the source stays mapped without pages. Returns 0, or -1 on failure.
int realm_memory_move(void *from, size_t count, void *to);

/// Status of a file, without its times.
struct realm_file_status {
    uint64_t device, inode;
    int64_t size;
    uint64_t names;
    uint32_t mode;
};

/// Gets the status of the file at `path`, or of the descriptor if the path is empty. Returns 0, or
/// -1 if there is no such file. Does not read the times: since Linux 6.13, a file whose times were
/// read gets a new one at the next write, which the next sync has to store separately.
int realm_file_status(int descriptor, const char *path, struct realm_file_status *status);

/// Gets inode number and birth time of the file at `path`; the time is 0 if the file system does
/// not record it. Returns 0, or -1 if there is no such file.
int realm_file_birth(
    const char *path, uint64_t *inode, int64_t *seconds, uint32_t *nanoseconds);

/// Waits until `descriptor` is readable, at most `microseconds`.
void realm_wait_readable(int descriptor, long microseconds);

/// Returns the version of the C library in use.
const char *realm_c_library_version(void);

/// Wakes all threads of all processes that wait for the 32-bit word at `word` to change.
void realm_wake_all(void *word);

/// Identifies the calling thread among all living ones: the address of its thread-local storage,
/// from a register.
static inline size_t realm_current_thread(void) { return (size_t)__builtin_thread_pointer(); }

/// Prefetches the cache line of `address`, which may be any address.
static inline void realm_prefetch(const void *address) { __builtin_prefetch(address); }

/// Returns the value of `key` in the current queue or the queues it targets. Dispatch's own
/// function, without the box into which Swift's wrapper puts the value.
void *dispatch_get_specific(const void *key);

/// The executor of the current task, as the Swift runtime returns it; an actor with a custom
/// executor reports that one.
struct realm_executor {
    const void *identity;
    const void *implementation;
};
__attribute__((swiftcall)) struct realm_executor swift_task_getCurrentExecutor(void);

/// Identifies the executor of the calling task; null if no task runs.
static inline const void *realm_current_executor(void) {
    return swift_task_getCurrentExecutor().identity;
}

/// The actor that the calling task is isolated to; null outside of actors, and on an actor that has
/// an executor of its own.
static inline const void *realm_current_actor(void) {
    struct realm_executor executor = swift_task_getCurrentExecutor();
    return executor.implementation ? 0 : executor.identity;
}

/// Returns the calling thread's task. Weak, since programs that never use tasks are linked without
/// it.
__attribute__((swiftcall, weak)) void *swift_task_getCurrent(void);

/// Whether a Swift task runs on the calling thread.
static inline _Bool realm_is_in_task(void) {
    return swift_task_getCurrent && swift_task_getCurrent();
}

#endif
