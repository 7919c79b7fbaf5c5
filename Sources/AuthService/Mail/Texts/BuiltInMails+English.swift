extension BuiltInMails {
  static let english: [MailKind: Draft] = [
    .verifyEmail: Draft(
      subject: "Verify your e-mail address",
      paragraphs: [
        "Hello {{name}},",
        "an account was created with this address. Open the link to confirm that it is yours:",
        "{{link}}", "Or enter this code where you were asked for it: {{token}}",
        "Link and code work once, for 24 hours. Where you are not signed in to the account, you are asked for"
          + " its password or passkey too.",
        "If you did not create it, open the link and say that this was not you: the address is taken off that"
          + " account. Never enter a password for an account that is not yours.",
      ]
    ),
    .resetPassword: Draft(
      subject: "Set a new password",
      paragraphs: [
        "Hello {{name}},", "open the link to set a new password for your account:", "{{link}}",
        "Or enter this code where you were asked for it: {{token}}",
        "Link and code work once, for 30 minutes. Setting a password signs you out everywhere. If you"
          + " did not ask for this, ignore this mail: nothing changes.",
      ]
    ),
    .resetUnproven: Draft(
      subject: "Set a password",
      paragraphs: [
        "Hello {{name}},",
        "somebody made an account with this address and has not confirmed that the address is theirs."
          + " So this link makes a new, empty account with your address and the password that you set:",
        "{{link}}", "Or enter this code where you were asked for it: {{token}}",
        "If you made the account yourself and want to keep what is in it, use the code where you are still"
          + " signed in to it, or sign in and confirm your address first.",
        "Link and code work once, for 30 minutes. If you want no account here, ignore this mail.",
      ]
    ),
    .passwordVoid: Draft(
      subject: "Your password no longer works",
      paragraphs: [
        "Hello {{name}},",
        "the password of your account was made invalid, and you were signed out everywhere. Open the link to"
          + " set a new one:",
        "{{link}}", "Or enter this code where you were asked for it: {{token}}",
        "Link and code work once, for 30 minutes. After that, ask for a new password where you sign in.",
      ]
    ),
    .changeEmail: Draft(
      subject: "Confirm your new e-mail address",
      paragraphs: [
        "Hello,", "open the link to use the address {{new_email}} for your account:", "{{link}}",
        "Or enter this code where you were asked for it: {{token}}",
        "Link and code work once, for one hour. Where you are not signed in to the account, you are asked for"
          + " its password or passkey too.",
        "If you did not ask for this, ignore this mail: nothing changes. Never enter a password for an account"
          + " that is not yours.",
      ]
    ),
    .emailChanged: Draft(
      subject: "Your e-mail address was changed",
      paragraphs: [
        "Hello {{name}},",
        "your account now has the address {{new_email}}, and this one no longer works for it.",
        "If that was not you, open this link within seven days to get your account back:",
        "{{link}}", "Or enter this code where a change of address is taken back: {{token}}",
        "That signs everybody out, makes the password invalid and sends you a mail for a new one. Passkeys and"
          + " sign-ins with other providers are removed, and so is an authenticator app or PIN that was added"
          + " since.",
      ]
    ),
    .addressInUse: Draft(
      subject: "Your e-mail address is in use",
      paragraphs: [
        "Hello,",
        "somebody wanted to use the address {{email}} for another account. An account has it already, or had"
          + " it in the last seven days, so nothing was changed.",
        "If that was you, sign in with this address, or ask for a new password for it.",
      ]
    ),
    .newDevice: Draft(
      subject: "New sign-in to your account",
      paragraphs: [
        "Hello {{name}},",
        "your account was signed in to from a device that it does not know.",
        "Device: {{device}}", "Network: {{network}}", "Time: {{time}}",
        "If that was not you, set a new password now and sign out your other sessions, then remove passkeys and"
          + " other ways to sign in that are not yours. Without a password, ask for one first.",
      ]
    ),
    .sessionEvicted: Draft(
      subject: "A session of your account was ended",
      paragraphs: [
        "Hello {{name}},",
        "somebody signed in to your account at {{time}}. It had as many sessions as it can have, so the one that"
          + " was idle longest was ended.",
        "Device: {{device}}", "Network: {{network}}",
        "If you still use that device, sign in on it again. If you did not sign in, set a new password now and"
          + " sign out your other sessions. Without a password, ask for one first.",
      ]
    ),
    .passwordChanged: Draft(
      subject: "Your password was changed",
      paragraphs: [
        "Hello {{name}},", "the password of your account was changed at {{time}}.",
        "If that was not you, ask for a new password now.",
      ]
    ),
    .totpAdded: Draft(
      subject: "An authenticator app was added",
      paragraphs: [
        "Hello {{name}},",
        "an authenticator app was added to your account at {{time}}. Signing in without a passkey takes one of"
          + " its codes from now on.",
        "If that was not you, ask for a new password now, which signs everybody out. Then ask those who run this"
          + " service to remove the app, unless you can sign in with a passkey and remove it yourself.",
      ]
    ),
    .totpRemoved: Draft(
      subject: "Your authenticator app was removed",
      paragraphs: [
        "Hello {{name}},",
        "the authenticator app of your account was removed at {{time}}. Signing in takes none of its codes any"
          + " longer.",
        "If that was not you, change your password now and sign out your other sessions.",
      ]
    ),
    .recoveryCodeUsed: Draft(
      subject: "A recovery code was used",
      paragraphs: [
        "Hello {{name}},",
        "one of your recovery codes was used in place of your authenticator app at {{time}}. Codes that"
          + " are left: {{left}}.",
        "If that was not you, change your password now, sign out your other sessions and make new recovery"
          + " codes.",
      ]
    ),
    .recoveryCodesLow: Draft(
      subject: "Few recovery codes are left",
      paragraphs: [
        "Hello {{name}},",
        "one of your recovery codes was used in place of your authenticator app at {{time}}. Codes that"
          + " are left: {{left}}. Make new ones before you need them.",
        "If that was not you, change your password now and sign out your other sessions too.",
      ]
    ),
    .pinChanged: Draft(
      subject: "Your PIN was changed",
      paragraphs: [
        "Hello {{name}},", "the PIN of your account was set or removed at {{time}}.",
        "If that was not you, change your password now and sign out your other sessions.",
      ]
    ),
    .familyPinChanged: Draft(
      subject: "The PIN of your family was changed",
      paragraphs: [
        "Hello {{name}},", "the PIN of your family was set or removed at {{time}}.",
        "If no organizer of your family did that, change your password now and set another PIN.",
      ]
    ),
    .takeOver: Draft(
      subject: "Your account can be your own",
      paragraphs: [
        "Hello,",
        "your family hands the account over to you that it made for you as a child. Open the link to choose a"
          + " password; this address is then that of your account:", "{{link}}",
        "Or enter this code where you were asked for it: {{token}}",
        "Link and code work once, for one day. If you do not know who this is, ignore this mail.",
      ]
    ),
    .parentModeClosed: Draft(
      subject: "Parent mode is closed on a device",
      paragraphs: [
        "Hello {{name}},",
        "the PIN of your family was entered wrongly too often on the device {{device}} of {{person}}, the"
          + " last time at {{time}}. Parent mode is closed there.",
        "It opens again when a parent signs in. If someone may know the PIN, set another one.",
      ]
    ),
    .signInsRefused: Draft(
      subject: "Many failed attempts to sign in",
      paragraphs: [
        "Hello {{name}},",
        "many attempts to sign in to your account failed, the last one at {{time}}. Further attempts"
          + " have to wait for up to 15 minutes; devices that you used before do not.",
        "You need not do anything as long as nobody else knows your password.",
      ]
    ),
    .invitation: Draft(
      subject: "{{inviter}} invites you as {{role}}",
      paragraphs: [
        "Hello,", "{{inviter}} invites you as {{role}} of {{entity}}.",
        "Sign in or create an account with any address, then open this link to accept:", "{{link}}",
        "Or enter this code where you were asked for it: {{token}}",
        "Link and code work once, until {{time}}. If you do not know who this is, ignore this mail.",
      ]
    ),
    .accessGiven: Draft(
      subject: "You have access to {{entity}}",
      paragraphs: [
        "Hello {{name}},", "your account has the role {{role}} of {{entity}} since {{time}}.",
        "If you do not know why, ask the people who manage it. You need not do anything.",
      ]
    ),
    .accessEnded: Draft(
      subject: "Your access to {{entity}} has ended",
      paragraphs: [
        "Hello {{name}},",
        "your account no longer has the role {{role}} of {{entity}} since {{time}}.",
        "If you still need it, ask the people who manage it.",
      ]
    ),
    .webhookFailing: Draft(
      subject: "A receiver of your webhook does not answer",
      paragraphs: [
        "Hello {{name}},",
        "a webhook that you made sends events to {{receiver}}, which has taken none since {{time}}.",
        "Nothing is lost: events wait for up to 30 days and are sent when the receiver takes them again. After"
          + " five days without an answer the webhook is paused.",
      ]
    ),
    .webhookPaused: Draft(
      subject: "Your webhook is paused",
      paragraphs: [
        "Hello {{name}},",
        "a webhook that you made sends events to {{receiver}}, which has taken none for five days. It is paused"
          + " since {{time}}.",
        "Events wait for up to 30 days. Resume the webhook when the receiver works again.",
      ]
    ),
    .webhookGone: Draft(
      subject: "Your webhook is paused: the receiver is gone",
      paragraphs: [
        "Hello {{name}},",
        "a webhook that you made sent events to {{receiver}}, which answered at {{time}} that it is gone (410). The"
          + " webhook is paused.",
        "Delete it, or change its address and resume it. Events wait for up to 30 days.",
      ]
    ),
    .webhookLostRight: Draft(
      subject: "Your webhook is paused: you may not manage it",
      paragraphs: [
        "Hello {{name}},",
        "a webhook that you made sends events to {{receiver}}. Since {{time}} it is paused, because your account"
          + " may no longer manage webhooks there.",
        "Another person who may manage webhooks there can resume it, and it has their rights from then on.",
      ]
    ),
    .identityLinked: Draft(
      subject: "Another way to sign in to your account",
      paragraphs: [
        "Hello {{name}},",
        "your account can be signed in to with an account at {{provider}} since {{time}}.",
        "If that was not you, ask for a new password now, sign in with it and unlink {{provider}}.",
      ]
    ),
    .identityUnlinked: Draft(
      subject: "A way to sign in to your account was removed",
      paragraphs: [
        "Hello {{name}},",
        "your account can no longer be signed in to with an account at {{provider}} since {{time}}.",
        "If that was not you, ask for a new password now.",
      ]
    ),
    .passkeyAdded: Draft(
      subject: "A passkey was added to your account",
      paragraphs: [
        "Hello {{name}},",
        "your account can be signed in to with another passkey since {{time}}.",
        "If that was not you, ask for a new password now, sign in with it and remove the passkey.",
      ]
    ),
    .passkeyRemoved: Draft(
      subject: "A passkey was removed from your account",
      paragraphs: [
        "Hello {{name}},",
        "one of the passkeys of your account was removed at {{time}}.",
        "If that was not you, ask for a new password now.",
      ]
    ),
    .totpRemovalAsked: Draft(
      subject: "Your authenticator app will be removed",
      paragraphs: [
        "Hello {{name}},",
        "those who run this service were asked to remove the authenticator app of your account, because it was"
          + " lost. That happens at {{time}}, or earlier if a second one of them approves it.",
        "If you did not ask for it, open this link to stop it:", "{{link}}",
        "Or enter this code where a change is stopped: {{token}}",
      ]
    ),
    .moveAsked: Draft(
      subject: "Your account will get another e-mail address",
      paragraphs: [
        "Hello {{name}},",
        "those who run this service were asked to give your account the address {{new_email}}. That happens at"
          + " {{time}}, or earlier if a second one of them approves it. Your password stops working then.",
        "If you did not ask for it, open this link to stop it:", "{{link}}",
        "Or enter this code where a change is stopped: {{token}}",
      ]
    ),
    .deletionAsked: Draft(
      subject: "Your account will be deleted on request",
      paragraphs: [
        "Hello {{name}},",
        "those who run this service were asked to delete your account. The deletion begins at {{time}}, or earlier"
          + " if a second one of them approves it.",
        "If you did not ask for it, open this link to stop it:", "{{link}}",
        "Or enter this code where a change is stopped: {{token}}",
      ]
    ),
    .deletionBegun: Draft(
      subject: "Your account will be deleted",
      paragraphs: [
        "Hello {{name}},",
        "your account was signed out everywhere. It will be deleted with everything in it at {{time}}.",
        "If you want to keep it, sign in before then and cancel the deletion. If you cannot sign in, ask for a"
          + " new password first; that helps only if you have confirmed this address before.",
      ]
    ),
    .deletionDone: Draft(
      subject: "Your account was deleted",
      paragraphs: [
        "Hello,",
        "the account with the address {{email}} was deleted at {{time}}. This cannot be undone.",
        "This is the last mail about it: nothing is kept that could send you another one. You can use"
          + " the address for a new account.",
      ]
    ),
  ]
}
