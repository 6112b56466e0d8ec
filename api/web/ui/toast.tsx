import { Toast } from '@base-ui/react/toast'
import type { ReactNode } from 'react'
import { X } from '../pictures/icons.ts'
import { classes } from './classes.ts'

const tones: Record<string, string> = {
  good: 'border-good/40',
  bad: 'border-bad/50',
  plain: 'border-line',
}

export function ToastProvider({ children }: { children: ReactNode }) {
  return (
    <Toast.Provider timeout={6_000}>
      {children}
      <Toast.Portal>
        <Toast.Viewport className="fixed right-4 bottom-4 z-60 flex w-[min(24rem,calc(100vw-2rem))] flex-col gap-2">
          <Toasts />
        </Toast.Viewport>
      </Toast.Portal>
    </Toast.Provider>
  )
}

export function useSay(): (news: {
  title: string
  detail?: string
  tone?: 'good' | 'bad' | 'plain'
}) => void {
  const { add } = Toast.useToastManager()
  return ({ title, detail, tone = 'plain' }) => {
    add({ title, type: tone, ...(detail === undefined ? {} : { description: detail }) })
  }
}

function Toasts() {
  const { toasts } = Toast.useToastManager()
  return toasts.map(toast => (
    <Toast.Root
      key={toast.id}
      toast={toast}
      className={classes(
        'rounded-xl border bg-raised px-4 py-3 pr-10 shadow-float transition data-ending-style:opacity-0 data-starting-style:translate-y-2 data-starting-style:opacity-0',
        tones[toast.type ?? 'plain'] ?? tones.plain,
      )}
    >
      <Toast.Title className="font-medium" />
      <Toast.Description className="text-sm text-soft" />
      <Toast.Close
        aria-label="Dismiss"
        className="absolute top-2.5 right-2.5 rounded-md p-1 text-soft hover:bg-sunken"
      >
        <X className="size-4" aria-hidden />
      </Toast.Close>
    </Toast.Root>
  ))
}
