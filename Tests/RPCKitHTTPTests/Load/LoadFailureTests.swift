import LoadGenerator
import RPCKit
import Testing

/// Servers that fail, or speak something else, and what the generator makes of it.
@Suite("Load at servers that fail") struct LoadFailureTests {
  private static let answer = "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}"
  private static let settings: [UInt8] = [0, 0, 0, 4, 0, 0, 0, 0, 0]

  /// The report of a closed loop by REST, one call at a time, and the requests.
  private func rest(
    _ flags: [String],
    _ script: @escaping LoadPeer.Script
  ) async throws -> (LoadReport, arrivals: [String]) {
    try await LoadPeer.serving(script) { address in
      try await LoadStage.report(
        ["--target", "\(address)", "--wire", "rest", "--warmup", "0", "--seconds", "60"] + flags
      )
    }
  }

  /// Why a run cannot begin.
  private func problem(wire: String, _ script: @escaping LoadPeer.Script) async throws -> String {
    try await LoadPeer.serving(script) { address in
      do {
        _ = try await LoadStage.report(["--target", "\(address)", "--wire", wire])
        return "none"
      } catch {
        return "\(error)"
      }
    }.0
  }

  @Test("A request by REST is filled in, and says how long its content is")
  func request_withPlaces_isWritten() async throws {
    let (report, arrivals) = try await rest(
      [
        "--route", "PUT /v1/a/{n}?b=c", "--template", #"{"n": {n}, "text": "{n:2}"}"#, "--calls",
        "3",
        "--metadata", "x-tenant=acme", "--timeout", "2",
      ]
    ) { _, _, _ in .text(Self.answer) }
    #expect(report.recorder.succeededCount == 3)
    let request = try #require(arrivals.last)
    #expect(request.hasPrefix("PUT /v1/a/2?b=c HTTP/1.1\r\nhost: 127.0.0.1:"))
    #expect(request.contains("\r\nx-tenant: acme\r\n"))
    #expect(request.contains("\r\ngrpc-timeout: 2000000u\r\n"))
    #expect(request.hasSuffix("\r\ncontent-length: 21\r\n\r\n{\"n\": 2, \"text\": \"0\"}"))
  }

  @Test(
    "Answers of each form are understood",
    arguments: [
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\n{\r\n1;a=b\r\n}\r\n0\r\nx: y\r\n\r\n",
      "HTTP/1.1 204 No Content\r\n\r\n",
      "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length:0\r\n\r\n",
    ]
  )
  func answer_ofEachForm_isUnderstood(answer: String) async throws {
    let (report, _) = try await rest(["--route", "GET /", "--calls", "5"]) { _, _, _ in
      .text(answer)
    }
    #expect(report.recorder.succeededCount == 5)
    #expect(report.lostCount == 0)
  }

  @Test("Content without a length ends with the connection")
  func content_withoutLength_endsWithConnection() async throws {
    let (report, _) = try await rest(["--route", "GET /", "--calls", "1", "--connections", "1"]) {
      _,
      _,
      _ in .last("HTTP/1.1 200 OK\r\n\r\nall until the end")
    }
    #expect(report.recorder.succeededCount == 1)
  }

  @Test("A connection that the server ends is counted and made again")
  func connection_endedByServer_isMadeAgain() async throws {
    let (report, _) = try await rest(["--route", "GET /", "--calls", "3"]) { connection, _, _ in
      connection == 0
        ? .last("HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: 0\r\n\r\n")
        : .text(Self.answer)
    }
    #expect(report.recorder.succeededCount == 3)
    #expect(report.lostCount == 1)
  }

  @Test("A connection that is cut fails its call and is made again")
  func connection_cut_failsItsCall() async throws {
    let (report, _) = try await rest(["--route", "GET /", "--calls", "4"]) {
      connection,
      arrival,
      _ in
      connection == 0 && arrival == 1 ? .last("HTTP/1.1 200 OK\r\n") : .text(Self.answer)
    }
    #expect(report.recorder.succeededCount == 3)
    #expect(report.recorder.failures.map(\.outcome) == [.failed(.unavailable)])
    #expect(report.lostCount == 1)
  }

  @Test(
    "Calls that a server of gRPC did not begin count apart, and the connection is made again"
  )
  func goAway_fromServer_refusesWhatItDidNotBegin() async throws {
    // GOAWAY with no stream begun, when the first call comes.
    let goAway: [UInt8] = [0, 0, 8, 7, 0, 0, 0, 0, 0] + [UInt8](repeating: 0, count: 8)
    let (report, _) = try await LoadPeer.serving { _, arrival, _ in
      arrival == 0 ? .bytes(Self.settings) : .bytes(goAway)
    } _: { address in
      try await LoadStage.report([
        "--target", "\(address)", "--wire", "grpc", "--warmup", "0", "--seconds", "60",
        "--max-errors", "3",
      ])
    }
    #expect(report.recorder.failures.map(\.outcome) == [.refused(.unavailable)])
    #expect(report.lostCount >= 2)
  }

  @Test("A server that answers nothing is given up at the deadline", arguments: ["rest", "grpc"])
  func silence_ofServer_endsAtTheDeadline(wire: String) async throws {
    let (report, _) = try await LoadPeer.serving { _, arrival, bytes in
      arrival == 0 && bytes.starts(with: "PRI".utf8) ? .bytes(Self.settings) : .nothing
    } _: { address in
      try await LoadStage.report([
        "--target", "\(address)", "--wire", wire, "--warmup", "0", "--seconds", "60",
        "--max-errors", "2", "--timeout", "30ms",
      ])
    }
    #expect(report.recorder.failures.map(\.outcome) == [.failed(.deadlineExceeded)])
  }

  @Test("A server of another protocol is named as one", arguments: ["grpc", "rest-http2"])
  func protocol_wrong_isNamed(wire: String) async throws {
    let problem = try await problem(wire: wire) { _, _, _ in
      .text("HTTP/1.1 400 Bad Request\r\n\r\n")
    }
    #expect(problem.contains("the server does not answer in HTTP/2"))
  }

  @Test("An answer that is not HTTP/1.1 fails the call")
  func answer_ofAnotherProtocol_failsTheCall() async throws {
    let (report, _) = try await rest(["--route", "GET /", "--max-errors", "1"]) { _, _, _ in
      .text("SSH-2.0-OpenSSH_9.2\r\n")
    }
    let failure = try #require(report.recorder.failures.first)
    #expect(failure.outcome == .failed(.unavailable))
    #expect(failure.example.contains("it does not answer in HTTP/1.1"))
  }

  @Test("An address where nobody listens is named", arguments: ["frames", "grpc", "rest"])
  func address_withoutServer_isNamed(wire: String) async throws {
    let address = try await LoadPeer.serving { _, _, _ in
      .nothing
    } _: {
      $0
    }.0
    let error = await #expect(throws: (any Error).self) {
      try await LoadStage.report(["--target", "\(address)", "--wire", wire])
    }
    #expect("\(try #require(error))".contains("no connection to the server: \(address)"))
  }
}
