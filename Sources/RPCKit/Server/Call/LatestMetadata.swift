/// The metadata of a connection's latest call.
///
/// Most clients send the same with one call after another: their own proof, their user's token. It is
/// compared as it came, which is a fraction of reading it again.
struct LatestMetadata {
  /// The longest metadata that is kept, so that a connection at rest stays small.
  private static let byteCountMax = 2048

  private var encoded: [UInt8] = []
  private var metadata = Metadata()

  /// The metadata of a call whose envelope lies in `bytes`.
  mutating func read(
    _ bytes: Span<UInt8>,
    _ envelope: RequestEnvelope
  ) throws(WireFormatError) -> Metadata {
    guard envelope.metadataCount > 0 else { return Metadata() }
    let encoded = bytes.extracting(envelope.metadata)
    if encoded.isEqual(to: self.encoded) { return metadata }
    let read = try envelope.metadata(bytes)
    if encoded.count <= Self.byteCountMax {
      self.encoded.replaceAll(with: encoded)
      metadata = read
    }
    return read
  }
}
