import ServiceKit
import Testing

@Suite("Reading JSON")
struct JSONReaderTests {
  private func read(_ text: String, limits: JSONLimits? = nil) throws -> JSONValue {
    try JSONReader.read([UInt8](text.utf8), limits: limits ?? JSONLimits(byteCountMax: 4096))
  }

  @Test("Values of every kind are read, and written back as they were")
  func read_everyKind_isWrittenBackAlike() throws {
    let text = #"{"a":[1,-2.5,1e3,true,false,null],"b":{"c":"d"},"e":""}"#
    #expect(try read(text).text == text)
  }

  @Test("Text of every sort is written so that it is read back, without what fools a terminal")
  func text_everySort_isWrittenSafely() throws {
    var texts = (0...0x7F).map { "a\(Unicode.Scalar(UInt8($0)))b" }
    texts += [
      "", "é", "😀", "\u{80}", "\u{9F}", "\u{A0}", "\u{200E}", "\u{202E}", "\u{2066}", "\u{FEFF}",
    ]
    texts += [String(repeating: "plain ", count: 50), String(repeating: "é", count: 50) + "\""]
    for text in texts {
      let written = JSONValue.object([text: .string(text)])
      #expect(try read(written.text) == written, "\(text.unicodeScalars.map(\.value))")
      let isSafe = written.text.unicodeScalars.allSatisfy { scalar in
        scalar.value >= 0x20 && !(0x7F..<0xA0).contains(scalar.value)
          && ![0x200E, 0x202E, 0x2066, 0xFEFF].contains(scalar.value)
      }
      #expect(isSafe, "\(text.unicodeScalars.map(\.value))")
    }
    #expect(JSONValue.string("a\"b\\c\n\u{1}").text == #""a\"b\\c\n\u0001""#)
    let value: JSONValue = ["a": [1, []], "b": [:]]
    #expect(value.text == #"{"a":[1,[]],"b":{}}"#)
    #expect(
      value.indentedText == """
        {
          "a": [
            1,
            []
          ],
          "b": {}
        }
        """
    )
  }

  @Test("Escapes become what they mean, pairs of surrogates included")
  func read_escapes_areDecoded() throws {
    #expect(try read(#""\"\\\/\b\f\n\r\t\u0041\ud83d\ude00""#).string == "\"\\/\u{8}\u{c}\n\r\tA😀")
  }

  @Test(
    "What the grammar does not have is refused",
    arguments: [
      "", " ", "{", "[1", "[1,]", "{\"a\":1,}", "{a:1}", "{\"a\" 1}", "01", "+1", "1.", ".5", "1e",
      "-", "nul", "truer", "1 2", "\"a", "\"\n\"", #""\x""#, #""\u12""#, #""\ud800""#,
      #""\ud800\u0041""#, #""\udc00""#, "'a'", "[1}", "NaN", "/**/1",
    ]
  )
  func read_outsideTheGrammar_isRefused(_ text: String) {
    #expect(throws: JSONError.self) { try read(text) }
  }

  @Test("A name that is there twice is refused, also when it is spelt differently")
  func read_repeatedName_isRefused() {
    #expect(throws: JSONError.self) { try read(#"{"alg":1,"\u0061lg":2}"#) }
  }

  @Test("A name that is there twice is found among few members and among many")
  func read_repeatedNameAmongMany_isRefused() throws {
    for count in 1...40 {
      let members = (0..<count).map { #""name\#($0)":0"# }
      #expect(try read("{\(members.joined(separator: ","))}").object?.members.count == count)
      for repeated in [0, count / 2, count - 1] {
        let text = "{\((members + [#""name\#(repeated)":1"#]).joined(separator: ","))}"
        #expect(throws: JSONError.self) { try read(text) }
      }
    }
  }

  @Test("Bytes that are not UTF-8 are refused")
  func read_invalidUTF8_isRefused() {
    let bytes: [UInt8] = [0x22, 0xC3, 0x28, 0x22]
    #expect(throws: JSONError.self) {
      try JSONReader.read(bytes, limits: JSONLimits(byteCountMax: 10))
    }
  }

  @Test("A text at a limit is read, and refused one step further")
  func read_limits_holdExactly() throws {
    let limits = JSONLimits(byteCountMax: 8, depthMax: 3, valueCountMax: 4)
    #expect(try read("[[[1]]]", limits: limits) == [[[1]]])
    #expect(throws: JSONError.self) { try read("[[[[]]]]", limits: limits) }
    #expect(try read("[1,2,3]", limits: limits) == [1, 2, 3])
    #expect(throws: JSONError.self) { try read("[1,2,3,]", limits: limits) }
    #expect(throws: JSONError.self) { try read("[1,2,34] ", limits: limits) }
  }

  @Test("An error says line and column")
  func read_error_saysWhere() {
    let error = #expect(throws: JSONError.self) { try read("{\n\"\":x}") }
    #expect(error?.description == "line 2, column 4: this does not begin a value")
  }

  @Test("Whole numbers are read exactly, and fractions are not made whole")
  func number_integer_isExact() throws {
    #expect(try read("9223372036854775807").integer == .max)
    #expect(try read("9223372036854775808").integer == nil)
    #expect(try read("1e3").integer == 1000)
    #expect(try read("1.5").integer == nil)
    #expect(try read("1e400").number?.double == nil)
  }

  @Test("A member that nobody took is named, with what is known")
  func members_unknownName_isNamed() throws {
    var members = try JSONField(try read(#"{"port":1,"prot":2}"#), path: "server").members()
    #expect(try members.required("port").integer(in: 0...9) == 1)
    #expect(
      throws: JSONDecodingError(path: "server.prot", problem: "is unknown; known are: port")
    ) { try members.finish() }
  }
}
