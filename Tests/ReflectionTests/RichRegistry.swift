import TestingContracts
import RPCKit
import Reflection
import ServiceKit

/// The types of `testing.v1`, which Gatehouse does not serve.
enum RichRegistry {
  static let json = MessageJSON(registry)

  static let registry: SchemaRegistry = {
    do {
      return try SchemaRegistry([
        Testing_V1.testingV1RichFile, Google_Protobuf.googleProtobufAnyFile,
        Google_Protobuf.googleProtobufDurationFile, Google_Protobuf.googleProtobufEmptyFile,
        Google_Protobuf.googleProtobufFieldMaskFile, Google_Protobuf.googleProtobufStructFile,
        Google_Protobuf.googleProtobufTimestampFile,
      ])
    } catch {
      preconditionFailure("the descriptors of testing.v1 cannot be read: \(error)")
    }
  }()

  /// Reads a JSON text.
  static func value(_ text: String) throws -> JSONValue {
    try JSONReader.read(Array(text.utf8), limits: JSONLimits(byteCountMax: 1 << 20, depthMax: 200))
  }

  /// What generated code makes of a JSON text.
  static func message<Result: Message>(_ type: Result.Type, _ text: String) throws -> Result {
    let bytes = try json.encode(try value(text), as: Result.protobufName)
    return try Result(protobuf: bytes.span, limits: MessageLimits())
  }
}
