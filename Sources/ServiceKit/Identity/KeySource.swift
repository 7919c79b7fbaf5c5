/// Where the keys come from that access tokens are verified with.
public protocol KeySource: Sendable {
  /// The keys that are known now.
  var keys: KeySet { get }

  /// Looks whether there are newer keys, because a token named one that is not known.
  ///
  /// Returns when that is done or was done too recently, whatever came of it.
  func refresh() async
}

/// Keys that do not change while the process runs, from a file or a test.
public struct FixedKeySource: KeySource {
  /// The keys.
  public let keys: KeySet

  /// Makes a source.
  public init(_ keys: KeySet) { self.keys = keys }

  /// Does nothing.
  public func refresh() async {}
}
