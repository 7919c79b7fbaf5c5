// Linux interfaces that `import Glibc` does not show to Swift: epoll, eventfd, and macros or
// variadic functions that the importer cannot translate. No logic lives here.
#pragma once

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

static inline int CLinux_errno(void) { return errno; }
static inline int CLinux_fcntl_set_flags(int descriptor, int flags) {
    return fcntl(descriptor, F_SETFL, flags);
}
