/// Planted defects: the simulated system misbehaves so that the engine behaves as one with that
/// defect would. The runs must find each; `Defect.swift` describes them.

#ifndef SIMULATOR_PLANTED_H
#define SIMULATOR_PLANTED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum planted {
    PLANTED_NO_FIRST_SYNC = 1,
    PLANTED_NO_SECOND_SYNC,
    PLANTED_EARLY_FLIP,
    PLANTED_NOT_CONSISTENT,
    PLANTED_OWNER_DEATH_UNSEEN,
    PLANTED_CONTROL_UNLOCKED,
    PLANTED_WRITER_UNLOCKED,
    PLANTED_SESSION_LOCK_LOST,
    PLANTED_BROADCAST_LOST,
    PLANTED_PIN_LOST,
    PLANTED_ENTRY_TORN,
    PLANTED_NEWEST_KEPT,
    PLANTED_FILE_NOT_GROWN,
    PLANTED_SHORT_WRITE_UNSEEN,
    PLANTED_FAILED_SYNC_UNSEEN,
    PLANTED_SIZE_NOT_SYNCED,
    PLANTED_SECTOR_NOT_SYNCED,
    PLANTED_OLDEST_PIN_IGNORED,
    PLANTED_LEFT_TWICE,
    PLANTED_ENTRY_NOT_PURGED,
    PLANTED_ROOT_AFTER_VERSION,
    PLANTED_LOCK_FILE_NOT_CLEARED,
    PLANTED_EVENT_LOST,
    PLANTED_COUNT
};

/// Whether a write is swallowed.
bool planted_write(int inode, const void *bytes, size_t count, off_t offset);
/// Whether a sync is left out.
bool planted_sync(int inode);
/// Called after a mutex of a lock file was locked, and before it is unlocked. `offset` is its
/// offset in the file.
void planted_at_lock(int inode, size_t offset);
void planted_at_unlock(int inode, size_t offset);

#endif
