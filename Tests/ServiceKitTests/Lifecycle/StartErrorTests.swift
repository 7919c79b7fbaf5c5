import RPCKit
import Testing

@testable import ServiceKit

@Suite("What a start that fails says")
struct StartErrorTests {
  private let address = SocketAddress.ipv4([127, 0, 0, 1], port: 7402)

  @Test(
    "An address that is taken, foreign or forbidden is named with its setting and with what to do",
    arguments: [
      (98, "stop what listens there already, or set listen to another address"),
      (99, "set listen to one of its addresses, or to 0.0.0.0 for all"),
      (13, "set listen to one above 1023"),
      (12, "set listen to another address"),
    ] as [(Int32, String)]
  )
  func listen_failures_sayWhatToDo(errno: Int32, advice: String) {
    let error = StartError("listen", ListenError(address, SyscallError("bind", errno)))
    #expect(error.description.hasPrefix("setting listen: 127.0.0.1:7402: bind: "))
    #expect(error.description.hasSuffix(advice), "\(error)")
  }

  @Test("A Unix socket that cannot be made asks for its folder")
  func listen_socketPath_asksForTheFolder() {
    for errno in [2, 13, 30] as [Int32] {
      let socket = SocketAddress.unix(path: "/nowhere/a.sock")
      let error = StartError("listen", ListenError(socket, SyscallError("bind", errno)))
      #expect(error.description.hasPrefix("setting listen: "))
      #expect(error.description.contains("/nowhere/a.sock"))
      #expect(error.description.contains("an existing folder that this user may write to"))
    }
  }

  @Test("A second listener at one address gets an error that names the address")
  func network_addressTaken_isNamed() async throws {
    let loops = try EventLoopGroup.epoll(count: 1)
    defer { loops.stop() }
    let (network, loop) = (SocketNetwork(), loops.loops[0])
    let first = try await network.listen(at: .ipv4([127, 0, 0, 1], port: 0), on: loop) { _ in }
    defer { first.close() }
    let error = await #expect(throws: ListenError.self) {
      try await network.listen(at: first.address, on: loop) { _ in }
    }
    #expect(error?.address == first.address)
    #expect(error?.cause == SyscallError("bind", 98))
  }

  @Test("A store that cannot be used is named with the setting")
  func store_failure_namesTheSetting() {
    let error = StartError(StoreError.inUse(path: "a.db"), in: .file("a.db"))
    #expect(
      error.description
        == "setting database: a.db is open in another process: stop that one first"
    )
  }
}
