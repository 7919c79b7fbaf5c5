import ProtoSchema

/// The request of protoc (google/protobuf/compiler/plugin.proto), as values.
struct GenerationRequest {
  private(set) var parameter = ""
  private(set) var files: [FileSchema] = []
  /// The names of those to generate from.
  private(set) var names: Set<String> = []

  init(encoded: [UInt8]) throws(GeneratorError) {
    do throws(SchemaError) {
      var fields = WireFields(encoded[...])
      while let (number, value) = try fields.next() {
        switch number {
        case 1: names.insert(try value.text())
        case 2: parameter = try value.text()
        case 15: files.append(try FileSchema(value.bytes ?? []))
        default: break
        }
      }
    } catch {
      throw GeneratorError("standard input is not a CodeGeneratorRequest; run this through protoc")
    }
  }
}
