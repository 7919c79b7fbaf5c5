internal import CZlib

/// Inflates zlib or gzip streams (RFC 1950, RFC 1952) under an output limit, one whole message at a time.
///
/// Of gzip one member, as nobody needs more for a message.
///
/// Made once per event loop and reused; nothing carries over from one message to the next. Holds
/// about 7 KiB, and another 32 KiB from the first message whose output does not fit one chunk.
@safe
package struct Inflater: ~Copyable {
  // On the heap, because zlib keeps a pointer back to it and refuses a stream that moved.
  private let stream: UnsafeMutablePointer<z_stream>

  /// How much room is made at a time: output memory follows real output in steps of this size.
  package static let chunkByteCount = 16 * 1024

  /// Makes an inflater; traps when out of memory for it.
  package init(_ format: CompressionFormat = .zlib) {
    unsafe stream = .allocate(capacity: 1)
    unsafe stream.initialize(to: z_stream())
    let result = unsafe CZlib_inflateInit(stream, format.windowBits)
    precondition(result == Z_OK, "zlib cannot make an inflater: error \(result)")
  }

  deinit {
    unsafe inflateEnd(stream)
    unsafe stream.deallocate()
  }

  /// Appends the inflated `input`, which must be one complete stream, to `output`.
  ///
  /// Stops as soon as more than `byteCountMax` bytes came out: never more than the limit and one
  /// byte is written, whatever the input promises. On every error `output` is as it was before.
  package mutating func inflate(
    _ input: Span<UInt8>,
    into output: inout ByteBuffer,
    byteCountMax: Int
  ) throws(InflateError) {
    precondition(byteCountMax >= 0, "negative output limit")
    let reset = unsafe inflateReset(stream)
    precondition(reset == Z_OK, "an inflater was used after zlib declared it broken")

    let byteCountBefore = output.byteCount
    do throws(InflateError) {
      try unsafe input.withUnsafeBytes { bytes throws(InflateError) in
        try unsafe inflateAll(bytes, into: &output, byteCountMax: byteCountMax)
      }
    } catch {
      output.truncate(to: byteCountBefore)
      throw error
    }
  }

  private mutating func inflateAll(
    _ bytes: UnsafeRawBufferPointer,
    into output: inout ByteBuffer,
    byteCountMax: Int
  ) throws(InflateError) {
    var consumed = 0
    var produced = 0
    while true {
      let offered = min(bytes.count - consumed, Int(UInt32.max))
      // One byte of room past the limit, so that "exactly the limit" and "more" look different.
      let remaining = byteCountMax - produced
      let room = remaining < Self.chunkByteCount ? remaining + 1 : Self.chunkByteCount
      let start = unsafe offered == 0 ? nil : bytes.baseAddress.map { unsafe $0 + consumed }
      unsafe stream.pointee.next_in = start?.assumingMemoryBound(to: Bytef.self)
      unsafe stream.pointee.avail_in = uInt(offered)

      var result = Z_STREAM_ERROR
      let written = unsafe output.appendUpTo(room) { target in
        unsafe stream.pointee.next_out = target.baseAddress?.assumingMemoryBound(to: Bytef.self)
        unsafe stream.pointee.avail_out = uInt(target.count)
        result = unsafe CZlib.inflate(stream, Z_NO_FLUSH)
        return unsafe target.count - Int(stream.pointee.avail_out)
      }
      // The memory behind them is only borrowed.
      unsafe stream.pointee.next_in = nil
      unsafe stream.pointee.next_out = nil
      let taken = unsafe offered - Int(stream.pointee.avail_in)
      consumed += taken
      produced += written
      guard produced <= byteCountMax else { throw .tooLarge }

      switch result {
      case Z_STREAM_END:
        guard consumed == bytes.count else { throw .trailingBytes }
        return
      case Z_OK, Z_BUF_ERROR:
        // With room left over, zlib stops only because it has no input left.
        if written < room, consumed == bytes.count { throw .truncated }
        // Cannot happen with the zlib we know; with another one it must not become a hang.
        guard written > 0 || taken > 0 else { throw .malformed }
      case Z_MEM_ERROR:
        preconditionFailure("zlib has no memory for its window")
      default:
        throw .malformed
      }
    }
  }
}
