import ProtoSchema

/// Writes how a message moves between its Swift struct and protobuf-c's struct.
struct CodecWriter {
  let schema: Schema
  let visibility: String
  let message: MessageSchema
  let shapes: [FieldShape]

  private var cType: String { CNames.type(message.fullName) }
  private var cFunctions: String { CNames.functions(message.fullName) }

  func write(to writer: inout SourceWriter) {
    writer.line(
      "\(visibility) static var descriptor: "
        + "Swift.UnsafePointer<CProtobufC.ProtobufCMessageDescriptor>? {"
    )
    writer.indented { $0.line("unsafe rpckit_descriptor_\(cFunctions)()") }
    writer.line("}")
    writer.line()
    writeReading(to: &writer)
    writer.line()
    writeMeasuring(to: &writer)
    writePacking(to: &writer)
  }

  private func writeReading(to writer: inout SourceWriter) {
    let isEmpty = shapes.isEmpty
    writer.line("\(visibility) init(")
    writer.indented { $0.line("reading \(isEmpty ? "_" : "raw"): Swift.UnsafeMutableRawPointer") }
    writer.block(") throws(RPCKit.MessageDecodingError) {") { writer in
      guard !isEmpty else { return }
      writer.line("let source = unsafe raw.assumingMemoryBound(to: \(cType).self)")
      for shape in shapes where shape.field.realOneof == nil { writeReading(shape, &writer) }
      for (index, oneof) in message.oneofs.enumerated() {
        let tag = CNames.tag(CNames.oneof(oneof.name, index: index))
        writer.line("switch unsafe source.pointee.\(tag).rawValue {")
        for shape in shapes where shape.field.realOneof == index {
          writer.line("case \(shape.field.number):")
          let target = "self.\(SwiftNames.member(oneof.name))"
          writer.indented { writer in
            readValue(shape.field.type, from: "source.pointee.\(shape.cName)", &writer) {
              "\(target) = \(MessageWriter.oneofType(oneof)).\(shape.caseName)(\($0))"
            }
          }
        }
        writer.line("default:")
        writer.indented { $0.line("break") }
        writer.line("}")
      }
    }
  }

  private func writeReading(_ shape: FieldShape, _ writer: inout SourceWriter) {
    let source = "source.pointee.\(shape.cName)"
    let count = "source.pointee.\(CNames.count(shape.cName))"
    switch shape.storage {
    case .plain:
      readValue(shape.field.type, from: source, &writer) { "self.\(shape.name) = \($0)" }
    case .boxed:
      readValue(shape.field.type, from: source, &writer) { "self.\(shape.boxName) = [\($0)]" }
    case .optional:
      if case .message = shape.field.type {
        readValue(shape.field.type, from: source, &writer) { "self.\(shape.name) = \($0)" }
      } else {
        let tag = CNames.tag(shape.cPresence)
        writer.block("if unsafe source.pointee.\(tag).rawValue == \(shape.field.number) {") {
          readValue(shape.field.type, from: source, &$0) { "self.\(shape.name) = \($0)" }
        }
      }
    case .array:
      if isPlainNumber(shape.field.type) {
        writer.line("unsafe self.\(shape.name) = RPCKit.MessageReading.array(\(source), \(count))")
      } else {
        writer.block("if unsafe \(count) > 0 {") { writer in
          writer.line("unsafe self.\(shape.name).reserveCapacity(\(count))")
          writer.block("for index in unsafe 0..<\(count) {") { writer in
            readValue(shape.field.type, from: "\(source)[index]", &writer) {
              "self.\(shape.name).append(\($0))"
            }
          }
        }
      }
    case .dictionary(let key, let value, _):
      writer.block("for index in unsafe 0..<\(count) {") { writer in
        writer.line("guard let entry = unsafe \(source)[index] else { continue }")
        let keyExpression = valueExpression(key.type, from: "entry.pointee.\(key.cName)")
        if case .message = value.type {
          writer.line("var value = \(schema.swiftType(value.type))()")
          readValue(value.type, from: "entry.pointee.\(value.cName)", &writer) { "value = \($0)" }
          writer.line("\(attempt(key.type))unsafe self.\(shape.name)[\(keyExpression)] = value")
        } else {
          let valueText = valueExpression(value.type, from: "entry.pointee.\(value.cName)")
          let attempt = key.type == .string || value.type == .string ? "try " : ""
          writer.line("\(attempt)unsafe self.\(shape.name)[\(keyExpression)] = \(valueText)")
        }
      }
    }
  }

  private func attempt(_ type: FieldType) -> String { type == .string ? "try " : "" }

  /// One statement that reads a value; a message is only read where there is one.
  private func readValue(
    _ type: FieldType,
    from source: String,
    _ writer: inout SourceWriter,
    _ assign: (String) -> String
  ) {
    if case .message(let name) = type {
      writer.block("if let member = unsafe \(source) {") {
        $0.line("try unsafe " + assign("\(schema.swiftName(name))(reading: member)"))
      }
    } else {
      writer.line("\(attempt(type))unsafe " + assign(valueExpression(type, from: source)))
    }
  }

  private func valueExpression(_ type: FieldType, from source: String) -> String {
    switch type {
    case .bool: "\(source) != 0"
    case .string: "RPCKit.MessageReading.string(\(source))"
    case .bytes: "RPCKit.MessageReading.bytes(\(source))"
    case .enumeration(let name):
      "\(schema.swiftName(name))(rawValue: RPCKit.MessageReading.number(\(source).rawValue))"
    default: source
    }
  }

  /// Numbers do not count: a message is long because of texts, bytes, elements and messages.
  private func writeMeasuring(to writer: inout SourceWriter) {
    guard shapes.contains(where: isMeasured) else { return }
    writer.block("\(visibility) func measure(_ measure: inout RPCKit.MessageMeasure) {") { writer in
      for shape in shapes where shape.field.realOneof == nil { writeMeasuring(shape, &writer) }
      for (index, oneof) in message.oneofs.enumerated() {
        let members = shapes.filter { $0.field.realOneof == index }
        let measured = members.filter { measureLine($0.field.type, "value") != nil }
        guard !measured.isEmpty else { continue }
        writer.line("switch self.\(SwiftNames.member(oneof.name)) {")
        for shape in measured {
          guard let line = measureLine(shape.field.type, "value") else { continue }
          writer.line("case .\(shape.caseName)(let value)?:")
          writer.indented { $0.line(line) }
        }
        writer.line(measured.count < members.count ? "default:" : "case nil:")
        writer.indented { $0.line("break") }
        writer.line("}")
      }
    }
    writer.line()
  }

  /// Whether a field can make a message long.
  private func isMeasured(_ shape: FieldShape) -> Bool {
    switch shape.storage {
    case .array, .dictionary: true
    case .plain, .optional, .boxed: measureLine(shape.field.type, "") != nil
    }
  }

  private func writeMeasuring(_ shape: FieldShape, _ writer: inout SourceWriter) {
    let value = "self.\(shape.name)"
    switch shape.storage {
    case .plain:
      if let line = measureLine(shape.field.type, value) { writer.line(line) }
    case .optional, .boxed:
      guard let line = measureLine(shape.field.type, "value") else { return }
      writer.block("if let value = \(value) {") { $0.line(line) }
    case .array:
      guard let line = measureLine(shape.field.type, "element") else {
        // The least that a number takes.
        writer.line("measure.add(\(value).count)")
        return
      }
      writer.block("for element in \(value) {") { writer in
        writer.line("if measure.isExceeded { return }")
        writer.line("measure.add(\(Self.elementByteCount))")
        writer.line(line)
      }
    case .dictionary(let key, let element, _):
      let lines = [
        measureLine(key.type, "element.key"), measureLine(element.type, "element.value"),
      ].compactMap { $0 }
      guard !lines.isEmpty else {
        writer.line("measure.add(\(value).count)")
        return
      }
      writer.block("for element in \(value) {") { writer in
        writer.line("if measure.isExceeded { return }")
        writer.line("measure.add(\(Self.elementByteCount))")
        for line in lines { writer.line(line) }
      }
    }
  }

  /// The size of an element beside its content: tag and length.
  private static let elementByteCount = 2

  /// The statement that adds a value; nil for numbers.
  private func measureLine(_ type: FieldType, _ value: String) -> String? {
    switch type {
    case .string: "measure.add(\(value).utf8.count)"
    case .bytes: "measure.add(\(value).count)"
    case .message: "\(value).measure(&measure)"
    default: nil
    }
  }

  private func writePacking(to writer: inout SourceWriter) {
    writer.line("\(visibility) func packed(")
    writer.indented { $0.line("in scratch: RPCKit.MessageScratch") }
    writer.block(") -> Swift.UnsafeMutableRawPointer {") { writer in
      writer.line("let target = unsafe scratch.allocate(\(cType).self, 1)")
      writer.line("unsafe \(cFunctions)__init(target)")
      for shape in shapes where shape.field.realOneof == nil { writePacking(shape, &writer) }
      for (index, oneof) in message.oneofs.enumerated() {
        writer.line("switch self.\(SwiftNames.member(oneof.name)) {")
        for shape in shapes where shape.field.realOneof == index {
          writer.line("case .\(shape.caseName)(let value)?:")
          writer.indented { writer in
            let value = packedExpression(shape.field.type, "value")
            writer.line("unsafe target.pointee.\(shape.cName) = \(value)")
            writeCase(CNames.oneof(oneof.name, index: index), shape, &writer)
          }
        }
        writer.line("case nil:")
        writer.indented { $0.line("break") }
        writer.line("}")
      }
      writer.line("return Swift.UnsafeMutableRawPointer(target)")
    }
  }

  private func writeCase(_ oneof: String, _ shape: FieldShape, _ writer: inout SourceWriter) {
    let tag = CNames.tag(oneof)
    writer.line("unsafe target.pointee.\(tag) = .init(rawValue: \(shape.field.number))")
  }

  private func writePacking(_ shape: FieldShape, _ writer: inout SourceWriter) {
    let target = "target.pointee.\(shape.cName)"
    let count = "target.pointee.\(CNames.count(shape.cName))"
    switch shape.storage {
    case .plain:
      let value = packedExpression(shape.field.type, "self.\(shape.name)")
      guard shape.field.needsPresenceInC else {
        writer.line("unsafe \(target) = \(value)")
        return
      }
      // Only the bits of +0.0 are the default; -0.0 is sent.
      writer.block("if self.\(shape.name).bitPattern != 0 {") { writer in
        writer.line("unsafe \(target) = \(value)")
        writeCase(shape.cPresence, shape, &writer)
      }
    case .optional, .boxed:
      writer.block("if let value = self.\(shape.name) {") { writer in
        writer.line("unsafe \(target) = \(packedExpression(shape.field.type, "value"))")
        if shape.field.isOptional { writeCase(shape.cPresence, shape, &writer) }
      }
    case .array:
      writer.block("if !self.\(shape.name).isEmpty {") { writer in
        writer.line("unsafe \(count) = self.\(shape.name).count")
        if isPlainNumber(shape.field.type) {
          writer.line("unsafe \(target) = scratch.copy(self.\(shape.name))")
        } else {
          writer.line(
            "let elements = unsafe scratch.allocate(\(elementType(shape.field.type)).self, "
              + "self.\(shape.name).count)"
          )
          writer.block("for (index, element) in self.\(shape.name).enumerated() {") {
            let value = packedExpression(shape.field.type, "element")
            $0.line("unsafe elements[index] = \(value)")
          }
          writer.line("unsafe \(target) = unsafe elements")
        }
      }
    case .dictionary(let key, let value, let entry):
      let type = CNames.type(entry.fullName)
      writer.block("if !self.\(shape.name).isEmpty {") { writer in
        writer.line("unsafe \(count) = self.\(shape.name).count")
        writer.line(
          "let entries = unsafe scratch.allocate(Swift.UnsafeMutablePointer<\(type)>?.self, "
            + "self.\(shape.name).count)"
        )
        // In the order of keys, so that equal messages have equal encodings.
        let order = key.type == .bool ? "!$0.key && $1.key" : "$0.key < $1.key"
        writer.line("let sorted = self.\(shape.name).sorted { \(order) }")
        writer.block("for (index, element) in sorted.enumerated() {") { writer in
          writer.line("let entry = unsafe scratch.allocate(\(type).self, 1)")
          writer.line("unsafe \(CNames.functions(entry.fullName))__init(entry)")
          let keyValue = packedExpression(key.type, "element.key")
          let valueValue = packedExpression(value.type, "element.value")
          writer.line("unsafe entry.pointee.\(key.cName) = \(keyValue)")
          writer.line("unsafe entry.pointee.\(value.cName) = \(valueValue)")
          if value.needsPresenceInC {
            let tag = CNames.tag(CNames.presence(value.name, number: value.number))
            writer.block("if element.value.bitPattern != 0 {") {
              $0.line("unsafe entry.pointee.\(tag) = .init(rawValue: \(value.number))")
            }
          }
          writer.line("unsafe entries[index] = unsafe entry")
        }
        writer.line("unsafe \(target) = unsafe entries")
      }
    }
  }

  private func packedExpression(_ type: FieldType, _ value: String) -> String {
    switch type {
    case .bool: return "\(value) ? 1 : 0"
    case .string, .bytes: return "scratch.copy(\(value))"
    case .message(let name):
      return "\(value).packed(in: scratch).assumingMemoryBound(to: \(CNames.type(name)).self)"
    case .enumeration(let name):
      // protoc-c's enums are unsigned in Swift unless a value is negative.
      let isSigned = schema.enums[name]?.values.contains { $0.number < 0 } ?? false
      let raw = "\(value).rawValue"
      return
        "\(CNames.type(name))(rawValue: \(isSigned ? raw : "Swift.UInt32(bitPattern: \(raw))"))"
    default: return value
    }
  }

  private func elementType(_ type: FieldType) -> String {
    switch type {
    case .bool: "protobuf_c_boolean"
    case .string, .bytes: "CProtobufC.ProtobufCBinaryData"
    case .message(let name): "Swift.UnsafeMutablePointer<\(CNames.type(name))>?"
    case .enumeration(let name): CNames.type(name)
    default: schema.swiftType(type)
    }
  }

  private func isPlainNumber(_ type: FieldType) -> Bool {
    switch type {
    case .double, .float, .int32, .int64, .uint32, .uint64: true
    default: false
    }
  }
}
