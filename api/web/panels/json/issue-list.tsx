import { counted } from '../../lib/format.ts'
import type { PlacedIssue } from '../../lib/policy/read-draft.ts'
import { CircleX, TriangleAlert } from '../../pictures/icons.ts'
import { ForeignText } from '../../ui/text.tsx'

const shownMax = 50
const looks = {
  bad: { icon: CircleX, box: 'border-bad/30 bg-bad-wash text-bad', one: 'problem' },
  warn: { icon: TriangleAlert, box: 'border-warn/30 bg-warn-wash text-warn', one: 'warning' },
} as const

export function IssueList({
  tone,
  issues,
  onJump,
}: {
  tone: keyof typeof looks
  issues: readonly PlacedIssue[]
  onJump(line: number): void
}) {
  if (issues.length === 0) return null
  const { icon: Icon, box, one } = looks[tone]
  return (
    <div className={`mt-2 flex items-start gap-3 rounded-lg border px-4 py-3 first:mt-0 ${box}`}>
      <Icon className="mt-0.5 size-5 shrink-0" aria-hidden />
      <div className="min-w-0 flex-1">
        <p className="font-medium">{counted(issues.length, one)}</p>
        <ul className="mt-1 flex flex-col gap-1 text-sm">
          {issues.slice(0, shownMax).map(({ path, code, message, line }) => (
            <li key={`${path} ${code} ${message}`} className="min-w-0">
              {line !== null && (
                <button
                  type="button"
                  onClick={() => onJump(line)}
                  className="mr-2 min-h-6 rounded px-0.5 font-medium underline underline-offset-2"
                >
                  Line {line}
                </button>
              )}
              {path !== '' && (
                <code className="font-mono text-xs">
                  <ForeignText text={path} />:{' '}
                </code>
              )}
              <ForeignText text={message} />
            </li>
          ))}
        </ul>
        {issues.length > shownMax && (
          <p className="mt-1 text-sm">{counted(issues.length - shownMax, 'more', 'more')} not shown</p>
        )}
      </div>
    </div>
  )
}
