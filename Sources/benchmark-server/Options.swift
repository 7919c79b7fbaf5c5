import CommandLineTool
import RPCKit

/// The options of the command line.
struct Options {
  var address = SocketAddress.ipv4([127, 0, 0, 1], port: 0)
  var loops = 1
  var work = Duration.zero
  var hasFastPath = false
  var showsHelp = false

  static let help = """
    usage: benchmark-server [--listen HOST:PORT | --listen PATH] [--loops N] [--work MICROSECONDS]
                            [--fast-path]

      --listen   address to serve at; port 0 picks one (default 127.0.0.1:0)
      --loops    event loops, each on a thread of its own (default 1)
      --work     processor time that each call takes in its handler (default 0)
      --fast-path
                 answer calls that are not slow without a task

    Prints "listening HOST:PORT" and serves until SIGTERM or SIGINT: in frames and, on the same port, by gRPC,
    gRPC-Web, Connect and REST (POST /v1/check).
    """

  init(_ arguments: [String]) throws(UsageError) {
    var reader = ArgumentReader(arguments)
    while let name = try reader.nextOption() {
      switch name {
      case "--help": showsHelp = true
      case "--listen": address = try Self.address(try reader.value())
      case "--loops": loops = try reader.integer(0...Int.max)
      case "--work": work = .microseconds(try reader.integer(0...Int.max))
      case "--fast-path": hasFastPath = true
      default: throw UsageError("unknown option \(name); --help lists them")
      }
    }
  }

  private static func address(_ text: String) throws(UsageError) -> SocketAddress {
    guard let colon = text.lastIndex(of: ":") else { return .unix(path: text) }
    guard
      let port = UInt16(text[text.index(after: colon)...]),
      let address = SocketAddress(host: String(text[..<colon]), port: port)
    else { throw UsageError("\(text) is not HOST:PORT with a numeric host") }
    return address
  }
}
