import RPCKitTesting
import Testing

@testable import RPCKit

@Suite("The frame decoder")
struct FrameDecoderTests {
  @Test("reads the smallest call and its answer from one chunk, without copying")
  func wholeFrames_arePlacesInTheChunk() {
    let bytes = [UInt8](
      hexadecimal: """
        00000008 00000001 01 00 | 0a 03 61 2e 42 12 01 43   # a.B/C
        00000000 00000001 02 00 |                           # OK
        """
    )
    let decoder = DecoderBox(payloadByteCountMax: 100, skippedByteCountMax: 100)
    #expect(
      decoder.next(bytes)
        == .frame(
          FrameHeader(payloadByteCount: 8, streamID: .first, type: .request),
          payload: 10..<18
        )
    )
    #expect(decoder.offset == 18)
    #expect(
      decoder.next()
        == .frame(
          FrameHeader(payloadByteCount: 0, streamID: .first, type: .response),
          payload: 28..<28
        )
    )
    #expect(decoder.next() == .needMoreBytes)
    #expect(!decoder.isInsideFrame && decoder.allocatedByteCount == 0)
  }

  @Test("reads the same frames whatever way the bytes are cut in three")
  func everySplit_givesTheSameFrames() {
    let frames = [
      WireFrame(stream: 1, type: WireFrame.request, payload: [1, 2, 3]),
      WireFrame(stream: 3, type: WireFrame.data, flags: 5),
      WireFrame(stream: 5, type: WireFrame.data, payload: Array(repeating: 7, count: 21)),
      WireFrame(stream: 7, type: 0x7f, flags: 0xff, payload: [0]),
    ]
    let bytes = frames.flatMap(\.bytes)
    let limits = DecoderRun.Limits(payload: 20, skipped: 100)
    let expected: [DecoderRun.Event] = [
      .frame(frames[0]), .frame(frames[1]), .oversize(5, 21), .frame(frames[3]),
    ]
    for first in 0...bytes.count {
      for second in first...bytes.count {
        let chunks = [bytes[..<first], bytes[first..<second], bytes[second...]].map(Array.init)
        guard DecoderRun(chunks, limits).events == expected else {
          Issue.record("cut at \(first) and \(second), other frames come out")
          return
        }
      }
    }
  }

  @Test("reads frames that come byte by byte")
  func drip_givesTheSameFrames() {
    let frames = (0..<5).map { number in
      WireFrame(
        stream: UInt32(2 * number + 1),
        type: WireFrame.data,
        payload: Array(repeating: UInt8(number), count: number * 3)
      )
    }
    let run = DecoderRun(frames.flatMap(\.bytes).map { [$0] }, .init(payload: 12, skipped: 12))
    #expect(run.events == frames.map { .frame($0) })
    #expect(!run.isInsideFrame)
  }

  @Test("says after each byte whether the peer owes more")
  func isInsideFrame_followsTheBytes() {
    let bytes = WireFrame(stream: 1, type: WireFrame.data, payload: [1, 2]).bytes
    for count in 0..<bytes.count {
      let run = DecoderRun(bytes.prefix(count).map { [$0] }, .init(payload: 2, skipped: 2))
      #expect(run.events.isEmpty)
      #expect(run.isInsideFrame == (count > 0), "after \(count) bytes")
    }
    #expect(!DecoderRun([bytes], .init(payload: 2, skipped: 2)).isInsideFrame)
  }

  @Test(
    "delivers up to the limit, skips up to the next one, and refuses the rest",
    arguments: [
      (63, DecoderRun.Sort.frame), (64, .frame), (65, .oversize), (127, .oversize),
      (128, .oversize), (129, .unskippable), (Int(UInt32.max), .unskippable),
    ],
    [1, 7, 1000]
  )
  func length_decides(_ expectation: (Int, DecoderRun.Sort), chunkByteCount: Int) {
    let (length, sort) = expectation
    let frame = WireFrame(stream: 9, type: WireFrame.request)
    let after = WireFrame(stream: 11, type: WireFrame.data, payload: [42])
    var bytes = frame.header(declaring: UInt32(length))
    if sort != .unskippable { bytes += Array(repeating: 5, count: length) + after.bytes }
    let chunks = stride(from: 0, to: bytes.count, by: chunkByteCount).map {
      Array(bytes[$0..<min($0 + chunkByteCount, bytes.count)])
    }
    let run = DecoderRun(chunks, .init(payload: 64, skipped: 128))
    switch sort {
    case .frame:
      var whole = frame
      whole.payload = Array(repeating: 5, count: length)
      #expect(run.events == [.frame(whole), .frame(after)])
    case .oversize: #expect(run.events == [.oversize(9, length), .frame(after)])
    case .unskippable: #expect(run.events == [.unskippable(9, length)])
    }
  }

  @Test("holds what arrived and not what was declared")
  func memory_followsArrival() {
    let header = WireFrame(stream: 1, type: WireFrame.data).header(declaring: 4 << 20)
    let decoder = DecoderBox(payloadByteCountMax: 4 << 20, skippedByteCountMax: 4 << 20)
    var arrived = 0
    var most = 0
    for chunk in [header] + Array(repeating: [UInt8](repeating: 1, count: 1000), count: 100) {
      #expect(decoder.next(chunk) == .needMoreBytes)
      arrived += chunk.count
      most = max(most, decoder.allocatedByteCount)
      #expect(decoder.allocatedByteCount <= max(4096, 2 * arrived))
    }
    #expect(most < 4 << 20)
  }

  @Test("holds nothing while it skips")
  func skipping_needsNoMemory() {
    let decoder = DecoderBox(payloadByteCountMax: 10, skippedByteCountMax: 1 << 20)
    let header = WireFrame(stream: 1, type: WireFrame.data).header(declaring: 1 << 20)
    // The header comes in two pieces, so that it has to be gathered.
    for chunk in [Array(header[..<4]), Array(header[4...])] {
      _ = decoder.next(chunk)
    }
    for _ in 0..<1024 {
      #expect(decoder.isInsideFrame)
      #expect(decoder.next([UInt8](repeating: 0, count: 1024)) == .needMoreBytes)
      #expect(decoder.allocatedByteCount == 0)
    }
    #expect(!decoder.isInsideFrame)
  }

  @Test("gives the memory of a gathered frame away with the frame")
  func takeGathered_startsAfresh() {
    let bytes = WireFrame(stream: 1, type: WireFrame.data, payload: [1, 2, 3]).bytes
    let decoder = DecoderBox(payloadByteCountMax: 10, skippedByteCountMax: 10)
    #expect(decoder.next(Array(bytes[..<11])) == .needMoreBytes)
    #expect(
      decoder.next(Array(bytes[11...]))
        == .gatheredFrame(FrameHeader(payloadByteCount: 3, streamID: .first, type: .data))
    )
    #expect(decoder.takeGathered() == bytes)
    #expect(decoder.allocatedByteCount == 0 && !decoder.isInsideFrame)
  }

  @Test("agrees with a naive reader on random streams", arguments: UInt64(1)...40)
  func randomStream_matchesTheModel(seed: UInt64) {
    var random = SeededRandom(seed)
    var bytes: [UInt8] = []
    var expected: [DecoderRun.Event] = []
    for _ in 0..<60 {
      let frame = WireFrame(
        stream: .random(in: 0...(.max), using: &random),
        type: .random(in: 0...5, using: &random),
        flags: .random(in: 0...(.max), using: &random),
        payload: (0..<Int.random(in: 0...120, using: &random)).map { _ in
          .random(in: 0...255, using: &random)
        }
      )
      bytes += frame.bytes
      expected.append(
        frame.payload.count > 100 ? .oversize(frame.stream, frame.payload.count) : .frame(frame)
      )
    }
    var chunks: [[UInt8]] = []
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = Int.random(in: 0...300, using: &random)
      chunks.append(Array(rest.prefix(count)))
      rest = rest.dropFirst(count)
    }
    #expect(DecoderRun(chunks, .init(payload: 100, skipped: 1000)).events == expected)
  }
}
