/// Why compressed bytes from a peer could not be inflated.
package enum InflateError: Error, Hashable, Sendable {
  /// Not of the format, damaged, or made with a preset dictionary, which nobody agreed on.
  case malformed
  /// The bytes end before the compressed stream does.
  case truncated
  /// Bytes follow the end of the compressed stream.
  case trailingBytes
  /// The result is longer than the caller allows.
  case tooLarge
}
