/// Where the keys come from that access tokens are verified with.
public protocol KeySource: Sendable {
  /// The keys that are known now.
  var keys: KeySet { get }

  /// Looks whether there are newer keys, because a token named one that is not known.
  ///
  /// Returns whether that key does not exist if `keys` still lack it. False if that cannot be known,
  /// because the keys cannot be fetched or were fetched too recently: the token may be good.
  func refresh(for keyID: String) async -> Bool
}

/// Keys that do not change while the process runs, from a file or a test.
public struct FixedKeySource: KeySource {
  /// The keys.
  public let keys: KeySet

  /// Makes a source.
  public init(_ keys: KeySet) { self.keys = keys }

  /// Always true: there are no others.
  public func refresh(for keyID: String) async -> Bool { true }
}
