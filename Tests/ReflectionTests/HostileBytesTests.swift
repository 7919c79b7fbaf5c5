import AuthContracts
import EntitlementContracts
import PeerContracts
import TenancyContracts
import TestingContracts
import RPCKit
import RPCKitTesting
import Reflection
import ServiceKit
import Testing

@Suite("Bytes from the other side")
struct HostileBytesTests {
  private static let type = "testing.v1.Rich"

  /// All examples as one message: fields add up, so of the durations only one may be the longest.
  private static let everything = RichCase.all
    .filter { !$0.json.contains("315576000000s") }
    .flatMap { $0.message.protobufBytes }

  @Test("A message cut off anywhere is refused or read, and never traps")
  func decoding_ofEachTruncation_ends() throws {
    let whole = try RichRegistry.json.decode(Self.everything, as: Self.type)
    #expect(whole.object?.members.isEmpty == false)
    var refused = 0
    for count in 0..<Self.everything.count {
      do {
        _ = try RichRegistry.json.decode(Array(Self.everything.prefix(count)), as: Self.type)
      } catch {
        refused += 1
      }
    }
    #expect(refused > 0)
  }

  @Test("Bytes changed at random never trap", arguments: [1, 2, 3, 4] as [UInt64])
  func decoding_ofMutations_ends(_ seed: UInt64) throws {
    var random = SimulationRandom(seed: seed)
    var read = 0
    for _ in 0..<500 {
      var bytes = Self.everything
      for _ in 0...Int(random.next() % 4) {
        bytes[Int(random.next() % UInt64(bytes.count))] = UInt8(truncatingIfNeeded: random.next())
      }
      // Refusing is as good as reading; what is read must be JSON again.
      guard let value = try? RichRegistry.json.decode(bytes, as: Self.type) else { continue }
      read += 1
      _ = try RichRegistry.value(value.text)
    }
    #expect(read > 0)
  }

  @Test("A message inside itself ends somewhere")
  func decoding_nestedTooDeeply_isRefused() {
    var bytes: [UInt8] = []
    for _ in 0..<65 { bytes = [0x12] + varint(bytes.count) + bytes }
    #expect(throws: SchemaError("nested too deeply")) {
      try RichRegistry.json.decode(bytes, as: "testing.v1.Node")
    }
  }

  @Test("Values inside one another end somewhere")
  func decoding_ofDeepValue_isRefused() {
    // Value.list_value = 6, ListValue.values = 1.
    var bytes: [UInt8] = [0x08, 0x00]
    for _ in 0..<100 {
      bytes = [0x0A] + varint(bytes.count) + bytes
      bytes = [0x32] + varint(bytes.count) + bytes
    }
    #expect(throws: SchemaError("nested too deeply")) {
      try RichRegistry.json.decode(bytes, as: "google.protobuf.Value")
    }
  }

  @Test("Text that is not UTF-8 is refused instead of being shown as empty")
  func decoding_ofInvalidText_isRefused() {
    #expect(throws: SchemaError("a text is not valid UTF-8")) {
      try RichRegistry.json.decode([0x72, 0x01, 0xFF], as: Self.type)
    }
  }

  @Test(
    "Odd but legal encodings are read as protobuf says",
    arguments: [
      // int32_list, an element of its own between packed ones.
      ([0xAA, 0x01, 1, 5, 0xA8, 0x01, 6, 0xAA, 0x01, 1, 7], #"{"int32List":[5,6,7]}"#),
      // part twice: the pieces add up.
      (
        [0x92, 0x01, 2, 0x10, 3, 0x92, 0x01, 3, 0x0A, 1, 0x61], #"{"part":{"label":"a","count":3}}"#
      ),
      // text, then flag: the last one of a oneof counts.
      ([0x9A, 0x03, 1, 0x61, 0xB0, 0x03, 1], #"{"flag":true}"#),
      // moods, an entry without key and value.
      ([0xFA, 0x03, 0], #"{"moods":{"0":"MOOD_UNSPECIFIED"}}"#),
      // labels, the same key twice.
      (
        [0xEA, 0x03, 6, 0x0A, 1, 0x61, 0x12, 1, 0x62, 0xEA, 0x03, 6, 0x0A, 1, 0x61, 0x12, 1, 0x63],
        #"{"labels":{"a":"c"}}"#
      ),
      // Field 100, which nobody knows.
      ([0xA0, 0x06, 1, 0x08, 2], #"{"int32Value":2}"#),
      // int32 of more than 32 bits.
      ([0x08, 0x80, 0x80, 0x80, 0x80, 0x10], #"{"int32Value":0}"#),
    ] as [([UInt8], String)]
  )
  func decoding_ofOddEncoding_isTheSame(_ bytes: [UInt8], _ json: String) throws {
    #expect(try RichRegistry.json.decode(bytes, as: Self.type).text == json)
  }

  @Test("A long map takes time for each entry, not for each pair of entries")
  func decoding_ofLongMap_isLinear() throws {
    var message = Rich()
    for number in 0..<50_000 { message.numbers[Int64(number)] = 1 }
    let value = try RichRegistry.json.decode(message.protobufBytes, as: Self.type)
    #expect(value.object?["numbers"]?.object?.members.count == 50_000)
  }

  @Test(
    "Well-known types out of their range are refused",
    arguments: [
      ("google.protobuf.Timestamp", Google_Protobuf.Timestamp(seconds: .max).protobufBytes),
      ("google.protobuf.Timestamp", Google_Protobuf.Timestamp(nanos: -1).protobufBytes),
      ("google.protobuf.Duration", Google_Protobuf.Duration(seconds: .min).protobufBytes),
      ("google.protobuf.Duration", Google_Protobuf.Duration(seconds: 1, nanos: -1).protobufBytes),
      ("google.protobuf.Duration", Google_Protobuf.Duration(nanos: .min).protobufBytes),
      ("google.protobuf.FieldMask", Google_Protobuf.FieldMask(paths: ["aB"]).protobufBytes),
    ]
  )
  func decoding_outOfRange_isRefused(_ type: String, _ bytes: [UInt8]) {
    #expect(throws: SchemaError.self) { try RichRegistry.json.decode(bytes, as: type) }
  }

  private func varint(_ value: Int) -> [UInt8] {
    value < 128 ? [UInt8(value)] : [UInt8(value & 127) | 128] + varint(value >> 7)
  }
}
