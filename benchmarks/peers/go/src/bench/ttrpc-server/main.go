// Command ttrpc-server is the ttrpc server of the comparison, on containerd's library with
// generated marshalling.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/containerd/ttrpc"

	wire "bench/gogowire"
	"interop/address"
)

func main() {
	listen := flag.String("listen", "127.0.0.1:0", "host:port or the path of a unix socket")
	flag.Parse()
	if err := run(*listen); err != nil {
		fmt.Fprintln(os.Stderr, "ttrpc-server:", err)
		os.Exit(1)
	}
}

func run(listen string) error {
	server, err := ttrpc.NewServer()
	if err != nil {
		return err
	}
	server.Register("benchmark.v1.Permissions", map[string]ttrpc.Method{
		"Check": func(_ context.Context, decode func(interface{}) error) (interface{}, error) {
			var request wire.CheckRequest
			if err := decode(&request); err != nil {
				return nil, err
			}
			if request.Subject == "slow" {
				time.Sleep(10 * time.Millisecond)
			}
			if request.Subject == "" {
				return &wire.CheckResponse{}, nil
			}
			return &wire.CheckResponse{Allowed: true, Reason: "ALLOWED"}, nil
		},
	})
	listener, err := address.Listen(listen)
	if err != nil {
		return err
	}
	stop := make(chan os.Signal, 1)
	signal.Notify(stop, syscall.SIGTERM, syscall.SIGINT)
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
