internal import RPCKit
internal import ServiceKit

/// The name that a client gives to one refresh before it sends it.
///
/// It was never in an answer, so a thief who has a copy of the tokens does not have it.
enum RefreshAttempt {
  /// How many different characters it has at least; 128 random bits in hex have fewer once in 20 million.
  ///
  /// No text proves that it is random, but a constant that a developer typed is noticed at once.
  private static let distinctCountMin = 8

  /// The digest of an attempt, which the store keeps instead; nil for none.
  ///
  /// Throws INVALID_ARGUMENT for one that cannot be random.
  static func digest(of attempt: String, session: String) throws(RPCError) -> [UInt8]? {
    guard !attempt.isEmpty else { return nil }
    guard Set(attempt.utf8).count >= distinctCountMin else { throw SessionError.attemptTooSimple }
    return Digests.sha256(lines: "refresh attempt", session, attempt)
  }

  /// Its columns in the table of sessions.
  static let migration = Migration(
    version: 20,
    sql: """
      -- The attempt that made the newest generation, digested, and how often that was given out again.
      ALTER TABLE session ADD COLUMN attempt BLOB;
      ALTER TABLE session ADD COLUMN repeats INTEGER NOT NULL DEFAULT 0;
      """
  )
}
