import type { slackEndpoints } from '../../shared/contract/endpoints/slack-endpoints.ts'
import { makeSlackCode, unlinkSlack } from '../../shared/flow/account/slack-links.ts'
import { commandInSlack } from '../../shared/flow/slack/command-in-slack.ts'
import { decideInSlack } from '../../shared/flow/slack/decide-in-slack.ts'
import { deleteSlackApp, putSlackApp, readSlack } from '../../shared/flow/slack/slack-app.ts'
import type { Handlers } from './handler.ts'

export const slackHandlers: Handlers<typeof slackEndpoints> = {
  async read_slack(context, { principal }) {
    return { status: 200, body: await readSlack(context, principal) }
  },
  async put_slack_app(context, { params, body: request, principal: author }) {
    return { status: 200, body: await putSlackApp(context, params.tenant_id, { request, author }) }
  },
  async delete_slack_app(context, { params, principal }) {
    return { status: 200, body: await deleteSlackApp(context, params.tenant_id, principal) }
  },
  async make_slack_code(context, { principal }) {
    return { status: 201, body: await makeSlackCode(context, principal) }
  },
  async unlink_slack(context, { principal }) {
    return { status: 200, body: await unlinkSlack(context, principal) }
  },
  async decide_in_slack(context, { params, signed, body: { payload }, span }) {
    await decideInSlack(context, { ...params, signed }, { payload, span })
    return { status: 200, body: {} }
  },
  async command_in_slack(context, { params, signed, body }) {
    const text = await commandInSlack(context, { ...params, signed }, body)
    return { status: 200, body: { response_type: 'ephemeral', text } }
  },
}
