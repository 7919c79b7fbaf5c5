internal import CZlib

/// Deflates messages into zlib or gzip streams (RFC 1950, RFC 1952), each complete in itself.
///
/// Made once per event loop and reused; nothing carries over from one message to the next, so a
/// secret in one cannot be guessed from the size of another. Holds about 260 KiB.
@safe
package struct Deflater: ~Copyable {
  // On the heap, because zlib keeps a pointer back to it and refuses a stream that moved.
  private let stream: UnsafeMutablePointer<z_stream>

  private static let chunkByteCount = 16 * 1024

  /// Makes a deflater; traps when out of memory for it.
  ///
  /// `level` is zlib's, 1 (fastest) to 9 (smallest). The default is 1: on a loop thread, time
  /// counts more than the last tenth of size.
  package init(_ format: CompressionFormat = .zlib, level: Int = 1) {
    precondition((1...9).contains(level), "zlib has levels 1 to 9")
    unsafe stream = .allocate(capacity: 1)
    unsafe stream.initialize(to: z_stream())
    let result = unsafe CZlib_deflateInit(stream, CInt(level), format.windowBits)
    precondition(result == Z_OK, "zlib cannot make a deflater: error \(result)")
  }

  deinit {
    unsafe deflateEnd(stream)
    unsafe stream.deallocate()
  }

  /// Appends the deflated `input` to `output` if that takes fewer than `byteCountMax` bytes.
  ///
  /// Returns false, with `output` as it was before, when it does not: pass the size of the input
  /// to compress only what shrinks.
  package mutating func deflate(
    _ input: Span<UInt8>,
    into output: inout ByteBuffer,
    byteCountMax: Int
  ) -> Bool {
    let reset = unsafe deflateReset(stream)
    precondition(reset == Z_OK, "a deflater was used after zlib declared it broken")

    let byteCountBefore = output.byteCount
    let fits = unsafe input.withUnsafeBytes { bytes in
      unsafe deflateAll(bytes, into: &output, byteCountMax: byteCountMax)
    }
    if !fits { output.truncate(to: byteCountBefore) }
    return fits
  }

  private mutating func deflateAll(
    _ bytes: UnsafeRawBufferPointer,
    into output: inout ByteBuffer,
    byteCountMax: Int
  ) -> Bool {
    var consumed = 0
    var produced = 0
    while true {
      let room = min(byteCountMax - 1 - produced, Self.chunkByteCount)
      guard room > 0 else { return false }
      let offered = min(bytes.count - consumed, Int(UInt32.max))
      let flush = consumed + offered == bytes.count ? Z_FINISH : Z_NO_FLUSH
      let start = unsafe offered == 0 ? nil : bytes.baseAddress.map { unsafe $0 + consumed }
      unsafe stream.pointee.next_in = start?.assumingMemoryBound(to: Bytef.self)
      unsafe stream.pointee.avail_in = uInt(offered)

      var result = Z_STREAM_ERROR
      produced += unsafe output.appendUpTo(room) { target in
        unsafe stream.pointee.next_out = target.baseAddress?.assumingMemoryBound(to: Bytef.self)
        unsafe stream.pointee.avail_out = uInt(target.count)
        result = unsafe CZlib.deflate(stream, flush)
        return unsafe target.count - Int(stream.pointee.avail_out)
      }
      // The memory behind them is only borrowed.
      unsafe stream.pointee.next_in = nil
      unsafe stream.pointee.next_out = nil
      consumed += unsafe offered - Int(stream.pointee.avail_in)

      switch result {
      case Z_STREAM_END: return true
      case Z_OK, Z_BUF_ERROR: continue
      default: preconditionFailure("zlib cannot deflate: error \(result)")
      }
    }
  }
}
