/// Reads `google.protobuf.FileDescriptorProto` (descriptor.proto, field numbers from there), as far
/// as calling methods with JSON needs it.
struct DescriptorReader {
  private(set) var messages: [MessageSchema] = []
  private(set) var enums: [EnumSchema] = []
  private(set) var services: [ServiceSchema] = []
  private var comments = DescriptorComments()
  private let readsComments: Bool

  init(readsComments: Bool = true) {
    self.readsComments = readsComments
  }

  /// Adds everything that a file declares.
  mutating func read(file bytes: [UInt8]) throws(ReflectionError) {
    var package = ""
    comments = DescriptorComments()
    let file = WireFields(bytes[...])
    try file.forEach { (number, value) throws(ReflectionError) in
      if number == 2 { package = value.text ?? "" }
      if number == 9, readsComments { comments = try DescriptorComments(value.bytes ?? []) }
    }
    let scope = package.isEmpty ? "" : "\(package)."
    var places = DescriptorPlaces(below: [])
    try file.forEach { (number, value) throws(ReflectionError) in
      guard let bytes = value.bytes else { return }
      switch number {
      case 4: try readMessage(bytes, scope, places.next(4))
      case 5: try readEnum(bytes, scope, places.next(5))
      case 6: try readService(bytes, scope, places.next(6))
      default: break
      }
    }
  }

  private mutating func readMessage(
    _ bytes: ArraySlice<UInt8>,
    _ scope: String,
    _ path: [UInt64]
  ) throws(ReflectionError) {
    var schema = MessageSchema()
    schema.comment = comments[path]
    var places = DescriptorPlaces(below: path)
    let message = WireFields(bytes)
    try message.forEach { (number, value) throws(ReflectionError) in
      switch number {
      case 1: schema.name = scope + (value.text ?? "")
      case 2:
        var field = try Self.field(value.bytes ?? [])
        field.comment = comments[places.next(2)]
        schema.fields.append(field)
      case 7:
        // MessageOptions.map_entry = 7.
        try WireFields(value.bytes ?? []).forEach { (number, value) throws(ReflectionError) in
          if number == 7 { schema.isMapEntry = value.number == 1 }
        }
      default: break
      }
    }
    messages.append(schema)
    let inner = schema.name + "."
    try message.forEach { (number, value) throws(ReflectionError) in
      guard let bytes = value.bytes else { return }
      if number == 3 { try readMessage(bytes, inner, places.next(3)) }
      if number == 4 { try readEnum(bytes, inner, places.next(4)) }
    }
  }

  private static func field(_ bytes: ArraySlice<UInt8>) throws(ReflectionError) -> FieldSchema {
    var field = FieldSchema()
    try WireFields(bytes).forEach { (number, value) throws(ReflectionError) in
      switch number {
      case 1: field.name = value.text ?? ""
      case 3: field.number = Int(value.number ?? 0)
      case 4: field.isRepeated = value.number == 3
      case 5:
        guard let kind = FieldSchema.Kind(rawValue: Int(value.number ?? 0)) else {
          throw ReflectionError("a field of a kind that proto3 does not have")
        }
        field.kind = kind
      case 6: field.typeName = String((value.text ?? "").drop { $0 == "." })
      case 9:
        field.hasPresence = true
        field.oneof = value.number
      case 8: field.rules = try FieldRules(options: value.bytes ?? [])
      case 17:
        field.hasPresence = true
        field.isOptional = true
      case 10: field.jsonName = value.text ?? ""
      default: break
      }
    }
    if field.jsonName.isEmpty { field.jsonName = JSONNames.lowerCamelCase(field.name) }
    return field
  }

  private mutating func readEnum(
    _ bytes: ArraySlice<UInt8>,
    _ scope: String,
    _ path: [UInt64]
  ) throws(ReflectionError) {
    var schema = EnumSchema()
    schema.comment = comments[path]
    var places = DescriptorPlaces(below: path)
    try WireFields(bytes).forEach { (number, value) throws(ReflectionError) in
      switch number {
      case 1: schema.name = scope + (value.text ?? "")
      case 2:
        var entry = EnumSchema.Value()
        entry.comment = comments[places.next(2)]
        try WireFields(value.bytes ?? []).forEach { (number, value) throws(ReflectionError) in
          if number == 1 { entry.name = value.text ?? "" }
          if number == 2 { entry.number = Int32(truncatingIfNeeded: value.number ?? 0) }
        }
        schema.values.append(entry)
      default: break
      }
    }
    enums.append(schema)
  }

  private mutating func readService(
    _ bytes: ArraySlice<UInt8>,
    _ scope: String,
    _ path: [UInt64]
  ) throws(ReflectionError) {
    var schema = ServiceSchema()
    schema.comment = comments[path]
    var places = DescriptorPlaces(below: path)
    try WireFields(bytes).forEach { (number, value) throws(ReflectionError) in
      if number == 1 { schema.name = scope + (value.text ?? "") }
      if number == 2 {
        var method = try Self.method(value.bytes ?? [])
        method.comment = comments[places.next(2)]
        schema.methods.append(method)
      }
    }
    for index in schema.methods.indices { schema.methods[index].service = schema.name }
    services.append(schema)
  }

  private static func method(_ bytes: ArraySlice<UInt8>) throws(ReflectionError) -> MethodSchema {
    var method = MethodSchema()
    try WireFields(bytes).forEach { (number, value) throws(ReflectionError) in
      switch number {
      case 1: method.name = value.text ?? ""
      case 2: method.requestType = String((value.text ?? "").drop { $0 == "." })
      case 3: method.responseType = String((value.text ?? "").drop { $0 == "." })
      case 4: try readOptions(value.bytes ?? [], into: &method)
      case 5: method.isClientStreaming = value.number == 1
      case 6: method.isServerStreaming = value.number == 1
      default: break
      }
    }
    return method
  }

  /// `(gatehouse.method)`, extension 50100 of MethodOptions (gatehouse/options.proto).
  private static func readOptions(
    _ bytes: ArraySlice<UInt8>,
    into method: inout MethodSchema
  ) throws(ReflectionError) {
    try WireFields(bytes).forEach { (number, value) throws(ReflectionError) in
      guard number == 50100 else { return }
      try WireFields(value.bytes ?? []).forEach { (number, value) throws(ReflectionError) in
        switch number {
        case 1:
          let names = ["", "public", "user", "service", "admin"]
          let index = Int(clamping: value.number ?? 0)
          method.caller = names.indices.contains(index) ? names[index] : ""
        case 2: method.callingServices.append(value.text ?? "")
        case 3: method.stepUp = value.text ?? ""
        case 4: method.isIdempotent = value.number == 1
        default: break
        }
      }
    }
  }
}

/// Counts the declarations of each kind below one place, since paths name them by their index.
private struct DescriptorPlaces {
  private let path: [UInt64]
  private var counts: [UInt64: UInt64] = [:]

  init(below path: [UInt64]) { self.path = path }

  /// The path of the next declaration in the descriptor's field `number`.
  mutating func next(_ number: UInt64) -> [UInt64] {
    defer { counts[number, default: 0] += 1 }
    return path + [number, counts[number, default: 0]]
  }
}
