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

export interface Panel {
  id: number
  gridPos: { x: number; y: number; w: number; h: number }
  title: string
  targets?: { expr: string }[]
}

export function readDashboard(): { panels: Panel[] } {
  return JSON.parse(readFileSync(dashboardFile, 'utf8')) as { panels: Panel[] }
}
