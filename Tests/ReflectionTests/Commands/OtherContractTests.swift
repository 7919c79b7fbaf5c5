import TestingContracts
import Foundation
import RPCKit
import Testing

@testable import CommandLineClient

/// Services of which the program knows nothing but what a file of descriptors says.
@Suite("Contracts of other services, from a file")
struct OtherContractTests {
  private struct Permissions: Benchmark_V1.PermissionsService {
    func check(
      _ request: Benchmark_V1.CheckRequest,
      _ call: CallContext
    ) async throws -> Benchmark_V1.CheckResponse {
      Benchmark_V1.CheckResponse(allowed: request.subject == "ada", reason: "asked")
    }
  }

  /// The descriptors as protoc's `--descriptor_set_out` has them: `FileDescriptorSet.file` is field 1.
  private static var descriptors: Data {
    let file = Benchmark_V1.benchmarkV1PermissionFile.bytes
    var set: [UInt8] = [0x0A]
    var length = file.count
    while length >= 0x80 {
      set.append(UInt8(length & 0x7F) | 0x80)
      length >>= 7
    }
    set.append(UInt8(length))
    return Data(set + file)
  }

  @Test("A method of a file is called where its package's target is")
  func call_ofOtherContract_printsAnswer() async throws {
    try await CommandStage.run([Permissions().definition]) { stage in
      try Self.descriptors.write(to: stage.file("other.pb"))
      let other = ["--descriptors", "\(stage.folder)/other.pb"]
      let target = ["--target", "benchmark=\(stage.target)"]
      let outcome = await stage.gatehouse(
        other + target + ["call", "benchmark.v1.Permissions/Check", #"{"subject": "ada"}"#]
      )
      #expect(outcome.errors == "")
      #expect(outcome.output == "{\n  \"allowed\": true,\n  \"reason\": \"asked\"\n}\n")

      let list = await stage.gatehouse(other + ["list", "benchmark.v1.Permissions"])
      #expect(list.code == 0)
      #expect(list.output.contains("Check"))

      let nowhere = await stage.gatehouse(other + ["call", "benchmark.v1.Permissions/Check"])
      #expect(nowhere.code == 2)
      #expect(nowhere.errors.contains("--target benchmark=tcp://HOST:PORT"))
    }
  }

  @Test("The methods of Gatehouse stay what they are beside those of a file")
  func call_ofOwnContract_isUnchanged() async throws {
    try await CommandStage.run(ScriptedServices().definitions) { stage in
      try Self.descriptors.write(to: stage.file("other.pb"))
      let outcome = await stage.gatehouse(
        ["--descriptors", "\(stage.folder)/other.pb", "call", "Portfolios/Create"]
          + [#"{"name": "Home"}"#]
      )
      #expect(outcome.code == 0)
    }
  }

  @Test(
    "A file that is no set of descriptors says how to write one",
    arguments: [Data(), Data("{}".utf8), Data([0x0A, 0x05, 0x01])]
  )
  func call_withAnotherFile_isRefused(content: Data) async throws {
    try await CommandStage.run([]) { stage in
      try content.write(to: stage.file("other.pb"))
      let outcome = await stage.gatehouse(
        ["--descriptors", "\(stage.folder)/other.pb", "list"]
      )
      #expect(outcome.code == 2)
      #expect(outcome.errors.contains("--descriptor_set_out"))
    }
  }
}
