import ProtoSchema

/// One file that the generator writes.
struct GeneratedFile {
  var name: String
  var content: String
}

/// The answer to protoc (google/protobuf/compiler/plugin.proto).
enum GenerationResponse {
  /// `supported_features`: `FEATURE_PROTO3_OPTIONAL`.
  private static let features = WireWriting.varint(1, field: 2)

  static func encode(files: [GeneratedFile]) -> [UInt8] {
    files.reduce(into: features) { response, file in
      let content =
        WireWriting.text(file.name, field: 1) + WireWriting.text(file.content, field: 15)
      response += WireWriting.bytes(content, field: 15)
    }
  }

  static func encode(error: String) -> [UInt8] { WireWriting.text(error, field: 1) + features }
}
