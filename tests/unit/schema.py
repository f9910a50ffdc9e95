# SPDX-License-Identifier: GPL-2.0-only
"""Compares JSON documents with a JSON Schema, which has to describe each of their fields.

Usage: schema.py SCHEMA FILE...      FILE: a document, or named *.jsonl a document a line
"""
import json
import pathlib
import sys
import warnings

try:
    warnings.simplefilter("ignore")
    import jsonschema
except ImportError:
    sys.exit("schema.py: python3-jsonschema is missing: scripts/setup.sh test installs it")


def strict(schema):
    """The same schema, but a field that it does not name is an error."""
    if isinstance(schema, list):
        return [strict(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    made = {key: strict(value) for key, value in schema.items()}
    if isinstance(schema.get("properties"), dict) and "type" in schema:
        made.setdefault("additionalProperties", False)
    return made


def documents(path):
    text = pathlib.Path(path).read_text()
    return [json.loads(line) for line in text.splitlines()] if path.endswith(".jsonl") else [json.loads(text)]


schema = json.loads(pathlib.Path(sys.argv[1]).read_text())
jsonschema.Draft7Validator.check_schema(schema)
validator = jsonschema.Draft7Validator(strict(schema))
bad = 0
for path in sys.argv[2:]:
    for document in documents(path):
        for error in list(validator.iter_errors(document))[:5]:
            bad = 1
            print(f"not ok {path}: {'/'.join(map(str, error.absolute_path))}: {error.message[:300]}")
sys.exit(bad)
