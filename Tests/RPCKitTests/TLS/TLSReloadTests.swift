import Foundation
import Testing

@testable import RPCKit

@Suite("Replacing certificate files under a running server")
struct TLSReloadTests {
  private let certificates: TestCertificates
  private let folder: TemporaryFolder
  private let source: TLSContextSource

  init() throws {
    certificates = try TestCertificates.shared.get()
    folder = try TemporaryFolder()
    try folder.write(certificates.serverIdentity.certificateChain, to: "server.pem")
    try folder.write(certificates.server.key, to: "server.key")
    source = try TLSContextSource(
      TLSConfiguration(
        role: .server(
          .init(
            certificateChain: .file(folder.path("server.pem")),
            privateKey: .file(folder.path("server.key"))
          ),
          clients: .none
        )
      )
    )
  }

  private func connect() throws -> TLSPair {
    let pair = try TLSPair(
      client: TLSContext(certificates.clientConfiguration()),
      server: source.current
    )
    pair.connect()
    return pair
  }

  private func renew() throws -> Certified {
    try CertificateAuthority().issue(.leaf(.server), by: certificates.intermediate)
  }

  @Test("New connections get the new certificate, old ones go on")
  func reload_goodFiles_areUsedFromThenOn() throws {
    let old = try connect()
    let renewed = try renew()
    try folder.write(
      renewed.identity(chain: [certificates.intermediate]).certificateChain,
      to: "server.pem"
    )
    try folder.write(renewed.key, to: "server.key")
    let before = try connect()
    try source.reload()
    let after = try connect()

    let oldFingerprint = try #require(old.client.peer.certificate?.fingerprint)
    #expect(before.client.peer.certificate?.fingerprint == oldFingerprint)
    let newFingerprint = try #require(after.client.peer.certificate?.fingerprint)
    #expect(newFingerprint != oldFingerprint)

    old.clientSide.send([1, 2, 3])
    old.run()
    #expect(old.serverSide.received == [1, 2, 3])
  }

  @Test("A bad file is reported and the old certificate stays")
  func reload_badFiles_keepTheOld() throws {
    let oldFingerprint = try #require(try connect().client.peer.certificate?.fingerprint)
    let renewed = try renew()
    let chain = try folder.read("server.pem")

    // Only one of the two files is replaced yet.
    try folder.write(renewed.key, to: "server.key")
    expectFailure(.keyMismatch)
    try folder.write(Array(certificates.server.key.dropLast(40)), to: "server.key")
    expectFailure(.malformedPEM)
    try folder.remove("server.key")
    expectFailure(.unreadableFile)
    try folder.write(certificates.server.key, to: "server.key")
    // The new chain is half written: cut in a line, in the last marker, and before the next block.
    for cut in [100, 10, 2] {
      try folder.write(Array(chain.dropLast(cut)), to: "server.pem")
      expectFailure(.malformedPEM)
    }
    try folder.write([], to: "server.pem")
    expectFailure(.malformedPEM)
    #expect(try connect().client.peer.certificate?.fingerprint == oldFingerprint)

    // The repaired files are taken.
    try folder.write(renewed.certificate + certificates.intermediate.certificate, to: "server.pem")
    try folder.write(renewed.key, to: "server.key")
    try source.reload()
    #expect(try connect().client.peer.certificate?.fingerprint != oldFingerprint)
  }

  private func expectFailure(_ reason: TLSError.Reason) {
    do throws(TLSError) {
      try source.reload()
      Issue.record("a reload of bad files succeeded")
    } catch {
      #expect(error.reason == reason, "\(error)")
    }
  }
}

/// A folder that goes away with its owner.
private final class TemporaryFolder {
  private let url = FileManager.default.temporaryDirectory
    .appendingPathComponent("rpckit-reload-\(UUID().uuidString)")

  init() throws {
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  }

  deinit {
    // Nothing depends on it: the folder is in a place that the system empties.
    try? FileManager.default.removeItem(at: url)
  }

  func path(_ name: String) -> String { url.appendingPathComponent(name).path }

  func write(_ bytes: [UInt8], to name: String) throws {
    try Data(bytes).write(to: url.appendingPathComponent(name))
  }

  func write(_ source: TLSConfiguration.PEMSource, to name: String) throws {
    guard case .bytes(let bytes) = source else { return }
    try write(bytes, to: name)
  }

  func read(_ name: String) throws -> [UInt8] {
    [UInt8](try Data(contentsOf: url.appendingPathComponent(name)))
  }

  func remove(_ name: String) throws {
    try FileManager.default.removeItem(at: url.appendingPathComponent(name))
  }
}
