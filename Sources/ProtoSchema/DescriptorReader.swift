extension FileSchema {
  /// Reads a `google.protobuf.FileDescriptorProto`; throws when it is something else.
  ///
  /// Without `readsComments`, comments are empty and lines are 1.
  package init(
    _ descriptor: ArraySlice<UInt8>,
    readsComments: Bool = true
  ) throws(SchemaError) {
    self.descriptor = descriptor
    var locations = SourceLocations()
    var fields = WireFields(descriptor)
    while let (number, value) = try fields.next() {
      switch number {
      case 1: name = try value.text()
      case 2: package = try value.text()
      case 3: imports.append(try value.text())
      case 9: if readsComments { locations = try SourceLocations(value.bytes ?? []) }
      case 12: syntax = try value.text()
      default: break
      }
    }
    packageLine = locations.line([2])
    let reader = DescriptorReader(locations: locations)
    var places = DescriptorPlaces(in: package)
    fields = WireFields(descriptor)
    while let (number, value) = try fields.next() {
      let bytes = value.bytes ?? []
      switch number {
      case 4: messages.append(try reader.message(bytes, places.next(4)))
      case 5: enums.append(try reader.enumeration(bytes, places.next(5)))
      case 6: services.append(try reader.service(bytes, places.next(6)))
      case 7: extensionLines.append(locations.line(places.next(7).path))
      default: break
      }
    }
  }
}

/// Reads what a file declares (descriptor.proto, field numbers from there).
private struct DescriptorReader {
  let locations: SourceLocations

  func message(
    _ bytes: ArraySlice<UInt8>,
    _ place: DescriptorPlaces.Place
  ) throws(SchemaError) -> MessageSchema {
    var schema = MessageSchema()
    schema.fullName = try place.fullName(bytes)
    (schema.comment, schema.line) = (locations.comment(place.path), locations.line(place.path))
    var places = DescriptorPlaces(in: schema.fullName, place.path)
    var fields = WireFields(bytes)
    while let (number, value) = try fields.next() {
      let bytes = value.bytes ?? []
      switch number {
      case 2: schema.fields.append(try field(bytes, places.next(2).path))
      case 3: schema.messages.append(try message(bytes, places.next(3)))
      case 4: schema.enums.append(try enumeration(bytes, places.next(4)))
      case 5, 6: schema.hasExtensions = true
      case 7: schema.isMapEntry = try Self.isMapEntry(bytes)
      case 8: schema.oneofs.append(try oneof(bytes, places.next(8).path))
      default: break
      }
    }
    // protoc makes a oneof for each `optional` field and puts these after the real ones.
    schema.oneofs = schema.oneofs.dropLast(schema.fields.count { $0.isOptional && $0.oneof != nil })
    return schema
  }

  /// `MessageOptions.map_entry`.
  private static func isMapEntry(_ options: ArraySlice<UInt8>) throws(SchemaError) -> Bool {
    var fields = WireFields(options)
    var isMapEntry = false
    while let (number, value) = try fields.next() { if number == 7 { isMapEntry = value.isTrue } }
    return isMapEntry
  }

  private func oneof(_ bytes: ArraySlice<UInt8>, _ path: [Int]) throws(SchemaError) -> OneofSchema {
    OneofSchema(
      name: try WireFields.name(bytes),
      comment: locations.comment(path),
      line: locations.line(path)
    )
  }

  private func field(_ bytes: ArraySlice<UInt8>, _ path: [Int]) throws(SchemaError) -> FieldSchema {
    var field = FieldSchema()
    (field.comment, field.line) = (locations.comment(path), locations.line(path))
    var fields = WireFields(bytes)
    while let (number, value) = try fields.next() {
      switch number {
      case 1: field.name = try value.text()
      case 3: field.number = value.count
      case 4: field.isRepeated = value.number == 3
      case 5:
        guard let kind = FieldSchema.Kind(rawValue: value.count) else {
          throw SchemaError("a field of a kind that proto3 does not have")
        }
        field.kind = kind
      case 6: field.typeName = try value.typeName()
      case 8: try field.read(options: value.bytes ?? [])
      case 9: field.oneof = value.count
      case 10: field.jsonName = try value.text()
      case 17: field.isOptional = value.isTrue
      default: break
      }
    }
    if field.jsonName.isEmpty { field.jsonName = JSONNames.lowerCamelCase(field.name) }
    return field
  }

  func enumeration(
    _ bytes: ArraySlice<UInt8>,
    _ place: DescriptorPlaces.Place
  ) throws(SchemaError) -> EnumSchema {
    var schema = EnumSchema()
    schema.fullName = try place.fullName(bytes)
    (schema.comment, schema.line) = (locations.comment(place.path), locations.line(place.path))
    var places = DescriptorPlaces(in: schema.fullName, place.path)
    var fields = WireFields(bytes)
    while let (number, value) = try fields.next() {
      if number == 3 { try schema.read(options: value.bytes ?? []) }
      guard number == 2 else { continue }
      let path = places.next(2).path
      var entry = EnumSchema.Value()
      (entry.comment, entry.line) = (locations.comment(path), locations.line(path))
      var fields = WireFields(value.bytes ?? [])
      while let (number, value) = try fields.next() {
        if number == 1 { entry.name = try value.text() }
        if number == 2 { entry.number = Int32(truncatingIfNeeded: value.number ?? 0) }
      }
      schema.values.append(entry)
    }
    return schema
  }

  func service(
    _ bytes: ArraySlice<UInt8>,
    _ place: DescriptorPlaces.Place
  ) throws(SchemaError) -> ServiceSchema {
    var schema = ServiceSchema()
    schema.fullName = try place.fullName(bytes)
    (schema.comment, schema.line) = (locations.comment(place.path), locations.line(place.path))
    var places = DescriptorPlaces(in: schema.fullName, place.path)
    var fields = WireFields(bytes)
    while let (number, value) = try fields.next() {
      guard number == 2 else { continue }
      var method = try method(value.bytes ?? [], places.next(2).path)
      method.service = schema.fullName
      schema.methods.append(method)
    }
    return schema
  }

  private func method(
    _ bytes: ArraySlice<UInt8>,
    _ path: [Int]
  ) throws(SchemaError) -> MethodSchema {
    var method = MethodSchema()
    (method.comment, method.line) = (locations.comment(path), locations.line(path))
    var fields = WireFields(bytes)
    while let (number, value) = try fields.next() {
      switch number {
      case 1: method.name = try value.text()
      case 2: method.requestType = try value.typeName()
      case 3: method.responseType = try value.typeName()
      case 4: try method.read(options: value.bytes ?? [])
      case 5: method.isClientStreaming = value.isTrue
      case 6: method.isServerStreaming = value.isTrue
      default: break
      }
    }
    return method
  }
}

extension WireFields {
  /// The name of any declaration: its field 1.
  package static func name(_ declaration: ArraySlice<UInt8>) throws(SchemaError) -> String {
    var name = ""
    var fields = WireFields(declaration)
    while let (number, value) = try fields.next() { if number == 1 { name = try value.text() } }
    return name
  }
}

extension WireFields.Value {
  /// A full name, which descriptors begin with a dot.
  fileprivate func typeName() throws(SchemaError) -> String {
    String(try text().drop { $0 == "." })
  }
}

/// Counts the declarations of each kind below one place, since paths name them by their index.
private struct DescriptorPlaces {
  /// A declaration: the full name of what it is in, and its path.
  struct Place {
    let scope: String
    let path: [Int]

    /// The full name of the declaration with these bytes.
    func fullName(_ bytes: ArraySlice<UInt8>) throws(SchemaError) -> String {
      let name = try WireFields.name(bytes)
      return scope.isEmpty ? name : "\(scope).\(name)"
    }
  }

  private let scope: String
  private let path: [Int]
  private var counts: [Int: Int] = [:]

  init(in scope: String, _ path: [Int] = []) {
    self.scope = scope
    self.path = path
  }

  /// The next declaration in the descriptor's field `number`.
  mutating func next(_ number: Int) -> Place {
    defer { counts[number, default: 0] += 1 }
    return Place(scope: scope, path: path + [number, counts[number, default: 0]])
  }
}
