import Foundation
import Testing

/// The contracts of `EchoService` and `InteropService` as a set of descriptors, for clients that do not ask by
/// reflection; protoc compiles it in a folder that lasts as long as the schema.
final class StageSchema: Sendable {
  private static let contract = """
    syntax = "proto3";
    package test;
    import "benchmark/v1/permission.proto";
    // The details of errors.
    import "google/rpc/error_details.proto";
    // The contract of `InteropService`.
    import "grpc/testing/test.proto";
    service Echo {
      rpc Say(benchmark.v1.CheckRequest) returns (benchmark.v1.CheckResponse);
      rpc Read(benchmark.v1.CheckRequest) returns (benchmark.v1.CheckResponse) {
        option idempotency_level = NO_SIDE_EFFECTS;
      }
      rpc Count(benchmark.v1.CheckRequest) returns (stream benchmark.v1.CheckResponse);
      rpc Join(stream benchmark.v1.CheckRequest) returns (benchmark.v1.CheckResponse);
      rpc Chat(stream benchmark.v1.CheckRequest) returns (stream benchmark.v1.CheckResponse);
    }
    """

  /// Where the descriptors are.
  let path: String
  private let folder: URL

  init() throws {
    folder = FileManager.default.temporaryDirectory
      .appending(path: "rpckit-schema-\(UUID().uuidString)")
    // By this ending buf knows what it is.
    path = folder.appending(path: "stage.binpb").path
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    try Data(Self.contract.utf8).write(to: folder.appending(path: "echo.proto"))
    let output = ForeignProgram.run([
      "protoc", "-I", InstalledTool.root.appending(path: "proto").path, "-I", folder.path,
      "--include_imports", "-o", path, "echo.proto",
    ])
    try #require(output != nil, "protoc is missing or fails; run scripts/setup")
  }

  deinit {
    try? FileManager.default.removeItem(at: folder)
  }
}
