import Foundation
import Testing

/// The client on google.golang.org/grpc (interop/README.md), built once per run.
struct GoPeer {
  private let program: String

  static let shared = Result { try GoPeer() }

  private init() throws {
    let root = URL(fileURLWithPath: #filePath)
      .deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
    let environment = ProcessInfo.processInfo.environment
    let folder =
      environment["RPCKIT_INTEROP_DIRECTORY"] ?? root.appendingPathComponent(".build-interop").path
    let built = ForeignProgram.run(["interop/build", folder], directory: root)
    try #require(
      built != nil,
      "interop/build \(folder) fails; run scripts/setup, and it to see why"
    )
    program = "\(folder)/grpc-client"
  }

  /// What the client said of one case.
  struct Verdict: Decodable {
    var `case`: String
    var ok: Bool
    var detail: String
  }

  /// Runs cases of the client against a server; all of them when none is named.
  func run(against address: String, cases: [String] = []) async throws -> [Verdict] {
    // Its code says that a case failed, which the verdict says as well.
    let command = #""$@"; [ $? -le 1 ]"#
    let output = try await PeerStage.output([
      "sh", "-c", command, "sh", program, "--target", address, "--cases",
      cases.joined(separator: ","),
    ])
    return try output.split(separator: UInt8(ascii: "\n")).map {
      try JSONDecoder().decode(Verdict.self, from: Data($0))
    }
  }
}
