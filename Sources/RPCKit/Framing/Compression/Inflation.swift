/// How a message that came compressed is inflated away from the loop that received it.
package struct Inflation: Sendable {
  private let format: CompressionFormat
  private let byteCountMax: Int
  private let refusal: @Sendable (InflateError) -> RPCError

  /// Makes one for messages of `byteCountMax` bytes at most; `refusal` is what to answer for one that cannot be
  /// inflated.
  package init(
    _ format: CompressionFormat,
    byteCountMax: Int,
    refusal: @escaping @Sendable (InflateError) -> RPCError
  ) {
    self.format = format
    self.byteCountMax = byteCountMax
    self.refusal = refusal
  }

  /// The message as it was before it was compressed.
  func plain(_ bytes: [UInt8]) throws(RPCError) -> [UInt8] {
    var inflater = Inflater(format)
    var inflated = ByteBuffer()
    do throws(InflateError) {
      try inflater.inflate(bytes.span, into: &inflated, byteCountMax: byteCountMax)
    } catch {
      throw refusal(error)
    }
    var plain: [UInt8] = []
    inflated.withBytes { plain.replaceAll(with: $0) }
    return plain
  }
}
