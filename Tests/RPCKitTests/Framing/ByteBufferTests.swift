import Testing

@testable import RPCKit

@Suite("A byte buffer")
struct ByteBufferTests {
  @Test("holds no memory before it is written nor after it is released")
  func memory_isHeldOnlyWhileUsed() {
    var buffer = ByteBuffer()
    #expect(buffer.allocatedByteCount == 0)
    buffer.append(1)
    #expect(buffer.allocatedByteCount == 4096)
    buffer.release()
    #expect(buffer.allocatedByteCount == 0 && buffer.isEmpty)
    #expect(buffer.contents == [])
    buffer.append(2)
    #expect(buffer.contents == [2])
  }

  @Test("begins with the memory it is given, and grows beyond it")
  func capacity_isWhatItBeginsWith() {
    var buffer = ByteBuffer(capacity: 4)
    #expect(buffer.allocatedByteCount == 4 && buffer.isEmpty)
    buffer.append([1, 2, 3, 4].span)
    #expect(buffer.allocatedByteCount == 4)
    buffer.append(5)
    #expect(buffer.allocatedByteCount == 4096)
    #expect(buffer.contents == [1, 2, 3, 4, 5])
  }

  @Test("gives bytes back in the order they came")
  func bytes_comeOutInOrder() {
    var buffer = ByteBuffer()
    buffer.append([1, 2, 3].span)
    buffer.append(4)
    buffer.append(bigEndian: 0x0506_0708)
    #expect(buffer.contents == [1, 2, 3, 4, 5, 6, 7, 8])
    buffer.consume(3)
    #expect(buffer.contents == [4, 5, 6, 7, 8])
    #expect(buffer.byteCount == 5)
  }

  @Test("takes nothing as nothing")
  func emptyAppend_changesNothing() {
    var buffer = ByteBuffer()
    buffer.append(Span())
    buffer.consume(0)
    buffer.truncate(to: 0)
    #expect(buffer.isEmpty && buffer.allocatedByteCount == 0)
  }

  @Test("moves what waits to the front before it asks for more memory")
  func reserve_compactsFirst() {
    var buffer = ByteBuffer()
    let bytes = Self.numbered(4096)
    buffer.append(bytes.span)
    buffer.consume(3000)
    let more = Self.numbered(3000)
    buffer.append(more.span)
    #expect(buffer.allocatedByteCount == 4096)
    #expect(buffer.contents == bytes[3000...] + more)
  }

  @Test("doubles when there is no room", arguments: [1, 4096, 4097, 100_000])
  func reserve_doubles(byteCount: Int) {
    var buffer = ByteBuffer()
    let (first, second) = (Self.numbered(4096), Self.numbered(byteCount))
    buffer.append(first.span)
    buffer.append(second.span)
    var expected = 4096
    while expected < 4096 + byteCount { expected *= 2 }
    #expect(buffer.allocatedByteCount == expected)
    #expect(buffer.contents == first + second)
  }

  @Test("overwrites bytes where they are, also behind bytes that were consumed")
  func replace_overwritesInPlace() {
    var buffer = ByteBuffer()
    buffer.append([9, 9, 0, 0, 0, 0, 7].span)
    buffer.consume(1)
    buffer.replace(at: 1, bigEndian: 0x0102_0304)
    #expect(buffer.contents == [9, 1, 2, 3, 4, 7])
  }

  @Test("takes bytes off the end")
  func truncate_keepsTheFront() {
    var buffer = ByteBuffer()
    buffer.append([1, 2, 3, 4].span)
    buffer.consume(1)
    buffer.truncate(to: 2)
    #expect(buffer.contents == [2, 3])
    buffer.append(5)
    #expect(buffer.contents == [2, 3, 5])
  }

  @Test("keeps only what a writer filled in")
  func appendUpTo_keepsWhatWasWritten() {
    var buffer = ByteBuffer()
    let written = unsafe buffer.appendUpTo(10) { room in
      #expect(room.count == 10)
      unsafe room[0] = 1
      unsafe room[1] = 2
      return 2
    }
    #expect(written == 2)
    #expect(buffer.contents == [1, 2])
  }

  @Test("adds nothing when the writer fails")
  func appendUninitialized_failure_addsNothing() {
    var buffer = ByteBuffer()
    buffer.append(1)
    #expect(throws: WireFormatError.malformed) {
      try unsafe buffer.appendUninitialized(5) { _ throws(WireFormatError) in throw .malformed }
    }
    #expect(buffer.contents == [1])
  }

  @Test("behaves like an array under random operations", arguments: UInt64(1)...20)
  func randomOperations_matchAnArray(seed: UInt64) {
    var random = SeededRandom(seed)
    var buffer = ByteBuffer()
    var model: [UInt8] = []
    var roomMost = 0
    for step in 0..<400 {
      let count = Int.random(in: 0...(Bool.random(using: &random) ? 16 : 3000), using: &random)
      switch Int.random(in: 0..<10, using: &random) {
      case 0...3:
        let bytes = (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
        roomMost = max(roomMost, model.count + count)
        model += bytes
        buffer.append(bytes.span)
      case 4...6:
        let taken = min(2 * count, model.count)
        model.removeFirst(taken)
        buffer.consume(taken)
      case 7:
        let kept = max(0, model.count - count)
        model.removeLast(model.count - kept)
        buffer.truncate(to: kept)
      case 8:
        guard model.count >= 4 else { continue }
        let place = Int.random(in: 0...(model.count - 4), using: &random)
        model.replaceSubrange(place..<place + 4, with: [0xde, 0xad, 0xbe, 0xef])
        buffer.replace(at: place, bigEndian: 0xdead_beef)
      default:
        roomMost = max(roomMost, model.count + count)
        buffer.reserve(count)
        guard step % 97 == 0 else { continue }
        model = []
        buffer.release()
      }
      #expect(buffer.byteCount == model.count)
      guard buffer.contents == model else {
        Issue.record("the bytes differ at step \(step)")
        return
      }
      #expect(
        buffer.allocatedByteCount <= max(4096, 2 * roomMost),
        "memory grows with what waits and not with what passed through"
      )
    }
  }

  private static func numbered(_ count: Int) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) }
  }
}

extension ByteBuffer {
  /// A copy of what waits to be read.
  var contents: [UInt8] { withBytes { [UInt8]($0) } }
}
