// Rows of a simulated server, in files of SQLite: values come and go in PostgreSQL's binary format.
#include "shared.h"

#include <endian.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct CStoreSimulation_file {
    sqlite3 *handle;
};

CStoreSimulation_file *CStoreSimulation_open(const char *path) {
    CStoreSimulation_file *file = CStoreSimulation_allocate(1, sizeof *file);
    const int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE;
    // No one waits for a disk: what outlives a crash is for the simulation to say.
    const char *settings = "PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF; PRAGMA foreign_keys = ON";
    if (sqlite3_open_v2(path, &file->handle, flags, NULL) == SQLITE_OK
        && sqlite3_exec(file->handle, settings, NULL, NULL, NULL) == SQLITE_OK) {
        return file;
    }
    CStoreSimulation_close(file);
    return NULL;
}

void CStoreSimulation_close(CStoreSimulation_file *file) {
    sqlite3_close(file->handle);
    free(file);
}

bool CStoreSimulation_run(CStoreSimulation_file *file, const char *text) {
    return sqlite3_exec(file->handle, text, NULL, NULL, NULL) == SQLITE_OK;
}

static void bind(sqlite3_stmt *statement, int place, unsigned int type, const char *bytes, int length) {
    unsigned long long word = 0;
    if (bytes != NULL && length == sizeof word) memcpy(&word, bytes, sizeof word);
    word = be64toh(word);
    double real;
    memcpy(&real, &word, sizeof real);
    if (bytes == NULL) {
        sqlite3_bind_null(statement, place);
    } else if (type == TYPE_INTEGER) {
        sqlite3_bind_int64(statement, place, (sqlite3_int64)word);
    } else if (type == TYPE_REAL) {
        sqlite3_bind_double(statement, place, real);
    } else if (type == TYPE_TEXT) {
        sqlite3_bind_text(statement, place, bytes, length, SQLITE_TRANSIENT);
    } else {
        sqlite3_bind_blob(statement, place, bytes, length, SQLITE_TRANSIENT);
    }
}

static unsigned int take_value(CStoreSimulation_result *result, int row, int column, sqlite3_stmt *statement) {
    unsigned long long word = 0;
    double real = 0;
    switch (sqlite3_column_type(statement, column)) {
    case SQLITE_INTEGER:
        word = htobe64((unsigned long long)sqlite3_column_int64(statement, column));
        CStoreSimulation_set_cell(result, row, column, &word, sizeof word);
        return TYPE_INTEGER;
    case SQLITE_FLOAT:
        real = sqlite3_column_double(statement, column);
        memcpy(&word, &real, sizeof word);
        word = htobe64(word);
        CStoreSimulation_set_cell(result, row, column, &word, sizeof word);
        return TYPE_REAL;
    case SQLITE_TEXT: {
        const void *text = sqlite3_column_text(statement, column);
        CStoreSimulation_set_cell(result, row, column, text, sqlite3_column_bytes(statement, column));
        return TYPE_TEXT;
    }
    case SQLITE_BLOB: {
        const void *blob = sqlite3_column_blob(statement, column);
        int length = sqlite3_column_bytes(statement, column);
        CStoreSimulation_set_cell(result, row, column, blob == NULL ? "" : blob, length);
        return TYPE_BLOB;
    }
    default:
        CStoreSimulation_set_cell(result, row, column, NULL, 0);
        return 0;
    }
}

static CStoreSimulation_result *failure(CStoreSimulation_file *file) {
    const char *state = "42601";
    switch (sqlite3_extended_errcode(file->handle)) {
    case SQLITE_CONSTRAINT_UNIQUE:
    case SQLITE_CONSTRAINT_PRIMARYKEY:
    case SQLITE_CONSTRAINT_ROWID: state = "23505"; break;
    case SQLITE_CONSTRAINT_FOREIGNKEY: state = "23503"; break;
    case SQLITE_CONSTRAINT_CHECK: state = "23514"; break;
    case SQLITE_CONSTRAINT_NOTNULL: state = "23502"; break;
    default: break;
    }
    return CStoreSimulation_failure(state, sqlite3_errmsg(file->handle));
}

static void describe(CStoreSimulation_result *result, sqlite3_stmt *statement) {
    result->column_count = sqlite3_column_count(statement);
    result->columns = CStoreSimulation_allocate((size_t)result->column_count, sizeof *result->columns);
    for (int column = 0; column < result->column_count; ++column) {
        result->columns[column].name = CStoreSimulation_copy_text(sqlite3_column_name(statement, column));
    }
}

static void finish_command(CStoreSimulation_result *result, sqlite3 *handle, bool only_reads) {
    int count = only_reads ? result->row_count : sqlite3_changes(handle);
    snprintf(result->command, sizeof result->command, only_reads ? "SELECT %d" : "CHANGED %d", count);
    snprintf(result->affected, sizeof result->affected, "%d", count);
}

CStoreSimulation_result *CStoreSimulation_query(CStoreSimulation_file *file, const char *text,
                                                const CStoreSimulation_call *call, int count,
                                                const unsigned int *types) {
    sqlite3_stmt *statement = NULL;
    if (sqlite3_prepare_v2(file->handle, text, -1, &statement, NULL) != SQLITE_OK) return failure(file);
    if (statement == NULL) return CStoreSimulation_done("");
    for (int place = 0; call != NULL && place < call->count && place < count; ++place) {
        bind(statement, place + 1, types[place], call->values[place], call->lengths[place]);
    }
    CStoreSimulation_result *result = CStoreSimulation_make_result(STATUS_ROWS);
    describe(result, statement);
    bool only_reads = sqlite3_stmt_readonly(statement) != 0;
    int code;
    while ((code = sqlite3_step(statement)) == SQLITE_ROW) {
        int row = result->row_count;
        for (int column = 0; column < result->column_count; ++column) {
            unsigned int type = take_value(result, row, column, statement);
            if (type != 0) result->columns[column].type = type;
        }
    }
    if (code != SQLITE_DONE) {
        CStoreSimulation_drop(result);
        result = failure(file);
    } else {
        if (result->column_count == 0) result->status = STATUS_COMMAND;
        finish_command(result, file->handle, only_reads);
    }
    sqlite3_finalize(statement);
    return result;
}

bool CStoreSimulation_copy(const char *from, const char *to) {
    bool is_copied = false;
    CStoreSimulation_file *source = CStoreSimulation_open(from);
    CStoreSimulation_file *target = CStoreSimulation_open(to);
    if (source != NULL && target != NULL) {
        sqlite3_backup *copy = sqlite3_backup_init(target->handle, "main", source->handle, "main");
        if (copy != NULL) {
            is_copied = sqlite3_backup_step(copy, -1) == SQLITE_DONE;
            sqlite3_backup_finish(copy);
        }
    }
    if (source != NULL) CStoreSimulation_close(source);
    if (target != NULL) CStoreSimulation_close(target);
    return is_copied;
}
