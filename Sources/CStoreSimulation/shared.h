// Between the files of this folder.
#pragma once

#include "CStoreSimulation.h"

#include <stddef.h>

extern CStoreSimulation_hooks CStoreSimulation_present;

// The function of the simulated libpq with a name; NULL without one.
void *CStoreSimulation_function(const char *name);

// A statement with its values, which are copies.
struct CStoreSimulation_call {
    char *name;
    int count;
    char **values;
    int *lengths;
};

typedef struct {
    bool is_null;
    int length;
    char *bytes;
} CStoreSimulation_cell;

typedef struct {
    char *name;
    unsigned int type;
} CStoreSimulation_column;

// PGresult.
struct CStoreSimulation_result {
    int status;
    char state[6];
    char *message;
    char command[32];
    char affected[16];
    int column_count;
    CStoreSimulation_column *columns;
    int row_count;
    CStoreSimulation_cell *cells;
};

// ExecStatusType and types (libpq-fe.h, pg_type).
enum { STATUS_COMMAND = 1, STATUS_ROWS = 2, STATUS_FAILURE = 7, STATUS_SYNCHRONIZED = 10, STATUS_SKIPPED = 11 };
enum { TYPE_BLOB = 17, TYPE_INTEGER = 20, TYPE_TEXT = 25, TYPE_REAL = 701 };

CStoreSimulation_result *CStoreSimulation_make_result(int status);
void *CStoreSimulation_allocate(size_t count, size_t size);
char *CStoreSimulation_copy_text(const char *text);
// A row is added when its first column is.
void CStoreSimulation_set_cell(CStoreSimulation_result *result, int row, int column, const void *bytes,
                               int length);
