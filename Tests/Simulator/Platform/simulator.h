/// The simulated machine: processes, a scheduler that runs one thread at a time, files and a disk
/// that can lose power, locks and a clock. Everything follows from the seed, or from a list of decisions.

#ifndef SIMULATOR_H
#define SIMULATOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// Disturbances of a run. Rates are chances in 65536 at each call, or each call of the disk.
struct sim_settings {
    uint64_t seed;
    /// Chance that another thread continues.
    uint32_t switch_rate;
    /// Chance that a sleeping thread is chosen when a thread blocks, so that the clock jumps.
    uint32_t jump_rate;
    /// Chances in 2^24 that the calling process dies, and that the power fails.
    uint32_t death_rate, power_rate;
    /// Maximum number of deaths.
    uint32_t death_limit;
    /// Chances that a call of the disk fails, writes a part, or is interrupted.
    uint32_t error_rate, short_rate, interrupt_rate;
    /// Number of calls after which the run has failed to progress.
    uint32_t step_limit;
    /// Number of bytes that a power failure keeps or loses together.
    uint32_t sector;
    /// Number of a planted defect; 0 for none.
    uint32_t planted;
    /// Whether the recorded decisions are used instead of the seed.
    bool replays;
};

enum sim_end { SIM_RUNNING, SIM_DONE, SIM_POWER, SIM_FAILED };

/// A decision other than to continue with the calling thread.
struct sim_decision {
    /// Number of the thread's call, and of the thread.
    uint32_t call;
    uint8_t thread, kind;
    uint16_t argument;
};

enum sim_decision_kind {
    SIM_SWITCH = 1,
    SIM_DIE,
    SIM_CUT_POWER,
    SIM_ERROR,
    SIM_SHORT,
    SIM_INTERRUPT
};

/// Makes the machine. Called once, before all other functions.
void sim_create(void);
/// Stops all processes; removes files, locks and decisions; sets the settings. Decisions that will
/// be replayed are set with `sim_set_decisions` afterwards.
void sim_reset(const struct sim_settings *settings);
void sim_set_decisions(const struct sim_decision *decisions, size_t count);
size_t sim_decisions(struct sim_decision *decisions, size_t capacity);

/// Makes a process, which begins to run in `sim_run`. Returns 0 in the process, its number from 1 on
/// in the caller.
int sim_fork(const char *name);
/// Ends the calling process.
_Noreturn void sim_exit(void);
/// Runs until all processes have ended, the power has failed, or an invariant is violated.
enum sim_end sim_run(void);
/// After SIM_POWER: loses names, sizes and sectors that were not synced.
void sim_lose_power(void);
/// The next run after `sim_run`, with the files as they are: other rates, all processes gone.
void sim_continue(const struct sim_settings *settings);

/// Ends the run as failed.
void sim_fail(const char *message);
const char *sim_failure(void);
uint32_t sim_steps(void);
uint32_t sim_deaths(void);
/// Nanoseconds since 1970 on the simulated clock.
int64_t sim_now(void);
/// Whether a call of the calling process's disk has failed.
bool sim_has_faulted(void);
bool sim_any_faulted(void);
/// A point at which the scheduler may choose another thread.
void sim_yield(void);
/// Number of the calling process, from 1 on; 0 outside of the simulation.
int sim_process(void);
/// Calls of threads run in the simulation with the caller as the only thread, until `sim_leave`.
void sim_enter(void);
void sim_leave(void);

/// Memory that all processes share, for models of what the files must contain.
void *sim_board(void);
enum { SIM_BOARD_SIZE = 1 << 20 };

/// Saves all files and restores them, for runs that begin with a database.
void sim_save_files(void);
void sim_restore_files(void);
/// Copies the file at `path` to a real file; returns whether that succeeded.
bool sim_export(const char *path, const char *real_path);

/// Prints the last `count` calls as a table with a column for each thread.
void sim_print_calls(size_t count);
/// Hash of all calls and their results, to compare two runs.
uint64_t sim_trace_hash(void);

/// Starts the program again without address randomisation and with fixed hash seeds; returns if it
/// runs so already.
void sim_make_repeatable(char *const *arguments);
/// Binds the calling process to one processor: passing the baton is fastest there.
void sim_bind(int processor);
/// Forks a worker; returns 0 in it, otherwise its id.
int sim_fork_worker(void);
/// Waits for a worker; returns its exit status.
int sim_wait_worker(int id);

#endif
