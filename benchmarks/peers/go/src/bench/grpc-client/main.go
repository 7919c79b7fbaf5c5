// Command grpc-client loads a gRPC server through grpc-go.
package main

import (
	"context"
	"net"

	"google.golang.org/grpc"

	wire "bench/grpcwire"
	"bench/load"
	"interop/address"
)

func main() { load.Main("grpc-go", dial) }

func dial(target string) (load.Call, func(), error) {
	connection, err := grpc.Dial("passthrough:///"+target, grpc.WithInsecure(), grpc.WithBlock(),
		grpc.WithContextDialer(func(context.Context, string) (net.Conn, error) {
			return address.Dial(target)
		}))
	if err != nil {
		return nil, nil, err
	}
	client := wire.NewPermissionsClient(connection)
	call := func(slow bool) error {
		response, err := client.Check(context.Background(), &wire.CheckRequest{
			Subject: load.SubjectOf(slow), Action: load.Action, Entity: load.Entity, Context: load.Context,
		})
		if err != nil {
			return err
		}
		if !response.Allowed || response.Reason != "ALLOWED" {
			return load.ErrWrongAnswer
		}
		return nil
	}
	return call, func() { connection.Close() }, nil
}
