import { CloudOff } from '../../pictures/icons.ts'

export function OfflineBanner({ online }: { online: boolean }) {
  return (
    <div role="status">
      {!online && (
        <p className="mb-4 flex items-center gap-3 rounded-xl bg-warn-wash px-4 py-3 text-warn">
          <CloudOff className="size-5 shrink-0" aria-hidden />
          You are offline. What you see may be out of date; it is read again as soon as you are back.
        </p>
      )}
    </div>
  )
}
