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
}

/// A write relied on something that an earlier write of the same commit has changed.
///
/// Never leaves the store: the write runs again as the first of the next commit.
struct WriteConflict: Error {}
