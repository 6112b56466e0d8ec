import { type ReactNode, useCallback, useEffect, useRef, useState } from 'react'
import { useNavigate } from 'react-router'
import type { InboxAction } from '../../../../shared/contract/action/inbox-schema.ts'
import { counted } from '../../lib/format.ts'
import { useMay } from '../../lib/session/may.ts'
import { useShortcutChoice, useShortcuts } from '../../lib/shortcuts.ts'
import { useWide } from '../../lib/wide.ts'
import { classes } from '../../ui/classes.ts'
import { CommentDialog } from './comment-dialog.tsx'
import { DecisionDialog, type DecisionKind } from './decision-dialog.tsx'
import { useDesk } from './desk.ts'
import { EditDialog } from './edit-dialog.tsx'
import { HeldDetail, type HeldView } from './held-detail.tsx'
import { ChosenBar } from './inbox/chosen-bar.tsx'
import { HeldList } from './inbox/held-list.tsx'
import { HeldNarrowing } from './inbox/held-narrowing.tsx'
import { ShortcutLegend } from './inbox/shortcut-legend.tsx'
import type { Narrowed, useHeld } from './inbox/use-held.ts'
import { useSelection } from './inbox/use-selection.ts'
import type { Decision } from './last-decision.tsx'
import { OpenedAction } from './opened-action.tsx'
import { useQuorum } from './use-quorum.ts'

export interface ApprovalsInboxProps {
  actionId: string | undefined
  inbox: ReturnType<typeof useHeld>
  narrowed: Narrowed
  polling: boolean
  online: boolean
  onNarrow(narrowed: Narrowed): void
  onLeft(ids: readonly string[]): void
  onDecided(decision: Decision): void
}

/** A decision before the desk adds `params` and `tracePath`. */
type Told = Omit<Decision, 'params' | 'tracePath'>

/** Shows the list beside the opened action. A narrow screen shows only the list or only the action. */
export function ApprovalsInbox(props: ApprovalsInboxProps) {
  const { actionId, inbox, narrowed, polling, online, onNarrow, onLeft } = props
  const { held, more, full, loadMore } = inbox
  const asking = useAsked(actionId)
  const opened = held.find(({ action_id }) => action_id === actionId)
  const standing = useStanding(opened)
  const { mayDecide, approved } = standing
  const [shortcuts, chooseShortcuts] = useShortcutChoice()
  const selection = useSelection(held)
  const [batch, setBatch] = useState<DecisionKind>()
  const [writing, setWriting] = useState<Writing>()
  const heading = useRef<HTMLHeadingElement>(null)
  const walk = useWalk({ actionId, held, heading })
  const tell = useTell(props, walk.onward)
  useShortcuts(shortcuts && !asking.asked.open && writing === undefined, {
    j: () => walk.move(1),
    k: () => walk.move(-1),
    ...lettersOf({ ...standing, actionId, selection, ask: asking.ask, askAll: setBatch, write: setWriting }),
  })
  return (
    <div className="grid items-start gap-6 lg:grid-cols-[minmax(15rem,23rem)_minmax(0,1fr)]">
      <ListPane
        title={`${counted(held.length, 'action')}${more ? ' or more' : ''} waiting`}
        aside={actionId !== undefined}
      >
        <HeldNarrowing value={narrowed} held={held} polling={polling} onChange={onNarrow} />
        {mayDecide && (
          <ChosenBar selection={selection} held={held} batch={batch} onBatch={setBatch} onLeft={onLeft} />
        )}
        <HeldList
          chosen={selection.ids}
          onChoose={mayDecide ? selection.toggle : null}
          held={held}
          selected={actionId}
          more={more}
          full={full}
          pathOf={walk.pathOf}
          onMore={loadMore}
          onEnter={walk.focusHeading}
          onMove={walk.move}
        />
        <ShortcutLegend on={shortcuts} onChoose={chooseShortcuts} />
      </ListPane>
      {actionId !== undefined && (
        <OpenedPane
          key={actionId}
          actionId={actionId}
          held={opened}
          heading={heading}
          asking={asking}
          online={online}
          approved={approved}
          tell={tell}
          writing={writing}
          onWrite={setWriting}
        />
      )}
    </div>
  )
}

function ListPane({ title, aside, children }: { title: string; aside: boolean; children: ReactNode }) {
  return (
    <section
      aria-labelledby="waiting"
      className={classes(
        'min-w-0 rounded-xl border border-line bg-surface shadow-card lg:sticky lg:top-4',
        aside && 'hidden lg:block',
      )}
    >
      <h2 id="waiting" className="border-b border-line px-4 py-3 text-sm font-semibold">
        {title}
      </h2>
      {children}
    </section>
  )
}

interface OpenedPaneProps {
  actionId: string
  held: InboxAction | undefined
  heading: React.RefObject<HTMLHeadingElement | null>
  asking: ReturnType<typeof useAsked>
  online: boolean
  /** True if the signed-in person has already approved the action. */
  approved: boolean
  tell: ReturnType<typeof useTell>
  writing: Writing | undefined
  onWrite(writing: Writing | undefined): void
}

function OpenedPane(props: OpenedPaneProps) {
  const { actionId, held, heading, asking, online, approved, tell, writing, onWrite } = props
  const { asked, ask, close } = asking
  return (
    <OpenedAction actionId={actionId} held={held}>
      {(view, trace) => (
        <>
          <HeldDetail
            view={view}
            trace={trace}
            heading={heading}
            onDecide={ask}
            onWrite={kind => onWrite({ kind, actionId })}
          />
          <WritingDialogs
            view={view}
            writing={writing}
            onClose={() => onWrite(undefined)}
            onEdited={edited => tell(edited, true)}
          />
          <DecisionDialog
            key={asked.count}
            kind={asked.kind}
            view={view}
            trace={trace}
            open={asked.open}
            online={online}
            onClose={close}
            onDecided={({ action_status: status }) => {
              const isOver = status !== 'pending_approval'
              close()
              tell({ ...subjectOf(view), actionId, kind: asked.kind, status }, isOver)
            }}
            finalFocus={() => (view.status === 'pending_approval' && !approved ? null : heading.current)}
          />
        </>
      )}
    </OpenedAction>
  )
}

interface Writing {
  kind: 'comment' | 'edit'
  actionId: string
}

interface WritingDialogsProps {
  view: HeldView
  writing: Writing | undefined
  onClose(): void
  onEdited(decision: Told): void
}

function WritingDialogs({ view, writing, onClose, onEdited }: WritingDialogsProps) {
  const { action_id: id, status, verdict } = view
  const open = status === 'pending_approval' && writing?.actionId === id ? writing.kind : null
  return (
    <>
      <CommentDialog key={`comment-${id}`} view={view} open={open === 'comment'} onClose={onClose} />
      <EditDialog
        key={`edit-${id}-${verdict.proposal_hash}`}
        view={view}
        open={open === 'edit'}
        onClose={onClose}
        onEdited={({ action_id: actionId, action_status }) => {
          onClose()
          onEdited({ ...subjectOf(view), actionId, kind: 'approve', status: action_status })
        }}
      />
    </>
  )
}

interface Standing {
  mayDecide: boolean
  approved: boolean
  /** True if the action's route does not name this person, so that this person may not decide. */
  outside: boolean
}

function useTell({ onDecided }: Pick<ApprovalsInboxProps, 'onDecided'>, onward: () => void) {
  const { params, tracePathOf } = useDesk()
  return (told: Told, isOver: boolean): void => {
    onDecided({ ...told, params, tracePath: tracePathOf ? tracePathOf(told.actionId) : null })
    if (isOver) onward()
  }
}

function subjectOf({ proposal }: HeldView): Pick<Told, 'operation' | 'system'> {
  const { operation, target_system: system } = proposal.action
  return { operation, system }
}

function useStanding(opened: InboxAction | undefined): Standing {
  const { requests, applicationOf } = useDesk()
  // A list across applications contains only actions that this person may decide.
  const mayDecide = useMay()(requests.approve) || applicationOf !== null
  const approved = useQuorum(opened?.approvals)?.own != null
  return { mayDecide, approved, outside: opened?.route?.names_you === false }
}

interface Letters extends Standing {
  actionId: string | undefined
  selection: ReturnType<typeof useSelection>
  ask(kind: DecisionKind): void
  askAll(kind: DecisionKind): void
  write(writing: Writing): void
}

/** Binds the letters that decide to the selected actions. Without a selection they decide the opened action. */
function lettersOf({
  mayDecide,
  actionId,
  approved,
  outside,
  selection,
  ask,
  askAll,
  write,
}: Letters): Record<string, () => void> {
  if (!mayDecide) return {}
  const selects = actionId === undefined ? {} : { x: () => selection.toggle(actionId) }
  if (selection.chosen.length > 0)
    return { ...selects, a: () => askAll('approve'), r: () => askAll('reject') }
  if (actionId === undefined) return {}
  if (outside) return selects
  return {
    ...selects,
    ...(approved ? {} : { a: () => ask('approve') }),
    r: () => ask('reject'),
    c: () => write({ kind: 'comment', actionId }),
    e: () => write({ kind: 'edit', actionId }),
  }
}

/**
 * Tracks the open decision dialog. Each opening increases `count`, so that the dialog begins with an empty note.
 * Opening another action closes the dialog.
 */
function useAsked(actionId: string | undefined) {
  const [asked, setAsked] = useState({
    kind: 'approve' as DecisionKind,
    about: actionId,
    open: false,
    count: 0,
  })
  return {
    asked: { ...asked, open: asked.open && asked.about === actionId },
    ask: (kind: DecisionKind) =>
      setAsked(({ count }) => ({ kind, about: actionId, open: true, count: count + 1 })),
    close: () => setAsked(before => ({ ...before, open: false })),
  }
}

interface Walk {
  actionId: string | undefined
  held: readonly InboxAction[]
  heading: React.RefObject<HTMLHeadingElement | null>
}

function useWalk({ actionId, held, heading }: Walk) {
  const navigate = useNavigate()
  const wide = useWide()
  const focusNext = useRef(false)
  const lastPlace = useRef(0)
  const ids = held.map(({ action_id }) => action_id)
  const place = actionId === undefined ? -1 : ids.indexOf(actionId)
  if (place >= 0) lastPlace.current = place
  const desk = useDesk()
  const { home } = desk
  const pathOf = useCallback(
    (id: string) => desk.pathOf(id, held.find(({ action_id }) => action_id === id)?.tenant_id ?? ''),
    [desk, held],
  )
  const first = ids[0]

  useEffect(() => {
    if (wide && actionId === undefined && first !== undefined) void navigate(pathOf(first), { replace: true })
  }, [wide, actionId, first, pathOf, navigate])
  useEffect(() => {
    if (!focusNext.current) return
    focusNext.current = false
    const target = actionId === undefined ? document.getElementById('content') : heading.current
    target?.focus()
  }, [actionId, heading])

  return {
    pathOf,
    focusHeading() {
      focusNext.current = true
      heading.current?.focus()
    },
    move(step: 1 | -1) {
      const focused = document.activeElement?.id.replace(/^held-/, '') ?? ''
      const from = wide || !ids.includes(focused) ? place : ids.indexOf(focused)
      const id = ids[from < 0 ? lastPlace.current : from + step]
      if (id === undefined) return
      if (wide) void navigate(pathOf(id), { replace: true })
      window.requestAnimationFrame(() => document.getElementById(`held-${id}`)?.focus())
    },
    onward() {
      focusNext.current = true
      const rest = ids.filter(id => id !== actionId)
      const id = wide ? rest[Math.min(lastPlace.current, rest.length - 1)] : undefined
      void navigate(id === undefined ? home : pathOf(id), { replace: true })
    },
  }
}
