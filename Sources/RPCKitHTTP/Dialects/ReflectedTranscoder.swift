package import RPCKit
package import Reflection
internal import StrictJSON

/// Messages as JSON by proto3's mapping, with what the descriptors say of their fields.
///
/// Reading is strict: names that a message does not have, or has twice, are refused, because a mistyped name
/// would otherwise mean the default.
package struct ReflectedTranscoder: MessageTranscoder {
  private let json: MessageJSON
  private let plans: MessagePlans
  private let limits: JSONLimits

  /// Makes a transcoder of the types of `registry`, for texts of `byteCountMax` bytes at most.
  ///
  /// The messages of its services are converted without a tree of their values. Throws for a service whose types
  /// `registry` lacks.
  package init(_ registry: SchemaRegistry, byteCountMax: Int = 4 << 20) throws(SchemaError) {
    json = MessageJSON(registry)
    let methods = registry.services.flatMap(\.methods)
    plans = try MessagePlans(registry, of: methods.flatMap { [$0.requestType, $0.responseType] })
    limits = JSONLimits(byteCountMax: byteCountMax, depthMax: 100)
  }

  package func protobuf(fromJSON text: [UInt8], type: String) throws(RPCError) -> [UInt8] {
    if let message = planned(text, type) { return message }
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

  /// The message, if it is read without a tree.
  private func planned(_ text: [UInt8], _ type: String) -> [UInt8]? {
    guard let place = plans.place(of: type) else { return nil }
    var message: [UInt8] = []
    var given = GivenFields()
    let isRead = plans.read(text, as: place, limits: limits, given: &given, into: &message)
    return isRead ? message : nil
  }

  package func json(fromProtobuf protobuf: [UInt8], type: String) throws(RPCError) -> [UInt8] {
    var text: [UInt8] = []
    if let place = plans.place(of: type), plans.append(protobuf, as: place, to: &text) {
      return text
    }
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
