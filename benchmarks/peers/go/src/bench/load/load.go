// Package load is the load generator that the Go clients share: closed and open loop, percentiles,
// one line of JSON. benchmarks/README.md documents flags and output.
package load

import (
	"encoding/json"
	"flag"
	"fmt"
	"math/rand"
	"os"
	"sync"
	"time"
)

// Call makes one call on a connection and checks the answer. A slow call asks for the subject
// "slow".
type Call func(slow bool) error

// Dial opens one connection.
type Dial func(target string) (call Call, closeConnection func(), err error)

type settings struct {
	target      string
	connections int
	inFlight    int
	seconds     float64
	warmup      float64
	rate        float64
	slowPercent float64
	hold        float64
}

// report is the line of output. Percentiles are of the calls that were not slow on purpose.
type report struct {
	Client      string  `json:"client"`
	Connections int     `json:"connections"`
	InFlight    int     `json:"in_flight"`
	RateWanted  float64 `json:"rate_wanted"`
	SlowPercent float64 `json:"slow_percent"`
	Calls       uint64  `json:"calls"`
	Errors      uint64  `json:"errors"`
	CallsTotal  uint64  `json:"calls_total"`
	Seconds     float64 `json:"seconds"`
	Rate        float64 `json:"rate"`
	P50         float64 `json:"p50_us"`
	P99         float64 `json:"p99_us"`
	P999        float64 `json:"p999_us"`
	Max         float64 `json:"max_us"`
}

// Main reads the flags, runs the load and prints the report.
func Main(client string, dial Dial) {
	var s settings
	flag.StringVar(&s.target, "target", "", "host:port or the path of a unix socket")
	flag.IntVar(&s.connections, "connections", 1, "connections")
	flag.IntVar(&s.inFlight, "in-flight", 1, "calls in flight per connection")
	flag.Float64Var(&s.seconds, "seconds", 5, "seconds measured")
	flag.Float64Var(&s.warmup, "warmup", 1, "seconds before that, not measured")
	flag.Float64Var(&s.rate, "rate", 0, "arrivals per second (open loop); 0 is a closed loop")
	flag.Float64Var(&s.slowPercent, "slow-percent", 0, "share of calls with the subject \"slow\"")
	flag.Float64Var(&s.hold, "hold", 0, "instead of load: one call per connection, then hold them for these seconds")
	flag.Parse()
	if s.target == "" || s.connections < 1 || s.inFlight < 1 || s.seconds <= 0 || s.warmup < 0 ||
		s.rate < 0 || s.slowPercent < 0 || s.slowPercent > 100 {
		flag.Usage()
		os.Exit(2)
	}
	if err := run(client, s, dial); err != nil {
		fmt.Fprintf(os.Stderr, "%s: %v\n", client, err)
		os.Exit(1)
	}
}

func run(client string, s settings, dial Dial) error {
	calls := make([]Call, s.connections)
	for i := range calls {
		call, closeConnection, err := dial(s.target)
		if err != nil {
			return err
		}
		defer closeConnection()
		// A server that answers wrongly must not win.
		if err := call(false); err != nil {
			return fmt.Errorf("connection %d: %w", i, err)
		}
		calls[i] = call
	}
	if s.hold > 0 {
		fmt.Println("holding")
		time.Sleep(time.Duration(s.hold * float64(time.Second)))
		return nil
	}
	started := time.Now()
	measuredFrom := started.Add(time.Duration(s.warmup * float64(time.Second)))
	end := measuredFrom.Add(time.Duration(s.seconds * float64(time.Second)))
	g := &generator{settings: s, measuredFrom: measuredFrom, end: end}
	if s.rate > 0 {
		if err := g.startArrivals(started); err != nil {
			return err
		}
	}
	var group sync.WaitGroup
	workers := make([]worker, s.connections*s.inFlight)
	for i := range workers {
		group.Add(1)
		go func(i int) {
			defer group.Done()
			workers[i].random = rand.New(rand.NewSource(int64(i)))
			workers[i].run(g, calls[i%len(calls)])
		}(i)
	}
	group.Wait()

	var all worker
	for i := range workers {
		all.latencies.merge(&workers[i].latencies)
		all.slow += workers[i].slow
		all.errors += workers[i].errors
		all.total += workers[i].total
	}
	counted := all.latencies.total + all.slow
	return json.NewEncoder(os.Stdout).Encode(report{
		Client: client, Connections: s.connections, InFlight: s.inFlight,
		RateWanted: s.rate, SlowPercent: s.slowPercent,
		Calls: counted, Errors: all.errors, CallsTotal: all.total + uint64(s.connections),
		Seconds: s.seconds, Rate: float64(counted) / s.seconds,
		P50: all.latencies.microseconds(0.5), P99: all.latencies.microseconds(0.99),
		P999: all.latencies.microseconds(0.999), Max: float64(all.latencies.max) / 1000,
	})
}

// generator is what the workers share.
type generator struct {
	settings
	measuredFrom, end time.Time
	// arrivals carries the intended send times of an open loop; nil in a closed loop.
	arrivals chan time.Time
}

// startArrivals releases calls at their intended times. The channel is as long as the whole run, so
// that a server that falls behind delays the calls and not the clock.
func (g *generator) startArrivals(started time.Time) error {
	interval := time.Duration(float64(time.Second) / g.rate)
	pacer, err := newPacer(interval)
	if err != nil {
		return err
	}
	g.arrivals = make(chan time.Time, int(g.end.Sub(started).Seconds()*g.rate)+16)
	go func() {
		defer pacer.close()
		defer close(g.arrivals)
		for sent := 0; ; {
			if pacer.wait() != nil {
				return
			}
			now := time.Now()
			for {
				due := started.Add(time.Duration(float64(sent) / g.rate * float64(time.Second)))
				if !due.Before(g.end) {
					return
				}
				if due.After(now) {
					break
				}
				g.arrivals <- due
				sent++
			}
		}
	}()
	return nil
}

// drainLimit bounds how long an overloaded open loop is followed after its end.
const drainLimit = 2 * time.Second

// worker makes one call at a time.
type worker struct {
	random              *rand.Rand
	latencies           histogram
	slow, errors, total uint64
}

func (w *worker) run(g *generator, call Call) {
	for {
		intended := time.Now()
		if g.arrivals != nil {
			due, open := <-g.arrivals
			if !open || time.Now().After(g.end.Add(drainLimit)) {
				return
			}
			intended = due
		} else if !intended.Before(g.end) {
			return
		}
		slow := g.slowPercent > 0 && w.random.Float64()*100 < g.slowPercent
		err := call(slow)
		finished := time.Now()
		w.total++
		// An open loop measures every call that was due in time, however late it ended; a closed
		// loop, the calls that ended in time.
		last := finished
		if g.arrivals != nil {
			last = intended
		}
		if intended.Before(g.measuredFrom) || last.After(g.end) {
			continue
		}
		switch {
		case err != nil:
			w.errors++
		case slow:
			w.slow++
		default:
			w.latencies.add(finished.Sub(intended))
		}
	}
}
