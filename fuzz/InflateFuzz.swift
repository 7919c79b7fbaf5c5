// Fuzz target: inflating bytes from a peer. Built either together with the two folders it needs
// (`Bytes/ByteBuffer.swift`, `Framing/Compression/`) as one module, or against the library.
#if canImport(RPCKit)
@testable import RPCKit
#endif

/// One input: two bytes of output limit, then the bytes that claim to be a zlib stream.
///
/// Checks that inflating neither traps nor passes the limit, that an error leaves the buffer as
/// it was, and that what did inflate survives our own deflater.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzInflate(_ data: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  guard count >= 2 else { return 0 }
  let input = unsafe UnsafeBufferPointer(start: data, count: count)
  let limit = unsafe Int(input[0]) << 8 | Int(input[1])
  let stream = unsafe Span(_unsafeElements: UnsafeBufferPointer(rebasing: input[2...]))

  var inflater = Inflater()
  var output = ByteBuffer()
  output.append(0xA5)
  do throws(InflateError) {
    try inflater.inflate(stream, into: &output, byteCountMax: limit)
  } catch {
    precondition(output.byteCount == 1, "an error left bytes behind")
    return 0
  }
  output.consume(1)
  precondition(output.byteCount <= limit, "more came out than the limit allows")

  var deflater = Deflater()
  var again = ByteBuffer()
  var copy = ByteBuffer()
  let fits = output.withBytes { deflater.deflate($0, into: &again, byteCountMax: .max) }
  precondition(fits, "deflating declined without a limit")
  do throws(InflateError) {
    try again.withBytes { bytes throws(InflateError) in
      try inflater.inflate(bytes, into: &copy, byteCountMax: limit)
    }
  } catch {
    preconditionFailure("our own stream does not inflate: \(error)")
  }
  let isEqual = unsafe output.withUnsafeBytes { left in
    unsafe copy.withUnsafeBytes { right in unsafe left.elementsEqual(right) }
  }
  precondition(isEqual, "a message changed on its way through")
  return 0
}
