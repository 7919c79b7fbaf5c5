import Foundation
import Testing

@testable import RPCKit

private let isMeasuring = ProcessInfo.processInfo.environment["RPCKIT_MEASURE_MEMORY"] != nil

/// Looks at the memory of the whole process, so it has to run alone:
/// `RPCKIT_MEASURE_MEMORY=1 swift test --filter TLSMemoryTests`.
@Suite("Memory of idle TLS connections", .serialized, .enabled(if: isMeasuring))
struct TLSMemoryTests {
  private static let pairCount = 500
  private static let byteCountMax = 40 * 1024

  @Test("An idle end takes 40 KiB at most, whichever version and verification", arguments: [2, 3])
  func idleConnection_afterTraffic_isSmall(version: CInt) throws {
    let certificates = try TestCertificates.shared.get()
    var policy = TLSPolicy.modern
    policy.versionMax = 0x0301 + version
    let roots = certificates.root.root
    for clients in [TLSConfiguration.ClientVerification.none, .required(roots: roots)] {
      let client = try TLSContext(
        certificates.clientConfiguration(identity: certificates.clientIdentity),
        policy: policy
      )
      let server = try TLSContext(certificates.serverConfiguration(clients: clients))
      // The first connection loads algorithms and fills caches.
      _ = try makeIdlePair(client: client, server: server)

      let before = try residentByteCount()
      var pairs: [TLSPair] = []
      for _ in 0..<Self.pairCount {
        pairs.append(try makeIdlePair(client: client, server: server))
      }
      let perEnd = (try residentByteCount() - before) / (2 * Self.pairCount)
      let mode = if case .none = clients { "server certificate only" } else { "mutual" }
      print("TLS 1.\(version), \(mode): \(perEnd) bytes per idle end")
      #expect(perEnd <= Self.byteCountMax)
      #expect(pairs.allSatisfy { !$0.clientSide.isClosed && $0.serverSide.connectedCount == 1 })
    }
  }

  private func makeIdlePair(client: TLSContext, server: TLSContext) throws -> TLSPair {
    let pair = try TLSPair(client: client, server: server)
    pair.connect()
    pair.clientSide.send([UInt8](repeating: 1, count: 20_000))
    pair.serverSide.send([UInt8](repeating: 2, count: 20_000))
    pair.run()
    #expect(pair.serverSide.received.count == 20_000)
    #expect(pair.clientSide.received.count == 20_000)
    pair.clientSide.forget()
    pair.serverSide.forget()
    return pair
  }

  /// Bytes of memory that the process really occupies (proc_pid_statm(5)).
  private func residentByteCount() throws -> Int {
    let fields = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8)
      .split(separator: " ")
    return try #require(Int(fields[1])) * 4096
  }
}
