/// Planted defects: the simulated system misbehaves as an engine with that defect would. The runs
/// must find each; `Planted.swift` lists them.

#ifndef SIMULATOR_PLANTED_H
#define SIMULATOR_PLANTED_H

/// Whether a write is done otherwise.
bool planted_write(int inode, const void *bytes, size_t count, off_t offset);
/// Whether a sync is left out.
bool planted_sync(int inode);
/// Called before a mutex of a lock file is unlocked.
void planted_at_unlock(uint64_t key);

#endif
