// Command ttrpc-client runs named cases of stock ttrpc behaviour, built on
// github.com/containerd/ttrpc, against any server of benchmark.v1.Permissions: the foreign peer
// that our server is tested against.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"strings"
	"time"
)

// verdict is one line of output.
type verdict struct {
	Case   string `json:"case"`
	OK     bool   `json:"ok"`
	Detail string `json:"detail"`
}

func main() {
	target := flag.String("target", "", "host:port or the path of a unix socket")
	names := flag.String("cases", "", "comma-separated names; empty runs all")
	limit := flag.Duration("timeout", 20*time.Second, "how long one case may take")
	list := flag.Bool("list", false, "print the names of the cases and exit")
	flag.Parse()
	if *list {
		for _, one := range cases {
			fmt.Printf("%-22s %s\n", one.name, one.summary)
		}
		return
	}
	if *target == "" {
		fmt.Fprintln(os.Stderr, "ttrpc-client: --target is missing")
		os.Exit(2)
	}
	chosen, err := choose(*names)
	if err != nil {
		fmt.Fprintln(os.Stderr, "ttrpc-client:", err)
		os.Exit(2)
	}
	failed := false
	output := json.NewEncoder(os.Stdout)
	for _, one := range chosen {
		result := runCase(one, *target, *limit)
		failed = failed || !result.OK
		if err := output.Encode(result); err != nil {
			fmt.Fprintln(os.Stderr, "ttrpc-client:", err)
			os.Exit(2)
		}
	}
	if failed {
		os.Exit(1)
	}
}

// choose looks the names up; an unknown one is an error, so that a renamed case is noticed.
func choose(names string) ([]interopCase, error) {
	if names == "" {
		return cases, nil
	}
	var chosen []interopCase
	for _, name := range strings.Split(names, ",") {
		found := false
		for _, one := range cases {
			if one.name == name {
				chosen = append(chosen, one)
				found = true
			}
		}
		if !found {
			return nil, fmt.Errorf("no case named %q", name)
		}
	}
	return chosen, nil
}

// runCase gives the case a connection of its own and a limit: a server that never answers fails
// the case instead of hanging the program.
func runCase(one interopCase, target string, limit time.Duration) verdict {
	type outcome struct {
		detail string
		err    error
	}
	done := make(chan outcome, 1)
	go func() {
		detail, err := withPeer(target, one.run)
		done <- outcome{detail, err}
	}()
	select {
	case result := <-done:
		if result.err != nil {
			return verdict{one.name, false, result.err.Error()}
		}
		return verdict{one.name, true, result.detail}
	case <-time.After(limit):
		return verdict{one.name, false, fmt.Sprintf("no result after %v", limit)}
	}
}
