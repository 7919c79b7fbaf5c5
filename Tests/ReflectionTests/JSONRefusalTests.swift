import Reflection
import ServiceKit
import Testing

@Suite("JSON that does not fit a message")
struct JSONRefusalTests {
  @Test(
    "is refused with the path of what is wrong",
    arguments: [
      (#"{"nam":1}"#, #"has no field "nam""#),
      (#"{"nam":null}"#, #"has no field "nam""#),
      (#"{"part":{"labl":""}}"#, #"part: testing.v1.Rich.Part has no field "labl""#),
      (
        #"{"partList":[{},{"count":"x"}]}"#,
        "partList[1].count: must be an integer from -2147483648"
      ),
      (#"{"parts":{"a":{"count":true}}}"#, "parts.a.count: "),
      (#"{"node":{"child":{"name":5}}}"#, "node.child.name: must be a string, not a number"),
      (#"{"int32Value":2147483648}"#, "int32Value: must be an integer from"),
      (#"{"int32Value":0.5}"#, "int32Value: must be an integer from"),
      (#"{"uint32Value":-1}"#, "uint32Value: must be an integer from 0"),
      (#"{"uint64Value":"18446744073709551616"}"#, "uint64Value: "),
      (#"{"floatValue":1e300}"#, "floatValue: must be a number that a float can hold"),
      (#"{"boolValue":"true"}"#, "boolValue: must be true or false"),
      (#"{"stringValue":null,"int32List":5}"#, "int32List: must be an array"),
      (#"{"int32List":[null]}"#, "int32List[0]: "),
      (#"{"labels":[]}"#, "labels: must be an object, not an array"),
      (#"{"moods":{"x":1}}"#, "moods.x: must be an integer"),
      (#"{"weights":{"maybe":1}}"#, "weights.maybe: must be true or false"),
      (#"{"mood":"MOOD_SAD"}"#, "mood: must be one of: MOOD_HAPPY"),
      (#"{"bytesValue":"*"}"#, "bytesValue: must be a base64 string"),
      (#"{"bytesValue":"AAAAA"}"#, "bytesValue: must be a base64 string"),
      (#"{"createdAt":"yesterday"}"#, "createdAt: must be a date like"),
      (#"{"createdAt":"2026-11-21t08:00:00Z"}"#, "createdAt: must be a date like"),
      (#"{"createdAt":"2026-11-21T08:00:00z"}"#, "createdAt: must be a date like"),
      (#"{"mask":"foo,bar_bar"}"#, "mask: must be field names in lowerCamelCase"),
      (#"{"mask":"foo,,bar"}"#, "mask: must be field names in lowerCamelCase"),
      (#"{"lifetime":"1e3s"}"#, "lifetime: must be a duration like"),
      (#"{"lifetime":"315576000001s"}"#, "lifetime: must be a duration like"),
      (#"{"lifetime":"0.0000000001s"}"#, "lifetime: must be a duration like"),
      (#"{"settings":[]}"#, "settings: must be an object"),
      (#"{"value":1e999}"#, "too large"),
      (#"{"int32Value":1,"int32_value":2}"#, "int32Value: is set twice"),
      (#"{"text":"a","flag":true}"#, "flag: cannot be set together with text"),
      (#"{"anything":{"@type":"x/no.Such"}}"#, "anything: has the unknown message type no.Such"),
      (#"[]"#, "must be an object, not an array"),
    ]
  )
  func encoding_ofMisfit_isRefusedByPath(_ json: String, _ problem: String) throws {
    let value = try RichRegistry.value(json)
    let error = try #require(throws: SchemaError.self) {
      try RichRegistry.json.encode(value, as: "testing.v1.Rich")
    }
    #expect(error.description.contains(problem))
  }

  @Test("Messages inside one another end somewhere")
  func encoding_nestedTooDeeply_isRefused() throws {
    let text =
      String(repeating: #"{"child":"#, count: 65) + "{}" + String(repeating: "}", count: 65)
    let value = try RichRegistry.value(text)
    #expect(throws: SchemaError.self) {
      try RichRegistry.json.encode(value, as: "testing.v1.Node")
    }
  }

  @Test("A type that nobody knows is refused")
  func encoding_ofUnknownType_isRefused() {
    #expect(throws: SchemaError("unknown message type no.Such")) {
      try RichRegistry.json.encode([:], as: "no.Such")
    }
  }
}
