import TestingContracts
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

  @Test("Minus zero keeps its sign with presence and without")
  func minusZero_anywhere_keepsSign() throws {
    let message = Rich(
      floatValue: -0.0,
      doubleValue: -0.0,
      floatList: [-0.0],
      doubleList: [-0.0],
      optionalDouble: -0.0,
      weights: [true: -0.0],
      payload: .half(-0.0)
    )
    let decoded = try Rich(encoded: message.encoded())
    #expect(decoded.floatValue.bitPattern == (-0.0 as Float).bitPattern)
    #expect(decoded.doubleValue.bitPattern == (-0.0).bitPattern)
    #expect(decoded.floatList.map(\.bitPattern) == [(-0.0 as Float).bitPattern])
    #expect(decoded.doubleList.map(\.bitPattern) == [(-0.0).bitPattern])
    #expect(decoded.optionalDouble?.bitPattern == (-0.0).bitPattern)
    #expect(decoded.weights[true]?.bitPattern == (-0.0).bitPattern)
    guard case .half(let half) = decoded.payload else {
      Issue.record("the member of the oneof is lost")
      return
    }
    #expect(half.bitPattern == (-0.0 as Float).bitPattern)
  }

  @Test("Plus zero without presence is not written")
  func plusZero_withoutPresence_isNotWritten() {
    #expect(Rich(floatValue: 0, doubleValue: 0).encoded() == [])
    #expect(Rich(doubleValue: -0.0).encoded() == [0x61, 0, 0, 0, 0, 0, 0, 0, 0x80])
  }

  @Test("A known number with another wire type is skipped, wherever it stands")
  func wireType_another_isSkipped() throws {
    let around: [UInt8] = [0x08, 7]
    for field: [UInt8] in [
      [0x0A, 0x01, 0x00],  // int32, as bytes
      [0x0D, 1, 2, 3, 4],  // int32, as 32 bits
      [0x6A, 0x01, 0x01],  // bool, as bytes
      [0x6D, 1, 0, 0, 0],  // bool, as 32 bits: protobuf-c would believe it
      [0x70, 0x01],  // string, as a varint
      [0x45, 0, 0, 0, 0],  // fixed64, as 32 bits
      [0x90, 0x01, 0x05],  // message, as a varint
      [0x0B, 0x0C],  // int32, as an empty group
      [0x93, 0x01, 0x0A, 0x01, 0x61, 0x94, 0x01],  // message, as a group
      [0xA3, 0x06, 0x08, 0x01, 0x13, 0x14, 0xA4, 0x06],  // unknown, as a group with one inside
      [0xE9, 0x03, 0, 0, 0, 0, 0, 0, 0, 0],  // map entry, as 64 bits
    ] {
      #expect(try Rich(encoded: around + field) == Rich(int32Value: 7))
      #expect(try Rich(encoded: field + around) == Rich(int32Value: 7))
      // Inside a message inside the message.
      let part = Rich(part: Rich.Part(label: "a", count: 3)).encoded()
      #expect(
        try Rich(encoded: part + field + around)
          == Rich(int32Value: 7, part: Rich.Part(label: "a", count: 3))
      )
    }
    // Rich.part { label (a string) as a varint, count }
    let nested: [UInt8] = [0x92, 0x01, 0x04, 0x08, 0x01, 0x10, 0x05]
    #expect(try Rich(encoded: nested) == Rich(part: Rich.Part(count: 5)))
  }

  @Test("A member of a oneof with another wire type does not unset the others")
  func oneof_anotherWireType_unsetsNothing() throws {
    let text = Rich(payload: .text("text")).encoded()
    // `number` (53, a varint) as bytes, and `piece` (56, a message) as a varint.
    let mistyped: [UInt8] = [0xAA, 0x03, 0x01, 0x01, 0xC0, 0x03, 0x01]
    #expect(try Rich(encoded: text + mistyped).payload == .text("text"))
  }

  @Test("A negative int32 takes ten bytes, and five are read as well")
  func int32_negative_isReadFromBoth() throws {
    #expect(Rich(int32Value: -1).encoded() == [0x08] + [UInt8](repeating: 0xFF, count: 9) + [0x01])
    #expect(try Rich(encoded: [0x08, 0xFF, 0xFF, 0xFF, 0xFF, 0x0F]).int32Value == -1)
  }
}
