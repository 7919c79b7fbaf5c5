package import RPCKit
package import Reflection
internal import StrictJSON

/// Messages as JSON by proto3's mapping, with what the descriptors say of their fields.
///
/// Reading is strict: names that a message does not have, or has twice, are refused, because a mistyped name
/// would otherwise mean the default.
package struct ReflectedTranscoder: MessageTranscoder {
  private let json: MessageJSON
  private let limits: JSONLimits

  /// Makes a transcoder of the types of `registry`, for texts of `byteCountMax` bytes at most.
  package init(_ registry: SchemaRegistry, byteCountMax: Int = 4 << 20) {
    json = MessageJSON(registry)
    limits = JSONLimits(byteCountMax: byteCountMax, depthMax: 100)
  }

  package func protobuf(fromJSON text: [UInt8], type: String) throws(RPCError) -> [UInt8] {
    let value: JSONValue
    do throws(JSONError) {
      value = try JSONReader.read(text, limits: limits)
    } catch {
      throw RPCError(
        .invalidArgument,
        .malformedRequest,
        "the message is not JSON: \(error)",
        cause: error
      )
    }
    do throws(SchemaError) {
      return try json.encode(value, as: type)
    } catch {
      throw RPCError(
        .invalidArgument,
        .malformedRequest,
        "the message is not a \(type): \(error)",
        cause: error
      )
    }
  }

  package func json(fromProtobuf protobuf: [UInt8], type: String) throws(RPCError) -> [UInt8] {
    do throws(SchemaError) {
      return try json.decode(protobuf, as: type).bytes
    } catch {
      // The handler made the message, so the types of the program do not fit one another.
      throw RPCError(
        .internal,
        .internalError,
        "the response cannot be written as JSON; ask for protobuf",
        cause: error
      )
    }
  }
}
