#ifndef SIMULATOR_INTERNAL_H
#define SIMULATOR_INTERNAL_H

#define _GNU_SOURCE
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>

#include "simulator.h"

enum {
    MAX_THREADS = 48,
    MAX_PROCESSES = 10,
    MAX_DESCRIPTORS = 96,
    MAX_MAPS = 16,
    MAX_OPEN_FILES = 256,
    MAX_INODES = 24,
    MAX_NAMES = 24,
    MAX_POLLS = 16,
    MAX_WATCHES = 8,
    MAX_HELD = 64,
    MAX_LOG = 1 << 15,
    MAX_DECISIONS = 1 << 16,
    MAX_CALLS = 1 << 14,
    FIRST_DESCRIPTOR = 5000,
};

static const size_t SLOT = 1 << 26;
static const size_t LOG_BYTES = 64 << 20;
static const int64_t FOREVER = INT64_MAX;

enum thread_state { THREAD_FREE, THREAD_READY, THREAD_BLOCKED, THREAD_DONE };

struct thread {
    int process;
    enum thread_state state;
    bool has_timed_out;
    uint64_t key;
    int64_t deadline;
    uint32_t baton;
    uint32_t calls;
};

/// A writable shared mapping of a file.
struct map {
    char *start;
    int inode;
};

struct process {
    int pid;
    bool is_alive, has_faulted;
    /// Greater than 0 while the process must not be left for another of its threads.
    int unbroken;
    char name[16];
    int16_t descriptors[MAX_DESCRIPTORS];
    struct map maps[MAX_MAPS];
    uint64_t random;
};

enum open_kind { OPEN_FREE, OPEN_FILE, OPEN_POLL, OPEN_EVENT };

/// An open file description.
struct open_file {
    enum open_kind kind;
    int references;
    int inode;
    off_t position;
    int flags;
    /// LOCK_SH, LOCK_EX or 0.
    int lock;
    int process;
    /// Counter of an event descriptor, or index of a poll.
    uint64_t value;
};

struct inode {
    bool is_used;
    mode_t mode;
    int names;
    uint64_t number;
    size_t size, durable_size;
    /// Largest size so far, of the content that has to be cleared.
    size_t touched;
    /// Number of bytes in a FIFO.
    size_t queued;
    bool was_mapped_writable;
};

struct name {
    char path[64];
    int inode;
    bool is_durable;
};

struct watch {
    int open_file, descriptor;
    uint64_t data;
    bool is_ready;
};

struct poll {
    bool is_used;
    struct watch watches[MAX_WATCHES];
};

/// A robust mutex that a thread holds.
struct held {
    int thread, inode;
    size_t offset;
};

enum log_kind { LOG_WRITE, LOG_SIZE };

/// A change of a file that is not synced.
struct log_entry {
    int inode;
    enum log_kind kind;
    size_t offset, count, bytes;
    /// Offset of the first byte that the process wrote, in a sector that is logged as a whole.
    size_t written;
};

struct call {
    uint32_t step;
    uint8_t thread, round;
    char who[26];
    int8_t inode;
    const char *name;
    int64_t a, b, result;
};

struct world {
    struct sim_settings settings;
    uint64_t random;
    int64_t now;
    uint32_t steps, deaths, round, controller_baton;
    enum sim_end end;
    bool any_faulted;
    char failure[1024];
    struct thread threads[MAX_THREADS];
    struct process processes[MAX_PROCESSES];
    struct open_file open_files[MAX_OPEN_FILES];
    struct inode inodes[MAX_INODES];
    struct name names[MAX_NAMES];
    struct poll polls[MAX_POLLS];
    struct held held[MAX_HELD];
    uint64_t last_inode;
    struct log_entry log[MAX_LOG];
    size_t log_count, log_bytes;
    struct sim_decision decisions[MAX_DECISIONS];
    size_t decision_count;
    struct call calls[MAX_CALLS];
    uint64_t call_count, trace_hash;
    /// State of the planted defects.
    uint64_t planted_memory[8];
    char board[SIM_BOARD_SIZE];
};

extern struct world *world;
/// Contents of the files as processes see them, a slot for each inode, and as the disk has them.
extern char *content, *durable, *log_memory;
extern int content_descriptor;
/// Number of the calling thread; -1 outside of the simulation.
extern __thread int self;

static inline struct process *own_process(void) {
    return &world->processes[world->threads[self].process];
}

static inline uint64_t next_random(uint64_t *state) {
    uint64_t z = (*state += 0x9E3779B97F4A7C15u);
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
    z = (z ^ z >> 27) * 0x94D049BB133111EBu;
    return z ^ z >> 31;
}

/// Called at the beginning of a simulated call: may pass the baton or end the process. `a` and `b`
/// are for the table of calls.
void begin_call(const char *name, int inode, int64_t a, int64_t b);
/// The same for calls of the disk. Returns an error number, 0 to proceed, or -1 if only a part is to
/// be done.
int begin_disk_call(const char *name, int inode, int64_t a, int64_t b);
/// The same for mutexes of a lock file.
void begin_lock_call(const char *name, int inode, int64_t a, int64_t b);
/// A point of less interest: a lock of one process, seldom a switch.
void begin_local_call(void);
/// Records a call for the table.
void note_call(const char *name, int inode, int64_t a, int64_t b);
/// Records the result of the last call begun.
void note_result(int64_t result);
/// Waits until `wake_key`, at most until `deadline`; returns whether that passed.
bool block(const char *name, uint64_t key, int64_t deadline);
void wake_key(uint64_t key);
/// Ends the calling thread, never to run again.
_Noreturn void finish_thread(void);
_Noreturn void die(void);
void fail(const char *format, ...) __attribute__((format(printf, 1, 2)));
int new_thread(int process);
void wait_for_baton(int thread);
bool is_planted(uint32_t number);

void release_files(int process);
void release_mutexes(int thread);
/// Key of waiters for a word, which may be in a shared mapping.
uint64_t key_of(const void *address);
void set_polls_ready(int open_file, int inode);
int inode_of_descriptor(int descriptor);
void reset_files(void);

#endif
