// Command ttrpc-server is a stock ttrpc server of benchmark.v1.Permissions, built on
// github.com/containerd/ttrpc: the foreign peer that our client is tested against.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/containerd/ttrpc"

	"interop/address"
	"interop/permissions"
)

func main() {
	listen := flag.String("listen", "127.0.0.1:0", "host:port (0 picks a port) or the path of a unix socket")
	untilStandardInputCloses := flag.Bool("until-stdin-closes", false,
		"also exit when standard input closes, so that the server never outlives a test")
	flag.Parse()
	if err := run(*listen, *untilStandardInputCloses); err != nil {
		fmt.Fprintln(os.Stderr, "ttrpc-server:", err)
		os.Exit(1)
	}
}

func run(listen string, untilStandardInputCloses bool) error {
	server, err := ttrpc.NewServer()
	if err != nil {
		return err
	}
	server.Register(permissions.ServiceName, map[string]ttrpc.Method{
		permissions.MethodName: func(ctx context.Context, decode func(interface{}) error) (interface{}, error) {
			var request permissions.CheckRequest
			if err := decode(&request); err != nil {
				return nil, err
			}
			response, err := check(ctx, &request)
			if err != nil {
				return nil, err
			}
			return response, nil
		},
	})
	listener, err := address.Listen(listen)
	if err != nil {
		return err
	}
	stop := make(chan os.Signal, 1)
	signal.Notify(stop, syscall.SIGTERM, syscall.SIGINT)
	if untilStandardInputCloses {
		go func() {
			_, _ = io.Copy(io.Discard, os.Stdin)
			stop <- syscall.SIGTERM
		}()
	}
	go func() {
		<-stop
		server.Close()
	}()
	fmt.Printf("listening %s\n", listener.Addr())
	if err := server.Serve(context.Background(), listener); err != ttrpc.ErrServerClosed {
		return err
	}
	return nil
}
