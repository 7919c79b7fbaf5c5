internal import RPCKit
internal import ServiceKit

/// A second factor as typed.
enum ShownFactor: Sendable {
  /// A code of an authenticator app.
  case code(String)
  /// One of the recovery codes, or a text that can be none.
  case recoveryCode(RecoveryCode?)

  /// Of a request that must have one of the two; throws INVALID_ARGUMENT when it has not.
  init(code: String, recoveryCode: String) throws(RPCError) {
    switch (code.isEmpty, recoveryCode.isEmpty) {
    case (false, true): self = .code(code)
    case (true, false): self = .recoveryCode(RecoveryCode(typed: recoveryCode))
    default: throw SecondFactorError.oneFactorNeeded
    }
  }

  /// Its name in metrics.
  var method: String {
    switch self {
    case .code: "totp"
    case .recoveryCode: "recovery_code"
    }
  }
}

/// A second factor that was right, and is to be used up.
enum ProvenFactor: Hashable, Sendable {
  /// The code of this step.
  case step(Int64)
  /// The recovery code with this digest.
  case recoveryCode([UInt8])
}

/// Second factors: comparing and using them up.
extension AuthCore {
  /// Keeps recovery codes and the tokens of sign-ins that wait for one.
  var factorKey: SecondFactorKey { SecondFactorKey(secret: secrets.lookup) }

  /// The outcome of an attempt to prove a second factor.
  enum FactorAttempt: Sendable {
    case right(ProvenFactor)
    case wrong
  }

  /// Counts an attempt and compares; the caller commits the count whatever comes of it.
  ///
  /// `origin` is the device or the session that it comes from, if that is known: it has attempts of its
  /// own, so that a user who knows only the password cannot make the owner wait. Throws
  /// TOO_MANY_CODES when it comes too early, and TOTP_NOT_ENROLLED without an app.
  func attempt(
    _ shown: ShownFactor,
    of userID: String,
    from origin: [UInt8]?,
    now: Int64,
    in tx: borrowing WriteTransaction
  ) throws -> FactorAttempt {
    guard let app = try TotpTable.find(userID, in: tx), app.confirmed != nil else {
      throw SecondFactorError.totpNotEnrolled
    }
    try reserveFactor(of: userID, from: origin, now: now, in: tx)
    switch shown {
    case .code(let text):
      let step = try timeCode(app, of: userID).step(of: text, at: now) {
        app.isFree($0, now: now)
      }
      return step.map { .right(.step($0)) } ?? .wrong
    case .recoveryCode(let code):
      guard let digest = code.map({ factorKey.digest(of: $0, of: userID) }),
        try RecoveryCodeTable.contains(digest, of: userID, in: tx)
      else { return .wrong }
      return .right(.recoveryCode(digest))
    }
  }

  /// Counts an attempt; throws TOO_MANY_CODES when it comes too early.
  func reserveFactor(
    of userID: String,
    from origin: [UInt8]?,
    now: Int64,
    in tx: borrowing WriteTransaction
  ) throws {
    let subject = factorKey.attempts(of: userID, from: origin)
    let reservation = try AttemptTable.reserve(subject, .secondFactor, now: now, in: tx)
    guard reservation.isInTime else {
      throw SecondFactorError.tooManyCodes(retryAfter: .milliseconds(reservation.wait))
    }
  }

  /// The codes of a user's app; throws when the store was changed by somebody else.
  func timeCode(_ app: TotpTable.Stored, of userID: String) throws -> TimeCode {
    TimeCode(secret: try secrets.sealing.open(app.sealed, for: Self.purpose(app.id, of: userID)))
  }

  /// The sealing purpose of an app's secret: it opens for no other app, and for no other user.
  static func purpose(_ id: String, of userID: String) -> String { "totp \(userID) \(id)" }

  /// Uses a factor up and forgets the attempts before it; throws CODE_INVALID when somebody else has used
  /// it in the meantime.
  func use(
    _ proven: ProvenFactor,
    of user: UserRecord,
    from origin: [UInt8]?,
    now: Int64,
    in tx: borrowing WriteTransaction
  ) throws {
    switch proven {
    case .step(let step):
      guard try TotpTable.burn(step, of: user.id, now: now, in: tx) else {
        throw SecondFactorError.codeInvalid
      }
    case .recoveryCode(let digest):
      guard try RecoveryCodeTable.use(digest, of: user.id, in: tx) else {
        throw SecondFactorError.codeInvalid
      }
      let left = try RecoveryCodeTable.count(of: user.id, in: tx)
      let notice = MailOrder.notice(
        left > RecoveryCode.fewCount ? .recoveryCodeUsed : .recoveryCodesLow,
        to: user,
        now: now,
        values: ["left": "\(left)"]
      )
      try outbox.queue(notice, in: tx)
      try tx.audit("recovery_code.use", object: user.id, detail: "\(left) left", by: .user(user.id))
    }
    let subject = factorKey.attempts(of: user.id, from: origin)
    try AttemptTable.clear(subject, .secondFactor, in: tx)
  }

  /// Makes new recovery codes of a user; those before are void.
  func makeRecoveryCodes(
    of userID: String,
    in tx: borrowing WriteTransaction
  ) throws -> [RecoveryCode] {
    let codes = (0..<RecoveryCode.count).map { _ in RecoveryCode(random) }
    let digests = codes.map { factorKey.digest(of: $0, of: userID) }
    try RecoveryCodeTable.replace(of: userID, by: digests, in: tx)
    return codes
  }

  /// Removes what somebody else may have added to an account to prove themselves with: an app with its
  /// recovery codes and a PIN.
  ///
  /// With `since`, only what was added then or later.
  func removeFactors(
    of userID: String,
    since: Int64 = .min,
    in tx: borrowing WriteTransaction
  ) throws {
    if try PinTable.delete(userID, since: since, in: tx) {
      try tx.audit("pin.clear", object: userID, by: .user(userID))
    }
    guard let app = try TotpTable.find(userID, in: tx), (app.confirmed ?? app.created) >= since
    else { return }
    try TotpTable.delete(userID, in: tx)
    try RecoveryCodeTable.delete(of: userID, in: tx)
    try tx.audit("totp.remove", object: userID, by: .user(userID))
  }
}

extension SignInProof {
  /// This proof with a one-time code beside it.
  var withOneTimeCode: SignInProof {
    let isStronger = Assurance(acr: acr).satisfies("mfa")
    return SignInProof(
      acr: isStronger ? acr : "mfa",
      methods: methods + ["otp", "mfa"].filter { !methods.contains($0) }
    )
  }
}
