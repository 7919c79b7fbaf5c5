// Package address reads the address forms that every program here takes.
package address

import (
	"net"
	"os"
	"strings"
)

// Split turns "host:port", "tcp://host:port", "/path" or "unix:///path" into a network name and an
// address for package net.
func Split(text string) (network, address string) {
	switch {
	case strings.HasPrefix(text, "unix://"):
		return "unix", strings.TrimPrefix(text, "unix://")
	case strings.HasPrefix(text, "tcp://"):
		return "tcp", strings.TrimPrefix(text, "tcp://")
	case strings.HasPrefix(text, "/"):
		return "unix", text
	default:
		return "tcp", text
	}
}

// Listen opens a listener. A socket file that an earlier run left behind is removed first; any
// other file is not.
func Listen(text string) (net.Listener, error) {
	network, address := Split(text)
	if network == "unix" {
		if info, err := os.Lstat(address); err == nil && info.Mode()&os.ModeSocket != 0 {
			if err := os.Remove(address); err != nil {
				return nil, err
			}
		}
	}
	return net.Listen(network, address)
}

// Dial opens a connection.
func Dial(text string) (net.Conn, error) {
	return net.Dial(Split(text))
}
