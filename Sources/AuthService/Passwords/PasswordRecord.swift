internal import ServiceKit

/// How much work a password hash is: Argon2id with one lane (RFC 9106).
public struct PasswordCost: Hashable, Sendable {
  /// Memory in KiB.
  public var memory: Int
  /// Passes over it.
  public var passes: Int

  /// Makes a cost.
  public init(memory: Int, passes: Int) {
    self.memory = memory
    self.passes = passes
  }

  /// The work: KiB that are filled, once for each pass.
  var work: Int { memory * passes }

  /// The work besides a hash of this cost so that both together take the work of another one;
  /// nil if this one takes as much, but for less than the smallest hash.
  ///
  /// With as many passes as the other one has, so that memory that is new takes its part as it does there.
  func supplement(to other: PasswordCost) -> PasswordCost? {
    let memory = (other.work - work) / other.passes
    guard memory >= Self.memoryRange.lowerBound else { return nil }
    return PasswordCost(memory: memory, passes: other.passes)
  }

  /// 19 MiB, two passes: OWASP's recommendation for one lane.
  public static let standard = PasswordCost(memory: 19_456, passes: 2)

  /// The memory that is allowed at all: a stored or imported record must not be able to ask for more.
  public static let memoryRange = 8...131_072
  /// As `memoryRange`, for passes.
  public static let passRange = 1...10
}

/// A hashed password as it is stored: version of the pepper, cost, salt and tag.
///
/// The text is `PEPPER:$argon2id$v=19$m=…,t=…,p=1$SALT$TAG`, the part behind the colon a PHC string
/// whose tag went through an HMAC with that pepper. A pepper applied after the hash can be replaced
/// without the password, and without it a stolen store is useless for guessing.
public struct PasswordRecord: Hashable, Sendable {
  /// Which pepper.
  public var pepperVersion: Int
  /// How much work.
  public var cost: PasswordCost
  /// 16 random bytes.
  public var salt: [UInt8]
  /// 32 bytes: the HMAC of Argon2id's tag.
  public var tag: [UInt8]

  static let saltByteCount = 16
  static let tagByteCount = 32

  /// Makes a record of parts.
  init(pepperVersion: Int, cost: PasswordCost, salt: [UInt8], tag: [UInt8]) {
    self.pepperVersion = pepperVersion
    self.cost = cost
    self.salt = salt
    self.tag = tag
  }

  /// Reads a record; nil when it is not one, or asks for more work than is allowed.
  ///
  /// Looks at bytes: taking text apart by its characters would cost each sign-in as much as a signature.
  public init?(_ text: String) {
    let halves = Array(text.utf8).split(
      separator: UInt8(ascii: ":"),
      maxSplits: 1,
      omittingEmptySubsequences: false
    )
    guard halves.count == 2, let version = Self.number(halves[0]) else { return nil }
    let parts = halves[1].split(separator: UInt8(ascii: "$"), omittingEmptySubsequences: false)
    guard parts.count == 6, parts[0].isEmpty, parts[1].elementsEqual("argon2id".utf8),
      parts[2].elementsEqual("v=19".utf8)
    else { return nil }
    guard let cost = Self.cost(parts[3]),
      let salt = Self.decode(parts[4]), salt.count == Self.saltByteCount,
      let tag = Self.decode(parts[5]), tag.count == Self.tagByteCount
    else { return nil }
    self.init(pepperVersion: version, cost: cost, salt: salt, tag: tag)
  }

  /// The record as text; see the type.
  public var text: String {
    "\(pepperVersion):$argon2id$v=19$m=\(cost.memory),t=\(cost.passes),p=1"
      + "$\(Self.encode(salt))$\(Self.encode(tag))"
  }

  /// Whether the record should be rehashed while the password is at hand.
  public func isOutdated(cost: PasswordCost, pepperVersion: Int) -> Bool {
    self.cost != cost || self.pepperVersion != pepperVersion
  }

  /// A number of decimal digits; nil for anything else, and for what does not fit.
  private static func number(_ digits: ArraySlice<UInt8>) -> Int? {
    guard !digits.isEmpty else { return nil }
    var number = 0
    for digit in digits {
      guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(digit) else { return nil }
      let (tens, isTooMuch) = number.multipliedReportingOverflow(by: 10)
      let (sum, isMore) = tens.addingReportingOverflow(Int(digit - UInt8(ascii: "0")))
      guard !isTooMuch, !isMore else { return nil }
      number = sum
    }
    return number
  }

  /// The parameters `m`, `t` and `p`, in any order and each of them once.
  private static func cost(_ text: ArraySlice<UInt8>) -> PasswordCost? {
    var (memory, passes, lanes): (Int?, Int?, Int?)
    for part in text.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false) {
      guard part.dropFirst().first == UInt8(ascii: "="), let value = number(part.dropFirst(2))
      else { return nil }
      switch part.first {
      case UInt8(ascii: "m") where memory == nil: memory = value
      case UInt8(ascii: "t") where passes == nil: passes = value
      case UInt8(ascii: "p") where lanes == nil: lanes = value
      default: return nil
      }
    }
    guard lanes == 1, let memory, PasswordCost.memoryRange.contains(memory),
      let passes, PasswordCost.passRange.contains(passes)
    else { return nil }
    return PasswordCost(memory: memory, passes: passes)
  }

  /// PHC strings use the other alphabet, without padding.
  private static func encode(_ bytes: [UInt8]) -> String {
    let letters = Base64URL.encode(bytes).utf8.map { letter in
      switch letter {
      case UInt8(ascii: "-"): UInt8(ascii: "+")
      case UInt8(ascii: "_"): UInt8(ascii: "/")
      default: letter
      }
    }
    return String(decoding: letters, as: UTF8.self)
  }

  private static func decode(_ text: ArraySlice<UInt8>) -> [UInt8]? {
    let letters = text.map { letter in
      switch letter {
      case UInt8(ascii: "+"): UInt8(ascii: "-")
      case UInt8(ascii: "/"): UInt8(ascii: "_")
      case UInt8(ascii: "-"), UInt8(ascii: "_"): UInt8(ascii: "?")
      default: letter
      }
    }
    return Base64URL.decode(letters[...])
  }
}

/// The secrets that password hashes are keyed with, by version.
public struct Peppers: Sendable {
  /// The version that new records get.
  public let current: Int
  private let keys: [Int: HMACKey]

  /// Makes a set whose newest version is current; nil without any, or when a key has fewer than 16
  /// bytes.
  public init?(_ keys: [Int: [UInt8]]) {
    guard let current = keys.keys.max(), keys.values.allSatisfy({ $0.count >= 16 }) else {
      return nil
    }
    self.current = current
    self.keys = keys.mapValues(HMACKey.init)
  }

  /// Applies a pepper to a tag of Argon2id; nil when that version is not at hand.
  func apply(_ version: Int, to tag: [UInt8]) -> [UInt8]? {
    keys[version]?.code(of: tag)
  }
}
