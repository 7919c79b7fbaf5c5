import TestingContracts
import Foundation
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

  /// protoc's text without what it does not know: numbers instead of names, with their blocks.
  private func known(_ text: [UInt8]) -> [UInt8] {
    var lines: [Substring] = []
    var depth = 0
    for line in String(decoding: text, as: UTF8.self).split(separator: "\n") {
      let isUnknown = line.drop { $0 == " " }.first?.isNumber == true
      if depth > 0 || isUnknown {
        if line.hasSuffix("{") { depth += 1 }
        if line.hasSuffix("}") { depth -= 1 }
      } else {
        lines.append(line)
      }
    }
    return Array(lines.joined(separator: "\n").utf8)
  }

  @Test(
    "Each field of another wire type is skipped where protoc skips it",
    arguments: [0, 1, 2, 3, 5]
  )
  func wireType_another_isLikeProtoc(wireType: Int) throws {
    let known: [(name: String, number: Int)] = try fieldNumbers()
    #expect(known.count > 70)
    let fields = known.map { _, number -> [UInt8] in
      let tag = tag(number, wireType)
      return switch wireType {
      case 0: tag + [0x01]
      case 1: tag + [1, 0, 0, 0, 0, 0, 0, 0]
      // Two numbers of 32 bits, one of 64, eight varints, or four fields of a message.
      case 2: tag + [8] + [0x08, 0x01, 0x08, 0x01, 0x08, 0x01, 0x08, 0x01]
      case 3: tag + [0x08, 0x01] + self.tag(number, 4)
      default: tag + [1, 0, 0, 0]
      }
    }
    // Backwards too, because the last field of a oneof hides those in front of it.
    for fields in [fields, fields.reversed()] {
      let bytes = RichExamples.everything.encoded() + fields.joined()
      let expected = try Rich(encoded: encodedByProtoc(self.known(decodedByProtoc(bytes))))
      #expect(try Rich(encoded: bytes) == expected)
      let alone = Array(fields.joined())
      let expectedAlone = try Rich(encoded: encodedByProtoc(self.known(decodedByProtoc(alone))))
      #expect(try Rich(encoded: alone) == expectedAlone)
    }
  }

  private func tag(_ number: Int, _ wireType: Int) -> [UInt8] {
    var value = UInt32(number) << 3 | UInt32(wireType)
    var bytes: [UInt8] = []
    while value >= 0x80 {
      bytes.append(UInt8(value & 0x7F) | 0x80)
      value >>= 7
    }
    return bytes + [UInt8(value)]
  }

  /// Of the fields of Rich, from its contract: whatever is added there is tried as well.
  private func fieldNumbers() throws -> [(name: String, number: Int)] {
    let file = Protoc.root.appending(path: "proto/testing/v1/rich.proto")
    let text = String(decoding: try Data(contentsOf: file), as: UTF8.self)
    let rich = try #require(text.components(separatedBy: "message Rich {").last)
    let body = try #require(rich.components(separatedBy: "\n  // Scalars.\n").last)
    let fields = try #require(body.components(separatedBy: "\n}").first)
    return fields.matches(of: /([A-Za-z0-9_]+) = ([0-9]+)( \[.*)?;/).compactMap { match in
      Int(match.output.2).map { (String(match.output.1), $0) }
    }
  }

  @Test("Minus zero goes both ways, bit by bit")
  func minusZero_throughProtoc_keepsBits() throws {
    let bytes = Rich(floatValue: -0.0, doubleValue: -0.0).encoded()
    #expect(
      String(decoding: try decodedByProtoc(bytes), as: UTF8.self).contains("double_value: -0")
    )
    let theirs = try encodedByProtoc(Array("float_value: -0 double_value: -0".utf8))
    #expect(theirs == bytes)
    let message = try Rich(encoded: theirs)
    #expect(message.floatValue.bitPattern == 1 << 31)
    #expect(message.doubleValue.bitPattern == 1 << 63)
  }
}
