// Linux interfaces that `import Glibc` does not show to Swift: epoll, eventfd, and the calls that
// glibc hides behind _GNU_SOURCE (which cannot be defined here: the Glibc module is built without
// it, and two views of one header do not mix). No logic lives here.
#pragma once

#include <errno.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <pthread.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <time.h>

extern int accept4(int descriptor, struct sockaddr *address, socklen_t *length, int flags);
extern int epoll_pwait2(int descriptor, struct epoll_event *events, int count,
                        const struct timespec *timeout, const sigset_t *mask);
extern int pthread_setname_np(pthread_t thread, const char *name);

static inline int CLinux_errno(void) { return errno; }
static inline void CLinux_set_errno(int value) { errno = value; }
