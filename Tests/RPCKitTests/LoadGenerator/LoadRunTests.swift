import TestingContracts
import LoadGenerator
import RPCKit
import Testing

/// Short runs against our own server, over real sockets.
@Suite struct LoadRunTests {
  private struct Permissions: Benchmark_V1.PermissionsService {
    func check(
      _ request: Benchmark_V1.CheckRequest,
      _ call: CallContext
    ) async throws -> Benchmark_V1.CheckResponse {
      if request.subject == "nobody" { throw RPCError(.permissionDenied, "not \(request.subject)") }
      if request.subject == "later" {
        throw RPCError(.unavailable, "not \(request.subject)", isNotProcessed: true)
      }
      return Benchmark_V1.CheckResponse(allowed: true, reason: "ALLOWED")
    }
  }

  private func run(_ flags: String) async throws -> LoadReport {
    let loops = try EventLoopGroup.epoll(count: 1)
    defer { loops.stop() }
    let server = Server(
      ServerConfiguration(endpoints: [.init(.ipv4([127, 0, 0, 1], port: 0))]),
      services: [Permissions().definition],
      on: loops
    )
    return try await server.serving { server in
      let line = "--target \(server.addresses[0]) --warmup 0 " + flags
      guard case .run(let options) = try LoadCommand(line.split(separator: " ").map(String.init))
      else { throw RPCError(.internal, "help instead of options") }
      let run = try await LoadRun.prepare(options)
      let report = await run.drive()
      await run.close()
      return report
    }
  }

  @Test(
    "A closed loop over two threads succeeds, with our extensions and without",
    arguments: ["", "--stock"]
  )
  func closedLoop_onServer_succeeds(flag: String) async throws {
    let report = try await run("--connections 3 --in-flight 4 --threads 2 --seconds 3 \(flag)")
    #expect(report.recorder.failedCount == 0)
    #expect(report.recorder.succeededCount > 12)
    #expect(report.exitCode == 0)
  }

  @Test("A closed loop ends after as many calls as were asked for")
  func closedLoop_ofSoManyCalls_endsAfterThem() async throws {
    let report = try await run(
      "--connections 3 --in-flight 4 --threads 2 --seconds 3000 --calls 101"
    )
    #expect(report.recorder.succeededCount == 101)
    #expect(report.recorder.failedCount == 0)
    #expect(!report.isCutShort)
    #expect(report.exitCode == 0)
  }

  @Test("An open loop makes as many calls as were due")
  func openLoop_onServer_makesWhatWasDue() async throws {
    let report = try await run("--connections 2 --in-flight 4 --threads 2 --seconds 0.3 --rate 500")
    #expect(report.recorder.succeededCount == 150)
    #expect(report.recorder.failedCount == 0)
  }

  @Test("Failures are counted by code, and end the run when there are too many")
  func failures_aboveLimit_endTheRun() async throws {
    let report = try await run(
      "--seconds 60 --max-errors 10 --template 1:\"nobody\" "
        + "--service benchmark.v1.Permissions --method Check"
    )
    #expect(report.isFailed)
    #expect(report.exitCode == 1)
    #expect(report.measuredSeconds < 10)
    #expect(report.recorder.failures.first?.outcome == .failed(.permissionDenied))
    #expect(report.recorder.failures.first?.example == "not nobody")
  }

  @Test("Calls that the server did not begin are told apart from those that failed")
  func refusals_notProcessed_areToldApart() async throws {
    let report = try await run(
      "--seconds 60 --max-errors 10 --template 1:\"later\" "
        + "--service benchmark.v1.Permissions --method Check"
    )
    #expect(report.recorder.failures.map(\.outcome) == [.refused(.unavailable)])
    #expect(report.recorder.refusedCount == report.recorder.failedCount)
    #expect(report.text.contains("not processed"))
  }
}
