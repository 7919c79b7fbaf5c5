import Contracts
import RPCKit
import Testing

/// What parsers must do with bytes that encoders seldom write.
@Suite struct WireFormatTests {
  private typealias Rich = Testing_V1.Rich

  @Test("A check request is these bytes")
  func checkRequest_encoded_isTheseBytes() {
    let request = Benchmark_V1.CheckRequest(
      subject: "ann",
      action: "open",
      entity: "",
      context: "é"
    )
    #expect(
      request.encoded() == [
        0x0A, 0x03, 0x61, 0x6E, 0x6E,  // 1, 3 bytes, "ann"
        0x12, 0x04, 0x6F, 0x70, 0x65, 0x6E,  // 2, 4 bytes, "open"
        // 3 is empty and not written
        0x22, 0x02, 0xC3, 0xA9,  // 4, 2 bytes, "é"
      ]
    )
  }

  @Test("The prefix is told the exact size, and lands in front")
  func append_withPrefix_isInFront() {
    var buffer = ByteBuffer()
    buffer.append(0xEE as UInt8)
    Benchmark_V1.CheckRequest(subject: "ab").append(to: &buffer) { buffer, byteCount in
      buffer.append(bigEndian: UInt32(byteCount))
    }
    let bytes = buffer.withBytes { bytes in bytes.indices.map { bytes[$0] } }
    #expect(bytes == [0xEE, 0, 0, 0, 4, 0x0A, 0x02, 0x61, 0x62])
  }

  @Test("A prefix may encode a message itself")
  func append_nested_keepsBothMessages() throws {
    var buffer = ByteBuffer()
    let inner = Benchmark_V1.CheckRequest(subject: String(repeating: "inner", count: 50_000))
    Benchmark_V1.CheckRequest(subject: "outer").append(to: &buffer) { buffer, _ in
      inner.append(to: &buffer) { _, _ in }
    }
    let bytes = buffer.withBytes { bytes in bytes.indices.map { bytes[$0] } }
    let innerCount = inner.encoded().count
    #expect(try Benchmark_V1.CheckRequest(encoded: Array(bytes[..<innerCount])) == inner)
    #expect(Array(bytes[innerCount...]) == [0x0A, 0x05] + Array("outer".utf8))
  }

  @Test("The last of several values of a field counts")
  func scalar_twice_lastCounts() throws {
    #expect(try Rich(encoded: [0x08, 1, 0x08, 2]).int32Value == 2)
    #expect(try Rich(encoded: [0x72, 1, 0x61, 0x72, 1, 0x62]).stringValue == "b")
    #expect(try Rich(encoded: [0x72, 1, 0x61, 0x72, 0]).stringValue == "")
  }

  @Test("Two occurrences of a message field are merged")
  func message_twice_isMerged() throws {
    let first = Rich(
      part: Rich.Part(label: "first", count: 5, sizes: [1, 2], choice: .byName("n"))
    )
    let second = Rich(part: Rich.Part(label: "second", sizes: [3]))
    let merged = try Rich(encoded: first.encoded() + second.encoded())
    #expect(
      merged.part == Rich.Part(label: "second", count: 5, sizes: [1, 2, 3], choice: .byName("n"))
    )
  }

  @Test("Two messages with unset oneofs merge without touching anything else")
  func message_twiceWithUnsetOneof_isMerged() throws {
    let first = Rich(part: Rich.Part(count: 5))
    let second = Rich(part: Rich.Part(label: "second"))
    let merged = try Rich(encoded: first.encoded() + second.encoded())
    #expect(merged.part == Rich.Part(label: "second", count: 5))
  }

  @Test("Merging reaches messages inside messages, with other fields in between")
  func message_twiceDeepInside_isMerged() throws {
    typealias Node = Testing_V1.Node
    func node(_ name: String, _ inner: Node) -> [UInt8] {
      Node(name: name, child: Node(child: inner)).encoded()
    }
    let bytes =
      node("one", Node(name: "a", children: [Node(name: "x")]))
      + Node(children: [Node(name: "between")]).encoded()
      + node("two", Node(children: [Node(name: "y")], link: .end(true)))
    let expected = Node(
      name: "two",
      child: Node(
        child: Node(name: "a", children: [Node(name: "x"), Node(name: "y")], link: .end(true))
      ),
      children: [Node(name: "between")]
    )
    #expect(try Node(encoded: bytes) == expected)
  }

  @Test("The last member of a oneof counts; a message member set twice is merged")
  func oneof_severalMembers_lastCounts() throws {
    let text = Rich(payload: .text("text")).encoded()
    let label = Rich(payload: .piece(Rich.Part(label: "label"))).encoded()
    let count = Rich(payload: .piece(Rich.Part(count: 3))).encoded()
    #expect(try Rich(encoded: label + text).payload == .text("text"))
    #expect(try Rich(encoded: text + label).payload == .piece(Rich.Part(label: "label")))
    #expect(
      try Rich(encoded: label + count).payload == .piece(Rich.Part(label: "label", count: 3))
    )
    #expect(try Rich(encoded: label + text + count).payload == .piece(Rich.Part(count: 3)))
    #expect(try Rich(encoded: label + count + text).payload == .text("text"))
  }

  @Test("The last of several entries with one key counts")
  func map_duplicateKey_lastCounts() throws {
    let bytes = Rich(labels: ["k": "1"]).encoded() + Rich(labels: ["k": "2"]).encoded()
    #expect(try Rich(encoded: bytes).labels == ["k": "2"])
  }

  @Test("An entry without key or value has the defaults")
  func map_emptyEntry_isDefault() throws {
    #expect(try Rich(encoded: [0xEA, 0x03, 0x00]).labels == ["": ""])
    #expect(try Rich(encoded: [0xF2, 0x03, 0x00]).parts == ["": Rich.Part()])
  }

  @Test("Packed and unpacked elements may be mixed, whatever the contract says")
  func repeated_mixedPacking_isRead() throws {
    let packed: [UInt8] = [0xAA, 0x01, 0x02, 0x01, 0x02]
    let single: [UInt8] = [0xA8, 0x01, 0x03]
    #expect(try Rich(encoded: packed + single + packed).int32List == [1, 2, 3, 1, 2])
    #expect(try Rich(encoded: [0xB2, 0x02, 0x02, 0x05, 0x06]).unpackedList == [5, 6])
  }

  @Test("Minus zero keeps its sign only where presence is on the wire")
  func minusZero_withoutPresence_isZero() throws {
    // protobuf-c takes -0.0 for the default and leaves it out (field_is_zeroish).
    #expect(Rich(doubleValue: -0.0).encoded() == [])
    let kept = Rich(doubleList: [-0.0], optionalDouble: -0.0)
    let decoded = try Rich(encoded: kept.encoded())
    #expect(decoded.doubleList.first?.sign == .minus)
    #expect(decoded.optionalDouble?.sign == .minus)
  }

  @Test("A negative int32 takes ten bytes, and five are read as well")
  func int32_negative_isReadFromBoth() throws {
    #expect(Rich(int32Value: -1).encoded() == [0x08] + [UInt8](repeating: 0xFF, count: 9) + [0x01])
    #expect(try Rich(encoded: [0x08, 0xFF, 0xFF, 0xFF, 0xFF, 0x0F]).int32Value == -1)
  }
}
