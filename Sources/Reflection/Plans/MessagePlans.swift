package import StrictJSON

internal import ProtoSchema
internal import RPCKit

/// Converts messages between protobuf and JSON without a tree of values in between.
///
/// It knows what the types of a program look like, and writes and reads the common kinds of values at once. What is
/// rare goes by way of `MessageJSON`, a field at a time, and a request that has a mistake from the beginning: the
/// results and the errors are the same.
package final class MessagePlans: Sendable {
  let messages: [MessagePlan]
  let enums: [EnumPlan]
  let registry: SchemaRegistry
  let unset: MessageJSON.UnsetFields
  let rules: MessageJSON.Rules
  private let places: [String: Int]

  /// Makes plans of message types and of all that they hold.
  ///
  /// Throws when `registry` lacks one of them.
  package init(
    _ registry: SchemaRegistry,
    of types: some Sequence<String>,
    unset: MessageJSON.UnsetFields = .omitted,
    rules: MessageJSON.Rules = .proto3
  ) throws(SchemaError) {
    var compiler = PlanCompiler(registry, unset: unset, rules: rules)
    for type in types where !WellKnownJSON.has(type) { compiler.add(type) }
    try compiler.compile()
    (messages, enums, places) = (compiler.messages, compiler.enums, compiler.places)
    (self.registry, self.unset, self.rules) = (registry, unset, rules)
  }

  /// The plan of a type; nil for one that has a JSON of its own, or that no plan was made of.
  package func place(of type: String) -> Int? { places[type] }

  /// Appends a message as JSON; false, with nothing appended, when only the tree can tell.
  package func append(
    _ protobuf: [UInt8],
    as place: Int,
    to text: inout [UInt8]
  ) -> Bool {
    write(to: &text, of: protobuf) { writer throws(PlanMiss) in
      try writer.message(protobuf.indices, self.messages[place])
    }
  }

  /// Appends the value of one field of a message, null where it is left out; false as above.
  package func append(
    field number: Int,
    of protobuf: [UInt8],
    as place: Int,
    to text: inout [UInt8]
  ) -> Bool {
    write(to: &text, of: protobuf) { writer throws(PlanMiss) in
      try writer.field(number, protobuf.indices, self.messages[place])
    }
  }

  private func write(
    to text: inout [UInt8],
    of protobuf: [UInt8],
    _ body: (inout PlannedWriter) throws(PlanMiss) -> Void
  ) -> Bool {
    let count = text.count
    var writer = PlannedWriter(self, protobuf, output: text)
    text = []
    defer { text = writer.output }
    do throws(PlanMiss) {
      try body(&writer)
      return true
    } catch {
      writer.output.removeSubrange(count...)
      return false
    }
  }

  /// Appends a field with a text to an encoded message.
  package static func append(_ text: String, field number: Int, to message: inout [UInt8]) {
    WireWriting.append(base128: UInt64(number) << 3 | 2, to: &message)
    WireWriting.append(base128: UInt64(text.utf8.count), to: &message)
    message += text.utf8
  }

  /// Appends the fields of a JSON text to an encoded message; false, with the message in an unknown state, when only
  /// the tree can tell.
  ///
  /// `given` are the fields that the message has; a text that has one of them is left to the tree.
  package func read(
    _ text: [UInt8],
    as place: Int,
    limits: JSONLimits,
    given: inout GivenFields,
    into protobuf: inout [UInt8]
  ) -> Bool {
    var reader = PlannedReader(self, text, limits: limits, output: protobuf)
    protobuf = []
    defer { protobuf = reader.output }
    do throws(PlanMiss) {
      try reader.text(messages[place], &given)
      return true
    } catch {
      return false
    }
  }
}

/// The fields of a message that have their value, by their places in its contract.
package struct GivenFields {
  private var fields: UInt64 = 0
  private var oneofs: UInt64 = 0

  /// No field has one.
  package init() {}

  /// Notes that a field has its value; false when it has one already, or another of its choice has.
  package mutating func insert(_ place: Int, oneof: Int? = nil) -> Bool {
    guard place < MessagePlan.readFieldCountMax, (oneof ?? 0) < 64 else { return false }
    let bit: UInt64 = 1 << UInt64(place)
    guard fields & bit == 0 else { return false }
    fields |= bit
    guard let oneof else { return true }
    let choice: UInt64 = 1 << UInt64(oneof)
    guard oneofs & choice == 0 else { return false }
    oneofs |= choice
    return true
  }
}
