/// What Swift's view of the C library leaves out.

#ifndef C_REALM_SYSTEM_H
#define C_REALM_SYSTEM_H

#include <sys/epoll.h>
#include <sys/eventfd.h>

#endif
