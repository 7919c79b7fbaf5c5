#include "CPostgreSQL.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef CPostgreSQL_connection connection_t;
typedef CPostgreSQL_result result_t;
typedef struct CPostgreSQL_option option_t;

// PQconninfoOption; the list ends with one without a name.
struct CPostgreSQL_option {
    char *name, *variable, *built_in, *value, *label, *display;
    int size;
};

// What is called, each function with its result and its parameters as in libpq-fe.h.
#define FUNCTIONS(EACH)                                                                                       \
    EACH(option_t *, conninfoParse, (const char *, char **))                                                  \
    EACH(void, conninfoFree, (option_t *))                                                                    \
    EACH(void, freemem, (void *))                                                                             \
    EACH(connection_t *, connectdbParams, (const char *const *, const char *const *, int))                    \
    EACH(void, finish, (connection_t *))                                                                      \
    EACH(int, status, (const connection_t *))                                                                 \
    EACH(int, socket, (const connection_t *))                                                                 \
    EACH(int, transactionStatus, (const connection_t *))                                                      \
    EACH(char *, errorMessage, (const connection_t *))                                                        \
    EACH(int, serverVersion, (const connection_t *))                                                          \
    EACH(const char *, parameterStatus, (const connection_t *, const char *))                                 \
    EACH(char *, db, (const connection_t *))                                                                  \
    EACH(char *, host, (const connection_t *))                                                                \
    EACH(char *, port, (const connection_t *))                                                                \
    EACH(void *, setNoticeReceiver, (connection_t *, void (*)(void *, const result_t *), void *))             \
    EACH(result_t *, exec, (connection_t *, const char *))                                                    \
    EACH(result_t *, prepare,                                                                                 \
         (connection_t *, const char *, const char *, int, const unsigned int *))                             \
    EACH(result_t *, execPrepared,                                                                            \
         (connection_t *, const char *, int, const char *const *, const int *, const int *, int))             \
    EACH(int, enterPipelineMode, (connection_t *))                                                            \
    EACH(int, exitPipelineMode, (connection_t *))                                                             \
    EACH(int, pipelineSync, (connection_t *))                                                                 \
    EACH(int, sendQueryPrepared,                                                                              \
         (connection_t *, const char *, int, const char *const *, const int *, const int *, int))             \
    EACH(int, putCopyData, (connection_t *, const char *, int))                                               \
    EACH(int, putCopyEnd, (connection_t *, const char *))                                                     \
    EACH(result_t *, getResult, (connection_t *))                                                             \
    EACH(void, clear, (result_t *))                                                                           \
    EACH(int, resultStatus, (const result_t *))                                                               \
    EACH(char *, resultErrorField, (const result_t *, int))                                                   \
    EACH(char *, resultErrorMessage, (const result_t *))                                                      \
    EACH(char *, cmdStatus, (result_t *))                                                                     \
    EACH(char *, cmdTuples, (result_t *))                                                                     \
    EACH(int, ntuples, (const result_t *))                                                                    \
    EACH(int, nfields, (const result_t *))                                                                    \
    EACH(char *, fname, (const result_t *, int))                                                              \
    EACH(unsigned int, ftype, (const result_t *, int))                                                        \
    EACH(int, getisnull, (const result_t *, int, int))                                                        \
    EACH(int, getlength, (const result_t *, int, int))                                                        \
    EACH(char *, getvalue, (const result_t *, int, int))

#define POINTER(type, name, parameters) type(*name) parameters;
static struct {
    FUNCTIONS(POINTER)
} library;

// ConnStatusType, ExecStatusType, and fields of an error (libpq-fe.h, postgres_ext.h).
enum { CONNECTION_OK = 0, COMMAND_OK = 1, TUPLES_OK = 2, COPY_IN = 4 };
enum { DIAGNOSTIC_STATE = 'C', DIAGNOSTIC_MESSAGE = 'M' };

static char load_error[256];

static bool find(void *handle, const char *name, void *function, size_t size) {
    void *found = dlsym(handle, name);
    if (found == NULL) return false;
    // ISO C has no conversion to a pointer to a function; POSIX has the representations equal (dlsym(3)).
    __builtin_memcpy(function, &found, size);
    return true;
}

static bool load(void) {
    void *handle = dlopen("libpq.so.5", RTLD_LAZY | RTLD_LOCAL);
    if (handle == NULL) return false;
#define FIND(type, name, parameters) \
    if (!find(handle, "PQ" #name, &library.name, sizeof library.name)) return false;
    FUNCTIONS(FIND)
    return true;
}

bool CPostgreSQL_load(void) {
    if (load()) return true;
    const char *reason = dlerror();
    snprintf(load_error, sizeof load_error, "%s", reason ? reason : "it lacks a function");
    return false;
}

const char *CPostgreSQL_load_error(void) { return load_error; }

CPostgreSQL_option *CPostgreSQL_parse(const char *address) {
    char *reason = NULL;
    option_t *options = library.conninfoParse(address, &reason);
    library.freemem(reason);
    return options;
}

static const option_t *named(const option_t *option, const char *name) {
    while (option->name != NULL && strcmp(option->name, name) != 0) ++option;
    return option;
}

// What ends the list has neither.
const char *CPostgreSQL_given(const CPostgreSQL_option *options, const char *name) {
    return named(options, name)->value;
}

const char *CPostgreSQL_built_in(const CPostgreSQL_option *options, const char *name) {
    return named(options, name)->built_in;
}

void CPostgreSQL_free(CPostgreSQL_option *options) { library.conninfoFree(options); }

// Notices would go to the standard error stream otherwise.
static void count_warning(void *count, const result_t *notice) {
    const char *state = library.resultErrorField(notice, DIAGNOSTIC_STATE);
    if (state != NULL && strcmp(state, "01000") == 0) ++*(unsigned int *)count;
}

CPostgreSQL_connection *CPostgreSQL_connect(const char *const *names, const char *const *values,
                                            unsigned int *warning_count) {
    // Has the value of `dbname` read as a connection string.
    connection_t *connection = library.connectdbParams(names, values, 1);
    if (connection != NULL) library.setNoticeReceiver(connection, count_warning, warning_count);
    return connection;
}

void CPostgreSQL_finish(CPostgreSQL_connection *connection) { library.finish(connection); }

bool CPostgreSQL_is_connected(const CPostgreSQL_connection *connection) {
    return library.status(connection) == CONNECTION_OK;
}

int CPostgreSQL_socket(const CPostgreSQL_connection *connection) { return library.socket(connection); }

enum CPostgreSQL_transaction CPostgreSQL_transaction_status(const CPostgreSQL_connection *connection) {
    return (enum CPostgreSQL_transaction)library.transactionStatus(connection);
}

const char *CPostgreSQL_connection_error(const CPostgreSQL_connection *connection) {
    return library.errorMessage(connection);
}

int CPostgreSQL_server_version(const CPostgreSQL_connection *connection) {
    return library.serverVersion(connection);
}

const char *CPostgreSQL_parameter(const CPostgreSQL_connection *connection, const char *name) {
    return library.parameterStatus(connection, name);
}

const char *CPostgreSQL_database(const CPostgreSQL_connection *connection) { return library.db(connection); }

const char *CPostgreSQL_host(const CPostgreSQL_connection *connection) { return library.host(connection); }

const char *CPostgreSQL_port(const CPostgreSQL_connection *connection) { return library.port(connection); }

CPostgreSQL_result *CPostgreSQL_run(CPostgreSQL_connection *connection, const char *text) {
    return library.exec(connection, text);
}

CPostgreSQL_result *CPostgreSQL_prepare(CPostgreSQL_connection *connection, const char *name, const char *text,
                                        int count, const unsigned int *types) {
    return library.prepare(connection, name, text, count, types);
}

CPostgreSQL_result *CPostgreSQL_run_prepared(CPostgreSQL_connection *connection, const char *name, int count,
                                             const char *const *values, const int *lengths,
                                             const int *formats) {
    return library.execPrepared(connection, name, count, values, lengths, formats, 1);
}

bool CPostgreSQL_begin_pipeline(CPostgreSQL_connection *connection) {
    return library.enterPipelineMode(connection) == 1;
}

bool CPostgreSQL_send_prepared(CPostgreSQL_connection *connection, const char *name, int count,
                               const char *const *values, const int *lengths, const int *formats) {
    return library.sendQueryPrepared(connection, name, count, values, lengths, formats, 1) == 1;
}

bool CPostgreSQL_sync_pipeline(CPostgreSQL_connection *connection) {
    return library.pipelineSync(connection) == 1;
}

CPostgreSQL_result *CPostgreSQL_next_in_pipeline(CPostgreSQL_connection *connection) {
    result_t *first = library.getResult(connection);
    // NULL ends the results of one statement.
    for (result_t *next = first; next != NULL;) {
        next = library.getResult(connection);
        library.clear(next);
    }
    return first;
}

bool CPostgreSQL_end_pipeline(CPostgreSQL_connection *connection) {
    // The answer to the synchronization, behind which no NULL comes.
    library.clear(library.getResult(connection));
    return library.exitPipelineMode(connection) == 1;
}

bool CPostgreSQL_takes_rows(const CPostgreSQL_result *result) {
    return library.resultStatus(result) == COPY_IN;
}

bool CPostgreSQL_send_rows(CPostgreSQL_connection *connection, const char *bytes, int count) {
    return library.putCopyData(connection, bytes, count) == 1;
}

CPostgreSQL_result *CPostgreSQL_end_rows(CPostgreSQL_connection *connection, const char *failure) {
    if (library.putCopyEnd(connection, failure) != 1) return NULL;
    result_t *first = library.getResult(connection);
    // The command has ended when there is no further answer.
    for (result_t *next = first; next != NULL;) {
        next = library.getResult(connection);
        library.clear(next);
    }
    return first;
}

void CPostgreSQL_clear(CPostgreSQL_result *result) { library.clear(result); }

bool CPostgreSQL_is_success(const CPostgreSQL_result *result) {
    int status = library.resultStatus(result);
    return status == COMMAND_OK || status == TUPLES_OK;
}

bool CPostgreSQL_has_rows(const CPostgreSQL_result *result) {
    return library.resultStatus(result) == TUPLES_OK;
}

const char *CPostgreSQL_error_state(const CPostgreSQL_result *result) {
    return library.resultErrorField(result, DIAGNOSTIC_STATE);
}

const char *CPostgreSQL_error_message(const CPostgreSQL_result *result) {
    return library.resultErrorField(result, DIAGNOSTIC_MESSAGE);
}

const char *CPostgreSQL_error_text(const CPostgreSQL_result *result) {
    return library.resultErrorMessage(result);
}

const char *CPostgreSQL_command(CPostgreSQL_result *result) { return library.cmdStatus(result); }

long long CPostgreSQL_changed_rows(CPostgreSQL_result *result) {
    return strncmp(library.cmdStatus(result), "SELECT", 6) == 0 ? 0 : atoll(library.cmdTuples(result));
}

int CPostgreSQL_row_count(const CPostgreSQL_result *result) { return library.ntuples(result); }

int CPostgreSQL_column_count(const CPostgreSQL_result *result) { return library.nfields(result); }

const char *CPostgreSQL_column_name(const CPostgreSQL_result *result, int column) {
    return library.fname(result, column);
}

unsigned int CPostgreSQL_column_type(const CPostgreSQL_result *result, int column) {
    return library.ftype(result, column);
}

bool CPostgreSQL_is_null(const CPostgreSQL_result *result, int row, int column) {
    return library.getisnull(result, row, column) != 0;
}

int CPostgreSQL_length(const CPostgreSQL_result *result, int row, int column) {
    return library.getlength(result, row, column);
}

const char *CPostgreSQL_value(const CPostgreSQL_result *result, int row, int column) {
    return library.getvalue(result, row, column);
}
