import type { PolicyTemplate } from '../contract/configuration/getting-started.ts'

const analytics: PolicyTemplate = {
  name: 'analytics',
  title: 'Read-only analytics',
  description:
    'An agent may query two datasets of a warehouse and nothing else: `equals` pins the mode to read-only, `one_of` names ' +
    'the datasets, `min` and `max` bound the rows. The threshold is high, so that everyday queries run unattended and ' +
    'one that the agent itself calls high-risk waits for the data stewards. The example is allowed.',
  mock_actuators: ['warehouse'],
  policy: {
    allowed_systems: ['warehouse'],
    allowed_operations: { warehouse: ['describe_dataset', 'run_query'] },
    parameter_constraints: {
      warehouse: {
        describe_dataset: { dataset: { one_of: ['orders', 'web_sessions'] } },
        run_query: {
          mode: { equals: 'read_only' },
          dataset: { one_of: ['orders', 'web_sessions'] },
          row_limit: { min: 1, max: 10_000 },
          timeout_seconds: { required: false, min: 1, max: 60 },
        },
      },
    },
    approval_required_at: 'high',
    review_route: 'data-stewards',
  },
  example_proposal: {
    proposal_id: 'analytics-example-1',
    actor: { agent_id: 'reporting-agent', run_id: 'weekly-report' },
    summary: 'Count last week’s orders by country for the weekly report',
    action: {
      target_system: 'warehouse',
      operation: 'run_query',
      parameters: {
        mode: 'read_only',
        dataset: 'orders',
        query: 'select country, count(*) from orders group by country',
        row_limit: 500,
      },
    },
    risk: { level: 'low', blast_radius: 'none: reads one dataset' },
  },
}

const support: PolicyTemplate = {
  name: 'support',
  title: 'Customer support with refunds',
  description:
    'An agent may answer tickets and refund up to 50 in three currencies. `max` is a hard bound: a refund above it is denied ' +
    'and no approver can let it through. The threshold is medium: a refund within the bound that is claimed as medium or ' +
    'high risk is held for the support leads. `order.id` is a dot path into a nested object, and a refund without it is ' +
    'denied. The example is allowed.',
  mock_actuators: ['helpdesk', 'payments'],
  policy: {
    allowed_systems: ['helpdesk', 'payments'],
    allowed_operations: { helpdesk: ['add_note', 'reply'], payments: ['refund'] },
    parameter_constraints: {
      helpdesk: {
        reply: { ticket_id: {}, channel: { one_of: ['chat', 'email'] } },
      },
      payments: {
        refund: {
          amount: { min: 0.01, max: 50 },
          currency: { one_of: ['EUR', 'GBP', 'USD'] },
          'order.id': {},
          reason: { required: false, one_of: ['damaged', 'duplicate_charge', 'late', 'not_received'] },
        },
      },
    },
    approval_required_at: 'medium',
    review_route: 'support-leads',
  },
  example_proposal: {
    proposal_id: 'support-example-1',
    actor: { agent_id: 'support-agent', run_id: 'ticket-4711' },
    summary: 'Refund 20 EUR for an order that arrived damaged',
    action: {
      target_system: 'payments',
      operation: 'refund',
      parameters: { amount: 20, currency: 'EUR', order: { id: 'order-1001' }, reason: 'damaged' },
      rollback_plan: 'Charge the amount again with the customer’s consent',
    },
    risk: { level: 'low', blast_radius: 'one customer, 20 EUR' },
  },
}

const deployment: PolicyTemplate = {
  name: 'deployment',
  title: 'Deployment with sign-off',
  description:
    'An agent may run any operation of the test runner, because `allowed_operations` has no entry for it, and deploy or roll ' +
    'back on the cluster, where it must name an environment, an image digest and a rolling strategy. The threshold is medium: ' +
    'what the agent claims to be low risk runs at once, anything above waits for the release managers. Strict mode would deny ' +
    'the test runner until its operations are listed. The example is held for approval.',
  mock_actuators: ['cluster', 'test-runner'],
  policy: {
    allowed_systems: ['cluster', 'test-runner'],
    allowed_operations: { cluster: ['deploy', 'rollback'] },
    parameter_constraints: {
      cluster: {
        deploy: {
          environment: { one_of: ['production', 'staging'] },
          'image.digest': {},
          'rollout.strategy': { equals: 'rolling' },
          'rollout.max_unavailable': { required: false, min: 0, max: 1 },
          replicas: { min: 2, max: 20 },
        },
        rollback: { environment: { one_of: ['production', 'staging'] }, revision: { min: 1 } },
      },
    },
    approval_required_at: 'medium',
    review_route: 'release-managers',
  },
  example_proposal: {
    proposal_id: 'deployment-example-1',
    actor: { agent_id: 'release-agent', run_id: 'release-2.4.0' },
    summary: 'Deploy version 2.4.0 of the checkout service to production',
    action: {
      target_system: 'cluster',
      operation: 'deploy',
      parameters: {
        environment: 'production',
        service: 'checkout',
        image: { digest: 'sha256:4bf5122f344554c53bde2ebb8cd2b7e3d1600ad631c385a5d7cce23c7785459a' },
        rollout: { strategy: 'rolling', max_unavailable: 1 },
        replicas: 6,
      },
      rollback_plan: 'cluster.rollback to the revision before this one',
    },
    risk: { level: 'high', blast_radius: 'all customers at check-out' },
  },
}

/**
 * The built-in starter policies (specification.md#endpoints). A description ends with the decision about its
 * example.
 */
export const policyTemplates: readonly PolicyTemplate[] = [analytics, support, deployment]
