// Command ttrpc-client loads a ttrpc server through containerd's own library.
package main

import (
	"context"

	"github.com/containerd/ttrpc"

	wire "bench/gogowire"
	"bench/load"
	"interop/address"
)

func main() { load.Main("ttrpc-go", dial) }

func dial(target string) (load.Call, func(), error) {
	connection, err := address.Dial(target)
	if err != nil {
		return nil, nil, err
	}
	client := ttrpc.NewClient(connection)
	call := func(slow bool) error {
		request := wire.CheckRequest{
			Subject: load.SubjectOf(slow), Action: load.Action, Entity: load.Entity, Context: load.Context,
		}
		var response wire.CheckResponse
		err := client.Call(context.Background(), "benchmark.v1.Permissions", "Check", &request, &response)
		if err != nil {
			return err
		}
		if !response.Allowed || response.Reason != "ALLOWED" {
			return load.ErrWrongAnswer
		}
		return nil
	}
	return call, func() { client.Close() }, nil
}
