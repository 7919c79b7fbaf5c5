// Linux interfaces that `import Glibc` does not show to Swift: epoll, eventfd, and the calls that
// glibc hides behind _GNU_SOURCE (which cannot be defined here: the Glibc module is built without
// it, and two views of one header do not mix). No logic lives here.
#pragma once

#include <errno.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <pthread.h>
#include <linux/sockios.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <time.h>

extern int accept4(int descriptor, struct sockaddr *address, socklen_t *length, int flags);
extern int epoll_pwait2(int descriptor, struct epoll_event *events, int count,
                        const struct timespec *timeout, const sigset_t *mask);
extern int pthread_setname_np(pthread_t thread, const char *name);
extern int malloc_trim(size_t padding);
extern int syncfs(int descriptor);

static inline int CLinux_errno(void) { return errno; }
static inline int CLinux_trim_heap(void) { return malloc_trim(0); }

// Negative when the kernel cannot tell. struct ucred is hidden behind _GNU_SOURCE too: pid, uid, gid.
static inline int CLinux_unacknowledged(int descriptor) {
  int count = 0;
  return ioctl(descriptor, SIOCOUTQ, &count) == 0 ? count : -1;
}

static inline int64_t CLinux_peer_user(int descriptor) {
  unsigned int credentials[3] = {0};
  socklen_t length = sizeof credentials;
  int result = getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, credentials, &length);
  return result == 0 && length == sizeof credentials ? (int64_t)credentials[1] : -1;
}

static inline void CLinux_set_errno(int value) { errno = value; }
