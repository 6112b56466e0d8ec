-- Every process that can still run names the system of a job that it makes.
DROP TRIGGER execution_jobs_target ON action_gate.execution_jobs;
--> statement-breakpoint
DROP FUNCTION action_gate.name_job_target();
