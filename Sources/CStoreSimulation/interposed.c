// For RTLD_NEXT; pthread.h declares what is defined here with attributes that differ between libraries.
#define _GNU_SOURCE

#include "shared.h"

#include <dlfcn.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

CStoreSimulation_hooks CStoreSimulation_present;
static bool is_simulated;
// Whether the thread belongs to the simulation.
static _Thread_local bool is_member;

typedef struct {
    void *(*body)(void *);
    void *argument;
    void *thread;
} beginning_t;

struct CStoreSimulation_place {
    sem_t turn;
};

// ISO C has no conversion to a pointer to a function; POSIX has the representations equal (dlsym(3)).
#define REAL(function) \
    static __typeof__(&function) real; \
    if (real == NULL) { \
        void *found = next_definition(#function); \
        memcpy(&real, &found, sizeof real); \
    }

static void *next_definition(const char *name) {
    // dlsym itself is defined here; its versions are those of x86-64 and AArch64 (glibc's libc.abilist).
    static void *(*real)(void *, const char *);
    static const char *const versions[] = {"GLIBC_2.34", "GLIBC_2.2.5", "GLIBC_2.17"};
    for (unsigned int place = 0; real == NULL && place < sizeof versions / sizeof *versions; ++place) {
        void *found = dlvsym(RTLD_NEXT, "dlsym", versions[place]);
        memcpy(&real, &found, sizeof real);
    }
    if (real == NULL) abort();
    return real(RTLD_NEXT, name);
}

void CStoreSimulation_begin(const CStoreSimulation_hooks *hooks) {
    CStoreSimulation_present = *hooks;
    is_simulated = is_member = true;
}

// MARK: Threads

int usleep(useconds_t microseconds) {
    if (is_member) {
        CStoreSimulation_present.sleep(microseconds);
        return 0;
    }
    REAL(usleep)
    return real(microseconds);
}

static int wait_really(sem_t *semaphore) {
    REAL(sem_wait)
    return real(semaphore);
}

int sem_wait(sem_t *semaphore) {
    if (!is_member) return wait_really(semaphore);
    while (sem_trywait(semaphore) != 0) CStoreSimulation_present.wait(semaphore);
    return 0;
}

bool CStoreSimulation_has_post(const void *semaphore) {
    int count = 0;
    // It is not changed: sem_getvalue has no const.
    return sem_getvalue((sem_t *)(size_t)semaphore, &count) == 0 && count > 0;
}

static void *begin(void *argument) {
    beginning_t beginning = *(beginning_t *)argument;
    free(argument);
    is_member = true;
    CStoreSimulation_present.begin(beginning.thread);
    void *result = beginning.body(beginning.argument);
    is_member = false;
    CStoreSimulation_present.end(beginning.thread);
    return result;
}

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*body)(void *), void *argument) {
    REAL(pthread_create)
    if (!is_member) return real(thread, attributes, body, argument);
    beginning_t *beginning = malloc(sizeof *beginning);
    if (beginning == NULL) abort();
    *beginning = (beginning_t){body, argument, CStoreSimulation_present.start()};
    return real(thread, attributes, begin, beginning);
}

CStoreSimulation_place *CStoreSimulation_make_place(void) {
    CStoreSimulation_place *place = malloc(sizeof *place);
    if (place == NULL || sem_init(&place->turn, 0, 0) != 0) abort();
    return place;
}

void CStoreSimulation_leave(CStoreSimulation_place *place) {
    sem_destroy(&place->turn);
    free(place);
}

void CStoreSimulation_park(CStoreSimulation_place *place) {
    while (wait_really(&place->turn) != 0) {}
}

void CStoreSimulation_unpark(CStoreSimulation_place *place) { sem_post(&place->turn); }

// MARK: libpq

// The address of this stands for the library.
static char library;

void *dlopen(const char *path, int mode) {
    if (is_simulated && path != NULL && strcmp(path, "libpq.so.5") == 0) return &library;
    REAL(dlopen)
    return real(path, mode);
}

void *dlsym(void *restrict handle, const char *restrict name) {
    if (handle == &library) return CStoreSimulation_function(name);
    REAL(dlsym)
    return real(handle, name);
}
