import Foundation
import RPCKit

/// Counts the descriptors of this process that belong to one server: its listener and both ends of
/// each connection.
///
/// Other tests open and close descriptors meanwhile, so all together say nothing.
enum SocketCensus {
  static func descriptorCount(of address: SocketAddress) -> Int {
    let inodes: Set<Substring>
    switch address {
    case .unix(let path): inodes = unixInodes(path)
    case .ipv4(_, let port): inodes = internetInodes("tcp", port)
    case .ipv6(_, let port): inodes = internetInodes("tcp6", port)
    }
    guard !inodes.isEmpty else { return 0 }
    return openInodes().filter { inodes.contains($0) }.count
  }

  /// Inodes of the sockets whose local or remote port is `port`: `/proc/net/tcp`, proc(5).
  private static func internetInodes(_ table: String, _ port: UInt16) -> Set<Substring> {
    let digits = String(port, radix: 16, uppercase: true)
    let suffix = ":" + String(repeating: "0", count: 4 - digits.count) + digits
    var inodes: Set<Substring> = []
    for line in lines(of: "/proc/net/\(table)") {
      let fields = line.split(separator: " ", omittingEmptySubsequences: true)
      guard fields.count > 9 else { continue }
      if fields[1].hasSuffix(suffix) || fields[2].hasSuffix(suffix) { inodes.insert(fields[9]) }
    }
    return inodes
  }

  /// Only the server's ends carry the path.
  private static func unixInodes(_ path: String) -> Set<Substring> {
    var inodes: Set<Substring> = []
    for line in lines(of: "/proc/net/unix") where line.hasSuffix(" \(path)") {
      let fields = line.split(separator: " ", omittingEmptySubsequences: true)
      if fields.count > 6 { inodes.insert(fields[6]) }
    }
    return inodes
  }

  private static func lines(of path: String) -> [Substring] {
    guard let content = FileManager.default.contents(atPath: path) else { return [] }
    return String(decoding: content, as: UTF8.self).split(separator: "\n")
  }

  /// `socket:[123]` for each descriptor that is a socket.
  private static func openInodes() -> [Substring] {
    let folder = "/proc/self/fd"
    // A descriptor may be closed between the listing and the look.
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    return names.compactMap { name in
      guard
        let link = try? FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/\(name)"),
        link.hasPrefix("socket:[")
      else { return nil }
      return Substring(link.dropFirst("socket:[".count).dropLast())
    }
  }
}
