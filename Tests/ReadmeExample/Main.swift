import Glibc
import PeerContracts
import RPCKit

@main struct Main {
  static func main() async {
    do {
      try await askWhetherDoorOpens()
    } catch {
      // An error that left main would end the program with a backtrace.
      print("cannot ask: \(error)")
      exit(1)
    }
  }

  static func askWhetherDoorOpens() async throws {
    let loops = try EventLoopGroup.epoll(count: 1)
    defer { loops.stop() }
    let configuration = ChannelConfiguration(loops: loops)
    let token = try await withChannel("tcp://127.0.0.1:7401", configuration) { channel in
      let signedIn = try await Auth_V1.AuthenticationClient(channel).signIn(
        .init(email: "ada@example.com", password: "a long pass phrase"),
        timeout: .seconds(5)
      )
      return signedIn.tokens?.accessToken ?? ""
    }
    try await withChannel("tcp://127.0.0.1:7402", configuration) { channel in
      let decision = try await Tenancy_V1.PermissionsClient(channel).check(
        .init(action: "device.unlock", entityId: "dev_1"),
        timeout: .milliseconds(200),
        options: CallOptions(metadata: ["authorization": "Bearer \(token)"])
      )
      print(decision.allowed, decision.reason)
    }
  }
}
