import { useState } from 'react'
import { kindOf } from '../../../../shared/contract/actuator-kind/kinds.ts'
import type { JsonValue } from '../../../../shared/contract/base/json.ts'
import type { RegisteredActuator } from '../../../../shared/contract/configuration/actuator-schema.ts'
import { draftText } from '../../lib/policy/read-draft.ts'
import { useCall } from '../../lib/query.tsx'
import { useMay } from '../../lib/session/may.ts'
import { ForeignJson } from '../../panels/json/foreign-json.tsx'
import { Pencil, PlugZap } from '../../pictures/icons.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { Empty, Reading } from '../../ui/state.tsx'
import { ForeignText } from '../../ui/text.tsx'
import { ActuatorEditor } from './actuator-editor.tsx'

export function TenantActuators({ tenantId }: { tenantId: string }) {
  const query = useCall('read_actuators', { params: { tenant_id: tenantId } })
  const may = useMay()
  const [editing, setEditing] = useState(false)
  return (
    <Reading query={query} rows={6}>
      {({ actuators }) =>
        editing ? (
          <ActuatorEditor
            tenantId={tenantId}
            start={draftText({ actuators })}
            onClose={() => setEditing(false)}
          />
        ) : (
          <Card
            title="Actuators"
            hint="A system without one cannot be executed"
            padded={actuators.length > 0}
            actions={
              may('replace_actuators') && (
                <Button size="small" onClick={() => setEditing(true)}>
                  <Pencil className="size-4" aria-hidden /> Edit
                </Button>
              )
            }
          >
            {actuators.length === 0 ? (
              <Empty icon={PlugZap} title="No actuator is registered">
                Every proposal is denied until one is.
              </Empty>
            ) : (
              <ul className="flex flex-col gap-4">
                {actuators.map(actuator => (
                  <Actuator key={actuator.name} actuator={actuator} />
                ))}
              </ul>
            )}
          </Card>
        )
      }
    </Reading>
  )
}

function Actuator({ actuator: { name, kind, settings } }: { actuator: RegisteredActuator }) {
  const plain = Object.keys(settings).length === 0
  return (
    <li className="rounded-lg border border-line p-4">
      <p className="flex flex-wrap items-center gap-2">
        <ForeignText text={name} className="font-medium" />
        <Badge tone={kindOf({ kind }).simulated ? 'plain' : 'info'}>{kind}</Badge>
        {plain && <span className="text-sm text-soft">no settings</span>}
      </p>
      {!plain && (
        <div className="mt-3">
          <ForeignJson value={settings as unknown as JsonValue} label={`Settings of ${name}`} />
        </div>
      )}
    </li>
  )
}
