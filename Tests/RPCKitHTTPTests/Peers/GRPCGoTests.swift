import RPCKit
import Testing

/// The client of gRPC for Go, over a socket.
@Suite("gRPC: Go's client", .teardown, .timeLimit(.minutes(2))) struct GRPCGoTests {
  @Test("Every case of the client passes")
  func everyCase() async throws {
    let peer = try GoPeer.shared.get()
    let verdicts = try await PeerStage.serving { address in try await peer.run(against: address) }
    #expect(verdicts.count >= 20)
    for verdict in verdicts { #expect(verdict.ok, "\(verdict.case): \(verdict.detail)") }
  }

  @Test("No call is lost while the server ends one connection after the other")
  func connectionsEnd() async throws {
    let peer = try GoPeer.shared.get()
    let verdicts = try await PeerStage.serving(server: { $0.connectionAgeMax = .milliseconds(5) }) {
      try await peer.run(against: $0, cases: ["connections-end"])
    }
    #expect(verdicts.map(\.ok) == [true], "\(verdicts)")
    #expect(verdicts.map(\.detail) == ["3 connections"])
  }
}
