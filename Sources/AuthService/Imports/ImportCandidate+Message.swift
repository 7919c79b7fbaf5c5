internal import AuthContracts
internal import PeerContracts
internal import RPCKit
internal import ServiceKit

extension ImportCandidate {
  /// Reads a row; `vouches` says whether the row's word on the address counts.
  init(_ row: Auth_V1.ImportRow, vouches: Bool, _ core: AuthCore) throws(Refusal) {
    guard Self.sourceIDByteCounts.contains(row.sourceId.utf8.count), Self.isOneLine(row.sourceId)
    else { throw .sourceID }
    let email = EmailAddress(row.email)
    guard email.isMailable else { throw .email }
    guard Self.isName(row.displayName), Self.isName(row.firstName), Self.isName(row.lastName) else {
      throw .name
    }
    guard Self.isLanguage(row.language) else { throw .language }
    let now = core.clock.now
    let created = row.createdAt?.milliseconds ?? now
    guard (0...now).contains(created) else { throw .createdAt }
    let id = core.identifiers.make(.user)
    (password, form) = try Self.password(row.passwordHash, of: id, core)
    user = UserRecord(
      id: id,
      email: row.email,
      isEmailVerified: vouches && row.emailVerified,
      displayName: row.displayName.isEmpty
        ? String(row.email.prefix { $0 != "@" }) : row.displayName,
      firstName: row.firstName,
      lastName: row.lastName,
      created: created,
      updated: now,
      language: row.language
    )
    sourceID = row.sourceId
    isDisabled = row.disabled
    content = core.secrets.lookup.code(
      of: Array("import \(vouches) ".utf8) + row.protobufBytes
    )
  }
}

extension Auth_V1.ImportOutcome {
  init(_ refusal: ImportCandidate.Refusal) {
    self =
      switch refusal {
      case .sourceID: .sourceIdInvalid
      case .email: .emailInvalid
      case .name: .nameInvalid
      case .language: .languageInvalid
      case .hashUnknown: .hashUnknown
      case .hashTooCostly: .hashTooCostly
      case .createdAt: .createdAtInvalid
      }
  }
}
