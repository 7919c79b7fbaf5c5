/// The options of one call.
public struct CallOptions: Sendable {
  /// How long the call may take, from now; nil leaves the caller's own deadline or none.
  public var timeout: Duration?
  /// Sent beside the request.
  public var metadata: Metadata
  /// Waits for a connection instead of failing while there is none.
  public var waitsForReady: Bool
  /// Deflates the request if the server can inflate and it shrinks.
  public var compressesRequest: Bool

  /// Makes options.
  public init(
    timeout: Duration? = nil,
    metadata: Metadata = [:],
    waitsForReady: Bool = false,
    compressesRequest: Bool = false
  ) {
    self.timeout = timeout
    self.metadata = metadata
    self.waitsForReady = waitsForReady
    self.compressesRequest = compressesRequest
  }
}
