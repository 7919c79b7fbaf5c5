internal import PeerContracts
internal import RPCKit
internal import ServiceKit

/// The data that a user's applications keep with the account.
extension UsersHandler {
  func updateSettings(
    _ request: Auth_V1.UpdateSettingsRequest,
    _ call: CallContext
  ) async throws -> Auth_V1.UserSettings {
    let patch = try Self.settings(request.settings)
    return try await changeProfile(request.idempotencyKey, request, call) { user, tx in
      var user = user
      try user.requireRevision(request.expectedRevision)
      var settings = JSONObject()
      if !request.replace { settings = try Self.stored(user.profile.settings) }
      settings.merge(patch)
      let text = JSONValue.object(settings).text
      guard text.utf8.count <= UserProfile.settingsByteCountMax else {
        throw ProfileError.settingsTooLarge
      }
      let before = user.profile.settings
      if text != before {
        user.profile.settings = text
        user.revision += 1
        try UserTable.updateApplicationData(of: user, now: tx.now, in: tx)
        try Self.record("user.update_settings", of: user.id, before, text, in: tx)
      }
      return .init(settings: text, revision: user.revisionToken)
    }
  }

  func recordActivity(
    _ request: Auth_V1.RecordActivityRequest,
    _ call: CallContext
  ) async throws -> Auth_V1.Activity {
    let days = CalendarDay.somewhere(at: core.clock.now)
    guard let day = CalendarDay(request.day), days.contains(day) else {
      throw ProfileError.activityDayInvalid
    }
    return try await changeProfile(request.idempotencyKey, request, call) { user, tx in
      let before = user.profile.activities
      var list = try ActivityList(stored: before)
      let count = Int64(max(request.count, 1))
      guard let activity = list.record(request.name, on: day, count: count) else {
        throw ProfileError.tooManyActivities
      }
      var user = user
      user.profile.activities = list.text
      try UserTable.updateApplicationData(of: user, now: tx.now, in: tx)
      let after = user.profile.activities
      try Self.record("user.record_activity", of: user.id, before, after, in: tx)
      return .init(activity)
    }
  }

  /// Refuses a picture or a time zone that cannot be one.
  func check(_ request: Auth_V1.UpdateProfileRequest) throws(RPCError) {
    if let url = request.photoUrl, !url.isEmpty, !UserProfile.isPhotoURL(url) {
      throw ProfileError.photoURLInvalid
    }
    if let zone = request.timeZone, !zone.isEmpty, !TimeZoneName.isName(zone) {
      throw ProfileError.timeZoneInvalid
    }
  }

  /// Runs one change of the calling user's account.
  ///
  /// Throws UNAUTHENTICATED when the caller's session has ended by then.
  func changeProfile<Response: Message>(
    _ key: String,
    _ request: some Message,
    _ call: CallContext,
    _ body: @escaping @Sendable (UserRecord, borrowing WriteTransaction) throws -> Response
  ) async throws -> Response {
    let identity = try call.requireUser()
    let (core, now) = (core, core.clock.now)
    return try await core.writeOnce(key, request, call) { tx in
      try core.requireActiveSession(of: identity, now: now, in: tx)
      let user = try UserTable.require(identity.userID, in: tx)
      return try body(user, tx)
    }
  }

  private static func record(
    _ action: String,
    of userID: String,
    _ before: String,
    _ after: String,
    in tx: borrowing WriteTransaction
  ) throws {
    try tx.appendChange(kind: "\(UserNews.profileKind)", subject: userID, scope: "")
    try tx.audit(
      action,
      object: userID,
      before: Digests.sha256(before),
      after: Digests.sha256(after)
    )
  }

  /// Settings as an application sends them.
  private static func settings(_ text: String) throws(RPCError) -> JSONObject {
    let value: JSONValue
    do throws(JSONError) {
      value = try JSONReader.read(Array(text.utf8), limits: UserProfile.settingsLimits)
    } catch {
      throw ProfileError.settingsInvalid("is not accepted as JSON: \(error)")
    }
    guard let object = value.object else {
      throw ProfileError.settingsInvalid("must be a JSON object, not \(value.kind)")
    }
    return object
  }

  /// Settings as they are stored.
  private static func stored(_ text: String) throws(StoreError) -> JSONObject {
    do throws(JSONError) {
      let value = try JSONReader.read(Array(text.utf8), limits: UserProfile.settingsLimits)
      if let object = value.object { return object }
    } catch {
      throw .statement("settings are stored that could not have been: \(error)")
    }
    throw .statement("settings are stored that are no object")
  }
}
