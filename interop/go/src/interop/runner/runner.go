// Package runner is what the clients of named cases share: flags, a limit for each case, and a line of
// JSON for what came of it.
package runner

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

// Case is one behaviour that a client relies on.
type Case struct {
	Name    string
	Summary string
	// Run tries it on a connection of its own; the text says more of a success.
	Run func(target string) (detail string, err error)
}

// Main is all of a program that runs cases as its arguments say.
func Main(program string, cases []Case) {
	fail := func(problem ...interface{}) {
		fmt.Fprintln(os.Stderr, append([]interface{}{program + ":"}, problem...)...)
		os.Exit(2)
	}
	target := flag.String("target", "", "host:port or the path of a unix socket")
	names := flag.String("cases", "", "comma-separated names; empty runs all")
	limit := flag.Duration("timeout", 20*time.Second, "how long one case may take")
	list := flag.Bool("list", false, "print the names of the cases and exit")
	flag.Parse()
	if *list {
		for _, one := range cases {
			fmt.Printf("%-22s %s\n", one.Name, one.Summary)
		}
		return
	}
	if *target == "" {
		fail("--target is missing")
	}
	chosen, err := choose(*names, cases)
	if err != nil {
		fail(err)
	}
	failed := false
	output := json.NewEncoder(os.Stdout)
	for _, one := range chosen {
		result := runCase(one, *target, *limit)
		failed = failed || !result.OK
		if err := output.Encode(result); err != nil {
			fail(err)
		}
	}
	if failed {
		os.Exit(1)
	}
}

// choose looks the names up; an unknown one is an error, so that a renamed case is noticed.
func choose(names string, cases []Case) ([]Case, error) {
	if names == "" {
		return cases, nil
	}
	var chosen []Case
	for _, name := range strings.Split(names, ",") {
		found := false
		for _, one := range cases {
			if one.Name == name {
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

// runCase gives the case a limit: a server that never answers fails the case instead of hanging the
// program.
func runCase(one Case, target string, limit time.Duration) verdict {
	type outcome struct {
		detail string
		err    error
	}
	done := make(chan outcome, 1)
	go func() {
		detail, err := one.Run(target)
		done <- outcome{detail, err}
	}()
	select {
	case result := <-done:
		if result.err != nil {
			return verdict{one.Name, false, result.err.Error()}
		}
		return verdict{one.Name, true, result.detail}
	case <-time.After(limit):
		return verdict{one.Name, false, fmt.Sprintf("no result after %v", limit)}
	}
}
