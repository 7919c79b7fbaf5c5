public import StrictJSON

/// The public keys of an issuer, by name (RFC 7517).
public struct KeySet: Sendable, Hashable {
  private final class Storage: Sendable, Hashable {
    let keys: [String: VerificationKey]
    let validities: [String: ClosedRange<Int64>]

    init(_ keys: [String: VerificationKey], _ validities: [String: ClosedRange<Int64>]) {
      self.keys = keys
      self.validities = validities
    }

    static func == (left: Storage, right: Storage) -> Bool {
      left === right || left.keys == right.keys && left.validities == right.validities
    }

    func hash(into hasher: inout Hasher) {
      hasher.combine(keys)
      hasher.combine(validities)
    }
  }

  private let storage: Storage
  private var keys: [String: VerificationKey] { storage.keys }
  private var validities: [String: ClosedRange<Int64>] { storage.validities }

  /// Keys of a set, at most: a rotation overlaps two or three.
  private static let keyCountMax = 32

  /// Makes a set of keys that are good for tokens of any time, or of the times that are given for
  /// their names, in milliseconds since 1970.
  public init(_ keys: [VerificationKey], validities: [String: ClosedRange<Int64>] = [:]) {
    storage = Storage(Dictionary(keys.map { ($0.id, $0) }) { first, _ in first }, validities)
  }

  /// Reads a key set in JSON, for example from a file.
  ///
  /// Keys of other kinds are left out, as RFC 7517 section 5 asks; a key that claims to be one of ours
  /// and is not makes the set unreadable.
  public init(json: [UInt8]) throws(JSONDecodingError) {
    let value: JSONValue
    do {
      value = try JSONReader.read(json, limits: JSONLimits(byteCountMax: 64 * 1024, depthMax: 8))
    } catch {
      throw JSONDecodingError(path: "", problem: "\(error)")
    }
    var members = try JSONField(value).members()
    let elements = try members.required("keys").elements()
    guard elements.count <= Self.keyCountMax else {
      throw JSONDecodingError(path: "keys", problem: "more than \(Self.keyCountMax) keys")
    }
    var keys: [VerificationKey] = []
    for element in elements {
      guard let object = element.value.object else { throw element.error("not an object") }
      do throws(KeyError) {
        keys.append(try VerificationKey(jwk: object))
      } catch {
        if error == .malformed { throw element.error("not a key on P-256 named by its thumbprint") }
      }
    }
    self.init(keys)
  }

  /// The set in JSON.
  public var json: JSONValue {
    let sorted = keys.values.sorted { $0.id < $1.id }
    return ["keys": .array(sorted.map { .object($0.jwk) })]
  }

  /// The key of a name.
  public subscript(id: String) -> VerificationKey? { keys[id] }

  /// Whether both are copies of one set, which is found out without looking at any key.
  func isIdentical(to other: KeySet) -> Bool { storage === other.storage }

  /// Whether a token that was issued and ends at these times may be signed by a key.
  func allows(_ id: String, issued: Int64, expires: Int64) -> Bool {
    guard let validity = validities[id] else { return true }
    return issued >= validity.lowerBound - TokenClaims.skewMilliseconds
      && expires <= validity.upperBound + TokenClaims.skewMilliseconds
  }

  /// The names of all keys.
  public var ids: Set<String> { Set(keys.keys) }

  /// Whether there is no key.
  public var isEmpty: Bool { keys.isEmpty }
}
