/// The mails that AuthService sends, by the names of their templates.
enum MailKind: String, CaseIterable, Sendable {
  /// To a new account's address: prove that you read it.
  case verifyEmail = "verify_email"
  /// To an account whose password was forgotten.
  case resetPassword = "reset_password"
  /// The same, for an account that has not proven its address: the new password is for a new account.
  case resetUnproven = "reset_unproven"
  /// To an account whose password was made invalid: it can set a new one.
  case passwordVoid = "password_void"
  /// To the address that an account wants to move to.
  case changeEmail = "change_email"
  /// To the address that an account had: it can take the change back.
  case emailChanged = "email_changed"
  /// To an address that another account wanted to move to, although it has one.
  case addressInUse = "address_in_use"
  /// The account was signed in to from a device that it does not know.
  case newDevice = "new_device"
  /// A session was ended to make room for another one.
  case sessionEvicted = "session_evicted"
  /// The password was changed or reset.
  case passwordChanged = "password_changed"
  /// Signing in takes a code of an authenticator app from now on.
  case totpAdded = "totp_added"
  /// Signing in takes a password alone again.
  case totpRemoved = "totp_removed"
  /// A recovery code was used.
  case recoveryCodeUsed = "recovery_code_used"
  /// The same, and few are left.
  case recoveryCodesLow = "recovery_codes_low"
  /// The PIN was set or removed.
  case pinChanged = "pin_changed"
  /// The PIN of a family was set or removed.
  case familyPinChanged = "family_pin_changed"
  /// So many wrong PINs of a family came on a device that it leads into parent mode no more.
  case parentModeClosed = "parent_mode_closed"
  /// So many wrong passwords came that further attempts have to wait.
  case signInsRefused = "sign_ins_refused"
  /// To a user who was invited to a role, with or without an account.
  case invitation
  /// The user was given a role.
  case accessGiven = "access_given"
  /// A role of the user was ended by another person.
  case accessEnded = "access_ended"
  /// The receiver of a webhook that the user made takes nothing.
  case webhookFailing = "webhook_failing"
  /// A webhook that the user made is paused after five days of that.
  case webhookPaused = "webhook_paused"
  /// It is paused because its receiver is gone.
  case webhookGone = "webhook_gone"
  /// It is paused because the user may no longer manage webhooks there.
  case webhookLostRight = "webhook_lost_right"
  /// To the address of a child that has grown up: the account can be its own.
  case takeOver = "take_over"
  /// An identity at another provider can be used to sign in now.
  case identityLinked = "identity_linked"
  /// It no longer can.
  case identityUnlinked = "identity_unlinked"
  /// A passkey was registered.
  case passkeyAdded = "passkey_added"
  /// A passkey was removed.
  case passkeyRemoved = "passkey_removed"
  /// Operators will remove the authenticator app, unless the reader stops that.
  case totpRemovalAsked = "totp_removal_asked"
  /// Operators will give the account another address, unless the reader stops that.
  case moveAsked = "move_asked"
  /// Operators will delete the account, unless the reader stops that.
  case deletionAsked = "deletion_asked"
  /// The account will be deleted unless its user takes that back in time.
  case deletionBegun = "deletion_begun"
  /// The account was deleted: the last mail about it.
  case deletionDone = "deletion_done"

  /// The names that its templates may use.
  var placeholders: Set<String> {
    let own: Set<String> =
      switch self {
      case .verifyEmail, .resetPassword, .resetUnproven, .passwordVoid, .takeOver:
        ["link", "token"]
      case .changeEmail, .emailChanged: ["link", "token", "new_email"]
      case .totpRemovalAsked, .deletionAsked: ["link", "token", "time"]
      case .moveAsked: ["link", "token", "new_email", "time"]
      case .addressInUse: []
      case .newDevice, .sessionEvicted: ["device", "network", "time"]
      case .recoveryCodeUsed, .recoveryCodesLow: ["left", "time"]
      case .parentModeClosed: ["person", "device", "time"]
      case .passwordChanged, .totpAdded, .totpRemoved, .pinChanged, .familyPinChanged,
        .signInsRefused, .passkeyAdded, .passkeyRemoved, .deletionBegun, .deletionDone:
        ["time"]
      case .invitation: ["link", "token", "inviter", "role", "entity", "entity_type", "time"]
      case .identityLinked, .identityUnlinked: ["provider", "time"]
      case .accessGiven, .accessEnded: ["role", "entity", "entity_type", "time"]
      case .webhookFailing, .webhookPaused, .webhookGone, .webhookLostRight: ["receiver", "time"]
      }
    return own.union(["name", "email"])
  }

  /// Names of which a template must use one: a mail that is of no use without them.
  var required: Set<String> { placeholders.intersection(["link", "token"]) }

  /// The purpose of its token; nil for mails that only inform, and for codes of other services.
  var purpose: MailToken.Purpose? {
    switch self {
    case .verifyEmail: .verifyEmail
    case .resetPassword, .resetUnproven, .passwordVoid: .resetPassword
    case .changeEmail: .changeEmail
    case .emailChanged: .undoEmailChange
    case .takeOver: .takeOver
    case .totpRemovalAsked, .moveAsked, .deletionAsked: .refuseChange
    case .addressInUse, .newDevice, .sessionEvicted, .passwordChanged, .totpAdded, .totpRemoved,
      .recoveryCodeUsed, .recoveryCodesLow, .pinChanged, .familyPinChanged, .parentModeClosed,
      .signInsRefused, .invitation, .identityLinked, .identityUnlinked, .passkeyAdded,
      .passkeyRemoved, .deletionBegun, .deletionDone, .accessGiven, .accessEnded, .webhookFailing,
      .webhookPaused, .webhookGone, .webhookLostRight:
      nil
    }
  }

  /// The last part of the link that it holds; nil for mails that only tell.
  var linkPath: String? {
    self == .invitation ? "accept-invitation" : purpose?.linkPath
  }

  /// Whether it may call the recipient by the account's name.
  ///
  /// Not where the address is somebody else's, as far as is known: a name is free text, and anybody could
  /// have it sent to anybody.
  var mayNameTheUser: Bool {
    switch self {
    case .changeEmail, .addressInUse, .invitation, .takeOver: false
    // The name is erased by then.
    case .deletionDone: false
    case .totpRemovalAsked, .moveAsked, .deletionAsked, .verifyEmail, .resetPassword,
      .resetUnproven, .passwordVoid, .emailChanged, .newDevice, .sessionEvicted,
      .passwordChanged, .totpAdded, .totpRemoved, .recoveryCodeUsed, .recoveryCodesLow, .pinChanged,
      .familyPinChanged, .parentModeClosed, .signInsRefused,
      .identityLinked, .identityUnlinked, .passkeyAdded, .passkeyRemoved, .deletionBegun,
      .accessGiven, .accessEnded, .webhookFailing, .webhookPaused, .webhookGone,
      .webhookLostRight:
      true
    }
  }

  /// Which mail it becomes for a user as the account is when the mail is sent.
  ///
  /// A reset of an account that has not proven its address gives nobody that account.
  func whenSent(to user: UserRecord) -> MailKind {
    purpose == .resetPassword && !user.isEmailVerified ? .resetUnproven : self
  }
}
