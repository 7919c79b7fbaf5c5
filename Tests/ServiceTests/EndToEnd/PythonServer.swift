import Foundation
import Glibc
import RPCKit
import RPCKitTesting
import Testing

/// A server in Python that tests talk to, as a process of its own.
///
/// Its folder has `server.pem` and `server.key` for the name `localhost`, the authority that issued them
/// as `ca.pem`, and another authority, `stranger.pem`.
final class PythonServer: Sendable {
  let folder: TemporaryFolder
  /// Where it listens, at 127.0.0.1.
  let port: UInt16
  private let child: ChildProcess
  private let loop: any EventLoop

  private init(
    _ folder: TemporaryFolder,
    port: UInt16,
    _ child: ChildProcess,
    _ loop: any EventLoop
  ) {
    (self.folder, self.port, self.child, self.loop) = (folder, port, child, loop)
  }

  /// Runs `body` while the server runs.
  ///
  /// The script writes its port to `server.port.new` and renames that to `server.port` once it listens.
  static func run(
    _ script: String,
    _ arguments: [String] = [],
    in folder: TemporaryFolder? = nil,
    on loop: any EventLoop,
    _ body: (PythonServer) async throws -> Void
  ) async throws {
    let folder = try folder ?? TemporaryFolder()
    try await finish(makeCertificates(in: folder), on: loop, in: folder)
    try folder.write(script, to: "server.py")
    let child = try ChildProcess(
      "/usr/bin/env",
      ["-C", folder.path, "/usr/bin/python3", "server.py"] + arguments,
      output: folder.file("server.log")
    )
    do {
      let port = try await port(of: child, in: folder, on: loop)
      try await body(PythonServer(folder, port: port, child, loop))
      try await end(child, on: loop)
    } catch {
      print(folder.end(of: "server.log"))
      try await end(child, on: loop)
      throw error
    }
  }

  private static func end(_ child: ChildProcess, on loop: any EventLoop) async throws {
    child.send(SIGKILL)
    let hasEnded = await loop.eventually { child.ending != nil }
    try #require(hasEnded)
  }

  private static func port(
    of child: ChildProcess,
    in folder: TemporaryFolder,
    on loop: any EventLoop
  ) async throws -> UInt16 {
    let file = folder.file("server.port")
    let isThere = await loop.eventually(within: .seconds(60)) {
      child.ending != nil || FileManager.default.fileExists(atPath: file)
    }
    guard isThere, child.ending == nil, let port = UInt16(try folder.text(of: "server.port")) else {
      throw ChildProcess.Failure(description: "no server: \(folder.end(of: "server.log"))")
    }
    return port
  }

  private static func makeCertificates(in folder: TemporaryFolder) throws -> ChildProcess {
    let key = "-newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes"
    let authority = "-x509 -days 30 -addext keyUsage=critical,keyCertSign"
    try folder.write(
      "subjectAltName=DNS:localhost\nextendedKeyUsage=serverAuth\n",
      to: "server.ext"
    )
    let script = """
      cd '\(folder.path)'
      openssl req \(authority) \(key) -subj /CN=Root -keyout ca.key -out ca.pem
      openssl req \(authority) \(key) -subj /CN=Stranger -keyout stranger.key -out stranger.pem
      openssl req \(key) -subj /CN=localhost -keyout server.key -out server.csr
      openssl x509 -req -in server.csr -CA ca.pem -CAkey ca.key -CAcreateserial -days 30 \
        -extfile server.ext -out server.pem
      """
    return try ChildProcess("/bin/sh", ["-ec", script], output: folder.file("openssl.log"))
  }

  private static func finish(
    _ child: ChildProcess,
    on loop: any EventLoop,
    in folder: TemporaryFolder
  ) async throws {
    let hasEnded = await loop.eventually(within: .seconds(60)) { child.ending != nil }
    if !hasEnded { child.send(SIGKILL) }
    guard child.ending == .exited(0) else {
      throw ChildProcess.Failure(description: folder.end(of: "openssl.log"))
    }
  }
}
