import { createContext, useContext } from 'react'

/** The requests and paths for a tenant's tools. An owner in a session and an operator have different ones. */
export interface ToolPlace {
  requests: {
    list: 'list_owned_tools' | 'list_tools'
    read: 'read_owned_tool' | 'read_tool'
    health: 'read_owned_tool_health' | 'read_tool_health'
    look: 'import_owned_tool' | 'import_tool'
    change: 'change_owned_tool' | 'change_tool'
    remove: 'remove_owned_tool' | 'remove_tool'
    test: 'test_owned_tool' | 'test_tool'
    secrets: 'list_owned_secrets' | 'list_secrets'
    put_secret: 'put_owned_secret' | 'put_secret'
    confirm_secret: 'confirm_owned_secret' | 'confirm_secret'
    freezes: 'read_owned_freezes' | 'read_freezes'
    pause: 'pause_owned_tenant' | 'pause'
    resume: 'resume_owned_tenant' | 'resume'
    freeze: 'freeze_owned_tenant' | 'freeze'
    unfreeze: 'unfreeze_owned_tenant' | 'unfreeze'
  }
  params: { tenant_id: string }
  home: string
  /** Breadcrumb links to the pages above the list, beginning with the outermost. */
  around: readonly { to: string; label: string }[]
}

const PlaceContext = createContext<ToolPlace | null>(null)
export const ToolPlaceProvider = PlaceContext.Provider

export function useToolPlace(): ToolPlace {
  const place = useContext(PlaceContext)
  if (!place) throw new Error('tools are shown outside of a place for them')
  return place
}

export function pathOfTool({ home }: ToolPlace, system: string): string {
  return `${home}/at/${encodeURIComponent(system)}`
}

export function trailTo({ home, around }: ToolPlace): { to: string; label: string }[] {
  return [...around, { to: home, label: 'Tools' }]
}
