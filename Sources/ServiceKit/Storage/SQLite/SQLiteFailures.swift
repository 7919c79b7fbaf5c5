/// The failures of a connection, as its statements meet them.
final class SQLiteFailures {
  /// The file, for errors that name it.
  let path: String
  /// The newest.
  private(set) var last: StoreError?

  init(path: String) { self.path = path }

  /// The error for users of the store, which is remembered.
  func note(_ error: SQLiteError) -> StoreError {
    let failure = error.storeError(path: path)
    last = failure
    return failure
  }
}
