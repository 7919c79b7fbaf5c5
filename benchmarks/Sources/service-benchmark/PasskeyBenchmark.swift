import ServiceKit

/// How many signatures of passkeys a service checks in a second, with a key made ready for each.
enum PasskeyBenchmark {
  private struct Use {
    let key: RawPublicKey
    let signature: [UInt8]
    let message: [UInt8]
  }

  static func run(_ options: Options) throws {
    let uses = (0..<min(options.count, 1000)).map { use(UInt8(truncatingIfNeeded: $0)) }
    let time = ProcessorTime()
    var count = 0
    repeat {
      for use in uses { try use.key.verify(use.signature, of: use.message) }
      count += uses.count
    } while time.seconds < options.seconds
    var report = Report("passkeys")
    report["es256_per_second"] = Double(count) / time.seconds
    report["keys"] = uses.count
    report.print()
  }

  /// As long as what an authenticator signs: 37 bytes of its own and a digest.
  private static func use(_ byte: UInt8) -> Use {
    let signer = SigningKey.generate()
    let message = [UInt8](repeating: byte, count: 69)
    let key = signer.verificationKey
    return Use(
      key: .p256(x: key.x, y: key.y),
      signature: encoded(signer.sign(message)),
      message: message
    )
  }

  /// `SEQUENCE { INTEGER r, INTEGER s }` of r and s, as authenticators write it.
  private static func encoded(_ signature: [UInt8]) -> [UInt8] {
    let body = integer(signature.prefix(32)) + integer(signature.suffix(32))
    return [0x30, UInt8(body.count)] + body
  }

  private static func integer(_ digits: ArraySlice<UInt8>) -> [UInt8] {
    var shortest = Array(digits.drop { $0 == 0 })
    if shortest.first.map({ $0 >= 0x80 }) ?? true { shortest.insert(0, at: 0) }
    return [0x02, UInt8(shortest.count)] + shortest
  }
}
