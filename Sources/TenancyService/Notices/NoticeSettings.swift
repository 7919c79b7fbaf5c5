internal import ServiceKit
internal import StrictJSON

/// The notices that people get by mail, without having asked.
struct NoticeSettings: Sendable {
  /// Roles that others gave them, or took from them.
  var access = false
  /// Receivers of their webhooks that fail.
  var webhooks = true

  /// Reads the setting `notices`.
  static func read(_ field: JSONField?) throws(JSONDecodingError) -> NoticeSettings {
    var settings = NoticeSettings()
    guard let field else { return settings }
    var members = try field.members()
    settings.access = try members.optional("access")?.boolean() ?? settings.access
    settings.webhooks = try members.optional("webhooks")?.boolean() ?? settings.webhooks
    try members.finish()
    return settings
  }
}
