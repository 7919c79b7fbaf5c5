public import RPCKit

/// The caller's name of a write, so that sending it again does not do it again.
public struct IdempotencyKey: Hashable, Sendable {
  /// The caller; keys of different callers have nothing to do with each other.
  public var caller: String
  /// The caller's name of the write; empty means that it may be done again.
  public var key: String
  /// Tells this request from others under the same key.
  public var requestDigest: [UInt8]

  /// How long an answer is kept at least, in milliseconds: 24 h.
  public static let retention: Int64 = 86_400_000

  /// Names a write by the method's full name and its encoded request.
  ///
  /// Only a digest of the request is kept, as requests may hold secrets.
  public init(caller: String, key: String, method: String, request: [UInt8]) {
    self.caller = caller
    self.key = key
    // Without a key nobody will ask which request it was.
    requestDigest = key.isEmpty ? [] : Digests.sha256(Array(method.utf8) + [0] + request)
  }

  /// Names a write by the method's full name and its request.
  public init(caller: String, key: String, method: String, request: some Message) {
    self.init(caller: caller, key: key, method: method, request: request.protobufBytes)
  }
}
