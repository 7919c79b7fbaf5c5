import RPCKit
import RPCKitTesting

/// A zlib stream of stored blocks (RFC 1950, RFC 1951 section 3.2.4), written out by hand: a peer
/// that shares no code with zlib.
func storedZlibStream(_ content: [UInt8]) -> [UInt8] {
  var stream: [UInt8] = [0x78, 0x01]
  var start = 0
  repeat {
    let end = min(start + 0xFFFF, content.count)
    let size = end - start
    stream.append(end == content.count ? 1 : 0)
    stream += [UInt8(size & 0xFF), UInt8(size >> 8), ~UInt8(size & 0xFF), ~UInt8(size >> 8)]
    stream += content[start..<end]
    start = end
  } while start < content.count
  var low: UInt32 = 1
  var high: UInt32 = 0
  for byte in content {
    low = (low + UInt32(byte)) % 65521
    high = (high + low) % 65521
  }
  for value in [high >> 8, high, low >> 8, low] { stream.append(UInt8(truncatingIfNeeded: value)) }
  return stream
}

/// Random bytes that are the same on every run.
struct SeededBytes: RandomNumberGenerator {
  private var random: SimulationRandom

  init(seed: UInt64) {
    random = SimulationRandom(seed: seed)
  }

  mutating func next() -> UInt64 { random.next() }

  mutating func bytes(_ count: Int) -> [UInt8] {
    var result: [UInt8] = []
    result.reserveCapacity(count)
    for _ in 0..<count { result.append(UInt8(truncatingIfNeeded: next())) }
    return result
  }
}

extension ByteBuffer {
  /// A copy of what waits in the buffer.
  borrowing func copiedBytes() -> [UInt8] {
    unsafe withUnsafeBytes { unsafe Array($0) }
  }
}

extension Deflater {
  /// What `deflate` appends to an empty buffer, or nil when it declines and leaves it empty.
  mutating func deflated(_ content: [UInt8], byteCountMax: Int = .max) -> [UInt8]? {
    var output = ByteBuffer()
    let fits = deflate(content.span, into: &output, byteCountMax: byteCountMax)
    return fits || !output.isEmpty ? output.copiedBytes() : nil
  }
}
