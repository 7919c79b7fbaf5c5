/// Every bound of the HTTP wires that is not one of all wires (`Limits` of RPCKit).
package struct HTTPLimits: Hashable, Sendable {
  /// Longest request line of HTTP/1.1 in bytes; a longer one is answered 414.
  package var requestLineByteCountMax = 16 << 10
  /// Header fields of one request, and trailer fields, each counted as name, value and 32 bytes; more are
  /// answered 431, and none is kept.
  ///
  /// As much as metadata may have. A few bytes of HTTP/2 can stand for all of them on every stream.
  package var fieldByteCountMax = 16 << 10
  /// Header fields of one request of HTTP/2, and trailer fields, that are read to refuse that request alone; with
  /// more the connection ends.
  package var droppedFieldByteCountMax = 128 << 10
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
  /// Bytes that a client of HTTP/2 may send on all its streams before it is given more room; on one stream it is
  /// `Limits.streamWindowByteCount`.
  package var connectionWindowByteCount = 1 << 20
  /// Frames of HTTP/2 that carry neither fields nor content which a client may send at once, and how many a second
  /// afterwards: PING, PRIORITY, WINDOW_UPDATE, empty DATA, CONTINUATION, unknown ones; SETTINGS count ten times.
  ///
  /// Every request and every DATA frame that is sent to the client allows four more.
  package var emptyFrameCountMax = 1000
  /// See `emptyFrameCountMax`.
  package var emptyFramesPerSecond = 200
  /// Requests of HTTP/2 that a client may give up unanswered at once, and how many a second afterwards.
  ///
  /// A gateway whose own clients hang up often needs more.
  package var abandonedCountMax = 500
  /// See `abandonedCountMax`.
  package var abandonedPerSecond = 100
  /// Streams of HTTP/2 that a client may have the server reset at once by what it sends on them, and how many a
  /// second afterwards; a request with too many fields counts as eight.
  package var provokedResetCountMax = 100
  /// See `provokedResetCountMax`.
  package var provokedResetsPerSecond = 10
  /// How long a client of HTTP/2 that was warned of a drain may take to show that it knows.
  package var drainWarningTimeout = Duration.seconds(5)

  /// The defaults.
  package init() {}
}
