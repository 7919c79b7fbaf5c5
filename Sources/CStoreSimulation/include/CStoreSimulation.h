// A machine of which a simulation is in charge: its threads, and a libpq whose server is simulated.
//
// Nothing in the programs under test knows of it. Functions of the C library that they call (usleep, sem_wait,
// pthread_create, dlopen, dlsym) are defined here, and the linker takes the first definition. Threads outside of the
// simulation get the real ones.
#pragma once

#include <stdbool.h>

// A connection of libpq, an answer, a statement with its values, and a file of SQLite in which a server keeps its rows.
typedef struct CStoreSimulation_connection CStoreSimulation_connection;
typedef struct CStoreSimulation_result CStoreSimulation_result;
typedef struct CStoreSimulation_call CStoreSimulation_call;
typedef struct CStoreSimulation_file CStoreSimulation_file;
typedef struct CStoreSimulation_place CStoreSimulation_place;

// What the simulation does when a program calls for it. One thread runs at a time.
typedef struct CStoreSimulation_hooks {
    void (*sleep)(unsigned int microseconds);
    // A semaphore has no post; returns when it may have one.
    void (*wait)(const void *semaphore);
    // A thread is made, and is known by what this returns. It begins when it is its turn.
    void *(*start)(void);
    void (*begin)(void *thread);
    void (*end)(void *thread);
    // Whether there is a connection; otherwise its error is set.
    bool (*connect)(CStoreSimulation_connection *connection, const char *host);
    void (*finish)(CStoreSimulation_connection *connection);
    CStoreSimulation_result *(*execute)(CStoreSimulation_connection *connection, const char *text);
    CStoreSimulation_result *(*prepare)(CStoreSimulation_connection *connection, const char *name,
                                        const char *text, int count, const unsigned int *types);
    // Runs statements that arrive together, up to the first that fails; the others have no answer.
    void (*run)(CStoreSimulation_connection *connection, int count, CStoreSimulation_call *const *calls,
                CStoreSimulation_result **results);
} CStoreSimulation_hooks;

// Threads that are made from here on by the calling thread, and by those, belong to the simulation.
void CStoreSimulation_begin(const CStoreSimulation_hooks *hooks);

// Where a thread waits for its turn.
CStoreSimulation_place *CStoreSimulation_make_place(void);
void CStoreSimulation_leave(CStoreSimulation_place *place);
void CStoreSimulation_park(CStoreSimulation_place *place);
void CStoreSimulation_unpark(CStoreSimulation_place *place);
// Whether a semaphore has a post.
bool CStoreSimulation_has_post(const void *semaphore);

// The number of a connection, in the order in which they were made.
int CStoreSimulation_number(const CStoreSimulation_connection *connection);
// What libpq says of it: PGTransactionStatusType.
void CStoreSimulation_set_state(CStoreSimulation_connection *connection, bool is_connected, int transaction);
void CStoreSimulation_set_error(CStoreSimulation_connection *connection, const char *text);
// Whether a program has shut its socket down.
bool CStoreSimulation_is_shut(const CStoreSimulation_connection *connection);
// Tells the program of a warning (SQLSTATE 01000).
void CStoreSimulation_warn(CStoreSimulation_connection *connection);

// Answers: of a command, of one value of text, or of a failure, whose SQLSTATE is empty if libpq itself says it.
CStoreSimulation_result *CStoreSimulation_done(const char *command);
CStoreSimulation_result *CStoreSimulation_text(const char *value);
CStoreSimulation_result *CStoreSimulation_number_answer(long long value);
CStoreSimulation_result *CStoreSimulation_failure(const char *state, const char *message);
bool CStoreSimulation_has_failed(const CStoreSimulation_result *result);
// Whether the first value of the first row is NULL.
bool CStoreSimulation_is_null(const CStoreSimulation_result *result);
// The first value, which is a whole number.
const char *CStoreSimulation_first_text(const CStoreSimulation_result *result);
long long CStoreSimulation_integer(const CStoreSimulation_result *result);
void CStoreSimulation_drop(CStoreSimulation_result *result);

// The name of the statement that a call runs.
const char *CStoreSimulation_name(const CStoreSimulation_call *call);

// NULL if it cannot be opened.
CStoreSimulation_file *CStoreSimulation_open(const char *path);
void CStoreSimulation_close(CStoreSimulation_file *file);
// Runs statements without values and rows; whether they were done.
bool CStoreSimulation_run(CStoreSimulation_file *file, const char *text);
// Runs one statement with the values of a call, of the types that it was prepared with; `call` may be NULL.
CStoreSimulation_result *CStoreSimulation_query(CStoreSimulation_file *file, const char *text,
                                                const CStoreSimulation_call *call, int count,
                                                const unsigned int *types);
// Copies what is committed; whether it could.
bool CStoreSimulation_copy(const char *from, const char *to);
