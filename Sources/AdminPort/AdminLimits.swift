internal import RPCKitHTTP

/// The limits of the admin port.
///
/// A request past a limit is answered with the status in brackets.
public struct AdminLimits: Sendable, Hashable {
  /// Bytes of a request line without its line end (414).
  public var requestLineByteCountMax = 2048
  /// Bytes of all header fields, each counted as name, value and 32 bytes (431).
  public var fieldByteCountMax = 8192
  /// Number of header fields (431).
  public var fieldCountMax = 64
  /// From the first byte of a request to its last (408), and the same again for the answer.
  public var requestTimeout: Duration = .seconds(10)
  /// How long a connection may stay open between requests.
  public var idleTimeout: Duration = .seconds(30)
  /// How long the last answer of a connection may take to be read by the peer.
  public var lingerTimeout: Duration = .seconds(2)
  /// Requests per connection; the last answer says `Connection: close`.
  public var requestCountMax = 1000
  /// Bytes of requests that wait for an earlier answer to be taken by the peer.
  public var pipelinedByteCountMax = 65_536
  /// Bytes of the body of an answer (500).
  public var responseByteCountMax = 16 << 20

  /// The defaults.
  public init() {}

  /// Those that the parser keeps.
  var ofRequests: HTTPLimits {
    var limits = HTTPLimits()
    limits.requestLineByteCountMax = requestLineByteCountMax
    limits.fieldByteCountMax = fieldByteCountMax
    limits.fieldCountMax = fieldCountMax
    return limits
  }
}
