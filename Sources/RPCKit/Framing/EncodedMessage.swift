/// A response as its wire carries it.
package struct EncodedMessage: Sendable {
  /// The bytes to send.
  package let bytes: [UInt8]
  /// Whether that is compressed.
  package let isCompressed: Bool
  /// How long it was before.
  package let byteCount: Int
}
