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

    /// Changes fetched at a time.
    private static let batchCountMax = 256

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
        switch database.feed.poll(after: position, limit: Self.batchCountMax) {
        case .changes(let changes): accept(changes)
        case .wait: await database.feed.wait(after: position)
        case .ended: return nil
        case .behind(let newest):
          guard let changes = try await catchUp(to: newest) else {
            position = newest
            return .resync(revision: newest)
          }
          accept(changes)
        }
      }
    }

    private mutating func accept(_ changes: [Change]) {
      batch = changes
      batchIndex = 0
    }

    /// The next changes from the log; nil when some of them are gone, are too many to be worth
    /// following one by one, or when the position is from the future of a restored store.
    private func catchUp(to newest: Int64) async throws -> [Change]? {
      guard position >= 0, position < newest, newest - position <= lagCountMax else { return nil }
      let position = position
      return try await database.read { tx in
        // Not past `newest`: later ones are committed, but may not be published yet.
        try tx.changes(after: position, through: newest, limit: Self.batchCountMax)
      }
    }
  }
}
