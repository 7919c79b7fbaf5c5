// Fuzz target: hashed passwords of other systems, as imports bring them.
@testable import AuthService
@testable import ServiceKit

/// What must hold of any text that is said to be a hashed password: one that is accepted can be verified in
/// bounded time.
enum ForeignHashProperties {
  /// The input is the text; cheap ones are verified too, with a password that is not theirs.
  static func check(_ input: [UInt8]) {
    let text = String(decoding: input, as: UTF8.self)
    let hash: ForeignHash
    do throws(ForeignHash.Objection) {
      hash = try ForeignHash(text)
    } catch {
      return
    }
    precondition(text.utf8.count <= 512, "a text past the limit was accepted")
    precondition(
      text.utf8.allSatisfy { (0x21...0x7E).contains($0) },
      "a text with blanks or other characters was accepted"
    )
    let parts = text.split(separator: "$", omittingEmptySubsequences: false)
    switch hash {
    case .crypt: checkCrypt(parts)
    case .argon2id: checkArgon2(parts)
    case .pbkdf2(let hash):
      let iterations = iterations(parts)
      precondition(iterations <= 2_000_000, "more iterations than are allowed")
      if iterations <= 1000 { precondition(!matches { try hash.matches(other) }, "it matched") }
    case .firebase(let hash):
      let fields = parts[2].split(separator: ",")
      let (logarithm, blocks) = (number(fields[1].dropFirst(2)), number(fields[2].dropFirst(2)))
      precondition(logarithm <= 17 && blocks <= 8, "more memory than is allowed")
      if logarithm <= 4 { precondition(!matches { try hash.matches(other) }, "it matched") }
    case .salted(let digest):
      precondition((4...64).contains(digest.salt.count), "a salt of another length")
      precondition(!digest.matches(other), "it matched")
    }
  }

  /// A password that is nobody's, of a length at which block sizes meet.
  private static let other = [UInt8](repeating: 0xFE, count: 129)

  /// Whether it matched; without memory it did not.
  private static func matches(_ body: () throws -> Bool) -> Bool {
    do { return try body() } catch { return false }
  }

  private static func number(_ text: Substring) -> Int { Int(text) ?? .max }

  private static func checkCrypt(_ parts: [Substring]) {
    switch parts[1] {
    case "5", "6":
      guard parts[2].hasPrefix("rounds=") else { return }
      let rounds = number(parts[2].dropFirst("rounds=".count))
      precondition((1000...1_000_000).contains(rounds), "rounds that are not allowed")
    case "y":
      let letters = Array(parts[2].utf8)
      precondition(
        letters.count == 3 && letters[0] == UInt8(ascii: "j"),
        "another flavour of yescrypt"
      )
      precondition("789ABC".utf8.contains(letters[1]), "a cost of yescrypt that is not allowed")
    case "7":
      // The logarithm of N: `I` is 20, with which one lane of one block takes 128 MiB.
      let logarithm = parts[2].utf8.first ?? 0xFF
      precondition(logarithm <= UInt8(ascii: "I"), "more memory than is allowed")
    default:
      precondition(["2a", "2b", "2y"].contains(parts[1]), "a form that nobody verifies")
      precondition((4...14).contains(number(parts[2])), "a cost of bcrypt that is not allowed")
    }
  }

  private static func checkArgon2(_ parts: [Substring]) {
    let fields = parts[3].split(separator: ",")
    let (memory, passes) = (number(fields[0].dropFirst(2)), number(fields[1].dropFirst(2)))
    precondition(memory <= 128 << 10 && passes <= 10 && fields[2] == "p=1", "too costly")
  }

  private static func iterations(_ parts: [Substring]) -> Int {
    guard parts.count == 1 else { return number(parts.count == 4 ? parts[1] : parts[2]) }
    // ASP.NET: version 2 has always 1,000, version 3 has them behind the number of the digest.
    guard let bytes = HashText.base64(parts[0]), let version = bytes.first else { return .max }
    guard version == 1 else { return 1000 }
    guard bytes.count >= 9 else { return .max }
    return bytes[5..<9].reduce(0) { $0 << 8 | Int($1) }
  }
}

#if FUZZING
/// Feeds one input to the checks.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzForeignHash(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  ForeignHashProperties.check(unsafe Array(UnsafeBufferPointer(start: start, count: count)))
  return 0
}
#endif
