/// Which PINs are accepted.
///
/// Most people who may choose freely take one of a few: every tenth PIN of four digits is `1234`
/// (DataGenetics, "PIN analysis"). Ten attempts against a PIN that is none of those find it once in
/// 100,000 times.
public struct PinPolicy: Hashable, Sendable {
  /// Digits of a PIN.
  public var digitCount = 6

  /// Wrong PINs in a row that disable it: a short one takes fewer guesses.
  public var attemptCountMax: Int { digitCount < 6 ? 5 : 10 }

  /// The reason a PIN may be refused for.
  enum Objection: Hashable, Sendable {
    /// It does not have the right number of digits.
    case length
    /// Many people have it.
    case common
    /// It is the one before, forwards or backwards.
    case reused
  }

  /// The first objection to a new PIN, or nil.
  ///
  /// Whether it is the one before takes a hash; see `StepUpHandler`.
  func objection(to pin: String) -> Objection? {
    let digits = pin.utf8.map { Int($0) - Int(UInt8(ascii: "0")) }
    guard digits.count == digitCount, digits.allSatisfy({ (0...9).contains($0) }) else {
      return .length
    }
    let isYear = digits.count == 4 && (pin.hasPrefix("19") || pin.hasPrefix("20"))
    return isYear || Self.isPattern(digits) || Self.frequent.contains(pin) ? .common : nil
  }

  /// Whether digits are a run (`345678`, `098765`) or repeat the first one, two or three of them.
  private static func isPattern(_ digits: [Int]) -> Bool {
    let steps = Set(zip(digits, digits.dropFirst()).map { ($1 - $0 + 10) % 10 })
    if steps == [0] || steps == [1] || steps == [9] { return true }
    return [2, 3].contains { period in
      digits.indices.dropFirst(period).allSatisfy { digits[$0] == digits[$0 - period] }
    }
  }

  /// Frequent ones that are no such pattern: pairs, mirrors, ways over the keys and favourite numbers.
  private static let frequent: Set<String> = [
    "1004", "1122", "1221", "1379", "1397", "2112", "2233", "2468", "2580", "0852", "1357", "1478",
    "1590", "3579", "4455", "5566", "5683", "7410", "8520", "9510", "9630", "1470",
    "102030", "110110", "112211", "112233", "123321", "123654", "124578", "134679", "135790",
    "135791",
    "142536", "147258", "147852", "147896", "159357", "159753", "168168", "192837", "246810",
    "258456",
    "321654", "357159", "369258", "420420", "445566", "456123", "520131", "520520", "741852",
    "753951",
    "789456", "852456", "951753", "963852", "987123",
  ]
}
