package main

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/containerd/ttrpc"
	"github.com/golang/protobuf/proto"
	"github.com/golang/protobuf/ptypes/any"
	spb "google.golang.org/genproto/googleapis/rpc/status"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"interop/permissions"
)

// replyByteCountMax keeps a mistyped "reply:" request from taking all memory.
const replyByteCountMax = 64 << 20

// slowDuration is how long a call of the subject "slow" takes.
const slowDuration = 10 * time.Millisecond

// check answers one request. The special contexts are documented in interop/README.md; the servers
// of all languages must agree on them.
func check(ctx context.Context, request *permissions.CheckRequest) (*permissions.CheckResponse, error) {
	if request.Subject == "slow" {
		if err := pause(ctx, slowDuration); err != nil {
			return nil, err
		}
	}
	verb, argument := request.Context, ""
	if colon := strings.IndexByte(request.Context, ':'); colon >= 0 {
		verb, argument = request.Context[:colon], request.Context[colon+1:]
	}
	switch verb {
	case "echo-metadata":
		value, _ := ttrpc.GetMetadataValue(ctx, argument)
		return &permissions.CheckResponse{Allowed: true, Reason: value}, nil
	case "sleep":
		duration, err := time.ParseDuration(argument)
		if err != nil {
			return nil, status.Error(codes.InvalidArgument, "sleep: not a duration")
		}
		if err := pause(ctx, duration); err != nil {
			return nil, err
		}
	case "fail":
		return nil, failure(argument, false)
	case "fail-details":
		return nil, failure(argument, true)
	case "reply":
		count, err := strconv.Atoi(argument)
		if err != nil || count < 0 || count > replyByteCountMax {
			return nil, status.Error(codes.InvalidArgument, "reply: not a byte count")
		}
		return &permissions.CheckResponse{Allowed: true, Reason: strings.Repeat("r", count)}, nil
	case "request-length":
		return &permissions.CheckResponse{Allowed: true, Reason: fmt.Sprint(len(request.Entity))}, nil
	}
	if request.Subject == "" {
		return &permissions.CheckResponse{}, nil
	}
	return &permissions.CheckResponse{Allowed: true, Reason: "ALLOWED"}, nil
}

// pause waits, but no longer than the call may take.
func pause(ctx context.Context, duration time.Duration) error {
	timer := time.NewTimer(duration)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// failure makes the error that "CODE:MESSAGE" describes, on request with one detail: a
// benchmark.v1.CheckResponse whose reason is the message.
func failure(argument string, withDetails bool) error {
	number, message := argument, ""
	if colon := strings.IndexByte(argument, ':'); colon >= 0 {
		number, message = argument[:colon], argument[colon+1:]
	}
	code, err := strconv.ParseInt(number, 10, 32)
	if err != nil || code == 0 {
		return status.Error(codes.InvalidArgument, "fail: not an error code")
	}
	result := &spb.Status{Code: int32(code), Message: message}
	if withDetails {
		value, err := proto.Marshal(&permissions.CheckResponse{Reason: message})
		if err != nil {
			return err
		}
		url := "type.googleapis.com/benchmark.v1.CheckResponse"
		result.Details = []*any.Any{{TypeUrl: url, Value: value}}
	}
	return status.ErrorProto(result)
}
