import TestingContracts
import RPCKit
import Testing

typealias Rich = Testing_V1.Rich

/// A message and how JSON says it.
struct RichCase: Sendable, CustomTestStringConvertible {
  let json: String
  let message: Rich

  var testDescription: String { json }

  init(_ json: String, _ build: (inout Rich) -> Void) {
    self.json = json
    var message = Rich()
    build(&message)
    self.message = message
  }
}

extension RichCase {
  /// Every field of `testing.v1.Rich`, in the words that the converter itself uses.
  static let all = scalars + lists + presence + choices + maps + messages

  static let scalars = [
    RichCase("{}") { _ in },
    RichCase(#"{"int32Value":-2147483648}"#) { $0.int32Value = .min },
    RichCase(#"{"int64Value":"-9223372036854775808"}"#) { $0.int64Value = .min },
    RichCase(#"{"uint32Value":4294967295}"#) { $0.uint32Value = .max },
    RichCase(#"{"uint64Value":"18446744073709551615"}"#) { $0.uint64Value = .max },
    RichCase(#"{"sint32Value":-2147483648}"#) { $0.sint32Value = .min },
    RichCase(#"{"sint64Value":"-9223372036854775808"}"#) { $0.sint64Value = .min },
    RichCase(#"{"fixed32Value":4294967295}"#) { $0.fixed32Value = .max },
    RichCase(#"{"fixed64Value":"18446744073709551615"}"#) { $0.fixed64Value = .max },
    RichCase(#"{"sfixed32Value":-1}"#) { $0.sfixed32Value = -1 },
    RichCase(#"{"sfixed64Value":"9223372036854775807"}"#) { $0.sfixed64Value = .max },
    RichCase(#"{"floatValue":0.1}"#) { $0.floatValue = 0.1 },
    RichCase(#"{"floatValue":"-Infinity"}"#) { $0.floatValue = -.infinity },
    RichCase(#"{"doubleValue":1e-300}"#) { $0.doubleValue = 1e-300 },
    RichCase(#"{"doubleValue":"Infinity"}"#) { $0.doubleValue = .infinity },
    RichCase(#"{"boolValue":true}"#) { $0.boolValue = true },
    RichCase(#"{"stringValue":"Grüße, \"Ada\" \u0001"}"#) {
      $0.stringValue = "Grüße, \"Ada\" \u{1}"
    },
    RichCase(#"{"bytesValue":"+/8="}"#) { $0.bytesValue = [0xFB, 0xFF] },
    RichCase(#"{"mood":"MOOD_GLOOMY"}"#) { $0.mood = .gloomy },
    RichCase(#"{"mood":77}"#) { $0.mood = Testing_V1.Mood(rawValue: 77) },
    RichCase(#"{"size":"SIZE_LARGE"}"#) { $0.size = .large },
    RichCase(#"{"self":"me","default":true,"class":7,"init":"first"}"#) {
      $0.self_ = "me"
      $0.default = true
      $0.class = 7
      $0.init_ = "first"
    },
    RichCase(#"{"URLPath":"/a","hashValue":true,"last":true}"#) {
      $0.urlPath = "/a"
      $0.hashValue_ = true
      $0.last = true
    },
  ]

  static let lists = [
    RichCase(#"{"int32List":[0,-1,2147483647]}"#) { $0.int32List = [0, -1, .max] },
    RichCase(#"{"int64List":["0","-1"]}"#) { $0.int64List = [0, -1] },
    RichCase(#"{"uint32List":[1,4294967295]}"#) { $0.uint32List = [1, .max] },
    RichCase(#"{"uint64List":["18446744073709551615"]}"#) { $0.uint64List = [.max] },
    RichCase(#"{"sint32List":[-1,1]}"#) { $0.sint32List = [-1, 1] },
    RichCase(#"{"sint64List":["-1","1"]}"#) { $0.sint64List = [-1, 1] },
    RichCase(#"{"fixed32List":[0,9]}"#) { $0.fixed32List = [0, 9] },
    RichCase(#"{"fixed64List":["0","9"]}"#) { $0.fixed64List = [0, 9] },
    RichCase(#"{"sfixed32List":[-9,9]}"#) { $0.sfixed32List = [-9, 9] },
    RichCase(#"{"sfixed64List":["-9","9"]}"#) { $0.sfixed64List = [-9, 9] },
    RichCase(#"{"floatList":[0.0,1.5]}"#) { $0.floatList = [0, 1.5] },
    RichCase(#"{"doubleList":[0.0,2.5,"-Infinity"]}"#) { $0.doubleList = [0, 2.5, -.infinity] },
    RichCase(#"{"boolList":[true,false]}"#) { $0.boolList = [true, false] },
    RichCase(#"{"stringList":["","a"]}"#) { $0.stringList = ["", "a"] },
    RichCase(#"{"bytesList":["","AA=="]}"#) { $0.bytesList = [[], [0]] },
    RichCase(#"{"moodList":["MOOD_HAPPY","MOOD_GLOOMY"]}"#) { $0.moodList = [.happy, .gloomy] },
    RichCase(#"{"partList":[{"label":"a"},{}]}"#) {
      $0.partList = [Rich.Part(label: "a"), Rich.Part()]
    },
    RichCase(#"{"unpackedList":[3,0,-7]}"#) { $0.unpackedList = [3, 0, -7] },
  ]

  static let presence = [
    RichCase(#"{"optionalInt32":0,"optionalUint64":"0","optionalDouble":0.0}"#) {
      $0.optionalInt32 = 0
      $0.optionalUint64 = 0
      $0.optionalDouble = 0
    },
    RichCase(#"{"optionalBool":false,"optionalString":"","optionalBytes":""}"#) {
      $0.optionalBool = false
      $0.optionalString = ""
      $0.optionalBytes = []
    },
    RichCase(#"{"optionalMood":"MOOD_UNSPECIFIED"}"#) { $0.optionalMood = .unspecified },
  ]

  static let choices = [
    RichCase(#"{"text":""}"#) { $0.payload = .text("") },
    RichCase(#"{"data":"AQI="}"#) { $0.payload = .data([1, 2]) },
    RichCase(#"{"number":"-5"}"#) { $0.payload = .number(-5) },
    RichCase(#"{"flag":false}"#) { $0.payload = .flag(false) },
    RichCase(#"{"feeling":"MOOD_DEFAULT"}"#) { $0.payload = .feeling(.default) },
    RichCase(#"{"piece":{"byNumber":"1"}}"#) {
      $0.payload = .piece(Rich.Part(choice: .byNumber(1)))
    },
    RichCase(#"{"nothing":{}}"#) { $0.payload = .nothing(Google_Protobuf.Empty()) },
    RichCase(#"{"half":0.5}"#) { $0.payload = .half(0.5) },
    RichCase(#"{"whole":2.0}"#) { $0.payload = .whole(2) },
  ]

  static let maps = [
    RichCase(#"{"labels":{"":""}}"#) { $0.labels = ["": ""] },
    RichCase(#"{"parts":{"x":{"sizes":[1,300]}}}"#) {
      $0.parts = ["x": Rich.Part(sizes: [1, 300])]
    },
    RichCase(#"{"moods":{"-1":"MOOD_GLOOMY"}}"#) { $0.moods = [-1: .gloomy] },
    RichCase(#"{"blobs":{"18446744073709551615":"AQ=="}}"#) { $0.blobs = [.max: [1]] },
    RichCase(#"{"weights":{"false":0.5}}"#) { $0.weights = [false: 0.5] },
    RichCase(#"{"numbers":{"-1":"-9223372036854775808"}}"#) { $0.numbers = [-1: .min] },
  ]

  static let messages = [
    RichCase(#"{"part":{"label":"l","count":-4,"byName":"n"}}"#) {
      $0.part = Rich.Part(label: "l", count: -4, choice: .byName("n"))
    },
    RichCase(#"{"node":{"name":"a","child":{"end":true},"children":[{"name":"b"},{}]}}"#) {
      var node = Testing_V1.Node()
      node.name = "a"
      var child = Testing_V1.Node()
      child.link = .end(true)
      node.child = child
      var first = Testing_V1.Node()
      first.name = "b"
      node.children = [first, Testing_V1.Node()]
      $0.node = node
    },
    RichCase(#"{"createdAt":"2023-11-14T22:13:20Z"}"#) {
      $0.createdAt = Google_Protobuf.Timestamp(seconds: 1_700_000_000)
    },
    RichCase(#"{"createdAt":"1969-12-31T23:59:59.999999999Z"}"#) {
      $0.createdAt = Google_Protobuf.Timestamp(seconds: -1, nanos: 999_999_999)
    },
    RichCase(#"{"lifetime":"-5.000000001s"}"#) {
      $0.lifetime = Google_Protobuf.Duration(seconds: -5, nanos: -1)
    },
    RichCase(#"{"lifetime":"-0.500s"}"#) {
      $0.lifetime = Google_Protobuf.Duration(nanos: -500_000_000)
    },
    RichCase(#"{"lifetime":"315576000000s"}"#) {
      $0.lifetime = Google_Protobuf.Duration(seconds: 315_576_000_000)
    },
    RichCase(#"{"mask":"owner.displayName,id"}"#) {
      $0.mask = Google_Protobuf.FieldMask(paths: ["owner.display_name", "id"])
    },
    RichCase(#"{"anything":{"typeUrl":"type.example/x.Unknown","value":"AQI="}}"#) {
      $0.anything = Google_Protobuf.AnyMessage(typeUrl: "type.example/x.Unknown", value: [1, 2])
    },
    RichCase(#"{"anything":{"@type":"type.googleapis.com/testing.v1.Node","name":"n"}}"#) {
      let node = Testing_V1.Node(name: "n")
      $0.anything = Google_Protobuf.AnyMessage(
        typeUrl: "type.googleapis.com/testing.v1.Node",
        value: node.protobufBytes
      )
    },
    RichCase(#"{"anything":{"@type":"a/google.protobuf.Duration","value":"1s"}}"#) {
      $0.anything = Google_Protobuf.AnyMessage(
        typeUrl: "a/google.protobuf.Duration",
        value: Google_Protobuf.Duration(seconds: 1).protobufBytes
      )
    },
    RichCase(#"{"settings":{"a":[null,true,"x",4,0.5,{}]}}"#) {
      let kinds: [Google_Protobuf.Value.KindOneOf] = [
        .nullValue(.nullValue), .boolValue(true), .stringValue("x"), .numberValue(4),
        .numberValue(0.5), .structValue(Google_Protobuf.Struct()),
      ]
      let list = Google_Protobuf.ListValue(values: kinds.map { Google_Protobuf.Value(kind: $0) })
      $0.settings = Google_Protobuf.Struct(fields: [
        "a": Google_Protobuf.Value(kind: .listValue(list))
      ])
    },
    RichCase(#"{"value":null}"#) {
      $0.value = Google_Protobuf.Value(kind: .nullValue(.nullValue))
    },
  ]
}
