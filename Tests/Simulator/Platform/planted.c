#include "internal.h"

#include "planted.h"

// The lock file (storage format 6.2) and the header of the database (2.1).

enum {
    PARTICIPANTS = 12,
    WRITE_MUTEX = 48,
    CONTROL_MUTEX = 88,
    LIST_MUTEX = 128,
    ENTRIES = 432,
    NEWEST = 440,
    FIRST_ENTRY = 448,
    ENTRY_SIZE = 40,
    FLAGS = 23,
};

struct entry {
    uint64_t version, file_size, top;
    uint32_t live, frozen, full, unused;
};

/// State of the defects; cleared by `sim_reset` and `sim_continue` of the machine.
#define memory (world->planted_memory)

static uint32_t *number(int inode, size_t offset) {
    return (uint32_t *)(content + inode * SLOT + offset);
}

static struct entry *entry(int inode, uint32_t index) {
    return (struct entry *)(content + inode * SLOT + FIRST_ENTRY + index * ENTRY_SIZE);
}

static bool is_database(int inode) {
    for (int i = 0; i < MAX_NAMES; i++) {
        const struct name *name = &world->names[i];
        size_t count = strlen(name->path);
        if (name->inode == inode && count > 6 && strcmp(name->path + count - 6, ".realm") == 0)
            return true;
    }
    return false;
}

/// Whether the header's flags were written since the last sync.
static bool is_flip_pending(int inode) {
    for (size_t i = 0; i < world->log_count; i++) {
        const struct log_entry *entry = &world->log[i];
        if (entry->inode == inode && entry->kind == LOG_WRITE && entry->written == FLAGS) return true;
    }
    return false;
}

/// Whether the write replaces the whole beginning of a lock file that exists.
static bool clears_lock_file(int inode, size_t count, off_t offset) {
    const struct inode *file = &world->inodes[inode];
    return !is_database(inode) && offset == 0 && count >= FIRST_ENTRY && file->size >= count;
}

bool planted_write(int inode, const void *bytes, size_t count, off_t offset) {
    if (is_planted(PLANTED_LOCK_FILE_NOT_CLEARED)) return clears_lock_file(inode, count, offset);
    if (!is_planted(PLANTED_EARLY_FLIP) || !is_database(inode)) return false;
    char *header = content + inode * SLOT;
    if (count == 8 && offset <= 8) {
        memcpy(header + offset, bytes, 8);
        header[FLAGS] ^= 1;
        memcpy(durable + inode * SLOT, header, 24);
        memory[0] = 1;
        return true;
    }
    if (count == 1 && offset == FLAGS && memory[0] == 1) {
        memory[0] = 0;
        return true;
    }
    return false;
}

bool planted_sync(int inode) {
    if (!is_database(inode)) return false;
    if (is_planted(PLANTED_NO_FIRST_SYNC)) return !is_flip_pending(inode);
    if (is_planted(PLANTED_NO_SECOND_SYNC)) return is_flip_pending(inode);
    return false;
}

static bool holds(int inode, size_t offset) {
    return (*number(inode, offset) & 0x3FFFFFFF) == (uint32_t)self + 1;
}

/// The oldest pinned version but the newest; NULL for none.
static struct entry *oldest_pinned(int inode) {
    struct entry *oldest = NULL;
    for (uint32_t i = 0; i < *number(inode, ENTRIES); i++) {
        struct entry *found = entry(inode, i);
        if (i == *number(inode, NEWEST) || found->version == 0 || found->live == 0) continue;
        if (!oldest || found->version < oldest->version) oldest = found;
    }
    return oldest;
}

void planted_at_lock(int inode, size_t offset) {
    if (world->settings.planted == 0) return;
    if (offset == CONTROL_MUTEX) memory[1] = *number(inode, PARTICIPANTS);
    if (offset != LIST_MUTEX) return;
    memory[2] = *number(inode, NEWEST);
    if (is_planted(PLANTED_OLDEST_PIN_IGNORED) && holds(inode, WRITE_MUTEX)) {
        struct entry *oldest = oldest_pinned(inode);
        if (oldest) oldest->live = 0;
    }
}

static void at_list_unlock(int inode) {
    uint32_t newest = *number(inode, NEWEST), before = memory[2];
    bool is_published = holds(inode, WRITE_MUTEX) && newest != before && before < 1 << 20;
    struct entry *last = entry(inode, newest);
    if (is_planted(PLANTED_PIN_LOST) && last->live > 0 && world->steps % 8 == 0) last->live--;
    if (!is_published) return;
    if (is_planted(PLANTED_ENTRY_TORN)) last->top = entry(inode, before)->top;
    if (is_planted(PLANTED_NEWEST_KEPT) && world->steps % 4 == 0) *number(inode, NEWEST) = before;
    if (is_planted(PLANTED_ROOT_AFTER_VERSION)) last->file_size = entry(inode, before)->file_size;
    if (is_planted(PLANTED_ENTRY_NOT_PURGED)) entry(inode, before)->version = last->version;
}

void planted_at_unlock(int inode, size_t offset) {
    if (world->settings.planted == 0) return;
    if (offset == LIST_MUTEX && *number(inode, NEWEST) < 1 << 20) at_list_unlock(inode);
    if (offset != CONTROL_MUTEX) return;
    uint32_t *participants = number(inode, PARTICIPANTS);
    if (is_planted(PLANTED_LEFT_TWICE) && *participants < memory[1] && *participants > 0)
        --*participants;
}
