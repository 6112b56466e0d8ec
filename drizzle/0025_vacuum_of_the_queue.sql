-- A claim walks over the index entries of jobs that were pending until a vacuum takes them away: by their number, not by
-- their share of a table that keeps every job, and from the indexes though few pages of the table hold them.
ALTER TABLE action_gate.execution_jobs SET (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 20000, vacuum_index_cleanup = on);
