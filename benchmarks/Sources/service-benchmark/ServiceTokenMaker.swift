import RPCKit
import ServiceKit

/// Prints a token with which the load generator calls as a service.
enum ServiceTokenMaker {
  static func run() throws {
    let issuer = ServiceTokenIssuer(
      name: "entitlement",
      key: try SigningKey(pem: StandardInput.bytes()),
      clock: SystemWallClock(),
      random: SystemRandomSource()
    )
    print(issuer.token(for: "tenancy"))
  }
}

/// What the program is given to read.
enum StandardInput {
  static func bytes() -> [UInt8] {
    var bytes: [UInt8] = []
    while let line = readLine(strippingNewline: false) { bytes += Array(line.utf8) }
    return bytes
  }
}
