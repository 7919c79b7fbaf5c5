internal import Glibc

/// PEM text read from its source, overwritten when it is no longer needed.
struct PEMText: ~Copyable {
  private var bytes = SecretBytes()
  /// For error messages: the file's name, or what the bytes are.
  let name: String

  private static let byteCountMax = 1 << 20

  init(_ source: TLSConfiguration.PEMSource, holding content: String) throws(TLSError) {
    switch source {
    case .file(let path):
      name = "\(content) file \(path)"
      try readFile(path)
    case .bytes(let given):
      name = content
      bytes.append(given)
    }
    // A file that is being written can end anywhere. Most places do not parse; a cut inside the
    // first line of the next block would, as text that PEM readers skip.
    guard isComplete else {
      throw TLSError(.malformedPEM, "\(name) ends in the middle of a PEM block or has none")
    }
  }

  func withUnsafeBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
    unsafe bytes.withUnsafeBytes { unsafe body($0) }
  }

  private mutating func readFile(_ path: String) throws(TLSError) {
    let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else {
      let code = errno
      throw TLSError(.unreadableFile, "\(name): open failed: \(Self.message(for: code))")
    }
    defer { close(descriptor) }
    while true {
      var code: CInt = 0
      let count = unsafe bytes.append { room in
        let count = unsafe read(descriptor, room.baseAddress, room.count)
        code = errno
        return count
      }
      if count == 0 { return }
      if count < 0 {
        if code == EINTR { continue }
        throw TLSError(.unreadableFile, "\(name): read failed: \(Self.message(for: code))")
      }
      guard bytes.count <= Self.byteCountMax else {
        throw TLSError(.unreadableFile, "\(name) is larger than \(Self.byteCountMax) bytes")
      }
    }
  }

  private static func message(for code: CInt) -> String {
    unsafe String(cString: strerror(code)).lowercased()
  }

  /// Whether every block that begins also ends, with nothing behind the last but white space.
  private var isComplete: Bool {
    unsafe withUnsafeBytes { bytes in
      var begins = 0
      var ends = 0
      var isLastAnEnd = false
      let lines = unsafe bytes.split { $0 == 0x0A || $0 == 0x0D }
      unsafe lines.forEach { line in
        if unsafe line.allSatisfy({ $0 == 0x20 || $0 == 0x09 }) { return }
        if unsafe line.starts(with: "-----BEGIN ".utf8) { begins += 1 }
        isLastAnEnd =
          unsafe line.starts(with: "-----END ".utf8)
          && line.suffix(5).elementsEqual("-----".utf8)
        if isLastAnEnd { ends += 1 }
      }
      return begins > 0 && begins == ends && isLastAnEnd
    }
  }
}
