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

  init(_ arguments: ArraySlice<String>) throws {
    var rest = arguments
    while let name = rest.popFirst() {
      switch name {
      case "--help": showsHelp = true
      case "--listen": address = try Self.address(try Self.value(name, &rest))
      case "--loops": loops = try Self.number(name, &rest)
      case "--work": work = .microseconds(try Self.number(name, &rest))
      case "--fast-path": hasFastPath = true
      default: throw OptionError("unknown option \(name); --help lists them")
      }
    }
  }

  private static func value(_ name: String, _ rest: inout ArraySlice<String>) throws -> String {
    guard let value = rest.popFirst() else { throw OptionError("\(name) needs a value") }
    return value
  }

  private static func number(_ name: String, _ rest: inout ArraySlice<String>) throws -> Int {
    let text = try value(name, &rest)
    guard let number = Int(text), number >= 0 else {
      throw OptionError("\(name) needs a number, not \(text)")
    }
    return number
  }

  private static func address(_ text: String) throws -> SocketAddress {
    guard let colon = text.lastIndex(of: ":") else { return .unix(path: text) }
    guard
      let port = UInt16(text[text.index(after: colon)...]),
      let address = SocketAddress(host: String(text[..<colon]), port: port)
    else { throw OptionError("\(text) is not HOST:PORT with a numeric host") }
    return address
  }
}

struct OptionError: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}
