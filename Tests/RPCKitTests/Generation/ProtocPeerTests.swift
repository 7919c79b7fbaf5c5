import Contracts
import RPCKit
import Testing

/// protoc reads what we write, and we read what protoc writes.
@Suite(.enabled(if: Protoc.executable != nil, "needs protoc"))
struct ProtocPeerTests {
  private typealias Rich = Testing_V1.Rich

  private func decodedByProtoc(_ bytes: [UInt8]) throws -> [UInt8] {
    let outcome = try Protoc.run(
      ["--decode=testing.v1.Rich", "testing/v1/rich.proto"],
      input: bytes
    )
    #expect(outcome.status == 0, "\(outcome.errors)")
    return outcome.output
  }

  private func encodedByProtoc(_ text: [UInt8]) throws -> [UInt8] {
    let outcome = try Protoc.run(
      ["--encode=testing.v1.Rich", "--deterministic_output", "testing/v1/rich.proto"],
      input: text
    )
    #expect(outcome.status == 0, "\(outcome.errors)")
    return outcome.output
  }

  @Test("What we write, protoc reads and writes back, and we read the same")
  func everything_throughProtoc_isEqual() throws {
    let message = RichExamples.everything
    let text = try decodedByProtoc(message.encoded())
    // protoc prints what it does not know as a bare number.
    let lines = String(decoding: text, as: UTF8.self).split(separator: "\n")
    #expect(lines.allSatisfy { $0.first?.isNumber != true })
    #expect(try Rich(encoded: encodedByProtoc(text)) == message)
  }

  @Test(
    "Our bytes are protoc's bytes",
    arguments: RichExamples.limits + [RichExamples.everythingButMaps]
  )
  func encoding_ofAnything_isCanonical(message: Testing_V1.Rich) throws {
    let bytes = message.encoded()
    #expect(try encodedByProtoc(decodedByProtoc(bytes)) == bytes)
  }

  @Test("Each member of a oneof reads the same on both sides", arguments: RichExamples.payloads)
  func oneof_throughProtoc_isEqual(payload: Testing_V1.Rich.PayloadOneOf) throws {
    let bytes = Rich(payload: payload).encoded()
    let echoed = try encodedByProtoc(decodedByProtoc(bytes))
    #expect(echoed == bytes)
    #expect(try Rich(encoded: echoed).payload == payload)
  }

  @Test("A message from protoc's text form is read field by field")
  func text_encodedByProtoc_isRead() throws {
    let text = """
      int32_value: -1 sint64_value: -9223372036854775808 fixed32_value: 4294967295
      float_value: 0.5 string_value: "a\\000b" mood: MOOD_GLOOMY optional_int32: 0
      part { label: "p" sizes: [1, 2] by_name: "x" } labels { key: "k" value: "v" }
      double_list: [1, nan] nothing {} created_at { seconds: 7 }
      """
    let message = try Rich(encoded: encodedByProtoc(Array(text.utf8)))
    #expect(message.int32Value == -1)
    #expect(message.sint64Value == .min)
    #expect(message.fixed32Value == .max)
    #expect(message.floatValue == 0.5)
    #expect(message.stringValue == "a\u{0}b")
    #expect(message.mood == .gloomy)
    #expect(message.optionalInt32 == 0)
    #expect(message.part == Rich.Part(label: "p", sizes: [1, 2], choice: .byName("x")))
    #expect(message.labels == ["k": "v"])
    #expect(message.doubleList.first == 1)
    #expect(message.doubleList.last?.isNaN == true)
    #expect(message.payload == .nothing(Google_Protobuf.Empty()))
    #expect(message.createdAt == Google_Protobuf.Timestamp(seconds: 7))
  }

  @Test("Merging agrees with protoc")
  func merging_twoHalves_isLikeProtoc() throws {
    let first = Rich(
      part: Rich.Part(label: "first", count: 5, sizes: [1]),
      node: RichExamples.node(depth: 5),
      payload: .piece(Rich.Part(label: "piece"))
    )
    let second = Rich(
      part: Rich.Part(count: 6, sizes: [2], choice: .byNumber(1)),
      node: RichExamples.node(depth: 6),
      payload: .piece(Rich.Part(count: 7))
    )
    let bytes = first.encoded() + second.encoded()
    let merged = try encodedByProtoc(decodedByProtoc(bytes))
    #expect(try Rich(encoded: bytes) == Rich(encoded: merged))
    #expect(try Rich(encoded: bytes).encoded() == merged)
  }
}
