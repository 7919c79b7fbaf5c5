internal import ServiceKit

/// The attempts that made the generations of a session before its newest one, by which late refreshes are recognized.
///
/// A program that stood still carries out what it had received. Its caller may have refreshed elsewhere since, with the
/// same attempt first; so an old token that comes with the attempt that once used it is no stolen one.
struct EarlierAttempts: Hashable, Sendable {
  /// Of how many generations they are kept.
  static let countMax = 4
  /// How many bytes of each digest are kept: as many random bits as an attempt has at least.
  static let byteCount = 16

  /// The beginnings of their digests, that of the newest generation first; empty for a refresh without an attempt.
  private var digests: [[UInt8]] = []

  init() {}

  /// Adds the attempt of the generation that was the newest one until now.
  mutating func add(_ attempt: [UInt8]?) {
    digests.insert(Array((attempt ?? []).prefix(Self.byteCount)), at: 0)
    if digests.count > Self.countMax { digests.removeLast() }
  }

  /// Whether the attempt made the generation that is so many before the newest one, which is 0 for the one just before.
  func contains(_ attempt: [UInt8]?, ofGeneration distance: Int) -> Bool {
    guard let attempt, digests.indices.contains(distance), !digests[distance].isEmpty else {
      return false
    }
    return Digests.areEqual(Array(attempt.prefix(Self.byteCount)), digests[distance])
  }
}

extension EarlierAttempts {
  /// Those of a column, one after the other; none for one that was not written by `stored`.
  init(stored: [UInt8]?) {
    guard let stored, stored.count.isMultiple(of: Self.byteCount) else { return }
    digests = stride(from: 0, to: stored.count, by: Self.byteCount).prefix(Self.countMax)
      .map { start in
        let digest = stored[start..<start + Self.byteCount]
        return digest.allSatisfy { $0 == 0 } ? [] : Array(digest)
      }
  }

  /// Their column, by `init(stored:)`; nil if all refreshes were without attempts.
  var stored: [UInt8]? {
    guard digests.contains(where: { !$0.isEmpty }) else { return nil }
    return digests.flatMap { $0.isEmpty ? [UInt8](repeating: 0, count: Self.byteCount) : $0 }
  }

  /// Its column in the table of sessions.
  ///
  /// Programs of before leave it as it is when they make a generation, so that its attempts are found at another
  /// distance, and late refreshes count as reused, as they did.
  static let migration = Migration(
    version: 29,
    sql: """
      -- The attempts that made the generations before the newest one, digested: see `EarlierAttempts`.
      ALTER TABLE session ADD COLUMN earlier_attempts BLOB;
      """,
    keepsOlderPrograms: true
  )
}
