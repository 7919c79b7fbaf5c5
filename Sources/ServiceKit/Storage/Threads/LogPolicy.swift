/// Decides when the write-ahead log is moved into the file, and when it has grown too long.
///
/// A passive checkpoint waits for nobody, but readers that overlap without a gap keep the log from
/// ever starting again; past a quarter of its limit it is therefore made to.
struct LogPolicy {
  private let stepPageCount: Int
  private let pageCountMax: Int
  private var pageCount = 0
  private var nextPageCount: Int

  init(checkpointPageCount: Int, pageCountMax: Int) {
    stepPageCount = max(1, checkpointPageCount)
    self.pageCountMax = max(4, pageCountMax)
    nextPageCount = stepPageCount
  }

  /// Whether the log must become shorter before more is written.
  var isPastLimit: Bool { pageCount >= pageCountMax }

  /// Takes note of the log's length; the checkpoint that is due, if one is.
  mutating func afterCommit(pageCount: Int) -> SQLiteConnection.CheckpointMode? {
    // A shorter log is one that has started again.
    if pageCount < self.pageCount { nextPageCount = stepPageCount }
    self.pageCount = pageCount
    guard pageCount >= nextPageCount else { return nil }
    nextPageCount = pageCount + stepPageCount
    return pageCount >= pageCountMax / 4 ? .restart : .passive
  }

  /// Takes note of a checkpoint; after one that restarted the log it is in effect empty.
  mutating func afterCheckpoint(isRestarted: Bool) {
    guard isRestarted else { return }
    pageCount = 0
    nextPageCount = stepPageCount
  }
}
