import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'
import { repositoryRoot } from './repository-root.ts'

export interface AlertRule {
  alert: string
  expr: string
  for: string
  labels: { severity: string }
  annotations: { summary: string; runbook: string }
}

export const alertRulesFile = join(repositoryRoot, 'api/operate/alert-rules.yml')
const dashboardFile = join(repositoryRoot, 'api/operate/grafana-dashboard.json')

export function readAlertRules(): AlertRule[] {
  const file = parse(readFileSync(alertRulesFile, 'utf8')) as { groups: { rules: AlertRule[] }[] }
  return file.groups.flatMap(({ rules }) => rules)
}

/** Of a minute and an hour in a test. */
const secondsOf = { m: 2, h: 120 }

/** The file of rules for a test: a minute is two seconds in it, and ages and bytes that it compares with are a sixtieth. */
export function shortenedRules(): string {
  return readFileSync(alertRulesFile, 'utf8')
    .replace(/\b(\d+)([mh])\b/g, (_, count: string, unit: 'm' | 'h') => `${Number(count) * secondsOf[unit]}s`)
    .replace(
      /(_(?:seconds|bytes)\b[^>\n]*> )(\d+)\b(?!\.)/g,
      (_, compared: string, bound: string) => `${compared}${Number(bound) / 60}`,
    )
}

/** An expression whose windows over measures of a sweep are as much shorter: what it asks is true at once. */
export function shortenedWindows(expression: string): string {
  return expression.replace(/(_over_time\([^)[]*\[\d+)m\]/g, '$1s]').replace(/offset (\d+)m/g, 'offset $1s')
}

export interface Panel {
  id: number
  gridPos: { x: number; y: number; w: number; h: number }
  title: string
  targets?: { expr: string }[]
}

export function readDashboard(): { panels: Panel[] } {
  return JSON.parse(readFileSync(dashboardFile, 'utf8')) as { panels: Panel[] }
}
