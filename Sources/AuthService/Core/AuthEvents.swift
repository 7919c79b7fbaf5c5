internal import ServiceKit

/// The actions of AuthService that are news for other systems (docs/reference/events.md).
///
/// Of the others, `scripts/rules/events.txt` says why they are none.
enum AuthEvents {
  static let rules: EventRules = [
    "user.sign_up": EventRule("user.created", about: .object, ["by": "sign_up"]),
    "user.import": EventRule("user.created", about: .object, ["by": "import"]),
    "child_account.create": EventRule("user.created", about: .object, ["by": "family"]),
    "user.update": EventRule("user.updated", about: .object, ["changed": "profile"]),
    "user.update_settings": EventRule("user.updated", about: .object, ["changed": "settings"]),
    "user.set_defaults": EventRule("user.updated", about: .object, ["changed": "defaults"]),
    "user.follow_roles": EventRule("user.updated", about: .object, ["changed": "defaults"]),
    "account.change": EventRule(
      "user.updated",
      about: .object,
      ["changed": "account", "by": "operator"]
    ),
    "email.verify": EventRule("user.email_verified"),
    "email.change": EventRule("user.email_changed", about: .object, ["by": "user"]),
    "email.undo_change": EventRule("user.email_changed", about: .object, ["by": "undo"]),
    "email.lose": EventRule("user.email_changed", about: .object, ["by": "newcomer"]),
    "user.disable": EventRule("user.disabled"),
    "user.enable": EventRule("user.enabled"),
    "user.delete": EventRule("account.deletion_requested"),
    "user.cancel_deletion": EventRule("account.deletion_cancelled"),
    "user.erased": EventRule("account.deleted", about: .nobody),
    "session.begin": EventRule("session.created", about: .actor),
    "child_session.begin": EventRule("session.created", about: .actor, ["by": "family"]),
    "session.sign_out": EventRule("session.ended", about: .actor, ["why": "signed_out"]),
    "session.revoke": EventRule("session.ended", about: .actor, ["why": "revoked"]),
    "session.revoke_others": EventRule("session.ended", about: .actor, ["why": "revoked"]),
    "session.revoke_all": EventRule("session.ended", about: .actor, ["why": "revoked"]),
    "child_session.end": EventRule("session.ended", about: .object, ["why": "family"]),
    "session.evict": EventRule("session.ended", about: .actor, ["why": "evicted"]),
    "session.end_all": EventRule("session.ended", about: .object, ["why": "ended_by_operator"]),
    "password.change": EventRule("credential.changed", about: .object, ["kind": "password"]),
    "password.reset": EventRule("credential.changed", about: .object, ["kind": "password"]),
    "password.force_reset": EventRule("credential.removed", about: .object, ["kind": "password"]),
    "passkey.add": EventRule("credential.added", about: .actor, ["kind": "passkey"]),
    "passkey.remove": EventRule("credential.removed", about: .actor, ["kind": "passkey"]),
    "passkey.remove_all": EventRule("credential.removed", about: .object, ["kind": "passkey"]),
    "totp.add": EventRule("credential.added", about: .object, ["kind": "totp"]),
    "totp.remove": EventRule("credential.removed", about: .object, ["kind": "totp"]),
    "identity.link": EventRule("credential.added", about: .actor, ["kind": "identity"]),
    "identity.unlink": EventRule("credential.removed", about: .actor, ["kind": "identity"]),
    "identity.unlink_all": EventRule("credential.removed", about: .object, ["kind": "identity"]),
  ]
}
