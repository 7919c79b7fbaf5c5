internal import COpenSSL
internal import Glibc

/// PEM text read from its source, overwritten when it is no longer needed.
struct PEMText: ~Copyable {
  /// The text.
  private(set) var bytes: [UInt8]
  /// For error messages: the file's name, or what the bytes are.
  let name: String

  private static let byteCountMax = 1 << 20

  init(_ source: TLSConfiguration.PEMSource, holding content: String) throws(TLSError) {
    switch source {
    case .file(let path):
      name = "\(content) file \(path)"
      bytes = []
      try readFile(path)
    case .bytes(let given):
      name = content
      bytes = given
    }
    // A file that is being written can end anywhere. Most places do not parse; a cut inside the
    // first line of the next block would, as text that PEM readers skip.
    guard isComplete else {
      throw TLSError(.malformedPEM, "\(name) ends in the middle of a PEM block or has none")
    }
  }

  deinit {
    // It may have held a private key. A copy that the caller still has is the caller's.
    var bytes = bytes
    unsafe bytes.withUnsafeMutableBytes { unsafe OPENSSL_cleanse($0.baseAddress, $0.count) }
  }

  private mutating func readFile(_ path: String) throws(TLSError) {
    let descriptor = unsafe Glibc.open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else {
      throw TLSError(.unreadableFile, "\(name): open failed, errno \(errno)")
    }
    defer { close(descriptor) }
    var chunk = [UInt8](repeating: 0, count: 16 * 1024)
    defer {
      unsafe chunk.withUnsafeMutableBytes { unsafe OPENSSL_cleanse($0.baseAddress, $0.count) }
    }
    while true {
      let count = unsafe chunk.withUnsafeMutableBytes {
        unsafe read(descriptor, $0.baseAddress, $0.count)
      }
      if count == 0 { return }
      guard count > 0 else {
        let code = errno
        if code == EINTR { continue }
        throw TLSError(.unreadableFile, "\(name): read failed, errno \(code)")
      }
      guard bytes.count + count <= Self.byteCountMax else {
        throw TLSError(.unreadableFile, "\(name) is larger than \(Self.byteCountMax) bytes")
      }
      bytes += chunk[..<count]
    }
  }

  /// Whether every block that begins also ends, with nothing behind the last but white space.
  private var isComplete: Bool {
    let lines = bytes.split { $0 == 0x0A || $0 == 0x0D }
    let begins = lines.count { $0.starts(with: "-----BEGIN ".utf8) }
    let ends = lines.count {
      $0.starts(with: "-----END ".utf8) && $0.suffix(5).elementsEqual("-----".utf8)
    }
    guard let last = lines.last(where: { !$0.allSatisfy { $0 == 0x20 || $0 == 0x09 } }) else {
      return false
    }
    return begins > 0 && begins == ends && last.starts(with: "-----END ".utf8)
  }
}
