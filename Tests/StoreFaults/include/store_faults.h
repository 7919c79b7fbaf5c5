// A file system for SQLite that asks its observer before each operation: for tests of the store.
//
// It forwards to SQLite's default one (sqlite.org/vfs.html), except that nothing is synchronized for
// real. What a loss of power would leave is worked out by the observer, which hears of everything.
#pragma once

#include <stdint.h>

enum StoreFaults_kind {
  StoreFaults_open,
  StoreFaults_read,
  StoreFaults_write,
  StoreFaults_truncate,
  StoreFaults_sync,
  StoreFaults_delete,
  StoreFaults_map,
};

enum StoreFaults_role {
  StoreFaults_database,
  StoreFaults_log,
  StoreFaults_other,
};

// What is about to happen to a file.
struct StoreFaults_operation {
  enum StoreFaults_kind kind;
  enum StoreFaults_role role;
  const char *path;
  // Write: where. Truncate: the new size. Delete: whether the folder is synchronized after it.
  int64_t offset;
  // Write: what.
  const void *bytes;
  int64_t count;
};

// What happens instead.
struct StoreFaults_outcome {
  // SQLite's result code; 0 lets the operation happen.
  int code;
  // Of a write that fails: how many bytes are written all the same.
  int64_t written;
};

// Called on the thread that works with the file; must not call SQLite.
typedef struct StoreFaults_outcome (*StoreFaults_observer)(
  void *context, const struct StoreFaults_operation *operation);

struct StoreFaults;

// Makes a file system of that name known to SQLite; null without memory.
struct StoreFaults *StoreFaults_register(const char *name, StoreFaults_observer observer, void *context);

// Forgets it. No file of it may be open.
void StoreFaults_unregister(struct StoreFaults *faults);
