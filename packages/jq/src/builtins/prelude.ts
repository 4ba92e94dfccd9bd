/** Builtins that read best in jq itself. They may use the native ones and each other. */
export const preludeSource = `
def first: .[0];
def last: .[-1];
def nth($n): .[$n];
def combinations:
  if length == 0 then [] else .[0][] as $head | .[1:] | combinations | [$head] + . end;
def combinations($n): . as $set | [range($n) | $set] | combinations;
def walk(f):
  def visit: if type == "array" then map(visit) elif type == "object" then map_values(visit) end | f;
  visit;
def truncate_stream(events): . as $depth | null | events | select(.[0] | length > $depth) | .[0] |= .[$depth:];
def JOIN($index; key): [.[] | [., $index[key]]];
def JOIN($index; rows; key): rows | [., $index[key]];
def JOIN($index; rows; key; join): rows | [., $index[key]] | join;
def todate: strftime("%Y-%m-%dT%H:%M:%SZ");
def fromdateiso8601: strptime("%Y-%m-%dT%H:%M:%SZ") | mktime;
def todateiso8601: strftime("%Y-%m-%dT%H:%M:%SZ");
def fromdate: fromdateiso8601;
def date: todate;
def dateadd(unit; $n): . + $n;
def datesub(unit; $n): . - $n;
`;
