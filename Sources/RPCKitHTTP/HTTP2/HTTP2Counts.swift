/// The counts of a session's events that cost a client less than they cost us.
struct HTTP2Counts {
  /// Frames that carry neither fields nor content; SETTINGS count ten times.
  var emptyFrameCount = 0
  /// A block of fields came in more CONTINUATION frames than any client needs.
  var hasTooManyContinuations = false
  /// The client's violation that ends the connection, and that the library does not find.
  var violation: HTTP2ErrorCode?
  /// Requests that were opened.
  var openedCount = 0
  /// DATA frames that were sent, each of which a client may answer with frames that carry nothing.
  var sentContentCount = 0
  /// Resets that we sent because of what the client did.
  var provokedResetCount = 0
}
