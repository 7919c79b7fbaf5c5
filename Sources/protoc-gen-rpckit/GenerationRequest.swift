import CProtobufC

/// The request of protoc, as values.
struct GenerationRequest {
  var parameter: String
  var files: [SchemaFile]

  init(encoded: [UInt8]) throws(GeneratorError) {
    let request = try unsafe DescriptorPointers.withUnpacked(
      encoded,
      rpckit_descriptor_google__protobuf__compiler__code_generator_request(),
      as: Google__Protobuf__Compiler__CodeGeneratorRequest.self
    ) { request throws(GeneratorError) in
      let names = unsafe Set(
        DescriptorPointers.texts(
          request.pointee.file_to_generate,
          request.pointee.n_file_to_generate
        )
      )
      var files: [SchemaFile] = []
      let pointers = unsafe DescriptorPointers.list(
        request.pointee.proto_file,
        request.pointee.n_proto_file
      )
      for index in unsafe pointers.indices {
        files.append(try unsafe DescriptorReader(pointers[index]).file(names: names))
      }
      return (unsafe DescriptorPointers.text(request.pointee.parameter), files)
    }
    guard let request else {
      throw GeneratorError("standard input is not a CodeGeneratorRequest; run this through protoc")
    }
    (parameter, files) = request
  }
}
