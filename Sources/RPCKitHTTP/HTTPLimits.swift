/// Every bound of the HTTP wires that is not one of all wires (`Limits` of RPCKit).
package struct HTTPLimits: Hashable, Sendable {
  /// Longest request line of HTTP/1.1 in bytes; a longer one is answered 414.
  package var requestLineByteCountMax = 16 << 10
  /// Header fields of one request, and trailer fields, each counted as name, value and 32 bytes; more are
  /// answered 431.
  package var fieldByteCountMax = 32 << 10
  /// Header fields of one request, and trailer fields.
  package var fieldCountMax = 100
  /// How long the head of a request may take from its first byte.
  package var headTimeout = Duration.seconds(10)
  /// How long the content of a request may rest without a byte, as long as it is read.
  package var bodyTimeout = Duration.seconds(30)
  /// How long a connection may rest between requests.
  package var idleTimeout = Duration.seconds(300)
  /// Streams of HTTP/2 that a client may have open, and handlers of one connection of either version.
  ///
  /// A handler counts until it returns, even when its call was given up before.
  package var streamCountMax = 128

  /// The defaults.
  package init() {}
}
