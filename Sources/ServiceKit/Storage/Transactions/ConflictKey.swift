/// Something that one write changes and another one may have relied on.
///
/// The names belong to the service: `ConflictKey("entity", "prt_1")`. Equal ones mean the same thing.
public struct ConflictKey: Hashable, Sendable {
  private let kind: String
  private let first: String
  private let second: String

  /// Names something of a kind by one or two identifiers.
  public init(_ kind: String, _ first: String = "", _ second: String = "") {
    self.kind = kind
    self.first = first
    self.second = second
  }

  /// The answer that a caller gets under an idempotency key.
  static func answer(to caller: String, under key: String) -> ConflictKey {
    ConflictKey(answerKind, caller, key)
  }

  private static let answerKind = "answer"

  /// Whether it is an answer: as such it is of one write alone.
  var isAnswer: Bool { kind == Self.answerKind }

  /// A number that is the same in all programs of a store; two heads that share one only wait for each other.
  func lockNumber(in schemaID: Int64) -> Int64 {
    let name = [kind, first, second, String(schemaID)].joined(separator: "\0")
    return Digests.sha256(Array(name.utf8)).prefix(8).reduce(0) { $0 << 8 | Int64($1) }
  }
}

/// A write relied on something that an earlier write of the same commit has changed.
///
/// Never leaves the store: the write runs again as the first of the next commit.
struct WriteConflict: Error {}

/// A write that a lane has begun needs to know its place in the order of commits.
///
/// Never leaves the store: the write runs again in order.
struct OrderRequired: Error {}
