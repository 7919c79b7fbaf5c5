import ProtoSchema

/// Writes a message as a struct: properties, initialisers, oneofs, nested types and its codec.
struct MessageWriter {
  let schema: Schema
  let visibility: String

  func write(_ message: MessageSchema, to writer: inout SourceWriter) {
    guard !message.isMapEntry else { return }
    let name = SwiftNames.type(message.name, suffix: "Message")
    let shapes = message.fields.map { FieldShape($0, in: message, schema: schema) }
    writer.documentation(message.comment, fallback: "`\(message.fullName)`.")
    writer.block("\(visibility) struct \(name): RPCKit.GeneratedMessage {") { writer in
      for enumeration in message.enums {
        EnumWriter(visibility: visibility).write(enumeration, to: &writer)
        writer.line()
      }
      for nested in message.messages where !nested.isMapEntry {
        write(nested, to: &writer)
        writer.line()
      }
      for (index, oneof) in message.oneofs.enumerated() {
        writeOneof(oneof, shapes.filter { $0.field.realOneof == index }, to: &writer)
        writer.line()
      }
      for shape in shapes where shape.field.realOneof == nil { writeProperty(shape, to: &writer) }
      for oneof in message.oneofs {
        writer.documentation(oneof.comment, fallback: "Which of `\(oneof.name)` is set, if any.")
        writer.line(
          "\(visibility) var \(SwiftNames.member(oneof.name)): "
            + "\(Self.oneofType(oneof))?"
        )
      }
      writeInitialisers(message, shapes, to: &writer)
      writer.line()
      writer.line(
        "\(visibility) static var protobufName: Swift.String { "
          + "\(SourceWriter.literal(message.fullName)) }"
      )
      writer.line()
      CodecWriter(schema: schema, visibility: visibility, message: message, shapes: shapes)
        .write(to: &writer)
      ValidationWriter(schema: schema, visibility: visibility, message: message, shapes: shapes)
        .write(to: &writer)
    }
  }

  /// The Swift enum of a oneof.
  static func oneofType(_ oneof: OneofSchema) -> String {
    SwiftNames.upperCamel(oneof.name) + "OneOf"
  }

  private func writeProperty(_ shape: FieldShape, to writer: inout SourceWriter) {
    writer.documentation(shape.field.comment, fallback: "`\(shape.field.name)`.")
    let type = shape.propertyType(schema)
    guard case .boxed = shape.storage else {
      writer.line("\(visibility) var \(shape.name): \(type) = \(shape.defaultValue)")
      return
    }
    writer.block("\(visibility) var \(shape.name): \(type) {") { writer in
      writer.line("get { \(shape.boxName).first }")
      writer.line("set { \(shape.boxName) = newValue.map { [$0] } ?? [] }")
    }
    writer.line("private var \(shape.boxName): [\(shape.valueType)] = []")
  }

  private func writeOneof(
    _ oneof: OneofSchema,
    _ members: [FieldShape],
    to writer: inout SourceWriter
  ) {
    writer.documentation(oneof.comment, fallback: "The members of `\(oneof.name)`.")
    writer.block(
      "\(visibility) enum \(Self.oneofType(oneof)): Swift.Hashable, Swift.Sendable {"
    ) { writer in
      for member in members {
        writer.documentation(member.field.comment, fallback: "`\(member.field.name)`.")
        let isBoxed = if case .boxed = member.storage { true } else { false }
        writer.line("\(isBoxed ? "indirect " : "")case \(member.caseName)(\(member.valueType))")
      }
    }
  }

  private func writeInitialisers(
    _ message: MessageSchema,
    _ shapes: [FieldShape],
    to writer: inout SourceWriter
  ) {
    writer.line()
    writer.line("/// Makes a message with every field at its default.")
    writer.line("\(visibility) init() {}")
    let plain = shapes.filter { $0.field.realOneof == nil }
    let properties =
      plain.map { ($0.name, $0.propertyType(schema), $0.defaultValue) }
      + message.oneofs.map { (SwiftNames.member($0.name), "\(Self.oneofType($0))?", "nil") }
    guard !properties.isEmpty else { return }
    writer.line()
    writer.line("/// Makes a message of the given fields.")
    writer.line("\(visibility) init(")
    writer.indented { writer in
      for (index, property) in properties.enumerated() {
        writer.line(
          "\(property.0): \(property.1) = \(property.2)\(index + 1 < properties.count ? "," : "")"
        )
      }
    }
    writer.block(") {") { writer in
      for property in properties { writer.line("self.\(property.0) = \(property.0)") }
    }
  }
}
