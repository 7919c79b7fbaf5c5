import TestingContracts
import RPCKit
import RPCKitTesting
import Testing

/// Bytes that no encoder writes.
@Suite struct HostileMessageTests {
  private typealias Rich = Testing_V1.Rich
  private typealias Node = Testing_V1.Node

  struct Case: CustomTestStringConvertible, Sendable {
    var testDescription: String
    var bytes: [UInt8]
    var error: MessageDecodingError = .malformed
  }

  static let cases: [Case] = [
    Case(testDescription: "a tag that does not end", bytes: [0x88]),
    Case(testDescription: "a tag of six bytes", bytes: [0x88, 0x80, 0x80, 0x80, 0x80, 0x00, 0]),
    Case(testDescription: "a tag past 32 bits", bytes: [0xF8, 0xFF, 0xFF, 0xFF, 0x1F, 0]),
    Case(testDescription: "field number 0", bytes: [0x00, 0x00]),
    Case(testDescription: "a group that is not closed", bytes: [0x0B, 0x10, 0x01]),
    Case(testDescription: "a group closed by another number", bytes: [0x0B, 0x14]),
    Case(testDescription: "a group with field number 0", bytes: [0x0B, 0x00, 0x00, 0x0C]),
    Case(testDescription: "a group with wire type 6", bytes: [0x0B, 0x0E, 0x0C]),
    Case(testDescription: "a length past the end in a group", bytes: [0x0B, 0x0A, 0x05, 0x0C]),
    Case(
      testDescription: "a group closed outside of its message",
      bytes: [0x92, 0x01, 0x01, 0x0B, 0x0C]
    ),
    Case(testDescription: "an end of group alone", bytes: [0x0C]),
    Case(testDescription: "wire type 6", bytes: [0x0E, 0]),
    Case(testDescription: "wire type 7", bytes: [0x0F, 0]),
    Case(
      testDescription: "a varint of eleven bytes",
      bytes: [0x08] + [UInt8](repeating: 0x80, count: 10) + [0x00]
    ),
    Case(testDescription: "a varint that does not end", bytes: [0x08, 0xFF]),
    Case(testDescription: "a length past the end", bytes: [0x72, 0x05, 0x61]),
    Case(testDescription: "a length of 2^32 - 1", bytes: [0x72, 0xFF, 0xFF, 0xFF, 0xFF, 0x0F]),
    Case(
      testDescription: "a length of six bytes",
      bytes: [0x72, 0x81, 0x80, 0x80, 0x80, 0x80, 0x00]
    ),
    Case(
      testDescription: "a length past the end of its message",
      bytes: [0x92, 0x01, 0x02, 0x0A, 0x05, 0x61, 0x62, 0x63, 0x64, 0x65]
    ),
    Case(testDescription: "three bytes of a fixed32", bytes: [0x3D, 0, 0, 0]),
    Case(testDescription: "seven bytes of a fixed64", bytes: [0x41, 0, 0, 0, 0, 0, 0, 0]),
    Case(testDescription: "packed fixed32 of 5 bytes", bytes: [0xDA, 0x01, 0x05, 0, 0, 0, 0, 0]),
    Case(testDescription: "a packed varint that does not end", bytes: [0xAA, 0x01, 0x01, 0x80]),
    Case(testDescription: "not UTF-8", bytes: [0x72, 0x01, 0xFF], error: .invalidUTF8),
    Case(
      testDescription: "an overlong encoding of U+0000",
      bytes: [0x72, 0x02, 0xC0, 0x80],
      error: .invalidUTF8
    ),
    Case(
      testDescription: "a surrogate",
      bytes: [0x72, 0x03, 0xED, 0xA0, 0x80],
      error: .invalidUTF8
    ),
    Case(
      testDescription: "not UTF-8 in a map key",
      bytes: [0xEA, 0x03, 0x03, 0x0A, 0x01, 0x80],
      error: .invalidUTF8
    ),
  ]

  @Test("Bytes that are no message are refused, with the reason", arguments: cases)
  func bytes_notAMessage_areRefused(_ example: Case) {
    #expect(throws: example.error) { try Rich(encoded: example.bytes) }
  }

  @Test("Every truncation of a full message is refused or is a shorter message")
  func truncation_anyPoint_neverTraps() throws {
    let bytes = RichExamples.everything.encoded()
    var refused = 0
    for count in bytes.indices {
      do throws(MessageDecodingError) {
        let shorter = try Rich(encoded: Array(bytes[..<count]))
        #expect(shorter != RichExamples.everything)
      } catch {
        #expect(error == .malformed)
        refused += 1
      }
    }
    // A cut between two fields is legal; most cuts are inside one.
    #expect(refused > bytes.count / 2)
  }

  @Test("Garbage is refused or read, and what is read survives another round trip")
  func garbage_anySeed_neverTraps() throws {
    let seed = UInt64.random(in: .min ... .max)
    var random = SplitMix(state: seed)
    let template = RichExamples.everything.encoded()
    var read = 0
    for _ in 0..<5000 {
      var bytes = template
      for _ in 0...random.next(below: 4) {
        bytes[random.next(below: bytes.count)] = UInt8(truncatingIfNeeded: random.next())
      }
      guard let message = try? Rich(encoded: bytes) else { continue }
      read += 1
      let encoded = message.encoded()
      #expect(try Rich(encoded: encoded).encoded() == encoded, "seed \(seed)")
    }
    #expect(read > 0, "seed \(seed)")
  }

  private func nested(_ depth: Int, field: UInt8 = 0x12) -> [UInt8] {
    var reversed: [UInt8] = []
    for _ in 0..<depth {
      var length = reversed.count
      var prefix: [UInt8] = [field]
      while length >= 0x80 {
        prefix.append(UInt8(length & 0x7F) | 0x80)
        length >>= 7
      }
      prefix.append(UInt8(length))
      reversed += prefix.reversed()
    }
    return reversed.reversed()
  }

  @Test("A hundred messages inside one another are read", arguments: [0x12, 0x1A, 0x22] as [UInt8])
  func nesting_atLimit_isRead(field: UInt8) throws {
    let bytes = nested(100, field: field)
    #expect(try Node(encoded: bytes).encoded().count > 0)
  }

  @Test("Nesting past the limit is refused without recursion", arguments: [101, 10_000, 200_000])
  func nesting_pastLimit_isRefused(depth: Int) {
    #expect(throws: MessageDecodingError.nestedTooDeeply) { try Node(encoded: nested(depth)) }
  }

  @Test("A larger nesting limit holds up to what the guard can follow")
  func nesting_ownLimit_isKept() throws {
    var limits = MessageLimits()
    limits.nestingDepthMax = 3
    #expect(throws: MessageDecodingError.nestedTooDeeply) {
      try Node(encoded: nested(4), limits: limits)
    }
    limits.nestingDepthMax = .max
    #expect(throws: Never.self) { try Node(encoded: nested(256), limits: limits) }
    #expect(throws: MessageDecodingError.nestedTooDeeply) {
      try Node(encoded: nested(257), limits: limits)
    }
  }

  private func groups(_ depth: Int) -> [UInt8] {
    [UInt8](repeating: 0x0B, count: depth) + [UInt8](repeating: 0x0C, count: depth)
  }

  @Test("Groups nest as deeply as messages, together with those around them")
  func groups_nested_areLimited() throws {
    #expect(try Node(encoded: groups(100)) == Node())
    #expect(throws: MessageDecodingError.nestedTooDeeply) { try Node(encoded: groups(101)) }
    #expect(throws: MessageDecodingError.nestedTooDeeply) { try Node(encoded: groups(200_000)) }
    let inMessages = Node(child: Node(child: Node())).encoded()
    var limits = MessageLimits()
    limits.nestingDepthMax = 3
    // child { child { group } }, and one group more.
    #expect(inMessages == [0x12, 0x02, 0x12, 0x00])
    #expect(throws: Never.self) {
      try Node(encoded: [0x12, 0x04, 0x12, 0x02] + groups(1), limits: limits)
    }
    #expect(throws: MessageDecodingError.nestedTooDeeply) {
      try Node(encoded: [0x12, 0x06, 0x12, 0x04] + groups(2), limits: limits)
    }
  }

  @Test("Fields in groups count")
  func groups_ofManyFields_areLimited() {
    var limits = MessageLimits()
    limits.fieldCountMax = 3
    let two: [UInt8] = [0x0B, 0x08, 0x01, 0x08, 0x01, 0x0C]
    #expect(throws: Never.self) { try Node(encoded: two, limits: limits) }
    let three: [UInt8] = [0x0B, 0x08, 0x01, 0x08, 0x01, 0x08, 0x01, 0x0C]
    #expect(throws: MessageDecodingError.tooManyFields) { try Node(encoded: three, limits: limits) }
  }

  private func packed(_ count: Int) -> [UInt8] {
    var length = count
    var bytes: [UInt8] = [0xAA, 0x01]
    while length >= 0x80 {
      bytes.append(UInt8(length & 0x7F) | 0x80)
      length >>= 7
    }
    return bytes + [UInt8(length)] + [UInt8](repeating: 1, count: count)
  }

  @Test("A million fields are read, one more is refused; elements count as fields")
  func fieldCount_atAndPastLimit_isKept() throws {
    // The field itself is one.
    #expect(try Rich(encoded: packed(999_999)).int32List.count == 999_999)
    #expect(throws: MessageDecodingError.tooManyFields) { try Rich(encoded: packed(1_000_000)) }
    var limits = MessageLimits()
    limits.fieldCountMax = 2
    let three: [UInt8] = [0x08, 1, 0x10, 1, 0x18, 1]
    #expect(throws: MessageDecodingError.tooManyFields) { try Rich(encoded: three, limits: limits) }
    #expect(throws: Never.self) { try Rich(encoded: Array(three[..<4]), limits: limits) }
  }

  @Test("Many empty messages ask for far more memory than they have bytes, and are refused")
  func amplification_emptyMessages_isRefused() throws {
    let one: [UInt8] = [0x1A, 0x00]
    let few = Array([[UInt8]](repeating: one, count: 100).joined())
    #expect(try Node(encoded: few).children.count == 100)
    let many = Array([[UInt8]](repeating: one, count: 100_000).joined())
    #expect(throws: MessageDecodingError.needsTooMuchMemory) { try Node(encoded: many) }
  }

  @Test("A long list of small messages is not amplification")
  func amplification_smallMessages_areRead() throws {
    var rich = Rich()
    rich.partList = (0..<20_000).map { Rich.Part(label: "part \($0)", count: 1) }
    #expect(try Rich(encoded: rich.encoded()) == rich)
  }

  @Test("Merging a large message at each of many levels is refused, at a few it is not")
  func amplification_deepMerge_isRefused() throws {
    func chain(_ depth: Int) -> [UInt8] {
      var node = Node(name: String(repeating: "x", count: 100_000))
      for _ in 0..<depth { node = Node(child: node) }
      return node.encoded()
    }
    #expect(throws: Never.self) { try Node(encoded: chain(5) + chain(5)) }
    #expect(throws: MessageDecodingError.needsTooMuchMemory) {
      try Node(encoded: chain(60) + chain(60))
    }
  }

  @Test("Fields that this program does not know are skipped")
  func unknownFields_areSkipped() throws {
    let unknown: [UInt8] = [
      0xA0, 0x06, 0x01,  // 100, varint
      0xA1, 0x06, 1, 2, 3, 4, 5, 6, 7, 8,  // 100, 64 bit
      0xA2, 0x06, 0x02, 0xFF, 0xFF,  // 100, bytes that are not UTF-8
      0xA5, 0x06, 1, 2, 3, 4,  // 100, 32 bit
      0x08, 0x07,  // 1
    ]
    #expect(try Rich(encoded: unknown) == Rich(int32Value: 7))
  }
}

/// Deterministic random numbers.
struct SplitMix {
  private var random: SimulationRandom

  init(state: UInt64) { random = SimulationRandom(seed: state) }

  mutating func next() -> UInt64 { random.next() }

  mutating func next(below bound: Int) -> Int { Int(next() % UInt64(bound)) }
}
