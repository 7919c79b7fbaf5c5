// Counts heap allocations of a process: preload it, and send SIGUSR1 for a line on standard error
// with the number so far. Used by benchmarks/run to report allocations per call.
//
//   cc -O2 -shared -fPIC -o count-allocations.so count-allocations.c -ldl
//   LD_PRELOAD=./count-allocations.so PROGRAM

#define _GNU_SOURCE
#include <dlfcn.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *pointer, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);

static unsigned long allocation_count;

static void count(void) { __atomic_fetch_add(&allocation_count, 1, __ATOMIC_RELAXED); }

void *malloc(size_t size) {
    count();
    return __libc_malloc(size);
}

void *calloc(size_t number, size_t size) {
    count();
    return __libc_calloc(number, size);
}

void *realloc(void *pointer, size_t size) {
    count();
    return __libc_realloc(pointer, size);
}

void *aligned_alloc(size_t alignment, size_t size) {
    count();
    return __libc_memalign(alignment, size);
}

int posix_memalign(void **pointer, size_t alignment, size_t size) {
    count();
    *pointer = __libc_memalign(alignment, size);
    return *pointer ? 0 : 12;
}

// Only functions that are safe in a signal handler (signal-safety(7)).
static void report(int number) {
    (void)number;
    char text[32];
    int end = sizeof text;
    unsigned long value = __atomic_load_n(&allocation_count, __ATOMIC_RELAXED);
    text[--end] = '\n';
    do {
        text[--end] = (char)('0' + value % 10);
        value /= 10;
    } while (value > 0);
    if (write(2, text + end, sizeof text - (size_t)end) < 0) return;
}

__attribute__((constructor)) static void install(void) {
    struct sigaction action = {.sa_handler = report, .sa_flags = SA_RESTART};
    sigaction(SIGUSR1, &action, NULL);
}
