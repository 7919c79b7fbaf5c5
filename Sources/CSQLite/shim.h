// SQLite 3.40, and its macros as functions Swift can call.
#pragma once

#include <sqlite3.h>
#include <stdint.h>

// SQLITE_TRANSIENT is a cast the importer skips: SQLite copies the bytes before the call returns.
static inline int CSQLite_bind_text(sqlite3_stmt *statement, int index, const char *bytes, uint64_t count) {
    return sqlite3_bind_text64(statement, index, bytes, count, SQLITE_TRANSIENT, SQLITE_UTF8);
}
static inline int CSQLite_bind_blob(sqlite3_stmt *statement, int index, const void *bytes, uint64_t count) {
    return sqlite3_bind_blob64(statement, index, bytes, count, SQLITE_TRANSIENT);
}

// sqlite3_db_config is variadic, which Swift cannot call.
static inline int CSQLite_db_config(sqlite3 *database, int option, int value) {
    return sqlite3_db_config(database, option, value, (int *)0);
}

// sqlite3_config is variadic too; takes options whose value is a number, before the first connection.
static inline int CSQLite_config(int option, int value) {
    return sqlite3_config(option, value);
}
