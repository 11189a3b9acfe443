/// The machine: its memory, its processes, and runs.

#include "internal.h"

#include <linux/futex.h>
#include <malloc.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

struct world *world;
char *content, *durable, *log_memory;
int content_descriptor;

int __real_pthread_create(
    pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
int __real_kill(pid_t, int);

static void *map_shared(size_t count) {
    void *start = mmap(
        0, count, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (start == MAP_FAILED) abort();
    return start;
}

void sim_create(void) {
    mallopt(M_ARENA_MAX, 1);
    world = map_shared(sizeof *world);
    log_memory = map_shared(LOG_BYTES);
    durable = map_shared(MAX_INODES * SLOT);
    content_descriptor = syscall(SYS_memfd_create, "simulated", 0);
    if (content_descriptor < 0 || ftruncate(content_descriptor, MAX_INODES * SLOT) != 0) abort();
    content = mmap(
        0, MAX_INODES * SLOT, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE,
        content_descriptor, 0);
    if (content == MAP_FAILED) abort();
}

void *sim_board(void) { return world->board; }

static void reap(void) {
    for (int i = 0; i < MAX_PROCESSES; i++) {
        struct process *process = &world->processes[i];
        if (process->pid <= 0) continue;
        __real_kill(process->pid, SIGKILL);
        waitpid(process->pid, 0, 0);
    }
    memset(world->processes, 0, sizeof world->processes);
    memset(world->threads, 0, sizeof world->threads);
    memset(world->open_files, 0, sizeof world->open_files);
    memset(world->polls, 0, sizeof world->polls);
    memset(world->held, 0, sizeof world->held);
    memset(world->planted_memory, 0, sizeof world->planted_memory);
    world->controller_baton = 0;
    world->round++;
    world->end = SIM_RUNNING;
    for (int i = 0; i < MAX_INODES; i++) world->inodes[i].queued = 0;
}

void sim_reset(const struct sim_settings *settings) {
    reap();
    reset_files();
    world->settings = *settings;
    world->random = settings->seed * 0x9E3779B97F4A7C15u + 1;
    world->now = 1700000000ll * 1000000000;
    world->steps = world->deaths = world->round = 0;
    world->any_faulted = false;
    world->failure[0] = 0;
    world->decision_count = 0;
    world->call_count = world->trace_hash = 0;
}

void sim_continue(const struct sim_settings *settings) {
    reap();
    world->settings = *settings;
    world->steps = 0;
    world->any_faulted = false;
}

static int new_process(const char *name) {
    for (int i = 1; i < MAX_PROCESSES; i++) {
        struct process *process = &world->processes[i];
        if (process->is_alive || process->pid != 0) continue;
        *process = (struct process){.is_alive = true, .random = world->settings.seed * 64 + i};
        snprintf(process->name, sizeof process->name, "%s", name);
        for (int k = 0; k < MAX_DESCRIPTORS; k++) process->descriptors[k] = -1;
        return i;
    }
    abort();
}

int sim_fork(const char *name) {
    int process = new_process(name);
    int thread = new_thread(process);
    int pid = fork();
    if (pid < 0) abort();
    if (pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        self = thread;
        wait_for_baton(thread);
        return 0;
    }
    world->processes[process].pid = pid;
    return process;
}

void sim_enter(void) {
    int process = new_process("setup");
    self = new_thread(process);
}

void sim_leave(void) {
    world->processes[world->threads[self].process].is_alive = false;
    self = -1;
}

/// Fails if a process has ended by a signal, as after a violated precondition.
static void check_processes(void) {
    for (int i = 0; i < MAX_PROCESSES; i++) {
        struct process *process = &world->processes[i];
        int status;
        if (process->pid <= 0 || waitpid(process->pid, &status, WNOHANG) != process->pid) continue;
        process->pid = -1;
        if (!process->is_alive) continue;
        if (WIFSIGNALED(status)) fail("%s ended by signal %d", process->name, WTERMSIG(status));
        else fail("%s ended with status %d", process->name, WEXITSTATUS(status));
    }
}

enum sim_end sim_run(void) {
    int ready[MAX_THREADS], count = 0;
    for (int i = 0; i < MAX_THREADS; i++)
        if (world->threads[i].state == THREAD_READY) ready[count++] = i;
    if (count == 0) return SIM_DONE;
    int first = ready[(world->settings.seed >> 3) % count];
    uint32_t *baton = &world->threads[first].baton;
    __atomic_store_n(baton, 1, __ATOMIC_SEQ_CST);
    syscall(SYS_futex, baton, FUTEX_WAKE, 1, 0, 0, 0);
    uint32_t steps = 0;
    for (int idle = 0; world->end == SIM_RUNNING;) {
        struct timespec time = {0, 200000000};
        syscall(SYS_futex, &world->controller_baton, FUTEX_WAIT, 0, &time, 0, 0);
        if (world->end != SIM_RUNNING) break;
        check_processes();
        idle = steps == world->steps ? idle + 1 : 0;
        steps = world->steps;
        if (idle == 100) fail("no call for 20 seconds");
    }
    return world->end;
}

void sim_make_repeatable(char *const *arguments) {
    int flags = personality(0xFFFFFFFF);
    bool is_fixed = flags >= 0 && flags & ADDR_NO_RANDOMIZE;
    if (is_fixed && getenv("SWIFT_DETERMINISTIC_HASHING")) return;
    setenv("SWIFT_DETERMINISTIC_HASHING", "1", 1);
    if (flags >= 0) personality(flags | ADDR_NO_RANDOMIZE);
    // If the system forbids that, addresses differ from run to run, which matters little.
    if (getenv("SIMULATOR_RESTARTED")) return;
    setenv("SIMULATOR_RESTARTED", "1", 1);
    execv("/proc/self/exe", arguments);
}

void sim_bind(int processor) {
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(processor, &set);
    sched_setaffinity(0, sizeof set, &set);
}

int sim_fork_worker(void) {
    fflush(0);
    return fork();
}

int sim_wait_worker(int id) {
    int status;
    if (waitpid(id, &status, 0) != id) return 255;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 255;
}

// Threads

struct start {
    void *(*body)(void *);
    void *argument;
    int thread;
};

static pthread_key_t last_key;
static pthread_once_t last_key_once = PTHREAD_ONCE_INIT;

/// Called at the end of a thread with its other thread-local values; the fourth time, they are
/// freed. The thread stays, so that nothing of the C library runs beside the next one.
static void end_of_thread(void *round) {
    if ((intptr_t)round < 4) {
        pthread_setspecific(last_key, (void *)((intptr_t)round + 1));
        return;
    }
    finish_thread();
}

static void make_last_key(void) { pthread_key_create(&last_key, end_of_thread); }

static void *run_thread(void *argument) {
    struct start start = *(struct start *)argument;
    free(argument);
    self = start.thread;
    wait_for_baton(self);
    pthread_setspecific(last_key, (void *)1);
    return start.body(start.argument);
}

int __wrap_pthread_create(
    pthread_t *id, const pthread_attr_t *attributes, void *(*body)(void *), void *argument) {
    begin_call("pthread_create", -1, 0, 0);
    pthread_once(&last_key_once, make_last_key);
    struct start *start = malloc(sizeof *start);
    *start = (struct start){body, argument, new_thread(sim_process())};
    pthread_t real;
    int code = __real_pthread_create(&real, attributes, run_thread, start);
    if (code != 0) abort();
    pthread_detach(real);
    *id = (pthread_t)start->thread;
    note_result(start->thread);
    return 0;
}

int __wrap_pthread_join(pthread_t id, void **result) {
    begin_call("pthread_join", -1, (int64_t)id, 0);
    struct thread *thread = &world->threads[(int)id];
    while (thread->state != THREAD_DONE) block("pthread_join", key_of(thread), FOREVER);
    thread->state = THREAD_FREE;
    return 0;
}

int __wrap_pthread_detach(pthread_t id) { return 0; }

// Identity and time

pid_t __wrap_getpid(void) { return 1000 + sim_process(); }

int __wrap_kill(pid_t id, int signal) {
    int process = id - 1000;
    if (process > 0 && process < MAX_PROCESSES && world->processes[process].is_alive) return 0;
    errno = ESRCH;
    return -1;
}

int __real_clock_gettime(clockid_t, struct timespec *);
int __wrap_clock_gettime(clockid_t clock, struct timespec *time) {
    if (self < 0) return __real_clock_gettime(clock, time);
    time->tv_sec = world->now / 1000000000;
    time->tv_nsec = world->now % 1000000000;
    return 0;
}

static void sleep_until(int64_t deadline) {
    begin_call("sleep", -1, (deadline - world->now) / 1000, 0);
    if (self < 0) return;
    while (world->now < deadline) block("sleep", 0, deadline);
}

int __wrap_nanosleep(const struct timespec *time, struct timespec *rest) {
    sleep_until(world->now + time->tv_sec * 1000000000 + time->tv_nsec);
    return 0;
}

int __wrap_usleep(useconds_t microseconds) {
    sleep_until(world->now + microseconds * 1000ll);
    return 0;
}

unsigned __wrap_sleep(unsigned seconds) {
    sleep_until(world->now + seconds * 1000000000ll);
    return 0;
}

int __wrap_sched_yield(void) {
    sim_yield();
    return 0;
}

long __real_sysconf(int);
long __wrap_sysconf(int name) { return name == _SC_NPROCESSORS_ONLN ? 2 : __real_sysconf(name); }

void __wrap_swift_stdlib_random(void *bytes, size_t count) {
    static uint64_t outside = 1;
    uint64_t *state = self < 0 ? &outside : &own_process()->random;
    for (size_t i = 0; i < count; i++) ((char *)bytes)[i] = next_random(state);
}

/// No other thread of the process runs during an initialisation: it would wait in the runtime.
void __real_swift_once(void *, void *, void *);
void __wrap_swift_once(void *once, void *body, void *argument) {
    if (self < 0) return __real_swift_once(once, body, argument);
    own_process()->unbroken++;
    __real_swift_once(once, body, argument);
    own_process()->unbroken--;
}
