import CProtobufC

/// One file that the generator writes.
struct GeneratedFile {
  var name: String
  var content: String
}

/// The answer to protoc.
enum GenerationResponse {
  /// `FEATURE_PROTO3_OPTIONAL`.
  private static let supportedFeatures: UInt64 = 1

  static func encode(files: [GeneratedFile]) -> [UInt8] {
    var response = unsafe Google__Protobuf__Compiler__CodeGeneratorResponse()
    unsafe google__protobuf__compiler__code_generator_response__init(&response)
    unsafe response.has_supported_features = 1
    unsafe response.supported_features = supportedFeatures
    let pointers = UnsafeMutablePointer<
      UnsafeMutablePointer<Google__Protobuf__Compiler__CodeGeneratorResponse__File>?
    >.allocate(capacity: files.count)
    for (index, file) in files.enumerated() {
      let pointer = UnsafeMutablePointer<
        Google__Protobuf__Compiler__CodeGeneratorResponse__File
      >.allocate(capacity: 1)
      unsafe google__protobuf__compiler__code_generator_response__file__init(pointer)
      unsafe pointer.pointee.name = unsafe cString(file.name)
      unsafe pointer.pointee.content = unsafe cString(file.content)
      unsafe pointers[index] = unsafe pointer
    }
    unsafe response.n_file = files.count
    unsafe response.file = unsafe pointers
    return unsafe DescriptorPointers.pack(&response)
  }

  static func encode(error: String) -> [UInt8] {
    var response = unsafe Google__Protobuf__Compiler__CodeGeneratorResponse()
    unsafe google__protobuf__compiler__code_generator_response__init(&response)
    unsafe response.has_supported_features = 1
    unsafe response.supported_features = supportedFeatures
    unsafe response.error = unsafe cString(error)
    return unsafe DescriptorPointers.pack(&response)
  }

  /// A copy that lives until the program ends, which is right after the response is written.
  private static func cString(_ text: String) -> UnsafeMutablePointer<CChar> {
    let bytes = Array(text.utf8CString)
    let copy = UnsafeMutablePointer<CChar>.allocate(capacity: bytes.count)
    unsafe copy.initialize(from: bytes, count: bytes.count)
    return unsafe copy
  }
}
