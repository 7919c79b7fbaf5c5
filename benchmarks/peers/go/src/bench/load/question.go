package load

import "errors"

// The question every client asks; about as long as a real one.
const (
	Subject = "user:3f2a9c1e"
	Slow    = "slow"
	Action  = "device.unlock"
	Entity  = "portfolio/4711/unit/12/door/front"
	Context = "app"
)

// ErrWrongAnswer is counted as an error.
var ErrWrongAnswer = errors.New("the server did not answer \"allowed, ALLOWED\"")

// SubjectOf picks the subject of a call.
func SubjectOf(slow bool) string {
	if slow {
		return Slow
	}
	return Subject
}
