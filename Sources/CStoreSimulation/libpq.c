// The functions of libpq that CPostgreSQL calls, with a simulated server behind them.
#include "shared.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

typedef CStoreSimulation_connection connection_t;
typedef CStoreSimulation_result result_t;
typedef CStoreSimulation_call call_t;
typedef void (*receiver_t)(void *, const result_t *);

struct CStoreSimulation_connection {
    int number;
    bool is_connected;
    int transaction;
    char error[256];
    // The program's end, and that of the way to the server.
    int sockets[2];
    receiver_t receiver;
    void *receiver_argument;
    // A pipeline: what was sent, and the answers that are taken one by one, each followed by NULL.
    int call_count;
    call_t **calls;
    result_t **results;
    int taken_count;
};

// PQconninfoOption.
typedef struct {
    char *name, *variable, *built_in, *value, *label, *display;
    int size;
} option_t;

// MARK: For the simulation

int CStoreSimulation_number(const connection_t *connection) { return connection->number; }

void CStoreSimulation_set_state(connection_t *connection, bool is_connected, int transaction) {
    connection->is_connected = is_connected;
    connection->transaction = transaction;
}

void CStoreSimulation_set_error(connection_t *connection, const char *text) {
    snprintf(connection->error, sizeof connection->error, "%s", text);
}

bool CStoreSimulation_is_shut(const connection_t *connection) {
    char byte;
    return recv(connection->sockets[1], &byte, 1, MSG_PEEK | MSG_DONTWAIT) == 0;
}

void CStoreSimulation_warn(connection_t *connection) {
    if (connection->receiver == NULL) return;
    result_t *notice = CStoreSimulation_failure("01000", "canceling wait for synchronous replication");
    connection->receiver(connection->receiver_argument, notice);
    CStoreSimulation_drop(notice);
}

const char *CStoreSimulation_name(const call_t *call) { return call->name; }

// MARK: Calls

static call_t *make_call(const char *name, int count, const char *const *values, const int *lengths) {
    call_t *call = CStoreSimulation_allocate(1, sizeof *call);
    call->name = CStoreSimulation_copy_text(name);
    call->count = count;
    call->values = CStoreSimulation_allocate((size_t)count, sizeof *call->values);
    call->lengths = CStoreSimulation_allocate((size_t)count, sizeof *call->lengths);
    for (int place = 0; place < count; ++place) {
        if (values[place] == NULL) continue;
        size_t length = (size_t)lengths[place];
        call->lengths[place] = lengths[place];
        call->values[place] = CStoreSimulation_allocate(length + 1, 1);
        memcpy(call->values[place], values[place], length);
    }
    return call;
}

static void drop_call(call_t *call) {
    for (int place = 0; place < call->count; ++place) free(call->values[place]);
    free(call->values);
    free(call->lengths);
    free(call->name);
    free(call);
}

static void drop_pipeline(connection_t *connection) {
    for (int place = 0; place < connection->call_count; ++place) {
        drop_call(connection->calls[place]);
        if (connection->results != NULL && 2 * place >= connection->taken_count) {
            CStoreSimulation_drop(connection->results[place]);
        }
    }
    free(connection->calls);
    free(connection->results);
    connection->calls = NULL;
    connection->results = NULL;
    connection->call_count = connection->taken_count = 0;
}

// MARK: libpq

static option_t *conninfoParse(const char *address, char **reason) {
    (void)reason;
    static const char *const names[] = {"host", "hostaddr",           "port", "service", "target_session_attrs",
                                        "load_balance_hosts"};
    const size_t count = sizeof names / sizeof *names;
    option_t *options = CStoreSimulation_allocate(count + 1, sizeof *options);
    for (size_t place = 0; place < count; ++place) options[place].name = CStoreSimulation_copy_text(names[place]);
    options[2].built_in = CStoreSimulation_copy_text("5432");
    // postgresql://user@HOSTS/database
    const char *start = strchr(address, '@');
    const char *end = start == NULL ? NULL : strchr(start, '/');
    if (end != NULL) options[0].value = strndup(start + 1, (size_t)(end - start) - 1);
    return options;
}

static void conninfoFree(option_t *options) {
    for (option_t *option = options; option != NULL && option->name != NULL; ++option) {
        free(option->name);
        free(option->built_in);
        free(option->value);
    }
    free(options);
}

static void freemem(void *memory) { free(memory); }

static connection_t *connectdbParams(const char *const *names, const char *const *values, int expands) {
    (void)expands;
    static int count;
    connection_t *connection = CStoreSimulation_allocate(1, sizeof *connection);
    connection->number = ++count;
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, connection->sockets) != 0) abort();
    const char *host = "";
    for (int place = 0; names[place] != NULL; ++place) {
        if (strcmp(names[place], "host") == 0) host = values[place];
    }
    bool is_connected = CStoreSimulation_present.connect(connection, host);
    CStoreSimulation_set_state(connection, is_connected, is_connected ? 0 : 4);
    return connection;
}

static void finish(connection_t *connection) {
    CStoreSimulation_present.finish(connection);
    drop_pipeline(connection);
    close(connection->sockets[0]);
    close(connection->sockets[1]);
    free(connection);
}

static int status(const connection_t *connection) { return connection->is_connected ? 0 : 1; }

static int socket_of(const connection_t *connection) { return connection->sockets[0]; }

static int transactionStatus(const connection_t *connection) {
    return connection->is_connected ? connection->transaction : 4;
}

static char *errorMessage(const connection_t *connection) { return (char *)(size_t)connection->error; }

static int serverVersion(const connection_t *connection) { return connection->is_connected ? 150000 : 0; }

static const char *parameterStatus(const connection_t *connection, const char *name) {
    (void)connection;
    return strcmp(name, "server_encoding") == 0 ? "UTF8" : NULL;
}

static char empty[] = "";

static char *nothing(const connection_t *connection) {
    (void)connection;
    return empty;
}

static receiver_t setNoticeReceiver(connection_t *connection, receiver_t receiver, void *argument) {
    receiver_t old = connection->receiver;
    connection->receiver = receiver;
    connection->receiver_argument = argument;
    return old;
}

static result_t *exec(connection_t *connection, const char *text) {
    return CStoreSimulation_present.execute(connection, text);
}

static result_t *prepare(connection_t *connection, const char *name, const char *text, int count,
                         const unsigned int *types) {
    return CStoreSimulation_present.prepare(connection, name, text, count, types);
}

static result_t *execPrepared(connection_t *connection, const char *name, int count, const char *const *values,
                              const int *lengths, const int *formats, int result_format) {
    (void)formats;
    (void)result_format;
    call_t *call = make_call(name, count, values, lengths);
    result_t *result = NULL;
    CStoreSimulation_present.run(connection, 1, &call, &result);
    drop_call(call);
    return result;
}

static int enterPipelineMode(connection_t *connection) {
    drop_pipeline(connection);
    return connection->is_connected;
}

static int sendQueryPrepared(connection_t *connection, const char *name, int count, const char *const *values,
                             const int *lengths, const int *formats, int result_format) {
    (void)formats;
    (void)result_format;
    size_t size = ((size_t)connection->call_count + 1) * sizeof *connection->calls;
    connection->calls = realloc(connection->calls, size);
    if (connection->calls == NULL) abort();
    connection->calls[connection->call_count] = make_call(name, count, values, lengths);
    ++connection->call_count;
    return connection->is_connected;
}

static int pipelineSync(connection_t *connection) {
    connection->results =
        CStoreSimulation_allocate((size_t)connection->call_count, sizeof *connection->results);
    CStoreSimulation_present.run(connection, connection->call_count, connection->calls, connection->results);
    return 1;
}

static result_t *getResult(connection_t *connection) {
    int place = connection->taken_count++;
    if (place >= 2 * connection->call_count) return CStoreSimulation_make_result(STATUS_SYNCHRONIZED);
    if (place % 2 == 1) return NULL;
    result_t *result = connection->results[place / 2];
    return result != NULL ? result : CStoreSimulation_make_result(STATUS_SKIPPED);
}

static int exitPipelineMode(connection_t *connection) {
    drop_pipeline(connection);
    return connection->is_connected;
}

// Stores are copied by COPY, which is not simulated.
static int putCopyData(connection_t *connection, const char *bytes, int count) {
    (void)connection;
    (void)bytes;
    (void)count;
    return -1;
}

static int putCopyEnd(connection_t *connection, const char *failure) {
    (void)connection;
    (void)failure;
    return -1;
}

static int resultStatus(const result_t *result) { return result->status; }

static char *resultErrorField(const result_t *result, int field) {
    if (field == 'C') return result->state[0] == '\0' ? NULL : (char *)(size_t)result->state;
    return field == 'M' ? result->message : NULL;
}

static char *resultErrorMessage(const result_t *result) { return result->message ? result->message : empty; }

static char *cmdStatus(result_t *result) { return result->command; }

static char *cmdTuples(result_t *result) { return result->affected; }

static int ntuples(const result_t *result) { return result->row_count; }

static int nfields(const result_t *result) { return result->column_count; }

static char *fname(const result_t *result, int column) { return result->columns[column].name; }

static unsigned int ftype(const result_t *result, int column) { return result->columns[column].type; }

static const CStoreSimulation_cell *cell(const result_t *result, int row, int column) {
    return &result->cells[row * result->column_count + column];
}

static int getisnull(const result_t *result, int row, int column) { return cell(result, row, column)->is_null; }

static int getlength(const result_t *result, int row, int column) { return cell(result, row, column)->length; }

static char *getvalue(const result_t *result, int row, int column) {
    const CStoreSimulation_cell *found = cell(result, row, column);
    return found->is_null ? empty : found->bytes;
}

typedef void (*function_t)(void);

#define NAMED(function) {"PQ" #function, (function_t)(function)}

static const struct {
    const char *name;
    function_t function;
} functions[] = {
    NAMED(conninfoParse),
    NAMED(conninfoFree),
    NAMED(freemem),
    NAMED(connectdbParams),
    NAMED(finish),
    NAMED(status),
    {"PQsocket", (function_t)socket_of},
    NAMED(transactionStatus),
    NAMED(errorMessage),
    NAMED(serverVersion),
    NAMED(parameterStatus),
    {"PQdb", (function_t)nothing},
    {"PQhost", (function_t)nothing},
    {"PQport", (function_t)nothing},
    NAMED(setNoticeReceiver),
    NAMED(exec),
    NAMED(prepare),
    NAMED(execPrepared),
    NAMED(enterPipelineMode),
    NAMED(exitPipelineMode),
    NAMED(pipelineSync),
    NAMED(sendQueryPrepared),
    NAMED(putCopyData),
    NAMED(putCopyEnd),
    NAMED(getResult),
    {"PQclear", (function_t)CStoreSimulation_drop},
    NAMED(resultStatus),
    NAMED(resultErrorField),
    NAMED(resultErrorMessage),
    NAMED(cmdStatus),
    NAMED(cmdTuples),
    NAMED(ntuples),
    NAMED(nfields),
    NAMED(fname),
    NAMED(ftype),
    NAMED(getisnull),
    NAMED(getlength),
    NAMED(getvalue),
};

void *CStoreSimulation_function(const char *name) {
    for (size_t place = 0; place < sizeof functions / sizeof *functions; ++place) {
        if (strcmp(functions[place].name, name) != 0) continue;
        void *found;
        memcpy(&found, &functions[place].function, sizeof found);
        return found;
    }
    return NULL;
}
