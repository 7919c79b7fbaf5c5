/// Where the keys come from that access tokens are verified with.
public protocol KeySource: Sendable {
  /// The keys that are known now.
  var keys: KeySet { get }

  /// Whether a key that is missing from `keys` does not exist, as far as can be known.
  ///
  /// False while the keys cannot be fetched: a token signed with a key that is not here may be good.
  var isCurrent: Bool { get }

  /// Looks whether there are newer keys, because a token named one that is not known.
  ///
  /// Returns when that is done or was done too recently, whatever came of it.
  func refresh() async
}

/// Keys that do not change while the process runs, from a file or a test.
public struct FixedKeySource: KeySource {
  /// The keys.
  public let keys: KeySet

  /// Always true.
  public var isCurrent: Bool { true }

  /// Makes a source.
  public init(_ keys: KeySet) { self.keys = keys }

  /// Does nothing.
  public func refresh() async {}
}
