import Foundation
import LoadGenerator
import RPCKit
import Testing

/// The load generator by gRPC and REST against our server.
@Suite("Load by gRPC and REST") struct LoadByHTTPTests {
  /// Words for each wire, with more than one call in flight where there may be.
  static let wires = [
    ["--wire", "frames", "--in-flight", "4"], ["--wire", "grpc", "--in-flight", "4"],
    ["--wire", "rest"], ["--wire", "rest-http2", "--in-flight", "4"],
  ]

  /// Words that ask for a subject.
  private func asking(_ subject: String, by wire: [String]) -> [String] {
    guard wire[1].hasPrefix("rest") else {
      return wire + [
        "--service", "benchmark.v1.Permissions", "--method", "Check", "--template",
        "1: \"\(subject)\"",
      ]
    }
    return wire + ["--route", "POST /v1/check", "--template", #"{"subject": "\#(subject)"}"#]
  }

  @Test("A closed loop gets the right answers by each wire", arguments: wires)
  func closedLoop_byEachWire_succeeds(wire: [String]) async throws {
    let report = try await LoadStage.run(
      wire + ["--connections", "3", "--threads", "2", "--seconds", "3000", "--calls", "101"]
    )
    #expect(report.recorder.succeededCount == 101)
    #expect(report.recorder.failures == [])
    #expect(report.lostCount == 0)
  }

  @Test("Calls are made through TLS, whose ALPN agrees on the wire", arguments: wires)
  func closedLoop_throughTLS_succeeds(wire: [String]) async throws {
    let report = try await LoadStage.run(
      wire + ["--seconds", "3000", "--calls", "20"],
      certificate: SelfSignedCertificate()
    )
    #expect(report.recorder.succeededCount == 20)
    #expect(report.recorder.failures == [])
  }

  @Test("An open loop makes as many calls as were due", arguments: wires)
  func openLoop_byEachWire_makesWhatWasDue(wire: [String]) async throws {
    let report = try await LoadStage.run(
      wire + ["--connections", "2", "--threads", "2", "--seconds", "0.3", "--rate", "500"]
    )
    #expect(report.recorder.succeededCount == 150)
    #expect(report.recorder.failures == [])
  }

  @Test("Latency counts from when a call was due, not from when it was sent", arguments: wires)
  func openLoop_aboveCapacity_countsTheWait(wire: [String]) async throws {
    // One connection with one place takes at most 200 calls/s of 5 ms: the last of 100 calls that are due within
    // 100 ms ends after 500.
    let report = try await LoadStage.run(
      asking("late", by: Array(wire.prefix(2))) + ["--seconds", "0.1", "--rate", "1000"]
    )
    #expect(report.recorder.succeededCount == 100)
    #expect(report.recorder.latencies.max ?? 0 > 350_000_000)
    #expect(report.waitedCount > 90)
  }

  @Test("Failures are counted by code, and end the run when there are too many", arguments: wires)
  func failures_byEachWire_areCountedByCode(wire: [String]) async throws {
    let report = try await LoadStage.run(
      asking("nobody", by: wire) + ["--seconds", "60", "--max-errors", "10"]
    )
    #expect(report.isFailed)
    let failure = try #require(report.recorder.failures.first)
    let isREST = wire[1].hasPrefix("rest")
    #expect(failure.outcome == (isREST ? .answered(status: 403) : .failed(.permissionDenied)))
    #expect(failure.example.contains("not nobody: ü"))
    let name = isREST ? "HTTP_403" : "PERMISSION_DENIED"
    #expect(report.text.contains(name))
    #expect(report.json.contains(#""errors_by_code":{"\#(name)":"#))
  }

  @Test("A token of a file goes with each call", arguments: wires)
  func bearerFile_given_isSent(wire: [String]) async throws {
    let file = FileManager.default.temporaryDirectory.appending(path: "load-\(UUID().uuidString)")
    try Data("t0ken\n".utf8).write(to: file)
    defer { try? FileManager.default.removeItem(at: file) }
    let words = asking("secret", by: wire) + ["--seconds", "60", "--calls", "9"]
    let report = try await LoadStage.run(words + ["--bearer-file", file.path])
    #expect(report.recorder.succeededCount == 9)
    let without = try await LoadStage.run(words)
    #expect(without.recorder.failedCount == 9)
  }

  @Test("Messages above the windows of HTTP/2 are sent as these are given back", arguments: wires)
  func message_aboveWindows_isSent(wire: [String]) async throws {
    let text = String(repeating: "a", count: 300_000)
    let report = try await LoadStage.run(
      asking(text, by: wire) + ["--connections", "2", "--seconds", "60", "--calls", "12"]
    )
    #expect(report.recorder.succeededCount == 12)
    #expect(report.recorder.failures == [])
  }

  @Test(
    "Paths are filled in for each call",
    arguments: [["--wire", "rest"], ["--wire", "rest-http2"]]
  )
  func route_withPlaces_isFilledIn(wire: [String]) async throws {
    let report = try await LoadStage.run(
      wire + ["--route", "GET /v1/check/user-{n:3}-{random}", "--seconds", "60", "--calls", "30"]
    )
    #expect(report.recorder.succeededCount == 30)
    #expect(report.recorder.failures == [])
  }

  @Test("A call that takes longer than its deadline fails by it", arguments: wires)
  func timeout_passed_failsTheCall(wire: [String]) async throws {
    let report = try await LoadStage.run(
      asking("late", by: wire) + ["--timeout", "1ms", "--seconds", "60", "--max-errors", "3"]
    )
    let late: [LoadRecorder.Outcome] = [.failed(.deadlineExceeded), .answered(status: 504)]
    let first = try #require(report.recorder.failures.first)
    #expect(late.contains(first.outcome))
  }
}
