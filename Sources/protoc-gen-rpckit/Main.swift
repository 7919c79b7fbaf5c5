import Glibc

/// `protoc-gen-rpckit`: run by protoc, or by `scripts/generate` as `protoc-gen-rpckit annotate`.
@main struct Main {
  static func main() {
    do throws(GeneratorError) {
      switch CommandLine.arguments.dropFirst().first {
      case nil:
        try StandardStreams.write(answer(to: try StandardStreams.readAll()))
      case "annotate":
        try StandardStreams.write(
          try DescriptorSetAnnotator.annotate(try StandardStreams.readAll())
        )
      default:
        throw GeneratorError("usage: protoc-gen-rpckit [annotate] <request >response")
      }
    } catch {
      StandardStreams.printError("protoc-gen-rpckit: \(error.message)")
      exit(1)
    }
  }

  /// The encoded `CodeGeneratorResponse`.
  ///
  /// What is wrong with the `.proto` files goes into it, so that protoc prints it; only a request
  /// that cannot be read is an error of the program.
  private static func answer(to request: [UInt8]) throws(GeneratorError) -> [UInt8] {
    let request = try GenerationRequest(encoded: request)
    do throws(GeneratorError) {
      let options = try GeneratorOptions(parameter: request.parameter)
      let schema = Schema(request, importsModule: !options.importedModule.isEmpty)
      try SchemaChecker(schema: schema).check()
      let generator = ModuleGenerator(schema: schema, options: options)
      return GenerationResponse.encode(files: generator.files())
    } catch {
      return GenerationResponse.encode(error: error.message)
    }
  }
}
