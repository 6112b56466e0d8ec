import { type ClipboardEvent, type KeyboardEvent, useId, useMemo, useRef, useState } from 'react'
import type { Issue } from '../../../../shared/contract/base/errors.ts'
import { lineOfPath, lineSpan } from '../../lib/policy/line-of-path.ts'
import type { PlacedIssue } from '../../lib/policy/read-draft.ts'
import { seenJson } from '../../lib/suspicious.ts'
import { classes } from '../../ui/classes.ts'
import { IssueList } from './issue-list.tsx'
import { LineNumbers, lineHeight } from './line-numbers.tsx'

const placedMax = 100
/** The number of characters from which a pasted text is inserted directly, because the browser would take long. */
const pastedLong = 20_000

export interface JsonEditorProps {
  label: string
  value: string
  onChange(value: string): void
  /** Errors to show. The line of an error without one is found by its path. */
  issues: readonly (Issue | PlacedIssue)[]
  warnings?: readonly Issue[]
  lines?: number
  onSend?(): void
  onLeave?(): void
}

/**
 * Edits JSON with line numbers. Tab leaves the box, Enter keeps the indentation, and Ctrl+] and Ctrl+[ change the
 * indentation. Invisible characters become escapes, even typed or pasted ones.
 */
export function JsonEditor({
  label,
  value: given,
  onChange,
  issues,
  warnings = [],
  lines = 28,
  onSend,
  onLeave,
}: JsonEditorProps) {
  const box = useRef<HTMLTextAreaElement>(null)
  const [top, setTop] = useState(0)
  const id = useId()
  const value = seenJson(given)
  const wrong = usePlaced(value, issues)
  const odd = usePlaced(value, warnings)
  const height = Math.min(Math.max(countLines(value), 8), lines) * lineHeight + 24
  const jump = (line: number): void => jumpTo(box.current, value, line)
  return (
    <div className="flex min-w-0 flex-col gap-3">
      <div
        className={classes(
          'relative flex overflow-hidden rounded-lg border bg-sunken font-mono text-[0.8125rem] focus-within:outline-2 focus-within:outline-offset-1 focus-within:outline-accent',
          wrong.length > 0 ? 'border-bad' : 'border-line-strong',
        )}
        style={{ height }}
      >
        <LineNumbers count={countLines(value)} top={top} height={height} wrong={wrong} odd={odd} />
        <textarea
          ref={box}
          aria-label={label}
          aria-invalid={wrong.length > 0}
          aria-describedby={id}
          value={value}
          wrap="off"
          spellCheck={false}
          autoCapitalize="off"
          autoComplete="off"
          onChange={event => onChange(seenWhereTyped(event.currentTarget))}
          onScroll={event => setTop(event.currentTarget.scrollTop)}
          onKeyDown={event => {
            if (onSend && event.key === 'Enter' && (event.ctrlKey || event.metaKey)) onSend()
            else indent(event)
          }}
          onPaste={event => pasteLong(event, onChange)}
          onBlur={onLeave}
          className="min-w-0 flex-1 resize-none overflow-auto bg-surface px-3 py-3 leading-[21px] outline-none"
        />
      </div>
      <div id={id} aria-live="polite">
        <IssueList tone="bad" issues={wrong} onJump={jump} />
        <IssueList tone="warn" issues={odd} onJump={jump} />
      </div>
    </div>
  )
}

/** Finds the lines of the first 100 issues only, because each search parses the text. */
function usePlaced(text: string, issues: readonly (Issue | PlacedIssue)[]): PlacedIssue[] {
  return useMemo(
    () =>
      issues.map((issue, place) =>
        'line' in issue ? issue : { ...issue, line: place < placedMax ? lineOfPath(text, issue.path) : null },
      ),
    [text, issues],
  )
}

function jumpTo(box: HTMLTextAreaElement | null, text: string, line: number): void {
  if (!box) return
  const [from, to] = lineSpan(text, line)
  box.focus()
  box.setSelectionRange(from, to)
  box.scrollTop = Math.max(0, (line - 5) * lineHeight)
}

/**
 * Escapes invisible characters, and moves the caret behind them, because an escape is longer than its character.
 */
function seenWhereTyped(box: HTMLTextAreaElement): string {
  const text = box.value
  const seen = seenJson(text)
  if (seen === text) return text
  const caret = seenJson(text.slice(0, box.selectionStart)).length
  box.value = seen
  box.setSelectionRange(caret, caret)
  return seen
}

/** Inserts a long text directly, which is fast. The browser's undo does not cover it. */
function pasteLong(event: ClipboardEvent<HTMLTextAreaElement>, onChange: (value: string) => void): void {
  const pasted = event.clipboardData.getData('text/plain')
  if (pasted.length < pastedLong) return
  event.preventDefault()
  const { value, selectionStart, selectionEnd } = event.currentTarget
  const text = seenJson(pasted.replaceAll('\r\n', '\n'))
  onChange(value.slice(0, selectionStart) + text + value.slice(selectionEnd))
}

/** Indents with the browser's own edit commands, so that undo covers the change. */
function indent(event: KeyboardEvent<HTMLTextAreaElement>): void {
  const box = event.currentTarget
  const { value, selectionStart, selectionEnd } = box
  const lineStart = value.lastIndexOf('\n', selectionStart - 1) + 1
  if (event.key === 'Enter' && !event.ctrlKey && !event.metaKey && !event.nativeEvent.isComposing) {
    const [margin = ''] = /^[ \t]*/.exec(value.slice(lineStart, selectionStart)) ?? []
    const deeper = /[{[]\s*$/.test(value.slice(lineStart, selectionStart)) ? '  ' : ''
    event.preventDefault()
    type(box, `\n${margin}${deeper}`)
    return
  }
  if (!(event.ctrlKey || event.metaKey) || (event.key !== ']' && event.key !== '[')) return
  event.preventDefault()
  const block = value.slice(lineStart, selectionEnd)
  const moved = event.key === ']' ? block.replaceAll(/^/gm, '  ') : block.replaceAll(/^ {1,2}/gm, '')
  box.setSelectionRange(lineStart, selectionEnd)
  type(box, moved)
  box.setSelectionRange(lineStart, lineStart + moved.length)
}

function type(box: HTMLTextAreaElement, text: string): void {
  if (text === '') document.execCommand('delete')
  else document.execCommand('insertText', false, text)
  if (box.selectionStart !== box.selectionEnd) box.setSelectionRange(box.selectionEnd, box.selectionEnd)
}

function countLines(text: string): number {
  let count = 1
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) count += 1
  return count
}
