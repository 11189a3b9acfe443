/// What Swift's view of the C library and of its own runtime leaves out.

#ifndef C_REALM_SYSTEM_H
#define C_REALM_SYSTEM_H

#include <sys/epoll.h>
#include <sys/eventfd.h>

/// The object, kept once more, or nothing when its end has begun: the runtime's own, of which it makes
/// weak references. Its memory must still be there.
void *swift_tryRetain(void *object);

#endif
