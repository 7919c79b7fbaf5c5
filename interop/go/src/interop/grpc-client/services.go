package main

import (
	"context"
	"fmt"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/health/grpc_health_v1"
	reflection "google.golang.org/grpc/reflection/grpc_reflection_v1alpha"
)

func healthWatched(p *peer) (string, error) {
	client := grpc_health_v1.NewHealthClient(p.connection)
	served, err := client.Check(context.Background(), &grpc_health_v1.HealthCheckRequest{})
	if err := equal(served.GetStatus(), grpc_health_v1.HealthCheckResponse_SERVING, err); err != nil {
		return "", err
	}
	unknown := &grpc_health_v1.HealthCheckRequest{Service: "no.Such"}
	_, err = client.Check(context.Background(), unknown)
	if err := refused(err, codes.NotFound); err != nil {
		return "", err
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	watch, err := client.Watch(ctx, unknown)
	if err != nil {
		return "", err
	}
	state, err := watch.Recv()
	return first(equal(state.GetStatus(), grpc_health_v1.HealthCheckResponse_SERVICE_UNKNOWN, err))
}

// reflected asks by the messages of v1alpha, which are those of v1.
func reflected(version string) func(*peer) (string, error) {
	return func(p *peer) (string, error) {
		method := "/grpc.reflection." + version + ".ServerReflection/ServerReflectionInfo"
		stream, err := p.stream(context.Background(), method)
		if err != nil {
			return "", err
		}
		listed, err := ask(stream, &reflection.ServerReflectionRequest{
			MessageRequest: &reflection.ServerReflectionRequest_ListServices{},
		})
		if err != nil {
			return "", err
		}
		var names []string
		for _, service := range listed.GetListServicesResponse().GetService() {
			names = append(names, service.Name)
		}
		wanted := []string{
			"grpc.health.v1.Health", "grpc.reflection.v1.ServerReflection",
			"grpc.reflection.v1alpha.ServerReflection", "test.Echo",
		}
		found, err := ask(stream, symbol("benchmark.v1.CheckRequest"))
		if err != nil {
			return "", err
		}
		files := found.GetFileDescriptorResponse().GetFileDescriptorProto()
		missing, err := ask(stream, symbol("no.Such"))
		if err != nil {
			return "", err
		}
		return first(
			equal(names, wanted, nil), equal(len(files), 1, nil),
			equal(missing.GetErrorResponse().GetErrorCode(), 5, nil),
		)
	}
}

func symbol(name string) *reflection.ServerReflectionRequest {
	return &reflection.ServerReflectionRequest{
		MessageRequest: &reflection.ServerReflectionRequest_FileContainingSymbol{
			FileContainingSymbol: name,
		},
	}
}

func ask(
	stream grpc.ClientStream, request *reflection.ServerReflectionRequest,
) (*reflection.ServerReflectionResponse, error) {
	if err := stream.SendMsg(request); err != nil {
		return nil, fmt.Errorf("question: %w", err)
	}
	var response reflection.ServerReflectionResponse
	if err := stream.RecvMsg(&response); err != nil {
		return nil, fmt.Errorf("answer: %w", err)
	}
	return &response, nil
}
