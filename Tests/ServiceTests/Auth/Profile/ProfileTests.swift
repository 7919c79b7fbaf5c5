import PeerContracts
import RPCKit
import RPCKitTesting
import ServiceKit
import Testing

@testable import AuthService

@Suite("What applications keep with an account")
struct ProfileTests {
  private func update(
    _ settings: String,
    replace: Bool = false,
    key: String = "",
    _ user: Auth_V1.SignInResponse,
    on stage: AuthStage
  ) async throws -> String {
    try await stage.users.updateSettings(
      .init(settings: settings, replace: replace, idempotencyKey: key),
      options: stage.with(user)
    ).settings
  }

  @Test("A picture and a time zone are kept, removed by empty text, and refused when they are none")
  func profile_pictureAndZone_areChecked() async throws {
    try await AuthStage.run { stage in
      let ada = try await stage.signUp()
      #expect(ada.user?.photoUrl == "" && ada.user?.timeZone == "")
      _ = try await stage.users.updateProfile(
        .init(photoUrl: "https://img.example/ada.png?s=2", timeZone: "Europe/Berlin"),
        options: stage.with(ada)
      )
      // Signing in shows what GetMe shows.
      let again = try #require(try await stage.signIn().user)
      #expect(again.photoUrl == "https://img.example/ada.png?s=2")
      #expect(again.timeZone == "Europe/Berlin")
      let removed = try await stage.users.updateProfile(
        .init(photoUrl: "", timeZone: ""),
        options: stage.with(ada)
      )
      #expect(removed.photoUrl == "" && removed.timeZone == "")
      for (request, reason) in Self.refused {
        let result = await outcome {
          _ = try await stage.users.updateProfile(request, options: stage.with(ada))
        }
        #expect(result == "INVALID_ARGUMENT \(reason)", "\(request)")
      }
    }
  }

  private static let refused: [(Auth_V1.UpdateProfileRequest, String)] =
    [
      "http://img.example/a.png", "javascript:alert(1)", "https://", "https:///a.png",
      "https://ada:secret@img.example/", "https://img.example@evil.example/", "https://?a",
      "https://img.example/a b", "https://img.example/\u{7}", "https://img.example/ä",
      "https://img.example/\"onload=\"", "https://.example/", "HTTPS://img.example/",
    ].map { (.init(photoUrl: $0), "PHOTO_URL_INVALID") }
    + ["Berlin", "Europe/../../etc/passwd", "CET+1", "Europe/", "Mars/Olympus"].map {
      (.init(timeZone: $0), "TIME_ZONE_INVALID")
    }

  @Test("Settings are merged or replaced, and shown with the account")
  func settings_changed_areShown() async throws {
    try await AuthStage.run { stage in
      let ada = try await stage.signUp()
      #expect(ada.user?.settings == "{}")
      let first = try await update(
        #"{"theme": "dark", "remind": {"at": "20:00", "on": true}}"#,
        ada,
        on: stage
      )
      #expect(first == #"{"theme":"dark","remind":{"at":"20:00","on":true}}"#)
      let merged = try await update(#"{"theme": null, "remind": {"on": false}}"#, ada, on: stage)
      #expect(merged == #"{"remind":{"at":"20:00","on":false}}"#)
      #expect(try await stage.signIn().user?.settings == merged)
      let replaced = try await update(#"{"a": 1, "b": null}"#, replace: true, ada, on: stage)
      #expect(replaced == #"{"a":1}"#)
      let me = try await stage.users.getMe(.init(), options: stage.with(ada))
      #expect(me.settings == replaced)
    }
  }

  @Test(
    "An account that was read is put back, and refused by name where a profile cannot change it"
  )
  func account_putBack_isCompared() async throws {
    try await AuthStage.run { stage in
      let options = stage.with(try await stage.signUp())
      _ = try await stage.users.updateSettings(.init(settings: #"{"a":[1]}"#), options: options)
      let read = try await stage.users.getMe(.init(), options: options)
      func put(_ change: (inout Auth_V1.User) -> Void) async throws -> Auth_V1.User {
        var user = read
        change(&user)
        return try await stage.users.updateProfile(
          .init(displayName: user.displayName, current: user),
          options: options
        )
      }
      #expect(try await put { _ in } == read)
      #expect(try await put { $0.settings = #"{ "a": [1] }"# } == read)
      #expect(try await put { $0 = .init(id: $0.id, displayName: $0.displayName) } == read)
      // Other services know these.
      #expect(try await put { $0.plan = "pro" } == read)
      let changes: [(inout Auth_V1.User) -> Void] = [
        { $0.email = "eve@example.org" }, { $0.settings = #"{"a":[2]}"# }, { $0.id = "usr_other" },
        { $0.createdAt = .init(milliseconds: 1) }, { $0.defaultUnitId = "unt_1" },
      ]
      for change in changes {
        let refused = await outcome { _ = try await put(change) }
        #expect(refused == "INVALID_ARGUMENT FIELD_READ_ONLY")
      }
      #expect(try await put { $0.displayName = "Countess" }.displayName == "Countess")
      let old = await outcome { _ = try await put { _ in } }
      #expect(old == "ABORTED REVISION_MISMATCH")
    }
  }

  @Test("Changes of an account move its revision, activities excepted; an old one is refused")
  func revision_ofAccount_moves() async throws {
    try await AuthStage.run { stage in
      let ada = try await stage.signUp()
      let options = stage.with(ada)
      func revision() async throws -> String {
        try await stage.users.getMe(.init(), options: options).revision
      }
      let first = try await revision()
      #expect(first == ada.user?.revision && !first.isEmpty)
      let settings = try await stage.users.updateSettings(
        .init(settings: #"{"a": 1}"#, expectedRevision: first),
        options: options
      )
      #expect(settings.revision != first)
      #expect(try await revision() == settings.revision)
      // What changes nothing moves nothing.
      let same = try await stage.users.updateSettings(
        .init(settings: #"{"a": 1}"#, expectedRevision: settings.revision),
        options: options
      )
      #expect(same.revision == settings.revision)
      _ = try await stage.users.recordActivity(
        .init(name: "checkin", day: "2027-01-15"),
        options: options
      )
      #expect(try await revision() == settings.revision)
      let named = try await stage.users.updateProfile(
        .init(firstName: "Ada", expectedRevision: settings.revision),
        options: options
      )
      #expect(named.revision != settings.revision)
      let stale = [
        await outcome {
          _ = try await stage.users.updateSettings(
            .init(settings: "{}", replace: true, expectedRevision: settings.revision),
            options: options
          )
        },
        await outcome {
          _ = try await stage.users.updateProfile(
            .init(firstName: "Eve", expectedRevision: first),
            options: options
          )
        },
        await outcome {
          _ = try await stage.users.setDefaults(
            .init(unitId: "", expectedRevision: "none"),
            options: options
          )
        },
      ]
      #expect(stale == Array(repeating: "ABORTED REVISION_MISMATCH", count: 3))
      let cleared = try await stage.users.setDefaults(
        .init(unitId: "", expectedRevision: named.revision),
        options: options
      )
      #expect(cleared.revision != named.revision)
      let me = try await stage.users.getMe(.init(), options: options)
      #expect(me.firstName == "Ada" && me.settings == #"{"a":1}"#)
    }
  }

  @Test("A key makes a change once; a change of nothing is not recorded")
  func settings_repeated_areChangedOnce() async throws {
    try await AuthStage.run { stage in
      let ada = try await stage.signUp()
      let first = try await update(#"{"a": 1}"#, key: "k", ada, on: stage)
      _ = try await update(#"{"a": 2}"#, ada, on: stage)
      #expect(try await update(#"{"a": 1}"#, key: "k", ada, on: stage) == first)
      #expect(try await update(#"{"a": 2}"#, ada, on: stage) == #"{"a":2}"#)
      let records = try await stage.service.core.database.read { tx in
        try tx.query(
          "SELECT before_digest <> after_digest FROM audit_log WHERE action = 'user.update_settings'"
        ) { $0.boolean(0) }
      }
      #expect(records == [true, true])
    }
  }

  @Test("Settings that are no object, too deep or too large are refused, and nothing changes")
  func settings_wrong_areRefused() async throws {
    try await AuthStage.run { stage in
      let ada = try await stage.signUp()
      let deep = String(repeating: #"{"a":"#, count: 9) + "1" + String(repeating: "}", count: 9)
      for text in ["[]", "1", "{", #"{"a":1,"a":2}"#, #"{"a":1} x"#, deep, #"{"a":01}"#] {
        let result = await outcome { _ = try await update(text, ada, on: stage) }
        #expect(result == "INVALID_ARGUMENT SETTINGS_INVALID", "\(text)")
      }
      let half = String(repeating: "x", count: 10_000)
      _ = try await update(#"{"first": "\#(half)"}"#, ada, on: stage)
      let large = await outcome {
        _ = try await update(#"{"second": "\#(half)"}"#, ada, on: stage)
      }
      #expect(large == "FAILED_PRECONDITION SETTINGS_TOO_LARGE")
      let me = try await stage.users.getMe(.init(), options: stage.with(ada))
      #expect(me.settings == #"{"first":"\#(half)"}"#)
    }
  }

  @Test("Activities are counted by the user's days, once for each key")
  func activities_recorded_areShown() async throws {
    // 2027-01-15, eight in the morning UTC.
    let ground = try AuthStage.Ground()
    try await AuthStage.run(on: ground) { stage in
      let ada = try await stage.signUp()
      func record(
        _ name: String,
        _ day: String,
        _ count: UInt32 = 0,
        key: String = ""
      )
        async throws -> Auth_V1.Activity
      {
        try await stage.users.recordActivity(
          .init(name: name, day: day, count: count, idempotencyKey: key),
          options: stage.with(ada)
        )
      }
      _ = try await record("checkin", "2027-01-14")
      let today = try await record("checkin", "2027-01-15", key: "k")
      #expect(today.streak == 2 && today.total == 2 && today.lastDay == "2027-01-15")
      #expect(try await record("checkin", "2027-01-15", key: "k") == today)
      let messages = try await record("message", "2027-01-15", 1000)
      #expect(messages.weekTotal == 1000)
      // Kept across a restart, and shown at sign-in.
      let shown = try #require(try await stage.signIn().user?.activities)
      #expect(shown == [today, messages])
      for day in ["2027-01-13", "2027-01-16", "2027-02-30"] {
        let result = await outcome { _ = try await record("checkin", day) }
        #expect(result == "INVALID_ARGUMENT ACTIVITY_DAY_INVALID", "\(day)")
      }
      for (name, count) in [("", UInt32(1)), ("Check in", 1), ("checkin", 1001)] {
        let result = await outcome { _ = try await record(name, "2027-01-15", count) }
        #expect(result == "INVALID_ARGUMENT FIELD_VIOLATIONS", "\(name) \(count)")
      }
      for number in shown.count..<ActivityList.countMax {
        _ = try await record("more-\(number)", "2027-01-15")
      }
      let full = await outcome { _ = try await record("one-too-many", "2027-01-15") }
      #expect(full == "FAILED_PRECONDITION TOO_MANY_ACTIVITIES")
    }
    try await AuthStage.run(on: ground) { stage in
      let activities = try #require(try await stage.signIn().user?.activities)
      #expect(activities.count == ActivityList.countMax)
      #expect(activities.first?.streak == 2)
    }
  }

  @Test("Nothing is kept for a session that has ended")
  func changes_ofEndedSession_areRefused() async throws {
    try await AuthStage.run { stage in
      let ada = try await stage.signUp()
      _ = try await stage.sessions.revokeAll(.init(), options: stage.with(ada))
      let settings = await outcome { _ = try await update("{}", ada, on: stage) }
      #expect(settings == "UNAUTHENTICATED CREDENTIALS_INVALID")
      let activity = await outcome {
        _ = try await stage.users.recordActivity(
          .init(name: "checkin", day: "2027-01-15"),
          options: stage.with(ada)
        )
      }
      #expect(activity == "UNAUTHENTICATED CREDENTIALS_INVALID")
    }
  }
}
