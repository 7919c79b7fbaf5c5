package load

import (
	"os"
	"syscall"
	"time"
	"unsafe"
)

// tickMin is how often arrivals are released at most: finer ticks would cost the generator more
// than they add in precision.
const tickMin = 50 * time.Microsecond

// pacer wakes its reader at a steady rate. It is a timerfd and not a time.Ticker, because Go 1.19
// rounds the sleep of an idle process up to a millisecond (runtime/netpoll_epoll.go, netpoll).
type pacer struct{ file *os.File }

func newPacer(interval time.Duration) (*pacer, error) {
	if interval < tickMin {
		interval = tickMin
	}
	descriptor, _, errno := syscall.Syscall(syscall.SYS_TIMERFD_CREATE, 1, /* CLOCK_MONOTONIC */
		syscall.O_NONBLOCK|syscall.O_CLOEXEC, 0)
	if errno != 0 {
		return nil, os.NewSyscallError("timerfd_create", errno)
	}
	// Interval, then first expiry.
	spec := [2]syscall.Timespec{
		syscall.NsecToTimespec(int64(interval)), syscall.NsecToTimespec(int64(interval)),
	}
	_, _, errno = syscall.Syscall6(syscall.SYS_TIMERFD_SETTIME, descriptor, 0,
		uintptr(unsafe.Pointer(&spec)), 0, 0, 0)
	if errno != 0 {
		syscall.Close(int(descriptor))
		return nil, os.NewSyscallError("timerfd_settime", errno)
	}
	return &pacer{os.NewFile(descriptor, "pacer")}, nil
}

// wait returns at the next tick, or at once when one was missed.
func (p *pacer) wait() error {
	var expirations [8]byte
	_, err := p.file.Read(expirations[:])
	return err
}

func (p *pacer) close() { p.file.Close() }
