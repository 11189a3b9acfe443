/// What Swift's view of the C library, of its own runtime and of the processor leaves out.

#ifndef C_REALM_SYSTEM_H
#define C_REALM_SYSTEM_H

#include <sys/epoll.h>
#include <sys/eventfd.h>

/// The object, kept once more, or nothing when its end has begun: the runtime's own, of which it makes
/// weak references. Its memory must still be there.
void *swift_tryRetain(void *object);

/// Has the processor fetch the line of memory that `address` is in; any address will do.
static inline void realm_prefetch(const void *address) { __builtin_prefetch(address); }

#endif
