// Command grpc-client runs named cases of what a client on google.golang.org/grpc relies on, against a
// server of test.Echo, health and reflection (interop/README.md): a foreign peer of our server over HTTP/2.
package main

import "interop/runner"

func main() {
	all := make([]runner.Case, len(cases))
	for i := range cases {
		one := cases[i]
		all[i] = runner.Case{Name: one.name, Summary: one.summary, Run: func(target string) (string, error) {
			return withPeer(target, one.run)
		}}
	}
	runner.Main("grpc-client", all)
}
