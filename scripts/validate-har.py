"""Reads a HAR file with hario-core and haralyzer; fails if they report an error or another number of entries."""

import json
import sys

from haralyzer import HarParser
from hario_core.parse import parse

path = sys.argv[1]
with open(path, encoding="utf-8") as file:
    raw = json.load(file)["log"]

log = parse(path)
assert log.version == "1.2", log.version
assert len(log.entries) == len(raw["entries"]) > 0

# The model checks fields and their types. These are the specification's rules for values.
for number, entry in enumerate(raw["entries"]):
    where = f"entry {number}, {entry['request']['method']} {entry['request']['url']}"
    timings = entry["timings"]
    parts = [timings[name] for name in ("blocked", "dns", "connect", "send", "wait", "receive")]
    assert abs(entry["time"] - sum(part for part in parts if part >= 0)) < 0.01, f"{where}: time is not the sum"
    assert all(timings[name] >= 0 for name in ("send", "wait", "receive")), f"{where}: a needed timing is missing"
    assert timings["ssl"] <= timings["connect"], f"{where}: connect does not contain ssl"
    assert "#" not in entry["request"]["url"], f"{where}: a fragment"

analysis = HarParser({"log": raw})
assert analysis.creator["name"] == "straightline", analysis.creator
statuses = [entry["response"]["status"] for entry in analysis.har_data["entries"]]
matching = [entry for entry in analysis.har_data["entries"] if HarParser.match_status_code(entry, "^2")]
assert len(matching) == sum(200 <= status < 300 for status in statuses)
assert all(HarParser.match_http_version(entry, "HTTP/1.1") for entry in matching)

print(f"{path}: {len(log.entries)} entries, valid for hario-core, readable for haralyzer")
