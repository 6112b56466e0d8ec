import { Dialog as BaseDialog } from '@base-ui/react/dialog'
import type { ReactNode, RefObject } from 'react'
import { X } from '../pictures/icons.ts'
import { classes } from './classes.ts'

export interface DialogProps {
  open: boolean
  onClose(): void
  title: ReactNode
  description?: ReactNode
  /** The buttons, beginning with the safest. */
  footer?: ReactNode
  /** The width. `whole` uses the full width of the screen for a table. */
  wide?: boolean | 'whole'
  /**
   * False if Escape and a click outside must not close the dialog, because a secret or a running request would be
   * lost.
   */
  dismissible?: boolean
  initialFocus?: RefObject<HTMLElement | null>
  /** Returns the element to focus after closing. Null focuses the element that opened the dialog. */
  finalFocus?: () => HTMLElement | null
  children?: ReactNode
}

export function Dialog({
  open,
  onClose,
  title,
  description,
  footer,
  wide = false,
  dismissible = true,
  initialFocus,
  finalFocus,
  children,
}: DialogProps) {
  return (
    <BaseDialog.Root
      open={open}
      onOpenChange={next => !next && dismissible && onClose()}
      disablePointerDismissal={!dismissible}
    >
      <BaseDialog.Portal>
        <BaseDialog.Backdrop className="fixed inset-0 z-50 bg-black/45 transition-opacity data-ending-style:opacity-0 data-starting-style:opacity-0" />
        <BaseDialog.Viewport className="fixed inset-0 z-50 grid grid-cols-[minmax(0,1fr)] place-items-center overflow-y-auto p-4">
          <BaseDialog.Popup
            initialFocus={initialFocus ?? true}
            finalFocus={() => finalFocus?.() ?? true}
            className={classes(
              'w-full rounded-2xl border border-line bg-raised shadow-float transition data-ending-style:opacity-0 data-starting-style:scale-98 data-starting-style:opacity-0',
              wide === 'whole' ? 'max-w-6xl' : wide ? 'max-w-2xl' : 'max-w-md',
            )}
          >
            <header className="flex items-start justify-between gap-4 px-6 pt-5">
              <div className="min-w-0">
                <BaseDialog.Title className="text-lg font-semibold">{title}</BaseDialog.Title>
                {description && (
                  <BaseDialog.Description className="mt-1 text-sm text-soft">
                    {description}
                  </BaseDialog.Description>
                )}
              </div>
              {dismissible && (
                <BaseDialog.Close
                  aria-label="Close"
                  className="-mr-2 rounded-lg p-2 text-soft hover:bg-sunken hover:text-ink"
                >
                  <X className="size-5" aria-hidden />
                </BaseDialog.Close>
              )}
            </header>
            {children ? <div className="px-6 py-4">{children}</div> : <div className="h-4" />}
            {footer && (
              <footer className="flex flex-wrap justify-end gap-2 border-t border-line px-6 py-4">
                {footer}
              </footer>
            )}
          </BaseDialog.Popup>
        </BaseDialog.Viewport>
      </BaseDialog.Portal>
    </BaseDialog.Root>
  )
}
