/// Functions of the C library, of the Swift runtime and of the processor that Swift does not
/// import.

#ifndef C_REALM_SYSTEM_H
#define C_REALM_SYSTEM_H

#include <stddef.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>

/// Retains an object and returns it; returns null if its deinitialisation has begun. The Swift
/// runtime uses this function for weak references. The memory of the object must still exist.
void *swift_tryRetain(void *object);

/// Adds `count` strong references. The next function releases as many. Functions of the Swift
/// runtime.
void *swift_retain_n(void *object, uint32_t count);
void swift_release_n(void *object, uint32_t count);

/// Returns the word that contains all reference counts of an object. The runtime defines its
/// layout, so the word can only be compared with the word of another object.
static inline size_t realm_reference_count(const void *object) {
    return __atomic_load_n((const size_t *)object + 1, __ATOMIC_ACQUIRE);
}

/// Moves the pages of `count` bytes of private memory to `to` in one step, replacing the pages that
/// are mapped there. The source remains mapped, with zero-filled pages. Returns 0, or -1 on
/// failure.
int realm_memory_move(void *from, size_t count, void *to);

/// Status of a file, without its times.
struct realm_file_status {
    uint64_t device, inode;
    int64_t size;
    uint64_t names;
    uint32_t mode;
};

/// Gets the status of the file at `path`; of the file `descriptor` if the path is empty. Returns 0,
/// or -1 if there is no such file. Does not read the times: since Linux 6.13, reading the times of
/// a file makes the next write change them, and the next sync must then store them, which costs
/// time.
int realm_file_status(int descriptor, const char *path, struct realm_file_status *status);

/// Gets the inode number and the birth time of the file at `path`. The time is 0 if the file system
/// does not record it. Returns 0, or -1 if there is no such file.
int realm_file_birth(
    const char *path, uint64_t *inode, int64_t *seconds, uint32_t *nanoseconds);

/// Waits until `descriptor` is readable, for at most `microseconds`.
void realm_wait_readable(int descriptor, long microseconds);

/// Returns the version of the C library in use.
const char *realm_c_library_version(void);

/// Wakes all threads, of all processes, that wait for a change of the 32-bit word at `word`
/// (futex).
void realm_wake_all(void *word);

/// Returns a number that identifies the calling thread among all living threads: the address of its
/// thread-local storage, which is in a register.
static inline size_t realm_current_thread(void) { return (size_t)__builtin_thread_pointer(); }

/// Loads the cache line of `address` into the cache. `address` may be any number.
static inline void realm_prefetch(const void *address) { __builtin_prefetch(address); }

/// Returns the value under `key` of the current queue, or of a queue that it targets. This is
/// Dispatch's own function. Swift's wrapper would return the value in a box.
void *dispatch_get_specific(const void *key);

/// The executor of the current task, as the Swift runtime returns it. An actor with a custom
/// executor returns that executor.
struct realm_executor {
    const void *identity;
    const void *implementation;
};
__attribute__((swiftcall)) struct realm_executor swift_task_getCurrentExecutor(void);

/// Returns a pointer that identifies the executor of the calling task; null if the thread runs no
/// task.
static inline const void *realm_current_executor(void) {
    return swift_task_getCurrentExecutor().identity;
}

/// Returns the actor that the calling task is isolated to. Null outside of actors, and on an actor
/// with its own executor.
static inline const void *realm_current_actor(void) {
    struct realm_executor executor = swift_task_getCurrentExecutor();
    return executor.implementation ? 0 : executor.identity;
}

/// Returns the task that the calling thread runs; null if there is none. A weak symbol, because
/// programs that never use tasks are linked without it.
__attribute__((swiftcall, weak)) void *swift_task_getCurrent(void);

/// Whether a Swift task runs on the calling thread.
static inline _Bool realm_is_in_task(void) {
    return swift_task_getCurrent && swift_task_getCurrent();
}

#endif
