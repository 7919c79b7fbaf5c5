internal import AllContracts
internal import CommandLineTool
internal import RPCKit
internal import Reflection
internal import ServiceKit

extension CommandLineOptions {
  /// Largest file of descriptors, in bytes.
  private static let descriptorByteCountMax = 16 << 20

  /// Every method and type: those of Gatehouse, and those in the file of `--descriptors`.
  func registry() throws -> SchemaRegistry {
    guard let descriptorsPath else { return .gatehouse }
    let bytes = try FileBytes.read(descriptorsPath, byteCountMax: Self.descriptorByteCountMax)
    do {
      return try SchemaRegistry.gatehouse.adding(descriptorSet: bytes)
    } catch {
      throw UsageError(
        "--descriptors \(descriptorsPath) \(error); write it with "
          + "protoc --include_imports --include_source_info --descriptor_set_out=FILE"
      )
    }
  }
}
