import { actionEndpoints } from './action-endpoints.ts'
import { adminEndpoints } from './admin-endpoints.ts'
import { publicEndpoints } from './public-endpoints.ts'

/** The endpoint table (specification section 4): the one place that knows which requests exist. */
export const endpoints = { ...publicEndpoints, ...actionEndpoints, ...adminEndpoints }

export type EndpointName = keyof typeof endpoints
