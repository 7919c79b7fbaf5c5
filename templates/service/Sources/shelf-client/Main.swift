import Glibc
import RPCKit
import ShelfContracts

/// Adds an item and prints all of them: `shelf-client ADDRESS NAME`, with an access token on standard input.
@main
struct Main {
  static func main() async {
    guard CommandLine.arguments.count == 3, let token = readLine() else {
      print("usage: shelf-client tcp://127.0.0.1:7500 NAME <TOKEN")
      exit(2)
    }
    do {
      try await run(
        target: CommandLine.arguments[1],
        name: CommandLine.arguments[2],
        token: token
      )
    } catch {
      print("shelf-client: \(error)")
      exit(1)
    }
  }

  private static func run(target: String, name: String, token: String) async throws {
    let loops = try EventLoopGroup.epoll(count: 1)
    defer { loops.stop() }
    try await withChannel(target, ChannelConfiguration(loops: loops)) { channel in
      let items = Shelf_V1.ItemsClient(channel)
      let options = CallOptions(
        timeout: .seconds(5),
        metadata: ["authorization": "Bearer \(token)"]
      )
      let added = try await items.add(.init(name: name), options: options)
      print("added \(added.id)")
      for item in try await items.list(.init(), options: options).items {
        print("\(item.id)  \(item.name)")
      }
    }
  }
}
