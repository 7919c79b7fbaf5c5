import Glibc
import RPCKit
import Testing

@testable import AuthService

@Suite("Ways for mails to leave")
struct MailTransportTests {
  private func mail(
    _ id: String,
    to recipient: String = "ada@example.org",
    lineCount: Int = 40_000
  ) -> MailMessage {
    MailMessage(
      id: id,
      date: 0,
      from: .init(name: "", address: "post@example.org"),
      to: recipient,
      subject: "Hello",
      plain: String(repeating: "text\n", count: lineCount),
      html: "<p>text</p>\n"
    )
  }

  private func read(_ path: String) throws -> String {
    String(decoding: try FileBytes.read(path, byteCountMax: 1 << 22), as: UTF8.self)
  }

  @Test("Each mail is a file of its own, whole, and readable by its owner alone")
  func spool_mails_areFiles() throws {
    let folder = try StoreFolder()
    let spool = SpoolFolder(path: folder.mail, fileCountMax: 3)
    // Left behind by an attempt that a crash ended.
    try FileBytes.createDirectory(folder.mail)
    try FileBytes.write("half", to: "\(folder.mail)/.eml_1.new")
    #expect(spool.deliver([mail("eml_1"), mail("eml_2")]) { false } == [.sent, .sent])
    #expect(try FileBytes.names(inFolder: folder.mail, countMax: 10) == ["eml_1.eml", "eml_2.eml"])
    #expect(try read("\(folder.mail)/eml_1.eml") == mail("eml_1").text)
    var status = stat()
    #expect(unsafe stat("\(folder.mail)/eml_1.eml", &status) == 0)
    #expect(status.st_mode & 0o777 == 0o600)
    #expect(unsafe stat(folder.mail, &status) == 0)
    #expect(status.st_mode & 0o777 == 0o700)
    // Again, as after a crash: the same file, and not a second one.
    #expect(spool.deliver([mail("eml_1")]) { false } == [.sent])
    #expect(try FileBytes.names(inFolder: folder.mail, countMax: 10)?.count == 2)
  }

  @Test("Many mails at a time are files like few, and one that cannot be written fails alone")
  func spool_manyMails_areFiles() throws {
    let folder = try StoreFolder()
    let spool = SpoolFolder(path: folder.mail, fileCountMax: 1000)
    let mails = (100..<100 + spool.batchCount).map { mail("eml_\($0)", lineCount: 1) }
    try FileBytes.createDirectory(folder.mail)
    // A folder stands where a file is to be.
    try FileBytes.createDirectory("\(folder.mail)/eml_101.eml")
    var expected = [MailOutcome](repeating: .sent, count: mails.count)
    expected[1] = .failed("\(folder.mail)/eml_101.eml: Is a directory")
    #expect(spool.deliver(mails) { false } == expected)
    #expect(unsafe rmdir("\(folder.mail)/eml_101.eml") == 0)
    let names = try #require(try FileBytes.names(inFolder: folder.mail, countMax: 2000))
    let others = mails.map { "\($0.id).eml" }.filter { $0 != "eml_101.eml" }
    #expect(names == others.sorted())
    for name in names { #expect(try read("\(folder.mail)/\(name)").hasPrefix("From: ")) }
    #expect(try read("\(folder.mail)/eml_100.eml") == mails[0].text)
  }

  @Test("A folder that is full, missing above, or no folder is a reason to try again")
  func spool_unusable_isTriedAgain() throws {
    let folder = try StoreFolder()
    let spool = SpoolFolder(path: folder.mail, fileCountMax: 2)
    let outcomes = spool.deliver([mail("eml_1"), mail("eml_2"), mail("eml_3")]) { false }
    let full = "the spool folder has 2 files; remove those that were fetched"
    #expect(outcomes == [.sent, .sent, .failed(full)])
    let missing = SpoolFolder(path: "\(folder.path)/no/mail", fileCountMax: 2)
    #expect(
      missing.deliver([mail("eml_4")]) { false } == [
        .failed("\(folder.path)/no/mail: No such file or directory")
      ]
    )
    try FileBytes.createSecret("x", at: "\(folder.path)/socket")
    let file = SpoolFolder(path: "\(folder.path)/socket", fileCountMax: 2)
    #expect(
      file.deliver([mail("eml_5")]) { false } == [
        .failed("\(folder.path)/socket: Not a directory")
      ]
    )
    #expect(
      spool.deliver([mail("eml_6")]) { true } == [.failed("the service is stopping")]
    )
  }

  private func command(_ script: String, seconds: Int64 = 20) -> MailCommand {
    // What follows -c and the name is what sendmail gets, as $1 and so on.
    MailCommand(
      command: ["/bin/sh", "-c", script, "sendmail"],
      sender: "post@example.org",
      timeout: .seconds(seconds)
    )
  }

  @Test("The command gets sender and recipient as arguments, and the mail as its input")
  func command_success_getsTheMail() throws {
    let folder = try StoreFolder()
    let path = "\(folder.path)/socket"
    let script = #"printf '%s\n' "$@" > \#(path); cat >> \#(path)"#
    let outcomes = command(script).deliver([mail("eml_1", to: "$HOME@example.org")]) { false }
    #expect(outcomes == [.sent])
    let text = try read(path)
    #expect(
      text.hasPrefix("-f\npost@example.org\n--\n$HOME@example.org\nFrom: <post@example.org>\n")
    )
    #expect(text.hasSuffix("--=_eml_1--\n") && !text.contains("\r"))
    #expect(text.utf8.count > 200_000)
  }

  @Test(
    "The exit code says whether another attempt is of use",
    arguments: [
      (75, false), (1, false), (71, false), (74, false), (127, false), (64, true), (67, true),
      (70, true), (77, true), (78, true),
    ] as [(Int32, Bool)]
  )
  func command_failure_isTold(code: Int32, isRefused: Bool) {
    let outcomes = command("echo no ada@example.org here >&2; exit \(code)").deliver([mail("eml_1")]
    ) { false }
    // Operators see it, and not whose mail it is.
    let reason = "exit code \(code): no ADDRESS here"
    #expect(outcomes == [isRefused ? .refused(reason) : .failed(reason)])
  }

  @Test("A command that hangs is ended, and one that leaves something running is not waited for")
  func command_hanging_isEnded() {
    let outcomes = command("sleep 600", seconds: 1).deliver([mail("eml_1")]) { false }
    #expect(outcomes == [.failed("/bin/sh took longer than 1.0 seconds")])
    // As sendmail does when it delivers in the background, with what it inherited still open.
    #expect(command("sleep 5 & exit 0").deliver([mail("eml_1")]) { false } == [.sent])
  }

  @Test(
    "What a command writes is read and forgotten beyond its beginning; it need not read anything"
  )
  func command_noisy_isBounded() {
    let loud = ProgramRun.run(
      ["/bin/sh", "-c", "yes | head -c 3000000; exit 3"],
      input: [UInt8](repeating: 65, count: 1 << 20),
      timeout: .seconds(20)
    )
    guard case .exited(3, let output) = loud else {
      Issue.record("\(loud)")
      return
    }
    #expect(output.utf8.count == ProgramRun.outputByteCountMax)
    let deaf = ProgramRun.run(
      ["/bin/sh", "-c", "exec <&- >&- 2>&-; exit 0"],
      input: [UInt8](repeating: 65, count: 1 << 20),
      timeout: .seconds(20)
    )
    #expect(deaf == .exited(0, ""))
  }

  @Test("A program gets no descriptor of the service and little of its environment")
  func command_inherits_nearlyNothing() {
    let seen = ProgramRun.run(
      [
        "/bin/sh", "-c", "ls /proc/self/fd | tr '\\n' ' '; env | cut -d= -f1 | sort | tr '\\n' ' '",
      ],
      input: [],
      timeout: .seconds(20)
    )
    guard case .exited(0, let output) = seen else {
      Issue.record("\(seen)")
      return
    }
    #expect(output.hasPrefix("0 1 2 3 "), "\(output)")
    let names = Set(output.dropFirst(8).split(separator: " "))
    #expect(
      names.isSubset(of: ["PATH", "HOME", "LANG", "PWD", "SHLVL", "_", "OLDPWD"]),
      "\(names)"
    )
  }

  @Test("What cannot be started, or is ended by a signal, is said")
  func command_notStarted_isTold() {
    let missing = MailCommand(command: ["/nowhere"], sender: "a@b", timeout: .seconds(5))
    #expect(
      missing.deliver([mail("eml_1")]) { false } == [.failed("/nowhere: No such file or directory")]
    )
    #expect(
      command("kill -9 $$").deliver([mail("eml_1")]) { false } == [.failed("ended by signal 9")]
    )
  }
}
