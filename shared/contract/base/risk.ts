import { z } from 'zod'

export const riskLevels = ['low', 'medium', 'high'] as const
export const riskLevelSchema = z
  .enum(riskLevels)
  .meta({ id: 'RiskLevel', description: 'Risk, from low to high.' })
export type RiskLevel = z.infer<typeof riskLevelSchema>

/** Position on the scale: 0 low, 1 medium, 2 high. */
export const riskRank: Readonly<Record<RiskLevel, number>> = { low: 0, medium: 1, high: 2 }
