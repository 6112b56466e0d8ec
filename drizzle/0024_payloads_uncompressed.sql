-- Payloads of up to 8 kB are stored as they are: to compress a verdict takes longer than to write it. Older rows stay as
-- they were, and either kind is read.
ALTER TABLE action_gate.event_payloads SET (toast_tuple_target = 8160);
