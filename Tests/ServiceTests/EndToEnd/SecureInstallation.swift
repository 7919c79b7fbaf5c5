import PeerContracts
import Foundation
import Glibc
import RPCKit
import RPCKitTesting
import ServiceKit
import Testing

@testable import AuthService

/// The three services with certificates: every connection is mutual TLS.
final class SecureInstallation: Sendable {
  /// What a command printed, and its exit code.
  struct Result {
    var code: Int32
    var text: String
  }

  static let names = ["auth", "tenancy", "entitlement"]

  let folder: TemporaryFolder
  private let loops: EventLoopGroup
  private let ports: [String: UInt16]
  private let running = Lock<[ChildProcess]>([])

  private init(folder: TemporaryFolder, loops: EventLoopGroup, ports: [String: UInt16]) {
    (self.folder, self.loops, self.ports) = (folder, loops, ports)
  }

  /// Makes keys, certificates and settings; runs `body`; ends what it started.
  static func run(_ body: (SecureInstallation) async throws -> Void) async throws {
    let loops = try EventLoopGroup.epoll(count: 1)
    defer { loops.stop() }
    var ports: [String: UInt16] = [:]
    for name in names {
      ports[name] = try await Installation.freePort(on: loops, except: Set(ports.values))
    }
    let home = SecureInstallation(folder: try TemporaryFolder(), loops: loops, ports: ports)
    do {
      try await home.makeFiles()
      try await body(home)
      await home.end()
    } catch {
      for name in names { print(home.folder.end(of: "\(name).log")) }
      await home.end()
      throw error
    }
  }

  private func makeFiles() async throws {
    try await openSSL(
      "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 30 -subj /CN=Root "
        + "-addext keyUsage=critical,keyCertSign -keyout ca.key -out ca.pem"
    )
    for name in Self.names {
      try await openSSL(
        "req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj /CN=\(name) "
          + "-keyout \(name).key -out \(name).csr"
      )
      try await issue("\(name).pem", name, usage: "serverAuth,clientAuth")
    }
    try folder.write(AuthSecrets.generate(SystemRandomSource()), to: "secrets.json")
    for name in Self.names { try folder.write(settings(name).indentedText, to: "\(name).json") }
  }

  /// Issues a certificate for the key of a service.
  private func issue(_ file: String, _ name: String, usage: String) async throws {
    try folder.write(
      "subjectAltName=DNS:\(name).test,DNS:localhost,URI:svc://\(name)\n"
        + "extendedKeyUsage=\(usage)\n",
      to: "\(name).ext"
    )
    try await openSSL(
      "x509 -req -in \(name).csr -CA ca.pem -CAkey ca.key -CAcreateserial -days 30 "
        + "-extfile \(name).ext -out \(file)"
    )
  }

  /// Makes an authority that nobody believes, and a certificate of AuthService that is none of a
  /// client: `stranger.pem`, `serverOnly.pem`.
  func makeStrangers() async throws {
    try await openSSL(
      "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 30 -subj /CN=Stranger "
        + "-addext keyUsage=critical,keyCertSign -keyout stranger.key -out stranger.pem"
    )
    try await issue("serverOnly.pem", "auth", usage: "serverAuth")
  }

  /// Where a service listens.
  func address(_ name: String) -> String { "127.0.0.1:\(ports[name] ?? 0)" }

  private func settings(_ name: String) -> JSONValue {
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().path
    var settings: JSONObject = [
      "listen": [.string("127.0.0.1:\(ports[name] ?? 0)")], "admin": false, "loops": 1,
      "database": .string(folder.file("\(name).db")),
      "tls": [
        "certificate": .string(folder.file("\(name).pem")),
        "key": .string(folder.file("\(name).key")),
        "authorities": .string(folder.file("ca.pem")), "server_name": .string("\(name).test"),
      ],
    ]
    var peers = JSONObject()
    for (peer, port) in ports where peer != name {
      peers[peer] = .string("tls://localhost:\(port)")
    }
    settings["peers"] = .object(peers)
    switch name {
    case "auth":
      settings["secrets"] = .string(folder.file("secrets.json"))
      settings["password_hash"] = ["memory_kib": 8, "passes": 1]
    case "tenancy": settings["policy"] = .string("\(root)/policies/smart-home.json")
    default:
      settings["catalog"] = .string("\(root)/tiers/default.json")
      settings["apple"] = ["bundle_id": "com.unifiedsmarthome.app", "apple_id": 1]
    }
    return .object(settings)
  }

  private func openSSL(_ arguments: String) async throws {
    let command = "cd '\(folder.path)' && /usr/bin/openssl \(arguments)"
    let child = try ChildProcess("/bin/sh", ["-c", command], output: folder.file("openssl.log"))
    guard await ending(child) == .exited(0) else {
      throw ChildProcess.Failure(description: folder.end(of: "openssl.log"))
    }
  }

  /// Starts a service, and waits until its own probe says that it serves.
  func start(_ name: String) async throws {
    let child = try ChildProcess(
      try ServiceProcess.program(name),
      ["--config", folder.file("\(name).json")],
      output: folder.file("\(name).log")
    )
    running.withLock { $0.append(child) }
    for _ in 0..<50 {
      guard child.ending == nil else { break }
      if try await command(name, "probe").code == 0 { return }
      await loops.loops[0].sleep(.milliseconds(50))
    }
    throw ChildProcess.Failure(
      description: "\(name) is not ready: \(folder.end(of: "\(name).log"))"
    )
  }

  /// Runs a command of a service to its end.
  func command(
    _ name: String,
    _ arguments: String...,
    environment: [String: String] = [:]
  ) async throws -> Result {
    try await command(name, arguments, environment: environment)
  }

  /// The same with the words in an array.
  func command(
    _ name: String,
    _ arguments: [String],
    environment: [String: String] = [:]
  ) async throws -> Result {
    let output = "command-\(UInt64.random(in: 0...(.max))).log"
    let variables = environment.map { "\($0.key)=\($0.value)" }
    let child = try ChildProcess(
      "/usr/bin/env",
      variables + [try ServiceProcess.program(name)] + arguments
        + ["--config", folder.file("\(name).json")],
      output: folder.file(output)
    )
    guard case .exited(let code)? = await ending(child) else {
      throw ChildProcess.Failure(description: "\(name) \(arguments): \(folder.end(of: output))")
    }
    let text = (try? String(contentsOfFile: folder.file(output), encoding: .utf8)) ?? ""
    return Result(code: code, text: text)
  }

  /// Makes an account, without the context that services would have to be asked for.
  func signUp(_ email: String) async throws -> String {
    let tls = try TLSContextSource(
      TLSConfiguration(
        role: .client(
          identity: .init(
            certificateChain: .file(folder.file("entitlement.pem")),
            privateKey: .file(folder.file("entitlement.key"))
          ),
          roots: .pem(.file(folder.file("ca.pem"))),
          expectedHost: "auth.test"
        )
      )
    )
    var configuration = ChannelConfiguration(loops: loops)
    configuration.useTLS(tls)
    let target = try ChannelTarget("tls://127.0.0.1:\(ports["auth"] ?? 0)")
    let channel = Channel(target, configuration)
    do {
      let answer = try await Auth_V1.AuthenticationClient(channel).signUp(
        .init(
          email: email,
          password: Person.password,
          displayName: "Ada",
          allowPartialContext: true
        ),
        timeout: .seconds(20)
      )
      await channel.close()
      return answer.user?.id ?? ""
    } catch {
      await channel.close()
      throw error
    }
  }

  private func ending(_ child: ChildProcess) async -> ChildProcess.Ending? {
    if await !loops.loops[0].eventually({ child.ending != nil }) { child.send(SIGKILL) }
    return child.ending
  }

  private func end() async {
    let children = running.withLock { $0 }
    for child in children { child.send(SIGTERM) }
    for child in children { _ = await ending(child) }
  }
}
