import TestingContracts
import RPCKit

/// Messages that tests share.
enum RichExamples {
  /// Every field set to something that is not its default.
  static var everything: Testing_V1.Rich {
    var message = scalars
    let part = Testing_V1.Rich.Part(
      label: "part",
      count: -4,
      sizes: [1, 2, 300],
      choice: .byNumber(.max)
    )
    message.part = part
    message.node = node(depth: 3)
    message.int32List = [0, 1, -1, .max, .min]
    message.int64List = [0, 1, -1, .max, .min]
    message.uint32List = [0, 1, .max]
    message.uint64List = [0, 1, .max]
    message.sint32List = [0, 1, -1, .max, .min]
    message.sint64List = [0, 1, -1, .max, .min]
    message.fixed32List = [0, 1, .max]
    message.fixed64List = [0, 1, .max]
    message.sfixed32List = [0, -1, .min]
    message.sfixed64List = [0, -1, .min]
    message.floatList = [0, 1.5, -.infinity]
    message.doubleList = [0, 1.5, -.infinity]
    message.boolList = [true, false, true]
    message.stringList = ["", "a", "äöü"]
    message.bytesList = [[], [0], [255, 0, 1]]
    message.moodList = [.happy, .gloomy, .default, .unspecified]
    message.partList = [part, Testing_V1.Rich.Part()]
    message.unpackedList = [3, 0, -7]
    message.optionalInt32 = 0
    message.optionalUint64 = 1
    message.optionalDouble = 0
    message.optionalBool = false
    message.optionalString = ""
    message.optionalBytes = [1]
    message.optionalMood = .gloomy
    message.payload = .piece(part)
    message.labels = ["a": "b", "": ""]
    message.parts = ["x": part, "y": Testing_V1.Rich.Part()]
    message.moods = [-1: .gloomy, 5: .happy]
    message.blobs = [1: [1, 2], .max: []]
    message.weights = [true: 0.5, false: -1]
    message.numbers = [-1: .min, 1: .max]
    message.createdAt = Google_Protobuf.Timestamp(seconds: 1_700_000_000, nanos: 999_999_999)
    message.lifetime = Google_Protobuf.Duration(seconds: -5, nanos: -1)
    message.mask = Google_Protobuf.FieldMask(paths: ["a.b", "c"])
    message.anything = Google_Protobuf.AnyMessage(typeUrl: "type.example/x", value: [1, 2])
    message.settings = Google_Protobuf.Struct(fields: [
      "null": Google_Protobuf.Value(kind: .nullValue(.nullValue)),
      "list": Google_Protobuf.Value(
        kind: .listValue(
          Google_Protobuf.ListValue(values: [Google_Protobuf.Value(kind: .numberValue(4))])
        )
      ),
    ])
    message.value = Google_Protobuf.Value(kind: .stringValue("text"))
    return message
  }

  /// The same without maps: protobuf-c leaves out a key or value that is the default, protoc writes
  /// it, and both are right.
  static var everythingButMaps: Testing_V1.Rich {
    var message = everything
    message.labels = [:]
    message.parts = [:]
    message.moods = [:]
    message.blobs = [:]
    message.weights = [:]
    message.numbers = [:]
    return message
  }

  private static var scalars: Testing_V1.Rich {
    var message = Testing_V1.Rich()
    message.int32Value = -32
    message.int64Value = -64
    message.uint32Value = 32
    message.uint64Value = 64
    message.sint32Value = -320
    message.sint64Value = -640
    message.fixed32Value = 33
    message.fixed64Value = 65
    message.sfixed32Value = -33
    message.sfixed64Value = -65
    message.floatValue = 1.25
    message.doubleValue = -2.5
    message.boolValue = true
    message.stringValue = "text"
    message.bytesValue = [0, 255]
    message.mood = .gloomy
    message.size = .large
    message.self_ = "self"
    message.`default` = true
    message.`class` = 1
    message.init_ = "init"
    message.urlPath = "/path"
    message.hashValue_ = true
    message.last = true
    return message
  }

  /// One message per extreme.
  static var limits: [Testing_V1.Rich] {
    var smallest = Testing_V1.Rich()
    smallest.int32Value = .min
    smallest.int64Value = .min
    smallest.sint32Value = .min
    smallest.sint64Value = .min
    smallest.sfixed32Value = .min
    smallest.sfixed64Value = .min
    smallest.floatValue = -.greatestFiniteMagnitude
    smallest.doubleValue = .leastNonzeroMagnitude
    var largest = Testing_V1.Rich()
    largest.int32Value = .max
    largest.int64Value = .max
    largest.uint32Value = .max
    largest.uint64Value = .max
    largest.sint32Value = .max
    largest.sint64Value = .max
    largest.fixed32Value = .max
    largest.fixed64Value = .max
    largest.sfixed32Value = .max
    largest.sfixed64Value = .max
    largest.floatValue = .infinity
    largest.doubleValue = .greatestFiniteMagnitude
    return [smallest, largest]
  }

  /// Each member of `Rich.payload`.
  static var payloads: [Testing_V1.Rich.PayloadOneOf] {
    [
      .text(""), .text("text"), .data([]), .data([0]), .number(0), .number(.min), .flag(false),
      .flag(true), .feeling(.unspecified), .feeling(.gloomy), .piece(Testing_V1.Rich.Part()),
      .piece(Testing_V1.Rich.Part(label: "piece")), .nothing(Google_Protobuf.Empty()), .half(0),
      .half(0.5), .whole(0), .whole(.infinity),
    ]
  }

  /// A chain of `depth` nodes inside the returned one.
  static func node(depth: Int) -> Testing_V1.Node {
    var node = Testing_V1.Node(name: "leaf")
    for level in 0..<depth {
      node =
        level.isMultiple(of: 3)
        ? Testing_V1.Node(name: "next", link: .next(node))
        : level.isMultiple(of: 2)
          ? Testing_V1.Node(name: "child", child: node)
          : Testing_V1.Node(name: "children", children: [node])
    }
    return node
  }
}
