// libpq of PostgreSQL 14 or newer, loaded when a store is kept on a server.
//
// Its header is not needed: what is called is declared here, as libpq-fe.h of version 15 has it, because neither
// building nor running the embedded store is to need PostgreSQL. Nothing is linked with libpq.
#pragma once

#include <stdbool.h>

// PGconn and PGresult, and the parameters of a connection.
typedef struct CPostgreSQL_connection CPostgreSQL_connection;
typedef struct CPostgreSQL_result CPostgreSQL_result;
typedef struct CPostgreSQL_option CPostgreSQL_option;

// Types of the server, from its catalogue pg_type.
enum CPostgreSQL_type {
    CPostgreSQL_UNKNOWN = 0,
    CPostgreSQL_BOOL = 16,
    CPostgreSQL_BYTEA = 17,
    CPostgreSQL_NAME = 19,
    CPostgreSQL_INT8 = 20,
    CPostgreSQL_INT2 = 21,
    CPostgreSQL_INT4 = 23,
    CPostgreSQL_TEXT = 25,
    CPostgreSQL_FLOAT4 = 700,
    CPostgreSQL_FLOAT8 = 701,
    CPostgreSQL_UNKNOWN_TEXT = 705,
    CPostgreSQL_VARCHAR = 1043,
    CPostgreSQL_NUMERIC = 1700,
};

// PGTransactionStatusType.
enum CPostgreSQL_transaction {
    CPostgreSQL_IDLE,
    CPostgreSQL_ACTIVE,
    CPostgreSQL_IN_TRANSACTION,
    CPostgreSQL_IN_ERROR,
    CPostgreSQL_NO_CONNECTION,
};

// Loads the library; true if it can be used. To be called once, before everything else here.
bool CPostgreSQL_load(void);

// Why the library could not be loaded, as dlerror(3) has it; "" if it could.
const char *CPostgreSQL_load_error(void);

// The parameters of a connection string or an address, to be freed; NULL when it is neither, for which connecting gives
// the reason, or when there is no memory.
CPostgreSQL_option *CPostgreSQL_parse(const char *address);
// The value that it gives itself, not the environment or a file of services; NULL without one.
const char *CPostgreSQL_given(const CPostgreSQL_option *options, const char *name);
// The value that libpq was built with for those that give none; NULL without one.
const char *CPostgreSQL_built_in(const CPostgreSQL_option *options, const char *name);
void CPostgreSQL_free(CPostgreSQL_option *options);

// Connects and waits for it. NULL when there is no memory; otherwise to be finished, even if it has failed. The last
// of both arrays is NULL. `dbname` may be a connection string or an address. Until the end, warnings of SQLSTATE 01000
// are added to `warning_count`; other notices are dropped.
CPostgreSQL_connection *CPostgreSQL_connect(const char *const *names, const char *const *values,
                                            unsigned int *warning_count);
void CPostgreSQL_finish(CPostgreSQL_connection *connection);
bool CPostgreSQL_is_connected(const CPostgreSQL_connection *connection);
// The descriptor of its socket; -1 without one.
int CPostgreSQL_socket(const CPostgreSQL_connection *connection);
enum CPostgreSQL_transaction CPostgreSQL_transaction_status(const CPostgreSQL_connection *connection);
const char *CPostgreSQL_connection_error(const CPostgreSQL_connection *connection);
// For example 150018; 0 without a connection.
int CPostgreSQL_server_version(const CPostgreSQL_connection *connection);
// A setting that the server reports by itself; NULL if it does not.
const char *CPostgreSQL_parameter(const CPostgreSQL_connection *connection, const char *name);
const char *CPostgreSQL_database(const CPostgreSQL_connection *connection);
const char *CPostgreSQL_host(const CPostgreSQL_connection *connection);
const char *CPostgreSQL_port(const CPostgreSQL_connection *connection);

// Runs text by the simple protocol. Every result is to be cleared; NULL when there is no memory or no connection.
CPostgreSQL_result *CPostgreSQL_run(CPostgreSQL_connection *connection, const char *text);
CPostgreSQL_result *CPostgreSQL_prepare(CPostgreSQL_connection *connection, const char *name, const char *text,
                                        int count, const unsigned int *types);
// Values and rows in the binary format.
CPostgreSQL_result *CPostgreSQL_run_prepared(CPostgreSQL_connection *connection, const char *name, int count,
                                             const char *const *values, const int *lengths,
                                             const int *formats);
void CPostgreSQL_clear(CPostgreSQL_result *result);

// A pipeline: prepared statements are sent, then synchronized, and each has its answer, in order; those behind one that
// has failed are not run, and their answers are errors. Nothing else may be run before its end.
bool CPostgreSQL_begin_pipeline(CPostgreSQL_connection *connection);
bool CPostgreSQL_send_prepared(CPostgreSQL_connection *connection, const char *name, int count,
                               const char *const *values, const int *lengths, const int *formats);
bool CPostgreSQL_sync_pipeline(CPostgreSQL_connection *connection);
CPostgreSQL_result *CPostgreSQL_next_in_pipeline(CPostgreSQL_connection *connection);
// False when the connection cannot be used for anything else any longer.
bool CPostgreSQL_end_pipeline(CPostgreSQL_connection *connection);

// The answer to COPY … FROM STDIN that asks for rows. They are sent in pieces of any size, and ended, with the answer
// to all of it; a failure, which is not NULL then, has the server forget them.
bool CPostgreSQL_takes_rows(const CPostgreSQL_result *result);
bool CPostgreSQL_send_rows(CPostgreSQL_connection *connection, const char *bytes, int count);
CPostgreSQL_result *CPostgreSQL_end_rows(CPostgreSQL_connection *connection, const char *failure);

// A command was done or rows came; otherwise there is an error.
bool CPostgreSQL_is_success(const CPostgreSQL_result *result);
// Rows came, be it none.
bool CPostgreSQL_has_rows(const CPostgreSQL_result *result);
// The five letters of SQLSTATE; NULL if the server has not said any.
const char *CPostgreSQL_error_state(const CPostgreSQL_result *result);
// The server's sentence alone; NULL if it has not said any.
const char *CPostgreSQL_error_message(const CPostgreSQL_result *result);
// The sentence with what surrounds it: kind, detail, context.
const char *CPostgreSQL_error_text(const CPostgreSQL_result *result);
// "INSERT 0 1", "COMMIT".
const char *CPostgreSQL_command(CPostgreSQL_result *result);
// Rows that the command inserted, changed or deleted.
long long CPostgreSQL_changed_rows(CPostgreSQL_result *result);

int CPostgreSQL_row_count(const CPostgreSQL_result *result);
int CPostgreSQL_column_count(const CPostgreSQL_result *result);
const char *CPostgreSQL_column_name(const CPostgreSQL_result *result, int column);
unsigned int CPostgreSQL_column_type(const CPostgreSQL_result *result, int column);
bool CPostgreSQL_is_null(const CPostgreSQL_result *result, int row, int column);
int CPostgreSQL_length(const CPostgreSQL_result *result, int row, int column);
const char *CPostgreSQL_value(const CPostgreSQL_result *result, int row, int column);
