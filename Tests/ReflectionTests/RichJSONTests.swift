import AllContracts
import TestingContracts
import RPCKit
import Reflection
import ServiceKit
import Testing

@Suite("Messages as JSON")
struct RichJSONTests {
  @Test("JSON becomes what generated code reads", arguments: RichCase.all)
  func encoding_ofEachField_isReadByGeneratedCode(_ example: RichCase) throws {
    #expect(try RichRegistry.message(Rich.self, example.json) == example.message)
  }

  @Test("What generated code writes becomes JSON", arguments: RichCase.all)
  func decoding_ofGeneratedBytes_givesTheJSON(_ example: RichCase) throws {
    let value = try RichRegistry.json.decode(example.message.protobufBytes, as: "testing.v1.Rich")
    #expect(value.text == example.json)
  }

  @Test("The examples leave no field out")
  func examples_together_haveEveryField() throws {
    var seen: Set<String> = []
    for example in RichCase.all {
      let object = try #require(try RichRegistry.value(example.json).object)
      seen.formUnion(object.members.map(\.name))
    }
    let fields = try RichRegistry.registry.message("testing.v1.Rich").fields.map(\.jsonName)
    #expect(seen == Set(fields))
  }

  @Test("Rules, enums and nested types make the trip too")
  func ruledMessage_bothWays_isTheSame() throws {
    let text = #"""
      {"name":"ada","stars":5,"mood":"MOOD_HAPPY","tags":["a"],"inner":{"stars":1},
       "others":[{"ratio":0.5}],"named":{"x":{"key":"AAECAwQFBgcICQoLDA0ODw=="}},
       "friend":{"email":"none"},"since":"2026-11-21T08:00:00Z"}
      """#
    let message = try RichRegistry.message(Testing_V1.Ruled.self, text)
    #expect(message.named["x"]?.key == Array(0..<16))
    let again = try RichRegistry.json.decode(message.protobufBytes, as: "testing.v1.Ruled")
    #expect(again == (try RichRegistry.value(text)))
  }

  @Test(
    "Other spellings that the mapping allows are understood",
    arguments: [
      (#"{"int32_value":5}"#, #"{"int32Value":5}"#),
      (#"{"int32Value":"5"}"#, #"{"int32Value":5}"#),
      (#"{"int32Value":5.0}"#, #"{"int32Value":5}"#),
      (#"{"int64Value":1e3}"#, #"{"int64Value":"1000"}"#),
      (#"{"uint64Value":18446744073709551615}"#, #"{"uint64Value":"18446744073709551615"}"#),
      (#"{"doubleValue":"1.5"}"#, #"{"doubleValue":1.5}"#),
      (#"{"bytesValue":"-_8"}"#, #"{"bytesValue":"+/8="}"#),
      (#"{"mood":"MOOD_CHEERFUL"}"#, #"{"mood":"MOOD_HAPPY"}"#),
      (#"{"mood":2}"#, #"{"mood":"MOOD_DEFAULT"}"#),
      (#"{"part":null,"int32List":null}"#, "{}"),
      (#"{"int32Value":0,"stringValue":""}"#, "{}"),
      (#"{"createdAt":"1970-01-01T01:00:00+01:00"}"#, #"{"createdAt":"1970-01-01T00:00:00Z"}"#),
      (#"{"lifetime":"1.5s"}"#, #"{"lifetime":"1.500s"}"#),
      (#"{"value":[1]}"#, #"{"value":[1]}"#),
    ]
  )
  func encoding_ofOtherSpelling_isTheSame(_ given: String, _ canonical: String) throws {
    let message = try RichRegistry.message(Rich.self, given)
    let value = try RichRegistry.json.decode(message.protobufBytes, as: "testing.v1.Rich")
    #expect(value.text == canonical)
  }

  @Test("Not a number is written as such")
  func decoding_ofNaN_isText() throws {
    let message = try RichRegistry.message(Rich.self, #"{"doubleValue":"NaN","floatValue":"NaN"}"#)
    #expect(message.doubleValue.isNaN)
    let value = try RichRegistry.json.decode(message.protobufBytes, as: "testing.v1.Rich")
    #expect(value.text == #"{"floatValue":"NaN","doubleValue":"NaN"}"#)
  }

  @Test("A default that stands in the bytes is left out as one that does not")
  func defaults_inBytes_areLeftOut() throws {
    // `page_size` 0, which encoders may write although they need not.
    let value = try MessageJSON(.gatehouse).decode(
      [0x08, 0x00],
      as: "tenancy.v1.ListPortfoliosRequest"
    )
    #expect(value == .object([:]))
  }
}
