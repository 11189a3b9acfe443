/// Functions that the files of the simulated file system share.

#ifndef SIMULATOR_FILES_H
#define SIMULATOR_FILES_H

#include "internal.h"

/// Whether a path is below /sim, in a simulated process.
bool is_simulated(const char *path);
/// Sets `errno`, notes it as the result of the call, and returns -1.
int failing(int error);
char *bytes_of(int inode);
struct name *find_name(const char *path);
bool is_open(int inode);
/// Removes a file without names and descriptors.
void release_inode(int inode);
void clear_file(int inode);
/// Makes a file or directory and returns its inode.
int make_file(const char *path, mode_t mode);
/// Notes that a file has had `end` bytes.
void touch_file(int inode, size_t end);

int new_open_file(enum open_kind kind, int inode, int flags);
int new_descriptor(int open_file);
/// Index of a descriptor's open file; -1 for a real descriptor.
int index_of(int descriptor);
/// The same; NULL for a real descriptor.
struct open_file *open_file(int descriptor);

#endif
