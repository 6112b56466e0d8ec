import { type FormEvent, useState } from 'react'
import type { SlackApp, SlackCode, SlackState } from '../../../../shared/contract/slack-schema.ts'
import { useAct, useCall } from '../../lib/query.tsx'
import { useMay } from '../../lib/session/may.ts'
import { Confirm } from '../../panels/confirm.tsx'
import { Button } from '../../ui/button.tsx'
import { Card, Facts } from '../../ui/card.tsx'
import { CopyButton } from '../../ui/copy-button.tsx'
import { Field, TextInput } from '../../ui/field.tsx'
import { ProblemNote, Reading } from '../../ui/state.tsx'
import { ForeignText } from '../../ui/text.tsx'
import { Time } from '../../ui/time.tsx'

export function SlackCard({ tenantId }: { tenantId: string }) {
  const slack = useCall('read_slack', { params: { tenant_id: tenantId } })
  const may = useMay()
  return (
    <Card
      title="Slack"
      hint="Messages to Slack get buttons. Whoever presses one decides as the account that is linked."
    >
      <Reading query={slack} rows={2}>
        {({ app, link }) => (
          <div className="flex flex-col gap-5">
            {app === null ? (
              !may('put_slack_app') && (
                <p className="text-soft">An owner has not registered a Slack app yet.</p>
              )
            ) : (
              <Registered tenantId={tenantId} app={app} />
            )}
            {may('put_slack_app') && <AppForm key={app?.registered_at} tenantId={tenantId} app={app} />}
            {app !== null && may('make_slack_code') && <OwnLink tenantId={tenantId} link={link} />}
          </div>
        )}
      </Reading>
    </Card>
  )
}

function Registered({ tenantId, app }: { tenantId: string; app: SlackApp }) {
  const [asks, setAsks] = useState(false)
  const remove = useAct('delete_slack_app', { stale: ['read_slack'] })
  const may = useMay()
  const address = (url: string, what: string) => (
    <span key={what} className="flex min-w-0 items-center gap-1">
      <code className="min-w-0 font-mono text-[0.8125rem] break-all">{url}</code>
      <CopyButton text={url} what={what} bare />
    </span>
  )
  return (
    <>
      <Facts
        facts={[
          ['Workspace', <ForeignText key="team" text={app.team_id} />],
          ['Registered', <Time key="at" at={app.registered_at} />],
          ['Request URL of interactivity', address(app.interactions_url, 'Request URL of interactivity')],
          ['Request URL of the slash command', address(app.commands_url, 'Request URL of the slash command')],
        ]}
      />
      {may('delete_slack_app') && (
        <Button size="small" variant="danger" className="self-start" onClick={() => setAsks(true)}>
          Remove the Slack app
        </Button>
      )}
      <Confirm
        open={asks}
        onClose={() => setAsks(false)}
        act={remove}
        input={() => ({ params: { tenant_id: tenantId } })}
        title="Remove the Slack app?"
        label="Remove it"
        keep="Keep it"
        done="The Slack app is removed"
        danger
      >
        <p className="text-sm">Its buttons decide nothing any more, and everybody’s link ends.</p>
      </Confirm>
    </>
  )
}

function AppForm({ tenantId, app }: { tenantId: string; app: SlackApp | null }) {
  const [team, setTeam] = useState(app?.team_id ?? '')
  const [secret, setSecret] = useState('')
  const put = useAct('put_slack_app', { stale: ['read_slack'] })
  const save = (event: FormEvent): void => {
    event.preventDefault()
    const body = { team_id: team.trim(), signing_secret: secret.trim() }
    put.mutate({ params: { tenant_id: tenantId }, body })
  }
  return (
    <form onSubmit={save} className="flex flex-col gap-4 border-t border-line pt-4 first:border-0 first:pt-0">
      <Field label="Workspace id" hint="It begins with T.">
        <TextInput value={team} required onChange={event => setTeam(event.currentTarget.value)} />
      </Field>
      <Field
        label="Signing secret"
        hint="From Basic Information of your Slack app. It is sealed, and nobody can read it again."
      >
        <TextInput
          type="password"
          autoComplete="off"
          value={secret}
          required
          onChange={event => setSecret(event.currentTarget.value)}
        />
      </Field>
      <p className="text-sm text-soft">
        Whoever knows the signing secret can decide as everybody who is linked. Registering it ends every
        link.
      </p>
      {put.error && <ProblemNote error={put.error} />}
      <Button type="submit" className="self-start" busy={put.isPending}>
        {app === null ? 'Register the Slack app' : 'Register another one'}
      </Button>
    </form>
  )
}

function OwnLink({ tenantId, link }: { tenantId: string; link: SlackState['link'] }) {
  const [made, setMade] = useState<SlackCode | null>(null)
  const make = useAct('make_slack_code', { stale: [] })
  const unlink = useAct('unlink_slack', { stale: ['read_slack'] })
  const refused = make.error ?? unlink.error
  const params = { tenant_id: tenantId }
  return (
    <div className="flex flex-col gap-3 border-t border-line pt-4">
      <h3 className="font-semibold">You in Slack</h3>
      {link === null ? (
        <p className="text-soft">No Slack user is linked to you here.</p>
      ) : (
        <p>
          <ForeignText text={link.user_id} />, linked <Time at={link.linked_at} />
        </p>
      )}
      <span className="flex flex-wrap gap-2">
        <Button
          size="small"
          busy={make.isPending}
          onClick={() => make.mutate({ params }, { onSuccess: setMade })}
        >
          {link === null ? 'Link your Slack user' : 'Link another Slack user'}
        </Button>
        {link !== null && (
          <Button
            size="small"
            variant="danger"
            busy={unlink.isPending}
            onClick={() => unlink.mutate({ params })}
          >
            End the link
          </Button>
        )}
      </span>
      {refused && <ProblemNote error={refused} />}
      {made && (
        <div role="status" className="flex flex-col gap-2">
          <p className="text-sm">
            Send this code within ten minutes, with the slash command of the Slack app. It is shown once.
            Whoever sends it decides as you: give it to nobody.
          </p>
          <span className="flex flex-wrap items-center gap-3 rounded-lg border border-line-strong bg-sunken py-3 pr-3 pl-4">
            <code className="min-w-0 flex-1 basis-60 font-mono text-sm break-all select-all">
              {made.code}
            </code>
            <CopyButton text={made.code} what="Code" />
          </span>
        </div>
      )}
    </div>
  )
}
