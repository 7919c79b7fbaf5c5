public import ServiceKit

/// Makes and checks password records: the work itself, without threads.
public struct PasswordHasher: Sendable {
  /// The cost of new records.
  public let cost: PasswordCost
  private let peppers: Peppers
  private let random: any RandomSource
  /// Told of each hash that is computed for a check; for tests, which count work and not time.
  private let observe: (@Sendable (PasswordWork.Step) -> Void)?
  /// Checked in the place of records that are not there.
  private let decoy: PasswordRecord

  /// There was no memory for a hash.
  struct OutOfMemory: Error {}

  /// Makes a hasher.
  public init(cost: PasswordCost, peppers: Peppers, random: any RandomSource) {
    self.init(cost: cost, peppers: peppers, random: random, observe: nil)
  }

  init(
    cost: PasswordCost,
    peppers: Peppers,
    random: any RandomSource,
    observe: (@Sendable (PasswordWork.Step) -> Void)?
  ) {
    self.observe = observe
    self.cost = cost
    self.peppers = peppers
    self.random = random
    decoy = PasswordRecord(
      pepperVersion: peppers.current,
      cost: cost,
      salt: random.bytes(PasswordRecord.saltByteCount),
      tag: random.bytes(PasswordRecord.tagByteCount)
    )
  }

  /// A new record of a password.
  func record(of password: String) throws -> PasswordRecord {
    try record(of: Array(password.utf8))
  }

  /// A new record of bytes.
  func record(of password: [UInt8]) throws -> PasswordRecord {
    let salt = random.bytes(PasswordRecord.saltByteCount)
    let tag = try tag(of: password, salt: salt, cost: cost, pepper: peppers.current)
    return PasswordRecord(pepperVersion: peppers.current, cost: cost, salt: salt, tag: tag ?? [])
  }

  /// Whether a password is the one of a record.
  ///
  /// Without a record, or with one that can no longer be checked, the work is the same and the
  /// answer is no. It is the same for a record of a lower cost than today's too: what its own hash lacks is
  /// computed besides, so that nobody can time which accounts have not signed in since the cost was raised.
  func check(_ password: String, against record: PasswordRecord?) throws -> Bool {
    try check(Array(password.utf8), against: record)
  }

  /// As `check` of a password, for bytes.
  func check(_ password: [UInt8], against record: PasswordRecord?) throws -> Bool {
    let tested = record ?? decoy
    let tag = try tag(
      of: password,
      salt: tested.salt,
      cost: tested.cost,
      pepper: tested.pepperVersion
    )
    if let rest = tested.cost.supplement(to: cost) {
      _ = try self.tag(of: password, salt: tested.salt, cost: rest, pepper: peppers.current)
    }
    guard let tag, Digests.areEqual(tag, tested.tag) else { return false }
    return record != nil
  }

  /// Whether a password is the one of a record, with the work of that record alone.
  func matches(_ password: [UInt8], _ record: PasswordRecord) throws -> Bool {
    observe?(.own(record.cost))
    let tag = try tag(
      of: password,
      salt: record.salt,
      cost: record.cost,
      pepper: record.pepperVersion
    )
    return tag.map { Digests.areEqual($0, record.tag) } ?? false
  }

  /// Whether a password is the one of a hash of another system.
  func matches(_ password: [UInt8], _ hash: ForeignHash) throws -> Bool {
    if let form = hash.form { observe?(.foreign(form)) }
    return try hash.matches(password)
  }

  /// Computes hashes that nothing is done with.
  func compute(_ steps: [PasswordWork.Step], of password: [UInt8]) throws {
    for step in steps {
      observe?(step)
      switch step {
      case .own(let cost):
        _ = try tag(of: password, salt: decoy.salt, cost: cost, pepper: peppers.current)
      case .foreign(let form): try form.compute(password)
      }
    }
  }

  /// Whether a record should be rehashed while the password is at hand.
  func isOutdated(_ record: PasswordRecord) -> Bool {
    record.isOutdated(cost: cost, pepperVersion: peppers.current)
  }

  private func tag(
    of password: [UInt8],
    salt: [UInt8],
    cost: PasswordCost,
    pepper: Int
  ) throws -> [UInt8]? {
    guard let tag = Argon2id.tag(password: password, salt: salt, cost: cost) else {
      throw OutOfMemory()
    }
    return peppers.apply(pepper, to: tag)
  }
}
