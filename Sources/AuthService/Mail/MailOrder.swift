internal import ServiceKit

/// The contents and recipient of a mail, as it lies sealed in the outbox until it is sent.
///
/// The texts are made of it at each attempt: the same ones, unless templates or the user's name changed.
struct MailOrder: Hashable, Sendable {
  /// The recipient.
  enum Recipient: Hashable, Sendable {
    /// This address, as the store had it.
    case address(String)
    /// Anyone who has an account with the address of this key, at its stored address; nobody otherwise.
    ///
    /// Looked up when the mail is sent, so that the call that queues it does the same whether or not
    /// there is an account.
    case holder(ofKey: String)
  }

  /// Which mail.
  var kind: MailKind
  /// To whom.
  var recipient: Recipient
  /// The account that it is about; nil until it is known.
  var userID: String?
  /// The token that it carries; empty for none.
  var token = ""
  /// Its language, if that is not the reader's as the account has it when it is sent.
  var language: String?
  /// Further values for its template, by name.
  var values: [String: String] = [:]

  /// As it is sealed.
  var bytes: [UInt8] {
    var object = JSONObject()
    object["kind"] = .string(kind.rawValue)
    switch recipient {
    case .address(let address): object["address"] = .string(address)
    case .holder(let key): object["key"] = .string(key)
    }
    if let userID { object["user"] = .string(userID) }
    if let language { object["language"] = .string(language) }
    object["token"] = .string(token)
    var shown = JSONObject()
    for (name, value) in values.sorted(by: { $0.key < $1.key }) { shown[name] = .string(value) }
    object["values"] = .object(shown)
    return Array(JSONValue.object(object).text.utf8)
  }

  /// Reads what was sealed; nil for what this version of the program does not know.
  init?(_ bytes: [UInt8]) {
    let limits = JSONLimits(byteCountMax: 16 * 1024, depthMax: 3)
    // Another version of the program may have written it; that is reported as what it is.
    guard let object = (try? JSONReader.read(bytes, limits: limits))?.object,
      let kind = object["kind"]?.string.flatMap({ MailKind(rawValue: $0) })
    else { return nil }
    if let address = object["address"]?.string {
      recipient = .address(address)
    } else if let key = object["key"]?.string {
      recipient = .holder(ofKey: key)
    } else {
      return nil
    }
    self.kind = kind
    userID = object["user"]?.string
    language = object["language"]?.string
    token = object["token"]?.string ?? ""
    for member in object["values"]?.object?.members ?? [] {
      values[member.name] = member.value.string
    }
  }

  /// A mail to an account's address about something that was done at `now`.
  static func notice(
    _ kind: MailKind,
    to user: UserRecord,
    now: Int64,
    values: [String: String] = [:]
  ) -> MailOrder {
    MailOrder(
      kind,
      to: .address(user.email),
      userID: user.id,
      values: values.merging(["time": MailDate.short(now)]) { value, _ in value }
    )
  }

  /// Makes an order.
  init(
    _ kind: MailKind,
    to recipient: Recipient,
    userID: String? = nil,
    token: String = "",
    values: [String: String] = [:]
  ) {
    self.kind = kind
    self.recipient = recipient
    self.userID = userID
    self.token = token
    self.values = values
  }
}
