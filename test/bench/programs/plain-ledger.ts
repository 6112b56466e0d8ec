import { randomUUID } from 'node:crypto'
import type { Request, Response } from 'express'
import type postgres from 'postgres'
import { type Proposal, proposalSchema } from '../../../shared/contract/action/proposal-schema.ts'

/** How an action gets its job, in the transaction that accepts it. */
export type Enqueue = (tx: postgres.TransactionSql, id: string) => Promise<unknown>

/** A durable accept of a plain design: the same rows as the service's (action, three events, job) by five statements. */
export async function accept(sql: postgres.Sql, proposal: Proposal, enqueue: Enqueue): Promise<string> {
  const id = randomUUID()
  const decided = { decision: 'allow', status: 'execution_pending' }
  await sql.begin(async tx => {
    await tx`insert into action (action_id, tenant_id, proposal_id, status) values (${id}, 'bench', ${proposal.proposal_id}, 'execution_pending')`
    await tx`insert into event (action_id, sequence, kind, body) values (${id}, 0, 'proposal_received', ${tx.json(proposal)})`
    await tx`insert into event (action_id, sequence, kind, body) values (${id}, 1, 'verdict', ${tx.json(decided)})`
    await tx`insert into event (action_id, sequence, kind, body) values (${id}, 2, 'enqueued', ${tx.json({ attempt: 0 })})`
    await enqueue(tx, id)
  })
  return id
}

/** The bare Express route around an accept: what zod finds wrong answers 400. */
export function acceptRoute(acceptDurably: (proposal: Proposal) => Promise<string>) {
  return async (request: Request, response: Response): Promise<void> => {
    const parsed = proposalSchema.safeParse(request.body)
    if (!parsed.success) {
      response.status(400).json({ issues: parsed.error.issues })
      return
    }
    const action_id = await acceptDurably(parsed.data)
    response.status(202).json({ action_id, status: 'execution_pending' })
  }
}

/** Its outcome, as the last event and status. */
export async function recordOutcome(tx: postgres.TransactionSql, id: string): Promise<void> {
  await tx`insert into event (action_id, sequence, kind, body) values (${id}, 3, 'execution', ${tx.json({ outcome: 'ok' })})`
  await tx`update action set status = 'executed', updated_at = clock_timestamp() where action_id = ${id}`
}

export const ledgerTables = `
  create table action (
    action_id text primary key, tenant_id text not null, proposal_id text not null, status text not null,
    created_at timestamptz not null default clock_timestamp(), updated_at timestamptz not null default clock_timestamp(),
    unique (tenant_id, proposal_id)
  );
  create table event (
    action_id text not null references action, sequence int not null, kind text not null, body jsonb not null,
    at timestamptz not null default now(), primary key (action_id, sequence)
  );
  create table job (
    action_id text primary key references action, state text not null, next_run_at timestamptz not null default now()
  );
  create index job_due on job (next_run_at) where state = 'pending'`
