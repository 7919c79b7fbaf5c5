import TestingContracts
import CommandLineTool
import Foundation
import LoadGenerator
import RPCKit
import Testing

/// Templates, checked against protoc.
@Suite struct RequestTemplateTests {
  private func render(_ text: String, number: UInt64 = 0, seed: UInt64 = 1) throws -> [UInt8] {
    var random = SplitMix64(seed: seed)
    return try RequestTemplate(text).rendered(number: number, random: &random)
  }

  @Test(
    "protoc reads back the fields it would have printed",
    .enabled(if: Protoc.executable != nil)
  )
  func template_ofEveryKind_isReadBackByProtoc() throws {
    let text = """
      1: "A text"
      2: 0
      2: 300
      3: 18446744073709551615
      4: 0x0000002a
      5: 0x3ff8000000000000
      6 {
        1: "nested \\"quoted\\" \\\\ \\001\\377"
        7 {
          100000: 1
        }
      }
      536870911: "last"

      """
    let outcome = try Protoc.run(["--decode_raw"], input: try render(text))
    #expect(outcome.status == 0, "\(outcome.errors)")
    #expect(String(decoding: outcome.output, as: UTF8.self) == text)
  }

  @Test("A template is the bytes that protoc encodes", .enabled(if: Protoc.executable != nil))
  func template_ofRequest_equalsProtoc() throws {
    let outcome = try Protoc.run(
      ["--encode=benchmark.v1.CheckRequest", "benchmark/v1/permission.proto"],
      input: Array("subject: \"usr_12\" action: \"device.unlock\" context: \"é\"".utf8)
    )
    #expect(outcome.status == 0, "\(outcome.errors)")
    #expect(try render("1:\"usr_{n}\" 2:\"device.unlock\" 4:\"é\"", number: 12) == outcome.output)
  }

  @Test("Placeholders differ from call to call, within their limits")
  func placeholders_rendered_areFilledIn() throws {
    func subject(_ text: String, _ number: UInt64, _ seed: UInt64 = 1) throws -> String {
      try Benchmark_V1.CheckRequest(encoded: try render(text, number: number, seed: seed)).subject
    }
    #expect(try subject("1: \"{{{n:10}}\"", 123) == "{3}")
    #expect(try subject("1: \"{n}\"", .max) == "18446744073709551615")
    let random = try subject("1: \"{random}\"", 0)
    #expect(random.utf8.count == 16)
    #expect(try subject("1: \"{random}\"", 0) == random)
    #expect(try subject("1: \"{random}\"", 0, 2) != random)
    for seed in 0..<100 as Range<UInt64> {
      let number = try #require(Int(try subject("1: \"{random:7}\"", 0, seed)))
      #expect((0..<7).contains(number))
    }
    #expect(try render("1: {n} 2: true 3: -1", number: 300).prefix(5) == [8, 0xAC, 2, 0x10, 1])
  }

  @Test(
    "A malformed template is refused with what is wrong",
    arguments: [
      ("x", "field number"), ("0: 1", "field number"), ("536870912: 1", "field number"),
      ("1", "value"), ("1 2", "colon"), ("1: \"a", "quotation mark"), ("1: {", "closing brace"),
      ("1: \"{m}\"", "{random}"), ("1: \"{n\"", "{n:LIMIT}"), ("1: \"{n:0}\"", "above 0"),
      ("1: 0x1", "8 digits"), ("1: 99999999999999999999", "value"),
      ("1: -9223372036854775809", "64 bits"), ("1: \"\\q\"", "escape"), ("1: \"\\777\"", "octal"),
      ("}", "field number"), (String(repeating: "1{", count: 40), "deeper"),
      ("1: \"\(String(repeating: "a", count: 2 << 20))\"", "at most"),
    ]
  )
  func template_malformed_isRefused(text: String, expected: String) {
    let error = #expect(throws: UsageError.self) { try RequestTemplate(text) }
    #expect(error?.description.contains(expected) == true, "\(String(describing: error))")
  }

  @Test("Text is left as it is but for places to fill in")
  func text_withPlaces_isFilledIn() throws {
    let json = try TextTemplate(#"{"a": {"n": {n}}, "b": "{n:10}/{random}"}"#, option: "--template")
    let path = try TextTemplate("/{n}", option: "--route")
    var source = RequestSource(.text(json), path: path, first: 42, step: 1, seed: 1)
    let (line, text) = source.withNext(isSlow: false) { path, message in
      (Self.text(path), Self.text(message))
    }
    #expect(line == "/42")
    #expect(text.hasPrefix(#"{"a": {"n": 42}, "b": "2/"#))
    #expect(text.utf8.count == #"{"a": {"n": 42}, "b": "2/0123456789abcdef"}"#.utf8.count)
    #expect(throws: UsageError.self) { try TextTemplate("{n", option: "--route") }
  }

  private static func text(_ bytes: Span<UInt8>) -> String {
    String(decoding: bytes.indices.map { bytes[$0] }, as: UTF8.self)
  }
}
