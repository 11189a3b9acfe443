/// The scheduler. Each thread is a real one that waits for the baton; a call of the simulation is
/// the only place at which it may be passed on.

#include "internal.h"

#include <linux/futex.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

__thread int self = -1;

static void futex(uint32_t *word, int operation, uint32_t value, const struct timespec *time) {
    syscall(SYS_futex, word, operation, value, time, 0, 0);
}

static void give_baton(uint32_t *baton) {
    __atomic_store_n(baton, 1, __ATOMIC_SEQ_CST);
    futex(baton, FUTEX_WAKE, 1, 0);
}

void wait_for_baton(int thread) {
    uint32_t *baton = &world->threads[thread].baton;
    while (__atomic_exchange_n(baton, 0, __ATOMIC_SEQ_CST) == 0) futex(baton, FUTEX_WAIT, 0, 0);
}

static _Noreturn void stop(void) {
    while (true) pause();
}

/// Gives the baton back to the controller.
static void end(enum sim_end how) {
    world->end = how;
    give_baton(&world->controller_baton);
}

void fail(const char *format, ...) {
    if (world->failure[0] == 0) {
        va_list arguments;
        va_start(arguments, format);
        vsnprintf(world->failure, sizeof world->failure, format, arguments);
        va_end(arguments);
    }
    if (self < 0) {
        world->end = SIM_FAILED;
        return;
    }
    end(SIM_FAILED);
    stop();
}

void sim_fail(const char *message) { fail("%s", message); }
const char *sim_failure(void) { return world->failure; }
uint32_t sim_steps(void) { return world->steps; }
int64_t sim_now(void) { return world->now; }
uint32_t sim_deaths(void) { return world->deaths; }
bool sim_has_faulted(void) { return self >= 0 && own_process()->has_faulted; }
bool sim_any_faulted(void) { return world->any_faulted; }
bool is_planted(uint32_t number) { return world->settings.planted == number; }

int new_thread(int process) {
    for (int i = 0; i < MAX_THREADS; i++) {
        struct thread *thread = &world->threads[i];
        if (thread->state != THREAD_FREE) continue;
        *thread = (struct thread){.process = process, .state = THREAD_READY, .deadline = FOREVER};
        // Calls of different rounds have different numbers.
        thread->calls = world->round << 20;
        return i;
    }
    fail("too many threads");
    return -1;
}

// Decisions

static void record(enum sim_decision_kind kind, int argument) {
    if (world->settings.replays || world->decision_count == MAX_DECISIONS) return;
    world->decisions[world->decision_count++] = (struct sim_decision){
        .call = world->threads[self].calls, .thread = self, .kind = kind, .argument = argument};
}

/// The recorded decision of this kind at the current call; NULL for none.
static const struct sim_decision *recorded(enum sim_decision_kind kind) {
    for (size_t i = 0; i < world->decision_count; i++) {
        const struct sim_decision *found = &world->decisions[i];
        if (found->thread == self && found->kind == kind &&
            found->call == world->threads[self].calls)
            return found;
    }
    return NULL;
}

void sim_set_decisions(const struct sim_decision *decisions, size_t count) {
    world->decision_count = count < MAX_DECISIONS ? count : MAX_DECISIONS;
    memcpy(world->decisions, decisions, world->decision_count * sizeof *decisions);
}

size_t sim_decisions(struct sim_decision *decisions, size_t capacity) {
    size_t count = world->decision_count < capacity ? world->decision_count : capacity;
    memcpy(decisions, world->decisions, count * sizeof *decisions);
    return count;
}

/// Whether the rate, in 2^`bits`, decides for `kind` at the current call. `random` is consumed.
static bool decides(
    enum sim_decision_kind kind, uint32_t rate, int bits, uint64_t *random, int argument,
    int *chosen) {
    if (world->settings.replays) {
        const struct sim_decision *found = recorded(kind);
        if (found) *chosen = found->argument;
        return found != NULL;
    }
    uint32_t draw = *random & ((1u << bits) - 1);
    *random >>= bits;
    if (draw >= rate) return false;
    *chosen = argument;
    record(kind, argument);
    return true;
}

// Choosing a thread

static bool is_asleep(const struct thread *thread) {
    return thread->state == THREAD_BLOCKED && thread->deadline != FOREVER;
}

static bool is_choosable(const struct thread *thread) {
    return thread->state == THREAD_READY || is_asleep(thread);
}

static int count_threads(enum thread_state state) {
    int count = 0;
    for (int i = 0; i < MAX_THREADS; i++) count += world->threads[i].state == state;
    return count;
}

/// The thread that continues without a decision: the next one that is ready, else the one that
/// wakes first; -1 if all wait for ever.
static int default_choice(void) {
    for (int k = 1; k <= MAX_THREADS; k++) {
        int i = (self + k) % MAX_THREADS;
        if (world->threads[i].state == THREAD_READY) return i;
    }
    int first = -1;
    for (int i = 0; i < MAX_THREADS; i++) {
        if (!is_asleep(&world->threads[i])) continue;
        if (first < 0 || world->threads[i].deadline < world->threads[first].deadline) first = i;
    }
    return first;
}

/// A random thread other than the caller: a sleeping one if `jumps` or none is ready; -1 for none.
static int random_choice(bool jumps, uint64_t random) {
    int count = 0, found[MAX_THREADS];
    for (int i = 0; i < MAX_THREADS; i++) {
        const struct thread *thread = &world->threads[i];
        if (i != self && (jumps ? is_asleep(thread) : thread->state == THREAD_READY))
            found[count++] = i;
    }
    return count == 0 ? -1 : found[random % count];
}

/// Makes a sleeping thread ready at its deadline.
static void awaken(int chosen) {
    struct thread *thread = &world->threads[chosen];
    if (thread->state != THREAD_BLOCKED) return;
    if (world->now < thread->deadline) world->now = thread->deadline;
    thread->state = THREAD_READY;
    thread->has_timed_out = true;
}

static void awaken_due(void) {
    for (int i = 0; i < MAX_THREADS; i++)
        if (is_asleep(&world->threads[i]) && world->threads[i].deadline <= world->now) awaken(i);
}

/// Chooses the thread that continues when the caller cannot; -1 if all wait for ever.
static int choose(void) {
    awaken_due();
    int usual = default_choice();
    if (usual < 0) return -1;
    int chosen = usual;
    if (world->settings.replays) {
        const struct sim_decision *found = recorded(SIM_SWITCH);
        if (found && is_choosable(&world->threads[found->argument])) chosen = found->argument;
    } else {
        uint64_t random = next_random(&world->random);
        bool jumps = (random & 0xFFFF) < world->settings.jump_rate;
        int other = random_choice(jumps, random >> 16);
        if (other >= 0) chosen = other;
        if (chosen != usual) record(SIM_SWITCH, chosen);
    }
    awaken(chosen);
    return chosen;
}

static void hand_over(int chosen) { give_baton(&world->threads[chosen].baton); }

/// Passes the baton to the chosen thread, or ends the run if there is none.
static void leave_baton(void) {
    // The choice has a number of its own.
    world->threads[self].calls++;
    int chosen = choose();
    if (chosen >= 0) {
        hand_over(chosen);
    } else if (count_threads(THREAD_BLOCKED) > 0) {
        fail("deadlock: %d threads wait for ever", count_threads(THREAD_BLOCKED));
    } else {
        end(SIM_DONE);
    }
}

bool block(const char *name, uint64_t key, int64_t deadline) {
    struct thread *thread = &world->threads[self];
    thread->state = THREAD_BLOCKED;
    thread->key = key;
    thread->deadline = deadline;
    thread->has_timed_out = false;
    thread->calls++;
    int chosen = choose();
    if (chosen < 0) fail("deadlock: all threads wait for ever, the last one in %s", name);
    if (chosen != self) {
        hand_over(chosen);
        wait_for_baton(self);
    }
    thread->state = THREAD_READY;
    thread->deadline = FOREVER;
    return thread->has_timed_out;
}

void wake_key(uint64_t key) {
    for (int i = 0; i < MAX_THREADS; i++) {
        struct thread *thread = &world->threads[i];
        if (thread->state == THREAD_BLOCKED && thread->key == key) thread->state = THREAD_READY;
    }
}

void finish_thread(void) {
    world->threads[self].state = THREAD_DONE;
    wake_key(key_of(&world->threads[self]));
    leave_baton();
    stop();
}

static void end_process(int process) {
    for (int i = 0; i < MAX_THREADS; i++) {
        if (world->threads[i].process != process || world->threads[i].state == THREAD_FREE)
            continue;
        world->threads[i].state = THREAD_DONE;
        release_mutexes(i);
    }
    release_files(process);
    world->processes[process].is_alive = false;
    leave_baton();
    syscall(SYS_exit_group, 0);
    stop();
}

void die(void) {
    world->deaths++;
    end_process(world->threads[self].process);
    stop();
}

void sim_exit(void) {
    end_process(world->threads[self].process);
    stop();
}

// Calls

static void maybe_switch(uint32_t rate, uint64_t random) {
    int chosen = -1;
    if (world->settings.replays) {
        const struct sim_decision *found = recorded(SIM_SWITCH);
        if (found) chosen = found->argument;
    } else if ((random & 0xFFFF) < rate) {
        chosen = random_choice((random >> 16 & 0xFFFF) < world->settings.jump_rate, random >> 32);
        if (chosen >= 0) record(SIM_SWITCH, chosen);
    }
    if (chosen < 0 || chosen == self || !is_choosable(&world->threads[chosen])) return;
    awaken(chosen);
    hand_over(chosen);
    wait_for_baton(self);
}

/// Whether the process dies or the power fails here; `weight` is larger where that may matter more.
static void end_early(uint32_t weight) {
    const struct sim_settings *settings = &world->settings;
    if (!settings->replays && settings->death_rate == 0 && settings->power_rate == 0) return;
    uint64_t draws = settings->replays ? 0 : next_random(&world->random);
    int ignored;
    if (world->deaths < settings->death_limit &&
        decides(SIM_DIE, settings->death_rate * weight, 24, &draws, 0, &ignored))
        die();
    if (decides(SIM_CUT_POWER, settings->power_rate * weight, 24, &draws, 0, &ignored)) {
        end(SIM_POWER);
        stop();
    }
}

static void begin(const char *name, int inode, int64_t a, int64_t b, uint32_t weight) {
    if (self < 0) return;
    world->threads[self].calls++;
    world->now += 1000;
    if (++world->steps > world->settings.step_limit)
        fail("no end after %u calls", world->settings.step_limit);
    uint64_t random = world->settings.replays ? 0 : next_random(&world->random);
    if (own_process()->unbroken == 0) {
        awaken_due();
        maybe_switch(world->settings.switch_rate, random);
    }
    note_call(name, inode, a, b);
    end_early(weight);
}

void begin_call(const char *name, int inode, int64_t a, int64_t b) {
    begin(name, inode, a, b, 1);
}

void begin_lock_call(const char *name, int inode, int64_t a, int64_t b) {
    begin(name, inode, a, b, 4);
}

void begin_local_call(void) {
    if (self < 0) return;
    world->threads[self].calls++;
    if (own_process()->unbroken > 0) return;
    uint64_t random = world->settings.replays ? 0 : next_random(&world->random);
    maybe_switch(world->settings.switch_rate / 16, random);
}

int begin_disk_call(const char *name, int inode, int64_t a, int64_t b) {
    if (self < 0) return 0;
    begin(name, inode, a, b, 8);
    const struct sim_settings *settings = &world->settings;
    if (!settings->replays &&
        (settings->error_rate | settings->short_rate | settings->interrupt_rate) == 0)
        return 0;
    static const int errors[] = {ENOSPC, EIO};
    uint64_t draws = settings->replays ? 0 : next_random(&world->random);
    int error = errors[draws >> 60 & 1], chosen;
    if (decides(SIM_ERROR, settings->error_rate, 16, &draws, error, &chosen)) {
        own_process()->has_faulted = true;
        world->any_faulted = true;
        return chosen;
    }
    if (decides(SIM_INTERRUPT, settings->interrupt_rate, 16, &draws, 0, &chosen)) return EINTR;
    if (decides(SIM_SHORT, settings->short_rate, 16, &draws, 0, &chosen)) return -1;
    return 0;
}

void sim_yield(void) { begin_call("yield", -1, 0, 0); }

int sim_process(void) { return self < 0 ? 0 : world->threads[self].process; }
