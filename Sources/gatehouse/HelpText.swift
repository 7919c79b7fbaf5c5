/// The explanations of the program and its commands.
enum HelpText {
  static let general = """
    usage: gatehouse COMMAND [ARGUMENTS] [OPTIONS]

    Call the services of a Gatehouse installation.

    commands:
    \(CommandName.allCases.map { "  \(padded($0.rawValue, 19))\(summary($0))" }.joined(separator: "\n"))
      help               explain a command: gatehouse help COMMAND

    \(options)
    """

  /// A command's own explanation.
  static func text(_ command: CommandName) -> String {
    """
    usage: gatehouse \(command.rawValue)\(arguments(command))

    \(details(command))

    \(options)
    """
  }

  static let options = """
    options, anywhere on the line:
      --target SERVICE=TARGET  where auth, tenancy or entitlement listens: tcp://HOST:PORT,
                               tls://HOST:PORT or unix:///PATH. Default: GATEHOUSE_AUTH,
                               GATEHOUSE_TENANCY or GATEHOUSE_ENTITLEMENT, else port 7401, 7402
                               or 7403 of this machine
      --descriptors FILE       contracts of other services, as protoc --include_imports
                               --include_source_info --descriptor_set_out=FILE writes them; then
                               --target takes other names too: those of their packages
      --ca FILE                PEM file of certificate authorities for tls:// targets.
                               Default: those of the system
      --session FILE           where to keep the session. Default: ~/.gatehouse-session.json
      --anonymous              send no access token
      --timeout SECONDS        how long a call may take. Default: 10, for watch unlimited
      --output json|table      how to print what was found: JSON with every field, or columns.
                               Default: json for call, watch and whoami, table for the others
      --request ID             the request that logs looks for
      --product NAME           the product whose world seed makes
      --role ROLE              the role that policy explain is about
      --help                   explain the command
      --version                print the version and the commit that it was built from

    exit code: 0 success, 1 failure, 2 wrong command line (nothing was sent), 3 not signed in or
    credentials refused, 4 a service cannot be reached or refuses for now
    """

  private static func arguments(_ command: CommandName) -> String {
    switch command {
    case .list: " [SERVICE]"
    case .describe: " METHOD|TYPE"
    case .call: " [auth|tenancy|entitlement] METHOD [JSON|-]"
    case .watch: " [[auth|tenancy|entitlement] METHOD [JSON|-]]"
    case .signup: " EMAIL NAME"
    case .login: " EMAIL"
    case .logout, .whoami, .token, .passkeys, .identities, .deleteAccount, .cancelDeletion: ""
    case .removePasskey: " PASSKEY"
    case .deletion: " [ID]"
    case .seed: " [--product \(SeedProduct.allCases.map(\.rawValue).joined(separator: "|"))]"
    case .explain: " USER|EMAIL|me ACTION OBJECT"
    case .policy: " check|explain|diff|test FILE|FOLDER..."
    case .verifyEmail: " [CODE]"
    case .resetPassword: " EMAIL|CODE"
    case .changeEmail: " EMAIL"
    case .disownEmail, .confirmEmail, .undoEmailChange: " CODE"
    case .pin: " set|clear|token PURPOSE"
    case .totp: " \(TotpCommand.Task.allCases.map(\.rawValue).joined(separator: "|"))"
    case .unlinkIdentity: " IDENTITY"
    case .exportAccount: " FILE"
    case .keys: " DIRECTORY [SERVICE]..."
    case .users: " [TEXT]"
    case .user, .endSessions: " USER|EMAIL"
    case .disableUser, .enableUser, .forceReset: " USER|EMAIL REASON"
    case .restoreRoles: " [ROLE|all]"
    case .importUsers: " SOURCE FILE"
    case .logs: " --request ID [FILE|FOLDER|-]..."
    case .report: " ROOT --from TIME | --verify FILE"
    case .completion: " bash|fish|zsh"
    }
  }

  private static func summary(_ command: CommandName) -> String {
    switch command {
    case .list: "list the services, or the methods of one"
    case .describe: "show a method, a message or an enum"
    case .call: "call a method with JSON and print the answer as JSON"
    case .watch: "call a streaming method and print each message as a line of JSON"
    case .signup: "create an account and sign in"
    case .login: "sign in"
    case .logout: "end the session"
    case .verifyEmail: "prove that the account's e-mail address is yours"
    case .disownEmail: "say that an account with your e-mail address is not yours"
    case .resetPassword: "replace a forgotten password"
    case .changeEmail: "move the account to another e-mail address"
    case .confirmEmail: "confirm the new address with the code from the mail"
    case .undoEmailChange: "take a change of address back"
    case .pin: "set or remove the PIN, or prove that you know it"
    case .totp: "add or remove an authenticator app, or prove that you have it"
    case .passkeys: "list the account's passkeys"
    case .removePasskey: "remove a passkey from the account"
    case .identities: "list the identities that sign in to the account, such as Apple's"
    case .unlinkIdentity: "stop an identity from signing in to the account"
    case .exportAccount: "write all that the services know of you to a file"
    case .deleteAccount: "delete the account that is signed in, with all its data"
    case .deletion: "show how far the deletion of an account is"
    case .cancelDeletion: "keep the account that is about to be deleted"
    case .whoami: "show the signed-in user"
    case .token: "print a fresh access token, for scripts"
    case .seed: "create something to play with: a portfolio, or a world of a product"
    case .explain: "say why somebody may or may not do an action to an object"
    case .policy: "check, explain, compare or test policy files, without a service"
    case .keys: "create the keys and secrets of a new installation"
    case .users: "list or search accounts, for operators"
    case .user: "show an account, its sessions and what the audit log has about it, for operators"
    case .disableUser: "keep everybody from signing in to an account, for operators"
    case .enableUser: "let an account be signed in to again, for operators"
    case .forceReset: "make a user set a new password, for operators"
    case .importUsers: "move the accounts of another system in, for operators"
    case .endSessions: "sign a user out everywhere, for operators"
    case .restoreRoles: "list or restore roles that an upgrade made invitations, for operators"
    case .logs: "find one request in the logs and audit logs of all services"
    case .report: "write or verify a compliance report: who had access, who did what"
    case .completion: "print a shell completion script"
    }
  }

  private static func details(_ command: CommandName) -> String {
    switch command {
    case .list:
      """
      Lists all services, or the methods of SERVICE and who may call them. You can omit the package:
      Portfolios is tenancy.v1.Portfolios. With --output json, each is a line of JSON.
      """
    case .describe:
      """
      Shows who may call METHOD, what its request and response hold, which values are accepted, and
      an example to start from; or the fields of a message, or the values of an enum.

        gatehouse describe Portfolios/Create
        gatehouse describe tenancy.v1.Device
      """
    case .call:
      """
      Calls METHOD with a request written as JSON: {} if you give none, standard input if you give -.
      The package of the method decides which service is called, unless you name one.

        gatehouse call Portfolios/Create '{"name": "Home"}'
        gatehouse call tenancy grpc.health.v1.Health/Check
        gatehouse --descriptors shelf.pb --target shelf=tcp://127.0.0.1:7500 call Items/List
      """
    case .watch:
      """
      Calls METHOD, which streams its answers, and prints each as a line of JSON until the stream
      ends or you press Control-C. Without METHOD, lists the streams that people may watch; all
      others are for services.

        gatehouse watch auth Health/Watch
      """
    case .signup, .login:
      """
      \(command == .login ? "Signs in." : "Creates an account and signs in.") Asks for the password, \
      or takes it from GATEHOUSE_PASSWORD.
      The session is kept in a file that only you can read, and its access token is renewed when
      needed. Another file beside it keeps the device tokens by which AuthService recognises this
      machine, even after you sign out. The session that was kept before is ended.
      """
    case .logout: "Ends the session at AuthService and deletes its file."
    case .verifyEmail:
      """
      Asks for a mail that verifies the signed-in user's address; with the CODE from that mail,
      verifies it. Signed in to the account, that signs it out everywhere else; otherwise the account's
      password is asked for, or taken from GATEHOUSE_PASSWORD. The code works once, for 24 hours.
      """
    case .disownEmail:
      """
      With the CODE of a mail that verifies an address: takes the address off an account that you did not
      make. It is free to sign up with then, and the account keeps everything else.
      """
    case .resetPassword:
      """
      Asks for a mail to the account with this address, if there is one; with the CODE from that mail,
      sets a new password and ends all sessions. Asks for the password, or takes it from
      GATEHOUSE_PASSWORD. The code works once, for 30 minutes. If the account has not verified the
      address, a new, empty account gets address and password, unless you are signed in to the old one.

        gatehouse reset-password ada@example.com
        gatehouse reset-password CODE
      """
    case .changeEmail:
      """
      Asks for a mail to the new address. Nothing changes until it is confirmed with
      gatehouse confirm-email CODE. Asks for the password, or takes it from GATEHOUSE_PASSWORD.
      """
    case .confirmEmail:
      """
      Gives the account the address that this CODE was sent to, and ends its other sessions. Unless you are
      signed in to the account, its password is asked for, or taken from GATEHOUSE_PASSWORD. An old address
      that was verified gets a mail with which to undo the change for seven days. The code works once, for an hour.
      """
    case .undoEmailChange:
      """
      Gives the account the address back that this CODE was sent to, ends all its sessions, makes its
      password invalid and sends a mail with which to set a new one.
      """
    case .pin:
      """
      set asks for a new PIN and clear removes it; both take a sign-in of the last five minutes. token asks
      for the PIN and prints an access token that satisfies the step-up pin for one PURPOSE, an action of
      the policy, for five minutes. The PIN is asked for, or taken from GATEHOUSE_PIN.

        gatehouse pin set
        gatehouse pin token family.enter_parent_mode
      """
    case .totp:
      """
      add shows what an authenticator app needs, and confirm takes its first code and shows ten recovery
      codes; both take a sign-in of the last five minutes. From then on login asks for a code. verify asks
      for a code and prints an access token that has proved it; remove and recovery-codes, which makes new
      ones, take such a proof of the last five minutes. Codes, of the app or recovery codes, are asked for,
      or taken from GATEHOUSE_CODE.

        gatehouse totp add
        gatehouse totp confirm
      """
    case .passkeys:
      """
      Lists the passkeys of the signed-in user, oldest first: id, when it was last used, and name. Browsers
      and phones register them; a terminal cannot.
      """
    case .removePasskey:
      """
      Removes a passkey. You must have signed in within the last five minutes: gatehouse login EMAIL.

        gatehouse remove-passkey pky_06f3k2x9s8v7m1c5b4n0q8w6e2
      """
    case .identities:
      """
      Lists the identities at other providers that can sign in to the account: identifier, provider and
      the address that the provider named last.
      """
    case .unlinkIdentity:
      """
      Unlinks the IDENTITY, an identifier that gatehouse identities prints, and ends the account's other
      sessions. You must have signed in within the last five minutes. The last way to sign in to an
      account cannot be unlinked.
      """
    case .deleteAccount:
      """
      Deletes the account with everything that the services hold about its user, after the grace period
      of the installation. Needs a sign-in of the last 5 minutes, ends all sessions at once and prints
      the identifier of the deletion.
      """
    case .deletion:
      """
      Shows how far a deletion is: waiting, blocked, erasing or done. Without ID, that of the
      signed-in account; with it, no sign-in is needed.
      """
    case .cancelDeletion:
      """
      Cancels the pending deletion of the signed-in account, unless erasure has begun: sign in again
      within the grace period first.
      """
    case .whoami: "Shows the signed-in user with current roles and plan."
    case .token:
      """
      Prints the session's access token, which is valid for a minute or more. Anybody who has it can act as
      you until it expires, so keep it out of files and command lines.

        TOKEN=$(gatehouse token) ./my-client
      """
    case .seed:
      """
      Creates a portfolio with a property, two units, and devices in them and at the front door, all
      owned by the signed-in user, and prints them.

      With --product, creates the accounts of several people and what they use a product for, and
      prints who can sign in and what to try. All get the password that it asks for, or
      GATEHOUSE_PASSWORD. What is there already stays, so another run creates nothing. TenancyService
      needs the product's policy.

        gatehouse seed --product stables
      """
    case .explain:
      """
      Prints the decision with what it follows from: the roles that were looked at and where they are
      held, the rules that can forbid it, and the conditions. To ask about others, you must be allowed
      to list the roles on OBJECT; an address instead of an id is for operators.

        gatehouse explain me device.unlock dev_06gzt47ebk7am2948s4kyvhwzc
      """
    case .policy:
      """
      Reads policy files, and of folders all that end in .json, as TenancyService would load them
      together. If they do not load, prints all mistakes, each with its file and its place in it, and
      exits with 1.

        check    says how many types, roles, actions and assertions there are
        explain  says what each role allows, or only --role ROLE, and under which conditions
        diff     compares two: which roles and which pairs of a role and an action are new (+), gone
                 (-), or have other conditions (~)
        test     runs the assertions, and lists the pairs that none of them touches: nobody with the
                 role on an entity is asked about the action

        gatehouse policy check policies/
        gatehouse policy diff old.json policies/smart-home.json
      """
    case .keys:
      """
      Creates DIRECTORY with a key pair for each service and the secrets of AuthService, readable
      only by their owner, and prints the settings that use them. Never overwrites a file.
      With names of services of your own, creates only their key pairs, and prints the settings that
      make the others believe them.
      """
    case .users:
      """
      Lists accounts, newest first: id, e-mail address, display name and whether it is disabled. With
      TEXT, only those whose address, display name, first or last name begins with it; the one with
      exactly this address comes first. Needs the role super_admin and a sign-in of the last five
      minutes, like all commands for operators, and is recorded in AuthService's audit log.
      """
    case .user:
      """
      Shows the account with this id or e-mail address, where it is signed in, and the newest 20 records
      of AuthService's audit log about it.

        gatehouse user ada@example.com
        gatehouse call Operators/ListUserAudit '{"userId": "usr_…", "pageSize": 1000}'
      """
    case .disableUser:
      """
      Ends all sessions of the user, and refuses everybody who signs in to the account, in whatever way,
      as if the password were wrong, until it is enabled. REASON is for operators and the audit log.
      Roles stay: to have checks refused that services make about the user, suspend it too.

        gatehouse disable-user ada@example.com "asked by the police, ticket 4711"
      """
    case .enableUser: "Lets a disabled account be signed in to again. REASON is for the audit log."
    case .importUsers:
      """
      Imports the accounts of the system SOURCE from FILE, which has one as JSON in each line. Prints each row
      that was refused as a line of JSON. Run again after an interruption, it goes on where it was; a row
      that was imported before changes nothing. Nobody is sent a mail.

        --dry-run              say what would be done, and change nothing
        --vouch-for-addresses  take the file's word for which addresses are verified

        gatehouse import old-shop users.ndjson --dry-run
        gatehouse import old-shop users.ndjson > refused.ndjson
      """
    case .forceReset:
      """
      Makes the user's password invalid, ends all its sessions and sends a mail with which to set a new
      one. REASON is for the audit log.

        gatehouse force-reset ada@example.com "the password was in a leak"
      """
    case .endSessions:
      """
      Ends all sessions of the user with this id or e-mail address. All services refuse the tokens
      within a second. The user can sign in again; disable-user keeps it out. Needs the role super_admin.

        gatehouse end-sessions ada@example.com
      """
    case .restoreRoles:
      """
      Lists the roles that the upgrade turned into invitations, because one person had given them to another
      whose account has not proven its address: what has become of the invitation, the role, the user and the
      address. With ROLE (asc_…), gives that role back to the user as it was and revokes the invitation; with
      all, every role whose invitation was not answered or revoked. What was lent by a role, or paired, does
      not come back. They are listed until 60 days after the upgrade. Needs the role super_admin and a
      sign-in of the last five minutes, and is recorded in TenancyService's audit log.

        gatehouse restore-roles
        gatehouse restore-roles asc_06gzt47ebk7am2948s4kyvhwzc
        gatehouse restore-roles all
      """
    case .logs:
      """
      Prints in order of time what the services wrote about the request whose id an error, a log line
      or an x-request-id names. FILE is a log or, if its name ends in .db, a store, whose audit log is
      read; the service may be running. FOLDER has them by the names that scripts/up gives
      (auth.log, auth.db, …); - reads a log from standard input. Default: .gatehouse/local. Exits with 1
      if nothing is found.

        gatehouse logs --request req_06gzt47ebk7am2948s4kyvhwzc
        journalctl -o cat -u 'gatehouse-*' | gatehouse logs --request ID - /var/lib/gatehouse/*.db
      """
    case .report:
      """
      Writes the compliance report of the tree below ROOT, for example a portfolio: who held which role,
      who operated what, who was refused, and which roles were lent. A signature at the end covers every
      line; --verify tells whether a report in any format still is as the service signed it.

        --from TIME    where the interval begins: 2026-01-31, which is midnight UTC, or
                       2026-01-31T23:59:59Z
        --to TIME      where it ends, exclusive. Default: now
        --format NAME  csv, html (a page to print) or json (a line for each). Default: csv
        --output FILE  where to write it, once it is whole. Default: standard output
        --verify FILE  verify FILE instead, and exit with 1 if it is not as it was signed
        --key FILE     public keys (PEM) that may have signed. Default: those that TenancyService
                       signs with now, which you are asked to trust

      Who may read the report of a tree, and what has to be bought for it, is up to the policy.

        gatehouse report prt_… --from 2026-01-01 --to 2027-01-01 --format html --output 2026.html
        gatehouse report --verify 2026.html --key tenancy.public.pem
      """
    case .exportAccount:
      """
      Writes all that the three services know of the signed-in user to FILE, as one JSON document, readable
      by you alone. Needs a sign-in that is at most five minutes old, and works once a day. FILE appears
      once the document is whole; docs/guides/export.md says what is in it.

        gatehouse login ada@example.com && gatehouse export-account ada.json
      """
    case .completion:
      """
      Prints a script for the shell, which asks this program for the words that fit: commands,
      options, services, methods and types.

        source <(gatehouse completion bash)     in ~/.bashrc
        source <(gatehouse completion zsh)      in ~/.zshrc, after compinit
        gatehouse completion fish | source      in ~/.config/fish/config.fish
      """
    }
  }

  private static func padded(_ text: String, _ width: Int) -> String {
    text + String(repeating: " ", count: max(1, width - text.count))
  }
}
