import RPCKit
import ServiceKit
import Testing

@testable import Reflection

/// Types of google.protobuf whose JSON is a bare value, by the cases of protobuf's own conformance suite.
@Suite("Bare values in JSON")
struct WrapperJSONTests {
  /// A message `wrapped.Wrapped` with a field for each wrapper, `numbers` (repeated Int32Value), `names` (a map to
  /// StringValue), a oneof of `nothing` (NullValue) and `something` (string), `null` (NullValue), `nulls`
  /// (repeated NullValue), `any` and `value`.
  private static let file = EmbeddedDescriptor(
    name: "wrapped.proto",
    base64: """
      Cg13cmFwcGVkLnByb3RvEgd3cmFwcGVkGhlnb29nbGUvcHJvdG9idWYvYW55LnByb3RvGhxnb29nbGUvcHJvdG9idWYvc3RydWN0\
      LnByb3RvGh5nb29nbGUvcHJvdG9idWYvd3JhcHBlcnMucHJvdG8iuQcKB1dyYXBwZWQSNAoGZG91YmxlGAEgASgLMhwuZ29vZ2xl\
      LnByb3RvYnVmLkRvdWJsZVZhbHVlUgZkb3VibGUSMQoFZmxvYXQYAiABKAsyGy5nb29nbGUucHJvdG9idWYuRmxvYXRWYWx1ZVIF\
      ZmxvYXQSMQoFaW50NjQYAyABKAsyGy5nb29nbGUucHJvdG9idWYuSW50NjRWYWx1ZVIFaW50NjQSNAoGdWludDY0GAQgASgLMhwu\
      Z29vZ2xlLnByb3RvYnVmLlVJbnQ2NFZhbHVlUgZ1aW50NjQSMQoFaW50MzIYBSABKAsyGy5nb29nbGUucHJvdG9idWYuSW50MzJW\
      YWx1ZVIFaW50MzISNAoGdWludDMyGAYgASgLMhwuZ29vZ2xlLnByb3RvYnVmLlVJbnQzMlZhbHVlUgZ1aW50MzISLgoEYm9vbBgH\
      IAEoCzIaLmdvb2dsZS5wcm90b2J1Zi5Cb29sVmFsdWVSBGJvb2wSNAoGc3RyaW5nGAggASgLMhwuZ29vZ2xlLnByb3RvYnVmLlN0\
      cmluZ1ZhbHVlUgZzdHJpbmcSMQoFYnl0ZXMYCSABKAsyGy5nb29nbGUucHJvdG9idWYuQnl0ZXNWYWx1ZVIFYnl0ZXMSNQoHbnVt\
      YmVycxgKIAMoCzIbLmdvb2dsZS5wcm90b2J1Zi5JbnQzMlZhbHVlUgdudW1iZXJzEjEKBW5hbWVzGAsgAygLMhsud3JhcHBlZC5X\
      cmFwcGVkLk5hbWVzRW50cnlSBW5hbWVzEjYKB25vdGhpbmcYDCABKA4yGi5nb29nbGUucHJvdG9idWYuTnVsbFZhbHVlSABSB25v\
      dGhpbmcSHgoJc29tZXRoaW5nGA0gASgJSABSCXNvbWV0aGluZxIuCgRudWxsGA4gASgOMhouZ29vZ2xlLnByb3RvYnVmLk51bGxW\
      YWx1ZVIEbnVsbBIwCgVudWxscxgPIAMoDjIaLmdvb2dsZS5wcm90b2J1Zi5OdWxsVmFsdWVSBW51bGxzEiYKA2FueRgQIAEoCzIU\
      Lmdvb2dsZS5wcm90b2J1Zi5BbnlSA2FueRIsCgV2YWx1ZRgRIAEoCzIWLmdvb2dsZS5wcm90b2J1Zi5WYWx1ZVIFdmFsdWUaVgoK\
      TmFtZXNFbnRyeRIQCgNrZXkYASABKAlSA2tleRIyCgV2YWx1ZRgCIAEoCzIcLmdvb2dsZS5wcm90b2J1Zi5TdHJpbmdWYWx1ZVIF\
      dmFsdWU6AjgBQggKBmNob2ljZWIGcHJvdG8z
      """
  )

  private func json(_ unset: MessageJSON.UnsetFields = .omitted) throws -> MessageJSON {
    MessageJSON(
      try SchemaRegistry([Self.file, Google_Protobuf.googleProtobufWrappersFile]),
      unset: unset
    )
  }

  private func bytes(_ text: String) throws -> [UInt8] {
    try json().encode(
      try JSONReader.read(Array(text.utf8), limits: JSONLimits(byteCountMax: 1 << 16)),
      as: "wrapped.Wrapped"
    )
  }

  @Test(
    "A wrapper is its value alone, there and back",
    arguments: [
      #"{"double":1.5}"#, #"{"double":0.0}"#, #"{"double":"Infinity"}"#, #"{"float":0.1}"#,
      #"{"int64":"9223372036854775807"}"#, #"{"uint64":"18446744073709551615"}"#,
      #"{"int32":-5}"#, #"{"int32":0}"#, #"{"uint32":5}"#, #"{"bool":true}"#, #"{"bool":false}"#,
      #"{"string":"a"}"#, #"{"string":""}"#, #"{"bytes":"AQI="}"#, #"{"numbers":[1,0,2]}"#,
      #"{"names":{"a":"b","c":""}}"#,
      #"{"any":{"@type":"type.googleapis.com/google.protobuf.Int32Value","value":7}}"#,
      #"{"nothing":null}"#, #"{"nulls":[null,null]}"#, #"{"value":null}"#, "{}",
    ]
  )
  func wrapper_isBare(_ text: String) throws {
    let value = try json().decode(try bytes(text), as: "wrapped.Wrapped")
    #expect(value.text == text)
  }

  @Test("What is there has one field of the wire, as wrappers.proto says")
  func wrapper_bytes_areAMessage() throws {
    #expect(try bytes(#"{"int32":5}"#) == [5 << 3 | 2, 2, 1 << 3, 5])
    // Where a program leaves the default out, the value is there all the same.
    let empty = try json().decode([5 << 3 | 2, 0], as: "wrapped.Wrapped")
    #expect(empty.text == #"{"int32":0}"#)
  }

  @Test(
    "Other spellings that the mapping allows are understood",
    arguments: [
      (#"{"int64":5}"#, #"{"int64":"5"}"#), (#"{"int32":"5"}"#, #"{"int32":5}"#),
      (#"{"int32":null,"numbers":null}"#, "{}"),
      (#"{"nothing":"NULL_VALUE"}"#, #"{"nothing":null}"#),
      (#"{"nothing":0}"#, #"{"nothing":null}"#), (#"{"null":null}"#, "{}"),
    ]
  )
  func wrapper_otherSpelling_isTheSame(_ given: String, _ canonical: String) throws {
    let value = try json().decode(try bytes(given), as: "wrapped.Wrapped")
    #expect(value.text == canonical)
  }

  @Test(
    "A wrapper's value has the rules of its kind",
    arguments: [
      (#"{"int32":{"value":5}}"#, "int32: must be an integer"),
      (#"{"bool":"true"}"#, "bool: must be true or false"),
      (#"{"string":1}"#, "string: must be a string"),
      (#"{"numbers":[null]}"#, "numbers[0]: must be"),
      (#"{"nothing":null,"something":"a"}"#, "cannot be set together"),
      (#"{"null":"NULL"}"#, "must be null"),
    ]
  )
  func wrapper_misfit_isRefused(_ text: String, _ problem: String) throws {
    let error = try #require(throws: SchemaError.self) { try bytes(text) }
    #expect(error.description.contains(problem), "\(error)")
  }

  @Test("A number that JSON cannot say is no null")
  func value_notANumber_isRefused() throws {
    let notANumber = WireWriting.fixed64(Double.nan.bitPattern, field: 2)
    let message = WireWriting.bytes(notANumber, field: 17)
    #expect(throws: SchemaError.self) { try json().decode(message, as: "wrapped.Wrapped") }
  }
}
