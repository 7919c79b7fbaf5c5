import RPCKitTesting
import Testing

@testable import RPCKit
@testable import RPCKitHTTP

/// What libnghttp2 leaves alone, as it is set up here (RFC 9113 sections 5.1 and 6.3).
@Suite("HTTP/2: priorities, and frames on streams that are closed", .teardown)
struct HTTP2ClosedStreamTests {
  private static let protocolError: UInt32 = 1
  private static let streamClosed: UInt32 = 5
  private static let frameSizeError: UInt32 = 6

  @Test("PRIORITY belongs to a stream, and has five bytes")
  func priority_malformed() throws {
    for (stream, byteCount, code) in [(0, 5, Self.protocolError), (1, 4, Self.frameSizeError)] {
      let stage = try HTTP2Stage()
      let client = try stage.open()
      let payload = [UInt8](repeating: 0, count: byteCount)
      try client.exchange(HTTP2Frame(HTTP2Frame.Kind.priority, stream: UInt32(stream), payload))
      #expect(client.goAwayCodes == [code])
    }
  }

  @Test("PRIORITY of a stream means nothing, whatever the stream is")
  func priority_isIgnored() throws {
    let stage = try HTTP2Stage()
    let client = try stage.open()
    try client.exchange(.request(1, "/echo"))
    for stream in [UInt32(1), 3] {
      try client.exchange(HTTP2Frame(HTTP2Frame.Kind.priority, stream: stream, [0, 0, 0, 0, 16]))
    }
    try client.exchange(.request(3, "/echo"))
    #expect(client[3].status == "200")
    #expect(client.goAwayCodes == [])
  }

  @Test("Fields on a stream that the client has ended end the connection")
  func frame_behindTheEnd() throws {
    let frames: [HTTP2Frame] = [.headers(1, [("x-a", "b")]), .request(1, "/echo")]
    for frame in frames {
      for reset in [false, true] {
        let stage = try HTTP2Stage()
        let client = try stage.open()
        if reset {
          try client.exchange(.request(1, "/silent", isEnd: false), .reset(1))
        } else {
          try client.exchange(.request(1, "/echo"))
          #expect(client[1].isEnded)
        }
        try client.exchange(frame)
        #expect(client.goAwayCodes == [Self.streamClosed], "\(frame) \(reset)")
      }
    }
  }

  @Test("What is under way on a stream that this end has closed is dropped")
  func frame_underWay() throws {
    let stage = try HTTP2Stage()
    let client = try stage.open()
    try client.exchange(.request(1, "/bytes/3", isEnd: false))
    #expect(client[1].isEnded)
    try client.exchange(.data(1, [1, 2, 3], isEnd: true), .request(3, "/echo"))
    #expect(client[3].status == "200")
    #expect(client.goAwayCodes == [])
  }

  @Test("Streams are remembered within a bound")
  func memory_isBounded() {
    var streams = EndedStreams()
    for id in 1...100 { streams.insert(UInt32(id)) }
    #expect(!streams.contains(68) && streams.contains(69) && streams.contains(100))
  }
}
