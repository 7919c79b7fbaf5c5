// Command ttrpc-client runs named cases of stock ttrpc behaviour, built on
// github.com/containerd/ttrpc, against any server of benchmark.v1.Permissions: the foreign peer
// that our server is tested against.
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
	runner.Main("ttrpc-client", all)
}
