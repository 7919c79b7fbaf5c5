// Answers of the simulated server, as libpq gives them.
#include "shared.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void *CStoreSimulation_allocate(size_t count, size_t size) {
    // None is still an address.
    void *memory = calloc(count ? count : 1, size);
    if (memory == NULL) abort();
    return memory;
}

char *CStoreSimulation_copy_text(const char *text) {
    char *copy = strdup(text);
    if (copy == NULL) abort();
    return copy;
}

CStoreSimulation_result *CStoreSimulation_make_result(int status) {
    CStoreSimulation_result *result = CStoreSimulation_allocate(1, sizeof *result);
    result->status = status;
    return result;
}

CStoreSimulation_result *CStoreSimulation_done(const char *command) {
    CStoreSimulation_result *result = CStoreSimulation_make_result(STATUS_COMMAND);
    snprintf(result->command, sizeof result->command, "%s", command);
    return result;
}

static CStoreSimulation_result *make_value(unsigned int type, const void *bytes, int length) {
    CStoreSimulation_result *result = CStoreSimulation_make_result(STATUS_ROWS);
    snprintf(result->command, sizeof result->command, "SELECT 1");
    result->column_count = 1;
    result->columns = CStoreSimulation_allocate(1, sizeof *result->columns);
    result->columns[0] = (CStoreSimulation_column){CStoreSimulation_copy_text("value"), type};
    CStoreSimulation_set_cell(result, 0, 0, bytes, length);
    return result;
}

CStoreSimulation_result *CStoreSimulation_text(const char *value) {
    return make_value(TYPE_TEXT, value, (int)strlen(value));
}

CStoreSimulation_result *CStoreSimulation_number_answer(long long value) {
    char bytes[8];
    for (int place = 0; place < 8; ++place) bytes[place] = (char)((unsigned long long)value >> (56 - 8 * place));
    return make_value(TYPE_INTEGER, bytes, sizeof bytes);
}

CStoreSimulation_result *CStoreSimulation_failure(const char *state, const char *message) {
    CStoreSimulation_result *result = CStoreSimulation_make_result(STATUS_FAILURE);
    snprintf(result->state, sizeof result->state, "%s", state);
    result->message = CStoreSimulation_copy_text(message);
    return result;
}

bool CStoreSimulation_has_failed(const CStoreSimulation_result *result) {
    return result->status != STATUS_COMMAND && result->status != STATUS_ROWS;
}

bool CStoreSimulation_is_null(const CStoreSimulation_result *result) {
    return result->row_count > 0 && result->column_count > 0 && result->cells[0].is_null;
}

const char *CStoreSimulation_first_text(const CStoreSimulation_result *result) {
    return result->row_count > 0 && !result->cells[0].is_null ? result->cells[0].bytes : "";
}

long long CStoreSimulation_integer(const CStoreSimulation_result *result) {
    unsigned long long word = 0;
    if (result->row_count == 0 || result->cells[0].length != sizeof word) return 0;
    for (int place = 0; place < 8; ++place) word = word << 8 | (unsigned char)result->cells[0].bytes[place];
    return (long long)word;
}

void CStoreSimulation_set_cell(CStoreSimulation_result *result, int row, int column, const void *bytes,
                               int length) {
    if (row >= result->row_count) {
        result->row_count = row + 1;
        size_t count = (size_t)result->row_count * (size_t)result->column_count;
        result->cells = realloc(result->cells, count * sizeof *result->cells);
        if (result->cells == NULL) abort();
    }
    CStoreSimulation_cell *cell = &result->cells[row * result->column_count + column];
    *cell = (CStoreSimulation_cell){bytes == NULL, length, NULL};
    if (bytes == NULL) return;
    cell->bytes = CStoreSimulation_allocate((size_t)length + 1, 1);
    memcpy(cell->bytes, bytes, (size_t)length);
}

void CStoreSimulation_drop(CStoreSimulation_result *result) {
    if (result == NULL) return;
    for (int place = 0; place < result->row_count * result->column_count; ++place) free(result->cells[place].bytes);
    for (int column = 0; column < result->column_count; ++column) free(result->columns[column].name);
    free(result->cells);
    free(result->columns);
    free(result->message);
    free(result);
}
