import Glibc

/// Reads and writes what protoc sends and expects.
enum StandardStreams {
  /// Far more than a request of thousands of files; keeps a broken caller from filling memory.
  private static let byteCountMax = 256 << 20

  /// Everything on standard input.
  static func readAll() throws(GeneratorError) -> [UInt8] {
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 64 << 10)
    while true {
      let count = unsafe chunk.withUnsafeMutableBytes { unsafe read(0, $0.baseAddress, $0.count) }
      if count == 0 { return bytes }
      if count < 0 {
        if errno == EINTR { continue }
        throw GeneratorError("cannot read standard input: errno \(errno)")
      }
      guard bytes.count + count <= byteCountMax else {
        throw GeneratorError("more than \(byteCountMax) bytes on standard input")
      }
      bytes.append(contentsOf: chunk[..<count])
    }
  }

  /// Writes everything to standard output.
  static func write(_ bytes: [UInt8]) throws(GeneratorError) {
    guard put(bytes, on: 1) else {
      throw GeneratorError("cannot write standard output: errno \(errno)")
    }
  }

  /// Writes a line to standard error; there is nowhere to report that this failed.
  static func printError(_ line: String) {
    _ = put(Array("\(line)\n".utf8), on: 2)
  }

  private static func put(_ bytes: [UInt8], on descriptor: Int32) -> Bool {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = unsafe rest.withUnsafeBytes {
        unsafe Glibc.write(descriptor, $0.baseAddress, $0.count)
      }
      if count < 0 {
        if errno == EINTR { continue }
        return false
      }
      rest = rest.dropFirst(count)
    }
    return true
  }
}
