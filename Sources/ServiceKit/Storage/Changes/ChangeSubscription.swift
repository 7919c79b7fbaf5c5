/// The committed changes of a store from a revision on, in order, without gaps, without end.
///
/// Ends when the store is closed; throws `CancellationError` when its task is cancelled and
/// `StoreError` when the change log cannot be read. A subscriber that comes back asks for the
/// revision it saw last.
///
/// ```swift
/// for try await event in database.changes(after: lastSeen) {
///   switch event {
///   case .change(let change): cache.apply(change)
///   case .resync(let revision): cache.reload(atLeast: revision)
///   }
/// }
/// ```
public struct ChangeSubscription: AsyncSequence, Sendable {
  /// See `ChangeEvent`.
  public typealias Element = ChangeEvent

  let database: Database
  let start: Int64
  let lagCountMax: Int64

  /// How many changes a subscriber may be behind, unless it says otherwise.
  public static let defaultLagCountMax: Int64 = 100_000

  /// Starts to follow.
  public func makeAsyncIterator() -> Iterator {
    Iterator(database: database, position: start, lagCountMax: lagCountMax)
  }

  /// Where one subscriber is.
  public struct Iterator: AsyncIteratorProtocol {
    private let database: Database
    private let lagCountMax: Int64
    private var position: Int64
    private var batch: [Change] = []
    private var batchIndex = 0

    init(database: Database, position: Int64, lagCountMax: Int64) {
      self.database = database
      self.position = position
      self.lagCountMax = lagCountMax
    }

    /// The next event; nil once the store is closed.
    public mutating func next() async throws -> ChangeEvent? {
      while true {
        if batchIndex < batch.count {
          let change = batch[batchIndex]
          batchIndex += 1
          position = change.revision
          return .change(change)
        }
        try Task.checkCancellation()
        switch try await database.poll(after: position, lagCountMax: lagCountMax) {
        case .changes(let changes): accept(changes)
        case .nothing: await database.waitForChange(after: position)
        case .ended: return nil
        case .resync(let newest):
          position = newest
          return .resync(revision: newest)
        }
      }
    }

    private mutating func accept(_ changes: [Change]) {
      batch = changes
      batchIndex = 0
    }
  }
}
