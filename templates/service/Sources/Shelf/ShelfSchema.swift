internal import ServiceKit

/// The tables of the store.
enum ShelfSchema {
  /// Marks the file as this service's; a store with another mark is not opened.
  static let applicationID: Int32 = 0x5368_656C

  // Applied in order, each once. Never change one that was released: append the next.
  static let migrations = [
    Migration(
      version: 1,
      sql: """
        CREATE TABLE item (
          id TEXT NOT NULL PRIMARY KEY,
          owner TEXT NOT NULL,
          name TEXT NOT NULL,
          created_at BIGINT NOT NULL
        );
        CREATE INDEX item_of_owner ON item (owner, created_at, id);
        """
    )
  ]
}
