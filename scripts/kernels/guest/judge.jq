# What is wrong with a scenario of the lab, $id, whose cause must be known as firmly as $certainty;
# nothing where it is right.

# Faults that happen on any busy host, or that a GC log shows of any small heap.
def anyway: IN("cpu-contention", "cpu-steal", "host-stood-still", "late-java-thread", "heap-pressure");

def of(role): .results[] | select(.role == role);

([of("fault").causes[] | select(.nature == "fault" and (.id | anyway | not))][0]) as $first
| ([of("baseline").causes[] | select(.id == $id) | .time] | add // 0) as $without
| if $first == null then "no fault is named"
  elif $first.id != $id then "the first fault is \($first.id)"
  elif $first.certainty != $certainty then "\($id) is \($first.certainty)"
  elif $without * 10 > $first.time then "\($id) has \($without / 1e6 | floor) ms without the fault, \($first.time / 1e6 | floor) ms with it"
  else empty end
