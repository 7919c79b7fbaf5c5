import AllContracts
import AuthContracts
import EntitlementContracts
import PeerContracts
import TenancyContracts
import Foundation
import RPCKit
import RPCKitTesting
import Reflection
import ServiceKit
import Testing

@testable import ServiceTesting

/// Errors of gRPC behind nginx as it comes, which reads 4 KiB of an answer before it must have its head.
@Suite("Errors behind nginx")
struct NginxErrorTests {
  private static let program = (0..<5).reduce(URL(fileURLWithPath: #filePath)) { url, _ in
    url.deletingLastPathComponent()
  }.appendingPathComponent(".build/tools/nginx")

  @Test(
    "However many rows are bad, the client is told what is wrong, and which request it was",
    .enabled(if: FileManager.default.fileExists(atPath: program.path))
  )
  func badRows_areTold() async throws {
    try await MatrixStage.run { stage in
      let schema = try MatrixStage.schema("Entities/BatchCreate")
      let options = try await stage.product.call(stage.house.owner)
      guard case .unix(let service) = stage.product.http(to: "tenancy").address else {
        throw CancellationError()
      }
      try await Self.withNginx(before: service) { gateway in
        for count in [1, 20, 30, 40, 500] {
          let rows: JSONValue = ["entities": .array(Array(repeating: [:], count: count))]
          let answer = try await GRPCPython.shared.get().call(
            "/\(schema.service)/\(schema.name)",
            at: .unix(path: gateway),
            try MessageJSON(.gatehouse).encode(rows, as: schema.requestType),
            options.metadata,
            takesOne: false
          )
          #expect(answer.code == .invalidArgument, "\(count) rows")
          let status = try Google_Rpc.Status(protobuf: answer.status.span, limits: MessageLimits())
          let types = status.details.map { $0.typeUrl.split(separator: ".").last ?? "" }
          #expect(Set(types) == ["ErrorInfo", "BadRequest", "RequestInfo"], "\(count) rows")
        }
      }
    }
  }

  /// Runs nginx between a socket of its own and that of a service.
  private static func withNginx(
    before service: String,
    _ body: (_ gateway: String) async throws -> Void
  ) async throws {
    let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("nginx-\(UUID().uuidString.prefix(8))")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let gateway = folder.appendingPathComponent("gateway").path
    let folders = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
      .map { "\($0)_temp_path \(folder.path)/\($0);" }.joined()
    let settings = """
      daemon off; master_process off; pid \(folder.path)/pid; error_log \(folder.path)/log; events {}
      http {
        access_log off; \(folders)
        server { listen unix:\(gateway) http2; location / { grpc_pass grpc://unix:\(service); } }
      }
      """
    let file = folder.appendingPathComponent("settings")
    try settings.write(to: file, atomically: true, encoding: .utf8)
    let process = Process()
    process.executableURL = program
    process.arguments = ["-p", folder.path, "-c", file.path]
    try process.run()
    defer {
      // It inherits the signals that this process has blocked, so that it would never hear of SIGTERM.
      kill(process.processIdentifier, SIGKILL)
      process.waitUntilExit()
    }
    let deadline = ContinuousClock.now + .seconds(20)
    while !FileManager.default.fileExists(atPath: gateway) {
      try #require(process.isRunning && ContinuousClock.now < deadline)
      await Task.yield()
    }
    try await body(gateway)
  }
}
