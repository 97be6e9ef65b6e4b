"""Records in the formats of other tools: chat transcripts, Inspect's logs, OpenTelemetry."""
