import Foundation
import Testing

extension EndToEndTests {
  @Suite("The command line as a shell sees it")
  struct TerminalTests {
    /// Runs a script that stops where something is not as it says.
    private func check(_ script: String) async throws {
      try await Installation.run { home in
        let ending = try await home.shell(script)
        #expect(ending == .exited(0), "\(home.folder.end(of: "shell.log"))")
      }
    }

    @Test(
      "Exit codes and messages tell a wrong line, a missing sign-in and a missing service apart"
    )
    func failures_haveTheirCodesAndMessages() async throws {
      try await check(
        """
        gatehouse frobnicate 2> err && exit 9 || test $? = 2
        grep 'unknown command "frobnicate"; use list, describe' err
        gatehouse whoami 2> err && exit 9 || test $? = 3
        grep 'not signed in; run gatehouse login EMAIL' err
        gatehouse call Portfolios/List --target tenancy=unix:///nowhere 2> err && exit 9 || test $? = 4
        grep 'is the tenancy service running at unix:///nowhere' err
        gatehouse list > /dev/full 2> err && exit 9 || test $? = 1
        grep 'standard output cannot be written: no space left on device' err
        gatehouse signup ada@example.com Ada
        GATEHOUSE_PASSWORD=guess-guess gatehouse login ada@example.com 2> err && exit 9 || test $? = 3
        grep 'wrong e-mail address or password' err
        gatehouse call Portfolios/Get '{"portfolioId": "prt_none"}' 2> err && exit 9 || test $? = 1
        gatehouse watch Permissions/WatchChanges 2> err && exit 9 || test $? = 1
        grep 'gatehouse watch lists what people may watch' err
        gatehouse watch | grep 'Health/Watch'
        cp .gatehouse-session.json old.json
        gatehouse call Sessions/RevokeAll
        gatehouse whoami --session old.json 2> err && exit 9 || test $? = 3
        grep 'the session of ada@example.com has ended; sign in again: gatehouse login ada@ex' err
        """
      )
    }

    @Test("A repeated login leaves one session, and its token is for other programs")
    func login_again_leavesOneSession() async throws {
      try await check(
        """
        gatehouse signup ada@example.com Ada
        gatehouse login ada@example.com
        test "$(gatehouse call Sessions/List | grep -c '"id"')" = 1
        test "$(gatehouse token | tr -cd . | wc -c)" = 2
        test "$(gatehouse call Portfolios/List)" != ""
        gatehouse call Portfolios/List | grep '"portfolios": \\[\\],'
        gatehouse call Portfolios/Create '{"name": "Home"}' --output table | grep '^name  *Home$'
        """
      )
    }

    @Test("One request is found in the logs and audit logs of the services by its id")
    func logs_ofRefusal_areFound() async throws {
      try await check(
        """
        gatehouse signup ada@example.com Ada
        gatehouse seed > seed
        door=$(sed -n 's/^device  *\\(dev_[a-z0-9]*\\) .*/\\1/p' seed | head -n 1)
        blink='{"deviceId": "'$door'", "operation": "blink"}'
        gatehouse call Devices/Operate "$blink" 2> err && exit 9 || test $? = 1
        grep '"blink" is not an operation of devices; use .*lock, .*unlock' err
        gatehouse signup mallory@example.com Mallory --session mallory.json
        unlock='{"deviceId": "'$door'", "operation": "unlock"}'
        gatehouse call Devices/Operate "$unlock" --session mallory.json 2> err && exit 9 || test $? = 1
        id=$(sed -n 's/^  request id: //p' err)
        until gatehouse logs --request "$id" . > trail && grep 'permission denied' trail; do :; done
        grep 'tenancy.log  info  permission denied  .*actor=user:usr_' trail
        grep 'tenancy.db  audit  device.unlock  object=dev_.*outcome=refused' trail
        test "$(grep -c . trail)" = "$(gatehouse logs --request "$id" . --output json | grep -c "$id")"
        gatehouse logs --request nobody . 2> err && exit 9 || test $? = 1
        grep 'request nobody is not mentioned in ./auth.log, ./auth.db, ./entitlement.log' err
        """
      )
    }

    @Test("A shell completes methods, and every program says from which commit it was built")
    func completion_andVersions_work() async throws {
      try await check(
        """
        gatehouse completion bash > completion.sh
        echo 'source ./completion.sh; COMP_WORDS=(gatehouse call "$1"); COMP_CWORD=2' > complete.sh
        echo '_gatehouse; printf "%s\\n" "${COMPREPLY[@]}"' >> complete.sh
        bash complete.sh Portfolios/Cr > candidates
        programs='gatehouse auth-service tenancy-service entitlement-service'
        for program in $programs; do $program --version >> versions; done
        test "$(grep -cE '^(gatehouse )?[0-9.]+ \\((unknown|[0-9a-f]+)\\)$' versions)" = 4
        test "$(cat candidates)" = "$(printf 'Portfolios/Create\\nPortfolios/CreateProperty')"
        """
      )
    }

    @Test("The test store refuses what is not for sale, and keys that are not its own")
    func testStore_withBadInput_fails() async throws {
      let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().path
      try await check(
        """
        store='\(root)/scripts/test-store'
        "$store" authority keys
        test "$("$store" transaction keys com.example.one 12 | tr -cd . | wc -c)" = 2
        "$store" authority keys 2> err && exit 9 || test $? = 1
        grep 'keys has keys already; choose another directory' err
        "$store" transaction keys com.example.one abc 2> err && exit 9 || test $? = 1
        grep 'transaction id "abc" is not a number' err
        "$store" transaction keys com.example.one 12 --refund 2> err && exit 9 || test $? = 2
        "$store" transaction none com.example.one 12 2> err && exit 9 || test $? = 1
        grep 'none has no keys of a test store' err
        "$store" buy com.example.one 2> err && exit 9 || test $? = 1
        grep 'it has: com.unifiedsmarthome.compliancepack1' err
        "$store" buy com.unifiedsmarthome.compliancepack1 --data "$PWD" 2> err && exit 9 || test $? = 1
        grep 'has no test store; start the services with: scripts/up' err
        """
      )
    }
  }
}
