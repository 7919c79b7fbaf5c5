/// Deflates and inflates single messages in whatever format a request names: what each event loop needs
/// one of.
///
/// What zlib holds for a format is made when the format is first used. Confined to its loop; one that is made for a
/// single message, to the task that makes it.
package final class MessageCompression {
  /// Messages shorter than this are never deflated: the gain is smaller than the header.
  static let deflatedByteCountMin = 1024

  /// The longest message whose inflating takes little time, as it came and as it was before; as long as one that is
  /// read on the loop.
  static let shortByteCountMax = 16 << 10

  private var zlibDeflater: Deflater?
  private var gzipDeflater: Deflater?
  private var zlibInflater: Inflater?
  private var gzipInflater: Inflater?

  /// Appends an inflated message to `output`, at most `byteCountMax` bytes; see `Inflater`.
  package func inflate(
    _ bytes: Span<UInt8>,
    _ format: CompressionFormat,
    into output: inout ByteBuffer,
    byteCountMax: Int
  ) throws(InflateError) {
    switch format {
    case .zlib:
      if zlibInflater == nil { zlibInflater = Inflater(.zlib) }
      try zlibInflater?.inflate(bytes, into: &output, byteCountMax: byteCountMax)
    case .gzip:
      if gzipInflater == nil { gzipInflater = Inflater(.gzip) }
      try gzipInflater?.inflate(bytes, into: &output, byteCountMax: byteCountMax)
    }
  }

  /// As `inflate`, if that takes little time; false, with `output` as it was before, for a message that is long, or
  /// becomes long.
  package func inflateIfShort(
    _ bytes: Span<UInt8>,
    _ format: CompressionFormat,
    into output: inout ByteBuffer,
    byteCountMax: Int
  ) throws(InflateError) -> Bool {
    let shortByteCount = Self.shortByteCountMax
    guard byteCountMax > shortByteCount else {
      try inflate(bytes, format, into: &output, byteCountMax: byteCountMax)
      return true
    }
    guard bytes.count <= shortByteCount else { return false }
    do throws(InflateError) {
      try inflate(bytes, format, into: &output, byteCountMax: shortByteCount)
    } catch {
      guard error == .tooLarge else { throw error }
      return false
    }
    return true
  }

  /// Replaces a message by its deflated form if it is long enough and shrinks; says whether it did.
  package func deflateIfWorthwhile(_ message: inout ByteBuffer, _ format: CompressionFormat) -> Bool
  {
    guard message.byteCount >= Self.deflatedByteCountMin else { return false }
    var deflated = ByteBuffer()
    let byteCountMax = message.byteCount
    let shrank = message.withBytes { bytes in
      deflate(bytes, format, into: &deflated, byteCountMax: byteCountMax)
    }
    guard shrank else { return false }
    swap(&message, &deflated)
    return true
  }

  /// Gives the memory of zlib back until it is needed again.
  func release() {
    zlibDeflater = nil
    gzipDeflater = nil
    zlibInflater = nil
    gzipInflater = nil
  }

  private func deflate(
    _ bytes: Span<UInt8>,
    _ format: CompressionFormat,
    into output: inout ByteBuffer,
    byteCountMax: Int
  ) -> Bool {
    switch format {
    case .zlib:
      if zlibDeflater == nil { zlibDeflater = Deflater(.zlib) }
      return zlibDeflater?.deflate(bytes, into: &output, byteCountMax: byteCountMax) ?? false
    case .gzip:
      if gzipDeflater == nil { gzipDeflater = Deflater(.gzip) }
      return gzipDeflater?.deflate(bytes, into: &output, byteCountMax: byteCountMax) ?? false
    }
  }
}
