import { useEffect, useRef, useSyncExternalStore } from 'react'

export function useOnline(onBack: () => void): boolean {
  const online = useSyncExternalStore(follow, () => navigator.onLine)
  const back = useRef(onBack)
  back.current = onBack
  const before = useRef(online)
  useEffect(() => {
    if (online && !before.current) back.current()
    before.current = online
  }, [online])
  return online
}

function follow(listener: () => void): () => void {
  window.addEventListener('online', listener)
  window.addEventListener('offline', listener)
  return () => {
    window.removeEventListener('online', listener)
    window.removeEventListener('offline', listener)
  }
}
