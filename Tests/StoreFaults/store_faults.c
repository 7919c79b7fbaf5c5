#include "store_faults.h"

#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

struct StoreFaults {
  sqlite3_vfs vfs;
  sqlite3_vfs *base;
  StoreFaults_observer observer;
  void *context;
  char name[];
};

// An open file; the default file system's own follows it in memory.
struct Observed {
  sqlite3_file file;
  struct StoreFaults *faults;
  // SQLite keeps it for as long as the file is open; null for a nameless one.
  const char *path;
  enum StoreFaults_role role;
};

static sqlite3_file *real(sqlite3_file *file) { return (sqlite3_file *)((struct Observed *)file + 1); }

static enum StoreFaults_role role_of(int flags) {
  if (flags & SQLITE_OPEN_MAIN_DB) return StoreFaults_database;
  return flags & SQLITE_OPEN_WAL ? StoreFaults_log : StoreFaults_other;
}

static enum StoreFaults_role role_of_name(const char *path) {
  size_t count = strlen(path);
  if (count > 4 && strcmp(path + count - 4, "-wal") == 0) return StoreFaults_log;
  return StoreFaults_other;
}

static struct StoreFaults_outcome ask(
    sqlite3_file *file, enum StoreFaults_kind kind, int64_t offset,
    const void *bytes, int64_t count) {
  const struct Observed *self = (const struct Observed *)file;
  if (self->path == NULL) return (struct StoreFaults_outcome){0, 0};
  struct StoreFaults_operation operation = {kind, self->role, self->path, offset, bytes, count};
  return self->faults->observer(self->faults->context, &operation);
}

static int file_close(sqlite3_file *file) { return real(file)->pMethods->xClose(real(file)); }

static int file_read(sqlite3_file *file, void *bytes, int count, sqlite3_int64 offset) {
  int code = ask(file, StoreFaults_read, offset, NULL, count).code;
  return code != 0 ? code : real(file)->pMethods->xRead(real(file), bytes, count, offset);
}

static int file_write(sqlite3_file *file, const void *bytes, int count, sqlite3_int64 offset) {
  struct StoreFaults_outcome outcome = ask(file, StoreFaults_write, offset, bytes, count);
  if (outcome.code == 0) return real(file)->pMethods->xWrite(real(file), bytes, count, offset);
  if (outcome.written > 0) {
    int written = outcome.written < count ? (int)outcome.written : count;
    int code = real(file)->pMethods->xWrite(real(file), bytes, written, offset);
    if (code != SQLITE_OK) return code;
  }
  return outcome.code;
}

static int file_truncate(sqlite3_file *file, sqlite3_int64 size) {
  int code = ask(file, StoreFaults_truncate, size, NULL, 0).code;
  return code != 0 ? code : real(file)->pMethods->xTruncate(real(file), size);
}

static int file_sync(sqlite3_file *file, int flags) {
  (void)flags;
  return ask(file, StoreFaults_sync, 0, NULL, 0).code;
}

static int file_size(sqlite3_file *file, sqlite3_int64 *size) {
  return real(file)->pMethods->xFileSize(real(file), size);
}

static int file_lock(sqlite3_file *file, int level) { return real(file)->pMethods->xLock(real(file), level); }

static int file_unlock(sqlite3_file *file, int level) {
  return real(file)->pMethods->xUnlock(real(file), level);
}

static int file_check_lock(sqlite3_file *file, int *is_locked) {
  return real(file)->pMethods->xCheckReservedLock(real(file), is_locked);
}

static int file_control(sqlite3_file *file, int operation, void *argument) {
  return real(file)->pMethods->xFileControl(real(file), operation, argument);
}

static int file_sector_size(sqlite3_file *file) { return real(file)->pMethods->xSectorSize(real(file)); }

static int file_characteristics(sqlite3_file *file) {
  return real(file)->pMethods->xDeviceCharacteristics(real(file));
}

static int file_map(sqlite3_file *file, int region, int size, int extends, void volatile **memory) {
  int code = ask(file, StoreFaults_map, region, NULL, size).code;
  return code != 0 ? code : real(file)->pMethods->xShmMap(real(file), region, size, extends, memory);
}

static int file_map_lock(sqlite3_file *file, int offset, int count, int flags) {
  return real(file)->pMethods->xShmLock(real(file), offset, count, flags);
}

static void file_map_barrier(sqlite3_file *file) { real(file)->pMethods->xShmBarrier(real(file)); }

static int file_unmap(sqlite3_file *file, int deletes) {
  return real(file)->pMethods->xShmUnmap(real(file), deletes);
}

// Version 2: without xFetch, so that no page is changed behind the observer's back.
static const sqlite3_io_methods methods = {
  2, file_close, file_read, file_write, file_truncate, file_sync, file_size,
  file_lock, file_unlock, file_check_lock, file_control, file_sector_size, file_characteristics,
  file_map, file_map_lock, file_map_barrier, file_unmap, NULL, NULL,
};

static int vfs_open(sqlite3_vfs *vfs, const char *path, sqlite3_file *file, int flags, int *out_flags) {
  struct StoreFaults *faults = (struct StoreFaults *)vfs;
  struct Observed *self = (struct Observed *)file;
  memset(self, 0, sizeof *self);
  self->faults = faults;
  self->path = path;
  self->role = role_of(flags);
  int code = ask(file, StoreFaults_open, 0, NULL, 0).code;
  if (code == SQLITE_OK) code = faults->base->xOpen(faults->base, path, real(file), flags, out_flags);
  // SQLite closes a file that failed to open only if it has methods.
  if (code == SQLITE_OK) self->file.pMethods = &methods;
  return code;
}

static int vfs_delete(sqlite3_vfs *vfs, const char *path, int synchronizes) {
  struct StoreFaults *faults = (struct StoreFaults *)vfs;
  struct StoreFaults_operation operation = {
      StoreFaults_delete, role_of_name(path), path, synchronizes, NULL, 0};
  int code = faults->observer(faults->context, &operation).code;
  return code != 0 ? code : faults->base->xDelete(faults->base, path, 0);
}

static int vfs_access(sqlite3_vfs *vfs, const char *path, int flags, int *answer) {
  sqlite3_vfs *base = ((struct StoreFaults *)vfs)->base;
  return base->xAccess(base, path, flags, answer);
}

static int vfs_full_path(sqlite3_vfs *vfs, const char *path, int count, char *full) {
  sqlite3_vfs *base = ((struct StoreFaults *)vfs)->base;
  return base->xFullPathname(base, path, count, full);
}

static int vfs_randomness(sqlite3_vfs *vfs, int count, char *bytes) {
  sqlite3_vfs *base = ((struct StoreFaults *)vfs)->base;
  return base->xRandomness(base, count, bytes);
}

static int vfs_sleep(sqlite3_vfs *vfs, int microseconds) {
  sqlite3_vfs *base = ((struct StoreFaults *)vfs)->base;
  return base->xSleep(base, microseconds);
}

static int vfs_time(sqlite3_vfs *vfs, double *julian) {
  sqlite3_vfs *base = ((struct StoreFaults *)vfs)->base;
  return base->xCurrentTime(base, julian);
}

static int vfs_last_error(sqlite3_vfs *vfs, int count, char *text) {
  sqlite3_vfs *base = ((struct StoreFaults *)vfs)->base;
  return base->xGetLastError(base, count, text);
}

struct StoreFaults *StoreFaults_register(const char *name, StoreFaults_observer observer, void *context) {
  sqlite3_vfs *base = sqlite3_vfs_find(NULL);
  size_t count = strlen(name) + 1;
  struct StoreFaults *faults = calloc(1, sizeof *faults + count);
  if (base == NULL || faults == NULL) {
    free(faults);
    return NULL;
  }
  memcpy(faults->name, name, count);
  faults->base = base;
  faults->observer = observer;
  faults->context = context;
  faults->vfs = (sqlite3_vfs){
      .iVersion = 1,
      .szOsFile = (int)sizeof(struct Observed) + base->szOsFile,
      .mxPathname = base->mxPathname,
      .zName = faults->name,
      .xOpen = vfs_open,
      .xDelete = vfs_delete,
      .xAccess = vfs_access,
      .xFullPathname = vfs_full_path,
      .xRandomness = vfs_randomness,
      .xSleep = vfs_sleep,
      .xCurrentTime = vfs_time,
      .xGetLastError = vfs_last_error,
  };
  if (sqlite3_vfs_register(&faults->vfs, 0) == SQLITE_OK) return faults;
  free(faults);
  return NULL;
}

void StoreFaults_unregister(struct StoreFaults *faults) {
  sqlite3_vfs_unregister(&faults->vfs);
  free(faults);
}
