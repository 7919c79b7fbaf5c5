/// Why an answer is broken off.
enum HTTPAbortReason: Hashable {
  /// The server failed in the middle of it.
  case failed
  /// The rest of the request is not wanted, as the answer is complete without it (RFC 9113 section 8.1).
  case answered
  /// The client asks for too much.
  case calm
}
