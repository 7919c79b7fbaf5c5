import Testing

@testable import AuthService

/// Hashes that other programs made, each with the command that made it.
enum ForeignVectors {
  static let password = "correct horse battery staple"

  struct Vector: Sendable, CustomTestStringConvertible {
    let origin: String
    let text: String
    var password = ForeignVectors.password
    var testDescription: String { origin }
  }

  /// Debian 12: whois 5.5.17, apache2-utils 2.4.71, python3-bcrypt 3.2.2, python3-passlib 1.7.4, python3-argon2 21.1,
  /// python3-django 3.2.25; Python 3.11's crypt and hashlib.
  static let all = [
    Vector(
      origin: #"mkpasswd -m bcrypt "correct horse battery staple""#,
      text: "$2b$05$kGDkS5MU.w/xTPR4KY/HgeqQ/M3C4KBaqM.ncDBuB5/hRKsijgGlS"
    ),
    Vector(
      origin: #"htpasswd -nbB -C 5 u "correct horse battery staple""#,
      text: "$2y$05$/7482bWiPxNV.tnQguxHkOFLeDlaVbUzOEgLfqW3tm3vlwimwWEy."
    ),
    Vector(
      origin: #"python3 -c 'bcrypt.hashpw(password, bcrypt.gensalt(4, prefix=b"2a"))'"#,
      text: "$2a$04$NCnbgDu6Y7iY.W4E07ArWOcCFeFL8qn9SrpkCnu/8ACayuAz.yEd6"
    ),
    Vector(
      origin: #"htpasswd -nb2 u "correct horse battery staple""#,
      text: "$5$z.eJ7U.C9I2o4wom$KwpXT59hQtfuGXWBvzXzn9HfFIlN9wqOa2LxZrbHEg6"
    ),
    Vector(
      origin: "python3 -c 'passlib.hash.sha256_crypt.using(rounds=1000).hash(password)'",
      text: "$5$rounds=1000$V4Jb1Z7DbUs8P7kp$YcPc2.uBX87JCFhNxCJq/9Y2soul54ezOCo/zEPaT02"
    ),
    Vector(
      origin: #"htpasswd -nb5 u "correct horse battery staple""#,
      text: "$6$zG80C/w6SfPZ91D2$tvPjMxLR90jQPUa5tvX4O.BCg5KHD/tYKYaEN3ivZHQJrDAOxq6eIwlqOSy4a603"
        + "sX.5sWMvLdbl1el5a4KHn0"
    ),
    Vector(
      origin: "python3 -c 'crypt.crypt(password, crypt.mksalt(crypt.METHOD_SHA512))'",
      text: "$6$MwuRB.qLJYt/b4Zv$H038JdjDGba/bRItQ1C2bW6WtrOAEcQXo3YFP3.dt7x1iDvCDpBbRuqDUgrC6Xvk"
        + "1wfSp/FvSpnhGBx3dX7ym0"
    ),
    Vector(
      origin: #"mkpasswd -m yescrypt "correct horse battery staple""#,
      text: "$y$j9T$oS.y7gTZjYH1Llf/oZpy//$CozDHL4/X0aeIFBi4yViFwzF85zGNf5hxAXyU8nUHt3"
    ),
    Vector(
      origin: #"mkpasswd -m scrypt "correct horse battery staple""#,
      text: "$7$CU..../....NHNuel9Ul4VC8.5pktn3D.$ryU7FW4VQXJ40ks73z3qPr62Hwph/B8J9s60AhR7okA"
    ),
    Vector(
      origin: "python3 -c 'argon2.PasswordHasher(1, 64, 1).hash(password)'",
      text: "$argon2id$v=19$m=64,t=1,p=1$PUSfSMqNiLwEvq3LkjPu8A$mGp0a3am6obD149lP8IKRg"
    ),
    Vector(
      origin:
        #"python3 -c 'PBKDF2PasswordHasher().encode(password, "saltsaltsalt", 1000)', Django"#,
      text: "pbkdf2_sha256$1000$saltsaltsalt$KQDle8SXZRa7sBUZQfkYQI6NXnZxupxhxtm+aXnClyg="
    ),
    Vector(
      origin: "python3 -c 'passlib.hash.pbkdf2_sha256.using(rounds=1000).hash(password)'",
      text: "$pbkdf2-sha256$1000$jVFqzTmHEIJQipESQiil1A$uFcAzUut5RLUxZYukzi/HK93HmSuVmUiLHAjoOgt8qE"
    ),
    Vector(
      origin: "python3 -c 'passlib.hash.pbkdf2_sha512.using(rounds=1000).hash(password)'",
      text:
        "$pbkdf2-sha512$1000$BGAsJQQAoJSS0rp3DsH4Xw$zyAe96kFVvs3YBQU38xmi4dACo/IiFADlILFbEtKVYyh"
        + "uRe.79et75y32nliHBhe3kvGTaASKopm6zIEjGjz9w"
    ),
    Vector(
      origin: "dotnet/aspnetcore, PasswordHasherTest.cs, version 2",
      text: "AAABAgMEBQYHCAkKCwwNDg+ukCEMDf0yyQ29NYubggHIVY0sdEUfdyeM+E1LtH1uJg==",
      password: "my password"
    ),
    Vector(
      origin: "dotnet/aspnetcore, PasswordHasherTest.cs, version 3 with SHA-256",
      text:
        "AQAAAAEAACcQAAAAEAABAgMEBQYHCAkKCwwNDg+yWU7rLgUwPZb1Itsmra7cbxw2EFpwpVFIEtP+JIuUEw==",
      password: "my password"
    ),
    Vector(
      origin:
        #"python3 -c 'b"\1" + struct.pack(">III", 2, 1000, 16) + salt + hashlib.pbkdf2_hmac("sha512", …)'"#,
      text:
        "AQAAAAIAAAPoAAAAEAABAgMEBQYHCAkKCwwNDg8DoCYUi2LsIqVh2g+JX2N/V32WWnfujbtaazxnHx/Awg=="
    ),
    Vector(
      origin: "firebase/scrypt, README: the sample project",
      text:
        "$fbscrypt$v=1,n=14,r=8,p=1,ss=Bw==,sk=jxspr8Ki0RYycVU8zykbdLGjFQ3McFUH0uiiTvC8pVMXAn210"
        + "wjLNmdZJzxUECKbm0QsEmYUSDzZvpjeJ9WmXA==$42xEC+ixf3L2lw==$lSrfV15cpx95/sZS2W9c9Kp6i/LVg"
        + "QNDNC/qzrCnh1SAyZvqmZqAjTdn3aoItz+VHjoZilo78198JAdRuid5lQ==",
      password: "user1password"
    ),
    Vector(
      origin: "python3 -c 'passlib.hash.ldap_salted_sha1.hash(password)'",
      text: "{SSHA}CMiEXFCvF1lBCKtMCr/ssWrF/r2pVYqx"
    ),
    Vector(
      origin: "python3 -c 'passlib.hash.ldap_salted_sha256.hash(password)'",
      text: "{SSHA256}4L30hisvAdjojTWtkVPVjgFYugK3MTHtec2QfwEDSQ4m5LwXYswZww=="
    ),
    Vector(
      origin: "python3 -c 'passlib.hash.ldap_salted_sha512.hash(password)'",
      text: "{SSHA512}LdUZIgSvc5TIXu3QZHQB4hIU1eO68uvI4QQ07PcIqRmOrh3a/PXH1009CqicdkwlvRNPml0ed7Ic"
        + "AWNv38U4o3Fubc15TwlB"
    ),
  ]
}

@Suite("Hashes of other systems")
struct ForeignHashTests {
  @Test(
    "What other programs hashed is recognised, and nothing else is",
    arguments: ForeignVectors.all
  )
  func matches_othersHashes_isRight(_ vector: ForeignVectors.Vector) throws {
    let hash = try ForeignHash(vector.text)
    #expect(try hash.matches(Array(vector.password.utf8)))
    for wrong in ["", vector.password + " ", String(vector.password.dropLast()), "\u{0}"] {
      #expect(try !hash.matches(Array(wrong.utf8)), "\(wrong)")
    }
    // A C string would end before the rest.
    #expect(try !hash.matches(Array("\(vector.password)\u{0}x".utf8)))
  }

  @Test(
    "A text that is cut short, grows or has another letter is refused, or matches no more",
    arguments: ForeignVectors.all
  )
  func matches_changedText_isWrong(_ vector: ForeignVectors.Vector) throws {
    // Padding may be missing, and ASP.NET does not say how long its key is.
    let bare = vector.text.reversed().drop { $0 == "=" }.reversed()
    for count in [1, 2, 5, vector.text.count / 2] where !vector.text.hasPrefix("AQ") {
      // A salt may have any length; then another password would be right.
      let shorter = try? ForeignHash(String(bare.dropLast(count)))
      let isRight = try shorter?.matches(Array(vector.password.utf8))
      #expect(isRight != true, "\(count) fewer")
    }
    for longer in [
      "\(vector.text)$", "\(vector.text)$x", " \(vector.text)", "\(vector.text)\n",
      "*\(vector.text)",
    ] {
      #expect(throws: ForeignHash.Objection.self) { _ = try ForeignHash(longer) }
    }
    // Some letters from the end, so that none is one of which not all bits count.
    var letters = Array(vector.text)
    let place = letters.count - 8
    letters[place] = letters[place] == "a" ? "b" : "a"
    let changed = try ForeignHash(String(letters))
    #expect(try !changed.matches(Array(vector.password.utf8)))
  }

  private static let crypt43 = String(repeating: "a", count: 43)
  private static let crypt86 = String(repeating: "a", count: 86)
  private static let bcrypt53 = String(repeating: "a", count: 53)

  @Test(
    "What would take too long or too much memory is refused before any library sees it",
    arguments: [
      "$2y$31$\(bcrypt53)", "$2b$15$\(bcrypt53)", "$6$rounds=1000001$salt$\(crypt86)",
      "$5$rounds=999999999$salt$\(crypt43)", "$y$jDT$salt$\(crypt43)", "$y$jFT$salt$\(crypt43)",
      // 2^16 with 32 blocks, 2^15 with two lanes, and the largest numbers there are.
      "$7$EU..../....saltsalt$\(crypt43)",
      "$7$DU....0....saltsalt$\(crypt43)", "$7$zzzzzzzzzzzsaltsalt$\(crypt43)",
      "$argon2id$v=19$m=131073,t=1,p=1$PUSfSMqNiLwEvq3LkjPu8A$mGp0a3am6obD149lP8IKRg",
      "$argon2id$v=19$m=64,t=11,p=1$PUSfSMqNiLwEvq3LkjPu8A$mGp0a3am6obD149lP8IKRg",
      "pbkdf2_sha256$2000001$salt$KQDle8SXZRa7sBUZQfkYQI6NXnZxupxhxtm+aXnClyg=",
      "$pbkdf2-sha256$9999999999$jVFqzTmHEIJQipESQiil1A$uFcAzUut5RLUxZYukzi/HK93HmSuVmUiLHAjoOgt8qE",
      // ASP.NET with 0xFFFFFFFF iterations.
      "AQAAAAH/////AAAAEAABAgMEBQYHCAkKCwwNDg+yWU7rLgUwPZb1Itsmra7cbxw2EFpwpVFIEtP+JIuUEw==",
    ]
  )
  func init_costlyHash_isRefused(_ text: String) {
    #expect(throws: ForeignHash.Objection.tooCostly) { _ = try ForeignHash(text) }
  }

  @Test("Firebase's costs have limits too")
  func init_costlyFirebase_isRefused() throws {
    let text = try #require(ForeignVectors.all.first { $0.text.hasPrefix("$fbscrypt") }).text
    for (cost, costlier) in [("n=14", "n=18"), ("r=8", "r=9")] {
      let changed = text.split(separator: cost, maxSplits: 1).joined(separator: costlier)
      #expect(throws: ForeignHash.Objection.tooCostly) { _ = try ForeignHash(changed) }
    }
    for (field, other) in [("p=1", "p=2"), ("v=1", "v=2"), ("ss=", "xx="), ("n=14", "n=x")] {
      let changed = text.split(separator: field, maxSplits: 1).joined(separator: other)
      #expect(throws: ForeignHash.Objection.unknown) { _ = try ForeignHash(changed) }
    }
  }

  @Test(
    "What is no hash, or one that cannot be verified, is refused",
    arguments: [
      "", "*0", "*1", "x", "$", "$$$$", "password", "$1$salt$qJH7.N4xYta3aEG/dfqo/0",
      // The buggy bcrypt, one without a version, costs out of range or not two digits.
      "$2x$05$\(bcrypt53)", "$2$05$\(bcrypt53)", "$2b$03$\(bcrypt53)", "$2b$5$\(bcrypt53)",
      "$2b$+5$\(bcrypt53)", "$2b$005$\(bcrypt53)", "$2b$05$\(String(repeating: "é", count: 53))",
      "$6$rounds=999$salt$\(crypt86)", "$6$rounds=05000$salt$\(crypt86)",
      "$6$rounds=$salt$\(crypt86)",
      "$6$rounds=5000$salt$more$\(crypt86)", "$6$aaaaaaaaaaaaaaaaa$\(crypt86)",
      "$6$sa:lt$\(crypt86)",
      "$y$j9$salt$\(crypt43)", "$y$jGT$salt$\(crypt43)", "$y$/9T$salt$\(crypt43)",
      "$y$j9T$$\(crypt43)",
      "$7$CU..../...$\(crypt43)", "$7$.U..../....salt$\(crypt43)", "$7$C...../....salt$\(crypt43)",
      // Other versions of Argon2, two lanes, salts and tags of other lengths.
      "$argon2i$v=19$m=64,t=1,p=1$PUSfSMqNiLwEvq3LkjPu8A$mGp0a3am6obD149lP8IKRg",
      "$argon2id$v=16$m=64,t=1,p=1$PUSfSMqNiLwEvq3LkjPu8A$mGp0a3am6obD149lP8IKRg",
      "$argon2id$v=19$m=64,t=1,p=2$QfSE0dqfWbEc3R1zFflNGA$q3U7eFqenEFQaORc1zTlYg",
      "$argon2id$v=19$t=1,m=64,p=1$PUSfSMqNiLwEvq3LkjPu8A$mGp0a3am6obD149lP8IKRg",
      "$argon2id$v=19$m=64,t=1,p=1$AAAA$mGp0a3am6obD149lP8IKRg",
      "$argon2id$v=19$m=64,t=1,p=1$PUSfSMqNiLwEvq3LkjPu8A$AAAA",
      "pbkdf2_sha256$0$salt$KQDle8SXZRa7sBUZQfkYQI6NXnZxupxhxtm+aXnClyg=",
      "pbkdf2_sha256$-1$salt$KQDle8SXZRa7sBUZQfkYQI6NXnZxupxhxtm+aXnClyg=",
      "pbkdf2_sha256$1000$salt$AAAA",
      "pbkdf2_md5$1000$salt$KQDle8SXZRa7sBUZQfkYQI6NXnZxupxhxtm+aXnClyg=",
      // ASP.NET that says its salt is longer than there are bytes, of a digest that is none, and of 48 bytes.
      "AQAAAAEAACcQAAAAQAABAgMEBQYHCAkKCwwNDg+yWU7rLgUwPZb1Itsmra7cbxw2EFpwpVFIEtP+JIuUEw==",
      "AQAAAAMAACcQAAAAEAABAgMEBQYHCAkKCwwNDg+yWU7rLgUwPZb1Itsmra7cbxw2EFpwpVFIEtP+JIuUEw==",
      "AQAAAAEAACcQ/////wABAgMEBQYHCAkKCwwNDg+yWU7rLgUwPZb1Itsmra7cbxw2EFpwpVFIEtP+JIuUEw==",
      "AAABAgMEBQYHCAkKCwwNDg+ukCEMDf0yyQ29NYubggHIVY0sdEUfdyeM+E1LtH1u", "AQ==", "AA==",
      // A digest without salt, with one that is too long, and of a name that is none.
      "{SSHA}CMiEXFCvF1lBCKtMCr/ssWrF/r0=", "{SHA}W6ph5Mm5Pz8GgiULbPgzG37mj9g=", "{SSHA256}",
      "{MD5}AAAA",
      "{SSHA}", "{SSHA", "{SSHA}\(String(repeating: "AAAA", count: 40))",
    ]
  )
  func init_otherText_isRefused(_ text: String) {
    #expect(throws: ForeignHash.Objection.unknown) { _ = try ForeignHash(text) }
  }

  @Test("Letters that bcrypt does not look at make no difference")
  func matches_bcryptSpareBits_areIgnored() throws {
    // Of the 22nd letter of the salt only two bits count; some programs leave the others as they come.
    let text = ForeignVectors.all[0].text
    var letters = Array(text)
    #expect(letters[28] == "e")
    letters[28] = "f"
    #expect(try ForeignHash(String(letters)).matches(Array(ForeignVectors.password.utf8)))
  }
}
