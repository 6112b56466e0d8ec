-- The release before this one makes jobs that do not name their system, and nothing claims a pending job that does not.
CREATE FUNCTION action_gate.name_job_target() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  SELECT a.target_system INTO NEW.target_system FROM action_gate.actions a WHERE a.action_id = NEW.action_id;
  RETURN NEW;
END;
$$;
--> statement-breakpoint
CREATE TRIGGER execution_jobs_target BEFORE INSERT ON action_gate.execution_jobs
  FOR EACH ROW WHEN (NEW.target_system IS NULL) EXECUTE FUNCTION action_gate.name_job_target();
--> statement-breakpoint
ALTER TABLE action_gate.execution_jobs ENABLE ALWAYS TRIGGER execution_jobs_target;
--> statement-breakpoint
UPDATE action_gate.execution_jobs j SET target_system = a.target_system
FROM action_gate.actions a WHERE a.action_id = j.action_id AND j.state <> 'done' AND j.target_system IS NULL;
