// Command grpc-server is the grpc-go server of the comparison.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"

	"google.golang.org/grpc"

	wire "bench/grpcwire"
	"interop/address"
)

type permissions struct{}

func (permissions) Check(_ context.Context, request *wire.CheckRequest) (*wire.CheckResponse, error) {
	if request.Subject == "slow" {
		time.Sleep(10 * time.Millisecond)
	}
	if request.Subject == "" {
		return &wire.CheckResponse{}, nil
	}
	return &wire.CheckResponse{Allowed: true, Reason: "ALLOWED"}, nil
}

func main() {
	listen := flag.String("listen", "127.0.0.1:0", "host:port or the path of a unix socket")
	flag.Parse()
	if err := run(*listen); err != nil {
		fmt.Fprintln(os.Stderr, "grpc-server:", err)
		os.Exit(1)
	}
}

func run(listen string) error {
	// The defaults: stream workers (grpc.NumStreamWorkers) would run the 10 ms calls one after
	// another when there is one worker per core.
	server := grpc.NewServer()
	wire.RegisterPermissionsServer(server, permissions{})
	listener, err := address.Listen(listen)
	if err != nil {
		return err
	}
	stop := make(chan os.Signal, 1)
	signal.Notify(stop, syscall.SIGTERM, syscall.SIGINT)
	go func() {
		<-stop
		server.Stop()
	}()
	fmt.Printf("listening %s\n", listener.Addr())
	return server.Serve(listener)
}
