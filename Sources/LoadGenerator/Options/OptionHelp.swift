/// The text of `rpcload --help`.
package enum OptionHelp {
  package static let text = """
    usage: rpcload --target ADDRESS [options]

    Calls one unary method of a server, any server, and reports how long the calls took.

    Where
      --target ADDRESS     tcp://host:port, tls://host:port or unix:///path;
                           also host:port, or the path of a Unix socket
      --wire WIRE          frames (ttrpc, the default), grpc (HTTP/2), rest (HTTP/1.1 with
                           connections that are kept, one call in flight on each), or rest-http2;
                           HTTP/2 is spoken at once, or after ALPN with tls://
      --stock              keep to plain ttrpc: do not offer RPCKit's extensions
      --tls-ca FILE        PEM of trusted authorities (default: the system's)
      --tls-cert FILE, --tls-key FILE
                           certificate and key of this side
      --tls-host NAME      name the server's certificate must carry (default: the target's host)

    What (default: the benchmark's permission check, whose answers are verified)
      --service NAME, --method NAME
                           such as grpc.health.v1.Health and Check; not by REST
      --route "METHOD PATH"
                           by REST, such as "GET /api/v1/units/{n:100}?view=full"; {n} and
                           {random} are filled in
      --request-file FILE  encoded messages, each behind its length as a varint; sent in turn
      --request-message FILE
                           one encoded message
      --request-hex HEX    one encoded message; blanks are skipped
      --template TEXT      fields as "protoc --decode_raw" prints them:
                             1: "text"   2: 42   3: 0x0000002a (fixed32)   4 { 1: "nested" }
                           {n} is the number of the call, {random} 64 random bits, and with a
                           limit, {n:1000} or {random:1000}, a number below it; {{ is a brace.
                           By REST, JSON with the same places: {"number": {n}, "name": "u{n}"}
      --metadata KEY=VALUE metadata of every call, which is a header field by gRPC and REST; may
                           be repeated
      --bearer-file FILE   sends the token in a file with every call (authorization: Bearer TOKEN)
      --timeout TIME       deadline of every call (2, 0.5, 250ms)

    How much
      --connections C      connections (1)
      --in-flight N        calls in flight per connection; with --rate, the most there may be (1)
      --threads T          event loops that share the connections (1)
      --rate R             open loop: R calls per second over all connections, whatever the server
                           does; latency counts from when a call was due. 0: closed loop, each
                           answer is followed by the next call (0)
      --poisson            random arrivals with that rate instead of even ones
      --seed S             for --poisson, --slow-percent and {random} (1)
      --backlog B          due calls that may wait for a free place; more are dropped (1000000)
      --slow-percent P     share of benchmark calls that the server takes 10 ms for (0)
      --seconds S          measured time, at most 3600 (5)
      --warmup S           load before that which is not measured (1)
      --calls N            end a closed loop after N calls, at the latest after --seconds
      --max-errors N       end early after N failed calls
      --hold S             no load: one call per connection, print "holding", rest for S seconds

    Report
      --json, --text       one line of JSON, or text (default: text on a terminal, else JSON)
      --json-file FILE     write the JSON there too
      --quiet              no progress line on standard error
      --help               this text

    A closed loop measures calls that began after the warm-up and ended in time; an open loop,
    every call that was due in that time, followed for two seconds (or --timeout) after the end.
    Control-C ends the run and reports what there is. UNFINISHED is a call without an answer by
    then, UNSENT one that still waited for a place, DROPPED one that the backlog had no room for.
    By REST failures are counted by status (HTTP_403), else by code. A connection that ended is
    made again and counted; by HTTP/1.1 one ends with a call that had no answer in time.
    "Not processed" are failed calls that the server surely did not begin, as while it restarts:
    a channel would send them again, rpcload does not.

    Ends with 0; with 1 when no call succeeded, no connection could be made, or --max-errors was
    reached; with 2 when the command line is wrong.

    Examples
      rpcload --target 127.0.0.1:4040 --connections 8 --in-flight 16
      rpcload --target 127.0.0.1:4040 --connections 8 --in-flight 64 --rate 20000 --poisson
      rpcload --target unix:///run/entitlements.sock --stock \\
        --service grpc.health.v1.Health --method Check --template '1: ""'
      rpcload --target tls://auth.internal:4443 --tls-ca ca.pem --rate 500 --timeout 250ms \\
        --service auth.v1.Sessions --method Introspect --request-file sessions.bin \\
        --metadata x-request-id=load-1 --json
      rpcload --target 127.0.0.1:7402 --wire rest --connections 32 --rate 2000 \\
        --route "POST /api/v1/permissions/check" --bearer-file token --template '{"n": {n}}'

    """
}
